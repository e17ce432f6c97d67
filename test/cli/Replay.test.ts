import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { replayed } from "../../src/cli/Replay.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { Files } from "../../src/disk/Files.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import { stateJson } from "../../src/tree/Overview.ts"
import { initial, type TreeState } from "../../src/tree/State.ts"
import { evolve } from "../../src/tree/TreeModel.ts"
import { cli, copyOf, folder, gluedSession, json } from "./Cli.ts"

/** The records of a file without damage. */
const recordsOf = (path: string): ReadonlyArray<JsonObject> =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject)

const jsonOf = async (path: string, ...args: ReadonlyArray<string>): Promise<string> =>
  (await cli(["replay", path, "--json", ...args])).out

const written = (content: string): string => {
  const path = join(folder(), "s.jsonl")
  writeFileSync(path, content)
  return path
}

describe("replay", () => {
  test("gives the state after each number of records", async () => {
    for (const fixture of ["gjc/v5.jsonl", "omp/v3-title-slot.jsonl", "pi/v3-fork.jsonl"]) {
      const path = copyOf(fixture)
      const records = recordsOf(path)
      let state: TreeState = initial
      for (let n = 0; n <= records.length; n++) {
        expect(await jsonOf(path, "--at", String(n))).toBe(`${JSON.stringify({ schemaVersion: 1, ...stateJson(state) })}\n`)
        state = evolve(state, records[n] ?? {})
      }
    }
  })

  test("gives all of it by default, with the members in one order", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const all = await jsonOf(path)
    expect(all).toBe(await jsonOf(path, "--at", "27"))
    expect(Object.keys(json(all))).toEqual(["schemaVersion", "version", "header", "leaf", "entries", "labels"])
  })

  test("lays the same value out for people, an entry a line", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const { exit, out } = await cli(["replay", path])
    expect(exit).toBe(0)
    const { schemaVersion: _, ...state } = json(await jsonOf(path))
    expect(json(out)).toEqual(state)
    const lines = out.split("\n")
    for (const entry of state["entries"] as ReadonlyArray<object>)
      expect(lines.map((line) => line.trim().replace(/,$/, ""))).toContain(JSON.stringify(entry))
    const { out: none } = await cli(["replay", path, "--at", "0"])
    expect(none).toBe('{\n  "version": 5,\n  "header": null,\n  "leaf": null,\n  "entries": [],\n  "labels": {}\n}\n')
  })

  test("writes out for people what a terminal would obey, and means the same", async () => {
    const header = { type: "session", version: 5, id: "s", timestamp: "t", cwd: "/w" }
    const data = { text: "a\u001b[31m\u009b\u202e\u2028\ufeff\t\\", deep: -0 }
    const entry = { type: "custom", id: "e", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", customType: "x", data }
    const path = written(`${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`)
    const { out } = await cli(["replay", path])
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e\ufeff]/)
    expect(json(out)["entries"]).toEqual(JSON.parse(JSON.stringify([entry])))
  })

  test("takes a number out of range, or that is none, for a usage error", async () => {
    const path = copyOf("gjc/v5.jsonl")
    for (const n of ["28", "-1", "1.5", "x", "1e99"]) {
      const { exit, out } = await cli(["replay", path, "--json", `--at=${n}`])
      expect({ n, exit, code: (json(out)["error"] as { code: string }).code }).toEqual({ n, exit: 2, code: "usage.invalid" })
    }
    const { notes } = await cli(["replay", path, "--at", "28"])
    expect(notes).toContain("--at 28: the file has 27 records.")
  })

  test("reads no further than it must", async () => {
    const lines = readFileSync("test/fixtures/pi/v1-1019-records.jsonl", "utf8").split("\n").slice(0, 100)
    const filler = JSON.stringify({ type: "custom", customType: "x", data: "x".repeat(1 << 20), timestamp: "t" })
    const beginning = `${lines.join("\n")}\n`
    const path = written(`${beginning}${`${filler}\n`.repeat(4)}`)
    let furthest = 0
    const disk: Disk = {
      ...nodeDisk,
      read: (handle, into, position) => {
        const count = nodeDisk.read(handle, into, position)
        furthest = Math.max(furthest, position + count)
        return count
      },
    }
    const { state } = await Effect.runPromise(Effect.provideService(replayed(path, 100), Files, disk))
    expect(furthest).toBe(1 << 20)
    expect(stateJson(state)).toEqual(stateJson(lines.map((line) => JSON.parse(line) as JsonObject).reduce(evolve, initial)))
  })

  test("notes the damage among the records that it replays, and no other", async () => {
    const before = await cli(["replay", gluedSession, "--at", "439", "--json"])
    expect({ exit: before.exit, notes: before.notes }).toEqual({ exit: 0, notes: "" })
    const behind = await cli(["replay", gluedSession, "--at", "440", "--json"])
    expect({ exit: behind.exit, note: behind.notes.includes("1 damage: 1 glued") }).toEqual({ exit: 0, note: true })
    const [header, ...entries] = readFileSync("test/fixtures/gjc/v5.jsonl", "utf8").split("\n")
    const path = written([header, entries[0], "garbage", ...entries.slice(1)].join("\n"))
    expect((await cli(["replay", path, "--at", "2"])).notes).toBe("")
    expect((await cli(["replay", path, "--at", "3"])).notes).toContain("1 damage: 1 not-json")
  })

  test("refuses a file as every command does, however few records are asked for", async () => {
    const v999 = written('{"type":"session","version":999,"id":"x","timestamp":"t","cwd":"/"}\n')
    for (const [path, code] of [
      [v999, "format.unsupported_version"],
      [written('{"a":1}\n{"b":2}\n'), "format.not_a_session"],
    ] as const) {
      for (const args of [[], ["--at", "0"], ["--at", "1"]]) {
        const whole = json(await jsonOf(path, ...args))
        expect(whole["error"]).toEqual(json((await cli(["show", path, "--json"])).out)["error"])
        expect(whole["error"]).toMatchObject({ code, path })
      }
    }
  })

  test("knows a session by a header that comes behind the records that are asked for", async () => {
    const path = written(`{"a":1}\n${readFileSync("test/fixtures/gjc/v5.jsonl", "utf8")}`)
    expect(json(await jsonOf(path, "--at", "1"))).toMatchObject({ header: null, entries: [] })
  })
})
