/** The state of a ledger session as JSON: what its records amount to. The members always stand in this order. */
import { isCostIncomplete, pendingChildTokens, usedTokens } from "../ledger/Accounting.ts"
import type { LedgerState, RedoEntry, Turned, UndoPoint } from "../ledger/State.ts"
import type { JsonObject } from "../model/Json.ts"
import { toArray } from "../model/Sequence.ts"

const turnedJson = ({ id, message, redacted }: Turned): JsonObject => ({
  id,
  isRedacted: redacted.size > 0,
  ...(message as unknown as JsonObject),
})

const pointJson = ({ tree, prompt, from, contextTokens, conversation }: UndoPoint): JsonObject => ({
  tree,
  prompt,
  from,
  contextTokens,
  conversation,
})

const redoJson = ({ point, after, removed, contextTokens }: RedoEntry): JsonObject => ({
  point: pointJson(point),
  after,
  removed: removed.map(turnedJson),
  contextTokens,
})

const accountingJson = ({ accounting }: LedgerState): JsonObject => ({
  usage: { ...accounting.usage },
  unreportedTokens: accounting.unreportedTokens,
  childDebits: Object.fromEntries(accounting.childDebits),
  pendingChildTokens: pendingChildTokens(accounting),
  usedTokens: usedTokens(accounting),
  cost: {
    usd: accounting.cost.isPriced ? accounting.cost.knownUsd : null,
    knownUsd: accounting.cost.knownUsd,
    incomplete: isCostIncomplete(accounting),
  },
  reservations: Object.fromEntries(accounting.reservations),
  settled: toArray(accounting.settled),
})

/** The whole state. O(conversation). */
export const ledgerStateJson = (state: LedgerState): JsonObject => ({
  records: state.count,
  start: state.start === undefined ? null : { ...(state.start as unknown as JsonObject) },
  hasMarks: state.hasMarks,
  title: state.title ?? null,
  firstPrompt: state.firstPrompt ?? null,
  thinking: state.thinking ?? null,
  created: state.created ?? null,
  worked: state.worked ?? null,
  turns: state.turns,
  contextTokens: state.contextTokens,
  readsForgotten: state.readsForgotten,
  nextId: state.nextId,
  accounting: accountingJson(state),
  answers: toArray(state.answers),
  undo: { points: state.undo.points.map(pointJson), redo: state.undo.redo.map(redoJson) },
  conversation: toArray(state.conversation).map(turnedJson),
})
