/**
 * A session as a host holds it: a state, commands that change it, and a journal that every change goes into.
 *
 * What it guarantees:
 * - A command is decided, shaped, redacted, encoded, handed to the journal, applied and published under one lock, in this order. So the
 *   journal's order is the order of dispatch, and the state is the fold of what the journal was given (law RPL-1).
 * - A rejected or refused command changes nothing. So does one that is interrupted before the journal took its records; after that
 *   the rest is carried out whatever happens to the caller.
 * - The receipt of a command comes back at the level that was asked for: accepted, written or synced.
 * - After the journal's first failure every dispatch fails with the same error until `recover` succeeds. The state and `unsaved` stay
 *   readable.
 * - Opening changes no byte. The journal is opened by the first command that has something to write.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as PubSub from "effect/PubSub"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { JournalShape } from "../journal/Journal.ts"
import { MAX_LINE_BYTES } from "../model/Limits.ts"
import type { SessionModel } from "../model/Model.ts"
import type { Stamp } from "../model/Stamp.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import { NotJson } from "../redaction/NotJson.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { WriteError } from "../writer/WriteError.ts"
import { Rejected } from "./DispatchError.ts"
import type { Receipt, ReceiptLevel } from "./Receipt.ts"

/** What a subscriber sees of one command. */
export interface Change<State, Rec> {
  readonly records: ReadonlyArray<Rec>
  /** The state after the records. Immutable: it may be kept. */
  readonly state: State
}

export interface Session<State, Command, Rec, Rejection, E = never> {
  /** The state now. Immutable: it may be kept. */
  readonly state: Effect.Effect<State>
  /** Carries out a command and waits for the level, by default `synced`. */
  readonly dispatch: (
    command: Command,
    level?: ReceiptLevel,
  ) => Effect.Effect<Receipt<Rec>, Rejected<Rejection> | NotJson | WriteError | E>
  /** Every change after the subscription, in order. A subscriber that stops taking keeps what it did not take in memory. */
  readonly changes: Stream.Stream<Change<State, Rec>>
  /** Waits until everything dispatched so far is synced. */
  readonly flush: Effect.Effect<void, WriteError>
  /** Clean lines that are accepted and not known to be durable, in order. */
  readonly unsaved: Effect.Effect<ReadonlyArray<CleanLine>>
  /** After a failure: re-opens the file, writes what is missing exactly once, lifts the latch. */
  readonly recover: Effect.Effect<void, WriteError>
  /** Flushes, then gives up the file and its lock. Fails when the last records did not become durable; the session is closed all the same. */
  readonly close: Effect.Effect<void, WriteError>
}

/** The journal a session writes to, and the state that its file replays to when opening it has changed the file. */
export interface Opened<State> {
  readonly journal: JournalShape
  /** Must allow what the session's own state allows: the command that caused the opening was decided on that one. */
  readonly state?: State | undefined
}

export interface SessionOptions<State, Command, Rec, Rejection, E, R> {
  readonly model: SessionModel<State, Command, Rec, Rejection>
  readonly redactor: Redactor
  /** The state that the journal's file replays to. */
  readonly state: State
  /** A clock reading and fresh randomness, for each command. */
  readonly stamp: Effect.Effect<Stamp>
  /** What errors call the session: its file, where it has one. */
  readonly path?: string | undefined
  /**
   * Run for each decided record under the lock, before anything is encoded: it may make smaller what is large, and keep a part of it
   * elsewhere, where it must be durable when this returns. Without it a record is kept and written as it was decided.
   */
  readonly shape?: ((record: Rec) => Effect.Effect<ShapedRecord<Rec>, E>) | undefined
  /** Opens the journal at the first command that writes. Tried again at the next one when it fails. */
  readonly open: Effect.Effect<Opened<State>, E, R>
}

/** What becomes of a decided record: what the state holds of it, and what is written in its place. */
export interface ShapedRecord<Rec> {
  readonly kept: Rec
  /** Read again it must be the kept record, seen through redaction: else the replay differs from the live state (law RPL-1). */
  readonly written: Rec
}

/** What changes while a session runs. Written under its lock. */
interface Cell<State> {
  state: State
  journal: JournalShape | undefined
  isClosed: boolean
}

