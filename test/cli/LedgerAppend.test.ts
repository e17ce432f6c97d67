import { existsSync, readFileSync, realpathSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { cli, copyOf, folder, json, jsonLines, ledgerProject, spawned, start } from "./Cli.ts"

const MAIN = "garuda/20260923-201500-a1b2.jsonl"
const TORN = "garuda/20260923-210000-torn.jsonl"

const records = (path: string): ReadonlyArray<Record<string, unknown>> => jsonLines(readFileSync(path, "utf8"))

const typesOf = (path: string): ReadonlyArray<unknown> => records(path).map(({ type }) => type)

const lines = (...commands: ReadonlyArray<object | string>): string =>
  commands.map((command) => `${typeof command === "string" ? command : JSON.stringify(command)}\n`).join("")

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 }
const calling = (...ids: ReadonlyArray<string>) => ({
  do: "assistant",
  step: 1,
  response: {
    content: ids.map((id) => ({ type: "tool_use", id, name: "bash", input: {} })),
    stopReason: "tool_use",
    usage,
  },
  costUsd: 0.25,
})

const create = (path: string, input: string, more: ReadonlyArray<string> = [], environment = {}) =>
  cli(["append", path, "--create", "--format", "ledger", "--cwd", "/w", "--model", "m1", ...more], { input, environment })

const fresh = (): string => join(folder(), "20260101-000000-abcd.jsonl")

const codeOf = (out: string): string => (json(out)["error"] as { code: string }).code

/** Every command that a ledger takes, in an order in which each writes something. */
const everything: ReadonlyArray<readonly [command: object, written: ReadonlyArray<string>]> = [
  [{ do: "thinking", choice: "high" }, ["thinking"]],
  [{ do: "snapshot", tree: "t1", prompt: "do it", durationMs: 3 }, ["snapshot"]],
  [{ do: "user", text: "do it", notes: ["n"], attachments: ["a"] }, ["user"]],
  [{ do: "reserve", requestId: "r1", tokens: 100 }, ["reserve"]],
  [{ ...calling("c1", "c2"), requestId: "r1" }, ["assistant"]],
  [
    {
      do: "toolResults",
      results: [{ toolUseId: "c1", content: "ok", isError: false }],
      calls: [{ toolUseId: "c1", name: "bash", durationMs: 1 }],
    },
    ["tool_results"],
  ],
  [{ do: "closeOpenToolCalls" }, ["tool_results"]],
  [{ do: "continue", text: "go on", maxTokens: 32_000 }, ["continue"]],
  [{ do: "unreported", tokens: 7 }, ["unreported"]],
  [{ do: "childDebit", childSessionId: "explore-c1", tokens: 9 }, ["child_debit"]],
  [{ do: "sideUsage", purpose: "review", usage, costUsd: 0.1 }, ["side_usage"]],
  [{ do: "end", stopReason: "done", steps: 1 }, ["end"]],
  [{ do: "undo", after: "t2" }, ["undo"]],
  [{ do: "redo" }, ["redo"]],
  [
    {
      do: "compact",
      stage: "trim",
      beforeTokens: 9,
      afterTokens: 5,
      messages: [{ role: "user", content: [{ type: "text", text: "s" }] }],
    },
    ["compaction"],
  ],
  [{ do: "model", model: "m2" }, ["model"]],
  [{ do: "title", title: "A title" }, ["title"]],
  [{ do: "resume" }, ["resume"]],
]

