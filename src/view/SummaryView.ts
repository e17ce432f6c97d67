/** The summary of a session for people: its title, then one line for each thing worth knowing. */
import { CURRENT_VERSION } from "../tree/Header.ts"
import { damageLines } from "./DamageView.ts"
import { oneLine, visible } from "./Escape.ts"
import { bytes, count, dollars, duration, integer, moment, tokens } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import type { Summary } from "./Summary.ts"
import { cut, fill } from "./Width.ts"

/** Values that are listed before the rest is only counted. */
const SHOWN = 5

/** Names in a list of numbers. */
const NAMED = 6

const NAME_COLUMNS = 9

/** Names with their numbers, the largest first, the small ones of a long list added up. */
const list = (names: ReadonlyArray<readonly [name: string, n: number]>): string => {
  const sorted = [...names].sort(([, a], [, b]) => b - a)
  const rest = sorted.slice(NAMED).reduce((sum, [, n]) => sum + n, 0)
  const parts = sorted.slice(0, NAMED).map(([name, n]) => `${integer(n)} ${oneLine(name)}`)
  return [...parts, ...(rest === 0 ? [] : [`${integer(rest)} of other kinds`])].join(", ")
}

const formatOf = ({ dialect, version }: Summary): string =>
  `${dialect}, version ${version}${version === CURRENT_VERSION && dialect === "gjc" ? "" : `  (an append needs a migration to version ${CURRENT_VERSION})`}`

const timeOf = ({ created, modified }: Summary): string => {
  const from = created === null ? undefined : moment(created)
  const to = modified === null ? undefined : moment(modified)
  if (created === null || modified === null || from === undefined || to === undefined) return from ?? to ?? "unknown"
  const length = Date.parse(modified) - Date.parse(created)
  return length < 60_000 ? from : `${from} to ${to}  (${duration(length)})`
}

const entriesOf = ({ counts }: Summary): ReadonlyArray<string> => {
  const others = Object.entries(counts.byType).filter(([type]) => type !== "message")
  return [
    `${integer(counts.entries)} in ${count(counts.records, "record")}`,
    ...(counts.messages === 0 ? [] : [`${count(counts.messages, "message")}: ${list(Object.entries(counts.byRole))}`]),
    ...(others.length === 0 ? [] : [list(others.map(([type, n]) => [type.replaceAll("_", " "), n]))]),
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

const usageOf = ({ usage }: Summary): string => {
  const parts = [
    [usage.input, "in"],
    [usage.output, "out"],
    [usage.cacheRead, "cache read"],
    [usage.cacheWrite, "cache written"],
  ] as const
  return parts.map(([n, name]) => `${tokens(n)} ${name}`).join(" · ")
}

const costOf = ({ cost }: Summary): string => {
  if (cost.usd === undefined) return "unknown"
  return cost.incomplete ? `at least ${dollars(cost.usd)}  (not every answer says what it cost)` : dollars(cost.usd)
}

const few = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= SHOWN ? lines : [...lines.slice(0, SHOWN - 1), `… and ${integer(lines.length - SHOWN + 1)} more`]

/** Name and value of each line; a value of several lines stands under one name. */
const fields = (summary: Summary): ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]> => [
  ["format", [formatOf(summary)]],
  ["session", [visible(summary.id)]],
  ["parent", summary.parentSession === undefined ? [] : [visible(summary.parentSession)]],
  ["folder", summary.cwd === null ? [] : [visible(summary.cwd)]],
  ["time", [timeOf(summary)]],
  ["model", summary.model === null ? [] : [`${oneLine(summary.model)}, thinking ${oneLine(summary.thinkingLevel)}`]],
  ["entries", entriesOf(summary)],
  ["tree", [treeOf(summary)]],
  ["labels", few(Object.entries(summary.labels).map(([id, label]) => `${visible(id)}  ${oneLine(label)}`))],
  ["context", [contextOf(summary)]],
  ["usage", [usageOf(summary)]],
  ["cost", [costOf(summary)]],
  ["open", few(summary.openToolCalls.map(({ name, callId }) => `${oneLine(name)}  ${visible(callId)}  has no result yet`))],
]

export interface SummaryViewOptions {
  readonly style: Style
  readonly columns: number
}

/** The lines of a summary, damage at the end. */
export const summaryLines = (summary: Summary, { style, columns }: SummaryViewOptions): ReadonlyArray<string> => {
  const name = summary.title === null ? style.dim("(no title)") : style.bold(cut(oneLine(summary.title), columns - 2))
  const rows = fields(summary).flatMap(([field, values]) =>
    values.map((value, at) => `  ${style.dim(fill(at === 0 ? field : "", NAME_COLUMNS))}${value}`),
  )
  const damage = summary.damage.length === 0 ? [] : ["", ...damageLines(summary.damage, style).map((line) => `  ${line}`)]
  const path = style.dim(`${visible(summary.path)}, ${bytes(summary.bytes)}`)
  return [`${name}${summary.starred ? style.yellow(" ★") : ""}`, path, "", ...rows, ...damage]
}
