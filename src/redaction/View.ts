/**
 * Other readings of a text, with a way back: what a JSON string in it stands for, and what percent-encoding in it stands for.
 *
 * A secret with `\n`, `\"` or `%3D` in it is not the same characters as the secret. A view holds the decoded text and where each decoded
 * character came from, so that a hit in the view names a stretch of the original, never a part of an escape. Escapes that are none (`\d`,
 * `%zz`) stay as they are. A view holds only the surroundings of what was decoded: the rest was seen in the text before. Making one is one
 * pass, and its map has one entry for each escape.
 */
import { marker } from "./Marker.ts"
import type { Span } from "./Span.ts"

export interface View {
  readonly text: string
  /** The stretch of the original that the characters `[start, end)` of the view came from. Not empty. */
  readonly toOriginal: (start: number, end: number) => readonly [start: number, end: number]
}

/** The text itself. */
export const plainView = (text: string): View => ({ text, toOriginal: (start, end) => [start, end] })

/** How many code units are turned into a string at a time. */
const PORTION = 4_096

/** A stretch that is longer is copied as a string. */
const SHORT = 6

/** A text that grows at its end. Single characters are gathered first: a hundred thousand small strings would cost more than reading them. */
class Growing {
  #text = ""
  /** Kept when it is emptied: only its first `#count` elements are meant. */
  readonly #units: Array<number> = []
  #count = 0

  get length(): number {
    return this.#text.length + this.#count
  }

  push(units: ReadonlyArray<number>): void {
    for (const unit of units) this.#pushUnit(unit)
  }

  pushText(text: string, start: number, end: number): void {
    if (end - start > SHORT) {
      this.#gather()
      this.#text += text.slice(start, end)
    } else for (let i = start; i < end; i++) this.#pushUnit(text.charCodeAt(i))
  }

  toText(): string {
    this.#gather()
    return this.#text
  }

  #pushUnit(unit: number): void {
    this.#units[this.#count++] = unit
    if (this.#count === PORTION) this.#gather()
  }

  #gather(): void {
    const units = this.#units
    if (this.#count === 1) this.#text += String.fromCharCode(units[0] as number)
    else if (this.#count > 1)
      this.#text += String.fromCharCode.apply(undefined, this.#count === units.length ? units : units.slice(0, this.#count))
    this.#count = 0
  }
}

/** Decoded sequences in order: where they stand in the view and in the text before. Four numbers each. */
class SequenceMap {
  readonly #numbers: Array<number> = []

  add(viewStart: number, viewEnd: number, start: number, end: number): void {
    this.#numbers.push(viewStart, viewEnd, start, end)
  }

  /** Where the character of the view that stands at a position came from. */
  at(position: number): readonly [start: number, end: number] {
    const numbers = this.#numbers
    let low = 0
    let high = numbers.length >> 2
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[4 * middle] ?? 0) <= position) low = middle + 1
      else high = middle
    }
    const last = 4 * (low - 1)
    if (last < 0) return [position, position + 1]
    const [, viewEnd = 0, start = 0, end = 0] = numbers.slice(last, last + 4)
    const past = position - viewEnd
    return past < 0 ? [start, end] : [end + past, end + past + 1]
  }
}

/** Reads the sequence that may stand at a position: writes what it stands for and returns the position after it, or -1 for none. */
type Decode = (text: string, at: number, out: Array<number>) => number

/** Characters on each side of a sequence that are taken into the view with it, at least; then on to the next white space. */
export const AROUND = 256

/** The same for a look at what begins at a sequence or reaches over it, and not at all that belongs to it. */
export const NARROW = 32

/** Between stretches that do not touch in the text before. Nothing that is looked for goes across. */
const JOINT = [0x01, 0x0a]

const isSpace = (code: number): boolean => code <= 0x20

const stretchStart = (text: string, at: number, floor: number, around: number): number => {
  let start = Math.max(floor, at - around)
  while (start > floor && !isSpace(text.charCodeAt(start - 1))) start--
  return start
}

const stretchEnd = (text: string, at: number, around: number): number => {
  let end = Math.min(text.length, at + around)
  while (end < text.length && !isSpace(text.charCodeAt(end - 1))) end++
  return end
}

/** All of the text. */
const WHOLE = Number.POSITIVE_INFINITY

/** Puts a view together from the sequences found, in order. */
class ViewBuilder {
  readonly #text: string
  readonly #around: number
  readonly #map = new SequenceMap()
  readonly #result = new Growing()
  #copied = 0
  /** The end of the stretch that the last sequence stands in. */
  #stretch = 0

  constructor(text: string, around: number) {
    this.#text = text
    this.#around = around
    if (around === WHOLE) this.#stretch = text.length
  }

