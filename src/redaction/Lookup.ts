/**
 * What is looked for in every text: formats, and known values in all their spellings. Values may be added at any time and are never taken
 * out, so nothing that was once found is ever shown again.
 *
 * The tables are large and most sessions learn nothing, so one that follows another has none of its own until a value is added to it.
 */
import { type Anchor, formatTable, literal, Table } from "./Anchors.ts"
import { encodingsOf } from "./Encodings.ts"
import { Windows } from "./Windows.ts"

/** What has been added. */
class Tables {
  /** Known values and formats. */
  readonly all: Table
  /** Known values alone. */
  readonly known: Table
  /** Parts of known values. */
  readonly windows: Windows
  /** Known values with blanks in them. */
  readonly spaced: Array<string>
  readonly numbers: Array<Anchor>
  readonly values: Set<string>

  /** Formats alone, or all that others hold. */
  constructor(from?: Tables) {
    this.all = from === undefined ? formatTable() : new Table(true, from.all)
    this.known = new Table(false, from?.known)
    this.windows = new Windows(from?.windows)
    this.spaced = [...(from?.spaced ?? [])]
    this.numbers = [...(from?.numbers ?? [])]
    this.values = new Set(from?.values)
  }

  add(value: string, kind: string, rank: number): void {
    this.values.add(value)
    const raw = literal(value, kind, rank)
    if (/[ \t\r\n]/.test(value)) this.spaced.push(value)
    if (/^[0-9.eE+-]*$/.test(value)) this.numbers.push(raw)
    for (const spelling of [value, ...encodingsOf(value)]) {
      const anchor = literal(spelling, kind, rank)
      this.all.add(anchor)
      this.known.add(anchor)
      this.windows.add(spelling, kind, rank)
    }
  }
}

export class Lookup {
  #tables: Tables
  #isShared: boolean

  /** Of formats alone, or of all that another looks for: also of what is added to that one, until a value is added to this one. */
  constructor(from?: Lookup) {
    this.#tables = from === undefined ? new Tables() : from.#tables
    this.#isShared = from !== undefined
  }

  /** Whether the tables are those of another. */
  get isShared(): boolean {
    return this.#isShared
  }

  /** Known values and formats. */
  get all(): Table {
    return this.#tables.all
  }

  /** Known values alone. */
  get known(): Table {
    return this.#tables.known
  }

  /** Parts of known values. */
  get windows(): Windows {
    return this.#tables.windows
  }

  /** Known values with blanks in them. */
  get spaced(): ReadonlyArray<string> {
    return this.#tables.spaced
  }

  /** Looks for a value from now on, under a kind. Of anchors that begin alike the lowest rank names the kind. False when it was known. */
  add(value: string, kind: string, rank: number): boolean {
    if (this.#tables.values.has(value)) return false
    if (this.#isShared) this.#tables = new Tables(this.#tables)
    this.#isShared = false
    this.#tables.add(value, kind, rank)
    return true
  }

  /** The kind of known value that a text of numbers holds, if any. */
  kindOfNumber(text: string): string | undefined {
    const { numbers } = this.#tables
    return numbers.length === 0 ? undefined : numbers.find((anchor) => text.includes(anchor.text))?.kind
  }
}
