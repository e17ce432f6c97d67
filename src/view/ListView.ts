/** Sessions in a list for people: newest first, three lines each, then what was left out. */
import { oneLine, visible } from "./Escape.ts"
import { bytes, count, integer, moment } from "./Quantity.ts"
import type { SheetOptions } from "./Sheet.ts"
import type { Style } from "./Style.ts"
import { cut, fill } from "./Width.ts"

/** A session of a list. */
export interface Listed {
  readonly id: string
  readonly path: string
  readonly format: "tree" | "ledger"
  readonly title: string | null
  readonly cwd: string | null
  readonly created: string | null
  /** Of a ledger the time of the last work, of a tree that of the last entry. */
  readonly modified: string | null
  readonly messageCount: number
  readonly messageCountIsEstimate: boolean
  readonly model?: string
  readonly starred?: boolean
  /** Prompts, of a ledger. */
  readonly turns?: number
  readonly cost: { readonly usd?: number; readonly incomplete: boolean }
  /** Bytes. */
  readonly size: number
  /** How many stretches of the file are damaged. */
  readonly damages: number
}

/** A file that is no session that can be read, and why. */
export interface Omitted {
  readonly path: string
  readonly code: string
}

export interface ListSource {
  readonly sessions: ReadonlyArray<Listed>
  readonly omitted: ReadonlyArray<Omitted>
  /** Files beyond the limit, which were not read. */
  readonly more: number
  /** A path as the person can type it. */
  readonly shown: (path: string) => string
}

const TIME_COLUMNS = 20

/** Files that were left out are listed up to so many. */
const SHOWN = 10

function* sessionLines(session: Listed, shown: ListSource["shown"], { style, columns }: SheetOptions): Generator<string> {
  const { title, modified, starred, messageCount, model, format, size, damages } = session
  const time = (modified === null ? undefined : moment(modified)) ?? "unknown time"
  const name = title === null ? style.dim("(no title)") : style.bold(cut(oneLine(title), columns - TIME_COLUMNS - 4))
  yield `${style.dim(fill(time, TIME_COLUMNS))}  ${name}${starred === true ? style.yellow(" ★") : ""}`
  const facts = [
    format,
    count(messageCount, "message"),
    ...(model === undefined ? [] : [oneLine(model)]),
    bytes(size),
    ...(damages === 0 ? [] : [count(damages, "damage")]),
  ]
  yield `${fill("", TIME_COLUMNS)}  ${visible(shown(session.path))}`
  yield `${fill("", TIME_COLUMNS)}  ${style.dim(facts.join(" · "))}`
}

/** What was left out, and why. */
export const omittedLines = ({ omitted, more, shown }: ListSource, style: Style): ReadonlyArray<string> => {
  const listed = omitted.slice(0, SHOWN).map(({ path, code }) => `  ${visible(shown(path))}  ${style.yellow(code)}`)
  const rest = omitted.length - SHOWN
  return [
    ...(omitted.length === 0 ? [] : [`${count(omitted.length, "file")} left out:`, ...listed]),
    ...(rest > 0 ? [`  … and ${integer(rest)} more`] : []),
    ...(more === 0 ? [] : [`${count(more, "older file")} not looked into; --limit N shows more`]),
  ]
}

/** The sessions, three lines each. */
export function* listLines({ sessions, shown }: ListSource, options: SheetOptions): Generator<string> {
  for (const session of sessions) yield* sessionLines(session, shown, options)
}
