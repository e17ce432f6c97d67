/** Seals and what the mark beside a session tells, as a person sees them. */
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, folder, json, jsonLines } from "./Cli.ts"

const user = (content: string): string => `${JSON.stringify({ do: "message", message: { role: "user", content } })}\n`

const markOf = (path: string): string => join(dirname(path), `.${basename(path)}.head`)

const begun = async (...args: ReadonlyArray<string>): Promise<string> => {
  const path = join(folder(), "20260101-000000-aaaa.jsonl")
  const { exit, notes } = await cli(["append", path, "--create", "--cwd", ".", ...args], {
    input: args.includes("ledger") ? '{"do":"user","text":"one"}\n{"do":"user","text":"two"}\n' : user("one") + user("two"),
  })
  expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
  return path
}

const cutLast = (path: string, count: number): void => {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1)
  truncateSync(path, Buffer.byteLength(`${lines.slice(0, -count).join("\n")}\n`))
}

describe("append --create --sealed", () => {
  test.each([
    ["a tree", []],
    ["a ledger", ["--format", "ledger", "--model", "m"]],
  ])("puts a seal on each record of %s, and verify tells an edit and a loss", async (_, args) => {
    const path = await begun("--sealed", ...args)
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1)
    expect(lines.every((line) => /,"_c":"[0-9a-f-]+"\}$/.test(line))).toBe(true)
    expect((await cli(["verify", path])).exit).toBe(0)
    writeFileSync(path, `${lines.join("\n").replace('"one"', '"eins"')}\n`)
    const { exit, out } = await cli(["verify", path, "--json"])
    expect(exit).toBe(5)
    expect(json(out)).toMatchObject({ files: [{ damage: [{ kind: "edited" }] }] })
  })

  test("without it a session at a chosen place has none, nor a mark", async () => {
    const path = await begun()
    expect(readFileSync(path, "utf8")).not.toContain("_c")
    expect(existsSync(markOf(path))).toBe(false)
  })

  test("belongs to --create", async () => {
    const path = await begun()
    const { exit, notes } = await cli(["append", path, "--sealed"], { input: user("three") })
    expect(exit).toBe(2)
    expect(notes).toContain("--sealed belongs to --create")
  })
})

describe("an end that is gone", () => {
  test("is told by verify, with its number, until the session goes on, and then by the gap", async () => {
    const path = await begun("--sealed")
    expect((await cli(["verify", path])).exit).toBe(0)
    cutLast(path, 1)
    const one = await cli(["verify", path])
    expect(one.exit).toBe(5)
    expect(one.out).toContain("1 acknowledged record is missing at the end")
    cutLast(path, 1)
    const two = await cli(["verify", path, "--json"])
    expect(two.exit).toBe(5)
    expect(json(two.out)).toMatchObject({ files: [{ ok: false, damage: [], missing: { records: 2 } }] })
    const went = await cli(["append", path], { input: user("three") })
    expect(went.exit).toBe(0)
    expect(jsonLines(went.out)).toHaveLength(1)
    const after = await cli(["verify", path, "--jsonl"])
    expect(after.exit).toBe(5)
    expect(jsonLines(after.out)).toMatchObject([{ damage: [{ kind: "lost-records" }] }])
    expect(after.out).not.toContain("missing")
  })

  test.each([
    ["is not there", (mark: string) => writeFileSync(mark, "")],
    ["is damaged", (mark: string) => writeFileSync(mark, readFileSync(mark, "utf8").replace(/"records":\d+/, '"records":9'))],
    ["is of another file", (mark: string) => writeFileSync(mark, readFileSync(mark, "utf8").replace(/"inode":"/, '"inode":"1'))],
    ["is no text", (mark: string) => writeFileSync(mark, new Uint8Array([0xff, 0, 0xfe]))],
  ])("is not told when the mark %s", async (_, change) => {
    const path = await begun("--sealed")
    change(markOf(path))
    cutLast(path, 1)
    expect((await cli(["verify", path])).exit).toBe(0)
    expect((await cli(["append", path], { input: user("three") })).exit).toBe(0)
    expect((await cli(["verify", path])).exit).toBe(0)
  })

  test("a removal takes the mark along, and a list does not show it", async () => {
    const path = await begun("--sealed", "--format", "ledger", "--model", "m")
    expect(existsSync(markOf(path))).toBe(true)
    const { out } = await cli(["list", dirname(path), "--json"])
    expect(out).not.toContain(".head")
    expect((await cli(["rm", path, "--yes"])).exit).toBe(0)
    expect(existsSync(markOf(path))).toBe(false)
  })
})
