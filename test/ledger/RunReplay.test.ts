import { assert, describe, it } from "vitest"
import { LiveLedger, response, type Step, say } from "../../laws/arbitraries/ledgerRuns.ts"
import { type Block, callId } from "../../src/ledger/Block.ts"
import type { LedgerRecord, Message } from "../../src/ledger/Record.ts"
import { type RunLoop, referenceLoop, signature } from "../../src/ledger/RunLoop.ts"
import { type ReplayProblem, replayRuns } from "../../src/ledger/RunReplay.ts"
import { messages } from "../../src/ledger/State.ts"
import { corpus, SESSION } from "./Corpus.ts"

const LIMITS = { maxSteps: 50, tokenBudget: 1_000_000, contextWindow: 200_000 }

let calls = 0
const call = (name: string, input: Block = { n: ++calls }): Block => ({ type: "tool_use", id: `c${++calls}`, name, input })

const step = (content: ReadonlyArray<Block>, stopReason = "tool_use", tokens = 1): Step => ({
  response: response(content, stopReason, tokens),
})

const done = step([say("Done.")], "end_turn")
const resultOf = (made: Block): string => `result of ${callId(made)}`

/** Two runs with seven steps and six calls, with a resume between them. */
const twoRuns = (): LiveLedger => {
  const live = new LiveLedger(LIMITS)
  live.run("Read it", [step([say("Looking."), call("read")]), done], resultOf)
  live.do({ do: "resume" })
  const steps = [step([call("edit")]), step([call("read"), call("read")]), step([call("edit")]), step([call("bash")]), done]
  live.run("Now fix it", steps, resultOf)
  return live
}

const whats = (problems: ReadonlyArray<ReplayProblem>): ReadonlyArray<string> => problems.map(({ run, what }) => `${run} ${what}`)

const changed = (
  records: ReadonlyArray<LedgerRecord>,
  type: string,
  nth: number,
  change: (record: LedgerRecord) => LedgerRecord,
): ReadonlyArray<LedgerRecord> => {
  const at = records.flatMap((record, place) => (record["type"] === type ? [place] : []))[nth] ?? -1
  return records.map((record, place) => (place === at ? change(record) : record))
}

describe("the reference loop", () => {
  it("stops at the limit of steps and leaves the rest of the answers unused", () => {
    const live = new LiveLedger(LIMITS)
    const outcome = live.run(
      "go",
      Array.from({ length: 60 }, () => step([call("read")])),
      resultOf,
    )
    assert.deepInclude(outcome, { stopReason: "max_steps", steps: 50 })
    assert.deepInclude(live.records.at(-1), { type: "end", stopReason: "max_steps", steps: 50 })
    assert.equal(live.records.filter(({ type }) => type === "assistant").length, 50)
    assert.isTrue(replayRuns(live.records).matches)
  })

  it("stops before the next request once the tokens are used, those of earlier runs too", () => {
    const live = new LiveLedger({ ...LIMITS, tokenBudget: 100 })
    assert.deepInclude(live.run("go", [step([call("read")], "tool_use", 99), done], resultOf), { stopReason: "done", steps: 2 })
    assert.deepInclude(live.run("go on", [done], resultOf), { stopReason: "token_budget", steps: 0 })
    assert.isTrue(replayRuns(live.records).matches)
  })

  it("stops at the third of three calls that are the same, whatever the order of their arguments", () => {
    const inputs = [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
      { a: 1, b: { c: 2, d: 3 } },
    ]
    const same = inputs.map((input) => step([call("bash", input)]))
    const live = new LiveLedger(LIMITS)
    const outcome = live.run("go", [...same, done], resultOf)
    assert.deepInclude(outcome, { stopReason: "repeated_calls", steps: 3 })
    assert.equal(outcome.messages.at(-1)?.role, "user")
    assert.isTrue(replayRuns(live.records).matches)

    const [one, two, three] = same as [Step, Step, Step]
    const apart = new LiveLedger(LIMITS).run("go", [one, two, step([call("bash", { a: 2 })]), three, done], resultOf)
    assert.deepInclude(apart, { stopReason: "done", steps: 5 })
  })

  it("tells calls apart by name and arguments, not by the text of both", () => {
    const of = (name: string, input: Block): string => signature({ type: "tool_use", id: "", name, input })
    assert.equal(of("a", { x: 1, y: [{ p: 1, q: 2 }] }), of("a", { y: [{ q: 2, p: 1 }], x: 1 }))
    assert.notEqual(of("a", { x: [1, 2] }), of("a", { x: [2, 1] }))
    assert.notEqual(of("a", {}), of("a{}", {}))
    assert.notEqual(of("a", JSON.parse('{"__proto__":1}') as Block), of("a", {}))
  })

  it("goes on after an answer that was cut off, three times, with its text and without half a call", () => {
    const cut = (text: string): Step => step([{ type: "thinking", text: "t", wire: {} }, say(text), call("read")], "max_tokens")
    const live = new LiveLedger(LIMITS)
    const outcome = live.run("go", [cut("one"), cut(" "), cut("three"), cut("four"), done], resultOf)
    assert.deepInclude(outcome, { stopReason: "max_tokens", steps: 4 })
    assert.deepEqual(
      outcome.messages.map(({ role, content }) => [role, content.length]),
      [
        ["user", 1],
        ["assistant", 1],
        ["user", 1],
        // Nothing was left of the second answer.
        ["user", 1],
        ["assistant", 1],
        ["user", 1],
        ["assistant", 1],
      ],
    )
    assert.equal(live.records.filter(({ type }) => type === "continue").length, 3)
    assert.isTrue(replayRuns(live.records).matches)
  })

  it("stops at a refusal, goes on after a pause, and is interrupted when there is no answer", () => {
    const run = (...steps: ReadonlyArray<Step>) => new LiveLedger(LIMITS).run("go", steps, resultOf)
    assert.deepInclude(run(step([say("No.")], "refusal"), done), { stopReason: "refusal", steps: 1 })
    assert.deepInclude(run(step([say("…")], "pause_turn"), done), { stopReason: "done", steps: 2 })
    assert.deepInclude(run(step([call("read")])), { stopReason: "interrupted", steps: 1 })
  })
})

