/** Ledger sessions as a loop makes them: a model that follows a script, tools that answer at once, and every record kept. */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { usedTokens } from "../../src/ledger/Accounting.ts"
import { type Block, callId, isToolUse } from "../../src/ledger/Block.ts"
import type { LedgerCommand } from "../../src/ledger/Command.ts"
import { summaryPlan, trimPlan } from "../../src/ledger/CompactionPlan.ts"
import { ledgerModel } from "../../src/ledger/LedgerModel.ts"
import type { LedgerRecord, ModelResponse, RunLimits } from "../../src/ledger/Record.ts"
import { cutOff, type RunOutcome, type RunWorld, referenceLoop } from "../../src/ledger/RunLoop.ts"
import { initial, type LedgerState, messages } from "../../src/ledger/State.ts"
import { own } from "../../src/model/Json.ts"

export const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

export const response = (content: ReadonlyArray<Block>, stopReason = "end_turn", tokens = 0): ModelResponse => ({
  content,
  stopReason,
  usage: { ...noTokens, inputTokens: tokens },
})

export const say = (text: string): Block => ({ type: "text", text })

/** A compaction before a request, and how many answers it keeps. */
export interface Compacting {
  readonly stage: "trim" | "summary"
  readonly keepSteps: number
}

export interface Step {
  readonly response: ModelResponse
  readonly compacting?: Compacting | undefined
}

const MODEL: LedgerCommand = { do: "start", sessionId: "s", root: "/w", model: "m" }

/** A session in memory. Its clock goes on by a second with every command. */
export class LiveLedger {
  state: LedgerState = initial
  readonly records: Array<LedgerRecord> = []
  #seconds = 0

  constructor(limits: RunLimits) {
    this.do({ ...MODEL, limits } as LedgerCommand)
  }

  /** Carries a command out; one that is rejected is a bug of the law. */
  do(command: LedgerCommand): void {
    const stamp = { at: 1_790_000_000_000 + 1_000 * this.#seconds++, entropy: "0".repeat(32) }
    const records = Result.getOrThrow(ledgerModel.decide(this.state, command, stamp))
    for (const record of records) this.state = ledgerModel.evolve(this.state, record)
    this.records.push(...records)
  }

  /** A prompt and the run that it begins. What the script has left when the run stops is not used. */
  run(prompt: string, script: ReadonlyArray<Step>, resultOf: (call: Block) => string): RunOutcome {
    this.do({ do: "user", text: prompt })
    const outcome = referenceLoop(new ScriptedWorld(this, script, resultOf))
    this.do({ do: "end", stopReason: outcome.stopReason, steps: outcome.steps })
    return outcome
  }
}

/** The world of a run that is recorded as it goes: an answer and a batch of results are written once they are whole. */
class ScriptedWorld implements RunWorld {
  readonly messages
  readonly limits: RunLimits
  readonly #session: LiveLedger
  readonly #script: ReadonlyArray<Step>
  readonly #resultOf: (call: Block) => string
  #steps = 0
  #results: Array<Block> = []

  constructor(session: LiveLedger, script: ReadonlyArray<Step>, resultOf: (call: Block) => string) {
    this.#session = session
    this.#script = script
    this.#resultOf = resultOf
    this.messages = messages(session.state)
    this.limits = session.state.start?.limits ?? { maxSteps: 50, tokenBudget: 1e6, contextWindow: 1e6 }
  }

