import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Option from "effect/Option"
import { describe, expect, test } from "vitest"
import { replay } from "../../src/cli/Replay.ts"
import { show } from "../../src/cli/Show.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { evolve } from "../../src/ledger/Evolution.ts"
import { initial } from "../../src/ledger/State.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import { ledgerStateJson } from "../../src/view/LedgerStateJson.ts"
import { cli, copyOf, folder, json, jsonLines, ledgerProject, onDisk } from "./Cli.ts"

const MAIN = "garuda/20260923-201500-a1b2.jsonl"
const TORN = "garuda/20260923-210000-torn.jsonl"

const at = (second: number): string => `2026-09-23T20:15:${String(second).padStart(2, "0")}.000Z`

const start = { t: at(0), type: "start", sessionId: "s", root: "/w", model: "m1" }
const user = (text: string, second = 1) => ({
  t: at(second),
  type: "user",
  message: { role: "user", content: [{ type: "text", text }] },
})
const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 }
const answer = (content: ReadonlyArray<object>, more: object = {}, second = 2) => ({
  t: at(second),
  type: "assistant",
  step: 1,
  response: { content, stopReason: "tool_use", usage },
  ...more,
})
const call = (id: string) => ({ type: "tool_use", id, name: "bash", input: { command: "ls" } })

