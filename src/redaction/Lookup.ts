/**
 * What is looked for in every text: formats, and known values in all their spellings. Values may be added at any time and are never taken
 * out, so nothing that was once found is ever shown again.
 */
import { type Anchor, formatTable, literal, Table } from "./Anchors.ts"
import { encodingsOf } from "./Encodings.ts"
import { Windows } from "./Windows.ts"

export class Lookup {
  /** Known values and formats. */
  readonly all = formatTable()
  /** Known values alone. */
  readonly known = new Table(false)
  /** Parts of known values. */
  readonly windows = new Windows()
  readonly #numbers: Array<Anchor> = []
  readonly #values = new Set<string>()

  /** Looks for a value from now on, under a kind. Of anchors that begin alike the lowest rank names the kind. False when it was known. */
  add(value: string, kind: string, rank: number): boolean {
    if (this.#values.has(value)) return false
    this.#values.add(value)
    const raw = literal(value, kind, rank)
    if (/^[0-9.eE+-]*$/.test(value)) this.#numbers.push(raw)
    for (const spelling of [value, ...encodingsOf(value)]) {
      const anchor = literal(spelling, kind, rank)
      this.all.add(anchor)
      this.known.add(anchor)
      this.windows.add(spelling, kind, rank)
    }
    return true
  }

  /** The kind of known value that a text of numbers holds, if any. */
  kindOfNumber(text: string): string | undefined {
    return this.#numbers.length === 0 ? undefined : this.#numbers.find((anchor) => text.includes(anchor.text))?.kind
  }
}
