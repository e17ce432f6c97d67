/** A ledger session read from a file: its state, and everything that is wrong with the file. Changes no byte (law MIG-3). */
import * as Effect from "effect/Effect"
import type { Disk } from "../disk/Disk.ts"
import type { Damage } from "../journal/Damage.ts"
import type { LineItem } from "../journal/Line.ts"
import type { ReadError, ReadSummary } from "../journal/Reader.ts"
import { readToEnd } from "../journal/RecordStream.ts"
import { evolve, inspect } from "../ledger/Evolution.ts"
import type { LedgerRecord } from "../ledger/Record.ts"
import { initial, type LedgerState } from "../ledger/State.ts"
import type { JsonObject } from "../model/Json.ts"
import { detectFormat } from "../tree/Format.ts"
import { FORMAT_RECORDS } from "./Load.ts"
import { FormatError } from "./OpenError.ts"

export interface LoadedLedger {
  readonly path: string
  readonly state: LedgerState
  /** In the order of the file. */
  readonly damages: ReadonlyArray<Damage>
  /** Every JSON record that was read. */
  readonly records: number
  /** The file's length. */
  readonly bytes: number
  readonly summary: ReadSummary
}

export interface LedgerLoadOptions {
  /** Takes each record that was read, in order, with the state before it. */
  readonly onRecord?: ((record: LedgerRecord, before: LedgerState) => void) | undefined
  /** Called now and then with the bytes read and the bytes to read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** Read it as a ledger whatever its first records look like. */
  readonly forced?: boolean | undefined
}

/** Collects what a reader finds. */
class Collector {
  readonly damages: Array<Damage> = []
  readonly first: Array<JsonObject> = []
  state: LedgerState = initial
  readonly #onRecord: LedgerLoadOptions["onRecord"]

  constructor(onRecord: LedgerLoadOptions["onRecord"]) {
    this.#onRecord = onRecord
  }

  take(item: LineItem): void {
    if (item._tag === "Damage") {
      this.damages.push(item.damage)
      return
    }
    const { value, line, offset, length } = item.record
    if (this.first.length < FORMAT_RECORDS) this.first.push(value)
    for (const kind of inspect(this.state, value)) this.damages.push({ line, offset, length, kind })
    this.#onRecord?.(value, this.state)
    this.state = evolve(this.state, value)
  }
}

/** Why a file that begins so is no ledger session, or undefined when it is one. An empty file may become one. */
const refusalOf = (path: string, first: ReadonlyArray<JsonObject>): FormatError | undefined => {
  const format = detectFormat(first)
  if (format._tag === "Tree") return new FormatError({ reason: { _tag: "IsTree", code: "format.is_tree", path } })
  if (format._tag === "Unknown" && first.length > 0)
    return new FormatError({ reason: { _tag: "NotASession", code: "format.not_a_session", path } })
  return undefined
}

/** Reads a ledger session. Fails for a file that is not one; damage is not a failure. Cost: the file once, and its conversation in memory. */
export const loadLedger = (
  disk: Disk,
  path: string,
  options: LedgerLoadOptions = {},
): Effect.Effect<LoadedLedger, ReadError | FormatError> =>
  Effect.suspend(() => {
    const collector = new Collector(options.onRecord)
    return Effect.flatMap(
      readToEnd(disk, path, (item) => collector.take(item), { onProgress: options.onProgress }),
      (summary): Effect.Effect<LoadedLedger, FormatError> => {
        const refusal = options.forced === true ? undefined : refusalOf(path, collector.first)
        if (refusal !== undefined) return Effect.fail(refusal)
        const { state, damages } = collector
        return Effect.succeed({ path, state, damages, records: summary.records, bytes: summary.bytes, summary })
      },
    )
  })
