/** What a session amounts to at a glance: title, counts, usage and cost, tool calls without a result. Views over a state. */
import * as Result from "effect/Result"
import { isObject, type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { iterate } from "../model/Sequence.ts"
import { readHeader } from "./Header.ts"
import type { TreeRejection } from "./Rejection.ts"
import { type EntryTitle, recordAt, type TreeState } from "./State.ts"
import { labels, path, records } from "./Tree.ts"

/** The session's title: the header's, else the last one that an entry of pi or oh-my-pi gave. */
export const title = (state: TreeState): EntryTitle | undefined => {
  const header = readHeader(state.header ?? {})
  if (header.title === undefined) return state.entryTitle
  return { title: header.title, source: header.titleSource ?? "auto" }
}

/** The number of entries of each type. */
export const counts = (state: TreeState): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const { type } of iterate(state.entries)) {
    found.set(type, (found.get(type) ?? 0) + 1)
  }
  return found
}

/** Tokens and money of all calls of a model, on all branches. */
export interface UsageTotals {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** In US dollars. A known minimum when `incomplete`. */
  readonly cost: number
  /** True when a call does not say what it used or what it cost, or says it in a way that cannot be added up. */
  readonly incomplete: boolean
}

const amount = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

const TOKENS = ["input", "output", "cacheRead", "cacheWrite"] as const

/**
 * What the calls behind an entry used; undefined in the list for one that does not say. An answer and the records that other agents keep
 * of further calls (`usage` of pi, `model_usage` of oh-my-pi) each stand for a call. A summary and a tool may have called a model.
 */
const usagesIn = (record: JsonObject): ReadonlyArray<JsonObject | undefined> => {
  const type = own(record, "type")
  const holder = type === "message" ? (ownObject(record, "message") ?? {}) : record
  const used = ownObject(holder, "usage")
  const isCall = type === "message" ? own(holder, "role") === "assistant" : type === "usage" || type === "model_usage"
  if (isCall) return [used]
  const may = type === "message" ? own(holder, "role") === "toolResult" : type === "compaction" || type === "branch_summary"
  return may && used !== undefined ? [used] : []
}

/** The sums over all entries of all branches, patches folded in. A call whose figures are unusable adds nothing and makes them incomplete. */
export const usage = (state: TreeState): UsageTotals => {
  let totals: UsageTotals = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, incomplete: false }
  for (let position = 0; position < state.entries.length; position++) {
    for (const used of usagesIn(recordAt(state, position) ?? {})) totals = added(totals, used)
  }
  return totals
}

const added = (totals: UsageTotals, usage: JsonObject | undefined): UsageTotals => {
  const tokens = TOKENS.map((name) => amount(own(usage ?? {}, name)))
  const [input, output, cacheRead, cacheWrite] = tokens
  if (input === undefined || output === undefined || cacheRead === undefined || cacheWrite === undefined) {
    return { ...totals, incomplete: true }
  }
  const cost = amount(own(ownObject(usage ?? {}, "cost") ?? {}, "total"))
  const sum = {
    input: totals.input + input,
    output: totals.output + output,
    cacheRead: totals.cacheRead + cacheRead,
    cacheWrite: totals.cacheWrite + cacheWrite,
    cost: totals.cost + (cost ?? 0),
  }
  if (!Object.values(sum).every(Number.isFinite)) return { ...totals, incomplete: true }
  return { ...sum, incomplete: totals.incomplete || cost === undefined }
}

/** A tool call whose result is not further down the path. */
export interface OpenToolCall {
  readonly entryId: string
  readonly callId: string
  readonly name: string
}

const callsIn = (record: JsonObject): ReadonlyArray<OpenToolCall> => {
  const message = ownObject(record, "message") ?? {}
  const content = own(message, "content")
  if (own(record, "type") !== "message" || own(message, "role") !== "assistant" || !Array.isArray(content)) return []
  const entryId = ownString(record, "id") ?? ""
  return content.flatMap((block: Json) => {
    if (!isObject(block) || own(block, "type") !== "toolCall") return []
    return [{ entryId, callId: ownString(block, "id") ?? "", name: ownString(block, "name") ?? "" }]
  })
}

/** The tool calls on the path to a leaf that have no result on it, in call order. */
export const openToolCalls = (
  state: TreeState,
  leaf: string | null = state.leaf,
): Result.Result<ReadonlyArray<OpenToolCall>, TreeRejection> =>
  Result.map(path(state, leaf), (found) => {
    const open = new Map<string, OpenToolCall>()
    for (const record of records(state, found)) {
      for (const call of callsIn(record)) open.set(call.callId, call)
      const message = ownObject(record, "message") ?? {}
      if (own(message, "role") === "toolResult") open.delete(ownString(message, "toolCallId") ?? "")
    }
    return [...open.values()]
  })

/** The whole state as JSON, the same for equal states: what `replay` shows and what laws compare. */
export const stateJson = (state: TreeState): JsonObject => ({
  version: state.version,
  header: state.header ?? null,
  leaf: state.leaf,
  entries: Array.from({ length: state.entries.length }, (_, position) => recordAt(state, position) ?? {}),
  labels: Object.fromEntries(labels(state)),
})
