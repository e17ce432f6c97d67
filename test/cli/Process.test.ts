import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { copyOf, folder, gluedSession, json, jsonLines, spawned, start } from "./Cli.ts"

const user = (content: string): string => `${JSON.stringify({ do: "message", message: { role: "user", content } })}\n`

describe("exit codes and streams of the process", () => {
  test("0 for help and version, on standard output", async () => {
    const help = await spawned(["--help"])
    expect(help).toMatchObject({ exit: 0, notes: "" })
    expect(help.out).toContain("SUBCOMMANDS")
    expect((await spawned([])).exit).toBe(0)
    expect((await spawned(["verify", "--help"])).out).toContain("EXAMPLES")
    expect((await spawned(["--version"])).out).toMatch(/^annals \d+\.\d+\.\d+\n$/)
  })

  test("2 for a command or a flag that there is not, and for a file that is not named", async () => {
    for (const args of [["bogus"], ["verify"], ["show", "x", "--bogus"], ["verify", "x", "--format", "bogus"]]) {
      const { exit, out, notes } = await spawned(args)
      expect({ exit, out, told: notes.includes("usage.invalid") }).toEqual({ exit: 2, out: "", told: true })
    }
  })

  test("3 for a file that there is not, told once and in full", async () => {
    const path = join(folder(), "none.jsonl")
    const { exit, out, notes } = await spawned(["show", path])
    expect({ exit, out }).toEqual({ exit: 3, out: "" })
    expect(notes).toBe(`✗ ${path}: there is no such file
  safe  Nothing was changed.
  next  Check the path; a session file ends with .jsonl.
  code  read.not_found
`)
  })

  test("5 for damage", async () => {
    expect((await spawned(["verify", gluedSession])).exit).toBe(5)
  })

  test("6 for a missing consent", async () => {
    expect((await spawned(["append", copyOf(gluedSession)], { input: user("x") })).exit).toBe(6)
  })

  test("a failure with --json is one JSON value on standard output and nothing on standard error", async () => {
    for (const args of [
      ["show", "/nowhere/x.jsonl", "--json"],
      ["bogus", "--json"],
      ["append", "/nowhere/x.jsonl", "--json"],
    ]) {
      const { exit, out, notes } = await spawned(args)
      expect(notes).toBe("")
      const { schemaVersion, error } = json(out) as { schemaVersion: number; error: { code: string } }
      expect({ schemaVersion, exit, code: error.code }).toMatchObject({ schemaVersion: 1, exit: args[0] === "bogus" ? 2 : 3 })
    }
  })
})

describe("colour", () => {
  const isColoured = async (environment: Readonly<Record<string, string>>): Promise<boolean> =>
    (await spawned(["verify", gluedSession], { environment })).out.includes("\u001b[")

  test("is left out where there is no terminal, and there when it is asked for", async () => {
    expect(await isColoured({})).toBe(false)
    expect(await isColoured({ FORCE_COLOR: "1" })).toBe(true)
    expect(await isColoured({ FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false)
    expect(await isColoured({ FORCE_COLOR: "1", TERM: "dumb" })).toBe(false)
  })
})

test("a reader that goes away ends the command quietly", async () => {
  const { child, ended } = start(["context", "test/fixtures/pi/v1-two-compactions.jsonl", "--full"])
  child.stdout.once("data", () => child.stdout.destroy())
  expect(await ended).toMatchObject({ exit: 0, notes: "" })
})

test("completions for the shells know the commands", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { exit, out } = await spawned(["--completions", shell])
    expect(exit).toBe(0)
    for (const word of ["verify", "append", "migrate"]) expect(out).toContain(word)
  }
})

