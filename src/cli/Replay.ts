/** `annals replay FILE`: the state as the records give it, what they refer to left as a reference. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Files } from "../disk/Files.ts"
import type { Damage, DamageKind } from "../journal/Damage.ts"
import type { JournalRecord, LineItem } from "../journal/Line.ts"
import { items } from "../journal/RecordStream.ts"
import * as Ledger from "../ledger/Evolution.ts"
import type { LedgerRecord } from "../ledger/Record.ts"
import { replayRuns } from "../ledger/RunReplay.ts"
import { initial as noLedger } from "../ledger/State.ts"
import type { Json, JsonObject } from "../model/Json.ts"
import { type FirstRecords, FORMAT_RECORDS, loadTree, refusalOf } from "../session/Load.ts"
import { stateJson } from "../tree/Overview.ts"
import { inspect } from "../tree/Reading.ts"
import { initial as noTree, type TreeState } from "../tree/State.ts"
import { evolve } from "../tree/TreeModel.ts"
import { ledgerStateJson } from "../view/LedgerStateJson.ts"
import { count } from "../view/Quantity.ts"
import { runLines } from "../view/RunView.ts"
import { stateLines, statePieces } from "../view/StateJson.ts"
import { Ended } from "./Ended.ts"
import { type Forced, kindOf } from "./Kind.ts"
import { loadLedgerFile } from "./LedgerLoading.ts"
import { noteDamage, progressOf } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines, printPieces } from "./Print.ts"
import { UsageError } from "./Usage.ts"

export interface ReplayInput {
  readonly file: string
  /** How many records are replayed; all by default. */
  readonly at: Option.Option<number>
  /** Run the runs of a ledger again and hold them against what was recorded. */
  readonly runs: boolean
  readonly json: boolean
  readonly format: Forced
}

/** How the records of one kind of session are read. */
interface Fold<State> {
  readonly initial: State
  readonly evolve: (state: State, record: JsonObject) => State
  readonly inspect: (before: State, record: JsonObject) => ReadonlyArray<DamageKind>
  /** The version of a state that was refused, when a record is not to be given a meaning. */
  readonly refused: (state: State) => Json | undefined
  /** How many records are read at least, to know the format. */
  readonly least: number
}

const treeFold: Fold<TreeState> = {
  initial: noTree,
  evolve,
  inspect,
  refused: ({ unsupported }) => unsupported?.version,
  least: FORMAT_RECORDS,
}

/** The format is known before: a ledger is read no further than it is replayed, but it is opened. */
const ledgerFold: Fold<typeof noLedger> = {
  initial: noLedger,
  evolve: Ledger.evolve,
  inspect: Ledger.inspect,
  refused: () => undefined,
  least: 1,
}

/** The first records of a file: what they amount to, and what is known of the format. */
class Beginning<State> implements FirstRecords {
  /** After the last record that is replayed. */
  state: State
  records = 0
  readonly first: Array<JsonObject> = []
  refused: FirstRecords["refused"]
  readonly #fold: Fold<State>
  readonly #wanted: number
  readonly #damages: Array<Damage> = []
  #end = 0
  /** After the last record that was read: the same, or further on. */
  #latest: State

  constructor(fold: Fold<State>, wanted: number) {
    this.#fold = fold
    this.#wanted = wanted
    this.state = fold.initial
    this.#latest = fold.initial
  }

  /** The damages up to the last record that is replayed. */
  get damages(): ReadonlyArray<Damage> {
    return this.#damages.filter(({ offset }) => offset < this.#end)
  }

