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
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Level } from "./journal/Journal.ts"
import { layer, type NodeOptions } from "./node.ts"
import type { LoadedTree, LoadOptions } from "./session/Load.ts"
import type { ReceiptLevel } from "./session/Receipt.ts"
import type { Change } from "./session/Session.ts"
import { type CreateOptions, type Migration, type OpenOptions, type OpenTree, TreeStore } from "./session/TreeStore.ts"
import type { TreeCommand } from "./tree/Command.ts"
import { buildSessionContext, type SessionContext } from "./tree/Context.ts"
import type { TreeState } from "./tree/State.ts"
import type { TreeRecord } from "./tree/TreeModel.ts"

/** What came of a command. */
export interface PlainReceipt {
  readonly records: ReadonlyArray<TreeRecord>
  /** Resolves once the records have reached the level. */
  readonly reached: (level: Level) => Promise<void>
}

export class PlainSession implements AsyncDisposable {
  readonly path: string
  readonly forkedFrom: string | undefined
  readonly migration: Migration | undefined
  readonly #open: OpenTree
  readonly #scope: Scope.Closeable

  constructor(open: OpenTree, scope: Scope.Closeable) {
    this.#open = open
    this.#scope = scope
    this.path = open.path
    this.forkedFrom = open.forkedFrom
    this.migration = open.migration
  }

  /** The state now. Immutable: it may be kept. */
  get state(): TreeState {
    return Effect.runSync(this.#open.session.state)
  }

  /** What the model would see at a leaf, by default the live one. Throws the rejection for a leaf that does not exist. */
  context(leaf?: string | null): SessionContext {
    const { state } = this
    return Result.getOrThrowWith(buildSessionContext(state, leaf === undefined ? state.leaf : leaf), (rejection) => rejection)
  }

  /** Carries out a command and resolves at the level, by default `synced`. */
  async dispatch(command: TreeCommand, level?: ReceiptLevel): Promise<PlainReceipt> {
    const { records, reached } = await Effect.runPromise(this.#open.session.dispatch(command, level))
    return { records, reached: (wanted) => Effect.runPromise(reached(wanted)) }
  }

  /** Every change from the first `next()` on, in order. Ends when the session is closed. */
  changes(): AsyncIterable<Change<TreeState, TreeRecord>> {
    return Stream.toAsyncIterable(this.#open.session.changes)
  }

  /** Resolves once everything dispatched so far is synced. */
  flush(): Promise<void> {
    return Effect.runPromise(this.#open.session.flush)
  }

  /** The lines that are accepted and not known to be durable, in order. */
  get unsaved(): ReadonlyArray<string> {
    return Effect.runSync(this.#open.session.unsaved).map(({ text }) => text)
  }

  /** After a failure: writes what is missing, exactly once, and lifts the latch. */
  recover(): Promise<void> {
    return Effect.runPromise(this.#open.session.recover)
  }

  /** Flushes and gives up the file and its lock. Rejects when the last records did not become durable; closed all the same. */
  close(): Promise<void> {
    return Effect.runPromise(Effect.ensuring(this.#open.session.close, Scope.close(this.#scope, Exit.void)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

export class Annals implements AsyncDisposable {
  readonly #runtime: ManagedRuntime.ManagedRuntime<TreeStore, never>

  private constructor(options: NodeOptions) {
    this.#runtime = ManagedRuntime.make(layer(options))
  }

  /** Nothing runs before the first call that needs it; that one starts the writer thread. */
  static start(options: NodeOptions = {}): Annals {
    return new Annals(options)
  }

  /** Reads a session; changes no byte. */
  load(path: string, options?: LoadOptions): Promise<LoadedTree> {
    return this.#runtime.runPromise(TreeStore.use((store) => store.load(path, options)))
  }

  /** Opens a session for writing. */
  open(path: string, options?: OpenOptions): Promise<PlainSession> {
    return this.#scoped((store) => store.open(path, options))
  }

  /** Starts a new session. */
  create(options: CreateOptions): Promise<PlainSession> {
    return this.#scoped((store) => store.create(options))
  }

  #scoped<E>(
    use: (store: Parameters<Parameters<typeof TreeStore.use>[0]>[0]) => Effect.Effect<OpenTree, E, Scope.Scope>,
  ): Promise<PlainSession> {
    return this.#runtime.runPromise(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const open = yield* Effect.onError(Scope.provide(Effect.flatMap(TreeStore, use), scope), () =>
          Scope.close(scope, Exit.void),
        )
        return new PlainSession(open, scope)
      }),
    )
  }

  /** Closes the writer thread, after it has drained. Close the sessions first. */
  stop(): Promise<void> {
    return this.#runtime.dispose()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