describe("append to a ledger", () => {
  test("takes every command, and answers with the types of the records", async () => {
    const path = fresh()
    const { exit, out, notes } = await create(path, lines(...everything.map(([command]) => command)))
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(jsonLines(out)).toEqual(
      everything.map(([, written], at) => ({ n: at + 1, ids: [], level: "synced", records: written })),
    )
    expect(typesOf(path)).toEqual(["start", ...everything.flatMap(([, written]) => written)])
    expect(json((await cli(["show", path, "--json"])).out)).toMatchObject({
      id: "20260101-000000-abcd",
      title: "A title",
      cwd: "/w",
      model: "m2",
      thinking: "high",
      cost: { usd: 0.35, incomplete: true },
      unreportedTokens: 7,
      childDebits: { "explore-c1": 9 },
      reservations: {},
      damage: [],
    })
  })

  test("says why a command was rejected, and the rest goes on", async () => {
    const path = copyOf(MAIN)
    const before = readFileSync(path, "utf8")
    const input = lines(
      "not json",
      { do: "nonsense" },
      { do: "message", message: {} },
      { do: "start", sessionId: "x", root: "/", model: "m" },
      { do: "toolResults", results: [{ toolUseId: "nobody", content: "x" }], calls: [] },
      { do: "redo" },
      { do: "user", text: "last" },
    )
    const { exit, out, notes } = await cli(["append", path], { input })
    expect(exit).toBe(0)
    expect(jsonLines(out).map(({ n, error, records }) => [n, (error as { code: string } | undefined)?.code ?? records])).toEqual([
      [1, "input.not_json"],
      [2, "ledger.invalid_command"],
      [3, "ledger.invalid_command"],
      [4, "ledger.already_started"],
      [5, "ledger.unknown_call"],
      [6, []],
      [7, ["user"]],
    ])
    expect(notes).toBe("5 commands rejected, 2 carried out\n")
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true)
    expect(records(path).length).toBe(23)
  })

  test("puts a torn tail aside first, and says so", async () => {
    const path = copyOf(TORN)
    const { exit, notes } = await cli(["append", path], { input: lines({ do: "user", text: "on" }) })
    expect({ exit, notes }).toEqual({ exit: 0, notes: "The first command puts a torn tail aside: 32 bytes at byte 4,994\n" })
    expect(typesOf(path).slice(-2)).toEqual(["tool_results", "user"])
    expect(readFileSync(`${path}.quarantine-4994-5026`, "utf8")).toBe('{"t":"2026-09-23T20:17:01.000Z",')
  })

  test("acknowledges at the level that is asked for", async () => {
    for (const level of ["accepted", "written"]) {
      const { out } = await cli(["append", copyOf(MAIN), "--level", level], { input: lines({ do: "user", text: "on" }) })
      expect(jsonLines(out)).toEqual([{ n: 1, ids: [], level, records: ["user"] }])
    }
  })

  test("changes nothing without a command", async () => {
    const path = copyOf(TORN)
    const before = readFileSync(path)
    expect(await cli(["append", path], { input: "" })).toMatchObject({ exit: 0, out: "" })
    expect(readFileSync(path)).toEqual(before)
  })

  test("keeps a session private where a project keeps its sessions", async () => {
    const { path, sessions } = ledgerProject()
    await cli(["append", path], { input: lines({ do: "user", text: "on" }) })
    expect([statSync(sessions).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600])
  })
})