/** A ledger session of these records. */
const ledger = (...records: ReadonlyArray<object | string>): string => {
  const path = join(folder(), "s.jsonl")
  writeFileSync(path, records.map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`).join(""))
  return path
}

const codeOf = (out: string): string => (json(out)["error"] as { code: string }).code

describe("show", () => {
  test("tells a program what a ledger is, in one shape with a tree", async () => {
    const { path, child } = ledgerProject()
    const { exit, out, notes } = await cli(["show", path, "--json"])
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(json(out)).toEqual({
      schemaVersion: 1,
      path,
      format: "ledger",
      version: null,
      writtenBy: "0.14.0",
      id: "20260923-201500-a1b2",
      title: "Flaky test",
      cwd: "/home/dev/project",
      created: "2026-09-23T20:15:00.000Z",
      modified: "2026-09-23T20:17:00.000Z",
      model: "gpt-5",
      thinking: null,
      limits: { maxSteps: 50, tokenBudget: 1_000_000, contextWindow: 200_000 },
      bytes: 5_063,
      counts: {
        records: 22,
        entries: 5,
        messages: 5,
        turns: 3,
        children: 1,
        byType: {
          start: 1,
          snapshot: 2,
          user: 3,
          assistant: 5,
          tool_results: 3,
          end: 2,
          undo: 1,
          redo: 1,
          compaction: 1,
          model: 1,
          resume: 1,
          title: 1,
        },
        byRole: { user: 3, assistant: 2 },
      },
      context: { messages: 5, bytes: 482, tokens: 420 },
      openToolCalls: [],
      undo: { undoable: 2, redoable: 0 },
      usage: { input: 162_640, output: 466, cacheRead: 6_300, cacheWrite: 810 },
      budget: { used: 170_216, limit: 1_000_000 },
      cost: { incomplete: false },
      unreportedTokens: 0,
      childDebits: {},
      reservations: {},
      children: [{ id: "explore-call_2", path: child, size: 723 }],
      damage: [],
    })
  })

  test("tells a person all of what counts against the budget, what is open and what the cost is", async () => {
    const path = ledger(
      start,
      { t: at(0), type: "thinking", choice: "xhigh" },
      user("list\u001b[31m it\nplease"),
      answer([call("c1"), call("c2")], { costUsd: 0.5 }),
      { t: at(3), type: "reserve", requestId: "r1", tokens: 4_000 },
      { t: at(3), type: "unreported", tokens: 700 },
      { t: at(3), type: "child_debit", childSessionId: "explore-c1", tokens: 300 },
      { t: at(3), type: "of_the_future", text: "x" },
    )
    const { exit, out, notes } = await cli(["show", path])
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    for (const line of [
      "list\\x1b[31m it",
      "  folder   /w",
      "  model    m1, thinking xhigh",
      "  turns    1 prompt, 2 messages: 1 user, 1 assistant",
      "  usage    10 in · 5 out · 0 cache read · 0 cache written",
      "  budget   1.0k tokens used, 4.0k set aside for requests under way",
      "           The budget also counts 700 tokens reserved by requests that reported no usage and 300 tokens of subagents that have not reported yet.",
      "  cost     ≥ $0.50  (incomplete)",
      "  pending  explore-c1  has spent 300 tokens and not reported yet",
      "  open     bash  c1  has no result yet",
      "           bash  c2  has no result yet",
    ]) {
      expect(out.split("\n")).toContain(line)
    }
    const shown = json((await cli(["show", path, "--json"])).out)
    expect(shown).toMatchObject({
      thinking: "xhigh",
      openToolCalls: [
        { callId: "c1", name: "bash" },
        { callId: "c2", name: "bash" },
      ],
      budget: { used: 1_015 },
      cost: { usd: 0.5, incomplete: true },
      unreportedTokens: 700,
      childDebits: { "explore-c1": 300 },
      reservations: { r1: 4_000 },
    })
  })

  test("counts what can be undone and put back", async () => {
    const point = { t: at(1), type: "snapshot", tree: "a", messages: 0, prompt: "p", durationMs: 1 }
    const path = ledger(start, point, user("p"), { ...point, messages: 1 }, user("q"), { t: at(5), type: "undo", after: "b" })
    expect((await cli(["show", path])).out).toContain("  undo     1 turn can be undone, 1 turn can be put back\n")
  })

  test("lists damage, and says in a note that there is some when a program asks", async () => {
    const path = copyOf(TORN)
    expect((await cli(["show", path])).out).toContain("line 22  byte 4,994  32 bytes  torn-tail")
    const { exit, out, notes } = await cli(["show", path, "--json"])
    expect({ exit, note: notes.includes("1 damage: 1 torn-tail") }).toEqual({ exit: 0, note: true })
    expect(json(out)["damage"]).toEqual([{ line: 22, offset: 4_994, length: 32, kind: "torn-tail" }])
  })

  test("names a session by its file when no record says, and takes the word of who knows better", async () => {
    const path = ledger(user("hi"))
    expect(json((await cli(["show", path, "--json"])).out)).toMatchObject({ id: "s", cwd: null, model: null, title: "hi" })
    const other = ledger('{"a":1}', '{"b":2}')
    expect(codeOf((await cli(["show", other, "--json"])).out)).toBe("format.not_a_session")
    const forced = json((await cli(["show", other, "--json", "--format", "ledger"])).out)
    expect(forced).toMatchObject({ format: "ledger", title: null, counts: { records: 2, messages: 0, byType: { "": 2 } } })
    expect(codeOf((await cli(["show", copyOf(MAIN), "--json", "--format", "tree"])).out)).toBe("format.is_ledger")
  })

  test("is not kept from it by what lies in the place of the folder of subagents", async () => {
    const { path, child } = ledgerProject()
    rmSync(dirname(child), { recursive: true })
    writeFileSync(dirname(child), "no folder")
    expect(json((await cli(["show", path, "--json"])).out)).toMatchObject({ children: [], counts: { children: 0 } })
  })
})

describe("context", () => {
  test("is what a resume hands on, and says what a resume repairs", async () => {
    const path = ledger(start, user("go"), answer([{ type: "text", text: "I look." }, call("c1")]))
    const before = readFileSync(path)
    const { exit, out, notes } = await cli(["context", path, "--json"])
    expect(exit).toBe(0)
    expect(notes).toContain("a resume repairs this: 1 open call closed as interrupted")
    const { messages, repairs } = json(out) as { messages: ReadonlyArray<JsonObject>; repairs: unknown }
    expect(repairs).toEqual([{ kind: "open-call-closed", count: 1 }])
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(messages[2]).toMatchObject({ content: [{ type: "tool_result", toolUseId: "c1", isError: true }] })
    expect(jsonLines((await cli(["context", path, "--jsonl"])).out)).toEqual(messages)
    const text = (await cli(["context", path])).out
    expect(text).toContain("3 messages, ")
    expect(text).toContain('2. assistant\n  I look.\n  → bash\n  {"command":"ls"}\n')
    expect(text).toContain("3. user\n  ← c1, failed\n")
    expect(readFileSync(path)).toEqual(before)
    await cli(["append", path, "--resume"], { input: "" })
    expect(jsonLines((await cli(["context", path, "--jsonl"])).out)).toEqual(messages)
  })

  test("is that of the corpus, nothing to repair", async () => {
    const { exit, out, notes } = await cli(["context", copyOf(MAIN), "--json"])
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(json(out)["repairs"]).toEqual([])
    expect(json(out)["messages"]).toHaveLength(5)
  })

  test("shows every kind of block", async () => {
    const content = [
      { type: "thinking", text: "hm", wire: { type: "thinking", thinking: "hm", signature: "x" } },
      { type: "thinking", text: "", wire: { type: "redacted_thinking", data: "x" } },
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" }, wire: {} },
      { type: "server_tool_result", toolUseId: "s1", name: "web_search", results: [{ title: "T", url: "u" }], wire: {} },
      { type: "of_the_future" },
    ]
    const { out } = await cli(["context", ledger(start, user("go"), answer(content))])
    for (const line of [
      "thinking",
      "thinking (not readable)",
      "→ web_search (by the provider)",
      "← web_search: 1 result",
      "[of_the_future]",
    ]) {
      expect(out).toContain(`\n  ${line}\n`)
    }
  })

  test("names what is repaired in the middle, and needs no start record", async () => {
    const result = { type: "tool_result", toolUseId: "gone", content: "x", isError: false }
    const stray = { t: at(4), type: "tool_results", message: { role: "user", content: [result] }, calls: [] }
    const { notes } = await cli(["context", ledger(user("go"), answer([call("c1")]), user("more", 3), stray)])
    expect(notes).toContain("1 call without a result in the middle answered as interrupted")
    expect(notes).toContain("1 block that answers no call")
  })

  test("has no leaf", async () => {
    const { exit, out } = await cli(["context", copyOf(MAIN), "--leaf", "none", "--json"])
    expect({ exit, code: codeOf(out) }).toEqual({ exit: 2, code: "usage.invalid" })
  })
})

const stateAfter = (records: ReadonlyArray<JsonObject>): JsonObject =>
  JSON.parse(JSON.stringify({ schemaVersion: 1, ...ledgerStateJson(records.reduce(evolve, initial)) })) as JsonObject

describe("replay", () => {
  test("gives the state of the fold after every number of records, in one order of members", async () => {
    const path = copyOf(MAIN)
    const records = jsonLines(readFileSync(path, "utf8")) as ReadonlyArray<JsonObject>
    const whole = (await cli(["replay", path, "--json"])).out
    expect(JSON.stringify(JSON.parse(whole))).toBe(JSON.stringify(stateAfter(records)))
    for (let n = 0; n <= records.length; n++) {
      const { exit, out, notes } = await cli(["replay", path, "--json", "--at", String(n)])
      expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
      expect(json(out)).toEqual(stateAfter(records.slice(0, n)))
    }
    const text = (await cli(["replay", path])).out
    expect(JSON.stringify({ schemaVersion: 1, ...JSON.parse(text) })).toBe(JSON.stringify(JSON.parse(whole)))
    expect(text.split("\n").filter((line) => line.startsWith('    {"id":'))).toHaveLength(5)
  })

  test("reads no further than it must", async () => {
    const path = ledger(start, ...Array.from({ length: 2_000 }, (_, n) => user(`${n} ${"x".repeat(1_000)}`)))
    let furthest = 0
    const disk: Disk = {
      ...nodeDisk,
      read: (handle, into, position) => {
        const count = nodeDisk.read(handle, into, position)
        furthest = Math.max(furthest, position + count)
        return count
      },
    }
    const input = { file: path, at: Option.some(3), runs: false, json: true, format: Option.none() }
    const { out } = await onDisk(disk, replay(input))
    expect(json(out)).toMatchObject({ records: 3, turns: 2 })
    expect(furthest).toBe(1 << 20)
    expect(statSync(path).size).toBeGreaterThan(2 << 20)
  })

  test("does not count what is not there, and finds no file that is missing", async () => {
    const { exit, out } = await cli(["replay", copyOf(MAIN), "--at", "23", "--json"])
    expect({ exit, code: codeOf(out) }).toEqual({ exit: 2, code: "usage.invalid" })
    expect((json(out)["error"] as { message: string }).message).toContain("22 records")
    const none = await cli(["replay", join(folder(), "none.jsonl"), "--at", "0", "--format", "ledger", "--json"])
    expect({ exit: none.exit, code: codeOf(none.out) }).toEqual({ exit: 3, code: "read.not_found" })
  })

  test("notes the damage among the records that it replays", async () => {
    const path = ledger(start, "garbage", user("one"), { t: at(3), type: "user" })
    expect((await cli(["replay", path, "--at", "1"])).notes).toBe("")
    expect((await cli(["replay", path, "--at", "2"])).notes).toContain("1 damage: 1 not-json")
    expect((await cli(["replay", path, "--at", "3"])).notes).toContain("2 damages: 1 not-json, 1 unusable-record")
  })
})

const end = (stopReason: string, steps: number) => ({ t: at(9), type: "end", stopReason, steps })
const done = (text: string) => ({
  t: at(5),
  type: "assistant",
  step: 2,
  response: { content: [{ type: "text", text }], stopReason: "end_turn", usage },
})
const results = (id: string) => ({
  t: at(4),
  type: "tool_results",
  message: { role: "user", content: [{ type: "tool_result", toolUseId: id, content: "a.ts", isError: false }] },
  calls: [{ toolUseId: id, name: "bash", durationMs: 3 }],
})

describe("replay --runs", () => {
  const run = [user("go"), answer([call("c1")]), results("c1"), done("it is a.ts")]

  test("finds a run as it was recorded", async () => {
    const path = ledger(start, ...run, end("done", 2))
    const { exit, out, notes } = await cli(["replay", path, "--runs"])
    expect({ exit, notes }).toEqual({ exit: 0, notes: "" })
    expect(out).toBe(`✓ ${path}: 1 run replayed, 2 steps, 1 tool call; all as recorded\n`)
    expect(json((await cli(["replay", path, "--runs", "--json"])).out)).toEqual({
      schemaVersion: 1,
      path,
      matches: true,
      runs: 1,
      steps: 2,
      toolCalls: 1,
      problems: [],
    })
  })

  test("names the run that differs and how, and exits 5", async () => {
    const path = ledger(start, ...run, end("done", 2), ...run, end("max_steps", 3))
    const { exit, out } = await cli(["replay", path, "--runs"])
    expect(exit).toBe(5)
    expect(out).toContain("2 differences")
    expect(out).toContain("  run 2 stops for another reason\n      recorded  max_steps\n      replayed  done\n")
    expect(out).toContain("  run 2 takes another number of steps\n      recorded  3\n      replayed  2\n")
    const program = await cli(["replay", path, "--runs", "--json"])
    expect(program.exit).toBe(5)
    expect(json(program.out)).toMatchObject({
      matches: false,
      problems: [{ run: 2, what: "stop-reason", expected: "max_steps", actual: "done" }, { what: "steps" }],
    })
  })

  test("says of a run that did not finish that it was not replayed", async () => {
    const { exit, out } = await cli(["replay", copyOf(MAIN), "--runs"])
    expect(exit).toBe(5)
    expect(out).toContain(
      "2 runs replayed, 4 steps, 3 tool calls; 1 difference\n  run 3 did not finish, so it was not replayed\n",
    )
  })

  test("is for whole ledgers", async () => {
    for (const args of [
      [copyOf("gjc/v5.jsonl"), "--runs"],
      [copyOf(MAIN), "--runs", "--at", "3"],
    ]) {
      const { exit, out } = await cli(["replay", ...args, "--json"])
      expect({ exit, code: codeOf(out) }).toEqual({ exit: 2, code: "usage.invalid" })
    }
  })
})

describe("verify", () => {
  test("judges a ledger by its records too", async () => {
    const twice = answer([{ type: "text", text: "x" }], { requestId: "r1" })
    const path = ledger(start, user("go"), twice, twice, { t: at(6), type: "user" }, { t: at(7), type: "of_the_future" })
    const { exit, out } = await cli(["verify", path, "--json"])
    expect(exit).toBe(5)
    expect(json(out)["files"]).toMatchObject([
      {
        format: "ledger",
        version: null,
        records: 6,
        entries: 2,
        damage: [
          { line: 4, kind: "duplicate-record" },
          { line: 5, kind: "unusable-record" },
        ],
        ok: false,
      },
    ])
  })

  test("recommends no repair that would do nothing", async () => {
    const twice = answer([{ type: "text", text: "x" }], { requestId: "r1" })
    const path = ledger(start, user("go"), twice, twice)
    const { exit, out, notes } = await cli(["verify", path])
    expect({ exit, notes, told: out.includes("duplicate-record") }).toEqual({ exit: 5, notes: "", told: true })
    expect((await cli(["repair", path])).out).toContain("nothing to repair")
  })

  test("finds the corpus as it is", async () => {
    const { path, child, sessions } = ledgerProject()
    const { exit, out } = await cli(["verify", path, child, join(sessions, "20260923-210000-torn.jsonl"), "--json"])
    expect(exit).toBe(5)
    const files = json(out)["files"] as ReadonlyArray<JsonObject>
    expect(files.map(({ records, entries, ok }) => [records, entries, ok])).toEqual([
      [22, 5, true],
      [4, 2, true],
      [21, 5, false],
    ])
  })
})

describe("commands for what only a tree has", () => {
  const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, instead: string]> = [
    [["tree"], "annals context FILE"],
    [["star"], "annals title FILE TEXT"],
    [["unstar"], "annals title FILE TEXT"],
    [["label", "x", "y"], "annals title FILE TEXT"],
    [["branch-out", "--leaf", "x"], "annals fork FILE"],
    [["migrate", "--yes"], "annals append FILE"],
  ]
  for (const [[command = "", ...args], instead] of cases) {
    test(`${command} says what to do with a ledger in its place`, async () => {
      const path = copyOf(MAIN)
      for (const format of [[], ["--format", "ledger"]]) {
        const { exit, out } = await cli([command, path, ...args, ...format, "--json"])
        const { code, remedy, path: where } = json(out)["error"] as Record<string, string>
        expect({ exit, code, where }).toEqual({ exit: 6, code: "format.is_ledger", where: path })
        expect(remedy).toContain(instead.replace("FILE", path))
      }
      expect(readdirSync(dirname(path))).toHaveLength(1)
    })
  }
})

test("reading a ledger changes no byte, no time and no name (law MIG-3)", async () => {
  const { root, sessions, path } = ledgerProject()
  const torn = join(sessions, "20260923-210000-torn.jsonl")
  const look = () =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = join(entry.parentPath, entry.name)
        return [file, readFileSync(file, "utf8"), statSync(file, { bigint: true }).mtimeNs]
      })
  const before = look()
  for (const file of [path, torn]) {
    for (const command of ["verify", "show", "context", "replay", "repair", "rm"]) await cli([command, file])
    await cli(["replay", file, "--runs"])
    await cli(["replay", file, "--at", "2"])
  }
  await cli(["list"], { directory: root })
  expect(look()).toEqual(before)
})

test("a folder of subagents that cannot be looked into does not keep a session from being shown", async () => {
  const { path, child } = ledgerProject()
  const disk: Disk = {
    ...nodeDisk,
    list: (folder) => nodeDisk.list(folder === dirname(child) ? join(folder, "none") : folder),
  }
  const { out, notes } = await onDisk(disk, show({ file: path, json: true, format: Option.none() }))
  expect(json(out)).toMatchObject({ id: "20260923-201500-a1b2", children: [] })
  expect(notes).toContain("cannot be listed")
})
