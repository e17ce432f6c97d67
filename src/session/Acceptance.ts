/**
 * What becomes of one command under a session's lock: decided, shaped, redacted, encoded, handed to the journal or held, applied,
 * published. The session (Session.ts) says what it guarantees of that.
 *
 * This is the way of every append. So what is known without waiting is gone on with at once, in the same call, and an effect is run only
 * where there is something to wait for: {@link goOn}.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as PubSub from "effect/PubSub"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { JournalShape, Level } from "../journal/Journal.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import type { NotJson } from "../redaction/NotJson.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { WriteError } from "../writer/WriteError.ts"
import { Rejected } from "./DispatchError.ts"
import { type Encoded, type Encoder, encode, marked } from "./Encoding.ts"
import type { Receipt, ReceiptLevel } from "./Receipt.ts"
import type { Change, Opened, SessionOptions, ShapedRecord } from "./SessionOptions.ts"

/** A record that waits for one that is worth a file. */
interface Held<Rec, E> {
  readonly shape: ShapedRecord<Rec, E>
  /** The record as it is kept: what `unsaved` shows. */
  readonly line: CleanLine
}

type Failure<Rejection, E> = Rejected<Rejection> | NotJson | WriteError | E

/** Goes on with what an effect comes to, at once where that is known already. */
const goOn = <A, B, E, E2>(effect: Effect.Effect<A, E>, next: (value: A) => Effect.Effect<B, E2>): Effect.Effect<B, E | E2> =>
  Exit.isExit(effect) && Exit.isSuccess(effect) ? next(effect.value as A) : Effect.flatMap(effect, next)

/** Goes on with what an effect for each item comes to. Most commands write one record, and that is worth no loop of effects. */
const goOnWithEach = <A, B, C, E, E2>(
  items: ReadonlyArray<A>,
  run: (item: A) => Effect.Effect<B, E>,
  next: (values: ReadonlyArray<B>) => Effect.Effect<C, E2>,
): Effect.Effect<C, E | E2> => {
  const [first] = items
  return items.length === 1 && first !== undefined
    ? goOn(run(first), (one) => next([one]))
    : Effect.flatMap(Effect.forEach(items, run), next)
}

const closed = ({ path = "session" }: { readonly path?: string | undefined }): WriteError =>
  new WriteError({ reason: { _tag: "Closed", code: "write.closed", path } })

/** The receipt of a command that wrote nothing. */
const NOTHING: Receipt<never> = { seq: 0, records: [], reached: () => Effect.void }

/** What changes while a session runs, and how. It is changed under the lock alone. */
export class Acceptance<State, Command, Rec, Rejection, E> {
  readonly #options: Omit<SessionOptions<State, Command, Rec, Rejection, E, never>, "open">
  readonly #open: Effect.Effect<Opened<State>, E>
  readonly #lock = Semaphore.makeUnsafe(1)
  /** Follows the session, from its first record on. */
  #redactor: Redactor | undefined
  #state: State
  #journal: JournalShape | undefined
  #isDeferring: boolean
  #held: ReadonlyArray<Held<Rec, E>> = []
  /** The records of all commands so far. */
  #count = 0
  /** The journal's number of a record is the session's number and this: lines that are written on opening come before. */
  #offset = 0
  #isOwed = false
  #isClosed = false
  #published: PubSub.PubSub<Change<State, Rec>> | undefined

  constructor(
    options: Omit<SessionOptions<State, Command, Rec, Rejection, E, never>, "open">,
    open: Effect.Effect<Opened<State>, E>,
  ) {
    this.#options = options
    this.#open = open
    this.#state = options.state
    this.#isDeferring = options.deferUntil !== undefined
  }

  get state(): State {
    return this.#state
  }

  /** Undefined until a command has needed it. */
  get journal(): JournalShape | undefined {
    return this.#journal
  }

  get isHolding(): boolean {
    return this.#held.length > 0
  }

  /** The lines of the records that wait for one that is worth a file. */
  get held(): ReadonlyArray<CleanLine> {
    return this.#held.map(({ line }) => line)
  }

  /** What is held was asked for, and could not be handed over. */
  get isOwed(): boolean {
    return this.#isOwed
  }

