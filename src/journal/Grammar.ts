/**
 * The proof that a stretch of bytes is one record, in JavaScript: for files too small for Scan.ts, and where there is no WebAssembly.
 *
 * Strings, of which journals consist, are passed four bytes at a time. Gives the same as Scan.ts (law IDX-3).
 */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../model/JsonSigns.ts"
import { isUtf8 } from "./Encoding.ts"

/** Why a stretch has no outline. */
export type NoOutline =
  /** Its first byte is no opening brace. */
  | "no object"
  /** It is not JSON without a newline, or something stands behind the object. */
  | "grammar"
  | "depth"
  | "UTF-8"
  /** A key with an escape in it: another spelling of a name that somebody may ask for. */
  | "escaped key"
  | "members"

/** Members that are remembered. */
export const MAX_MEMBERS = 64

/** What a proof found out of the last stretch. */
export interface Proof {
  /** The whole buffer that the stretch lies in. */
  readonly bytes: Uint8Array
  /** Of each member: where its key begins and ends, without quotes, and where its value begins and ends. */
  readonly members: Int32Array
  readonly count: number
  /** Whether a string, a key or a value, begins with one of the prefixes, or with a part of one and then an escape `\u`. */
  readonly hasPrefix: boolean
}

const VALUE = 0
const VALUE_OR_END = 1
const KEY = 2
const KEY_OR_END = 3
const COMMA_OR_END = 4

const OBJECT = 0
const LIST = 1

const table = (bytes: Iterable<number>): Uint8Array => {
  const found = new Uint8Array(256)
  for (const byte of bytes) found[byte] = 1
  return found
}

const codes = (text: string): ReadonlyArray<number> => [...text].map((character) => character.charCodeAt(0))

/** Bytes that stand for themselves in a string. */
const PLAIN = table(
  Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH),
)
const ESCAPES = table(codes('"\\/bfnrt'))
const HEX = table(codes("0123456789abcdefABCDEF"))
const DIGITS = table(codes("0123456789"))

const LOWER_U = 0x75

const WORDS = new Map([
  [0x74, codes("true")],
  [0x66, codes("false")],
  [0x6e, codes("null")],
])

export class Grammar implements Proof {
  readonly #maxDepth: number
  readonly #prefixes: ReadonlyArray<ReadonlyArray<number>>
  readonly members = new Int32Array(4 * MAX_MEMBERS)
  bytes: Uint8Array = new Uint8Array(0)
  count = 0
  hasPrefix = false
  #words: Int32Array = new Int32Array(0)
  #to = 0
  /** Of each open object and list which it is; the first is the record. */
  #open = new Uint8Array(64)
  /** All bytes of strings, one over the other: whether any is not ASCII. */
  #high = 0
  #reason: NoOutline | undefined

  constructor(maxDepth: number, prefixes: ReadonlyArray<string>) {
    this.#maxDepth = maxDepth
    this.#prefixes = prefixes.map(codes)
  }