describe("append --create of a ledger", () => {
  test("begins with a start record, its root without links, its folder made", async () => {
    const real = folder()
    const link = join(folder(), "link")
    symlinkSync(real, link)
    const path = join(real, ".garuda", "sessions", "new.jsonl")
    const { exit, out } = await cli(["append", path, "--create", "--format", "ledger", "--cwd", "link", "--model", "m1"], {
      input: lines({ do: "user", text: "hi" }),
      directory: dirname(link),
    })
    expect({ exit, out }).toEqual({ exit: 0, out: '{"n":1,"ids":[],"level":"synced","records":["user"]}\n' })
    expect(records(path)[0]).toMatchObject({ type: "start", sessionId: "new", root: realpathSync(real), model: "m1" })
  })

  test("makes no file when no command is carried out", async () => {
    const path = fresh()
    const { exit, notes } = await create(path, lines({ do: "nonsense" }))
    expect({ exit, told: notes.includes("no session was begun") }).toEqual({ exit: 0, told: true })
    expect(existsSync(path)).toBe(false)
  })

  test("never replaces a file, an empty one neither", async () => {
    const empty = fresh()
    writeFileSync(empty, "")
    for (const path of [copyOf(MAIN), empty]) {
      const { exit, out } = await create(path, lines({ do: "user", text: "x" }), ["--json"])
      expect({ exit, code: codeOf(out) }).toEqual({ exit: 6, code: "open.exists" })
    }
  })

  test("is a tree unless a ledger is asked for", async () => {
    const path = fresh()
    await cli(["append", path, "--create", "--cwd", "/w"], { input: lines({ do: "star", on: true }) })
    expect(records(path)[0]).toMatchObject({ type: "session", version: 5 })
  })

  test("lets no secret of the environment out", async () => {
    const path = fresh()
    const secret = ["hunter", "Zq81", "xkTT", "90aa"].join("")
    const environment = { DEPLOY_TOKEN: secret }
    const { out, notes } = await create(path, lines({ do: "user", text: `use ${secret}` }, { do: secret }), [], environment)
    const shown = await cli(["show", path], { environment })
    const titled = await cli(["title", path, `my ${secret}`], { environment })
    const listed = await cli(["list", "--dir", dirname(path)], { environment })
    expect([out, notes, shown.out, titled.out, listed.out, readFileSync(path, "utf8")].join("")).not.toContain(secret)
    expect(readFileSync(path, "utf8")).toContain("[REDACTED:")
  })
})

describe("append --resume", () => {
  const left = async (): Promise<string> => {
    const path = fresh()
    await create(path, lines({ do: "user", text: "go" }, { do: "reserve", requestId: "r9", tokens: 50 }, calling("c1")))
    return path
  }

  test("writes the resume before any command, and names what it repairs", async () => {
    const path = await left()
    const { exit, out, notes } = await cli(["append", path, "--resume"], { input: "" })
    expect({ exit, out }).toEqual({ exit: 0, out: "" })
    expect(notes).toBe(
      `${path} is resumed\n` +
        "repaired: 50 tokens charged that were set aside for a request that never settled\n" +
        "repaired: 1 open call closed as interrupted\n",
    )
    expect(typesOf(path).slice(-3)).toEqual(["resume", "unreported", "tool_results"])
    const again = await cli(["append", path, "--resume"], { input: lines({ do: "user", text: "on" }) })
    expect(again.notes).toBe(`${path} is resumed\n`)
    expect(typesOf(path).slice(-2)).toEqual(["resume", "user"])
  })

  test("puts a torn tail aside, and goes on with another model when it is told to", async () => {
    const path = copyOf(TORN)
    const { notes } = await cli(["append", path, "--resume", "--model", "m9"], { input: "" })
    expect(notes).toContain("A torn tail was put aside first: 32 bytes at byte 4,994\n")
    expect(records(path).at(-1)).toMatchObject({ type: "resume", model: "m9", root: "/home/dev/project" })
  })

  test("without it the session goes on as it is, open calls closed before new words", async () => {
    const path = await left()
    const { out } = await cli(["append", path], { input: lines({ do: "user", text: "on" }) })
    expect(jsonLines(out)).toEqual([{ n: 1, ids: [], level: "synced", records: ["tool_results", "user"] }])
    expect(typesOf(path)).not.toContain("resume")
  })
})

test("append says what does not go together", async () => {
  const ledger = copyOf(MAIN)
  const tree = copyOf("gjc/v5.jsonl")
  const odd = join(folder(), "my session.jsonl")
  const bare = join(folder(), "session")
  const asked = ["--create", "--cwd", "/w", "--format", "ledger"]
  for (const [args, said] of [
    [[fresh(), ...asked], "needs --model"],
    [[odd, ...asked, "--model", "m"], "named by its id"],
    [[bare, ...asked, "--model", "m"], "named by its id"],
    [[fresh(), ...asked, "--model", "m", "--resume"], "do not go together"],
    [[fresh(), "--create", "--cwd", "/w", "--model", "m"], "--model is for ledger sessions"],
    [[ledger, "--model", "m"], "--model belongs to --create and --resume"],
    [[tree, "--resume"], "--resume is for ledger sessions"],
    [[tree, "--resume", "--model", "m"], "--resume is for ledger sessions"],
  ] as const) {
    const { exit, out } = await cli(["append", ...args, "--json"])
    const { code, message } = json(out)["error"] as Record<string, string>
    expect({ exit, code }).toEqual({ exit: 2, code: "usage.invalid" })
    expect(message).toContain(said)
  }
})

