import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, gluedSession, json, jsonLines } from "./Cli.ts"

const text = (path: string): string => readFileSync(path, "utf8")

/** What was appended to the file, the rest being as it was. */
const added = (path: string, before: string): ReadonlyArray<Record<string, unknown>> => {
  expect(text(path).startsWith(before)).toBe(true)
  return jsonLines(text(path).slice(before.length))
}

const show = async (path: string): Promise<Record<string, unknown>> => json((await cli(["show", path, "--json"])).out)

/** Commands with what each needs behind the file, and the record that each appends to the session that is their example. */
const commands: ReadonlyArray<readonly [command: string, args: ReadonlyArray<string>, record: object, members: object]> = [
  [
    "title",
    ["A  new\ttitle"],
    { type: "header_patch", patch: { title: "A new title", titleSource: "user" } },
    { title: "A new title", titleSource: "user" },
  ],
  ["star", [], { type: "header_patch", patch: { starred: true } }, { starred: true }],
  [
    "label",
    ["62ebe796", "first"],
    { type: "label", targetId: "62ebe796", label: "first" },
    { target: "62ebe796", label: "first" },
  ],
  ["label", ["b0d6daf4"], { type: "label", targetId: "b0d6daf4" }, { target: "b0d6daf4" }],
]

/** The same session without a star. */
const example = (): string => {
  const path = copyOf("gjc/v5.jsonl")
  writeFileSync(path, `${text(path)}{"type":"header_patch","patch":{"starred":false}}\n`)
  return path
}

for (const [command, args, record, members] of commands) {
  describe([command, ...args].join(" "), () => {
    test("appends the record that does it, and tells a program", async () => {
      const path = example()
      const before = text(path)
      const { id } = await show(path)
      const { exit, out, notes } = await cli([command, path, ...args, "--json"])
      expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
      const [written, ...more] = added(path, before)
      expect(more).toEqual([])
      expect(written).toMatchObject(record)
      const entry = written?.["id"]
      expect(json(out)).toEqual({
        schemaVersion: 1,
        id,
        path,
        changed: true,
        ids: entry === undefined ? [] : [entry],
        ...members,
      })
      expect((await cli(["verify", path])).exit).toBe(0)
    })

    test("done again, writes nothing and says so", async () => {
      const path = example()
      const first = await cli([command, path, ...args])
      const before = readFileSync(path)
      const again = await cli([command, path, ...args])
      expect(first).toMatchObject({ exit: 0, notes: "" })
      expect(first.out.split("\n")).toHaveLength(2)
      expect(first.out).toContain(path)
      expect(again).toMatchObject({ exit: 0, notes: "", out: `${first.out.trimEnd()}, as before; nothing was written\n` })
      expect(json((await cli([command, path, ...args, "--json"])).out)).toMatchObject({ changed: false, ids: [], ...members })
      expect(readFileSync(path).equals(before)).toBe(true)
    })
  })
}

test("a change to an older file is refused without consent to its migration, and carries it out with it", async () => {
  const entry = String(jsonLines(text("test/fixtures/pi/v3-all-records.jsonl")).find(({ type }) => type === "message")?.["id"])
  for (const [command, ...args] of [["star"], ["label", entry, "x"]] as const) {
    const path = copyOf("pi/v3-all-records.jsonl")
    const before = readFileSync(path)
    const refused = await cli([command, path, ...args, "--json"])
    expect({ exit: refused.exit, error: json(refused.out)["error"] }).toMatchObject({
      exit: 6,
      error: { code: "consent.migration_needed", path },
    })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dirname(path))).toHaveLength(1)
    const { exit, out } = await cli([command, path, ...args, "--migrate", "--json"])
    expect({ exit, changed: json(out)["changed"] }).toEqual({ exit: 0, changed: true })
    expect(readFileSync(String(json(out)["backup"])).equals(before)).toBe(true)
    expect((await cli(["verify", path])).exit).toBe(0)
  }
})

