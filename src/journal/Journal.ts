/**
 * A journal takes clean lines in order and says how far they have come.
 *
 * What every journal guarantees, and the laws hold it to: lines are kept in the order of `append`, each once; a level that was
 * reached for line k was reached for all before it; after the first failure nothing more is taken until `recover` succeeds, and the
 * lines that were accepted stay readable through `unsaved`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CleanLine } from "../redaction/CleanLine.ts"
import type { Level } from "../writer/FileQueue.ts"
import type { WriteError } from "../writer/WriteError.ts"

export type { Level } from "../writer/FileQueue.ts"

export interface JournalShape {
  /**
   * Hands lines over, all or none, and returns the number of the last one, counted from 1 over the life of this journal value.
   * Waits while the queue is full; an interruption while waiting hands nothing over.
   */
  readonly append: (lines: ReadonlyArray<CleanLine>) => Effect.Effect<number, WriteError>
  /** Waits until line number `seq` and all before it have reached the level. */
  readonly reached: (seq: number, level: Level) => Effect.Effect<void, WriteError>
  /** Waits until everything accepted so far is synced. */
  readonly flush: Effect.Effect<void, WriteError>
  /** Lines that are accepted and not known to be durable, in order. */
  readonly unsaved: Effect.Effect<ReadonlyArray<CleanLine>>
  /** The failure that latched the journal, if any. */
  readonly failure: Effect.Effect<WriteError | undefined>
  /** After a failure: writes what is missing, exactly once, and lifts the latch. */
  readonly recover: Effect.Effect<void, WriteError>
}

export class Journal extends Context.Service<Journal, JournalShape>()("annals/journal/Journal") {}