describe("a replay", () => {
  it("of a session that was resumed matches: runs, steps and calls", () => {
    const live = twoRuns()
    assert.deepEqual(replayRuns(live.records), { matches: true, runs: 2, steps: 7, toolCalls: 6, problems: [] })
    assert.deepEqual(replayRuns([]), { matches: true, runs: 0, steps: 0, toolCalls: 0, problems: [] })
  })

  it("names the run of a stop reason that was changed", () => {
    const { records } = twoRuns()
    const stopped = changed(records, "end", 0, (record) => ({ ...record, stopReason: "max_steps" }))
    assert.deepEqual(replayRuns(stopped).problems, [{ run: 1, what: "stop-reason", expected: "max_steps", actual: "done" }])
    const answered = changed(records, "assistant", 0, (record) => ({
      ...record,
      response: { ...(record["response"] as Block), stopReason: "end_turn" },
    }))
    const { matches, problems } = replayRuns(answered)
    assert.isFalse(matches)
    assert.deepEqual(whats(problems), ["1 steps", "1 unused-response", "1 call", "1 message"])
  })

  it("says how a run differs", () => {
    const { records } = twoRuns()
    const problemsOf = (type: string, nth: number, change: (record: LedgerRecord) => LedgerRecord): ReadonlyArray<string> =>
      whats(replayRuns(changed(records, type, nth, change)).problems)
    assert.deepEqual(
      problemsOf("end", 1, (record) => ({ ...record, steps: 4 })),
      ["2 steps"],
    )
    const lost = (): LedgerRecord => ({ t: "", type: "lost" })
    assert.deepEqual(problemsOf("end", 1, lost), ["2 unfinished"])
    assert.deepEqual(
      problemsOf("end", 0, (record) => ({ ...record, stopReason: "error" })),
      ["1 unfinished"],
    )
    assert.deepEqual(problemsOf("assistant", 1, lost), ["1 missing-response", "1 stop-reason", "1 steps"])
    assert.deepEqual(problemsOf("tool_results", 0, lost), ["1 missing-result", "1 message"])
    const renamed = (record: LedgerRecord): LedgerRecord => {
      const [meta] = record["calls"] as unknown as ReadonlyArray<Block>
      return { ...record, calls: [{ ...meta, name: "write" }] }
    }
    assert.deepEqual(problemsOf("tool_results", 0, renamed), ["1 call"])
    const extra = (record: LedgerRecord): LedgerRecord => {
      const { role, content } = record["message"] as unknown as Message
      const stray = { type: "tool_result", toolUseId: "stray", content: "", isError: false }
      return { ...record, message: { role, content: [...content, stray] } }
    }
    assert.deepEqual(problemsOf("tool_results", 0, extra), ["1 unused-result", "1 message"])
  })

  it("of an answer that was recorded twice counts it once", () => {
    const live = twoRuns()
    const at = live.records.findIndex(({ type }) => type === "assistant")
    const named = live.records.with(at, { ...live.records[at], requestId: "r" })
    assert.isTrue(replayRuns(named.toSpliced(at, 0, named[at] as LedgerRecord)).matches)
    assert.isFalse(replayRuns(live.records.toSpliced(at, 0, live.records[at] as LedgerRecord)).matches)
  })

  it("applies compactions where they were recorded, a summary too", () => {
    const live = new LiveLedger(LIMITS)
    const steps = Array.from({ length: 6 }, () => step([call("read")]))
    const compacting: Step = { ...step([call("read")]), compacting: { stage: "summary", keepSteps: 2 } }
    live.run("go", [...steps, compacting, done], () => "long ".repeat(400))
    assert.equal(live.records.filter(({ type }) => type === "compaction").length, 1)
    assert.deepInclude(replayRuns(live.records), { matches: true, steps: 8 })
  })

  it("goes over turns that were undone and done again", () => {
    const live = new LiveLedger(LIMITS)
    const turn = (prompt: string): void => {
      live.do({ do: "snapshot", tree: "t", prompt, durationMs: 1 })
      live.run(prompt, [step([call("read")]), done], resultOf)
    }
    turn("one")
    turn("two")
    live.do({ do: "undo", after: "u" })
    live.do({ do: "redo" })
    live.do({ do: "undo", after: "u" })
    live.do({ do: "model", model: "another" })
    turn("three")
    assert.deepInclude(replayRuns(live.records), { matches: true, runs: 3 })
    assert.equal(messages(live.state).length, 8)
  })

  it("takes results that came one by one, in another order", () => {
    const live = new LiveLedger(LIMITS)
    live.do({ do: "user", text: "go" })
    const made = [call("a"), call("b")]
    live.do({ do: "assistant", step: 1, response: response(made, "tool_use"), costUsd: 0 })
    for (const each of made.toReversed())
      live.do({ do: "toolResults", results: [{ toolUseId: callId(each), content: "r" }], calls: [] })
    live.do({ do: "assistant", step: 2, response: response([say("ok")]), costUsd: 0 })
    live.do({ do: "end", stopReason: "done", steps: 2 })
    assert.deepEqual(replayRuns(live.records).problems, [])
  })

  it("of a session that another agent wrote matches, but for the run that was interrupted", () => {
    const { matches, runs, steps, toolCalls, problems } = replayRuns(corpus(SESSION))
    assert.deepEqual({ matches, runs, steps, toolCalls }, { matches: false, runs: 2, steps: 4, toolCalls: 3 })
    assert.deepEqual(whats(problems), ["3 unfinished"])
    // Its subagent said that it took two steps, and wrote one.
    const child = replayRuns(corpus("20260923-201500-a1b2/explore-call_2.jsonl"))
    assert.deepEqual(child.problems, [{ run: 1, what: "steps", expected: "2", actual: "1" }])
  })
})

