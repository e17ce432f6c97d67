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
 * - A session may be told to defer: then records that were only wanted `accepted` are held in memory until one comes that is worth a
 *   file. Whoever asks for more than `accepted`, by a level, a receipt, `flush` or `ensureOnDisk`, has everything written at once.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as PubSub from "effect/PubSub"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { JournalShape, Level } from "../journal/Journal.ts"
import type { SessionModel } from "../model/Model.ts"
import type { Stamp } from "../model/Stamp.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import type { NotJson } from "../redaction/NotJson.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { WriteError } from "../writer/WriteError.ts"
import { Rejected } from "./DispatchError.ts"
import { type Encoder, encode, type Mark, marked } from "./Encoding.ts"
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
  ) => Effect.Effect<Receipt<Rec, E>, Rejected<Rejection> | NotJson | WriteError | E>
  /** Every change after the subscription, in order. A subscriber that stops taking keeps what it did not take in memory. */
  readonly changes: Stream.Stream<Change<State, Rec>>
  /** Waits until everything dispatched so far is synced. Writes what is held. */
  readonly flush: Effect.Effect<void, WriteError | E>
  /** Makes the session's file, also when there is nothing to write but its beginning, and waits until all of it is synced. */
  readonly ensureOnDisk: Effect.Effect<void, WriteError | E>
  /** Clean lines that are accepted and not known to be durable, in order. */
  readonly unsaved: Effect.Effect<ReadonlyArray<CleanLine>>
  /**
   * After a failure: re-opens the file, writes what is missing exactly once, lifts the latch. Opens the journal again where that was what
   * failed. Once it has succeeded, everything that was dispatched and not merely held is synced.
   */
  readonly recover: Effect.Effect<void, WriteError | E>
  /**
   * Flushes, then gives up the file and its lock. Fails when the last records did not become durable; the session is closed all the same.
   * What is held then was never worth a file: it is not written, and stays in `unsaved`.
   */
  readonly close: Effect.Effect<void, WriteError>
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

/** A record that waits for one that is worth a file. */
interface Held<Rec, E> {
  readonly shape: ShapedRecord<Rec, E>
  /** The record as it is kept: what `unsaved` shows. */
  readonly line: CleanLine
}

/** What changes while a session runs. Written under its lock. */
interface Cell<State, Rec, E> {
  state: State
  /** Follows the session. */
  redactor: Redactor
  journal: JournalShape | undefined
  isDeferring: boolean
  held: ReadonlyArray<Held<Rec, E>>
  /** The records of all commands so far. */
  count: number
  /** The journal's number of a record is the session's number and this: lines that are written on opening come before. */
  offset: number | undefined
  /** What is held was asked for, and could not be handed over. */
  isOwed: boolean
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
  const cell: Cell<State, Rec, E> = {
    state: options.state,
    redactor: options.redactor.follow(),
    journal: undefined,
    isDeferring: options.deferUntil !== undefined,
    held: [],
    count: 0,
    offset: undefined,
    isOwed: false,
    isClosed: false,
  }
  const open = options.open.pipe(Scope.provide(scope), Effect.provideContext(context)) as Effect.Effect<Opened<State>, E>
  const ready = readyOf(options, cell, open)
  const release = lock.withPermit(
    Effect.uninterruptible(Effect.suspend(() => (cell.isClosed ? Effect.fail(closed(options)) : ready))),
  )
  const accept = acceptOf(options, cell, ready, release, published)

  const withJournal = <A, E2>(use: (journal: JournalShape) => Effect.Effect<A, E2>, without: A): Effect.Effect<A, E2> =>
    Effect.suspend(() => (cell.journal === undefined ? Effect.succeed(without) : use(cell.journal)))
  const flushJournal = withJournal((into) => into.flush, undefined)
  const close = lock.withPermit(
    Effect.suspend(() => {
      if (cell.isClosed) return Effect.void
      cell.isClosed = true
      return Effect.ensuring(flushJournal, Effect.andThen(Scope.close(scope, Exit.void), PubSub.shutdown(published)))
    }),
  )
  yield* Scope.addFinalizer(outer, Effect.ignore(close))

  return {
    state: Effect.sync(() => cell.state),
    dispatch: (command, level = "synced") =>
      Effect.flatMap(lock.withPermit(Effect.uninterruptible(accept(command, level))), (receipt) =>
        level === "accepted" ? Effect.succeed(receipt) : Effect.as(receipt.reached(level), receipt),
      ),
    changes: Stream.fromPubSub(published),
    flush: Effect.suspend(() => (cell.held.length > 0 ? Effect.andThen(release, flushJournal) : flushJournal)),
    ensureOnDisk: Effect.andThen(release, flushJournal),
    unsaved: Effect.suspend(() =>
      cell.held.length > 0
        ? Effect.succeed(cell.held.map(({ line }) => line))
        : withJournal((into) => into.unsaved, [] as ReadonlyArray<CleanLine>),
    ),
    recover: Effect.andThen(
      withJournal((into) => into.recover, undefined),
      Effect.suspend(() => (cell.isOwed ? Effect.andThen(release, flushJournal) : Effect.void)),
    ),
    close,
  }
})

const closed = ({ path = "session" }: { readonly path?: string | undefined }): WriteError =>
  new WriteError({ reason: { _tag: "Closed", code: "write.closed", path } })

const encoderOf = <State, Command, Rec, Rejection, E, R>(
  { model, mark }: SessionOptions<State, Command, Rec, Rejection, E, R>,
  { redactor }: Cell<State, Rec, E>,
): Encoder<Rec> => ({ codec: model.codec, redactor, mark })

