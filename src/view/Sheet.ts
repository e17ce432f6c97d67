/** What a session is, on a sheet for people: a title, its file, then one line for each thing worth knowing, damage at the end. */
import type { Damage } from "../journal/Damage.ts"
import { damageLines } from "./DamageView.ts"
import { oneLine, visible } from "./Escape.ts"
import { bytes, duration, integer, moment, tokens } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import { cut, fill } from "./Width.ts"

/** Values that are listed before the rest is only counted. */
const SHOWN = 5

/** Names in a list of numbers. */
const NAMED = 6

const NAME_COLUMNS = 9

export interface SheetOptions {
  readonly style: Style
  readonly columns: number
}

export interface Sheet {
  readonly title: string | null
  readonly starred: boolean
  readonly path: string
  readonly bytes: number
  /** Name and value of each line, safe to show; a value of several lines stands under one name, one of none is left out. */
  readonly fields: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]>
  readonly damage: ReadonlyArray<Damage>
}

/** Names with their numbers, the largest first, the small ones of a long list added up. */
export const numbered = (names: ReadonlyArray<readonly [name: string, n: number]>): string => {
  const sorted = [...names].sort(([, a], [, b]) => b - a)
  const rest = sorted.slice(NAMED).reduce((sum, [, n]) => sum + n, 0)
  const parts = sorted.slice(0, NAMED).map(([name, n]) => `${integer(n)} ${oneLine(name)}`)
  return [...parts, ...(rest === 0 ? [] : [`${integer(rest)} of other kinds`])].join(", ")
}

/** From when to when. */
export const period = (created: string | null, modified: string | null): string => {
  const from = created === null ? undefined : moment(created)
  const to = modified === null ? undefined : moment(modified)
  if (created === null || modified === null || from === undefined || to === undefined) return from ?? to ?? "unknown"
  const length = Date.parse(modified) - Date.parse(created)
  return length < 60_000 ? from : `${from} to ${to}  (${duration(length)})`
}

/** Tokens by what they were. */
export const tokensByUse = (usage: {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}): string => {
  const parts = [
    [usage.input, "in"],
    [usage.output, "out"],
    [usage.cacheRead, "cache read"],
    [usage.cacheWrite, "cache written"],
  ] as const
  return parts.map(([n, name]) => `${tokens(n)} ${name}`).join(" · ")
}

/** The first lines of a list, and how many more there are. */
export const few = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= SHOWN ? lines : [...lines.slice(0, SHOWN - 1), `… and ${integer(lines.length - SHOWN + 1)} more`]

/** The lines of a sheet. */
export const sheetLines = (sheet: Sheet, { style, columns }: SheetOptions): ReadonlyArray<string> => {
  const name = sheet.title === null ? style.dim("(no title)") : style.bold(cut(oneLine(sheet.title), columns - 2))
  const rows = sheet.fields.flatMap(([field, values]) =>
    values.map((value, at) => `  ${style.dim(fill(at === 0 ? field : "", NAME_COLUMNS))}${value}`),
  )
  const damage = sheet.damage.length === 0 ? [] : ["", ...damageLines(sheet.damage, style).map((line) => `  ${line}`)]
  const path = style.dim(`${visible(sheet.path)}, ${bytes(sheet.bytes)}`)
  return [`${name}${sheet.starred ? style.yellow(" ★") : ""}`, path, "", ...rows, ...damage]
}
