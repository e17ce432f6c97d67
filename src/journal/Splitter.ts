/**
 * From chunks of bytes to the stretches between their separators, in bounded memory.
 *
 * Two things separate: the newline byte 0x0A, and a run of NUL bytes, which a file system leaves where a write was lost and which no
 * JSON text contains. Nothing else does: not CR, not U+2028, not a byte order mark. A run of NULs is counted and never kept, however
 * long it is; neither is a line above the limit. What is kept is one line at most.
 *
 * Feeding the same bytes in other chunks gives the same pieces (law JRN-4).
 */
import { LONG_TEXT_BYTES, MAX_LINE_BYTES } from "../model/Limits.ts"
import { LEFT_OUT, longText } from "./LongText.ts"
import type { Outline } from "./Outline.ts"
import type { RunTaker } from "./Run.ts"

interface Stretch {
  /** The line it begins in, counted from 1 by newline bytes. */
  readonly line: number
  /** Its first byte, counted from 0. */
  readonly offset: number
  /** Whether its first byte is the first of its line. */
  readonly startsLine: boolean
}

/** A stretch without newline and without NUL. It may be empty only when a newline ends it. */
export interface Segment extends Stretch {
  readonly _tag: "Segment"
  /** Valid until the next piece is asked for: it may be a view into the chunk. */
  readonly bytes: Uint8Array
  /** What stands behind it. */
  readonly ended: "newline" | "nul" | "end"
  /** Whether it is a record, and its outline the last one. */
  readonly isOutlined?: boolean
  /** When its bytes are not all: how many there are, and where to have them. It is outlined then. */
  readonly shortened?: Shortened | undefined
}

export interface Shortened {
  readonly length: number
  readonly whole: () => Uint8Array
}

/** A run of NUL bytes, as long as it is. */
export interface NulRun extends Stretch {
  readonly _tag: "NulRun"
  readonly length: number
  readonly ended: "newline" | "bytes" | "end"
}

/** A stretch longer than the limit. Its bytes are not kept. */
export interface Oversize extends Stretch {
  readonly _tag: "Oversize"
  readonly length: number
  readonly ended: "newline" | "nul" | "end"
}

export type Piece = Segment | NulRun | Oversize

const NEWLINE = 0x0a
/** Not looked for yet. */
const UNKNOWN = -2
const EMPTY = new Uint8Array(0)

/** A carry larger than this is given back after its line, so that one long line does not cost its memory for the rest of the file. That of
 * an outline, which cannot be, is kept for the next one. */
const KEPT_CARRY_BYTES = 1 << 20

/** The position of the first byte from `from` that is not NUL, or the length. Looks at four bytes at a time where they are aligned. */
export const endOfZeros = (bytes: Uint8Array, from: number): number => {
  const { length } = bytes
  let at = from
  while (at < length && ((bytes.byteOffset + at) & 3) !== 0 && bytes[at] === 0) at++
  if (at < length && bytes[at] === 0) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (length - at) >> 2)
    let word = 0
    while (word < words.length && words[word] === 0) word++
    at += word << 2
  }
  while (at < length && bytes[at] === 0) at++
  return at
}

/** How many bytes a segment has in its file. */
export const lengthOf = ({ bytes, shortened }: Segment): number => shortened?.length ?? bytes.length

/** The bytes that stood at a place of the file. */
export type ReadAgain = (offset: number, length: number) => Uint8Array

export interface SplitterOptions {
  /** Bytes of the longest stretch that is kept. */
  readonly maxLineBytes?: number | undefined
  /** Takes whole records before their ends are looked for. */
  readonly outline?: Outline | undefined
  /** With an outline: takes records that no piece is made of. */
  readonly runs?: RunTaker | undefined
  /** With an outline: gives bytes of the file again, so that long texts need not be kept. */
  readonly again?: ReadAgain | undefined
  /** Bytes of a line's part in a chunk from which a long text is looked for. */
  readonly longTextBytes?: number | undefined
}

/**
 * A splitter for one file. Push the chunks in order and run each generator to its end, then `end()`. Never throws.
 *
 * Cost: each byte is looked at by two native searches, or once when it is NUL; by none when the outline takes its line.
 */
