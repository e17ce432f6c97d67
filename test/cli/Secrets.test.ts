import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, folder, json, spawned } from "./Cli.ts"

const SECRET = ["kk", "Lm29", "qrZ7", "Px41", "vw"].join("")
const environment = { SOME_TOKEN: SECRET }

const fileWith = (text: string | Uint8Array, name = "notes.txt"): string => {
  const path = join(folder(), name)
  writeFileSync(path, text)
  return path
}

describe("redact", () => {
  test("prints the file without what is secret in it, and says beside it where that was", async () => {
    const path = fileWith(`one\nuse ${SECRET} here\n{"key":"${SECRET}"}`)
    const { exit, out, notes } = await cli(["redact", path], { environment })
    expect({ exit, out }).toEqual({
      exit: 0,
      out: 'one\nuse [REDACTED:environment] here\n{"key":"[REDACTED:environment]"}',
    })
    const third = "one\n".length + `use ${SECRET} here\n`.length
    expect(notes).toBe(`line 2, byte 8: environment\nline 3, byte ${third}: environment at /key\n`)
  })

  test("gives the findings alone as one value", async () => {
    const { exit, out, notes } = await cli(["redact", fileWith(`x ${SECRET}\n`), "--json"], { environment })
    expect({ exit, notes, value: json(out) }).toEqual({
      exit: 0,
      notes: "",
      value: { schemaVersion: 1, findings: [{ kind: "environment", line: 1, offset: 2 }] },
    })
  })

  test("reads the standard input, and never loses a byte of what is clean", async () => {
    const text = `é\r\n\r\n{"n":1.0}\nlast`
    const { exit, out } = await spawned(["redact", "-"], { input: text, environment })
    expect({ exit, out }).toEqual({ exit: 0, out: text })
  })

  test("gives on what comes in pieces, cut in a character or in a secret", async () => {
    const bytes = Buffer.from(`é one ${SECRET} two\n{"a":"${SECRET}"}\nlast`)
    const input = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    const { exit, out, notes } = await cli(["redact", "-"], { input, environment })
    expect({ exit, out }).toEqual({
      exit: 0,
      out: 'é one [REDACTED:environment] two\n{"a":"[REDACTED:environment]"}\nlast',
    })
    const second = Buffer.byteLength(`é one ${SECRET} two\n`)
    expect(notes).toBe(`line 1, byte 7: environment\nline 2, byte ${second}: environment at /a\n`)
  })

  test("takes out of a file from its beginning what its end gives away", async () => {
    const path = fileWith(`it is ${SECRET}\napi_key = "${SECRET}"\n`)
    const { out } = await cli(["redact", path])
    expect(out).not.toContain(SECRET)
  })

  test("of a missing file says so", async () => {
    expect((await cli(["redact", join(folder(), "gone.txt")])).exit).toBe(3)
  })
})

describe("scan", () => {
  test("names kinds and places, shows nothing of what it finds, changes nothing, and ends with 5", async () => {
    const path = fileWith(`{"a":1}\n{"text":"use ${SECRET}"}\n`, "session.jsonl")
    const before = readFileSync(path)
    const { exit, out, notes } = await cli(["scan", path], { environment })
    expect(exit).toBe(5)
    expect(out).toContain("1 secret: 1 environment")
    expect(out).toContain("line 2, byte 8: environment at /text")
    expect(`${out}${notes}`).not.toContain(SECRET)
    expect(readFileSync(path)).toEqual(before)
  })

  test("reads what lies below a directory, without links, binaries and what is no transcript", async () => {
    const directory = folder()
    mkdirSync(join(directory, "a", "node_modules"), { recursive: true })
    writeFileSync(join(directory, "a", "x.jsonl"), `{"t":"${SECRET}"}\n`)
    writeFileSync(join(directory, "a", "clean.md"), "nothing\n")
    writeFileSync(join(directory, "a", "node_modules", "y.jsonl"), SECRET)
    writeFileSync(join(directory, "a", "z.bin"), `\u0000${SECRET}`)
    writeFileSync(join(directory, "a", "torn.jsonl"), `{}\n\u0000\u0000\u0000${SECRET}`)
    symlinkSync(fileWith(SECRET), join(directory, "link.txt"))
    const { exit, out } = await cli(["scan", directory, "--json"], { environment })
    expect(exit).toBe(5)
    expect(json(out)).toEqual({
      schemaVersion: 1,
      files: [
        { path: join(directory, "a", "torn.jsonl"), findings: [expect.objectContaining({ kind: "environment", line: 2 })] },
        { path: join(directory, "a", "x.jsonl"), findings: [{ kind: "environment", line: 1, offset: 0, at: "/t" }] },
      ],
      scanned: 3,
      omitted: [],
    })
  })

  test("of clean files ends with 0, and of a missing one with 3", async () => {
    const clean = await cli(["scan", fileWith("nothing\n")], { environment })
    expect({ exit: clean.exit, out: clean.out }).toEqual({ exit: 0, out: "✓ 1 file, no secret found\n" })
    expect((await cli(["scan", join(folder(), "gone")])).exit).toBe(3)
  })
})

describe("redact --write", () => {
  const line = `{"type":"session","version":5,"id":"s1","timestamp":"2026-11-01T08:00:00.000Z","cwd":"/w","title":"about ${SECRET}"}\n`

  test("says what it would do and changes nothing, and does it with --yes", async () => {
    const path = fileWith(line, "session.jsonl")
    const plan = await cli(["redact", path, "--write"], { environment })
    expect({ exit: plan.exit, text: readFileSync(path, "utf8") }).toEqual({ exit: 0, text: line })
    expect(plan.out).toContain("1 secret: 1 environment; would be written without it")
    expect(plan.out).toContain("--write --yes")
    const { exit, out, notes } = await cli(["redact", path, "--write", "--yes"], { environment })
    expect(exit).toBe(0)
    expect(out).toContain("written without it, and searched")
    expect(`${plan.out}${out}${notes}`).not.toContain(SECRET)
    expect(readFileSync(path, "utf8")).toBe(line.replace(SECRET, "[REDACTED:environment]"))
  })

  test("ends with 7 while a copy holds the secret, and with 0 once that is written too", async () => {
    const path = fileWith(line, "session.jsonl")
    writeFileSync(`${path}.v3.bak`, line)
    const first = await cli(["redact", path, "--write", "--yes", "--json"], { environment })
    expect(first.exit).toBe(7)
    expect(json(first.out)).toMatchObject({ applied: true, done: [path], left: [`${path}.v3.bak`] })
    const second = await cli(["redact", path, "--write", "--yes", "--copies"], { environment })
    expect(second.exit).toBe(0)
    expect(readFileSync(`${path}.v3.bak`, "utf8")).not.toContain(SECRET)
  })

  test("refuses what may be the only place of a secret, and what does not go together", async () => {
    const path = fileWith(`TOKEN=${SECRET}\n`, ".env")
    const { exit, notes } = await cli(["redact", path, "--write", "--yes"], { environment })
    expect(exit).toBe(6)
    expect(notes).toContain("scrub.refused")
    expect(readFileSync(path, "utf8")).toBe(`TOKEN=${SECRET}\n`)
    expect((await cli(["redact", path, "--yes"])).exit).toBe(2)
    expect((await cli(["redact", "-", "--write"])).exit).toBe(2)
  })
})