/** Runs a session until the scope closes, which flushes it. */
export const make = Effect.fnUntraced(function* <State, Command, Rec, Rejection, E, R>(
  options: SessionOptions<State, Command, Rec, Rejection, E, R>,
): Effect.fn.Return<Session<State, Command, Rec, Rejection, E>, never, Exclude<R, Scope.Scope> | Scope.Scope> {
  const context = yield* Effect.context<Exclude<R, Scope.Scope>>()
  const outer = yield* Effect.scope
  const scope = yield* Scope.fork(outer)
  const lock = yield* Semaphore.make(1)
  const published = yield* PubSub.unbounded<Change<State, Rec>>()
  const cell: Cell<State> = { state: options.state, journal: undefined, isClosed: false }
  const open = options.open.pipe(Scope.provide(scope), Effect.provideContext(context)) as Effect.Effect<Opened<State>, E>
  const accept = acceptOf(options, cell, open, published)

  const withJournal = <A, E2>(use: (journal: JournalShape) => Effect.Effect<A, E2>, without: A): Effect.Effect<A, E2> =>
    Effect.suspend(() => (cell.journal === undefined ? Effect.succeed(without) : use(cell.journal)))
  const flush = withJournal((into) => into.flush, undefined)
  const close = lock.withPermit(
    Effect.suspend(() => {
      if (cell.isClosed) return Effect.void
      cell.isClosed = true
      return Effect.ensuring(flush, Effect.andThen(Scope.close(scope, Exit.void), PubSub.shutdown(published)))
    }),
  )
  yield* Scope.addFinalizer(outer, Effect.ignore(close))

  return {
    state: Effect.sync(() => cell.state),
    dispatch: (command, level = "synced") =>
      Effect.flatMap(lock.withPermit(Effect.uninterruptible(accept(command))), (receipt) =>
        level === "accepted" ? Effect.succeed(receipt) : Effect.as(receipt.reached(level), receipt),
      ),
    changes: Stream.fromPubSub(published),
    flush,
    unsaved: withJournal((into) => into.unsaved, [] as ReadonlyArray<CleanLine>),
    recover: withJournal((into) => into.recover, undefined),
    close,
  }
})

const closed = (path: string): WriteError => new WriteError({ reason: { _tag: "Closed", code: "write.closed", path } })

/** The session's journal, opened when it is first needed. */
const opened = <State, E>(cell: Cell<State>, open: Effect.Effect<Opened<State>, E>): Effect.Effect<JournalShape, E> =>
  Effect.suspend(() => {
    if (cell.journal !== undefined) return Effect.succeed(cell.journal)
    return Effect.map(open, (fresh) => {
      cell.journal = fresh.journal
      if (fresh.state !== undefined) cell.state = fresh.state
      return fresh.journal
    })
  })

const shaped = <State, Command, Rec, Rejection, E, R>(
  { shape }: SessionOptions<State, Command, Rec, Rejection, E, R>,
  records: ReadonlyArray<Rec>,
): Effect.Effect<ReadonlyArray<ShapedRecord<Rec>>, E> =>
  shape === undefined
    ? Effect.succeed(records.map((record) => ({ kept: record, written: record })))
    : Effect.forEach(records, shape)

/** One command, under the lock: decided, shaped, redacted, handed to the journal, applied, published. */
const acceptOf = <State, Command, Rec, Rejection, E, R>(
  options: SessionOptions<State, Command, Rec, Rejection, E, R>,
  cell: Cell<State>,
  open: Effect.Effect<Opened<State>, E>,
  published: PubSub.PubSub<Change<State, Rec>>,
) =>
  Effect.fnUntraced(function* (command: Command): Effect.fn.Return<Receipt<Rec>, Rejected<Rejection> | NotJson | WriteError | E> {
    if (cell.isClosed) return yield* closed(options.path ?? "session")
    const failure = cell.journal === undefined ? undefined : yield* cell.journal.failure
    if (failure !== undefined) return yield* failure
    const decision = options.model.decide(cell.state, command, yield* options.stamp)
    if (Result.isFailure(decision)) return yield* new Rejected({ rejection: decision.failure })
    if (decision.success.length === 0) return { seq: 0, records: [], reached: () => Effect.void }
    const shapes = yield* shaped(options, decision.success)
    const records = shapes.map(({ kept }) => kept)
    const lines = yield* encode(
      options,
      shapes.map(({ written }) => written),
    )
    const journal = yield* opened(cell, open)
    const seq = yield* journal.append(lines)
    for (const record of records) cell.state = options.model.evolve(cell.state, record)
    PubSub.publishUnsafe(published, { records, state: cell.state })
    return { seq, records, reached: (level) => journal.reached(seq, level) }
  })

const encode = <State, Command, Rec, Rejection, E, R>(
  options: SessionOptions<State, Command, Rec, Rejection, E, R>,
  records: ReadonlyArray<Rec>,
): Effect.Effect<ReadonlyArray<CleanLine>, NotJson> =>
  Effect.suspend(() => {
    const lines: Array<CleanLine> = []
    for (const record of records) {
      const clean = options.redactor.cleanRecord(options.model.codec.encode(record))
      if (Result.isFailure(clean)) return Effect.fail(clean.failure)
      const { line } = clean.success
      // A reader passes over a longer line, so it would be as good as lost.
      if (line.bytes > MAX_LINE_BYTES)
        return Effect.fail(new NotJson({ path: "", reason: "too-long", found: `${line.bytes} bytes long` }))
      lines.push(line)
    }
    return Effect.succeed(lines)
  })
