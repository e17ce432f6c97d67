/** Base64 as it stands in text: with either pair of signs for the last two digits, with or without padding, in lines or in one piece. */

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** The value of each digit by its code, -1 for what is none. */
const VALUES: Int8Array = (() => {
  const table = new Int8Array(128).fill(-1)
  for (const [value, digit] of Array.from(`${LETTERS}+/`).entries()) table[digit.charCodeAt(0)] = value
  table["-".charCodeAt(0)] = 62
  table["_".charCodeAt(0)] = 63
  return table
})()

/** 1 for the code of a digit. */
export const DIGITS: Uint8Array = Uint8Array.from(VALUES, (value) => (value < 0 ? 0 : 1))

/** Whether a character code is a digit of base64, in either form. */
export const isDigit = (code: number): boolean => code < 128 && (VALUES[code] ?? -1) >= 0

/** The end of the digits that begin at a position. */
export const digitsEnd = (text: string, from: number): number => {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

const isPlain = (byte: number): boolean => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Of the bytes so far, how many may be neither plain nor part of another script, and how many part of another script. */
const MOST_ODD = 1
const ODD_IN = 64
const MOST_HIGH = 2
const HIGH_IN = 3

/** Counts bytes that text does not have. */
class Judge {
  #odd = 0
  #high = 0

  /** Takes the byte that stands at a position. False when this is no text. */
  take(byte: number, position: number): boolean {
    if (byte >= 0x80) return ++this.#high <= MOST_HIGH + position / HIGH_IN
    return isPlain(byte) || ++this.#odd <= MOST_ODD + position / ODD_IN
  }
}

const PORTION = 4_096

/** Reads digits into characters, one for each byte, stretch after stretch, as long as they stand for text. */
export class TextReader {
  readonly #judge = new Judge()
  readonly #units: Array<number> = []
  #text = ""
  #count = 0
  #bits = 0
  #held = 0

  /** What was read so far. */
  get text(): string {
    return this.#text
  }

  /**
   * Reads the digits of a stretch, which go on from those before. False when this is no text: then nothing of the stretch was read, and
   * nothing more can be. Characters that are no digits are passed over.
   */
  take(text: string, start: number, end: number): boolean {
    let added = ""
    const units = this.#units
    units.length = 0
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at)
      const value = code < 128 ? (VALUES[code] as number) : -1
      if (value < 0) continue
      this.#held = ((this.#held << 6) | value) & 0xffff
      this.#bits += 6
      if (this.#bits < 8) continue
      this.#bits -= 8
      const byte = (this.#held >> this.#bits) & 0xff
      if (!this.#judge.take(byte, this.#count++)) return false
      units.push(byte)
      if (units.length < PORTION) continue
      added += String.fromCharCode.apply(undefined, units)
      units.length = 0
    }
    this.#text += added + String.fromCharCode.apply(undefined, units)
    return true
  }
}

/**
 * What digits stand for, a character for each byte, or undefined when it is no text: most of what looks like base64 is a digest, an image
 * or a name, and that shows in the first bytes. Characters that are no digits are passed over.
 */
const decodeText = (text: string, start: number, end: number): string | undefined => {
  const reader = new TextReader()
  return reader.take(text, start, end) ? reader.text : undefined
}

/** Whether digits stand for text. Asked of every name that is long enough, so nothing is made of what they stand for. */
export const isText = (text: string, start: number, end: number): boolean => {
  const judge = new Judge()
  let held = 0
  let bits = 0
  let count = 0
  for (let at = start; at < end; at++) {
    held = ((held << 6) | (VALUES[text.charCodeAt(at) & 127] as number)) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    if (!judge.take((held >> bits) & 0xff, count++)) return false
  }
  return true
}

/** The text that a whole piece of base64 is, without padding or with it, or undefined. */
export const textOf = (piece: string): string | undefined => {
  const digits = piece.replace(/={1,2}$/, "")
  return digits.length % 4 === 1 || digitsEnd(digits, 0) !== digits.length ? undefined : decodeText(digits, 0, digits.length)
}

/** Digits from which on a word does not stand for a user and a password by chance: in ASCII with one character behind the colon, and in letters beyond it. */
const MEDIUM = 12
const LONG = 20

/** Whether a piece of base64 is a name, a colon and a password, also one that was cut. */
export const isUserAndPassword = (piece: string): boolean => {
  const text = textOf(piece.length % 4 === 1 ? piece.slice(0, -1) : piece)
  if (text === undefined) return false
  return (
    /^[\x20-\x7e]*:[\x20-\x7e]{2,}$/.test(text) ||
    (piece.length >= MEDIUM && /^[\x20-\x7e]+:[\x20-\x7e]$/.test(text)) ||
    (piece.length >= LONG && /^[^\x00-\x1f\x7f]*:[^\x00-\x1f\x7f]{2,}$/.test(text))
  )
}

/**
 * The digits that bytes are sure to be written with wherever they stand in what is encoded: for each of the three places that they can
 * begin at, without the digits that they share with their neighbours.
 */
export const alignmentsOf = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length)
    padded.set(bytes, before)
    const digits = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(""))
    return digits.slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6))
  })
