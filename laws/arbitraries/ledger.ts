/**
 * Ledger sessions: what a host may dispatch, in any order, and records as files may hold them.
 *
 * A step is numbers only, so that a counter-example can be read and made smaller. What it amounts to depends on the state it meets: a step
 * of results answers calls that are open then. Everything that is said bears the number of its step (`#12.`), so that a law can follow it.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { type Block, callId, text } from "../../src/ledger/Block.ts"
import { openCalls } from "../../src/ledger/Calls.ts"
import type { LedgerCommand } from "../../src/ledger/Command.ts"
import { ledgerModel } from "../../src/ledger/LedgerModel.ts"
import type { LedgerRecord, ModelResponse, SubagentReport, Usage } from "../../src/ledger/Record.ts"
import { type LedgerState, messages } from "../../src/ledger/State.ts"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { replay } from "../../src/model/Model.ts"
import type { Stamp } from "../../src/model/Stamp.ts"
import { json, strangers } from "./records.ts"

/** A value of the environment that is a secret, and a token of a known format. Neither stands in a file of this project. */
export const SECRET = ["hunter2", "correct", "horse"].join("-")
export const TOKEN = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("")

/** What everybody says. The last ones are secret, or speak of secrets. */
const WORDS: ReadonlyArray<string> = [
  "yes",
  "a longer sentence about the test that fails now and then, which goes on for more than eighty characters",
  "",
  "\ud800 \u2028 🌿",
  "__proto__ constructor",
  "see [REDACTED:environment] and [REDACTED]",
  `it is ${SECRET}, so`,
  `use ${TOKEN} here`,
]

const MODELS: ReadonlyArray<string> = ["m1", "m2", "m3"]
const CHILDREN: ReadonlyArray<string> = ["explore-c1", "__proto__"]
const CALLS: ReadonlyArray<string> = ["c1", "c2", "c3", "__proto__"]

const KINDS = [
  ...(["prompt", "prompt", "user", "snapshot", "answer", "answer", "answer", "answer", "results", "results", "results"] as const),
  ...([
    "part",
    "part",
    "stranger",
    "close",
    "undo",
    "undo",
    "undo",
    "redo",
    "redo",
    "compact",
    "model",
    "resume",
    "resume",
  ] as const),
  ...(["other", "continue", "reserve", "reserve", "reserve", "unreported", "debit", "debit", "side"] as const),
  ...(["report", "title", "thinking", "end"] as const),
]

export interface Step {
  readonly kind: (typeof KINDS)[number]
  readonly a: number
  readonly b: number
  /** Which words. */
  readonly w: number
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  a: fc.nat({ max: 255 }),
  b: fc.nat({ max: 255 }),
  w: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 5 }) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) }),
})

/** What often comes one after the other. */
const FRAGMENTS: ReadonlyArray<ReadonlyArray<Step["kind"]>> = [
  ["prompt", "answer", "results", "answer"],
  ["prompt", "answer", "results", "undo", "redo"],
  ["prompt", "answer", "undo", "model", "redo"],
  ["prompt", "answer", "undo", "resume", "redo"],
  ["prompt", "answer", "undo", "other", "redo"],
  ["prompt", "answer", "compact", "undo", "redo"],
  ["answer", "part", "part", "answer"],
  ["snapshot", "undo", "redo"],
  ["reserve", "answer"],
  ["reserve", "resume"],
  ["debit", "debit", "answer", "report"],
]

const fragment: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .tuple(fc.constantFrom(...FRAGMENTS), fc.array(step, { minLength: 5, maxLength: 5 }))
  .map(([kinds, numbers]) => kinds.flatMap((kind, at) => (numbers[at] === undefined ? [] : [{ ...numbers[at], kind }])))

const piece: fc.Arbitrary<ReadonlyArray<Step>> = fc.oneof(
  { weight: 3, arbitrary: step.map((one) => [one]) },
  { weight: 1, arbitrary: fragment },
)

/** A sequence of steps. */
export const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .oneof(fc.array(piece, { maxLength: 8 }), fc.array(piece, { minLength: 8, maxLength: 24 }))
  .map((pieces) => pieces.flat())

const pick = <A>(from: ReadonlyArray<A>, n: number): A => from[n % from.length] as A

/** What is said in a step: its number, a letter for the part, and words. */
const said = (n: number, part: string, w: number): string => `#${n}. ${part} ${pick(WORDS, w)}`

/** The step in which something was said or done, by its mark. */
export const stepOf = (value: unknown): number | undefined => {
  const found = /#(\d+)\. /.exec(JSON.stringify(value))
  return found === null ? undefined : Number(found[1])
}

