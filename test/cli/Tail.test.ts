import { appendFileSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, json, jsonLines, start } from "./Cli.ts"

const record = (id: string, content = id): string =>
  JSON.stringify({ type: "message", id, parentId: null, timestamp: "t", message: { role: "user", content } })

const header = '{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/"}'

const written = (...lines: ReadonlyArray<string>): string => {
  const path = join(folder(), "s.jsonl")
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""))
  return path
}

describe("tail", () => {
  test("shows the last records and damages, one a line, and changes nothing", async () => {
    const path = written(header, record("a", "hello"), "oops", record("b", "bell \u0007 and\nline"))
    const before = readFileSync(path)
    const { exit, out, notes } = await cli(["tail", path, "-n", "3"])
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(out).toBe(
      [
        "      2  user          hello",
        "      3  not-json      4 bytes: no JSON; nothing of it is read",
        "      4  user          bell \\x07 and line",
        "",
      ].join("\n"),
    )
    expect(readFileSync(path)).toEqual(before)
  })

  test("shows ten without a number, none for 0, and what it does not know as it stands", async () => {
    const path = copyOf("gjc/v5.jsonl")
    expect((await cli(["tail", path])).out.split("\n")).toHaveLength(11)
    expect((await cli(["tail", path, "-n", "0"])).out).toBe("")
    const unknown = await cli(["tail", written(header, '{"type":"new_thing","n":1}'), "--lines", "1"])
    expect(unknown.out).toBe('      2  new thing     {"type":"new_thing","n":1}\n')
  })

  test("gives programs one value, or one a line, with the numbers that the record has", async () => {
    const big = '{"type":"x","timestamp":"t","n":9007199254740993}'
    const path = written(header, big, "oops")
    const whole = await cli(["tail", path, "-n", "2", "--json"])
    expect(whole.out).toContain('"n":9007199254740993')
    expect(json(whole.out)).toMatchObject({
      schemaVersion: 1,
      path,
      items: [{ line: 2, record: { type: "x" } }, { damage: { line: 3, kind: "not-json" } }],
    })
    const lines = await cli(["tail", path, "-n", "2", "--jsonl"])
    expect(jsonLines(lines.out)).toEqual(json(whole.out)["items"])
    const spaced = await cli(["tail", written(header, '{"type":"x",\t"t":"a\u2028b"\r}'), "-n", "1", "--jsonl"])
    expect(jsonLines(spaced.out)).toMatchObject([{ record: { type: "x", t: "a\u2028b" } }])
  })

  test("refuses what does not go together, and a file that is not there", async () => {
    const path = written(header)
    for (const flags of [
      ["-f", "--json"],
      ["-n", "-1"],
      ["-n", "x"],
    ])
      expect((await cli(["tail", path, ...flags])).exit, flags.join(" ")).toBe(2)
    expect((await cli(["tail", join(folder(), "none.jsonl")])).exit).toBe(3)
    expect((await cli(["tail", folder()])).exit).toBe(6)
  })

  test("follows what comes, over a replacement and a removal, until it is interrupted", async () => {
    const path = join(folder(), "s.jsonl")
    const { child, lines, ended } = start(["tail", path, "-f", "-n", "1", "--jsonl"])
    writeFileSync(path, `${header}\n${record("a")}\n`)
    await lines(1)
    appendFileSync(path, record("b").slice(0, 20))
    appendFileSync(path, `${record("b").slice(20)}\n`)
    await lines(2)
    writeFileSync(`${path}.tmp`, `${header}\n${record("a")}\n${record("b")}\n${record("c")}\n`)
    renameSync(`${path}.tmp`, path)
    await lines(4)
    unlinkSync(path)
    await lines(5)
    child.kill("SIGINT")
    const { exit, out, notes } = await ended
    expect(notes).toContain("Following")
    expect(exit).toBe(130)
    const said = jsonLines(out).map((line) => (line["record"] as { id?: string } | undefined)?.id ?? JSON.stringify(line))
    expect(said.slice(-4)).toEqual(["b", '{"replaced":"other-file"}', "c", '{"removed":true}'])
  })
})
