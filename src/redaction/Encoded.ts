/**
 * Base64 in a text that stands for text: where it begins and ends, and what it stands for.
 *
 * Of the text only every eighth position is looked at until enough digits stand in a row. Lines that base64 is wrapped into are taken
 * together, as far as they stand for text: a line before or behind them may be something else, such as a digest. What stands before it may
 * be digits as well (a path, a name), so it is tried from each of the first four digits on, and from behind each sign among the first.
 */
import { DIGITS, digitsEnd, isDigit, isText, TextReader } from "./Base64.ts"
import { bytesOfBase64, textAmong } from "./Binary.ts"
import type { Units } from "./Units.ts"

/** Digits of the shortest piece that is decoded: twelve characters, for a prefix of four and the eight of a body that is told however it was cut. */
const SHORTEST = 16
const STRIDE = SHORTEST / 2

/** Digits of the shortest line that another may follow. */
const LINE = 56

/** Digits that are decoded first, to tell text from the rest. */
const SAMPLE = 16

export interface Encoded {
  readonly start: number
  readonly end: number
  readonly text: string
}

const NEXT_LINE = /\r?\n[ \t]{0,32}/y

type Line = readonly [start: number, end: number]

/** The lines that the one from `start` to `firstEnd` may go on with, each told when it is asked for. Before the first one there may be digits that are no part of it. */
function* linesBehind(text: string, start: number, firstEnd: number): Generator<Line> {
  let length = firstEnd - start
  let end = firstEnd
  for (let count = 1; length >= LINE; count++) {
    NEXT_LINE.lastIndex = end
    if (!NEXT_LINE.test(text)) return
    const from = NEXT_LINE.lastIndex
    end = digitsEnd(text, from)
    if (end === from || end - from > length) return
    yield [from, end]
    if (end - from < length && count > 1) return
    length = end - from
  }
}

/** Signs after which base64 may begin although they are digits, such as the slash of a path: in so many of the first digits. */
const isSign = (code: number): boolean => code === 0x2b || code === 0x2f || code === 0x5f || code === 0x2d
const FIRST = 96

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Bytes, a character each, as the text that they are in UTF-8. What is cut at its ends is none. */
const inCharacters = (bytes: string): string =>
  /[\x80-\xff]/.test(bytes) ? utf8.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))) : bytes

/**
 * What the digits of a line stand for, and those behind it as far as they go on with it, from each place on from which they stand for text:
 * a few are digits first, to tell text from the rest. Mostly there is one such place. Of base64 that was encoded once more another one may
 * look like text, too.
 *
 * Encoders end their lines at a whole number of bytes. A line that goes on in the middle of one may be another piece, whose digits would be
 * read from the wrong one on: it is read by itself as well.
 */
const decodedFrom = (text: string, start: number, end: number, behind: () => Iterable<Line>): ReadonlyArray<Encoded> => {
  const last = Math.min(end - SHORTEST, start + FIRST)
  const found: Array<Encoded> = []
  /** A bit for each remainder of the places that were read from. */
  let read = 0
  for (let from = start; from <= last; from++) {
    if (from - start > 3 && !isSign(text.charCodeAt(from - 1))) continue
    const place = 1 << (from & 3)
    if ((read & place) !== 0 || !isText(text, from, Math.min(end, from + SAMPLE))) continue
    const reader = new TextReader()
    if (!reader.take(text, from, end)) continue
    read |= place
    let to = end
    let digits = end - from
    for (const [lineStart, lineEnd] of behind()) {
      if (digits % 4 !== 0) found.push(...decodedFrom(text, lineStart, lineEnd, () => []))
      if (!reader.take(text, lineStart, lineEnd)) break
      to = lineEnd
      digits += lineEnd - lineStart
    }
    found.push({ start, end: to, text: inCharacters(reader.text) })
  }
  return found
}

const withPadding = (text: string, end: number): number => {
  let at = end
  while (at < end + 2 && text[at] === "=") at++
  return at
}

const BEFORE_IMAGE = /data:image\/[\w.+-]{1,20};base64,$/

/** Whether what begins at a position is the data of an image. Of an image the text among its bytes is read. */
const isImage = (text: string, start: number): boolean =>
  text.charCodeAt(start - 1) === 0x2c && BEFORE_IMAGE.test(text.slice(Math.max(0, start - 48), start))

/** The pieces of base64 that begin with a line. */
const piecesFrom = (text: string, start: number, firstEnd: number): ReadonlyArray<Encoded> => {
  if (!isImage(text, start)) return decodedFrom(text, start, firstEnd, () => linesBehind(text, start, firstEnd))
  let end = firstEnd
  for (const [, lineEnd] of linesBehind(text, start, firstEnd)) end = lineEnd
  const among = textAmong(bytesOfBase64(text.slice(start, end)))
  return among === undefined ? [] : [{ start, end, text: among }]
}

/** Notes every eighth position that digits may reach from up to the next one, by some of those between. Returns how many there are. */
const note = ({ from, length, codes, noted }: Units): number => {
  let count = 0
  for (let i = (STRIDE - (from % STRIDE)) % STRIDE; i < length; i += STRIDE) {
    noted[count] = i
    count +=
      (DIGITS[codes[i + 1] as number] as number) &
      (DIGITS[codes[i + 3] as number] as number) &
      (DIGITS[codes[i + 4] as number] as number) &
      (DIGITS[codes[i + 5] as number] as number) &
      (DIGITS[codes[i + 6] as number] as number) &
      (DIGITS[codes[i + 8] as number] as number) &
      (DIGITS[codes[i + 9] as number] as number)
  }
  return count
}

/**
 * Whether the digits around a place in the codes of a portion may be enough: most are those of a name or a path. Yes where that cannot be
 * told, because they begin before the portion. Behind it there are codes enough.
 */
const mayBePiece = (codes: Uint8Array, place: number): boolean => {
  let start = place
  while (start > 0 && place - start < SHORTEST && DIGITS[codes[start - 1] as number] === 1) start--
  let end = place
  while (end - start < SHORTEST && DIGITS[codes[end] as number] === 1) end++
  return end - start >= SHORTEST || start === 0
}

/**
 * Tells every piece of base64 that stands for text and begins in a portion or before it, in order; once for each text that it may stand for. `done` is where the portion before has
 * come to; returns where this one has. Cost: linear in the text.
 */
export const eachEncoded = (text: string, units: Units, done: number, tell: (piece: Encoded) => void): number => {
  const { from, codes, noted } = units
  const count = note(units)
  let next = done
  for (let n = 0; n < count; n++) {
    const place = noted[n] as number
    const at = from + place
    if (at < next || !mayBePiece(codes, place + 1) || !isDigit(text.charCodeAt(at))) continue
    let start = at
    // Where the last piece ended no digit stands, so this does not go back beyond it.
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--
    const firstEnd = digitsEnd(text, at)
    next = firstEnd
    if (firstEnd - start < SHORTEST) continue
    for (const piece of piecesFrom(text, start, firstEnd)) {
      next = Math.max(next, piece.end)
      tell({ ...piece, end: withPadding(text, piece.end) })
    }
  }
  return next
}
