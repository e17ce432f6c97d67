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
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { JournalShape } from "../journal/Journal.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import type { NotJson } from "../redaction/NotJson.ts"
import type { WriteError } from "../writer/WriteError.ts"
import { Acceptance } from "./Acceptance.ts"
import type { Rejected } from "./DispatchError.ts"
import type { Receipt, ReceiptLevel } from "./Receipt.ts"
import type { Change, Opened, SessionOptions } from "./SessionOptions.ts"

export type { Change, Opened, SessionOptions, ShapedRecord } from "./SessionOptions.ts"

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

/** Runs a session until the scope closes, which flushes it. */
export const make = Effect.fnUntraced(function* <State, Command, Rec, Rejection, E, R>(
  options: SessionOptions<State, Command, Rec, Rejection, E, R>,
): Effect.fn.Return<Session<State, Command, Rec, Rejection, E>, never, Exclude<R, Scope.Scope> | Scope.Scope> {
  const context = yield* Effect.context<Exclude<R, Scope.Scope>>()
  const outer = yield* Effect.scope
  const scope = yield* Scope.fork(outer)
  const open = options.open.pipe(Scope.provide(scope), Effect.provideContext(context)) as Effect.Effect<Opened<State>, E>
  const acceptance = new Acceptance<State, Command, Rec, Rejection, E>(options, open)
  const { release } = acceptance

  const withJournal = <A, E2>(use: (journal: JournalShape) => Effect.Effect<A, E2>, without: A): Effect.Effect<A, E2> =>
    Effect.suspend(() => (acceptance.journal === undefined ? Effect.succeed(without) : use(acceptance.journal)))
  const flushJournal = withJournal((into) => into.flush, undefined)
  const close = acceptance.close(
    Effect.ensuring(flushJournal, Effect.andThen(Scope.close(scope, Exit.void), acceptance.endChanges)),
  )
  yield* Scope.addFinalizer(outer, Effect.ignore(close))

  return {
    state: Effect.sync(() => acceptance.state),
    dispatch: (command, level = "synced") =>
      Effect.flatMap(acceptance.accept(command, level), (receipt) =>
        level === "accepted" || receipt.seq === 0
          ? Effect.succeed(receipt)
          : Effect.as(acceptance.reached(receipt.seq, level), receipt),
      ),
    changes: Stream.unwrap(Effect.map(acceptance.published, (published) => Stream.fromPubSub(published))),
    flush: Effect.suspend(() => (acceptance.isHolding ? Effect.andThen(release, flushJournal) : flushJournal)),
    ensureOnDisk: Effect.andThen(release, flushJournal),
    unsaved: Effect.suspend(() =>
      acceptance.isHolding
        ? Effect.succeed(acceptance.held)
        : withJournal((into) => into.unsaved, [] as ReadonlyArray<CleanLine>),
    ),
    recover: Effect.andThen(
      withJournal((into) => into.recover, undefined),
      Effect.suspend(() => (acceptance.isOwed ? Effect.andThen(release, flushJournal) : Effect.void)),
    ),
    close,
  }
})