describe("title of a ledger", () => {
  test("appends a record, and the file keeps its time", async () => {
    const { path } = ledgerProject()
    const time = new Date("2026-09-23T21:00:00.000Z")
    utimesSync(path, time, time)
    const { exit, out, notes } = await cli(["title", path, " A \u0007 new\n title ", "--json"])
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(json(out)).toEqual({
      schemaVersion: 1,
      id: "20260923-201500-a1b2",
      path,
      changed: true,
      ids: [],
      title: "A new title",
    })
    expect(records(path).at(-1)).toMatchObject({ type: "title", title: "A new title" })
    expect(statSync(path).mtime).toEqual(time)
  })

  test("writes nothing when it is so already", async () => {
    const path = copyOf(MAIN)
    const before = readFileSync(path)
    const { out } = await cli(["title", path, "Flaky test"])
    expect(out).toBe(`✓ ${path}: the title is “Flaky test”, as before; nothing was written\n`)
    expect(json((await cli(["title", path, "Flaky test", "--json"])).out)).toMatchObject({ changed: false })
    expect(readFileSync(path)).toEqual(before)
  })

  test("must not be empty", async () => {
    const { exit, out } = await cli(["title", copyOf(MAIN), "  ", "--json"])
    expect({ exit, code: codeOf(out) }).toEqual({ exit: 2, code: "ledger.invalid_command" })
  })
})

describe("a ledger in use", () => {
  test("is kept from a second writer, and can be read", async () => {
    const path = copyOf(MAIN)
    const first = start(["append", path])
    first.child.stdin.write(lines({ do: "user", text: "one" }))
    await first.lines(1)
    for (const args of [
      ["append", path],
      ["append", path, "--resume"],
      ["title", path, "x"],
      ["rm", path, "--yes"],
    ]) {
      const { exit, out } = await cli([...args, "--json"], { input: lines({ do: "user", text: "two" }) })
      expect({ exit, code: codeOf(out) }).toEqual({ exit: 4, code: "lease.held" })
    }
    expect((await cli(["show", path])).exit).toBe(0)
    first.child.kill("SIGTERM")
    const { exit, out } = await first.ended
    expect({ exit, out }).toEqual({ exit: 130, out: '{"n":1,"ids":[],"level":"synced","records":["user"]}\n' })
    expect(typesOf(path).at(-1)).toBe("user")
  })
})

test("a ledger is begun, resumed and shown in processes of their own, without a secret in sight", async () => {
  const path = fresh()
  const secret = ["pw", "Ax7", "kkQ92", "zzT41"].join("-")
  const environment = { MY_API_KEY: secret }
  const asked = ["--create", "--format", "ledger", "--cwd", dirname(path), "--model", "m1"]
  const begun = await spawned(["append", path, ...asked], {
    input: lines({ do: "user", text: `the key is ${secret}` }, calling("c1")),
    environment,
  })
  expect(begun).toMatchObject({ exit: 0, notes: "" })
  const resumed = await spawned(["append", path, "--resume"], {
    input: lines({ do: "end", stopReason: "done", steps: 1 }),
    environment,
  })
  expect(resumed.notes).toContain("repaired: 1 open call closed as interrupted")
  const shown = await spawned(["show", path, "--json"], { environment })
  expect(json(shown.out)).toMatchObject({ format: "ledger", counts: { messages: 3 }, cost: { usd: 0.25, incomplete: false } })
  for (const { out, notes } of [begun, resumed, shown]) expect(`${out}${notes}`).not.toContain(secret)
  expect(readFileSync(path, "utf8")).not.toContain(secret)
})
