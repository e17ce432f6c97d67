/**
 * A record spread over several lines by newlines that were not escaped, put together again.
 *
 * A writer that does not escape the newlines in a string leaves a line that ends inside the string, lines of text, and a line in which
 * the object closes. They are one record if and only if each line up to the last ends inside a string of one and the same object (a
 * value, not a key), the last ends with that object, the text is JSON once its newlines are escaped, no member stands there twice, and
 * it looks like a record.
 *
 * Two cut records are never joined: the first quote of a record that begins a line would close the string that is open, and the name
 * of its first member would stand outside of any string, where the grammar has no place for it.
 *
 * Cost: each byte is looked at once more; what is held is bounded by MAX_SPREAD_BYTES and MAX_SPREAD_LINES.
 */

import { isObject, type Json, type JsonObject } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { BACKSLASH } from "../model/JsonSigns.ts"
import { MAX_DEPTH, MAX_LINE_BYTES, MAX_SPREAD_BYTES, MAX_SPREAD_LINES } from "../model/Limits.ts"
import { decodeStrictly, hasBom } from "./Encoding.ts"
import { type JournalRecord, type LineOptions, looksLikeRecord } from "./Line.ts"
import { isSpace, Scanner } from "./Salvage.ts"
import type { Segment } from "./Splitter.ts"

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The text with the newlines in it escaped, and a carriage return before one. */
export const escapeNewlines = (text: string): string => text.replaceAll("\r\n", "\\r\\n").replaceAll("\n", "\\n")

/** Whether the last byte is a backslash that escapes what follows, which then cannot be a newline of the text. */
const endsEscaping = (bytes: Uint8Array, length: number): boolean => {
  let backslashes = 0
  while (backslashes < length && bytes[length - 1 - backslashes] === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

export interface JoinOptions extends LineOptions {
  /** Bytes of the longest line that is read: the record must fit into one. */
  readonly maxLineBytes?: number | undefined
}

export class Joiner {
  readonly #maxLineBytes: number
  readonly #looksLikeRecord: (value: JsonObject) => boolean
  readonly #line: number
  readonly #offset: number
  readonly #scanner: Scanner
  #bytes: Uint8Array
  #length: number
  #lines = 1

  private constructor(first: Segment, from: number, options: JoinOptions) {
    this.#looksLikeRecord = options.looksLikeRecord ?? looksLikeRecord
    this.#maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES
    this.#line = first.line
    this.#offset = first.offset + from
    this.#bytes = new Uint8Array(first.bytes.subarray(from))
    this.#length = this.#bytes.length
    this.#scanner = new Scanner(this.#bytes, 0, this.#length, options.maxDepth ?? MAX_DEPTH)
  }

  /** For a line that ends inside a string of the object it begins with; undefined when it is too long to be kept. */
  static begin(first: Segment, options: JoinOptions): Joiner | undefined {
    if (first.bytes.length > MAX_SPREAD_BYTES) return undefined
    let from = first.offset === 0 && hasBom(first.bytes) ? 3 : 0
    while (isSpace(first.bytes[from])) from++
    const joiner = new Joiner(first, from, options)
    return joiner.#scanner.grow(joiner.#bytes, joiner.#length) === "open" ? joiner : undefined
  }

  /** Takes the next line. `open`: there must be more; `broken`: the lines do not belong together. */
  add(segment: Segment): "open" | "whole" | "broken" {
    const length = this.#length + 1 + segment.bytes.length
    const text = this.#bytes[this.#length - 1] === CARRIAGE_RETURN ? this.#length - 1 : this.#length
    if (endsEscaping(this.#bytes, text)) return "broken"
    if (++this.#lines > MAX_SPREAD_LINES || length > MAX_SPREAD_BYTES) return "broken"
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(2 * length)
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes[this.#length] = NEWLINE
    this.#bytes.set(segment.bytes, this.#length + 1)
    this.#length = length
    return this.#scanner.grow(this.#bytes, length)
  }

  /** The record, once the lines are whole; undefined when they are none after all. Its text has the newlines escaped. */
  record(): JournalRecord | undefined {
    let length = this.#length
    while (isSpace(this.#bytes[length - 1])) length--
    const text = decodeStrictly(this.#bytes.subarray(0, length))
    if (text === undefined) return undefined
    const raw = escapeNewlines(text)
    if (length + raw.length - text.length > this.#maxLineBytes) return undefined
    let value: Json
    try {
      value = parseJson(raw)
    } catch {
      return undefined
    }
    if (!isObject(value) || !this.#looksLikeRecord(value)) return undefined
    if (Object.keys(value).length < this.#scanner.members) return undefined
    return { value, raw, line: this.#line, offset: this.#offset, length }
  }
}