describe("title", () => {
  test("takes the place of an automatic one with the same words, which is not the same", async () => {
    const path = copyOf("gjc/v5.jsonl")
    writeFileSync(path, `${text(path)}{"type":"header_patch","patch":{"title":"Same","titleSource":"auto"}}\n`)
    const before = text(path)
    expect(json((await cli(["title", path, "Same", "--json"])).out)).toMatchObject({ changed: true })
    expect(added(path, before)).toMatchObject([{ patch: { title: "Same", titleSource: "user" } }])
  })

  test("holds no secret, is told without it, and is the same when it is given again", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const secret = "vB7nQ2xT9kLm4Wz8Rp"
    const given = { environment: { DEPLOY_TOKEN: secret } }
    const words = `deploy with ${secret}`
    const first = await cli(["title", path, words], given)
    expect(first.out).toContain("[REDACTED")
    const again = await cli(["title", path, words, "--json"], given)
    expect(json(again.out)).toMatchObject({ changed: false })
    expect(`${text(path)}${first.out}${again.out}`).not.toContain(secret)
    expect((await show(path))["title"]).toContain("[REDACTED")
  })

  test("is shown with nothing in it that a terminal would obey", async () => {
    const { out } = await cli(["title", copyOf("gjc/v5.jsonl"), "a\u202eb\u001b[31m"])
    expect(out).toContain("the title is “a\\u202eb [31m”")
  })

  test("may not be empty, may begin with a dash behind --, and is one argument", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const before = readFileSync(path)
    for (const args of [[" \n"], [], ["two", "words"], ["--dash"]]) expect((await cli(["title", path, ...args])).exit).toBe(2)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect((await cli(["title", path, "--", "--dash"])).exit).toBe(0)
    expect((await show(path))["title"]).toBe("--dash")
  })
})

test("unstar takes the star away, and does nothing to a session that has none", async () => {
  const path = example()
  expect(json((await cli(["unstar", path, "--json"])).out)).toMatchObject({ changed: false, starred: false })
  await cli(["star", path])
  expect((await show(path))["starred"]).toBe(true)
  const before = text(path)
  expect(json((await cli(["unstar", path, "--json"])).out)).toMatchObject({ changed: true, starred: false })
  expect(added(path, before)).toEqual([{ type: "header_patch", patch: { starred: false } }])
})

