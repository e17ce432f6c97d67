/**
 * Plain messages that stand one behind the other in a chunk, told at once: nearly all records of a large file. What a plain message is says
 * RunProgram.ts.
 *
 * A run says of its records what their outlines would say (law IDX-4). Good until the reader goes on.
 */

import { asciiText } from "../model/Ascii.ts"
import type { JsonObject } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { NO_PARENT, PARENT_BEFORE, type PackedKeys, type PackedMessages } from "../model/Packed.ts"
import { decode } from "./Encoding.ts"
import { IDS_AT } from "./ScanLayout.ts"

/** Takes runs in the place of their records. */
export interface RunTaker {
  /** Whether it takes the next one. */
  readonly isReady: () => boolean
  readonly take: (run: Run) => void
}

/** What the program notes of the messages of a run: see ScanLayout.ts. */
export interface RunMarks {
  /** The memory. */
  readonly bytes: Uint8Array
  readonly ends: Int32Array
  readonly idEnds: Int32Array
  readonly hashes: Int32Array
  readonly parents: Int32Array
  readonly parentEnds: Int32Array
}

/** Where the first record of a run stands. */
export interface RunPlace {
  /** Its line, counted from 1, and its first byte in the file. */
  readonly line: number
  readonly offset: number
  /** Its first byte in the memory. */
  readonly from: number
}

/** A record as a reader without an outline gives it. */
export interface RunRecord {
  readonly value: JsonObject
  readonly raw: string
  readonly line: number
  readonly offset: number
  readonly length: number
}

export class Run implements PackedMessages {
  /** Its records: at least one. */
  readonly count: number
  readonly line: number
  readonly offset: number
  /** Their ids. */
  readonly ids: PackedKeys
  readonly marks: RunMarks
  readonly shift: number
  readonly #from: number

  constructor(count: number, { line, offset, from }: RunPlace, marks: RunMarks) {
    this.count = count
    this.line = line
    this.offset = offset
    this.marks = marks
    this.ids = { count, bytes: marks.bytes, from: IDS_AT, ends: marks.idEnds, hashes: marks.hashes }
    this.#from = from
    this.shift = offset - from
  }

  /** Bytes of all its records with their newlines. */
  get length(): number {
    return this.beginOf(this.count) - this.#from
  }

  /** Where a record begins in the memory: each stands behind the newline of the one before. */
  beginOf(n: number): number {
    return n === 0 ? this.#from : (this.marks.ends[n - 1] as number) + 1
  }

  /** Where a record stands. */
  placeOf(n: number): Pick<RunRecord, "line" | "offset" | "length"> {
    const begin = this.beginOf(n)
    return { line: this.line + n, offset: begin + this.shift, length: (this.marks.ends[n] as number) - begin }
  }

  /** The id of a record's parent. */
  parentId(n: number): string | null {
    const { bytes, parents, parentEnds, idEnds } = this.marks
    const parent = parents[n] as number
    if (parent === NO_PARENT) return null
    if (parent === PARENT_BEFORE) return asciiText(bytes, n === 1 ? IDS_AT : (idEnds[n - 2] as number), idEnds[n - 1] as number)
    return asciiText(bytes, parent, parentEnds[n] as number)
  }

  /** A record as a reader without an outline gives it. */
  record(n: number): RunRecord {
    const begin = this.beginOf(n)
    const raw = decode(this.marks.bytes.subarray(begin, this.marks.ends[n]))
    return { value: parseJson(raw) as JsonObject, raw, ...this.placeOf(n) }
  }
}
