/**
 * The seam of the whole library: a session is a fold over its records.
 *
 * A model is four things and nothing else. The live path and the replay path both go through `evolve`, so they cannot drift
 * apart (law RPL-1). A host may bring its own model and gets journal, redaction, lock, replay and the published laws for it.
 */
import type * as Result from "effect/Result"
import type { JsonObject } from "./Json.ts"
import type { Stamp } from "./Stamp.ts"

export interface SessionModel<State, Command, Rec, Rejection> {
  /** The state before the first record. */
  readonly initial: State
  /** What a command would write, or why it may not. Pure; everything it knows of time and chance is in the stamp. */
  readonly decide: (state: State, command: Command, stamp: Stamp) => Result.Result<ReadonlyArray<Rec>, Rejection>
  /** The next state. Pure and total: accepts any record the codec can decode, and never changes the state it was given (RPL-2). */
  readonly evolve: (state: State, record: Rec) => State
  /** Record to JSON object and back. Open: unknown keys and unknown types survive unchanged (RPL-3). */
  readonly codec: Codec<Rec>
}

export interface Codec<Rec> {
  readonly decode: (json: JsonObject) => Rec
  readonly encode: (record: Rec) => JsonObject
}

/** The state after all records, in order. `replay(m, xs ++ ys) = fold(replay(m, xs), ys)` (law RPL-2). */
export const replay = <State, Command, Rec, Rejection>(
  model: SessionModel<State, Command, Rec, Rejection>,
  records: Iterable<Rec>,
  from: State = model.initial,
): State => {
  let state = from
  for (const record of records) state = model.evolve(state, record)
  return state
}
