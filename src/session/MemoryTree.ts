/** A tree session in memory. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Stamp } from "../model/Stamp.ts"
import { Redaction } from "../redaction/Redaction.ts"
import type { TreeCommand } from "../tree/Command.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { TreeState } from "../tree/State.ts"
import { type TreeRecord, treeModel } from "../tree/TreeModel.ts"
import { shaping } from "./Blobs.ts"
import type { Rejected } from "./DispatchError.ts"
import { type MemorySession, startInMemory } from "./MemorySession.ts"
import { markEntry } from "./TreeRoom.ts"

/** The journal begins with the header. */
export type MemoryTree = MemorySession<TreeState, TreeCommand, TreeRecord, TreeRejection>

export interface MemoryTreeOptions {
  readonly cwd: string
  readonly title?: string | undefined
  readonly stamp: Effect.Effect<Stamp>
}

/** Starts a session that lives as long as its scope. */
export const makeMemoryTree = Effect.fnUntraced(function* ({
  cwd,
  title,
  stamp,
}: MemoryTreeOptions): Effect.fn.Return<MemoryTree, Rejected<TreeRejection>, Scope.Scope | Redaction> {
  const redactor = yield* Redaction
  const start: TreeCommand = { do: "start", cwd, ...(title === undefined ? {} : { title, titleSource: "user" }) }
  return yield* startInMemory<TreeState, TreeCommand, TreeRecord, TreeRejection>(
    { model: treeModel, redactor, stamp, shape: shaping(redactor, undefined, undefined), mark: markEntry },
    start,
  )
})
