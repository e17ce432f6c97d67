/**
 * Of a stretch of a long line, the part that is certainly text in the middle of one string: what need not be kept to prove the line.
 *
 * A line is a record with a piece of such text in it if and only if it is one with an escape in its place: inside a string the one may stand as
 * well as the other, and outside of strings an escape may stand nowhere. So a line is proven with its long texts left out.
 */
import { BACKSLASH, QUOTE } from "../model/JsonSigns.ts"
import { MAX_TEXT_BYTES, type Outline } from "./Outline.ts"

/** What stands in the place of what is left out. */
export const LEFT_OUT = new Uint8Array([BACKSLASH, BACKSLASH])

/** Bytes behind the text that belong to the stretch: {@link Outline.isText} uses them for a moment. */
const MARGIN = 2

/** Bytes in which a place is looked for at either end. */
const SEARCHED = 1_024

/** Bytes before a place that have to be no backslash: an escape is no longer. */
const ESCAPE_BYTES = 6

/** Bytes before the first place that have to be no quote: so far no beginning of a string is looked at. */
const BEGINNING_BYTES = 32

/** Whether a place is between two characters, with none of these bytes in the last `length` before it. */
const isBehind = (bytes: Uint8Array, place: number, length: number, signs: ReadonlyArray<number>): boolean => {
  for (let at = place - length; at < place; at++) if (signs.includes(bytes[at] as number)) return false
  return ((bytes[place] as number) & 0xc0) !== 0x80
}

const firstPlace = (bytes: Uint8Array, from: number, to: number): number => {
  for (let place = from + BEGINNING_BYTES; place < to; place++)
    if (isBehind(bytes, place, BEGINNING_BYTES, [QUOTE]) && isBehind(bytes, place, ESCAPE_BYTES, [BACKSLASH])) return place
  return to
}

const lastPlace = (bytes: Uint8Array, from: number, to: number): number => {
  for (let place = to; place >= from + ESCAPE_BYTES; place--) if (isBehind(bytes, place, ESCAPE_BYTES, [BACKSLASH])) return place
  return from
}

/**
 * Where such text begins and ends in `bytes[from, to)`, which stands in the room of an outline; undefined when none is found. It is longer
 * than any that an outline gives. Linear.
 */
export const longText = (
  outline: Outline,
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly from: number; readonly to: number } | undefined => {
  const begin = firstPlace(bytes, from, Math.min(to, from + SEARCHED))
  const end = lastPlace(bytes, Math.max(from, to - SEARCHED), to - MARGIN)
  return end - begin > MAX_TEXT_BYTES && outline.isText(bytes, begin, end) ? { from: begin, to: end } : undefined
}
