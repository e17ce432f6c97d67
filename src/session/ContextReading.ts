/**
 * The context of a session's file without the session in memory: the file is passed once, and of its records only those are read that
 * have a part in the context. Changes no byte.
 *
 * The context is that of the loaded session (laws IDX-2, CTX-1), and the damages are all that the file has.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Disk } from "../disk/Disk.ts"
import type { Damage } from "../journal/Damage.ts"
import type { ReadError } from "../journal/Reader.ts"
import type { JsonObject } from "../model/Json.ts"
import { buildSessionContext, type SessionContext } from "../tree/Context.ts"
import { referencesIn } from "../tree/Images.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { TreeState } from "../tree/State.ts"
import { type BlobProblem, type PlacedReference, problemsOf, resolveRecord } from "./BlobReferences.ts"
import { Rejected } from "./DispatchError.ts"
import type { LoadOptions } from "./Load.ts"
import type { FormatError } from "./OpenError.ts"
import { useTreeFile } from "./TreeFile.ts"

export interface ReadContext {
  readonly path: string
  /** The leaf that it is the context at. */
  readonly leaf: string | null
  /** Images that the file refers to are in it as they are. */
  readonly context: SessionContext
  /** All damages of the file, in its order. */
  readonly damages: ReadonlyArray<Damage>
  /** The references of the context that lead to nothing. They stand in it as they are. */
  readonly blobs: ReadonlyArray<BlobProblem>
}

/** Says which leaf is meant, from a state that is good only until this is done. */
export type ChooseLeaf<E, R> = (state: TreeState) => Effect.Effect<string | null, E, R>

const liveLeaf = ({ leaf }: TreeState): Effect.Effect<string | null> => Effect.succeed(leaf)

/** The context with its images, and those that are not to be had. */
const resolved = Effect.fnUntraced(function* (
  context: SessionContext,
  references: ReadonlyArray<PlacedReference>,
  lookup: LoadOptions["lookup"],
) {
  // A context is JSON, and holds references where records hold them.
  const record = context as unknown as JsonObject
  const used = lookup === undefined || references.length === 0 ? [] : referencesIn(record)
  if (lookup === undefined || used.length === 0) return { context, blobs: [] }
  const texts = new Set(used.map(({ text }) => text))
  const blobs = yield* problemsOf(
    references.filter(({ image }) => texts.has(image.text)),
    lookup,
  )
  return { context: (yield* resolveRecord(record, lookup)) as unknown as SessionContext, blobs }
})

/**
 * The context at a leaf of a tree session's file, by default the live one. Fails for a file that is not a tree session, and with a
 * rejection for a leaf that it does not have.
 */
export const readContext = <E = never, R = never>(
  disk: Disk,
  path: string,
  { lookup, onProgress }: LoadOptions = {},
  choose: ChooseLeaf<E, R> = liveLeaf,
): Effect.Effect<ReadContext, ReadError | FormatError | Rejected<TreeRejection> | E, R> =>
  useTreeFile(disk, path, { onProgress }, ({ reading }) =>
    Effect.gen(function* () {
      const { state, damages, references } = reading
      const leaf = yield* choose(state)
      const built = buildSessionContext(state, leaf)
      if (Result.isFailure(built)) return yield* new Rejected({ rejection: built.failure })
      return { path, leaf, damages, ...(yield* resolved(built.success, references, lookup)) }
    }),
  )
