/**
 * The bytes of a journal, in order and in any chunks, to its records and damages.
 *
 * Pure and streaming: it keeps one line at most, and a few lines while a record may be spread over them. Records come in file order;
 * a damage comes with the line it belongs to. The chunks do not matter (law JRN-4).
 */
import { MAX_DEPTH } from "../model/Limits.ts"
import type { DamageKind } from "./Damage.ts"
import { hasBom, isUtf16, PREFIX_BYTES } from "./Encoding.ts"
import { Joiner, type JoinOptions } from "./Joiner.ts"
import { ahead, type DamageItem, type LineItem, readLine } from "./Line.ts"
import type { Run, RunTaker } from "./Run.ts"
import { lengthOf, type NulRun, type Oversize, type Piece, type Segment, Splitter, type SplitterOptions } from "./Splitter.ts"

/** How deep, how long and what a record may be. */
export interface DecodeOptions extends JoinOptions, Pick<SplitterOptions, "again" | "longTextBytes"> {
  /** With an outline: takes plain messages by the run, of which no items are made then. */
  readonly runs?: RunTaker | undefined
}

/** What can be cut off the end of a file so that it ends with its last good record, or with a damage that has its newline. */
export interface TailStretch {
  readonly offset: number
  readonly length: number
  /** Of its first damage. */
  readonly kind: DamageKind
  readonly line: number
  /** Whether it begins where its line begins. */
  readonly startsLine: boolean
}

/** Damage without a record behind it, as long as it is not known whether it goes on to the end of the file. */
interface OpenTail extends TailStretch {
  /** The line that its last damage stands on, and whether NUL bytes stand on that line. */
  readonly lastLine: number
  readonly hasNuls: boolean
}

export interface DecodeSummary {
  readonly bytes: number
  /** Newlines, and one more for bytes behind the last. */
  readonly lines: number
  readonly records: number
  readonly damages: number
  /** True for an empty file. */
  readonly endsWithNewline: boolean
  /** Just behind the last record, and behind its newline if that follows it; 0 when there is no record. */
  readonly lastGoodEnd: number
  readonly hasBom: boolean
  readonly isUtf16: boolean
  /** The stretch of damage without a newline at the end of the file, if any. */
  readonly tail: TailStretch | undefined
}

const NONE = new Uint8Array(0)

/** The kinds that a cut write leaves at the end of a file. A line that is too long or too deep may well be whole: it is not cut off. */
const CUT: ReadonlySet<DamageKind> = new Set(["torn-tail", "nul-run", "not-json", "not-object"])

/** An item that is good for longer than until the next piece: a record that was left unread is read. */
const lasting = (item: LineItem): LineItem => {
  if (item._tag === "Damage" || item.record.outline === undefined) return item
  const { value, raw, line, offset, length } = item.record
  return { ...item, record: { value, raw, line, offset, length } }
}

export class Decoder {
  readonly #options: DecodeOptions
  readonly #splitter: Splitter
  /** The first bytes, until there are enough to tell the encoding. */
  #prefix: Uint8Array | undefined = NONE
  #isUtf16 = false
  #hasBom = false
  #bytes = 0
  #lastByte: number | undefined
  #records = 0
  #damages = 0
  #lastGoodEnd = 0
  #tail: OpenTail | undefined
  /** Lines that may be one record, and what they are if not. */
  #joiner: Joiner | undefined
  #held: Array<LineItem> = []