const cipher = (n: number, part: string): string => `Sig${part}${n}x`.padEnd(48, "Qm9yZWQ")

const thinking = (n: number, words: string): Block => ({
  type: "thinking",
  text: words,
  wire: { type: "thinking", thinking: words, signature: cipher(n, "T") },
})

const sealed = (n: number): Block => ({
  type: "thinking",
  text: "",
  wire: { type: "redacted_thinking", data: cipher(n, "R"), of: `#${n}. r` },
})

const call = (n: number, id: string): Block => ({ type: "tool_use", id, name: "bash", input: { command: `#${n}. ${id}` } })

const search = (n: number, w: number): ReadonlyArray<Block> => [
  { type: "server_tool_use", id: `s${n}`, name: "web_search", input: { query: said(n, "q", w) }, wire: { id: `s${n}` } },
  {
    type: "server_tool_result",
    toolUseId: `s${n}`,
    name: "web_search",
    results: [{ title: "A page", url: "https://example.com" }],
    wire: { content: [{ type: "web_search_result", encrypted_content: cipher(n, "E") }] },
  },
]

/** The blocks of an answer, by the bits of a number; none for 0. */
const blocks = (n: number, { a, b, w }: Step): ReadonlyArray<Block> => [
  ...(a & 1 ? [thinking(n, said(n, "t", a & 16 ? w : 0))] : []),
  ...(a & 2 && a & 32 ? [sealed(n)] : []),
  ...(a & 64 && a & 128 ? search(n, w) : []),
  ...(a & 4 ? [text(said(n, "a", w))] : []),
  ...(a & 4 && a & 128 ? [{ ...text(`#${n}. c`), citations: [{ url: "u", encrypted_index: cipher(n, "I") }] }] : []),
  ...(a & 8 ? [call(n, pick(CALLS, b))] : []),
  ...(a & 8 && a & 16 ? [call(n, pick(CALLS, b + 1 + (w === 2 ? 3 : 0)))] : []),
]

const usage = (b: number): Usage => ({
  inputTokens: b,
  outputTokens: b % 7,
  cacheReadTokens: b % 3 === 0 ? 10 * b : 0,
  cacheWriteTokens: 0,
  ...(b % 5 === 0 ? { webSearches: 1 } : {}),
})

const priced = (b: number): { readonly costUsd?: number } => (b % 11 === 0 ? {} : { costUsd: b / 1_000 })

/** The request that a step is about: one under way, one that is settled already, a new one, or none. */
const requestOf = ({ accounting }: LedgerState, n: number, choice: number): { readonly requestId?: string } => {
  const known = [...accounting.reservations.keys()]
  const settled = accounting.settled.shared.items[choice % (accounting.settled.length + 1)]
  if (choice % 4 === 0) return {}
  if (choice % 4 === 1) return { requestId: `r${n}` }
  if (choice % 16 === 2 && settled !== undefined) return { requestId: settled }
  return known[0] === undefined ? {} : { requestId: pick(known, choice) }
}

const response = (content: ReadonlyArray<Block>, b: number): ModelResponse => ({
  content,
  stopReason: "end_turn",
  usage: usage(b),
  ...(b % 6 === 0 ? { usageReported: false } : {}),
})

const report = (n: number, { b, w }: Step): SubagentReport => ({
  sessionId: pick(CHILDREN, b),
  usage: usage(b % 40),
  ...priced(b),
  ...(w === 3 ? { costIncomplete: true } : {}),
  ...(w % 2 === 0 ? { requestId: `p${n}` } : {}),
})

const results = (state: LedgerState, n: number, given: Step): LedgerCommand | undefined => {
  const open = openCalls(state.conversation).map(callId)
  const chosen =
    given.kind === "part" ? open.slice(given.a % 2, (given.a % 2) + 1) : given.b % 2 === 0 ? open : [...open].reverse()
  if (chosen.length === 0) return undefined
  const subagent = given.kind === "report" || given.b % 3 === 0 ? { subagent: report(n, given) } : {}
  return {
    do: "toolResults",
    results: chosen.map((toolUseId) => ({ toolUseId, content: said(n, "o", given.w), isError: given.a % 5 === 0 })),
    calls: chosen.map((toolUseId, at) => ({ toolUseId, name: "bash", durationMs: 1, ...(at === 0 ? subagent : {}) })),
  }
}

/** A shorter content of an old result, as a compaction makes it. */
const trimmed = (block: Block): Block =>
  typeof block["content"] === "string" ? { ...block, content: `${block["content"].slice(0, 40)} (cut)` } : block

