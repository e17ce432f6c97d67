/** The summary of a ledger session for people. */
import { oneLine, visible } from "./Escape.ts"
import type { ShownLedger } from "./LedgerSummary.ts"
import { bytes, count, dollars, integer, tokens } from "./Quantity.ts"
import { few, numbered, period, type Sheet, type SheetOptions, sheetLines, tokensByUse } from "./Sheet.ts"

const costOf = ({ cost }: ShownLedger): string => {
  if (cost.usd === undefined) return "unknown  (something was spent that has no price)"
  return cost.incomplete ? `≥ ${dollars(cost.usd)}  (incomplete)` : dollars(cost.usd)
}

const undoOf = ({ undo }: ShownLedger): ReadonlyArray<string> => {
  const parts = [
    ...(undo.undoable === 0 ? [] : [`${count(undo.undoable, "turn")} can be undone`]),
    ...(undo.redoable === 0 ? [] : [`${count(undo.redoable, "turn")} can be put back`]),
  ]
  return parts.length === 0 ? [] : [parts.join(", ")]
}

const recordsOf = ({ counts }: ShownLedger): string => {
  const types = Object.entries(counts.byType).map(
    ([type, n]) => [type === "" ? "without a type" : type.replaceAll("_", " "), n] as const,
  )
  return `${integer(counts.records)}${types.length === 0 ? "" : `: ${numbered(types)}`}`
}

const turnsOf = (shown: ShownLedger): string => {
  const { messages, turns, byRole } = shown.counts
  const roles = messages === 0 ? "" : `: ${numbered(Object.entries(byRole))}`
  return `${count(turns, "prompt")}, ${count(messages, "message")}${roles}`
}

const limitsOf = ({ limits }: ShownLedger): ReadonlyArray<string> =>
  limits === null
    ? []
    : [
        `${count(limits.maxSteps, "step")} a run, ${tokens(limits.tokenBudget)} tokens altogether, ${tokens(limits.contextWindow)} in the context`,
      ]

const budgetOf = ({ budget, reservations }: ShownLedger): ReadonlyArray<string> => {
  const reserved = Object.values(reservations).reduce((sum, n) => sum + n, 0)
  const of = budget.limit === undefined ? "" : ` of ${tokens(budget.limit)}`
  return [
    `${tokens(budget.used)}${of} tokens used${reserved === 0 ? "" : `, ${tokens(reserved)} set aside for requests under way`}`,
    ...(budget.note === undefined ? [] : [oneLine(budget.note)]),
  ]
}

const usageOf = ({ usage }: ShownLedger): string =>
  `${tokensByUse(usage)}${usage.webSearches === undefined ? "" : ` · ${count(usage.webSearches, "search", "searches")}`}`

const fields = (shown: ShownLedger): Sheet["fields"] => [
  ["format", [`ledger${shown.writtenBy === null ? "" : `, written by version ${oneLine(shown.writtenBy)}`}`]],
  ["session", [visible(shown.id)]],
  ["folder", shown.cwd === null ? [] : [visible(shown.cwd)]],
  ["time", [period(shown.created, shown.modified)]],
  [
    "model",
    shown.model === null
      ? []
      : [`${oneLine(shown.model)}${shown.thinking === null ? "" : `, thinking ${oneLine(shown.thinking)}`}`],
  ],
  ["limits", limitsOf(shown)],
  ["records", [recordsOf(shown)]],
  ["turns", [turnsOf(shown)]],
  ["undo", undoOf(shown)],
  ["context", [`${bytes(shown.context.bytes)}, ${tokens(shown.context.tokens)} tokens at the last answer or compaction`]],
  ["usage", [usageOf(shown)]],
  ["budget", budgetOf(shown)],
  ["cost", [costOf(shown)]],
  [
    "pending",
    few(Object.entries(shown.childDebits).map(([id, n]) => `${visible(id)}  has spent ${tokens(n)} tokens and not reported yet`)),
  ],
  ["open", few(shown.openToolCalls.map(({ name, callId }) => `${oneLine(name)}  ${visible(callId)}  has no result yet`))],
  ["agents", few(shown.children.map(({ id, size }) => `${visible(id)}  ${bytes(size)}`))],
]

/** The lines of a summary, damage at the end. */
export const ledgerSummaryLines = (shown: ShownLedger, options: SheetOptions): ReadonlyArray<string> =>
  sheetLines({ ...shown, starred: false, fields: fields(shown) }, options)