  /** One command, when its turn comes. Before that it may be interrupted. */
  accept(command: Command, level: ReceiptLevel): Effect.Effect<Receipt<Rec, E>, Failure<Rejection, E>> {
    return this.#lock.withPermit(Effect.uninterruptible(Effect.suspend(() => this.#accepted(command, level))))
  }

  /** The journal, opened and with everything that was held. */
  readonly release: Effect.Effect<JournalShape, WriteError | E> = Effect.suspend(() =>
    this.#lock.withPermit(
      Effect.uninterruptible(Effect.suspend(() => (this.#isClosed ? Effect.fail(closed(this.#options)) : this.#ready()))),
    ),
  )

  /** Takes no more commands, and finishes. Does nothing a second time. */
  close(finish: Effect.Effect<void, WriteError>): Effect.Effect<void, WriteError> {
    return this.#lock.withPermit(
      Effect.suspend(() => {
        if (this.#isClosed) return Effect.void
        this.#isClosed = true
        return finish
      }),
    )
  }

  /** Where changes are published. Made for the first who asks, because most sessions have nobody who does. */
  readonly published: Effect.Effect<PubSub.PubSub<Change<State, Rec>>> = Effect.flatMap(
    PubSub.unbounded<Change<State, Rec>>(),
    (fresh) => {
      this.#published ??= fresh
      return Effect.as(this.#isClosed ? this.endChanges : Effect.void, this.#published)
    },
  )

  /** Tells those who asked for changes that there are no more. */
  readonly endChanges: Effect.Effect<void> = Effect.suspend(() =>
    this.#published === undefined ? Effect.void : PubSub.shutdown(this.#published),
  )

  /** Waits until the session's record number `seq` has reached a level. */
  reached(seq: number, level: Level): Effect.Effect<void, WriteError | E> {
    if (this.#journal !== undefined && !this.#isDeferring) return this.#journal.reached(seq + this.#offset, level)
    return Effect.flatMap(this.release, (journal) => journal.reached(seq + this.#offset, level))
  }

  #accepted(command: Command, level: ReceiptLevel): Effect.Effect<Receipt<Rec, E>, Failure<Rejection, E>> {
    if (this.#isClosed) return Effect.fail(closed(this.#options))
    if (this.#journal === undefined) return this.#decided(command, level)
    return Effect.flatMap(this.#journal.failure, (failure) =>
      failure === undefined ? this.#decided(command, level) : Effect.fail(failure),
    )
  }

  #decided(command: Command, level: ReceiptLevel): Effect.Effect<Receipt<Rec, E>, Failure<Rejection, E>> {
    const { model, stamp, shape } = this.#options
    return Effect.flatMap(stamp, (drawn): Effect.Effect<Receipt<Rec, E>, Failure<Rejection, E>> => {
      const decision = model.decide(this.#state, command, drawn)
      if (Result.isFailure(decision)) return Effect.fail(new Rejected({ rejection: decision.failure }))
      const records = decision.success
      if (records.length === 0) return Effect.succeed(NOTHING)
      if (shape !== undefined) return goOnWithEach(records, shape, (shapes) => this.#taken(shapes, level))
      return this.#taken(
        records.map((record) => ({ kept: record, written: Effect.succeed(record) })),
        level,
      )
    })
  }

  #taken(
    shapes: ReadonlyArray<ShapedRecord<Rec, E>>,
    level: ReceiptLevel,
  ): Effect.Effect<Receipt<Rec, E>, NotJson | WriteError | E> {
    const records = shapes.map(({ kept }) => kept)
    const { deferUntil } = this.#options
    if (level === "accepted" && this.#isDeferring && deferUntil !== undefined && !records.some(deferUntil)) {
      const encoder = this.#encoder
      const encoded = encode(encoder, records)
      // What is too long as it is may be short enough when a part of it is kept elsewhere: such a record is written at once.
      if (Result.isSuccess(encoded)) return this.#deferred(shapes, marked(encoder, records, encoded.success), encoded.success)
    }
    return goOnWithEach(
      shapes,
      (shape) => shape.written,
      (written) => this.#handedOver(records, written),
    )
  }

  #deferred(
    shapes: ReadonlyArray<ShapedRecord<Rec, E>>,
    known: ReadonlyArray<Rec>,
    encoded: ReadonlyArray<Encoded>,
  ): Effect.Effect<Receipt<Rec, E>> {
    const held = Arr.zipWith(shapes, known, (shape, kept) => ({ ...shape, kept }))
    this.#held = [...this.#held, ...Arr.zipWith(held, encoded, (shape, { line }) => ({ shape, line }))]
    return Effect.succeed(this.#applied(known))
  }

  #handedOver(
    records: ReadonlyArray<Rec>,
    written: ReadonlyArray<Rec>,
  ): Effect.Effect<Receipt<Rec, E>, NotJson | WriteError | E> {
    const encoder = this.#encoder
    const encoded = encode(encoder, written)
    if (Result.isFailure(encoded)) return Effect.fail(encoded.failure)
    const journal = this.#journal
    if (journal !== undefined && this.#held.length === 0 && !this.#isDeferring)
      return this.#appended(journal, encoder, records, encoded.success)
    return Effect.flatMap(this.#ready(), (opened): Effect.Effect<Receipt<Rec, E>, NotJson | WriteError> => {
      const known = this.#encoder
      // Opening may have read what this record goes on with.
      const lines = known.redactor === encoder.redactor ? encoded : encode(known, written)
      return Result.isFailure(lines) ? Effect.fail(lines.failure) : this.#appended(opened, known, records, lines.success)
    })
  }

  #appended(
    journal: JournalShape,
    encoder: Encoder<Rec>,
    records: ReadonlyArray<Rec>,
    encoded: ReadonlyArray<Encoded>,
  ): Effect.Effect<Receipt<Rec, E>, WriteError> {
    return Effect.map(journal.append(encoded.map(({ line }) => line)), (seq) => {
      this.#offset = seq - this.#count - encoded.length
      return this.#applied(marked(encoder, records, encoded))
    })
  }

  #applied(records: ReadonlyArray<Rec>): Receipt<Rec, E> {
    const { evolve } = this.#options.model
    this.#count += records.length
    for (const record of records) this.#state = evolve(this.#state, record)
    if (this.#published !== undefined) PubSub.publishUnsafe(this.#published, { records, state: this.#state })
    const seq = this.#count
    return { seq, records, reached: (level) => Effect.suspend(() => this.reached(seq, level)) }
  }

  get #encoder(): Encoder<Rec> {
    this.#redactor ??= this.#options.redactor.follow()
    return { codec: this.#options.model.codec, redactor: this.#redactor, mark: this.#options.mark }
  }

  /** The journal, opened when it is first needed, with everything that was held handed over to it. */
  #ready(): Effect.Effect<JournalShape, WriteError | E> {
    const owing = Effect.sync(() => {
      this.#isOwed = this.#held.length > 0
    })
    return Effect.flatMap(this.#opened(), (journal) => this.#handedOverHeld(journal)).pipe(Effect.onError(() => owing))
  }

  #opened(): Effect.Effect<JournalShape, E> {
    if (this.#journal !== undefined) return Effect.succeed(this.#journal)
    return Effect.map(this.#open, ({ journal, redactor, state }) => {
      const { evolve } = this.#options.model
      this.#journal = journal
      if (redactor !== undefined) this.#redactor = redactor
      if (state !== undefined) this.#state = this.#held.reduce<State>((before, { shape }) => evolve(before, shape.kept), state)
      return journal
    })
  }

  #handedOverHeld(journal: JournalShape): Effect.Effect<JournalShape, WriteError | E> {
    const encoder = this.#encoder
    const lines = Effect.forEach(this.#held, ({ shape, line }) =>
      Effect.map(shape.written, (written) =>
        Result.match(encode(encoder, [written]), {
          onFailure: () => [line],
          onSuccess: (encoded) => encoded.map((one) => one.line),
        }),
      ),
    )
    const append = Effect.flatMap(lines, (each) => journal.append(each.flat()))
    return Effect.map(this.#held.length === 0 ? Effect.succeed(undefined) : append, (seq) => {
      if (seq !== undefined) this.#offset = seq - this.#count
      this.#held = []
      this.#isOwed = false
      this.#isDeferring = false
      return journal
    })
  }
}