/** The session's journal, opened when it is first needed, with everything that was held handed over to it. */
const readyOf = <State, Command, Rec, Rejection, E, R>(
  options: SessionOptions<State, Command, Rec, Rejection, E, R>,
  cell: Cell<State, Rec, E>,
  open: Effect.Effect<Opened<State>, E>,
): Effect.Effect<JournalShape, WriteError | E> => {
  return Effect.gen(function* () {
    if (cell.journal === undefined) {
      const fresh = yield* open
      cell.journal = fresh.journal
      if (fresh.redactor !== undefined) cell.redactor = fresh.redactor
      if (fresh.state !== undefined)
        cell.state = cell.held.reduce<State>((state, { shape }) => options.model.evolve(state, shape.kept), fresh.state)
    }
    const { journal, held } = cell
    const encoder = encoderOf(options, cell)
    if (held.length > 0) {
      const lines = yield* Effect.forEach(held, ({ shape, line }) =>
        Effect.map(shape.written, (written) =>
          Result.match(encode(encoder, [written]), {
            onFailure: () => [line],
            onSuccess: (encoded) => encoded.map((one) => one.line),
          }),
        ),
      )
      cell.offset = (yield* journal.append(lines.flat())) - cell.count
    }
    cell.held = []
    cell.isOwed = false
    cell.isDeferring = false
    return journal
  }).pipe(
    Effect.onError(() =>
      Effect.sync(() => {
        cell.isOwed = cell.held.length > 0
      }),
    ),
  )
}

const shaped = <State, Command, Rec, Rejection, E, R>(
  { shape }: SessionOptions<State, Command, Rec, Rejection, E, R>,
  records: ReadonlyArray<Rec>,
): Effect.Effect<ReadonlyArray<ShapedRecord<Rec, E>>, E> =>
  shape === undefined
    ? Effect.succeed(records.map((record) => ({ kept: record, written: Effect.succeed(record) })))
    : forEachOf(records, shape)

/** Most commands write one record, and that is worth no loop of effects: this is on the way of every append. */
const forEachOf = <A, B, E>(
  items: ReadonlyArray<A>,
  run: (item: A) => Effect.Effect<B, E>,
): Effect.Effect<ReadonlyArray<B>, E> => {
  const [first] = items
  return items.length === 1 && first !== undefined ? Effect.map(run(first), (one) => [one]) : Effect.forEach(items, run)
}

/** One command, under the lock: decided, shaped, redacted, handed to the journal or held, applied, published. */
const acceptOf = <State, Command, Rec, Rejection, E, R>(
  options: SessionOptions<State, Command, Rec, Rejection, E, R>,
  cell: Cell<State, Rec, E>,
  ready: Effect.Effect<JournalShape, WriteError | E>,
  release: Effect.Effect<JournalShape, WriteError | E>,
  published: PubSub.PubSub<Change<State, Rec>>,
) => {
  const reached = (seq: number, level: Level): Effect.Effect<void, WriteError | E> =>
    Effect.flatMap(cell.isDeferring || cell.journal === undefined ? release : Effect.succeed(cell.journal), (journal) =>
      journal.reached(seq + (cell.offset ?? 0), level),
    )
  const applied = (records: ReadonlyArray<Rec>): Receipt<Rec, E> => {
    cell.count += records.length
    for (const record of records) cell.state = options.model.evolve(cell.state, record)
    PubSub.publishUnsafe(published, { records, state: cell.state })
    const seq = cell.count
    return { seq, records, reached: (level) => Effect.suspend(() => reached(seq, level)) }
  }
  return Effect.fnUntraced(function* (
    command: Command,
    level: ReceiptLevel,
  ): Effect.fn.Return<Receipt<Rec, E>, Rejected<Rejection> | NotJson | WriteError | E> {
    if (cell.isClosed) return yield* closed(options)
    const failure = cell.journal === undefined ? undefined : yield* cell.journal.failure
    if (failure !== undefined) return yield* failure
    const decision = options.model.decide(cell.state, command, yield* options.stamp)
    if (Result.isFailure(decision)) return yield* new Rejected({ rejection: decision.failure })
    if (decision.success.length === 0) return { seq: 0, records: [], reached: () => Effect.void }
    const shapes = yield* shaped(options, decision.success)
    const records = shapes.map(({ kept }) => kept)
    const encoder = encoderOf(options, cell)
    if (level === "accepted" && cell.isDeferring && !records.some(options.deferUntil ?? (() => true))) {
      const encoded = encode(encoder, records)
      // What is too long as it is may be short enough when a part of it is kept elsewhere: such a record is written at once.
      if (Result.isSuccess(encoded)) {
        const known = marked(encoder, records, encoded.success)
        const held = Arr.zipWith(shapes, known, (shape, kept) => ({ ...shape, kept }))
        cell.held = [...cell.held, ...Arr.zipWith(held, encoded.success, (shape, { line }) => ({ shape, line }))]
        return applied(known)
      }
    }
    const written = yield* forEachOf(shapes, (shape) => shape.written)
    const refusable = yield* Effect.fromResult(encode(encoder, written))
    const isOpen = cell.journal !== undefined && cell.held.length === 0 && !cell.isDeferring
    const journal = isOpen ? (cell.journal as JournalShape) : yield* ready
    const known = encoderOf(options, cell)
    // Opening may have read what this record goes on with.
    const encoded = known.redactor === encoder.redactor ? refusable : yield* Effect.fromResult(encode(known, written))
    const seq = yield* journal.append(encoded.map(({ line }) => line))
    cell.offset = seq - cell.count - encoded.length
    return applied(marked(known, records, encoded))
  })
}