const compaction = (state: LedgerState, n: number, { a, b, w }: Step): LedgerCommand => {
  const all = messages(state)
  const from = all.findLastIndex(({ role }, at) => role === "assistant" && at <= all.length - 1 - (a % 4))
  const kept = from < 0 ? [] : all.slice(from)
  const isSummary = a % 2 === 0
  const before = isSummary
    ? [{ role: "user" as const, content: [text(said(n, "s", w))] }]
    : all.slice(0, Math.max(from, 0)).map((message) => ({ ...message, content: message.content.map(trimmed) }))
  return {
    do: "compact",
    stage: isSummary ? "summary" : "trim",
    beforeTokens: state.contextTokens,
    afterTokens: b,
    messages: [...before, ...(w === 4 ? [{ role: "user" as const, content: [] }] : []), ...kept],
    ...(isSummary ? { summary: response([text("s")], b), ...priced(b), ...requestOf(state, n, a) } : {}),
  }
}

/** The command of a step that is about tokens alone. */
const spending = (state: LedgerState, n: number, { kind, a, b, w }: Step): LedgerCommand => {
  switch (kind) {
    case "reserve":
      return {
        do: "reserve",
        requestId: pick(["", "", [...state.accounting.reservations.keys()][0] ?? ""], b) || `r${n}`,
        tokens: a,
      }
    case "unreported":
      return { do: "unreported", tokens: a, ...requestOf(state, n, b) }
    case "debit":
      return { do: "childDebit", childSessionId: pick(CHILDREN, b), tokens: a % 50, ...(w < 4 ? { requestId: `d${n}` } : {}) }
    default:
      return {
        do: "sideUsage",
        purpose: "review",
        usage: usage(b),
        ...(b % 6 === 0 ? { usageReported: false } : {}),
        ...priced(b),
        ...requestOf(state, n, a),
      }
  }
}

/** The command of a step; undefined when it has none in this state. */
const commandOf = (state: LedgerState, n: number, given: Step): LedgerCommand | undefined => {
  const { kind, a, b, w } = given
  switch (kind) {
    case "prompt":
    case "user":
      return {
        do: "user",
        text: said(n, "u", w),
        ...(a % 3 === 0 ? { notes: [`#${n}. note`] } : {}),
        ...(b % 3 === 0 ? { attachments: [said(n, "@", w)] } : {}),
      }
    case "snapshot":
      return { do: "snapshot", tree: `tree ${n}`, prompt: said(n, "u", w), durationMs: 1 }
    case "answer":
      return { do: "assistant", step: 1, response: response(blocks(n, given), b), ...priced(b), ...requestOf(state, n, a + b) }
    case "results":
    case "part":
    case "report":
      return results(state, n, given)
    case "stranger":
      return { do: "toolResults", results: [{ toolUseId: "nobody's", content: "x" }], calls: [] }
    case "close":
      return { do: "closeOpenToolCalls" }
    case "undo":
      return { do: "undo", after: `after ${n}` }
    case "redo":
      return { do: "redo" }
    case "compact":
      return compaction(state, n, given)
    case "model":
      return { do: "model", model: pick(MODELS, a), ...(b % 2 === 0 ? { version: "0.2" } : {}) }
    case "resume":
      return { do: "resume" }
    case "other":
      return { do: "resume", model: pick(MODELS, a) }
    case "continue":
      return { do: "continue", text: said(n, "n", w), maxTokens: 32_000 }
    case "reserve":
    case "unreported":
    case "debit":
    case "side":
      return spending(state, n, given)
    case "title":
      return { do: "title", title: said(n, "title", w) }
    case "thinking":
      return { do: "thinking", choice: pick(["low", "high"], a) }
    case "end":
      return { do: "end", stopReason: "done", steps: 1 }
  }
}

/** The commands of a step, one after the other. A prompt has a snapshot before it. */
export const commandsOf = (n: number, given: Step): ReadonlyArray<(state: LedgerState) => LedgerCommand | undefined> => {
  const own = (state: LedgerState): LedgerCommand | undefined => commandOf(state, n, given)
  return given.kind === "prompt" ? [(state) => commandOf(state, n, { ...given, kind: "snapshot" }), own] : [own]
}

export const stampOf = (n: number): Stamp => ({ at: Date.UTC(2026, 0, 1) + 1_000 * n, entropy: "0".repeat(32) })

export const START: LedgerCommand = {
  do: "start",
  sessionId: "20260101-000000-a1b2",
  root: "/w",
  model: "m1",
  limits: { maxSteps: 50, tokenBudget: 1_000, contextWindow: 200 },
}

