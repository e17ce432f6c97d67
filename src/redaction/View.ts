/**
 * Other readings of a text, with a way back: what a JSON string in it stands for, and what percent-encoding in it stands for.
 *
 * A secret with `\n`, `\"` or `%3D` in it is not the same characters as the secret. A view holds the decoded text and where each decoded
 * character came from, so that a hit in the view names a stretch of the original, never a part of an escape. Escapes that are none (`\d`,
 * `%zz`) stay as they are. Making a view is one pass, and its map has one entry for each escape.
 */
export interface View {
  readonly text: string
  /** The stretch of the original that the characters `[start, end)` of the view came from. Not empty. */
  readonly toOriginal: (start: number, end: number) => readonly [start: number, end: number]
}

/** The text itself. */
export const plainView = (text: string): View => ({ text, toOriginal: (start, end) => [start, end] })

/** Decoded sequences in order: where they stand in the view and in the text before. */
class SequenceMap {
  readonly #viewStart: Array<number> = []
  readonly #viewEnd: Array<number> = []
  readonly #start: Array<number> = []
  readonly #end: Array<number> = []

  add(view: readonly [number, number], original: readonly [number, number]): void {
    this.#viewStart.push(view[0])
    this.#viewEnd.push(view[1])
    this.#start.push(original[0])
    this.#end.push(original[1])
  }

  /** Where the character of the view that stands at a position came from. */
  at(position: number): readonly [start: number, end: number] {
    let low = 0
    let high = this.#viewStart.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#viewStart[middle] ?? 0) <= position) low = middle + 1
      else high = middle
    }
    const last = low - 1
    if (last < 0) return [position, position + 1]
    const end = this.#end[last] ?? 0
    const past = position - (this.#viewEnd[last] ?? 0)
    return past < 0 ? [this.#start[last] ?? 0, end] : [end + past, end + past + 1]
  }
}

interface Decoded {
  readonly text: string
  /** The position after the sequence. */
  readonly end: number
}

const decodedView = (from: View, sign: string, decode: (text: string, at: number) => Decoded | undefined): View | undefined => {
  const { text } = from
  const map = new SequenceMap()
  let result = ""
  let copied = 0
  for (let at = text.indexOf(sign); at >= 0; ) {
    const decoded = decode(text, at)
    if (decoded !== undefined) {
      result += text.slice(copied, at)
      map.add([result.length, result.length + decoded.text.length], [at, decoded.end])
      result += decoded.text
      copied = decoded.end
    }
    at = text.indexOf(sign, decoded === undefined ? at + 1 : decoded.end)
  }
  if (copied === 0) return undefined
  return {
    text: result + text.slice(copied),
    toOriginal: (start, end) => {
      const [first] = map.at(start)
      const [, last] = map.at(end - 1)
      return from.toOriginal(first, last)
    },
  }
}

const SIMPLE: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
}

const hexValue = (text: string, start: number, digits: number): number => {
  const hex = text.slice(start, start + digits)
  return hex.length === digits && /^[0-9A-Fa-f]*$/.test(hex) ? Number.parseInt(hex, 16) : -1
}

const decodeEscape = (text: string, at: number): Decoded | undefined => {
  const letter = text[at + 1] ?? ""
  if (letter !== "u") {
    const simple = Object.hasOwn(SIMPLE, letter) ? SIMPLE[letter] : undefined
    return simple === undefined ? undefined : { text: simple, end: at + 2 }
  }
  const unit = hexValue(text, at + 2, 4)
  return unit < 0 ? undefined : { text: String.fromCharCode(unit), end: at + 6 }
}

/** The bytes of a UTF-8 sequence by its first byte, or 0. */
const sequenceLength = (first: number): number =>
  first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0

const decodePercent = (text: string, at: number): Decoded | undefined => {
  const first = hexValue(text, at + 1, 2)
  const end = at + 3 * (first < 0 ? 0 : sequenceLength(first))
  if (end === at) return undefined
  if (end === at + 3) return { text: String.fromCharCode(first), end }
  try {
    return { text: decodeURIComponent(text.slice(at, end)), end }
  } catch {
    return undefined
  }
}

/** The view with JSON escapes decoded, or undefined when there are none. */
export const unescaped = (view: View): View | undefined => decodedView(view, "\\", decodeEscape)

/** The view with percent-encoding decoded, or undefined when there is none. */
export const percentDecoded = (view: View): View | undefined => decodedView(view, "%", decodePercent)
