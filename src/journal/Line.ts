/**
 * One stretch of a journal read: its records and its damages.
 *
 * A record is a JSON object. It is valid if and only if it stands alone between two newlines, but for blanks (space, tab, CR), is
 * UTF-8, and is not nested deeper than the limit. What is not valid is damage, and what is whole on a damaged line is read all the
 * same, as long as it is certain to be a record and not a value inside one (see Salvage.ts for the reasoning, law JRN-5):
 *
 * 1. Whole objects that follow each other from the beginning of a line are records: a line begins outside of any record.
 * 2. Whole objects that follow each other up to the end of the stretch, behind bytes that are not whole, are records if they look like
 *    records and the grammar allows no value at that place.
 * 3. Where the grammar allows a value there, the object may be a value of a record that was cut right behind it. It is a record only
 *    with evidence against that: a newline or another record follows, and either it stands where only a string can (`"type":{…`), or
 *    it goes on from where the cut record did: the same `id`, or the same `parentId`.
 * 4. Behind NUL bytes it is unknown what was open. If objects fill the rest of the line, up to its newline, nothing was: an object that
 *    ends a whole line is balanced, so the bytes before it were. Without the newline the end may be a cut, and nothing is certain.
 * 5. A whole object with unreadable bytes on both sides is never read. Nor is a line with more than MAX_RECORDS_PER_LINE objects in a
 *    row, so that no line can cost more memory than it is worth.
 *
 * A line that was cut and has its newline is `not-json`, whatever blank lines follow: nothing needs to be cut off before the next
 * append. `torn-tail` is only what stands at the end of the file without its newline and is not a whole record.
 */

