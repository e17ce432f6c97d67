/** A tree session in memory: the same commands, the same redaction, the same receipts, and nothing on any disk. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type MemoryJournal, make as makeJournal } from "../journal/MemoryJournal.ts"
import type { Stamp } from "../model/Stamp.ts"
import { Redaction } from "../redaction/Redaction.ts"
import type { TreeCommand } from "../tree/Command.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { TreeState } from "../tree/State.ts"
import { type TreeRecord, treeModel } from "../tree/TreeModel.ts"
import { shaping } from "./Blobs.ts"
import { Rejected } from "./DispatchError.ts"
import { make as makeSession, type Session } from "./Session.ts"

export interface MemoryTree {
  readonly session: Session<TreeState, TreeCommand, TreeRecord, TreeRejection>
  /** What a file would hold: one clean line for each record, the header first. */
  readonly journal: MemoryJournal
}

export interface MemoryTreeOptions {
  readonly cwd: string
  readonly title?: string | undefined
  readonly stamp: Effect.Effect<Stamp>
}

/** Starts a session that lives as long as its scope. */
export const makeMemoryTree = Effect.fnUntraced(function* (
  options: MemoryTreeOptions,
): Effect.fn.Return<MemoryTree, Rejected<TreeRejection>, Scope.Scope | Redaction> {
  const redactor = yield* Redaction
  const journal = yield* makeJournal
  const start: TreeCommand = {
    do: "start",
    cwd: options.cwd,
    ...(options.title === undefined ? {} : { title: options.title, titleSource: "user" as const }),
  }
  const decided = treeModel.decide(treeModel.initial, start, yield* options.stamp)
  if (Result.isFailure(decided)) return yield* new Rejected({ rejection: decided.failure })
  // What a parsed command decides is JSON.
  const lines = decided.success.map((record) => Result.getOrThrow(redactor.cleanRecord(record)).line)
  yield* Effect.orDie(journal.append(lines))
  const session = yield* makeSession({
    model: treeModel,
    redactor,
    state: decided.success.reduce(treeModel.evolve, treeModel.initial),
    stamp: options.stamp,
    path: "memory",
    shape: shaping(redactor, undefined, undefined),
    open: Effect.succeed({ journal }),
  })
  return { session, journal }
})
