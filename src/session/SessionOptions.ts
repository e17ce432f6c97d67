/** What a session is made of, and what it hands on: its options, and what the parts of them give and are given. */
import type * as Effect from "effect/Effect"
import type { JournalShape } from "../journal/Journal.ts"
import type { SessionModel } from "../model/Model.ts"
import type { Stamp } from "../model/Stamp.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import type { Mark } from "./Encoding.ts"

/** What a subscriber sees of one command. */
export interface Change<State, Rec> {
  readonly records: ReadonlyArray<Rec>
  /** The state after the records. Immutable: it may be kept. */
  readonly state: State
}

/** The journal a session writes to, and the state that its file replays to when opening it has changed the file. */
export interface Opened<State> {
  readonly journal: JournalShape
  /** Must allow what the session's own state allows: the command that caused the opening was decided on that one. */
  readonly state?: State | undefined
  /** When the file is a copy that has just been written: the redactor that followed its records. The session goes on with it. */
  readonly redactor?: Redactor | undefined
}

export interface SessionOptions<State, Command, Rec, Rejection, E, R> {
  readonly model: SessionModel<State, Command, Rec, Rejection>
  /** The session follows it: what it learns from one record it knows in the next (law SEC-9). */
  readonly redactor: Redactor
  /** The state that the journal's file replays to. */
  readonly state: State
  /** A clock reading and fresh randomness, for each command. */
  readonly stamp: Effect.Effect<Stamp>
  /** What errors call the session: its file, where it has one. */
  readonly path?: string | undefined
  /**
   * Run for each decided record under the lock, before anything is encoded: it may make smaller what is large, and have a part of it
   * kept elsewhere. Without it a record is kept and written as it was decided.
   */
  readonly shape?: ((record: Rec) => Effect.Effect<ShapedRecord<Rec, E>, E>) | undefined
  /** Makes of a record in which redaction found something what is written in its place. Its result is redacted anew. */
  readonly mark?: Mark | undefined
  /** Opens the journal at the first command that writes. Tried again at the next one when it fails. */
  readonly open: Effect.Effect<Opened<State>, E, R>
  /** Defers writing until a record comes for which this is true. Without it nothing is deferred. */
  readonly deferUntil?: ((record: Rec) => boolean) | undefined
}

/** What becomes of a decided record: what the state holds of it, and what is written in its place. */
export interface ShapedRecord<Rec, E = never> {
  readonly kept: Rec
  /**
   * Run when the record is written. What it keeps elsewhere must be durable when it returns. Read again, the result must be the kept
   * record, seen through redaction: else the replay differs from the live state (law RPL-1).
   */
  readonly written: Effect.Effect<Rec, E>
}
