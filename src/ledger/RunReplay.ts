/**
 * Runs the runs of a session again, without a model, without tools and without asking anybody (law LED-4): the recorded answers stand
 * for the model, the recorded results for the tools. What the loop makes of them must be what the session made of them: the same stop, the
 * same number of steps, the same calls, the same conversation.
 *
 * A run is a `user` record and what follows, to the first `end` before the next `user`. Each begins with the conversation that the fold of
 * the records has there, so undo, redo, another model and a resume between runs are part of it, and a run that differs spoils no other.
 * A recorded compaction takes place where it was recorded; answers and notes of a run come in the order of the file.
 *
 * What a replay cannot see: a result stands for itself, so another text in it changes both sides. Calls whose arguments redaction has made
 * the same are the same call. Pure. Cost: the records, and for each run its conversation.
 */
import { ownString } from "../model/Json.ts"
import { usedTokens } from "./Accounting.ts"
import { type Block, callId, isToolResult, isToolUse, messageOf } from "./Block.ts"
import { evolve, isAnswered } from "./Evolution.ts"
import { classify, type KnownRecord, type LedgerRecord, type Message, type RecordOf, type RunLimits } from "./Record.ts"
import { DEFAULT_LIMITS, type RunLoop, type RunOutcome, type RunWorld, referenceLoop, signature, sortedJson } from "./RunLoop.ts"
import { initial, type LedgerState, messages as messagesOf } from "./State.ts"

/** A place where the replay is not what was recorded. */
export interface ReplayProblem {
  /** The run, from 1: the number of its `user` record. */
  readonly run: number
  readonly what: /** There is no `end`, or it is `interrupted` or `error`: the run was not replayed. */
    | "unfinished"
    | "stop-reason"
    | "steps"
    /** The loop asked for an answer that is not there, or left one unused. */
    | "missing-response"
    | "unused-response"
    /** A call has no result, or a result no call. */
    | "missing-result"
    | "unused-result"
    /** Another tool, other arguments, or another order of calls. */
    | "call"
    | "message"
  /** What was recorded, and what the replay has instead; "" for nothing. */
  readonly expected: string
  readonly actual: string
}

export interface RunReplay {
  /** Whether there is no problem. */
  readonly matches: boolean
  /** What was replayed. */
  readonly runs: number
  readonly steps: number
  readonly toolCalls: number
  /** In the order of the runs. */
  readonly problems: ReadonlyArray<ReplayProblem>
}

export interface ReplayOptions {
  /** The loop of the host. {@link referenceLoop} by default. */
  readonly loop?: RunLoop | undefined
  /** The limits of runs whose records name none. */
  readonly limits?: RunLimits | undefined
}

/** A record of a run, and the state that it was read in. */
interface Event {
  readonly before: LedgerState
  readonly record: KnownRecord
}

interface Run {
  readonly number: number
  /** The state behind its prompt. */
  readonly begun: LedgerState
  readonly events: Array<Event>
  end?: Event & { readonly record: RecordOf<"end"> }
}

/** The runs of a session, in order. An answer that was recorded twice counts once. */
const runsOf = (records: Iterable<LedgerRecord>): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  let state = initial
  for (const json of records) {
    const before = state
    state = evolve(state, json)
    const classified = classify(json)
    if (classified._tag !== "Known") continue
    const { record } = classified
    const run = runs.at(-1)
    if (record.type === "user") runs.push({ number: runs.length + 1, begun: state, events: [] })
    else if (run === undefined || run.end !== undefined) continue
    else if (record.type === "end") run.end = { before, record }
    else if (record.type !== "assistant" || !isAnswered(before, record.requestId)) run.events.push({ before, record })
  }
  return runs
}

type Note = (what: ReplayProblem["what"], expected: string, actual: string) => void

type Results = ReadonlyMap<string, ReadonlyArray<Block>>

/** The results that a run recorded, by call. What was made up for calls that were left open is none. An id may be used again. */
const resultsOf = ({ events }: Run): Results => {
  const results = new Map<string, Array<Block>>()
  for (const { record } of events) {
    if (record.type !== "tool_results" || record.synthetic === true) continue
    for (const block of record.message.content.filter(isToolResult)) {
      const known = results.get(callId(block))
      if (known === undefined) results.set(callId(block), [block])
      else known.push(block)
    }
  }
  return results
}

interface Call {
  readonly id: string
  readonly signature: string
}

/** The calls with a result that a run recorded, in call order: by the name beside the result, where there is one. */
const recordedCalls = ({ events }: Run, results: Results): ReadonlyArray<Call> => {
  const names = new Map<string, string>()
  for (const { record } of events) {
    if (record.type === "tool_results") for (const { toolUseId, name } of record.calls) names.set(toolUseId, name)
  }
  const calls: Array<Call> = []
  for (const { record } of events) {
    if (record.type !== "assistant") continue
    for (const block of record.response.content.filter(isToolUse)) {
      const id = callId(block)
      const isAnswered = calls.filter((call) => call.id === id).length < (results.get(id)?.length ?? 0)
      if (isAnswered) calls.push({ id, signature: signature(block, names.get(id)) })
    }
  }
  return calls
}

/** The records of a run as the world of a loop, and what the loop did in it. */
class RecordedWorld implements RunWorld {
  readonly messages: ReadonlyArray<Message>
  readonly limits: RunLimits
  readonly results: Results
  readonly made: Array<Call> = []
  readonly #run: Run
  readonly #note: Note
  #next = 0

  constructor(run: Run, limits: RunLimits, note: Note) {
    this.messages = messagesOf(run.begun)
    this.limits = run.begun.start?.limits ?? limits
    this.results = resultsOf(run)
    this.#run = run
    this.#note = note
  }