import { isObject, type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { OPEN_BRACE } from "../model/JsonSigns.ts"
import { MAX_DEPTH } from "../model/Limits.ts"
import type { Damage, DamageKind } from "./Damage.ts"
import { decode, decodeStrictly, hasBom, notUtf8 } from "./Encoding.ts"
import type { Outline } from "./Outline.ts"
import { isSpace, type Nesting, type Scan, type Span, scan } from "./Salvage.ts"
import { lengthOf, type Segment } from "./Splitter.ts"

export interface JournalRecord {
  readonly value: JsonObject
  /** The record's own text, without blanks around it. */
  readonly raw: string
  /** The line it begins in, counted from 1. */
  readonly line: number
  /** Its first byte in the file. */
  readonly offset: number
  /** Its length in the file, in bytes. */
  readonly length: number
  /**
   * What its bytes say, when the reader was given an outline to tell it by. Then `value` and `raw` are made when they are asked for, and
   * all three are good only until the reader is asked for the next item.
   */
  readonly outline?: Outline | undefined
}

export interface RecordItem {
  readonly _tag: "Record"
  readonly record: JournalRecord
  /** Whether it begins where its line begins. */
  readonly startsLine: boolean
}

export interface DamageItem {
  readonly _tag: "Damage"
  readonly damage: Damage
  /** Whether it begins where its line begins. */
  readonly startsLine: boolean
  /** Whether its bytes were read as records all the same. If not, no record has a byte of them. */
  readonly read: boolean
}

export type LineItem = RecordItem | DamageItem

export interface LineOptions {
  /** Levels of nesting that are read; the record itself is the first. */
  readonly maxDepth?: number | undefined
  /** Whether an object found behind unreadable bytes looks like a record of its own. */
  readonly looksLikeRecord?: ((value: JsonObject) => boolean) | undefined
  /** Tells a record that stands alone on its line by its outline, and leaves its value unread until somebody asks. */
  readonly outline?: Outline | undefined
}

export interface LineReading {
  /** By offset; a damage stands before the records that it covers. */
  readonly items: ReadonlyArray<LineItem>
  /** The line ends inside a string of an object that began with the line. */
  readonly open: boolean
  /** Bytes looked at, all passes together: at most 12 for each byte of the stretch (law JRN-5). */
  readonly work: number
}

/** The types that carry neither a time nor an id, and what tells each from a value that has the same type by chance. */
const TIMELESS = new Map<string, (value: JsonObject) => boolean>([
  ["header_patch", (value) => ownObject(value, "patch") !== undefined],
  ["entry_patch", (value) => ownObject(value, "patch") !== undefined && ownString(value, "entryId") !== undefined],
  ["title", (value) => ownString(value, "title") !== undefined && ownString(value, "updatedAt") !== undefined],
])

/** The default of `looksLikeRecord`: a `type` and a time, as `timestamp` or `t`; or one of the types that have no time. */
export const looksLikeRecord = (value: JsonObject): boolean => {
  const type = ownString(value, "type")
  if (type === undefined) return false
  if (ownString(value, "timestamp") !== undefined || ownString(value, "t") !== undefined) return true
  return TIMELESS.get(type)?.(value) ?? false
}

const parse = (text: string): Json | undefined => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Whether brackets outside of strings nest deeper than the limit. */
const isDeep = (bytes: Uint8Array, from: number, to: number, maxDepth: number): boolean => {
  if (to - from <= 2 * maxDepth) return false
  let depth = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    if (byte === 0x22) {
      for (at++; at < to && bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++
    } else if ((byte | 0x20) === 0x7b) {
      if (++depth > maxDepth) return true
    } else if ((byte | 0x20) === 0x7d) depth--
  }
  return false
}

/** Members that are strings in every record. */
const STRING_KEYS = ["type", "id", "parentId", "timestamp", "t"]

/** Stands for the object in question while the cut record before it is read. */
const HERE = "\u0000here\u0000"

/** A whole object and what it says; `text` is undefined when it is not UTF-8. */
interface Whole {
  readonly span: Span
  readonly value: JsonObject
  readonly text: string | undefined
}

/** Reads one segment: what stands on it, in order, and what it took. */
class LineReader {
  readonly #segment: Segment
  readonly #bytes: Uint8Array
  readonly #maxDepth: number
  readonly #looksLikeRecord: (value: JsonObject) => boolean
  /** The first byte behind a byte order mark; then the stretch without the blanks around it. */
  readonly #begin: number
  #from: number
  #to: number
  readonly #items: Array<LineItem> = []
  #work: number
  #open = false

  constructor(segment: Segment, options: LineOptions) {
    this.#segment = segment
    this.#bytes = segment.bytes
    this.#maxDepth = options.maxDepth ?? MAX_DEPTH
    this.#looksLikeRecord = options.looksLikeRecord ?? looksLikeRecord
    this.#begin = segment.offset === 0 && hasBom(segment.bytes) ? 3 : 0
    this.#from = this.#begin
    this.#to = segment.bytes.length
    this.#work = segment.bytes.length
  }

  read(): LineReading {
    while (this.#from < this.#to && isSpace(this.#bytes[this.#from])) this.#from++
    while (this.#to > this.#from && isSpace(this.#bytes[this.#to - 1])) this.#to--
    if (this.#from < this.#to && !this.#readWhole()) {
      if (this.#isKnown()) this.#salvage()
      else this.#unreadable(false)
    }
    return { items: this.#items, open: this.#open, work: this.#work }
  }

  /** Rule 4: whether what was open before the stretch is known. */
  #isKnown(): boolean {
    return this.#segment.startsLine || this.#segment.ended === "newline"
  }

  /** The ordinary case: the whole stretch is one JSON value. */
  #readWhole(): boolean {
    const span = { start: this.#from, end: this.#to, deep: false }
    this.#work += 2 * (span.end - span.start)
    if (isDeep(this.#bytes, span.start, span.end, this.#maxDepth)) return false
    const { value, text } = this.#parse(span)
    if (value === undefined) return false
    if (isObject(value) && this.#isKnown()) this.#record({ span, value, text })
    else this.#unreadable(this.#segment.startsLine)
    return true
  }

  /** Rules 1 to 4. */
  #salvage(): void {
    const outside = this.#scan(false)
    const chain = outside.tail.length > 0 ? outside : this.#scan(true)
    this.#open = outside.open
    if (chain.isOverfull) {
      this.#damage("oversize", this.#from, this.#end())
      return
    }
    const headEnd = this.#readHead(outside.head)
    if (headEnd === this.#to) return
    let start = headEnd
    while (isSpace(this.#bytes[start])) start++
    const tail = this.#readTail(chain, start)
    this.#lost(start, tail[0]?.span.start)
    this.#glued(tail)
    for (const whole of tail) this.#record(whole)
  }

  /** The records that the stretch begins with; returns where they end. */
  #readHead(head: ReadonlyArray<Span>): number {
    const last = head.at(-1)
    if (last === undefined || (!this.#segment.startsLine && last.end < this.#to)) return this.#from
    const found: Array<Whole | Span> = []
    for (const span of head) {
      const whole = span.deep ? span : this.#object(span)
      if (whole === undefined) break
      found.push(whole)
    }
    if (!this.#segment.startsLine && found.length < head.length) return this.#from
    this.#glued(found.filter((whole) => "value" in whole))
    for (const whole of found) {
      if ("value" in whole) this.#record(whole)
      else this.#damage("too-deep", whole.start, whole.end)
    }
    return head[found.length - 1]?.end ?? this.#from
  }

  /** The records that the stretch ends with, none before `from`: read backwards, up to the first that is not certain. */
  #readTail({ tail, nested }: Scan, from: number): ReadonlyArray<Whole> {
    const found: Array<Whole> = []
    for (let i = tail.length - 1; i >= 0; i--) {
      const span = tail[i] as Span
      if (span.start < from || span.deep) break
      const whole = this.#object(span)
      if (whole === undefined || !this.#looksLikeRecord(whole.value)) break
      if (i === 0 && nested !== undefined) {
        const isFollowed = found.length > 0 || this.#segment.ended === "newline"
        if (!isFollowed || !this.#isSeparate(nested, whole)) break
      }
      found.push(whole)
    }
    return found.reverse()
  }

  /** Rule 3: whether an object is a record although the grammar allows it as a value of the cut record before it. */
  #isSeparate(nested: Nesting, { span, value }: Whole): boolean {
    this.#work += span.start - nested.start
    const cut = parse(`${decode(this.#bytes.subarray(nested.start, span.start))}${JSON.stringify(HERE)}${nested.closers}`)
    if (!isObject(cut)) return false
    if (STRING_KEYS.some((key) => own(cut, key) === HERE)) return true
    const id = ownString(value, "id")
    if (id === undefined || ownString(value, "timestamp") === undefined || own(value, "parentId") === undefined) return false
    const parent = ownString(value, "parentId")
    return id === ownString(cut, "id") || (parent !== undefined && parent === ownString(cut, "parentId"))
  }

  #scan(inString: boolean): Scan {
    const result = scan(this.#bytes, this.#from, this.#to, inString, this.#maxDepth)
    this.#work += result.steps
    return result
  }

  #parse({ start, end }: Span): { readonly value: Json | undefined; readonly text: string | undefined } {
    this.#work += end - start
    const bytes = this.#bytes.subarray(start, end)
    const text = decodeStrictly(bytes)
    return { value: parse(text ?? decode(bytes)), text }
  }

  #object(span: Span): Whole | undefined {
    const { value, text } = this.#parse(span)
    return isObject(value) ? { span, value, text } : undefined
  }

  #record({ span: { start, end }, value, text }: Whole): void {
    const { line, offset } = this.#segment
    const bad = text === undefined ? notUtf8(this.#bytes, start, end) : undefined
    if (bad !== undefined) this.#damage("not-utf8", bad.start, bad.end, true)
    const raw = text ?? decode(this.#bytes.subarray(start, end))
    const record = { value, raw, line, offset: offset + start, length: end - start }
    this.#items.push({ _tag: "Record", record, startsLine: this.#segment.startsLine && start === this.#begin })
  }

  /** Several records on the line. */
  #glued(found: ReadonlyArray<Whole>): void {
    const [first] = found
    const last = found.at(-1)
    if (first !== undefined && last !== undefined && first !== last) this.#damage("glued", first.span.start, last.span.end, true)
  }

  /** The whole stretch cannot be used. */
  #unreadable(isJson: boolean): void {
    const kind = this.#segment.ended === "end" ? "torn-tail" : isJson ? "not-object" : "not-json"
    this.#damage(kind, this.#from, this.#end())
  }

  /** From `start` up to the first record behind it, or to the end, nothing can be used. */
  #lost(start: number, record: number | undefined): void {
    const isCut = this.#bytes[start] === OPEN_BRACE
    const kind = record === undefined ? (this.#segment.ended === "end" ? "torn-tail" : "not-json") : isCut ? "glued" : "not-json"
    this.#damage(kind, start, record ?? this.#end())
  }

  /** Where damage ends that goes to the end: blanks before a newline are none. */
  #end(): number {
    return this.#segment.ended === "newline" ? this.#to : this.#bytes.length
  }

  #damage(kind: DamageKind, from: number, end: number, read = false): void {
    const { line, offset } = this.#segment
    // What cannot be used takes the blanks before it along, so that nothing of its line is left.
    const start = !read && from === this.#from ? this.#begin : from
    const startsLine = this.#segment.startsLine && start === this.#begin
    this.#items.push({ _tag: "Damage", damage: { line, offset: offset + start, length: end - start, kind }, startsLine, read })
  }
}

/** A record that is read when it is asked for. */
class OutlinedRecord implements JournalRecord {
  readonly outline: Outline
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly #segment: Segment
  readonly #from: number
  #raw: string | undefined
  #value: JsonObject | undefined

  constructor(outline: Outline, segment: Segment, from: number, to: number) {
    this.outline = outline
    this.line = segment.line
    this.offset = segment.offset + from
    this.length = to - from
    this.#segment = segment
    this.#from = from
  }

  get raw(): string {
    const { bytes, shortened } = this.#segment
    this.#raw ??= decode((shortened?.whole() ?? bytes).subarray(this.#from, this.#from + this.length))
    return this.#raw
  }

  get value(): JsonObject {
    this.#value ??= parseJson(this.raw) as JsonObject
    return this.#value
  }
}

/** The record of a segment whose outline the splitter has had. */
export const ahead = (segment: Segment, { outline }: LineOptions): RecordItem | undefined =>
  segment.isOutlined !== true || outline === undefined
    ? undefined
    : { _tag: "Record", record: new OutlinedRecord(outline, segment, 0, lengthOf(segment)), startsLine: true }

/** A whole record on a line of its own, told by its outline; undefined when it has none. */
const outlined = (segment: Segment, { maxDepth = MAX_DEPTH, outline }: LineOptions): LineReading | undefined => {
  const { bytes, startsLine, ended } = segment
  if (outline === undefined || outline.maxDepth !== maxDepth || !(startsLine || ended === "newline")) return undefined
  let [from, to] = [0, bytes.length]
  while (from < to && isSpace(bytes[from])) from++
  while (to > from && isSpace(bytes[to - 1])) to--
  if (segment.isOutlined !== true && !outline.read(bytes, from, to)) return undefined
  const record = new OutlinedRecord(outline, segment, from, segment.shortened?.length ?? to)
  return { items: [{ _tag: "Record", record, startsLine: startsLine && from === 0 }], open: false, work: 2 * bytes.length }
}

/** Reads one segment. Never throws. Linear in its length, whatever it holds. */
export const readLine = (segment: Segment, options: LineOptions = {}): LineReading =>
  outlined(segment, options) ?? new LineReader(segment, options).read()
