/**
 * The records of a ledger session: one JSON object a line, `t` (ISO time) first, then `type`.
 *
 *     {"t":"2026-09-23T20:15:00.000Z","type":"start","sessionId":"…","root":"…","version":"…","model":"…","limits":{…}}
 *     {"t":"…","type":"user","message":{"role":"user","content":[{"type":"text","text":"…"}]}}
 *
 * A record can be used if and only if `t` is a string and the members of its type are as in {@link RECORD_SHAPES}. One that cannot be
 * used has no effect and is a damage; one of an unknown type has none and is kept. Members that are not in the table are kept too.
 *
 * Members of our own, absent in older files and passed over by other readers:
 * - `requestId`: the request to a model that a record settles, unlike any other in the session, those of its subagents included. The same
 *   request is charged once and answered once.
 * - `reserve`: tokens set aside for a request, so that a crash before its end does not lose the spending.
 * - `usageReported`: false when the provider did not say what was used; then `usage` is an estimate.
 * - `redacted`: what redaction took out of this record, and where. `redactionMarks` in a start or resume record says that the records
 *   from there on carry such marks.
 */
import { type JsonObject, ownString } from "../model/Json.ts"
import { type Flaw, flaw, listOf, maybe, of, type Shape, type Shaped } from "../model/Shape.ts"

export const USAGE = {
  inputTokens: "amount",
  outputTokens: "amount",
  cacheReadTokens: "amount",
  cacheWriteTokens: "amount",
  webSearches: "amount?",
} as const satisfies Shape

/** Tokens that a model has read and written, and the searches it made. */
export type Usage = Shaped<typeof USAGE>

const MESSAGE = { role: "role of a turn", content: "list of objects" } as const satisfies Shape

/** A turn of one side: blocks of text, thinking, tool calls and tool results. Blocks are open JSON objects. */
export type Message = Shaped<typeof MESSAGE>

export const RESPONSE = {
  content: "list of objects",
  stopReason: "string",
  usage: of(USAGE),
  usageReported: "boolean?",
  priceFactor: "number?",
} as const satisfies Shape

/** What a model answered. */
export type ModelResponse = Shaped<typeof RESPONSE>

export const LIMITS = { maxSteps: "amount", tokenBudget: "amount", contextWindow: "amount" } as const satisfies Shape

export type RunLimits = Shaped<typeof LIMITS>

const REPORT = {
  sessionId: "string",
  model: "string?",
  steps: "number?",
  stopReason: "string?",
  usage: of(USAGE),
  costUsd: "amount?",
  costIncomplete: "boolean?",
  requestId: "string?",
} as const satisfies Shape

/** What a subagent has spent, as it reports to its parent. */
export type SubagentReport = Shaped<typeof REPORT>

export const CALL = {
  toolUseId: "string",
  name: "string",
  durationMs: "number",
  executor: "string?",
  isolation: "string?",
  subagent: maybe(of(REPORT)),
} as const satisfies Shape

/** What is known of a tool call beside its result. */
export type ToolCallMeta = Shaped<typeof CALL>

const START = {
  sessionId: "string",
  root: "string",
  version: "string?",
  model: "string",
  executor: "string?",
  isolation: "string?",
  limits: maybe(of(LIMITS)),
  redactionMarks: "boolean?",
} as const satisfies Shape

/** What a run is about: whose session, in which directory, with which model and limits. */
export type StartInfo = Shaped<typeof START>

/** The members of each known type beyond `t` and `type`. */
export const RECORD_SHAPES = {
  start: START,
  resume: START,
  model: START,
  user: { message: of(MESSAGE) },
  assistant: { step: "number", response: of(RESPONSE), costUsd: "amount?", requestId: "string?" },
  tool_results: { message: of(MESSAGE), calls: listOf(CALL), synthetic: "boolean?" },
  compaction: {
    stage: "string",
    beforeTokens: "amount",
    afterTokens: "amount",
    messages: listOf(MESSAGE),
    summary: maybe(of(RESPONSE)),
    costUsd: "amount?",
    requestId: "string?",
  },
  snapshot: { tree: "string", messages: "amount", prompt: "string", durationMs: "number" },
  undo: { after: "string" },
  redo: {},
  title: { title: "string" },
  thinking: { choice: "string" },
  continue: { message: of(MESSAGE), maxTokens: "number" },
  reserve: { requestId: "string", tokens: "amount" },
  unreported: { tokens: "amount", requestId: "string?" },
  child_debit: { childSessionId: "string", tokens: "amount", requestId: "string?" },
  side_usage: {
    purpose: "string",
    usage: of(USAGE),
    usageReported: "boolean?",
    costUsd: "amount?",
    requestId: "string?",
  },
  end: { stopReason: "string", steps: "number" },
} as const satisfies Readonly<Record<string, Shape>>

export type RecordType = keyof typeof RECORD_SHAPES

/** One record of a ledger: any JSON object. */
export type LedgerRecord = JsonObject

/** A record of a known type that can be used. */
export type RecordOf<T extends RecordType> = { readonly t: string; readonly type: T } & Shaped<(typeof RECORD_SHAPES)[T]>

export type KnownRecord = { readonly [T in RecordType]: RecordOf<T> }[RecordType]

const BASE = { t: "string" } as const satisfies Shape

export const isKnownType = (type: string): type is RecordType => Object.hasOwn(RECORD_SHAPES, type)

/** What a record is to a reader. */
export type Classified =
  | { readonly _tag: "Known"; readonly record: KnownRecord }
  | { readonly _tag: "Unusable"; readonly flaw: Flaw }
  | { readonly _tag: "Unknown" }

/** Holds a record to the shape of its type. Cost: its members, each once. */
export const classify = (record: LedgerRecord): Classified => {
  const type = ownString(record, "type") ?? ""
  if (!isKnownType(type)) return { _tag: "Unknown" }
  const found = flaw(record, BASE) ?? flaw(record, RECORD_SHAPES[type])
  return found === undefined ? { _tag: "Known", record: record as unknown as KnownRecord } : { _tag: "Unusable", flaw: found }
}
