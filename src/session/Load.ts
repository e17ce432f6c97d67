/**
 * A tree session read from a file: its state, and everything that is wrong with the file. Changes no byte (law MIG-3).
 *
 * Damages come from two places that agree on one form: from the bytes (a torn line) and from the records (a patch that cannot be used).
 */
import * as Effect from "effect/Effect"
import { BLOB_PREFIX } from "../blob/BlobRef.ts"
import type { Disk } from "../disk/Disk.ts"
import type { Damage } from "../journal/Damage.ts"
import type { JournalRecord, LineItem } from "../journal/Line.ts"
import type { ReadError, ReadSummary } from "../journal/Reader.ts"
import { readToEnd } from "../journal/RecordStream.ts"
import type { Json, JsonObject } from "../model/Json.ts"
import { type Dialect, detectFormat } from "../tree/Format.ts"
import { initial, type TreeState } from "../tree/State.ts"
import { advance } from "../tree/TreeModel.ts"
import { type BlobProblem, type Lookup, resolveState } from "./BlobReferences.ts"
import { FormatError } from "./OpenError.ts"

export interface LoadedTree {
  readonly path: string
  /** Whose way of writing it is. */
  readonly dialect: Dialect
  /** The version that the header declares; 5 when there is no header. */
  readonly version: number
  /** Images that the file refers to are in it as they are. */
  readonly state: TreeState
  /** As the file has it, references as references: what a rewrite goes by. The same value when the file has none that can be resolved. */
  readonly stored: TreeState
  /** The references that lead to nothing. They stand in the state as they are, and loading is not hindered by them. */
  readonly blobs: ReadonlyArray<BlobProblem>
  /** In the order of the file. */
  readonly damages: ReadonlyArray<Damage>
  /** Every JSON record that was read, the header included. */
  readonly records: number
  /** The file's length. */
  readonly bytes: number
  readonly summary: ReadSummary
}

export interface LoadOptions {
  /** Finds what references to images stand for. Without it they stay references. */
  readonly lookup?: Lookup | undefined
  /** Called now and then with the bytes read and the bytes to read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** How many records are looked at to tell the format. */
export const FORMAT_RECORDS = 64

/** Collects what a reader finds. */
class Collector implements FirstRecords {
  readonly damages: Array<Damage> = []
  readonly first: Array<JsonObject> = []
  state: TreeState = initial
  /** Whether any line could hold a reference. */
  refers = false
  refused: FirstRecords["refused"]

  take(item: LineItem): void {
    if (item._tag === "Damage") {
      this.damages.push(item.damage)
      return
    }
    const { value, raw, line, offset, length } = item.record
    this.refers ||= raw.includes(BLOB_PREFIX)
    if (this.first.length < FORMAT_RECORDS) this.first.push(value)
    // A version that is not known is refused before its records are given a meaning.
    if (this.refused !== undefined) return
    const { state, reading } = advance(this.state, value)
    for (const kind of reading.damage) this.damages.push({ line, offset, length, kind })
    this.state = state
    const { unsupported } = state
    if (unsupported !== undefined) this.refused = { record: item.record, version: unsupported.version }
  }
}

/** Reads a tree session. Fails for a file that is not one; damage is not a failure. Cost: the file once, and its records in memory. */
export const loadTree = (
  disk: Disk,
  path: string,
  options: LoadOptions = {},
): Effect.Effect<LoadedTree, ReadError | FormatError> =>
  Effect.suspend(() => {
    const collector = new Collector()
    return Effect.flatMap(
      readToEnd(disk, path, (item) => collector.take(item), { onProgress: options.onProgress }),
      (summary): Effect.Effect<LoadedTree, FormatError> => {
        const refusal = refusalOf(path, collector)
        if (refusal !== undefined) return Effect.fail(refusal)
        const { state: stored, damages, refers } = collector
        const { lookup } = options
        const found =
          refers && lookup !== undefined ? resolveState(stored, lookup) : Effect.succeed({ state: stored, problems: [] })
        return Effect.map(found, ({ state, problems }) => ({
          path,
          dialect: dialectOf(collector.first),
          version: state.version,
          state,
          stored,
          blobs: problems,
          damages,
          records: summary.records,
          bytes: summary.bytes,
          summary,
        }))
      },
    )
  })

/** Whose way of writing a session is that begins with these records. */
export const dialectOf = (first: ReadonlyArray<JsonObject>): Dialect => {
  const format = detectFormat(first)
  return format._tag === "Tree" ? format.dialect : "gjc"
}

/** What the first records of a file say of it. */
export interface FirstRecords {
  readonly first: ReadonlyArray<JsonObject>
  /** The header that cannot be read, and its version. */
  readonly refused: { readonly record: JournalRecord; readonly version: Json } | undefined
}

/** Why a file that begins so is no tree session that can be read, or undefined when it is one. */
export const refusalOf = (path: string, { first, refused }: FirstRecords): FormatError | undefined => {
  const format = detectFormat(first)
  if (format._tag === "Ledger") return new FormatError({ reason: { _tag: "IsLedger", code: "format.is_ledger", path } })
  if (format._tag === "Unknown" && first.length > 0)
    return new FormatError({ reason: { _tag: "NotASession", code: "format.not_a_session", path } })
  if (refused === undefined) return undefined
  const { line, offset } = refused.record
  const { version } = refused
  return new FormatError({
    reason: { _tag: "UnsupportedVersion", code: "format.unsupported_version", path, line, offset, version },
  })
}
