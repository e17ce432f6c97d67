import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, gluedSession, json, jsonLines } from "./Cli.ts"

const entriesOf = async (path: string): Promise<ReadonlyArray<Record<string, unknown>>> =>
  json((await cli(["replay", path, "--json"])).out)["entries"] as ReadonlyArray<Record<string, unknown>>

const idsOf = async (path: string): Promise<ReadonlyArray<unknown>> => (await entriesOf(path)).map(({ id }) => id)

const contextOf = async (path: string, leaf: string): Promise<string> =>
  (await cli(["context", path, "--leaf", leaf, "--json"])).out

describe("fork", () => {
  test("makes a session with every branch in our store, and leaves the other one alone", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const before = readFileSync(path)
    const home = folder()
    const { exit, out } = await cli(["fork", path, "--json"], { environment: { ANNALS_HOME: home } })
    expect(exit).toBe(0)
    const { id, path: made, ...rest } = json(out)
    expect(rest).toEqual({ schemaVersion: 1 })
    expect(dirname(String(made))).toBe(join(home, "sessions"))
    expect(await entriesOf(String(made))).toEqual(await entriesOf(path))
    const parent = json((await cli(["show", path, "--json"])).out)["id"]
    expect(json((await cli(["show", String(made), "--json"])).out)).toMatchObject({ id, parentSession: parent, version: 5 })
    expect(id).not.toBe(parent)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dirname(path))).toHaveLength(1)
  })

  test("makes it where it is told to, of an older file too, and says what the next command is", async () => {
    const path = copyOf("pi/v3-fork.jsonl")
    const to = join(folder(), "new folder", "s.jsonl")
    const { exit, out } = await cli(["fork", path, "--to", to])
    expect(exit).toBe(0)
    expect(out).toBe(`✓ ${to}: a new session with everything that ${path} holds\n  next  annals append '${to}'\n`)
    expect((await cli(["verify", to])).exit).toBe(0)
    expect(await idsOf(to)).toEqual(await idsOf(path))
    expect((await cli(["append", to], { input: '{"do":"star","on":true}' })).exit).toBe(0)
  })

  test("takes a path from the working directory and says the whole one", async () => {
    const to = join("test", "fixtures", "gjc", "v5.jsonl")
    const { exit, out } = await cli(["fork", copyOf("gjc/v5.jsonl"), "--to", to, "--json"])
    expect({ exit, error: json(out)["error"] }).toMatchObject({ exit: 6, error: { code: "open.exists", path: resolve(to) } })
  })

  test("tells of damage, which stays behind", async () => {
    const to = join(folder(), "s.jsonl")
    const { exit, notes } = await cli(["fork", copyOf(gluedSession), "--to", to])
    expect(exit).toBe(0)
    expect(notes).toContain("1 damage: 1 glued")
    expect((await cli(["verify", to])).exit).toBe(0)
    expect(await entriesOf(to)).toHaveLength(463)
  })
})

describe("branch-out", () => {
  test("makes a session with one path, its labels and its context", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const to = join(folder(), "s.jsonl")
    const { exit, out } = await cli(["branch-out", path, "--leaf", "f5fbd866", "--to", to, "--json"])
    expect(exit).toBe(0)
    const shown = json((await cli(["show", to, "--json"])).out)
    expect(json(out)).toEqual({ schemaVersion: 1, id: shown["id"], path: to })
    expect(shown).toMatchObject({ parentSession: path, labels: { b0d6daf4: "good" } })
    expect(await contextOf(to, "f5fbd866")).toBe(await contextOf(path, "f5fbd866"))
    expect(await idsOf(to)).not.toContain("c28142e2")
  })

  test("takes the beginning of an id, as context does, and refuses an ambiguous one", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const to = join(folder(), "s.jsonl")
    const { exit, out } = await cli(["branch-out", path, "--leaf", "f5f", "--to", to])
    expect(exit).toBe(0)
    expect(out).toContain(`${to}: a new session with the path to f5fbd866 of ${path}`)
    expect(await contextOf(path, "f5f")).toBe(await contextOf(path, "f5fbd866"))
    for (const args of [
      ["branch-out", path, "--leaf", "6", "--to", `${to}.2`],
      ["context", path, "--leaf", "6"],
    ]) {
      const refused = await cli([...args, "--json"])
      expect({ exit: refused.exit, error: json(refused.out)["error"] }).toMatchObject({
        exit: 3,
        error: { code: "tree.ambiguous_id", path, candidates: ["682b2405", "62ebe796", "6f27e12d", "6d3d0da8"] },
      })
    }
    expect(existsSync(`${to}.2`)).toBe(false)
  })

  test("exits 3 for an entry that is not there, none among them, and 2 without one", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const home = folder()
    for (const leaf of ["nowhere", "none"]) {
      const { exit, out } = await cli(["branch-out", path, "--leaf", leaf, "--json"], { environment: { ANNALS_HOME: home } })
      expect({ exit, error: json(out)["error"] }).toMatchObject({ exit: 3, error: { code: "tree.unknown_leaf", path } })
    }
    expect((await cli(["branch-out", path])).exit).toBe(2)
    expect(readdirSync(home)).toEqual([])
  })
})

test("neither replaces what is there", async () => {
  const path = copyOf("gjc/v5.jsonl")
  for (const args of [
    ["fork", path],
    ["branch-out", path, "--leaf", "f5fbd866"],
  ]) {
    for (const content of ["", "mine\n"]) {
      const to = join(folder(), "s.jsonl")
      writeFileSync(to, content)
      const { exit, out } = await cli([...args, "--to", to, "--json"])
      expect({ exit, error: json(out)["error"] }).toMatchObject({ exit: 6, error: { code: "open.exists", path: to } })
      expect(readFileSync(to, "utf8")).toBe(content)
    }
  }
})

test("neither makes anything of a file that is no session", async () => {
  const home = folder()
  const garbage = join(folder(), "x.jsonl")
  writeFileSync(garbage, "garbage\n")
  const empty = join(folder(), "x.jsonl")
  writeFileSync(empty, "")
  for (const [path, code, exit] of [
    [garbage, "format.not_a_session", 6],
    [empty, "format.empty", 2],
    [join(folder(), "none.jsonl"), "read.not_found", 3],
  ] as const) {
    const ended = await cli(["fork", path, "--json"], { environment: { ANNALS_HOME: home } })
    expect({ exit: ended.exit, error: json(ended.out)["error"] }).toMatchObject({ exit, error: { code, path } })
  }
  expect(readdirSync(home)).toEqual([])
})

test("a copy holds no secret that the other session does", async () => {
  const path = copyOf("gjc/v5.jsonl")
  const secret = "vB7nQ2xT9kLm4Wz8Rp"
  const record = {
    type: "custom",
    id: "ffff0001",
    parentId: "c28142e2",
    timestamp: "2026-12-01T00:00:00.000Z",
    customType: secret,
  }
  writeFileSync(path, `${readFileSync(path, "utf8")}${JSON.stringify(record)}\n`)
  for (const args of [
    ["fork", path],
    ["branch-out", path, "--leaf", "ffff0001"],
  ]) {
    const to = join(folder(), "s.jsonl")
    expect((await cli([...args, "--to", to], { environment: { DEPLOY_TOKEN: secret } })).exit).toBe(0)
    expect(jsonLines(readFileSync(to, "utf8")).find(({ id }) => id === "ffff0001")).toBeDefined()
    expect(readFileSync(to, "utf8")).not.toContain(secret)
  }
})
