import { copyFileSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Option from "effect/Option"
import { describe, expect, test } from "vitest"
import { list } from "../../src/cli/List.ts"
import { type Disk, DiskFault } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { cli, folder, json, ledgerProject, onDisk } from "./Cli.ts"

interface Listed {
  readonly id: string
  readonly path: string
  readonly format: string
  readonly title: string | null
  readonly [name: string]: unknown
}

const listed = async (args: ReadonlyArray<string>, given: { directory?: string; home?: string } = {}) => {
  const { exit, out, notes } = await cli(["list", ...args, "--json"], given)
  expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
  const { sessions, omitted, more } = json(out)
  return { sessions: sessions as ReadonlyArray<Listed>, omitted: omitted as ReadonlyArray<{ path: string; code: string }>, more }
}

/** A ledger session whose last work was at a second, in a directory. */
const ledger = (directory: string, name: string, second: number, more: ReadonlyArray<object> = [], root = "/w"): string => {
  const t = `2026-02-01T00:00:${String(second).padStart(2, "0")}.000Z`
  const records = [
    { t: "2026-02-01T00:00:00.000Z", type: "start", sessionId: name, root, model: "m1" },
    { t, type: "user", message: { role: "user", content: [{ type: "text", text: `prompt of ${name}` }] } },
    ...more,
  ]
  const path = join(directory, `${name}.jsonl`)
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""))
  return path
}

const tree = (directory: string, name: string, time: string, cwd = "/w"): string => {
  const path = join(directory, name)
  const records = [
    { type: "session", version: 5, id: name, timestamp: "2026-01-01T00:00:00.000Z", cwd },
    { type: "message", id: "a", parentId: null, timestamp: time, message: { role: "user", content: "hi" } },
    { type: "header_patch", patch: { title: "Of a tree", titleSource: "user", starred: true } },
  ]
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""))
  return path
}

