/** The code of docs/guide/ledger-sessions.md, run. */
import { createHash } from "node:crypto"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { type JsonObject, makeRedactor, replay, type Stamp } from "../../src/index.ts"
import {
  CompactionPlan,
  exportMarkdown,
  FileTracker,
  type LedgerCommand,
  type LedgerRecord,
  type LedgerState,
  ledgerModel,
  type ModelResponse,
  messages,
  type RunLoop,
  referenceLoop,
  replayRuns,
  summarise,
} from "../../src/ledger.ts"

class Session {
  state: LedgerState = ledgerModel.initial
  readonly records: Array<LedgerRecord> = []

  do(command: LedgerCommand, stamp: Stamp): void {
    const records = Result.getOrThrow(ledgerModel.decide(this.state, command, stamp))
    for (const record of records) this.state = ledgerModel.evolve(this.state, record)
    this.records.push(...records)
  }
}

const compact = (
  state: LedgerState,
  ask: (request: CompactionPlan.SummaryRequest) => ModelResponse,
): LedgerCommand | undefined => {
  const window = state.start?.limits?.contextWindow ?? 200_000
  if (!CompactionPlan.due(state, window)) return undefined
  const clean = (text: string): string => redactor.redactText(text).text
  const trimmed = CompactionPlan.trimPlan(state, window, { clean })
  if (trimmed !== undefined) return { do: "compact", ...trimmed }
  const all = messages(state)
  const at = CompactionPlan.split(all)
  if (at === undefined) return undefined
  const response = ask(CompactionPlan.summaryRequest(all, at))
  const summed = CompactionPlan.summaryPlan(state, response, { clean, costUsd: 0.02 })
  return summed === undefined
    ? { do: "sideUsage", purpose: "summary", usage: response.usage, costUsd: 0.02 }
    : { do: "compact", ...summed }
}

const mayEdit = (tracker: FileTracker.FileTracker, path: string, content: string): boolean =>
  FileTracker.status(tracker, path, content) === "current"

const counted = (steps: Array<number>): RunLoop => {
  return (world) => {
    const outcome = referenceLoop(world)
    steps.push(outcome.steps)
    return outcome
  }
}

const redactor = makeRedactor({ environment: {} })
const stamp: Stamp = { at: Date.UTC(2026, 8, 23, 20, 15), entropy: "00".repeat(16) }
const usage = { inputTokens: 170_000, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 }

const say = (session: Session): void => {
  session.do({ do: "start", sessionId: "20260923-201500-a1b2", root: "/home/me/project", model: "a-model" }, stamp)
  session.do({ do: "snapshot", tree: "4b825dc6", prompt: "Find the flaky test", durationMs: 12 }, stamp)
  session.do({ do: "user", text: "Find the flaky test" }, stamp)
  const call = { type: "tool_use", id: "call_1", name: "bash", input: { command: "npm test" } }
  const asked = { content: [call], stopReason: "tool_use", usage }
  session.do({ do: "assistant", step: 1, response: asked, costUsd: 0.51 }, stamp)
  const results = [{ toolUseId: "call_1", content: "t1 fails at times" }]
  session.do({ do: "toolResults", results, calls: [{ toolUseId: "call_1", name: "bash", durationMs: 900 }] }, stamp)
  const said = { content: [{ type: "text", text: "It is t1." }], stopReason: "end_turn", usage }
  session.do({ do: "assistant", step: 2, response: said, costUsd: 0.51 }, stamp)
  session.do({ do: "end", stopReason: "done", steps: 2 }, stamp)
}

const conversation = (): Session => {
  const session = new Session()
  say(session)
  return session
}

describe("a ledger session", () => {
  it("is a fold, and can be undone", () => {
    const session = conversation()
    const { title, turns, costText } = summarise(session.state)
    assert.deepEqual([title, turns, costText], ["Find the flaky test", 1, "$1.02"])
    assert.deepEqual(summarise(replay(ledgerModel, session.records)), summarise(session.state))
    session.do({ do: "undo", after: "9c8385ad" }, stamp)
    assert.lengthOf(messages(session.state), 0)
    session.do({ do: "redo" }, stamp)
    assert.lengthOf(messages(session.state), 4)
  })

  it("is compacted: by a summary, or not at all", () => {
    const session = conversation()
    const requests: Array<JsonObject> = []
    const ask = (request: CompactionPlan.SummaryRequest): ModelResponse => {
      requests.push({ ...request })
      return { content: [{ type: "text", text: "t1 is flaky." }], stopReason: "end_turn", usage }
    }
    assert.isUndefined(compact(session.state, ask))
    for (const n of [1, 2, 3, 4]) {
      session.do({ do: "user", text: `${n}: ${"and more ".repeat(200)}` }, stamp)
      const said = { content: [{ type: "text", text: `answer ${n}` }], stopReason: "end_turn", usage }
      session.do({ do: "assistant", step: 1, response: said, costUsd: 0.5 }, stamp)
    }
    const command = compact(session.state, ask)
    if (command === undefined) throw new Error("nothing was planned")
    session.do(command, stamp)
    assert.lengthOf(requests, 1)
    assert.equal(command.do, "compact")
    assert.lengthOf(messages(session.state), 8)
  })

  it("knows which files may be edited, and which reads are still there", () => {
    const session = conversation()
    const digest = (content: string): string => createHash("sha256").update(content).digest("hex")

    let files = FileTracker.makeFileTracker(digest)
    files = FileTracker.record(files, "a.ts", "const a = 1")
    const [known, next] = FileTracker.noteRead(files, "a.ts", "const a = 1")
    files = FileTracker.upTo(next, session.state.readsForgotten)

    assert.isFalse(known)
    assert.isTrue(mayEdit(files, "a.ts", "const a = 1"))
    assert.isFalse(mayEdit(files, "a.ts", "const a = 2"))
    assert.isTrue(FileTracker.noteRead(files, "a.ts", "const a = 1")[0])
    session.do({ do: "undo", after: "u" }, stamp)
    files = FileTracker.upTo(files, session.state.readsForgotten)
    assert.isFalse(FileTracker.noteRead(files, "a.ts", "const a = 1")[0])
  })

  it("replays, and becomes a document", () => {
    const { records } = conversation()
    const steps: Array<number> = []
    const { matches, problems } = replayRuns(records, { loop: counted(steps) })
    assert.isTrue(matches)
    assert.deepEqual(problems, [])
    assert.deepEqual(steps, [2])
    const markdown = exportMarkdown(records, { timeZone: "Europe/Berlin" })
    assert.include(markdown, "- `bash` `npm test` — `t1 fails at times`")
  })
})