  /** Why `given[from, to)` is not proven to be a record, or undefined when it is. Linear. */
  read(given: Uint8Array, from: number, to: number): NoOutline | undefined {
    if (given.buffer !== this.bytes.buffer || this.bytes.length !== given.buffer.byteLength) {
      this.bytes = new Uint8Array(given.buffer)
      this.#words = new Int32Array(given.buffer, 0, given.buffer.byteLength >> 2)
    }
    const start = given.byteOffset + from
    this.#to = given.byteOffset + to
    this.count = 0
    this.#high = 0
    this.hasPrefix = false
    this.#reason = undefined
    if (from >= to || this.bytes[start] !== OPEN_BRACE) return "no object"
    if (!this.#walk(start)) return this.#reason ?? "grammar"
    return (this.#high & 0x80808080) !== 0 && !isUtf8(given, from, to) ? "UTF-8" : undefined
  }

  /** Follows the grammar from the opening brace of the record to the end. */
  #walk(start: number): boolean {
    const [bytes, to] = [this.bytes, this.#to]
    let depth = 0
    let expecting = KEY_OR_END
    for (let at = start + 1; at < to; ) {
      const byte = bytes[at] as number
      if (isBlank(byte)) at++
      else if (expecting === COMMA_OR_END && byte === COMMA) {
        expecting = this.#open[depth] === LIST ? VALUE : KEY
        at++
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (!this.#closes(byte, expecting, depth)) return false
        at++
        if (depth === 0) return at === to
        if (--depth === 0) this.#value(at)
        expecting = COMMA_OR_END
      } else if (expecting === KEY || expecting === KEY_OR_END) {
        at = byte === QUOTE ? this.#key(at, depth) : -1
        if (at < 0) return false
        expecting = VALUE
      } else if (expecting === COMMA_OR_END) return false
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (!this.#opens(++depth, byte === OPEN_BRACKET ? LIST : OBJECT)) return false
        expecting = byte === OPEN_BRACKET ? VALUE_OR_END : KEY_OR_END
        at++
      } else {
        at = byte === QUOTE ? this.#string(at + 1) : this.#scalar(at, byte)
        if (at < 0) return false
        if (depth === 0) this.#value(at)
        expecting = COMMA_OR_END
      }
    }
    return false
  }

  #opens(depth: number, container: number): boolean {
    if (depth >= this.#maxDepth) {
      this.#reason = "depth"
      return false
    }
    if (depth === this.#open.length) {
      const larger = new Uint8Array(2 * depth)
      larger.set(this.#open)
      this.#open = larger
    }
    this.#open[depth] = container
    return true
  }

  #closes(byte: number, expecting: number, depth: number): boolean {
    const isList = byte === CLOSE_BRACKET
    if (isList !== (depth > 0 && this.#open[depth] === LIST)) return false
    return expecting === COMMA_OR_END || expecting === (isList ? VALUE_OR_END : KEY_OR_END)
  }

  /** To behind the colon of a key whose quote stands at `at`. A member of the record is noted, its value to begin at the next byte. */
  #key(at: number, depth: number): number {
    const end = this.#string(at + 1)
    if (end < 0) return -1
    let next = end
    while (next < this.#to && isBlank(this.bytes[next] as number)) next++
    if (next >= this.#to || this.bytes[next] !== COLON) return -1
    next++
    if (depth > 0) return next
    while (next < this.#to && isBlank(this.bytes[next] as number)) next++
    return this.#note(at + 1, end - 1, next) ? next : -1
  }

  #note(from: number, to: number, value: number): boolean {
    if (this.count === MAX_MEMBERS) this.#reason = "members"
    for (let at = from; this.#reason === undefined && at < to; at++)
      if (this.bytes[at] === BACKSLASH) this.#reason = "escaped key"
    if (this.#reason !== undefined) return false
    const member = 4 * this.count++
    this.members[member] = from
    this.members[member + 1] = to
    this.members[member + 2] = value
    return true
  }

  /** Notes where the value of the last member ends. */
  #value(end: number): void {
    this.members[4 * this.count - 1] = end
  }

  /** To behind the quote that closes a string whose first character stands at `at`; -1 when it is none. */
  #string(from: number): number {
    const [bytes, words, to] = [this.bytes, this.#words, this.#to]
    const lastWord = to >> 2
    let high = 0
    for (const prefix of this.#prefixes)
      if (bytes[from] === prefix[0] || bytes[from] === BACKSLASH) this.#comparePrefix(from, prefix)
    for (let at = from; at < to; ) {
      while ((at & 3) !== 0 && at < to && PLAIN[bytes[at] as number] === 1) high |= bytes[at++] as number
      if ((at & 3) === 0) {
        let word = at >> 2
        for (; word < lastWord; word++) {
          const four = words[word] as number
          // Whether any of the four is below a space, a quote or a backslash: exact as long as only that is asked.
          const signs = (four - 0x20202020) | ((four ^ 0x22222222) - 0x01010101) | ((four ^ 0x5c5c5c5c) - 0x01010101)
          if ((signs & ~four & 0x80808080) !== 0) break
          high |= four
        }
        at = word << 2
        while (at < to && PLAIN[bytes[at] as number] === 1) high |= (bytes[at++] as number) << 24
      }
      if (at >= to) return -1
      const byte = bytes[at] as number
      if (byte === QUOTE) {
        this.#high |= high | (high << 24)
        return at + 1
      }
      if (byte !== BACKSLASH) return -1
      at = this.#escape(at + 1)
      if (at < 0) return -1
    }
    return -1
  }

  #escape(at: number): number {
    const [bytes, to] = [this.bytes, this.#to]
    if (at >= to) return -1
    if (ESCAPES[bytes[at] as number] === 1) return at + 1
    if (bytes[at] !== LOWER_U || at + 5 > to) return -1
    for (let digit = at + 1; digit < at + 5; digit++) if (HEX[bytes[digit] as number] !== 1) return -1
    return at + 5
  }

  #comparePrefix(from: number, prefix: ReadonlyArray<number>): void {
    let at = from
    while (at - from < prefix.length && at < this.#to && this.bytes[at] === prefix[at - from]) at++
    const isWhole = at - from === prefix.length
    if (isWhole || (at + 1 < this.#to && this.bytes[at] === BACKSLASH && this.bytes[at + 1] === LOWER_U)) this.hasPrefix = true
  }

  /** To behind a number or a literal; -1 when it is neither. */
  #scalar(at: number, byte: number): number {
    const word = WORDS.get(byte)
    if (word === undefined) return this.#number(at)
    for (let n = 0; n < word.length; n++) if (at + n >= this.#to || this.bytes[at + n] !== word[n]) return -1
    return at + word.length
  }

  #number(from: number): number {
    let at = this.bytes[from] === 0x2d ? from + 1 : from
    const whole = this.#digits(at)
    // A zero stands alone.
    if (whole === at || (this.bytes[at] === 0x30 && whole > at + 1)) return -1
    at = whole
    if (at < this.#to && this.bytes[at] === 0x2e) {
      const end = this.#digits(at + 1)
      if (end === at + 1) return -1
      at = end
    }
    if (at >= this.#to || ((this.bytes[at] as number) | 0x20) !== 0x65) return at
    at++
    if (at < this.#to && (this.bytes[at] === 0x2b || this.bytes[at] === 0x2d)) at++
    const end = this.#digits(at)
    return end === at ? -1 : end
  }

  #digits(from: number): number {
    let at = from
    while (at < this.#to && DIGITS[this.bytes[at] as number] === 1) at++
    return at
  }
}

/** A newline is none here: it ends every stretch. */
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d