/** Dispatches a start and the steps, and tells of each command what it wrote and in which states it did. */
export const run = (
  given: ReadonlyArray<Step>,
  tell: (dispatched: {
    readonly n: number
    readonly command: LedgerCommand
    readonly before: LedgerState
    readonly records: ReadonlyArray<LedgerRecord>
    readonly isRejected: boolean
  }) => LedgerState,
): LedgerState => {
  let state = ledgerModel.initial
  const dispatch = (n: number, command: LedgerCommand | undefined): void => {
    if (command === undefined) return
    const decided = ledgerModel.decide(state, command, stampOf(n))
    const records = Result.getOrElse(decided, () => [])
    state = tell({ n, command, before: state, records, isRejected: Result.isFailure(decided) })
  }
  dispatch(0, START)
  given.forEach((each, at) => {
    for (const make of commandsOf(at + 1, each)) dispatch(at + 1, make(state))
  })
  return state
}

/** The records of a session that was never left. */
export const recordsOf = (given: ReadonlyArray<Step>): ReadonlyArray<LedgerRecord> => {
  const all: Array<LedgerRecord> = []
  run(given, ({ before, records }) => {
    all.push(...records)
    return replay(ledgerModel, records, before)
  })
  return all
}

/** Something that happens to a file. */
interface Harm {
  readonly as: "strangers" | "unknown" | "unusable" | "again" | "gone" | "moved" | "foreign"
  readonly at: number
  readonly more: JsonObject
  readonly value: Json
}

const harm: fc.Arbitrary<Harm> = fc.record({
  as: fc.constantFrom("strangers", "strangers", "unknown", "unusable", "again", "again", "gone", "moved", "foreign"),
  at: fc.nat({ max: 60 }),
  more: strangers,
  value: json,
})

/** Members that nobody knows, at every level. */
const withStrangers = (value: Json, more: JsonObject): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => withStrangers(item, more))
  if (typeof value !== "object" || value === null) return value
  const known = Object.entries(value).map(([key, member]) => [key, withStrangers(member, more)] as const)
  return { ...more, ...(Object.fromEntries(known) as JsonObject) }
}

const KNOWN_MEMBERS = ["message", "response", "tokens", "t", "model", "messages", "calls", "tree", "requestId", "type"]

const harmed = (records: ReadonlyArray<JsonObject>, { as, at, more, value }: Harm): ReadonlyArray<JsonObject> => {
  const place = records.length === 0 ? 0 : at % records.length
  const hit = records[place]
  const put = (...instead: ReadonlyArray<JsonObject>) => records.toSpliced(place, 1, ...instead)
  if (hit === undefined) return records
  switch (as) {
    case "strangers":
      return put(withStrangers(hit, more) as JsonObject)
    case "unknown":
      return put(hit, { ...more, t: "2026", type: pick(["", "constructor", "of the future"], at) })
    case "unusable":
      return put({ ...hit, [pick(KNOWN_MEMBERS, at)]: value })
    case "again":
      return put(hit, hit)
    case "gone":
      return put()
    case "moved":
      return [...put(), hit]
    case "foreign": {
      const role = at % 2 === 0 ? "assistant" : "user"
      const content = [
        text(`#${at}. f`),
        { type: at % 3 === 0 ? "tool_result" : "tool_use", id: "c1", toolUseId: "c1", content: "" },
      ]
      return put(hit, { t: "2026", type: "user", message: { role, content } })
    }
  }
}

/** The record as a file without marks has it: secrets are the bare marker, requests have no ids. */
const legacy = (record: JsonObject): JsonObject => {
  const { redactionMarks: _, requestId: __, ...rest } = record
  return JSON.parse(JSON.stringify(rest).replaceAll(SECRET, "[REDACTED]").replaceAll(TOKEN, "[REDACTED]")) as JsonObject
}

/** Records as a file may hold them, harmed in any way, with and without marks. */
export const rawRecords: fc.Arbitrary<ReadonlyArray<LedgerRecord>> = fc
  .tuple(steps, fc.array(harm, { maxLength: 6 }), fc.boolean(), fc.boolean())
  .map(([given, harms, isLegacy, isHeadless]) => {
    const written = recordsOf(given).slice(isHeadless && harms.length > 2 ? 1 : 0)
    return harms.reduce(harmed, isLegacy ? written.filter(({ type }) => type !== "reserve").map(legacy) : written)
  })
  .map((records) => (records.length < 2 ? [] : records))