export class Splitter {
  readonly #limit: number
  readonly #outline: Outline | undefined
  readonly #runs: RunTaker | undefined
  readonly #again: ReadAgain | undefined
  readonly #longTextBytes: number
  /** Bytes of the present stretch from earlier chunks; only the first `#carried` count. */
  #carry: Uint8Array = EMPTY
  #carried = 0
  /** How many bytes longer it is than what is carried. */
  #leftOut = 0
  #mode: "text" | "nul" | "oversize" = "text"
  #line = 1
  /** Offset of the present stretch. */
  #start = 0
  #startsLine = true
  /** Bytes of the present stretch that were seen in earlier chunks, kept or not. */
  #seen = 0
  /** What the outline has said already of the next line's end. */
  #next: number | undefined

  constructor(options: SplitterOptions = {}) {
    this.#limit = options.maxLineBytes ?? MAX_LINE_BYTES
    this.#outline = options.outline
    this.#runs = options.runs
    this.#again = options.again
    this.#longTextBytes = options.longTextBytes ?? LONG_TEXT_BYTES
  }

  /** Newline bytes so far, plus one: the number of the line that the next byte belongs to. */
  get line(): number {
    return this.#line
  }

  /** The pieces that end in this chunk. The chunk may be reused once the generator is done. */
  *push(chunk: Uint8Array): Generator<Piece, void> {
    let position = 0
    let nul = UNKNOWN
    let newline = UNKNOWN
    while (position < chunk.length) {
      position = this.#behindRun(chunk, position)
      const end = this.#ahead(chunk, position)
      if (end >= 0) {
        yield this.#segment(chunk.subarray(position, end), "newline", true)
        this.#seen = end - position
        this.#begin(true)
        position = end + 1
        continue
      }
      // Each search goes on from where it stopped: many NULs before a far newline must not look for it again and again.
      if (nul !== -1 && nul < position) nul = chunk.indexOf(0, position)
      if (newline !== -1 && newline < position) newline = chunk.indexOf(NEWLINE, position)
      if (this.#mode === "nul") {
        const stop = endOfZeros(chunk, position)
        this.#seen += stop - position
        position = stop
        if (stop === chunk.length) return
        yield this.#nulRun(stop === newline ? "newline" : "bytes")
        this.#begin(stop === newline)
        if (stop === newline) position++
      } else {
        const stop = nul !== -1 && (newline === -1 || nul < newline) ? nul : newline
        if (stop === -1) return this.#keep(chunk, position, chunk.length)
        const ended = stop === newline ? "newline" : "nul"
        const length = this.#seen + stop - position
        this.#limitTo(length)
        if (this.#mode === "oversize") yield this.#oversize(length, ended)
        else if (length > 0 || ended === "newline") yield this.#whole(chunk, position, stop, ended)
        this.#seen = length
        this.#begin(ended === "newline")
        if (ended === "nul") this.#mode = "nul"
        position = ended === "newline" ? stop + 1 : stop
      }
    }
  }

  /** The outline, where a line begins at the next byte. */
  get #outlineHere(): Outline | undefined {
    return this.#startsLine && this.#seen === 0 && this.#mode === "text" ? this.#outline : undefined
  }