describe("append", () => {
  test("answers while the input is still open", async () => {
    const path = join(folder(), "s.jsonl")
    const { child, ended, lines } = start(["append", path, "--create", "--cwd", "."])
    child.stdin.write(user("one"))
    expect(jsonLines(`${(await lines(1))[0]}\n`)).toMatchObject([{ n: 1, level: "synced" }])
    expect(readFileSync(path, "utf8")).toContain("one")
    child.stdin.end(user("two"))
    expect((await ended).exit).toBe(0)
  })

  test("of a second process exits 4 and names the first, which goes on", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const first = start(["append", path])
    first.child.stdin.write(user("one"))
    await first.lines(1)
    const second = await spawned(["append", path, "--json"], { input: user("intruder") })
    expect(second.exit).toBe(4)
    expect(json(second.out)["error"]).toMatchObject({ code: "lease.held", path, owner: { pid: first.child.pid, self: false } })
    const third = await spawned(["repair", path, "--yes"])
    expect(third.exit).toBe(4)
    expect(third.notes).toContain(`process ${first.child.pid}`)
    first.child.stdin.end(user("two"))
    expect((await first.ended).exit).toBe(0)
    const text = readFileSync(path, "utf8")
    expect({ two: text.includes("two"), intruder: text.includes("intruder") }).toEqual({ two: true, intruder: false })
    expect((await spawned(["append", path], { input: user("later") })).exit).toBe(0)
  })

  test("ends cleanly with 130 when it is interrupted", async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const path = join(folder(), "s.jsonl")
      const { child, ended, lines } = start(["append", path, "--create", "--cwd", ".", "--level", "accepted"])
      for (let n = 0; n < 50; n++) child.stdin.write(user(`command ${n}`))
      await lines(50)
      child.kill(signal)
      expect((await ended).exit).toBe(130)
      expect(jsonLines(readFileSync(path, "utf8"))).toHaveLength(51)
      expect((await spawned(["append", path], { input: user("x") })).exit).toBe(0)
    }
  })

  test("loses nothing that it acknowledged as written when it is killed (law DUR-2)", async () => {
    const path = join(folder(), "s.jsonl")
    const { child, ended, lines } = start(["append", path, "--create", "--cwd", ".", "--level", "written"])
    for (let n = 0; n < 5_000; n++) child.stdin.write(user(`command ${n}`))
    await lines(200)
    child.kill("SIGKILL")
    const { signal, out } = await ended
    expect(signal).toBe("SIGKILL")
    const ids = jsonLines(out.slice(0, out.lastIndexOf("\n") + 1)).flatMap(({ ids }) => ids as ReadonlyArray<string>)
    const { out: entries } = await spawned(["tree", path, "--jsonl"])
    const found = jsonLines(entries).map(({ id }) => id)
    expect(found.slice(0, ids.length)).toEqual(ids)
    expect(new Set(found).size).toBe(found.length)
  })

  test("closes the journal and says so when nobody reads its answers", async () => {
    const path = join(folder(), "s.jsonl")
    const { child, ended, lines } = start(["append", path, "--create", "--cwd", "."])
    child.stdin.write(user("one"))
    await lines(1)
    child.stdout.destroy()
    for (let n = 0; n < 20; n++) child.stdin.write(user(`command ${n}`))
    const { exit, notes } = await ended
    expect({ exit, told: notes.includes("output.closed") }).toEqual({ exit: 1, told: true })
    expect((await spawned(["verify", path])).exit).toBe(0)
  })
})

test("a pipe from one command to the other is closed by head", async () => {
  const main = "src/cli/main.ts"
  const shell = spawn("sh", [
    "-c",
    `"$0" ${main} tree --all test/fixtures/pi/v1-1019-records.jsonl | head -n 3`,
    process.execPath,
  ])
  let out = ""
  let notes = ""
  shell.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
  })
  shell.stderr.on("data", (chunk: Buffer) => {
    notes += chunk.toString()
  })
  await new Promise((resolve) => shell.once("close", resolve))
  expect(out.split("\n")).toHaveLength(4)
  expect(notes).toBe("")
})
