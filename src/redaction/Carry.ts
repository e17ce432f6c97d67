/**
 * What the texts of a source ended with, so that a secret that was cut between two of them is known in the second.
 *
 * Bounded in every direction: so many sources, so many texts of each, so many characters of a text. It is kept in memory only and holds
 * clear text. A text that comes again, as a record does that is encoded twice, meets what it met the first time and changes nothing.
 */
import { PRIVATE_KEY } from "./Formats.ts"
import type { Span } from "./Span.ts"

const MOST_SOURCES = 256
/** Texts of one source that are told apart when they come again. */
const MOST_TEXTS = 8
/** Characters of a text's end that are kept: when nothing reaches it, before what reaches it, and in all. */
const TAIL = 256
const BEFORE = 128
const MOST = 8_192

interface Entry {
  readonly start: string
  readonly end: string
  readonly length: number
  /** What stood before the text, and what stands before the next one. */
  readonly before: string
  readonly after: string
}

/** The beginning of a line of a private key, too short to be told for one. */
const LINE_BEGUN = /^(?:[\s"'>|+]|\\+[nrt]?)*[A-Za-z0-9+/]{0,40}$/
const LONGEST_BEGUN = 64

/** Whether a secret goes on, or may go on, in the next text. */
const isOpen = ({ end, kind }: Span, text: string): boolean => {
  if (text.length - end > LONGEST_BEGUN) return false
  const rest = text.slice(end)
  return kind === PRIVATE_KEY ? LINE_BEGUN.test(rest) : rest.length <= 2 && /^[\s\\]*$/.test(rest)
}

/** What the next text goes on with: the end of this one, from the beginning of a secret that reaches it. */
const tailOf = (text: string, search: (text: string) => ReadonlyArray<Span>): string => {
  const end = text.slice(-MOST)
  const last = search(end).at(-1)
  if (last === undefined || !isOpen(last, end)) return end.slice(-TAIL)
  const tail = end.slice(Math.max(0, Math.min(last.start - BEFORE, end.length - TAIL)))
  return tail
}

/** Shorter texts come again by chance. */
const LEAST_TOLD_APART = 64

const isSame = (entry: Entry, text: string): boolean =>
  text.length >= LEAST_TOLD_APART && entry.length === text.length && text.startsWith(entry.start) && text.endsWith(entry.end)

export class Carry {
  readonly #entries = new Map<string, Array<Entry>>()
  /** What stood before the texts of a record that is still in memory. */
  readonly #met = new WeakMap<object, string>()

  /**
   * What stood before a text of the sources: the end of the last text of the first source that has had one. Remembers the end of this
   * text for each of them. `holder` is the object that the text is of.
   */
  meet(holder: object, sources: ReadonlyArray<string>, text: string, search: (text: string) => ReadonlyArray<Span>): string {
    const met = this.#met.get(holder) ?? this.#find(sources, text)
    if (met !== undefined) return met
    const before = this.#last(sources)
    this.#met.set(holder, before)
    if (text === "") return before
    const after = tailOf(before + text, search)
    const entry = {
      start: text.slice(0, LEAST_TOLD_APART),
      end: text.slice(-LEAST_TOLD_APART),
      length: text.length,
      before,
      after,
    }
    for (const source of sources) this.#put(source, entry)
    return before
  }

  #find(sources: ReadonlyArray<string>, text: string): string | undefined {
    for (const source of sources) {
      const entry = this.#entries.get(source)?.find((other) => isSame(other, text))
      if (entry !== undefined) return entry.before
    }
    return undefined
  }

  #last(sources: ReadonlyArray<string>): string {
    for (const source of sources) {
      const entries = this.#entries.get(source)
      if (entries !== undefined) return entries.at(-1)?.after ?? ""
    }
    return ""
  }

  #put(source: string, entry: Entry): void {
    const entries = this.#entries.get(source) ?? []
    if (entries.length === MOST_TEXTS) entries.shift()
    entries.push(entry)
    const [oldest] = this.#entries.keys()
    if (!this.#entries.has(source) && oldest !== undefined && this.#entries.size >= MOST_SOURCES) this.#entries.delete(oldest)
    this.#entries.set(source, entries)
  }
}
