/** `annals replay FILE`: the state as the records give it, what they refer to left as a reference. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Files } from "../disk/Files.ts"
import type { Damage } from "../journal/Damage.ts"
import type { JournalRecord, LineItem } from "../journal/Line.ts"
import { items } from "../journal/RecordStream.ts"
import type { JsonObject } from "../model/Json.ts"
import { type FirstRecords, FORMAT_RECORDS, loadTree, refusalOf } from "../session/Load.ts"
import { inspect } from "../tree/Reading.ts"
import { initial, type TreeState } from "../tree/State.ts"
import { evolve } from "../tree/TreeModel.ts"
import { count } from "../view/Quantity.ts"
import { stateLines, statePieces } from "../view/StateJson.ts"
import { type Forced, needsTree, noteDamage, progressOf } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printLines, printPieces } from "./Print.ts"
import { UsageError } from "./Usage.ts"

export interface ReplayInput {
  readonly file: string
  /** How many records are replayed; all by default. */
  readonly at: Option.Option<number>
  readonly json: boolean
  readonly format: Forced
}

/** The first records of a file: what they amount to, and what is known of the format. */
class Beginning implements FirstRecords {
  /** After the last record that is replayed. */
  state: TreeState = initial
  records = 0
  readonly first: Array<JsonObject> = []
  refused: FirstRecords["refused"]
  readonly #wanted: number
  readonly #damages: Array<Damage> = []
  #end = 0
  /** After the last record that was read: the same, or further on. */
  #latest: TreeState = initial

  constructor(wanted: number) {
    this.#wanted = wanted
  }

  /** The damages up to the last record that is replayed. */
  get damages(): ReadonlyArray<Damage> {
    return this.#damages.filter(({ offset }) => offset < this.#end)
  }

  /** Takes the next item of the file; false when no more is needed. */
  take(item: LineItem): boolean {
    if (item._tag === "Damage") this.#damages.push(item.damage)
    else if (this.refused === undefined) this.#replay(item.record)
    return this.refused === undefined && this.records < Math.max(this.#wanted, FORMAT_RECORDS)
  }

  #replay(record: JournalRecord): void {
    const { value, line, offset, length } = record
    if (this.first.length < FORMAT_RECORDS) this.first.push(value)
    const state = evolve(this.#latest, value)
    if (this.records++ < this.#wanted) {
      for (const kind of inspect(this.#latest, value)) this.#damages.push({ line, offset, length, kind })
      this.state = state
      this.#end = offset + length
    }
    this.#latest = state
    if (state.unsupported !== undefined) this.refused = { record, version: state.unsupported.version }
  }
}

const usage = (message: string): UsageError => new UsageError({ message, command: "annals replay" })

/** The state after so many records, and the damage up to there. Reads no further than it must. */
export const replayed = Effect.fnUntraced(function* (path: string, wanted: number) {
  if (wanted < 0) return yield* usage("--at counts records from the beginning: 0 or more.")
  const beginning = new Beginning(wanted)
  yield* Stream.runForEachWhile(items(yield* Files, path), (item) => Effect.sync(() => beginning.take(item)))
  const refusal = refusalOf(path, beginning)
  if (refusal !== undefined) return yield* refusal
  const { records, state, damages } = beginning
  if (wanted > records) return yield* usage(`--at ${wanted}: the file has ${count(records, "record")}.`)
  return { path, state, damages }
})

const replayedWhole = Effect.fnUntraced(function* (path: string) {
  return yield* loadTree(yield* Files, path, { onProgress: progressOf(yield* Output, path) })
})

export const replay = Effect.fnUntraced(function* ({ file, at, json, format }: ReplayInput) {
  yield* needsTree(file, format)
  const { state, ...read } = yield* Option.match(at, {
    onNone: () => replayedWhole(file),
    onSome: (n) => replayed(file, n),
  })
  yield* noteDamage(read)
  if (!json) return yield* printLines(stateLines(state))
  yield* printPieces(statePieces(state, { schemaVersion: 1 }))
  yield* (yield* Output).write("\n")
})
