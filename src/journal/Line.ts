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
 *    with evidence against that: the stretch ends with a newline, and either it stands where only a string can (`"type":{…`), or it
 *    goes on from where the cut record did: the same `id`, or the same `parentId`.
 * 4. Behind NUL bytes it is unknown what was open. If objects fill the rest of the line, up to its newline, nothing was: an object that
 *    ends a whole line is balanced, so the bytes before it were. Without the newline the end may be a cut, and nothing is certain.
 * 5. A whole object with unreadable bytes on both sides is never read.
 *
 * A line that was cut and has its newline is `not-json`, whatever blank lines follow: nothing needs to be cut off before the next
 * append. `torn-tail` is only what stands at the end of the file without its newline and is not a whole record.
 */
import { isObject, type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { MAX_DEPTH } from "../model/Limits.ts"
import type { Damage, DamageKind } from "./Damage.ts"
import { decode, decodeStrictly, hasBom, notUtf8 } from "./Encoding.ts"
import { isSpace, type Nesting, type Scan, type Span, scan } from "./Salvage.ts"
import type { Segment } from "./Splitter.ts"

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
}

export interface RecordItem {
  readonly _tag: "Record"
  readonly record: JournalRecord
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
    return JSON.parse(text) as Json
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

const STRING_KEYS: ReadonlySet<string | undefined> = new Set(["type", "id", "parentId", "timestamp", "t"])

/** Rule 3: whether an object is a record although the grammar allows it as a value of the cut record before it. */
const isSeparate = (bytes: Uint8Array, nested: Nesting, span: Span, value: JsonObject): boolean => {
  const cut = parse(`${decode(bytes.subarray(nested.start, span.start))}null${nested.closers}`)
  if (!isObject(cut)) return false
  if (nested.closers === "}" && STRING_KEYS.has(Object.keys(cut).at(-1))) return true
  const id = ownString(value, "id")
  if (id === undefined || ownString(value, "timestamp") === undefined || own(value, "parentId") === undefined) return false
  const parent = ownString(value, "parentId")
  return id === ownString(cut, "id") || (parent !== undefined && parent === ownString(cut, "parentId"))
}

/** Reads one segment: what stands on it, in order, and what it took. */
class LineReader {
  readonly #segment: Segment
  readonly #bytes: Uint8Array
  readonly #maxDepth: number
  readonly #looksLikeRecord: (value: JsonObject) => boolean
  readonly #items: Array<LineItem> = []
  #work = 0
  #open = false

  constructor(segment: Segment, options: LineOptions) {
    this.#segment = segment
    this.#bytes = segment.bytes
    this.#maxDepth = options.maxDepth ?? MAX_DEPTH
    this.#looksLikeRecord = options.looksLikeRecord ?? looksLikeRecord
  }