describe("a loop of the host", () => {
  it("is the one that runs, and what it does in another way is named", () => {
    const { records } = twoRuns()
    const seen: Array<number> = []
    const watching: RunLoop = (world) => {
      seen.push(world.messages.length)
      return referenceLoop(world)
    }
    assert.isTrue(replayRuns(records, { loop: watching }).matches)
    assert.deepEqual(seen, [1, 5])
    const impatient: RunLoop = (world) => ({ stopReason: "done", steps: 0, messages: world.messages })
    assert.includeMembers(
      [...whats(replayRuns(records, { loop: impatient }).problems)],
      ["1 steps", "1 unused-response", "2 call"],
    )
    const greedy: RunLoop = (world) => {
      const outcome = referenceLoop(world)
      world.answer(outcome.messages)
      return outcome
    }
    assert.deepEqual(whats(replayRuns(records, { loop: greedy }).problems), ["1 missing-response", "2 missing-response"])
  })

  it("has the limits of the session, or those that the host names for one without", () => {
    const live = new LiveLedger(LIMITS)
    live.run("go", [step([call("read")]), done], resultOf)
    const { limits, ...start } = live.records[0] as LedgerRecord
    assert.isObject(limits)
    const without = live.records.with(0, start)
    assert.isTrue(replayRuns(without).matches)
    const { problems } = replayRuns(without, { limits: { ...LIMITS, maxSteps: 1 } })
    assert.deepEqual(problems[0], { run: 1, what: "stop-reason", expected: "done", actual: "max_steps" })
  })
})