  constructor(options: DecodeOptions = {}) {
    this.#options = options
    const { maxLineBytes, maxDepth = MAX_DEPTH, outline, runs, again, longTextBytes } = options
    this.#splitter = new Splitter({
      maxLineBytes,
      again,
      longTextBytes,
      outline: outline?.maxDepth === maxDepth ? outline : undefined,
      runs: runs && { isReady: () => this.#held.length === 0 && runs.isReady(), take: (run) => runs.take(this.#passed(run)) },
    })
  }

  /** What the next bytes complete. Run it to its end before the chunk is reused and the next is pushed. */
  *push(chunk: Uint8Array): Generator<LineItem, void> {
    if (chunk.length === 0) return
    this.#bytes += chunk.length
    this.#lastByte = chunk[chunk.length - 1]
    let bytes = chunk
    if (this.#prefix !== undefined) {
      if (this.#prefix.length > 0) {
        bytes = new Uint8Array(this.#prefix.length + chunk.length)
        bytes.set(this.#prefix)
        bytes.set(chunk, this.#prefix.length)
      }
      if (bytes.length < PREFIX_BYTES) {
        this.#prefix = new Uint8Array(bytes)
        return
      }
      this.#begin(bytes)
    }
    if (!this.#isUtf16)
      for (const piece of this.#splitter.push(bytes)) {
        // Nearly every line of a large file: the rest of this is not asked, and would say the same.
        const item = this.#held.length === 0 && piece._tag === "Segment" ? ahead(piece, this.#options) : undefined
        if (item === undefined) yield* this.#piece(piece)
        else {
          yield this.#emit(item)
          this.#lastGoodEnd = piece.offset + item.record.length + 1
        }
      }
  }

  /** What the end of the file completes. */
  *end(): Generator<LineItem, void> {
    const prefix = this.#prefix
    if (prefix !== undefined) {
      this.#begin(prefix)
      if (!this.#isUtf16) for (const piece of this.#splitter.push(prefix)) yield* this.#piece(piece)
    }
    if (this.#isUtf16) yield this.#emit(this.#damage("utf-16", { line: 1, offset: 0, startsLine: true }, this.#bytes))
    for (const piece of this.#splitter.end()) yield* this.#piece(piece)
    yield* this.#release()
  }

  /** What is known of the bytes so far. */
  summary(): DecodeSummary {
    const endsWithNewline = this.#bytes === 0 || this.#lastByte === 0x0a
    return {
      bytes: this.#bytes,
      lines: this.#splitter.line - (endsWithNewline ? 1 : 0),
      records: this.#records,
      damages: this.#damages,
      endsWithNewline,
      lastGoodEnd: this.#lastGoodEnd,
      hasBom: this.#hasBom,
      isUtf16: this.#isUtf16,
      tail: this.#tornTail(),
    }
  }

  /**
   * The damage at the end that no whole line stands behind. A line that ends with a newline is part of it when NUL bytes stand on it: those
   * are pages that a power cut has taken out of a batch whose last page it has left. Any other such line may be what somebody has written.
   */
  #tornTail(): TailStretch | undefined {
    if (this.#tail === undefined) return undefined
    const { lastLine: _, hasNuls, ...tail } = this.#tail
    if (hasNuls) return { ...tail, length: this.#bytes - tail.offset }
    return tail.offset + tail.length === this.#bytes ? tail : undefined
  }

  #begin(prefix: Uint8Array): void {
    this.#prefix = undefined
    this.#isUtf16 = isUtf16(prefix)
    this.#hasBom = hasBom(prefix)
  }

  *#piece(piece: Piece): Generator<LineItem, void> {
    if (piece._tag === "Segment") return yield* this.#segment(piece)
    yield* this.#release(piece._tag === "NulRun" && piece.ended === "end" ? piece.offset : undefined)
    yield this.#emit(this.#damage(piece._tag === "NulRun" ? "nul-run" : "oversize", piece, piece.length))
  }

  *#segment(segment: Segment): Generator<LineItem, void> {
    const { items, open } = readLine(segment, this.#options)
    if (this.#joiner !== undefined) {
      const state = items.some(({ _tag }) => _tag === "Record") ? "broken" : this.#join(this.#joiner, segment)
      if (state === "whole") {
        yield* this.#release()
        if (segment.ended === "newline") this.#lastGoodEnd = segment.offset + lengthOf(segment) + 1
        return
      }
      if (state === "open") {
        this.#held.push(...items)
        return
      }
    }
    yield* this.#release()
    if (open && segment.startsLine && segment.ended === "newline" && items.length === 1) {
      this.#joiner = Joiner.begin(segment, this.#options)
      if (this.#joiner !== undefined) {
        this.#held = [...items]
        return
      }
    }
    // Whether bytes before NULs are the end of the file shows when the NULs end.
    const waits = segment.ended === "nul" ? items.at(-1) : undefined
    for (const item of items) if (item !== waits) yield this.#emit(item)
    if (waits !== undefined) this.#held = [lasting(waits)]
    else if (segment.ended === "newline" && items.at(-1)?._tag === "Record")
      this.#lastGoodEnd = segment.offset + lengthOf(segment) + 1
  }

  /** Adds a line to the lines held. When they are one record, what is held becomes that record. */
  #join(joiner: Joiner, segment: Segment): "open" | "whole" | "broken" {
    const state = joiner.add(segment)
    if (state !== "whole") return state
    const record = joiner.record()
    if (record === undefined) return "broken"
    const { line, offset, length } = record
    // The first of the damages held begins where the line begins, if blanks stand there or not.
    const startsLine = this.#held[0]?._tag === "Damage" && this.#held[0].damage.offset === offset
    const damage: DamageItem = { ...this.#damage("raw-newline", { line, offset, startsLine }, length), read: true }
    this.#held = [damage, { _tag: "Record", record, startsLine }]
    return "whole"
  }

  /** Lets go of what is held. `nuls`: where the NULs begin that are the rest of the file; what ends there is its torn tail. */
  *#release(nuls?: number): Generator<LineItem, void> {
    const held = this.#held
    this.#joiner = undefined
    if (held.length === 0) return
    this.#held = []
    for (const item of held) {
      const torn = item._tag === "Damage" && item.damage.kind === "not-json" && item.damage.offset + item.damage.length === nuls
      yield this.#emit(torn ? { ...item, damage: { ...item.damage, kind: "torn-tail" } } : item)
    }
  }

  #damage(kind: DamageKind, at: Pick<NulRun | Oversize, "line" | "offset" | "startsLine">, length: number): DamageItem {
    const { line, offset, startsLine } = at
    return { _tag: "Damage", damage: { line, offset, length, kind }, startsLine, read: false }
  }

  /** Counts an item on its way out. */
  #emit(item: LineItem): LineItem {
    if (item._tag === "Record") {
      this.#records++
      this.#lastGoodEnd = item.record.offset + item.record.length
      this.#tail = undefined
      return item
    }
    this.#damages++
    if (!item.read) this.#tail = this.#extended(item)
    return item
  }

  /** Counts the records of a run on its way out. */
  #passed(run: Run): Run {
    this.#records += run.count
    this.#lastGoodEnd = run.offset + run.length
    this.#tail = undefined
    return run
  }

  /** The stretch of damage that may turn out to be the tail, with one more damage. */
  #extended({ damage, startsLine }: DamageItem): OpenTail | undefined {
    const { kind, line, offset, length } = damage
    if (!CUT.has(kind)) return undefined
    const isNul = kind === "nul-run"
    const tail = this.#tail
    const goesOn = tail !== undefined && (tail.lastLine === line || tail.hasNuls)
    if (!goesOn) return { offset, length, kind, line, startsLine, lastLine: line, hasNuls: isNul }
    const hasNuls = isNul || (tail.lastLine === line && tail.hasNuls)
    return { ...tail, length: offset + length - tail.offset, lastLine: line, hasNuls }
  }
}
