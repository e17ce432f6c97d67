/** What a ledger session amounts to at a glance. Views over a state. */
import { ownString } from "../model/Json.ts"
import { costText, costUsd, isCostIncomplete, usedTokens } from "./Accounting.ts"
import { callId } from "./Block.ts"
import { openCalls } from "./Calls.ts"
import type { LedgerRecord, RunLimits, Usage } from "./Record.ts"
import type { LedgerState } from "./State.ts"
import { shortLine } from "./Title.ts"

/** A tool call that has no result yet. */
export interface OpenCall {
  readonly toolUseId: string
  readonly name: string
}

export interface LedgerSummary {
  readonly id: string | undefined
  readonly root: string | undefined
  /** The last title; else the first line of the first prompt, at most 60 units; "" when there is neither. */
  readonly title: string
  /** Prompts of the user. Undone ones count, notes after a cut answer do not. */
  readonly turns: number
  /** Messages of the conversation as it stands. */
  readonly messages: number
  /** Of the last start, resume or model record. */
  readonly model: string | undefined
  readonly limits: RunLimits | undefined
  /** The last choice of how much to think. */
  readonly thinking: string | undefined
  /** The time of the first record, and that of the last that was work. */
  readonly created: string | undefined
  readonly worked: string | undefined
  readonly contextTokens: number
  /** As the providers reported it. */
  readonly usage: Usage
  /** What counts against the token budget: reported, unreported, and pending of subagents. */
  readonly usedTokens: number
  /** US dollars, at least; undefined when something has no price. */
  readonly costUsd: number | undefined
  readonly costIncomplete: boolean
  /** The cost for people. */
  readonly costText: string
  /** In the order of the answer that made them. */
  readonly openCalls: ReadonlyArray<OpenCall>
  /** Turns that can be undone and redone. */
  readonly undoable: number
  readonly redoable: number
}

/** The summary of a session. O(1), but for the messages since the last answer and the subagents that have not reported. */
export const summarise = (state: LedgerState): LedgerSummary => {
  const { accounting, start, undo } = state
  return {
    id: start?.sessionId,
    root: start?.root,
    title: state.title ?? shortLine((state.firstPrompt ?? "").trim()),
    turns: state.turns,
    messages: state.conversation.length,
    model: start?.model,
    limits: start?.limits,
    thinking: state.thinking,
    created: state.created,
    worked: state.worked,
    contextTokens: state.contextTokens,
    usage: accounting.usage,
    usedTokens: usedTokens(accounting),
    costUsd: costUsd(accounting),
    costIncomplete: isCostIncomplete(accounting),
    costText: costText(accounting),
    openCalls: openCalls(state.conversation).map((call) => ({ toolUseId: callId(call), name: ownString(call, "name") ?? "" })),
    undoable: undo.points.length,
    redoable: undo.redo.length,
  }
}

/** The number of records of each type, in the order in which the types first appear; "" for those without one. O(records). */
export const recordCounts = (records: Iterable<LedgerRecord>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const record of records) {
    const type = ownString(record, "type") ?? ""
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return counts
}
