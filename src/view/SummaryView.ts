/** The summary of a tree session for people. */
import { CURRENT_VERSION } from "../tree/Header.ts"
import { oneLine, visible } from "./Escape.ts"
import { bytes, count, dollars, integer, tokens } from "./Quantity.ts"
import { few, numbered, period, type Sheet, type SheetOptions, sheetLines, tokensByUse } from "./Sheet.ts"
import type { Summary } from "./Summary.ts"

const formatOf = ({ dialect, version }: Summary): string =>
  `${dialect}, version ${version}${version === CURRENT_VERSION && dialect === "gjc" ? "" : `  (an append needs a migration to version ${CURRENT_VERSION})`}`

const entriesOf = ({ counts }: Summary): ReadonlyArray<string> => {
  const others = Object.entries(counts.byType).filter(([type]) => type !== "message")
  return [
    `${integer(counts.entries)} in ${count(counts.records, "record")}`,
    ...(counts.messages === 0 ? [] : [`${count(counts.messages, "message")}: ${numbered(Object.entries(counts.byRole))}`]),
    ...(others.length === 0 ? [] : [numbered(others.map(([type, n]) => [type.replaceAll("_", " "), n]))]),
  ]
}

const treeOf = ({ counts, leaf }: Summary): string => {
  const shape =
    counts.roots === 1 && counts.branches === 1 ? "one line" : `${count(counts.roots, "root")}, ${count(counts.branches, "tip")}`
  return `${counts.entries === 0 ? "empty" : shape}, ${leaf === null ? "no leaf" : `leaf ${visible(leaf)}`}`
}

const contextOf = ({ context }: Summary): string => {
  const size = `${count(context.messages, "message")}, ${bytes(context.bytes)}`
  return context.tokens === undefined ? size : `${size}, ${tokens(context.tokens)} tokens at the last answer`
}

const costOf = ({ cost }: Summary): string => {
  if (cost.usd === undefined) return "unknown"
  return cost.incomplete ? `at least ${dollars(cost.usd)}  (not every answer says what it cost)` : dollars(cost.usd)
}

const fields = (summary: Summary): Sheet["fields"] => [
  ["format", [formatOf(summary)]],
  ["session", [visible(summary.id)]],
  ["parent", summary.parentSession === undefined ? [] : [visible(summary.parentSession)]],
  ["folder", summary.cwd === null ? [] : [visible(summary.cwd)]],
  ["time", [period(summary.created, summary.modified)]],
  ["model", summary.model === null ? [] : [`${oneLine(summary.model)}, thinking ${oneLine(summary.thinkingLevel)}`]],
  ["entries", entriesOf(summary)],
  ["tree", [treeOf(summary)]],
  ["labels", few(Object.entries(summary.labels).map(([id, label]) => `${visible(id)}  ${oneLine(label)}`))],
  ["context", [contextOf(summary)]],
  ["usage", [tokensByUse(summary.usage)]],
  ["cost", [costOf(summary)]],
  ["open", few(summary.openToolCalls.map(({ name, callId }) => `${oneLine(name)}  ${visible(callId)}  has no result yet`))],
]

/** The lines of a summary, damage at the end. */
export const summaryLines = (summary: Summary, options: SheetOptions): ReadonlyArray<string> =>
  sheetLines({ ...summary, fields: fields(summary) }, options)