  /** Whether nothing more has to be read. */
  get isDone(): boolean {
    return this.refused !== undefined || this.records >= Math.max(this.#wanted, this.#fold.least)
  }

  /** Takes the next item of the file; false when no more is needed. */
  take(item: LineItem): boolean {
    if (item._tag === "Damage") this.#damages.push(item.damage)
    else if (!this.isDone) this.#replay(item.record)
    return !this.isDone
  }

  #replay(record: JournalRecord): void {
    const { value, line, offset, length } = record
    if (this.first.length < FORMAT_RECORDS) this.first.push(value)
    const state = this.#fold.evolve(this.#latest, value)
    if (this.records++ < this.#wanted) {
      for (const kind of this.#fold.inspect(this.#latest, value)) this.#damages.push({ line, offset, length, kind })
      this.state = state
      this.#end = offset + length
    }
    this.#latest = state
    const version = this.#fold.refused(state)
    if (version !== undefined) this.refused = { record, version }
  }
}

const usage = (message: string): UsageError => new UsageError({ message, command: "annals replay" })

/** Reads the first records of a file, no more than it must. */
const beginningOf = Effect.fnUntraced(function* <State>(path: string, wanted: number, fold: Fold<State>) {
  if (wanted < 0) return yield* usage("--at counts records from the beginning: 0 or more.")
  const beginning = new Beginning(fold, wanted)
  yield* Stream.runForEachWhile(items(yield* Files, path), (item) => Effect.sync(() => beginning.take(item)))
  return beginning
})

const enough = <State>({ records }: Beginning<State>, wanted: number): Effect.Effect<void, UsageError> =>
  wanted > records ? Effect.fail(usage(`--at ${wanted}: the file has ${count(records, "record")}.`)) : Effect.void

/** The state of a tree after so many records, and the damage up to there. */
export const replayed = Effect.fnUntraced(function* (path: string, wanted: number) {
  const beginning = yield* beginningOf(path, wanted, treeFold)
  const refusal = refusalOf(path, beginning)
  if (refusal !== undefined) return yield* refusal
  yield* enough(beginning, wanted)
  return { path, state: beginning.state, damages: beginning.damages }
})

/** The state of a ledger after so many records, and the damage up to there. */
const replayedLedger = Effect.fnUntraced(function* (path: string, wanted: number) {
  const beginning = yield* beginningOf(path, wanted, ledgerFold)
  yield* enough(beginning, wanted)
  return { path, state: beginning.state, damages: beginning.damages }
})

const wholeTree = Effect.fnUntraced(function* (path: string) {
  return yield* loadTree(yield* Files, path, { onProgress: progressOf(yield* Output, path) })
})

const told = Effect.fnUntraced(function* (state: JsonObject, json: boolean) {
  if (!json) return yield* printLines(stateLines(state))
  yield* printPieces(statePieces({ schemaVersion: 1, ...state }))
  yield* (yield* Output).write("\n")
})

const INTEGRITY = 5

/** Runs the runs of a ledger again, and says which is not what was recorded. */
const runsOf = Effect.fnUntraced(function* ({ file, json, format }: ReplayInput) {
  const { style, columns } = yield* Output
  const records: Array<LedgerRecord> = []
  yield* noteDamage(yield* loadLedgerFile(file, format, (record) => records.push(record)))
  const replay = replayRuns(records)
  yield* json ? printJson({ path: file, ...replay }) : printLines(runLines(file, replay, { style, columns }))
  if (!replay.matches) return yield* new Ended({ exit: INTEGRITY })
})

const replayLedger = Effect.fnUntraced(function* ({ file, at, json, format }: ReplayInput) {
  const { state, ...read } = yield* Option.match(at, {
    onNone: () => loadLedgerFile(file, format),
    onSome: (n) => replayedLedger(file, n),
  })
  yield* noteDamage(read)
  yield* told(ledgerStateJson(state), json)
})

const replayTree = Effect.fnUntraced(function* ({ file, at, json }: ReplayInput) {
  const { state, ...read } = yield* Option.match(at, { onNone: () => wholeTree(file), onSome: (n) => replayed(file, n) })
  yield* noteDamage(read)
  yield* told(stateJson(state), json)
})

export const replay = Effect.fnUntraced(function* (input: ReplayInput) {
  const isLedger = (yield* kindOf(input.file, input.format)) === "ledger"
  if (!input.runs) return yield* isLedger ? replayLedger(input) : replayTree(input)
  if (!isLedger) return yield* usage("--runs is for ledger sessions: a tree session has no runs.")
  if (Option.isSome(input.at)) return yield* usage("--runs and --at do not go together: runs are replayed whole.")
  yield* runsOf(input)
})