describe("label", () => {
  test("takes the beginning of an id when no other id begins so", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const { out } = await cli(["label", path, "62e", "first", "--json"])
    expect(json(out)).toMatchObject({ target: "62ebe796", label: "first", changed: true })
    expect((await show(path))["labels"]).toEqual({ b0d6daf4: "good", "62ebe796": "first" })
  })

  test("lists what an ambiguous one could mean, and writes nothing", async () => {
    const path = copyOf("gjc/v5.jsonl")
    const before = readFileSync(path)
    const { exit, out, notes } = await cli(["label", path, "6", "x"])
    expect({ exit, out }).toEqual({ exit: 3, out: "" })
    expect(notes).toBe(`✗ 4 ids begin with 6:
  682b2405  thinking  high
  62ebe796  user  add a test [image]
  6f27e12d  user  third
  6d3d0da8  compaction  short
  safe  The command wrote nothing; the session is as it was.
  next  Give more of the id; annals tree ${path} --all shows all entries.
  code  tree.ambiguous_id
`)
    expect(json((await cli(["label", path, "6", "x", "--json"])).out)["error"]).toMatchObject({
      code: "tree.ambiguous_id",
      path,
      candidates: ["682b2405", "62ebe796", "6f27e12d", "6d3d0da8"],
    })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test("takes a whole id for itself, also when another one begins with it", async () => {
    const path = join(folder(), "s.jsonl")
    const entry = (id: string, parentId: string | null) =>
      JSON.stringify({ type: "custom", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", customType: "x" })
    const header = { type: "session", version: 5, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" }
    const many = Array.from({ length: 8 }, (_, n) => entry(`a${n}`, "a"))
    writeFileSync(path, `${[JSON.stringify(header), entry("a", null), ...many].join("\n")}\n`)
    expect(json((await cli(["label", path, "a", "x", "--json"])).out)).toMatchObject({ target: "a", changed: true })
    expect((await cli(["context", path, "--leaf", "a"])).exit).toBe(0)
  })

  test("of more candidates than can be listed says how many there are", async () => {
    const path = copyOf(gluedSession)
    await cli(["migrate", path, "--yes"])
    const ids = jsonLines((await cli(["tree", path, "--jsonl"])).out).map(({ id }) => String(id))
    const first = (ids[0] ?? "").slice(0, 1)
    const found = ids.filter((id) => id.startsWith(first))
    expect(found.length).toBeGreaterThan(5)
    const { exit, notes } = await cli(["label", path, first])
    expect(exit).toBe(3)
    expect(notes).toContain(`${found.length} ids begin with ${first}:\n`)
    for (const id of found.slice(0, 5)) expect(notes).toContain(`\n  ${id}  `)
    expect(notes).toContain(`\n  … and ${found.length - 5} more\n`)
  })

  test("exits 3 for an entry that is not there", async () => {
    const path = copyOf("gjc/v5.jsonl")
    for (const id of ["nowhere", "62ebe7960", ""]) {
      const { exit, out } = await cli(["label", path, id, "x", "--json"])
      expect({ exit, error: json(out)["error"] }).toMatchObject({ exit: 3, error: { code: "tree.unknown_target", path } })
    }
  })

  test("clears with an empty text as it does without one", async () => {
    const path = copyOf("gjc/v5.jsonl")
    expect(json((await cli(["label", path, "b0d6daf4", "", "--json"])).out)).toMatchObject({ changed: true })
    expect((await show(path))["labels"]).toEqual({})
    expect(json((await cli(["label", path, "b0d6daf4", "--json"])).out)).toMatchObject({ changed: false })
  })
})

test("a change to another agent's own file goes into a fork in our store, when there is one", async () => {
  const home = folder()
  const path = join(home, ".pi", "s.jsonl")
  mkdirSync(dirname(path))
  writeFileSync(path, text("test/fixtures/pi/v3-fork.jsonl"))
  const before = readFileSync(path)
  const given = { environment: { ANNALS_HOME: join(home, "store") } }
  const nothing = json((await cli(["unstar", path, "--migrate", "--json"], given)).out)
  expect(nothing).toEqual({ schemaVersion: 1, id: (await show(path))["id"], path, changed: false, ids: [], starred: false })
  const something = json((await cli(["star", path, "--migrate", "--json"], given)).out)
  expect(something).toMatchObject({ changed: true, forkedFrom: path })
  expect(dirname(String(something["path"]))).toBe(join(home, "store", "sessions"))
  expect(await show(String(something["path"]))).toMatchObject({ id: something["id"], starred: true })
  expect(something["id"]).not.toBe(nothing["id"])
  const { notes } = await cli(["star", path, "--migrate"], given)
  expect(notes).toContain("stays as it is; the session goes on in")
  expect(readFileSync(path).equals(before)).toBe(true)
})

test("a change tells what else became of the file", async () => {
  const torn = copyOf("gjc/v5.jsonl")
  const whole = text(torn)
  writeFileSync(torn, `${whole}{"type":"mess`)
  const { notes } = await cli(["title", torn, "x"])
  expect(notes).toContain(`A torn tail was put aside first: 13 bytes at byte ${whole.length.toLocaleString("en-US")}`)
  expect(added(torn, whole)).toHaveLength(1)
  const old = copyOf("pi/v3-fork.jsonl")
  const migrated = await cli(["star", old, "--migrate"])
  expect(migrated.notes).toBe(`${old} was rewritten to version 5 first; the old file is kept as ${old}.v3.bak\n`)
})

test("what is so already puts no torn tail aside and carries out no migration", async () => {
  const torn = copyOf("gjc/v5.jsonl")
  writeFileSync(torn, `${text(torn)}{"type":"mess`)
  const old = copyOf("pi/v3-fork.jsonl")
  for (const [path, args] of [
    [torn, ["label", torn, "b0d6daf4", "good"]],
    [old, ["unstar", old, "--migrate"]],
  ] as const) {
    const before = readFileSync(path)
    expect(await cli(args)).toMatchObject({ exit: 0, notes: "" })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(existsSync(`${path}.v3.bak`)).toBe(false)
  }
})