  read(): LineReading {
    const { bytes, offset, startsLine, ended } = this.#segment
    const begin = offset === 0 && hasBom(bytes) ? 3 : 0
    let from = begin
    while (from < bytes.length && isSpace(bytes[from])) from++
    let to = bytes.length
    while (to > from && isSpace(bytes[to - 1])) to--
    if (from < to && !this.#readWhole(begin, from, to)) {
      if (startsLine || ended === "newline") this.#salvage(begin, from, to)
      else this.#unreadable(begin, to, false)
    }
    return { items: this.#items, open: this.#open, work: this.#work + bytes.length }
  }

  /** The ordinary case: the whole stretch is one JSON value. */
  #readWhole(begin: number, from: number, to: number): boolean {
    const { startsLine, ended } = this.#segment
    this.#work += 3 * (to - from)
    if (isDeep(this.#bytes, from, to, this.#maxDepth)) return false
    const text = decodeStrictly(this.#bytes.subarray(from, to))
    const value = parse(text ?? decode(this.#bytes.subarray(from, to)))
    if (value === undefined) return false
    if (!isObject(value) || (!startsLine && ended !== "newline")) this.#unreadable(begin, to, startsLine)
    else this.#record({ start: from, end: to, deep: false }, value, text)
    return true
  }

  /** Rules 1 to 4. */
  #salvage(begin: number, from: number, to: number): void {
    const outside = this.#scan(from, to, false)
    this.#open = outside.open
    const headEnd = this.#readHead(outside.head, from, to)
    if (headEnd === to) return
    let start = headEnd
    while (isSpace(this.#bytes[start])) start++
    const chain = outside.tail.length > 0 ? outside : this.#scan(from, to, true)
    const tail = this.#readTail(chain, start)
    const first = tail[0]
    if (headEnd > from) this.#lost(start, first?.span.start ?? this.#endOf(to), first !== undefined, false)
    else this.#lost(begin, first?.span.start ?? this.#endOf(to), first !== undefined, this.#segment.startsLine)
    this.#glued(tail.map(({ span }) => span))
    for (const { span, value, text } of tail) this.#record(span, value, text)
  }

  /** The records that the stretch begins with, up to the returned position. */
  #readHead(head: ReadonlyArray<Span>, from: number, to: number): number {
    const last = head.at(-1)
    if (last === undefined || (!this.#segment.startsLine && last.end < to)) return from
    const whole: Array<{ readonly span: Span; readonly value: JsonObject | undefined; readonly text: string | undefined }> = []
    for (const span of head) {
      const { value, text } = span.deep ? { value: undefined, text: undefined } : this.#parse(span)
      if (value === undefined && !span.deep) break
      whole.push({ span, value, text })
    }
    if (!this.#segment.startsLine && whole.length < head.length) return from
    this.#glued(whole.filter(({ value }) => value !== undefined).map(({ span }) => span))
    for (const { span, value, text } of whole) {
      if (value !== undefined) this.#record(span, value, text)
      else this.#damage("too-deep", span.start, span.end, span.start === from && this.#segment.startsLine, false)
    }
    return whole.at(-1)?.span.end ?? from
  }

  /** The records that the stretch ends with, none before `from`: read backwards, up to the first that is not certain. */
  #readTail({ tail, nested }: Scan, from: number) {
    const found: Array<{ readonly span: Span; readonly value: JsonObject; readonly text: string | undefined }> = []
    for (let i = tail.length - 1; i >= 0; i--) {
      const span = tail[i] as Span
      if (span.start < from || span.deep) break
      const { value, text } = this.#parse(span)
      if (value === undefined || !this.#looksLikeRecord(value)) break
      if (i === 0 && nested !== undefined) {
        this.#work += span.start - nested.start
        if (this.#segment.ended !== "newline" || !isSeparate(this.#bytes, nested, span, value)) break
      }
      found.unshift({ span, value, text })
    }
    return found
  }

  #scan(from: number, to: number, inString: boolean): Scan {
    const result = scan(this.#bytes, from, to, inString, this.#maxDepth)
    this.#work += result.steps
    return result
  }

  #parse({ start, end }: Span): { readonly value: JsonObject | undefined; readonly text: string | undefined } {
    this.#work += end - start
    const bytes = this.#bytes.subarray(start, end)
    const text = decodeStrictly(bytes)
    const value = parse(text ?? decode(bytes))
    return { value: isObject(value) ? value : undefined, text }
  }

  /** `text` is undefined for a record that is not UTF-8. */
  #record({ start, end }: Span, value: JsonObject, text: string | undefined): void {
    const { line, offset } = this.#segment
    const bad = text === undefined ? notUtf8(this.#bytes, start, end) : undefined
    if (bad !== undefined) this.#damage("not-utf8", bad.start, bad.end, false, true)
    const raw = text ?? decode(this.#bytes.subarray(start, end))
    this.#items.push({ _tag: "Record", record: { value, raw, line, offset: offset + start, length: end - start } })
  }

  /** Where the damage of a stretch ends that goes to the end: the blanks before a newline are no damage. */
  #endOf(to: number): number {
    return this.#segment.ended === "newline" ? to : this.#bytes.length
  }

  /** A stretch that is no object, or may be none. */
  #unreadable(begin: number, to: number, isValue: boolean): void {
    const kind = this.#segment.ended === "end" ? "torn-tail" : isValue ? "not-object" : "not-json"
    this.#damage(kind, begin, this.#endOf(to), this.#segment.startsLine, false)
  }

  /** Bytes between records, or up to the end. */
  #lost(start: number, end: number, recordBehind: boolean, startsLine: boolean): void {
    let first = start
    while (isSpace(this.#bytes[first])) first++
    const cut = this.#bytes[first] === 0x7b
    const kind = recordBehind ? (cut ? "glued" : "not-json") : this.#segment.ended === "end" ? "torn-tail" : "not-json"
    this.#damage(kind, start, end, startsLine, false)
  }

  #glued(spans: ReadonlyArray<Span>): void {
    const [first] = spans
    const last = spans.at(-1)
    if (first !== undefined && last !== undefined && first !== last) this.#damage("glued", first.start, last.end, false, true)
  }

  #damage(kind: DamageKind, start: number, end: number, startsLine: boolean, read: boolean): void {
    const { line, offset } = this.#segment
    this.#items.push({ _tag: "Damage", damage: { line, offset: offset + start, length: end - start, kind }, startsLine, read })
  }
}

/** Reads one segment. Never throws. Linear in its length, whatever it holds. */
export const readLine = (segment: Segment, options: LineOptions = {}): LineReading => new LineReader(segment, options).read()