  readonly used = (): number => usedTokens(this.#session.state.accounting)

  readonly compacted: RunWorld["compacted"] = (before) => {
    const compacting = this.#script[this.#steps]?.compacting
    if (compacting === undefined) return before
    const { stage, keepSteps } = compacting
    const { state } = this.#session
    const plan =
      stage === "trim"
        ? trimPlan(state, 1e9, { keepSteps })
        : summaryPlan(state, response([say("short")], "end_turn", 7), { keepSteps, costUsd: 0.5 })
    if (plan === undefined) return before
    this.#session.do({ do: "compact", ...plan })
    return messages(this.#session.state)
  }

  readonly answer: RunWorld["answer"] = () => {
    const answer = this.#script[this.#steps++]?.response
    if (answer === undefined) return undefined
    const kept = answer.stopReason === "max_tokens" ? { ...answer, content: cutOff(answer).content } : answer
    this.#session.do({ do: "assistant", step: this.#steps, response: kept, costUsd: 0.25 })
    return kept
  }

  readonly goOn: RunWorld["goOn"] = () => {
    this.#session.do({ do: "continue", text: "go on", maxTokens: 32_000 })
    return messages(this.#session.state).at(-1)
  }

  readonly result: RunWorld["result"] = (call) => {
    const content = this.#resultOf(call)
    const block = { type: "tool_result", toolUseId: callId(call), content, isError: content === "" }
    this.#results.push(block)
    const answer = this.#script[this.#steps - 1]?.response
    const calls = answer?.content.filter(isToolUse) ?? []
    if (this.#results.length === calls.length) {
      const metas = calls.map((each) => ({ toolUseId: callId(each), name: String(own(each, "name")), durationMs: 1 }))
      this.#session.do({ do: "toolResults", results: this.#results, calls: metas })
      this.#results = []
    }
    return block
  }
}

// ── Generators ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Call ids are the number of the call in its session, given when the script is used. */
const call: fc.Arbitrary<Block> = fc.record({
  type: fc.constant("tool_use"),
  id: fc.constant(""),
  name: fc.constantFrom("read", "bash"),
  input: fc.constantFrom<Block>({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, { path: "x" }, {}),
})

const sameCall: fc.Arbitrary<Block> = fc.constantFrom<Block>(
  { type: "tool_use", id: "", name: "bash", input: { a: 1, b: 2 } },
  { type: "tool_use", id: "", name: "bash", input: { b: 2, a: 1 } },
)

const thinking: Block = { type: "thinking", text: "hm", wire: { type: "thinking", thinking: "hm", signature: "c2ln" } }

const searching: ReadonlyArray<Block> = [
  { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "q" }, wire: { type: "server_tool_use" } },
  {
    type: "server_tool_result",
    toolUseId: "srv",
    name: "web_search",
    results: [{ title: "T", url: "https://example.com/t" }],
    wire: { type: "web_search_tool_result", content: [{ encrypted_content: "e".repeat(300) }] },
  },
]

const word = fc.constantFrom("ok", "a longer line of text", "🌿 leaf", "# heading", "```")

/** What an answer says before its calls. */
export const talk: fc.Arbitrary<ReadonlyArray<Block>> = fc
  .tuple(fc.boolean(), fc.option(word), fc.constantFrom(0, 0, 1, 2))
  .map(([thinks, said, searches]) => [
    ...(thinks ? [thinking] : []),
    ...searching.slice(0, searches),
    ...(said === null ? [] : [say(said)]),
  ])

const tokens = fc.constantFrom(0, 1, 30, 200)

const answer = (calls: fc.Arbitrary<Block>): fc.Arbitrary<ModelResponse> =>
  fc
    .tuple(talk, fc.array(calls, { minLength: 1, maxLength: 3 }), tokens)
    .map(([blocks, made, used]) => response([...blocks, ...made], "tool_use", used))

const plain: fc.Arbitrary<ModelResponse> = fc
  .tuple(talk, fc.constantFrom("end_turn", "other", "refusal", "pause_turn"), tokens)
  .map(([blocks, stopReason, used]) => response(blocks, stopReason, used))

const cut: fc.Arbitrary<ModelResponse> = fc
  .tuple(fc.constantFrom("half a sen", " "), tokens)
  .map(([said, used]) => response([thinking, say(said)], "max_tokens", used))

const compacting: fc.Arbitrary<Compacting> = fc.record({
  stage: fc.constantFrom("trim", "summary"),
  keepSteps: fc.constantFrom(1, 2, 4),
})

const step: fc.Arbitrary<Step> = fc.record({
  response: fc.oneof(
    { weight: 6, arbitrary: answer(call) },
    { weight: 3, arbitrary: answer(sameCall) },
    { weight: 1, arbitrary: plain },
    { weight: 5, arbitrary: cut },
  ),
  compacting: fc.option(compacting, { nil: undefined, freq: 3 }),
})

/** What happens before a prompt. */
export type Between = "nothing" | "snapshot" | "undo" | "redo" | "model" | "resume" | "unreported"

export interface ScriptedRun {
  readonly between: Between
  readonly steps: ReadonlyArray<Step>
}

export interface ScriptedSession {
  readonly limits: RunLimits
  readonly runs: ReadonlyArray<ScriptedRun>
}

const scriptedRun: fc.Arbitrary<ScriptedRun> = fc.record({
  between: fc.constantFrom("nothing", "snapshot", "snapshot", "undo", "redo", "model", "resume", "unreported"),
  // The last answer of a script ends the run, so that every run ends.
  steps: fc.array(step, { maxLength: 7 }).map((steps) => [...steps, { response: response([say("done")], "end_turn", 3) }]),
})

export const scriptedSession: fc.Arbitrary<ScriptedSession> = fc.record({
  limits: fc.record({
    maxSteps: fc.constantFrom(2, 5, 50),
    tokenBudget: fc.constantFrom(300, 1_000_000),
    contextWindow: fc.constant(200_000),
  }),
  runs: fc.array(scriptedRun, { minLength: 1, maxLength: 4 }),
})

const before: { readonly [B in Between]: (session: LiveLedger) => void } = {
  nothing: () => {},
  snapshot: (session) => session.do({ do: "snapshot", tree: "t", prompt: "p", durationMs: 1 }),
  undo: (session) => session.do({ do: "undo", after: "u" }),
  redo: (session) => {
    session.do({ do: "undo", after: "u" })
    session.do({ do: "redo" })
  },
  model: (session) => session.do({ do: "model", model: `m${session.records.length}` }),
  resume: (session) => session.do({ do: "resume" }),
  unreported: (session) => session.do({ do: "unreported", tokens: 40 }),
}

const LONG = `${"🌿 long ".repeat(300)}end`

/** Plays a script: the session that it makes, and what each run came to. */
export const play = ({ limits, runs }: ScriptedSession): readonly [session: LiveLedger, outcomes: ReadonlyArray<RunOutcome>] => {
  const session = new LiveLedger(limits)
  let calls = 0
  const numbered = (block: Block): Block => (isToolUse(block) ? { ...block, id: `call_${++calls}` } : block)
  const outcomes = runs.map(({ between, steps }, n) => {
    before[between](session)
    const script = steps.map((each) => ({
      ...each,
      response: { ...each.response, content: each.response.content.map(numbered) },
    }))
    return session.run(`prompt ${n + 1}`, script, (made) => (own(made, "name") === "read" ? LONG : callId(made)))
  })
  return [session, outcomes]
}
