/**
 * Annals for a host that does not use Effect: the same sessions with promises, and the same typed errors as rejections.
 *
 *     const annals = Annals.start()
 *     const session = await annals.open("session.jsonl")
 *     await session.dispatch({ do: "message", message: { role: "user", content: "hello" } })
 *     await session.close()
 *     await annals.stop()
 *
 * `await using` works for both. What a method guarantees is said at its Effect counterpart: see TreeStore and Session.
 */
import { resolve } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { nodeDisk } from "./disk/NodeDisk.ts"
import { type FollowOptions, follow as followJournal } from "./journal/Follow.ts"
import type { FollowItem } from "./journal/Follower.ts"
import type { Level } from "./journal/Journal.ts"
import { Lease } from "./lease/Lease.ts"
import type { Offer } from "./lease/Owner.ts"
import type { OfferOptions } from "./lease/Taking.ts"
import type { LedgerCommand } from "./ledger/Command.ts"
import type { FileStatus } from "./ledger/FileTracker.ts"
import type { LedgerRecord, Message } from "./ledger/Record.ts"
import type { Repair } from "./ledger/Repair.ts"
import { type LedgerState, messages } from "./ledger/State.ts"
import { contextOfFile, layer, type NodeOptions } from "./node.ts"
import type { ReadContext } from "./session/ContextReading.ts"
import type { KnownFiles } from "./session/KnownFiles.ts"
import type { ForkedLedger, LedgerFiles } from "./session/LedgerFiles.ts"
import type { LoadedLedger } from "./session/LedgerLoad.ts"
import type { Removal } from "./session/LedgerRemoval.ts"
import type { OpenLedger } from "./session/LedgerRoom.ts"
import { type LedgerList, LedgerStore } from "./session/LedgerStore.ts"
import type { LoadedTree, LoadOptions } from "./session/Load.ts"
import type { PrepareError } from "./session/OpenError.ts"
import type { ReceiptLevel } from "./session/Receipt.ts"
import type { Change, Session } from "./session/Session.ts"
import { type CreateOptions, type Migration, type OpenOptions, type OpenTree, TreeStore } from "./session/TreeStore.ts"
import type { TreeCommand } from "./tree/Command.ts"
import { buildSessionContext, contextOf, type SessionContext } from "./tree/Context.ts"
import { follow as followContext, initialLiveContext } from "./tree/LiveContext.ts"
import type { TreeState } from "./tree/State.ts"
import type { TreeRecord } from "./tree/TreeModel.ts"

/** What came of a command. */
export interface PlainReceipt<Rec> {
  readonly records: ReadonlyArray<Rec>
  /** Resolves once the records have reached the level. */
  readonly reached: (level: Level) => Promise<void>
}

/** An open session of any model. */
export class PlainSession<State, Command, Rec> implements AsyncDisposable {
  readonly path: string
  readonly #session: Session<State, Command, Rec, unknown, PrepareError>
  readonly #scope: Scope.Closeable

  constructor(path: string, session: Session<State, Command, Rec, unknown, PrepareError>, scope: Scope.Closeable) {
    this.path = path
    this.#session = session
    this.#scope = scope
  }

