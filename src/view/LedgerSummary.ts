/** What `show` says of a ledger session, as a value: the same for people and for programs. */
import type { Damage } from "../journal/Damage.ts"
import { budgetNote } from "../ledger/Accounting.ts"
import type { RunLimits, Usage } from "../ledger/Record.ts"
import { type LedgerState, messages } from "../ledger/State.ts"
import { summarise } from "../ledger/Summary.ts"
import type { Summary } from "./Summary.ts"
import { bytesOf } from "./Summary.ts"

/** The session of a subagent, beside that of its parent. */
export interface Child {
  readonly id: string
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** A session file as it was read. */
export interface LedgerSource {
  readonly path: string
  /** What the session is called when no record says. */
  readonly name: string
  readonly state: LedgerState
  readonly damages: ReadonlyArray<Damage>
  readonly records: number
  readonly bytes: number
  /** The number of records of each type. */
  readonly byType: ReadonlyMap<string, number>
  readonly children: ReadonlyArray<Child>
}

export interface ShownLedger extends Pick<Summary, "path" | "id" | "title" | "cwd" | "created" | "model" | "cost" | "bytes"> {
  readonly format: "ledger"
  /** A ledger has no version of its format. */
  readonly version: null
  /** The version of the program that wrote the last start, resume or model record. */
  readonly writtenBy: string | null
  /** The time of the last record that is work: a title is not. */
  readonly modified: string | null
  /** The last choice of how much to think. */
  readonly thinking: string | null
  readonly limits: RunLimits | null
  readonly counts: {
    readonly records: number
    /** Messages of the conversation as it stands. */
    readonly entries: number
    readonly messages: number
    /** Prompts. Undone ones count. */
    readonly turns: number
    readonly children: number
    readonly byType: Readonly<Record<string, number>>
    readonly byRole: Readonly<Record<string, number>>
  }
  readonly context: { readonly messages: number; readonly bytes: number; readonly tokens: number }
  readonly openToolCalls: ReadonlyArray<{ readonly callId: string; readonly name: string }>
  /** Turns that can be undone, and put back. */
  readonly undo: { readonly undoable: number; readonly redoable: number }
  /** As the providers reported it. */
  readonly usage: Summary["usage"] & { readonly webSearches?: number }
  /** Tokens that count against the budget of the session, and why they are more than was reported. */
  readonly budget: { readonly used: number; readonly limit?: number; readonly note?: string }
  readonly unreportedTokens: number
  /** Tokens of subagents that have not reported yet, by their session's id. */
  readonly childDebits: Readonly<Record<string, number>>
  /** Tokens set aside for requests that have not settled, by the request. */
  readonly reservations: Readonly<Record<string, number>>
  readonly children: ReadonlyArray<Child>
  readonly damage: ReadonlyArray<Damage>
}

const usageOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, webSearches }: Usage): ShownLedger["usage"] => ({
  input: inputTokens,
  output: outputTokens,
  cacheRead: cacheReadTokens,
  cacheWrite: cacheWriteTokens,
  ...(webSearches === undefined ? {} : { webSearches }),
})

const budgetOf = (state: LedgerState, used: number): ShownLedger["budget"] => {
  const limit = state.start?.limits?.tokenBudget
  const note = budgetNote(state.accounting)
  return { used, ...(limit === undefined ? {} : { limit }), ...(note === undefined ? {} : { note }) }
}

const countsOf = ({ state, records, byType, children }: LedgerSource): ShownLedger["counts"] => {
  const byRole = new Map<string, number>()
  for (const { role } of messages(state)) byRole.set(role, (byRole.get(role) ?? 0) + 1)
  const { length } = state.conversation
  return {
    records,
    entries: length,
    messages: length,
    turns: state.turns,
    children: children.length,
    byType: Object.fromEntries(byType),
    byRole: Object.fromEntries(byRole),
  }
}

/** The summary of a ledger session that was read. O(bytes of the conversation). */
export const summariseLedger = (source: LedgerSource): ShownLedger => {
  const { path, name, state, damages, bytes, children } = source
  const { accounting, start } = state
  const summary = summarise(state)
  return {
    path,
    format: "ledger",
    version: null,
    writtenBy: start?.version ?? null,
    id: summary.id ?? name,
    title: summary.title === "" ? null : summary.title,
    cwd: summary.root ?? null,
    created: summary.created ?? null,
    modified: summary.worked ?? null,
    model: summary.model ?? null,
    thinking: summary.thinking ?? null,
    limits: summary.limits ?? null,
    bytes,
    counts: countsOf(source),
    context: { messages: summary.messages, bytes: bytesOf(messages(state)), tokens: summary.contextTokens },
    openToolCalls: summary.openCalls.map(({ toolUseId, name: tool }) => ({ callId: toolUseId, name: tool })),
    undo: { undoable: summary.undoable, redoable: summary.redoable },
    usage: usageOf(summary.usage),
    budget: budgetOf(state, summary.usedTokens),
    cost: { ...(summary.costUsd === undefined ? {} : { usd: summary.costUsd }), incomplete: summary.costIncomplete },
    unreportedTokens: accounting.unreportedTokens,
    childDebits: Object.fromEntries(accounting.childDebits),
    reservations: Object.fromEntries(accounting.reservations),
    children,
    damage: damages,
  }
}
