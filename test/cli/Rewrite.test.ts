import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, gluedSession, json } from "./Cli.ts"

describe("repair", () => {
  test("shows a plan and changes nothing", async () => {
    const path = copyOf(gluedSession)
    const before = readFileSync(path)
    const { exit, out } = await cli(["repair", path, "--json"])
    expect(exit).toBe(0)
    expect(json(out)).toEqual({
      schemaVersion: 1,
      path,
      plan: [{ action: "split", line: 440, offset: 919_117, length: 0, kind: "glued" }],
      applied: false,
    })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect((await cli(["repair", path])).out).toContain(`annals repair ${path} --yes`)
  })

  test("carried out, makes the file clean, keeps the old one, and has nothing left to do", async () => {
    const path = copyOf(gluedSession)
    const before = readFileSync(path)
    const { exit, out } = await cli(["repair", path, "--yes", "--json"])
    expect(exit).toBe(0)
    const { applied, backup } = json(out)
    expect(applied).toBe(true)
    expect(readFileSync(String(backup)).equals(before)).toBe(true)
    expect((await cli(["verify", path])).exit).toBe(0)
    const repaired = readFileSync(path)
    expect(json((await cli(["repair", path, "--yes", "--json"])).out)).toEqual({
      schemaVersion: 1,
      path,
      plan: [],
      applied: false,
    })
    expect(readFileSync(path).equals(repaired)).toBe(true)
    expect((await cli(["repair", path, "--yes"])).out).toContain("nothing to repair")
  })

  test("puts what goes out of a ledger session into quarantine", async () => {
    const path = copyOf("garuda/20260923-210000-torn.jsonl")
    const { out } = await cli(["repair", path, "--yes", "--json"])
    const { plan, quarantine } = json(out)
    expect(plan).toEqual([{ action: "quarantine", line: 22, offset: 4_994, length: 32, kind: "torn-tail" }])
    expect(JSON.parse(readFileSync(String(quarantine), "utf8"))).toMatchObject({ offset: 4_994, length: 32 })
    expect((await cli(["verify", path])).exit).toBe(0)
  })

  test("takes records without an effect out of a tree session", async () => {
    const path = copyOf("gjc/v5.jsonl")
    writeFileSync(path, `${readFileSync(path, "utf8")}{"type":"header_patch","patch":{"unknown":1}}\n`)
    expect((await cli(["verify", path])).exit).toBe(5)
    expect((await cli(["repair", path, "--yes"])).exit).toBe(0)
    expect((await cli(["verify", path])).exit).toBe(0)
  })

  test("refuses a file in which nothing can be read", async () => {
    const path = join(folder(), "x.jsonl")
    writeFileSync(path, "garbage\n")
    const { exit, out } = await cli(["repair", path, "--yes", "--json"])
    expect({ exit, code: (json(out)["error"] as { code: string }).code }).toEqual({ exit: 6, code: "repair.refused" })
    expect(readFileSync(path, "utf8")).toBe("garbage\n")
  })
})

describe("migrate", () => {
  test("shows what it would do and changes nothing", async () => {
    const path = copyOf("omp/v3-title-slot.jsonl")
    const before = readFileSync(path)
    const { exit, out } = await cli(["migrate", path, "--json"])
    expect(exit).toBe(0)
    expect(json(out)).toEqual({ schemaVersion: 1, path, from: 3, to: 5, records: 30, applied: false })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dirname(path))).toHaveLength(1)
  })

  test("carried out, keeps the session and the old file, and has nothing left to do", async () => {
    const path = copyOf(gluedSession)
    const before = readFileSync(path)
    const context = (await cli(["context", path, "--json"])).out
    const { exit, out } = await cli(["migrate", path, "--yes", "--json"])
    expect(exit).toBe(0)
    const { backup, ...rest } = json(out)
    expect(rest).toEqual({ schemaVersion: 1, path, from: 1, to: 5, records: 464, applied: true })
    expect(readFileSync(String(backup)).equals(before)).toBe(true)
    expect((await cli(["context", path, "--json"])).out).toBe(context)
    expect(json((await cli(["migrate", path, "--yes", "--json"])).out)).toMatchObject({ from: 5, to: 5, applied: false })
    expect((await cli(["migrate", path])).out).toContain("nothing to do")
  })

  test("says in words what it did", async () => {
    const path = copyOf("pi/v3-fork.jsonl")
    expect((await cli(["migrate", path])).out).toContain("8 records of version 3 would be rewritten to version 5")
    expect((await cli(["migrate", path, "--yes"])).out).toContain("v3-fork.jsonl.v3.bak")
  })
})
