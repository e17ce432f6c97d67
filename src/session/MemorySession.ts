/** A session in memory, of any model: the same commands, the same redaction, the same receipts, and nothing on any disk. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type MemoryJournal, make as makeJournal } from "../journal/MemoryJournal.ts"
import { Rejected } from "./DispatchError.ts"
import { encode, marked } from "./Encoding.ts"
import { make as makeSession, type Session, type SessionOptions } from "./Session.ts"

export interface MemorySession<State, Command, Rec, Rejection> {
  readonly session: Session<State, Command, Rec, Rejection>
  /** What a file would hold: one clean line for each record, those of the first command first. */
  readonly journal: MemoryJournal
}

type Options<State, Command, Rec, Rejection> = Pick<
  SessionOptions<State, Command, Rec, Rejection, never, never>,
  "model" | "redactor" | "stamp" | "shape" | "mark"
>

/** Starts a session with its first command. It lives as long as its scope. */
export const startInMemory = Effect.fnUntraced(function* <State, Command, Rec, Rejection>(
  options: Options<State, Command, Rec, Rejection>,
  start: Command,
): Effect.fn.Return<MemorySession<State, Command, Rec, Rejection>, Rejected<Rejection>, Scope.Scope> {
  const { model, stamp, redactor, mark } = options
  const encoder = { codec: model.codec, redactor, mark }
  const journal = yield* makeJournal
  const decided = model.decide(model.initial, start, yield* stamp)
  if (Result.isFailure(decided)) return yield* new Rejected({ rejection: decided.failure })
  // What a parsed command decides is JSON.
  const encoded = Result.getOrThrow(encode(encoder, decided.success))
  yield* Effect.orDie(journal.append(encoded.map(({ line }) => line)))
  const session = yield* makeSession({
    ...options,
    state: marked(encoder, decided.success, encoded).reduce(model.evolve, model.initial),
    path: "memory",
    open: Effect.succeed({ journal }),
  })
  return { session, journal }
})