  /** Takes in a sequence that stands from `at` to `end` for these units. */
  add(at: number, end: number, units: ReadonlyArray<number>): void {
    const around = this.#around
    if (at >= this.#stretch) this.#begin(stretchStart(this.#text, at, this.#stretch, around))
    this.#take(at)
    this.#replace(end, units)
    if (around !== WHOLE && end + around > this.#stretch) this.#stretch = stretchEnd(this.#text, end, around)
  }

  view(from: View): View | undefined {
    if (this.#result.length === 0) return undefined
    this.#take(this.#stretch)
    const map = this.#map
    return {
      text: this.#result.toText(),
      toOriginal: (start, end) => {
        const [first] = map.at(start)
        const [, last] = map.at(end - 1)
        return from.toOriginal(first, last)
      },
    }
  }

  #begin(start: number): void {
    if (start === this.#stretch) return
    this.#take(this.#stretch)
    this.#replace(start, JOINT)
  }

  /** Copies what stands before a position. */
  #take(until: number): void {
    this.#result.pushText(this.#text, this.#copied, until)
    this.#copied = until
  }

  /** Puts other units in the place of what stands before a position. */
  #replace(until: number, by: ReadonlyArray<number>): void {
    const start = this.#result.length
    this.#result.push(by)
    this.#map.add(start, this.#result.length, this.#copied, until)
    this.#copied = until
  }
}

const decodedView = (from: View, sign: string, decode: Decode, around: number): View | undefined => {
  const { text } = from
  const first = text.indexOf(sign)
  if (first < 0) return undefined
  const builder = new ViewBuilder(text, around)
  const units: Array<number> = []
  for (let at = first; at >= 0; ) {
    units.length = 0
    const end = decode(text, at, units)
    if (end >= 0) builder.add(at, end, units)
    at = text.indexOf(sign, end < 0 ? at + 1 : end)
  }
  return builder.view(from)
}

/** What stands for a character after a backslash, by its code. */
const SIMPLE: ReadonlyMap<number, number> = new Map(
  Array.from('"\\/bfnrt', (letter, i) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(i)]),
)

const hexDigit = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** The number that hex digits at a position spell, or -1. */
const hexValue = (text: string, start: number, digits: number): number => {
  let value = 0
  for (let i = 0; i < digits; i++) {
    const digit = hexDigit(text.charCodeAt(start + i))
    if (digit < 0) return -1
    value = 16 * value + digit
  }
  return value
}

const decodeEscape: Decode = (text, at, out) => {
  const letter = text.charCodeAt(at + 1)
  const isUnit = letter === 0x75
  const unit = isUnit ? hexValue(text, at + 2, 4) : (SIMPLE.get(letter) ?? -1)
  if (unit < 0) return -1
  out.push(unit)
  return isUnit ? at + 6 : at + 2
}

const percentByte = (text: string, at: number): number => (text.charCodeAt(at) === 0x25 ? hexValue(text, at + 1, 2) : -1)

/** The bytes that follow the first one of a UTF-8 sequence, or -1 when none begins with it. */
const followers = (first: number): number => {
  if (first < 0x80) return 0
  if (first < 0xc2 || first > 0xf4) return -1
  return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3
}

const decodePercent: Decode = (text, at, out) => {
  const first = percentByte(text, at)
  const more = first < 0 ? -1 : followers(first)
  if (more < 0) return -1
  let point = more === 0 ? first : first & (0x3f >> more)
  for (let i = 1; i <= more; i++) {
    const byte = percentByte(text, at + 3 * i)
    if (byte < 0x80 || byte > 0xbf) return -1
    point = (point << 6) | (byte & 0x3f)
  }
  if (point > 0x10ffff) return -1
  if (point < 0x10000) out.push(point)
  else out.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff))
  return at + 3 * (more + 1)
}

/** The view with JSON escapes decoded, or undefined when there are none. */
export const unescaped = (view: View, around = AROUND): View | undefined => decodedView(view, "\\", decodeEscape, around)

/** What the inside of a JSON string token stands for, all of it. */
export const escapesDecoded = (token: string): View => {
  const plain = plainView(token)
  return decodedView(plain, "\\", decodeEscape, WHOLE) ?? plain
}

/** The view with percent-encoding decoded, or undefined when there is none. */
export const percentDecoded = (view: View, around = AROUND): View | undefined => decodedView(view, "%", decodePercent, around)

/** NUL, as text of two bytes a character has it, characters without width, and the colours of a terminal. */
const INVISIBLE = /[\0\u200b-\u200d\u2060\ufeff]+|\u001b\[[0-9;]{0,24}m/g

const NOTHING: ReadonlyArray<number> = []

/** The view without characters that are not seen, or undefined when there are none. */
export const withoutInvisible = (view: View, around = AROUND): View | undefined => {
  const { text } = view
  let builder: ViewBuilder | undefined
  for (const { 0: found, index } of text.matchAll(INVISIBLE)) {
    builder ??= new ViewBuilder(text, around)
    builder.add(index, index + found.length, NOTHING)
  }
  return builder?.view(view)
}

/** The surroundings of markers, as they are once the spans are replaced. For finding out whether that made anything look like a secret. */
export const replacedView = (text: string, spans: ReadonlyArray<Span>): View => {
  const builder = new ViewBuilder(text, AROUND)
  for (const { start, end, kind, wrap = "" } of spans) {
    const by = `${wrap}${marker(kind)}${wrap}`
    builder.add(
      start,
      end,
      Array.from(by, (character) => character.charCodeAt(0)),
    )
  }
  return builder.view(plainView(text)) ?? plainView(text)
}