  /** Hands over the run at `position`, if there is one that is taken. Gives the position behind it. */
  #behindRun(chunk: Uint8Array, position: number): number {
    const runs = this.#runs
    const outline = this.#outlineHere
    if (outline === undefined || runs === undefined || chunk.length > this.#limit || !runs.isReady()) return position
    const ahead = outline.run(chunk, position, { line: this.#line, offset: this.#start })
    this.#next = ahead?.next
    if (ahead?.run === undefined) return position
    const { run } = ahead
    const { count, length } = run
    runs.take(run)
    this.#line += count
    this.#start += length
    return position + length
  }

  /** Where the line ends that begins at `position`, when that is a record which the outline takes as it is; otherwise -1. */
  #ahead(chunk: Uint8Array, position: number): number {
    const end = this.#next ?? this.#outlineHere?.ahead(chunk, position) ?? -1
    this.#next = undefined
    return end - position > this.#limit ? -1 : end
  }

  /** The piece that the end of the file ends, if any. */
  *end(): Generator<Piece, void> {
    if (this.#seen === 0) return
    if (this.#mode === "nul") yield this.#nulRun("end")
    else if (this.#mode === "oversize") yield this.#oversize(this.#seen, "end")
    else yield this.#carriedSegment("end")
    this.#begin(false)
  }

  #segment(bytes: Uint8Array, ended: Segment["ended"], isOutlined = false): Segment {
    return { _tag: "Segment", bytes, line: this.#line, offset: this.#start, startsLine: this.#startsLine, ended, isOutlined }
  }

  #nulRun(ended: NulRun["ended"]): NulRun {
    return { _tag: "NulRun", line: this.#line, offset: this.#start, startsLine: this.#startsLine, length: this.#seen, ended }
  }

  #oversize(length: number, ended: Oversize["ended"]): Oversize {
    return { _tag: "Oversize", line: this.#line, offset: this.#start, startsLine: this.#startsLine, length, ended }
  }

  /** Begins the next stretch behind the bytes seen and, where there was one, their newline. */
  #begin(newline: boolean): void {
    this.#startsLine = newline || (this.#startsLine && this.#seen === 0)
    this.#start += this.#seen + (newline ? 1 : 0)
    if (newline) this.#line++
    this.#seen = 0
    this.#carried = 0
    this.#leftOut = 0
    this.#mode = "text"
    if (this.#carry.length > KEPT_CARRY_BYTES && this.#outline?.isAside(this.#carry) !== true) this.#carry = EMPTY
  }

  /** Stops keeping the present stretch when it is longer than the limit. */
  #limitTo(length: number): void {
    if (this.#mode !== "text" || length <= this.#limit) return
    this.#mode = "oversize"
    this.#carry = EMPTY
    this.#carried = 0
    this.#leftOut = 0
  }

  /** The present stretch up to `to`, without a copy when it lies within the chunk. */
  #whole(chunk: Uint8Array, from: number, to: number, ended: Segment["ended"]): Segment {
    if (this.#carried === 0) return this.#segment(chunk.subarray(from, to), ended)
    this.#copy(chunk, from, to)
    return this.#carriedSegment(ended)
  }

  /** The present stretch as it is carried; with what was left out of it unless that is proven not to matter. */
  #carriedSegment(ended: Segment["ended"]): Segment {
    const bytes = this.#carry.subarray(0, this.#carried)
    const again = this.#again
    if (this.#leftOut === 0 || again === undefined) return this.#segment(bytes, ended)
    const [offset, length] = [this.#start, bytes.length + this.#leftOut]
    const whole = (): Uint8Array => again(offset, length)
    const isProven = ended === "newline" && this.#startsLine && this.#outline?.read(bytes, 0, bytes.length) === true
    return isProven ? { ...this.#segment(bytes, ended, true), shortened: { length, whole } } : this.#segment(whole(), ended)
  }

  #keep(chunk: Uint8Array, from: number, to: number): void {
    this.#limitTo(this.#seen + to - from)
    if (this.#mode === "text") this.#copy(chunk, from, to)
    this.#seen += to - from
  }

  /** Carries a part of the present stretch, but for a long text in it. */
  #copy(chunk: Uint8Array, from: number, to: number): void {
    const outline = this.#again && this.#startsLine && to - from >= this.#longTextBytes ? this.#outline : undefined
    const text = outline && longText(outline, chunk, from, to)
    if (text === undefined) {
      this.#append(chunk, from, to)
      return
    }
    this.#append(chunk, from, text.from)
    this.#append(LEFT_OUT, 0, LEFT_OUT.length)
    this.#append(chunk, text.to, to)
    this.#leftOut += text.to - text.from - LEFT_OUT.length
  }

  #append(chunk: Uint8Array, from: number, to: number): void {
    const need = this.#carried + to - from
    if (need > this.#carry.length) {
      this.#carry = this.#larger(Math.max(need, Math.min(2 * this.#carry.length, this.#limit), 4_096))
    }
    this.#carry.set(chunk.subarray(from, to), this.#carried)
    this.#carried = need
  }

  /** A carry of another length that begins as this one. */
  #larger(length: number): Uint8Array {
    const wasAside = this.#outline?.isAside(this.#carry) === true
    const aside = this.#outline?.aside(length)
    // What stood aside still does.
    if (wasAside && aside !== undefined) return aside
    const larger = aside ?? new Uint8Array(length)
    larger.set(this.#carry.subarray(0, this.#carried))
    return larger
  }
}