  /** The state now. Immutable: it may be kept. */
  get state(): State {
    return Effect.runSync(this.#session.state)
  }

  /** Carries out a command and resolves at the level, by default `synced`. */
  async dispatch(command: Command, level?: ReceiptLevel): Promise<PlainReceipt<Rec>> {
    const { records, reached } = await Effect.runPromise(this.#session.dispatch(command, level))
    return { records, reached: (wanted) => Effect.runPromise(reached(wanted)) }
  }

  /** Every change from the first `next()` on, in order. Ends when the session is closed. */
  changes(): AsyncIterable<Change<State, Rec>> {
    return Stream.toAsyncIterable(this.#session.changes)
  }

  /** Resolves once everything dispatched so far is synced. */
  flush(): Promise<void> {
    return Effect.runPromise(this.#session.flush)
  }

  /** Makes the session's file, also when there is nothing to write but its beginning, and resolves once all of it is synced. */
  ensureOnDisk(): Promise<void> {
    return Effect.runPromise(this.#session.ensureOnDisk)
  }

  /** The lines that are accepted and not known to be durable, in order. */
  get unsaved(): ReadonlyArray<string> {
    return Effect.runSync(this.#session.unsaved).map(({ text }) => text)
  }

  /** After a failure: writes what is missing, exactly once, and lifts the latch. */
  recover(): Promise<void> {
    return Effect.runPromise(this.#session.recover)
  }

  /** Flushes and gives up the file and its lock. Rejects when the last records did not become durable; closed all the same. */
  close(): Promise<void> {
    return Effect.runPromise(Effect.ensuring(this.#session.close, Scope.close(this.#scope, Exit.void)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** An open tree session. */
export class PlainTree extends PlainSession<TreeState, TreeCommand, TreeRecord> {
  readonly forkedFrom: string | undefined
  readonly migration: Migration | undefined
  #live = initialLiveContext

  constructor(open: OpenTree, scope: Scope.Closeable) {
    super(open.path, open.session, scope)
    this.forkedFrom = open.forkedFrom
    this.migration = open.migration
  }

  /**
   * What the model would see at a leaf, by default the live one. Throws the rejection for a leaf that does not exist.
   *
   * Of a large session it reads the records of the context from the file, and throws a ReadError where that is refused.
   *
   * At the live leaf it goes on from the last time that it was asked: that costs the messages of the context and the records since, however
   * long the session is (law CTX-1).
   */
  context(leaf?: string | null): SessionContext {
    const { state } = this
    if (leaf !== undefined) return Result.getOrThrowWith(buildSessionContext(state, leaf), (rejection) => rejection)
    this.#live = followContext(this.#live, state)
    return contextOf(this.#live.fold)
  }
}

/** An open ledger session. */
export class PlainLedger extends PlainSession<LedgerState, LedgerCommand, LedgerRecord> {
  readonly id: string
  /** What a resume repaired. */
  readonly repairs: ReadonlyArray<Repair>
  readonly #files: KnownFiles

  constructor(open: OpenLedger, scope: Scope.Closeable) {
    super(open.path, open.session, scope)
    this.id = open.id
    this.repairs = open.repairs
    this.#files = open.files
  }

  /** The conversation, in order. */
  get messages(): ReadonlyArray<Message> {
    return messages(this.state)
  }

  /** The agent knows this content of a file: it has read, written or been shown it. */
  recordFile(path: string, content: string): void {
    Effect.runSync(this.#files.record(path, content))
  }

  /** Whether the agent knows the content that a file has now. Only what is `current` may be edited. */
  fileStatus(path: string, content: string): FileStatus {
    return Effect.runSync(this.#files.status(path, content))
  }

  /** Notes that a range is read. True when the same range of the same content still stands in the conversation. */
  noteRead(path: string, content: string, offset?: number, limit?: number): boolean {
    return Effect.runSync(this.#files.noteRead(path, content, offset, limit))
  }
}

export type { FollowItem } from "./journal/Follower.ts"

export interface PlainFollowOptions extends Omit<FollowOptions, "every" | "hint" | "until"> {
  /** Milliseconds between two looks at the file. Default: FOLLOW_INTERVAL_MS. */
  readonly every?: number | undefined
  /** Called after each look: resolves when it is worth to look before that time is over. */
  readonly hint?: ((signal: AbortSignal) => Promise<unknown>) | undefined
  /** Resolves when the writer has closed the file: then the rest is told, and the iteration ends. */
  readonly until?: Promise<unknown> | undefined
  /** Ends the iteration at once, without an error, also while it waits. */
  readonly signal?: AbortSignal | undefined
}

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const end = (): void => resume(Effect.void)
    if (signal.aborted) end()
    else signal.addEventListener("abort", end, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", end))
  })

/**
 * What another process writes to a session, as it becomes certain: records, damages, and what becomes of the file. Reads only, and the
 * writer does not notice it. The file is opened by the first `next()` and closed when the iteration is left, by `break`, by an error or
 * by `signal`. Rejects with a ReadError. What is told, and when: see follow in "annals" (law FOL-1).
 */
export const follow = (path: string, options: PlainFollowOptions = {}): AsyncIterable<FollowItem> => {
  const { every, hint, until, signal, ...rest } = options
  const items = followJournal(nodeDisk, path, {
    ...rest,
    every,
    hint: hint === undefined ? undefined : Effect.promise(hint),
    until: until === undefined ? undefined : Effect.promise(() => until),
  })
  return Stream.toAsyncIterable(signal === undefined ? items : Stream.interruptWhen(items, aborted(signal)))
}

type Runtime = ManagedRuntime.ManagedRuntime<TreeStore | LedgerFiles | Lease, never>

/** Opens something in a scope of its own, which closes with what was opened, or at once when opening fails. */
const scoped = <A, B, E>(
  runtime: Runtime,
  open: Effect.Effect<A, E, TreeStore | LedgerFiles | Scope.Scope>,
  plain: (opened: A, scope: Scope.Closeable) => B,
): Promise<B> =>
  runtime.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const opened = yield* Effect.onError(Scope.provide(open, scope), () => Scope.close(scope, Exit.void))
      return plain(opened, scope)
    }),
  )

type StoreShape = Context.Service.Shape<typeof LedgerStore>
type Arguments<K extends keyof StoreShape> = Parameters<Extract<StoreShape[K], (...args: never) => unknown>>

/** The ledger sessions of a project. What a method guarantees is said at its Effect counterpart: see LedgerStore. */
export class PlainLedgers {
  readonly #runtime: Runtime
  readonly #layer: Layer.Layer<LedgerStore, never, LedgerFiles>

  constructor(runtime: Runtime, root: string) {
    this.#runtime = runtime
    this.#layer = LedgerStore.layer({ root })
  }

  #open<E>(use: (store: StoreShape) => Effect.Effect<OpenLedger, E, Scope.Scope>): Promise<PlainLedger> {
    const opened = Effect.provide(Effect.flatMap(LedgerStore, use), this.#layer)
    return scoped(this.#runtime, opened, (open, scope) => new PlainLedger(open, scope))
  }

  #run<A, E>(use: (store: StoreShape) => Effect.Effect<A, E>): Promise<A> {
    return this.#runtime.runPromise(Effect.provide(Effect.flatMap(LedgerStore, use), this.#layer))
  }

  create(...given: Arguments<"create">): Promise<PlainLedger> {
    return this.#open((store) => store.create(...given))
  }

  createChild(...given: Arguments<"createChild">): Promise<PlainLedger> {
    return this.#open((store) => store.createChild(...given))
  }

  open(...given: Arguments<"open">): Promise<PlainLedger> {
    return this.#open((store) => store.open(...given))
  }

  resume(...given: Arguments<"resume">): Promise<PlainLedger> {
    return this.#open((store) => store.resume(...given))
  }

  read(id: string): Promise<LoadedLedger> {
    return this.#run((store) => store.read(id))
  }

  latest(): Promise<string | undefined> {
    return this.#run((store) => store.latest)
  }

  list(limit?: number): Promise<LedgerList> {
    return this.#run((store) => store.list(limit))
  }

  setTitle(id: string, title: string): Promise<string> {
    return this.#run((store) => store.setTitle(id, title))
  }

  fork(id: string): Promise<ForkedLedger> {
    return this.#run((store) => store.fork(id))
  }

  /** Writes a session out as a Markdown document in the root; resolves to its path. */
  export(...given: Arguments<"export">): Promise<string> {
    return this.#run((store) => store.export(...given))
  }

  remove(id: string): Promise<Removal> {
    return this.#run((store) => store.remove(id))
  }
}

export class Annals implements AsyncDisposable {
  readonly #runtime: Runtime
  readonly #options: NodeOptions

  private constructor(options: NodeOptions) {
    this.#options = options
    this.#runtime = ManagedRuntime.make(layer(options))
  }

  /** Nothing runs before the first call that needs it. The writer thread starts once a session is open for writing. */
  static start(options: NodeOptions = {}): Annals {
    return new Annals(options)
  }

  /** Reads a session; changes no byte. */
  load(path: string, options?: LoadOptions): Promise<LoadedTree> {
    return this.#runtime.runPromise(TreeStore.use((store) => store.load(path, options)))
  }

  /**
   * What the model would see at a leaf of a session's file, by default the live one, without the session in memory. Starts no thread and
   * changes no byte. Rejects with the rejection, in `Rejected`, for a leaf that does not exist.
   */
  context(path: string, leaf?: string | null, options?: Pick<LoadOptions, "onProgress">): Promise<ReadContext> {
    return Effect.runPromise(contextOfFile(path, leaf, { ...this.#options, ...options }))
  }

  /** Opens a session for writing. */
  open(path: string, options?: OpenOptions): Promise<PlainTree> {
    return this.#tree((store) => store.open(path, options))
  }

  /** Starts a new session. */
  create(options: CreateOptions): Promise<PlainTree> {
    return this.#tree((store) => store.create(options))
  }

  #tree<E>(use: (store: Context.Service.Shape<typeof TreeStore>) => Effect.Effect<OpenTree, E, Scope.Scope>): Promise<PlainTree> {
    return scoped(this.#runtime, Effect.flatMap(TreeStore, use), (open, scope) => new PlainTree(open, scope))
  }

  /**
   * Promises the lease of a session that is open here to one other taker, who opens it with the offer's attempt once it is closed here.
   * Until the moment that the offer names nobody else gets it. Undefined when the session is not open here.
   */
  offer(path: string, options?: OfferOptions): Promise<Offer | undefined> {
    return this.#runtime.runPromise(
      Effect.flatMap(Lease, (lease) => lease.held(resolve(path))?.offer(options) ?? Effect.succeed(undefined)),
    )
  }

  /** The ledger sessions of a project, by its root directory. */
  ledgers(root: string): PlainLedgers {
    return new PlainLedgers(this.#runtime, root)
  }

  /** Closes the writer thread, after it has drained. Close the sessions first. */
  stop(): Promise<void> {
    return this.#runtime.dispose()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