describe("list", () => {
  test("lists the ledgers of a project, newest work first, subagents' not among them", async () => {
    const { root, sessions, path } = ledgerProject()
    ledger(sessions, "old", 5)
    const torn = join(sessions, "20260923-210000-torn.jsonl")
    writeFileSync(torn, readFileSync(torn, "utf8").replaceAll("2026-09-23T20", "2026-09-23T21"))
    const { sessions: found, omitted, more } = await listed([], { directory: root })
    expect({ omitted, more }).toEqual({ omitted: [], more: 0 })
    expect(found.map(({ id, title }) => [id, title])).toEqual([
      ["20260923-201500-a1b2", "Find the flaky test"],
      ["20260923-201500-a1b2", "Flaky test"],
      ["old", "prompt of old"],
    ])
    expect(found[1]).toEqual({
      id: "20260923-201500-a1b2",
      path,
      format: "ledger",
      title: "Flaky test",
      cwd: "/home/dev/project",
      created: "2026-09-23T20:15:00.000Z",
      modified: "2026-09-23T20:17:00.000Z",
      messageCount: 5,
      messageCountIsEstimate: false,
      model: "gpt-5",
      turns: 3,
      cost: { incomplete: false },
      size: 5_063,
      damages: 0,
    })
    expect(found[0]).toMatchObject({ damages: 1 })
  })

  test("orders by the work, whatever the times of the files, and a title is no work", async () => {
    const directory = folder()
    const late = "2026-03-01T00:00:00.000Z"
    ledger(directory, "first", 1, [{ t: late, type: "title", title: "Given later" }])
    ledger(directory, "third", 3)
    tree(directory, "in between.jsonl", "2026-02-01T00:00:02.000Z")
    utimesSync(join(directory, "first.jsonl"), new Date(late), new Date(late))
    utimesSync(join(directory, "third.jsonl"), new Date(0), new Date(0))
    const { sessions } = await listed(["--dir", directory])
    expect(sessions.map(({ id, format }) => [id, format])).toEqual([
      ["third", "ledger"],
      ["in between.jsonl", "tree"],
      ["first", "ledger"],
    ])
    expect(sessions[1]).toMatchObject({
      title: "Of a tree",
      starred: true,
      messageCount: 1,
      cwd: "/w",
      cost: { incomplete: false },
    })
    expect(sessions[2]).toMatchObject({ title: "Given later", modified: "2026-02-01T00:00:01.000Z" })
  })

  test("goes on looking for the last work before what is long, and by the file's time when nothing tells", async () => {
    const directory = folder()
    const text = "x".repeat(200_000)
    const long = { t: "2026-02-01T00:00:50.000Z", type: "title", title: text }
    ledger(directory, "long", 30, [long])
    ledger(directory, "short", 20)
    const huge = ledger(
      directory,
      "huge",
      40,
      Array.from({ length: 8 }, () => long),
    )
    utimesSync(huge, new Date("2026-01-01T00:00:00.000Z"), new Date("2026-01-01T00:00:00.000Z"))
    const { sessions } = await listed(["--dir", directory])
    expect(sessions.map(({ id }) => id)).toEqual(["long", "short", "huge"])
  })

  test("says what it left out and why, and how many it did not look into", async () => {
    const directory = folder()
    for (const second of [1, 2, 3, 4]) ledger(directory, `s${second}`, second)
    writeFileSync(join(directory, "empty.jsonl"), "")
    writeFileSync(join(directory, "other.jsonl"), '{"a":1}\n')
    writeFileSync(join(directory, "junk.jsonl"), "no JSON at all\n")
    writeFileSync(join(directory, "v9.jsonl"), '{"type":"session","version":9,"id":"x","timestamp":"t","cwd":"/"}\n')
    writeFileSync(join(directory, "notes.txt"), "no session file")
    writeFileSync(join(directory, ".s1.jsonl.tmp"), "left")
    mkdirSync(join(directory, "folder.jsonl"))
    symlinkSync(join(directory, "s1.jsonl"), join(directory, "link.jsonl"))
    const { sessions, omitted, more } = await listed(["--dir", directory])
    expect(sessions.map(({ id }) => id)).toEqual(["s4", "s3", "s2", "s1"])
    expect(omitted.map(({ path, code }) => [path.slice(directory.length + 1), code]).toSorted()).toEqual([
      ["empty.jsonl", "format.empty"],
      ["folder.jsonl", "read.not_a_file"],
      ["junk.jsonl", "format.not_a_session"],
      ["link.jsonl", "read.not_a_file"],
      ["other.jsonl", "format.not_a_session"],
      ["v9.jsonl", "format.unsupported_version"],
    ])
    expect(more).toBe(0)
    // The files without a time are the newest by that of the file: they are looked into and do not count.
    const few = await listed(["--dir", directory, "--limit", "2"])
    expect({ ids: few.sessions.map(({ id }) => id), more: few.more }).toEqual({ ids: ["s4", "s3"], more: 2 })
    const { out, notes } = await cli(["list", "--limit", "2", "--dir", "."], { directory })
    expect(out.split("\n").slice(0, 3)).toEqual([
      "2026-02-01 00:00 UTC  prompt of s4",
      "                      s4.jsonl",
      `                      ledger · 1 message · m1 · ${readFileSync(join(directory, "s4.jsonl")).length} bytes`,
    ])
    expect(notes).toContain("6 files left out:\n")
    expect(notes).toContain("  folder.jsonl  read.not_a_file\n")
    expect(notes).toContain("2 older files not looked into; --limit N shows more\n")
  })

  test("lists another project, and with a directory only what is about it", async () => {
    const { root } = ledgerProject()
    expect((await listed(["--cwd", root])).sessions).toHaveLength(2)
    const directory = folder()
    ledger(directory, "mine", 1, [], "/p/one")
    ledger(directory, "other", 2, [], "/p/two")
    tree(directory, "tree.jsonl", "2026-02-01T00:00:09.000Z", "/p/one")
    const about = await listed(["--dir", directory, "--cwd", "/p/one"])
    expect(about.sessions.map(({ id }) => id)).toEqual(["tree.jsonl", "mine"])
    // The limit counts what is listed.
    expect((await listed(["--dir", directory, "--cwd", "/p/two", "--limit", "1"])).sessions.map(({ id }) => id)).toEqual([
      "other",
    ])
  })

  test("lists our own store too when everything is asked for", async () => {
    const { root } = ledgerProject()
    const home = folder()
    mkdirSync(join(home, ".annals", "sessions"), { recursive: true })
    tree(join(home, ".annals", "sessions"), "own.jsonl", "2026-12-01T00:00:00.000Z")
    expect((await listed(["--all"], { directory: root, home })).sessions.map(({ format }) => format)).toEqual([
      "tree",
      "ledger",
      "ledger",
    ])
    expect((await listed([], { directory: root, home })).sessions).toHaveLength(2)
    const about = await listed(["--all", "--cwd", root], { home })
    expect(about.sessions.map(({ format }) => format)).toEqual(["ledger", "ledger"])
  })

  test("says where it looked when there is nothing", async () => {
    const directory = folder()
    expect(await cli(["list"], { directory })).toEqual({ exit: 0, out: "", notes: "No session in .garuda/sessions.\n" })
    expect(await listed([], { directory })).toEqual({ sessions: [], omitted: [], more: 0 })
  })

  test("says what does not go together", async () => {
    for (const args of [
      ["--all", "--dir", "."],
      ["--limit", "0"],
    ]) {
      expect(await cli(["list", ...args])).toMatchObject({ exit: 2 })
    }
  })

  test("fails for a directory that cannot be read, and leaves out a file that cannot", async () => {
    const directory = folder()
    ledger(directory, "good", 1)
    const bad = ledger(directory, "bad", 2)
    const input = { dir: Option.some(directory), cwd: Option.none(), all: false, limit: 20, json: true }
    const locked: Disk = {
      ...nodeDisk,
      open: (path, mode) => {
        if (path === bad) throw new DiskFault("open", path, "EACCES")
        return nodeDisk.open(path, mode)
      },
    }
    expect(json((await onDisk(locked, list(input))).out)).toMatchObject({
      sessions: [{ id: "good" }],
      omitted: [{ path: bad, code: "read.unreadable" }],
    })
    const closed: Disk = {
      ...nodeDisk,
      list: (path) => {
        throw new DiskFault("list", path, "EACCES")
      },
    }
    const { result, out } = await onDisk(closed, list(input))
    expect({ result, out }).toMatchObject({ result: { failure: { reason: { code: "read.unreadable" } } }, out: "" })
    copyFileSync(bad, join(directory, "again.jsonl"))
    const gone: Disk = { ...nodeDisk, lstat: (path) => (path === bad ? undefined : nodeDisk.lstat(path)) }
    expect(json((await onDisk(gone, list(input))).out)).toMatchObject({ sessions: [{ id: "bad" }, { id: "good" }], omitted: [] })
  })
})