  /** The next record that a loop takes part in, without taking it. */
  #peek(): KnownRecord | undefined {
    const { events } = this.#run
    const takes = (record: KnownRecord): boolean => ["assistant", "compaction", "continue"].includes(record.type)
    while (this.#next < events.length && !takes((events[this.#next] as Event).record)) this.#next++
    return events[this.#next]?.record
  }

  readonly used = (): number => {
    this.#peek()
    const place = this.#run.events[this.#next] ?? this.#run.end
    return usedTokens((place?.before ?? this.#run.begun).accounting)
  }

  readonly compacted = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
    let latest = messages
    for (let record = this.#peek(); record?.type === "compaction"; record = this.#peek()) {
      latest = record.messages
      this.#next++
    }
    return latest
  }

  readonly answer = (): RecordOf<"assistant">["response"] | undefined => {
    const record = this.#peek()
    if (record?.type !== "assistant") {
      this.#note("missing-response", record?.type ?? "end", "assistant")
      return undefined
    }
    this.#next++
    return record.response
  }

  readonly goOn = (): Message | undefined => {
    const record = this.#peek()
    if (record?.type !== "continue") return undefined
    this.#next++
    return record.message
  }

  readonly result = (call: Block): Block => {
    const id = callId(call)
    const recorded = this.results.get(id)?.[this.made.filter((each) => each.id === id).length]
    if (recorded !== undefined) {
      this.made.push({ id, signature: signature(call) })
      return recorded
    }
    this.#note("missing-result", "", `${ownString(call, "name") ?? ""} ${id}`)
    return { type: "tool_result", toolUseId: id, content: "No result of this call was recorded.", isError: true }
  }

  /** Answers that the loop did not ask for. */
  get unused(): number {
    return this.#run.events.slice(this.#next).filter(({ record }) => record.type === "assistant").length
  }
}

/** Results that came one by one, or in another order than their calls, count as one message in call order. */
const batched = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const merged: Array<Message> = []
  let order: ReadonlyArray<string> = []
  for (const message of messages) {
    const isResults = (each: Message | undefined): boolean => each?.role === "user" && each.content.every(isToolResult)
    if (message.role === "assistant") order = message.content.filter(isToolUse).map(callId)
    if (!isResults(message)) {
      merged.push(message)
      continue
    }
    const before = isResults(merged.at(-1)) ? (merged.pop()?.content ?? []) : []
    const place = (block: Block): number => order.indexOf(callId(block))
    merged.push(
      messageOf(
        "user",
        [...before, ...message.content].toSorted((a, b) => place(a) - place(b)),
      ),
    )
  }
  return merged
}

const firstDifference = (expected: ReadonlyArray<string>, actual: ReadonlyArray<string>): number => {
  const longest = Math.max(expected.length, actual.length)
  for (let at = 0; at < longest; at++) if (expected[at] !== actual[at]) return at
  return -1
}

/** The first place at which two lists differ, as a problem. */
const compare = (what: "call" | "message", expected: ReadonlyArray<string>, actual: ReadonlyArray<string>, note: Note): void => {
  const at = firstDifference(expected, actual)
  if (at >= 0) note(what, expected[at] ?? "", actual[at] ?? "")
}

const asJson = (messages: ReadonlyArray<Message>): ReadonlyArray<string> =>
  batched(messages).map(({ role, content }) => sortedJson({ role, content }))

/** Holds what a loop did against what was recorded. */
const judge = (
  run: Run,
  world: RecordedWorld,
  outcome: RunOutcome,
  end: Event & { readonly record: RecordOf<"end"> },
  note: Note,
): void => {
  const { stopReason, steps } = end.record
  if (outcome.stopReason !== stopReason) note("stop-reason", stopReason, outcome.stopReason)
  if (outcome.steps !== steps) note("steps", `${steps}`, `${outcome.steps}`)
  if (world.unused > 0) note("unused-response", `${world.unused}`, "")
  const recorded = recordedCalls(run, world.results)
  for (const [id, results] of world.results) {
    if (results.length > recorded.filter((call) => call.id === id).length) note("unused-result", id, "")
  }
  const signatures = (calls: ReadonlyArray<Call>): ReadonlyArray<string> => calls.map((call) => call.signature)
  compare("call", signatures(recorded), signatures(world.made), note)
  const expected = messagesOf(end.before)
  const actual = outcome.messages
  // What was there before the run is mostly the same references: then only the run is compared, from its prompt on.
  const prompt = world.messages.length - 1
  const isAppended = [expected, actual].every((list) => world.messages.every((message, at) => message === list[at]))
  const from = isAppended ? prompt : 0
  compare("message", asJson(expected.slice(from)), asJson(actual.slice(from)), note)
}

/** Replays every run of a session, and says which differs and how. */
export const replayRuns = (records: Iterable<LedgerRecord>, options: ReplayOptions = {}): RunReplay => {
  const { loop = referenceLoop, limits = DEFAULT_LIMITS } = options
  const problems: Array<ReplayProblem> = []
  const done = { runs: 0, steps: 0, toolCalls: 0 }
  for (const run of runsOf(records)) {
    const note: Note = (what, expected, actual) => problems.push({ run: run.number, what, expected, actual })
    const stopReason = run.end?.record.stopReason
    if (run.end === undefined || stopReason === "interrupted" || stopReason === "error") {
      note("unfinished", stopReason ?? "", "")
      continue
    }
    const world = new RecordedWorld(run, limits, note)
    const outcome = loop(world)
    judge(run, world, outcome, run.end, note)
    done.runs++
    done.steps += outcome.steps
    done.toolCalls += world.made.length
  }
  return { matches: problems.length === 0, ...done, problems }
}
