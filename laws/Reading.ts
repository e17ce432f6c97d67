/** What laws about reading share: all that bytes give, and comparisons that say what differs. */
import { Buffer } from "node:buffer"
import type { Damage } from "../src/journal/Damage.ts"
import { type DecodeOptions, Decoder, type DecodeSummary } from "../src/journal/Decoder.ts"
import type { JournalRecord, LineItem } from "../src/journal/Line.ts"

export interface Reading {
  readonly items: ReadonlyArray<LineItem>
  readonly records: ReadonlyArray<JournalRecord>
  readonly damages: ReadonlyArray<Damage>
  readonly summary: DecodeSummary
}

export const recordsOf = (items: ReadonlyArray<LineItem>): ReadonlyArray<JournalRecord> =>
  items.flatMap((item) => (item._tag === "Record" ? [item.record] : []))

export const damagesOf = (items: ReadonlyArray<LineItem>): ReadonlyArray<Damage> =>
  items.flatMap((item) => (item._tag === "Damage" ? [item.damage] : []))

/** Decodes chunks as a reader hands them over: buffers of Node, each of which is overwritten as soon as it was taken. */
export const read = (chunks: ReadonlyArray<Uint8Array>, options: DecodeOptions = {}): Reading => {
  const decoder = new Decoder(options)
  const items: Array<LineItem> = []
  for (const chunk of chunks) {
    const reused = Buffer.from(chunk)
    items.push(...decoder.push(reused))
    reused.fill(0x7b)
  }
  items.push(...decoder.end())
  return { items, records: recordsOf(items), damages: damagesOf(items), summary: decoder.summary() }
}

export const texts = (records: ReadonlyArray<{ readonly raw: string }>): ReadonlyArray<string> => records.map(({ raw }) => raw)

/** Throws unless the condition holds. */
export const demand = (condition: boolean, what: string): void => {
  if (!condition) throw new Error(what)
}

/** Throws unless both are the same JSON. */
export const same = (found: unknown, wanted: unknown, what: string): void => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)]
  demand(a === b, `${what}: found ${a}, wanted ${b}`)
}
