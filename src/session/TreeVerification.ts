/**
 * A tree session's file judged: every record read and checked, and none of them kept. Changes no byte.
 *
 * Memory does not grow with the file but for about 40 bytes and an id for each entry, and for what is found: damages, and references to
 * images. A record is read a second time where its id or its patch says that it must be compared.
 */
import * as Effect from "effect/Effect"
import type { Disk } from "../disk/Disk.ts"
import type { Damage } from "../journal/Damage.ts"
import { PlaceReader } from "../journal/PlaceReader.ts"
import { ReadError, type ReadSummary } from "../journal/Reader.ts"
import { readToEnd } from "../journal/RecordStream.ts"
import { type BlobProblem, problemsOf } from "./Blobs.ts"
import { dialectOf, type LoadedTree, type LoadOptions, refusalOf } from "./Load.ts"
import type { FormatError } from "./OpenError.ts"
import { TreeReading, type TreeReadingOptions } from "./TreeReading.ts"

/** What is found in the file of a tree session. */
export interface VerifiedTree
  extends Pick<LoadedTree, "path" | "dialect" | "version" | "damages" | "blobs" | "records" | "bytes"> {
  /** Whether a header was found, or made up for entries that have none. */
  readonly hasHeader: boolean
  readonly entries: number
}

/** Runs something with a reader of places in a file, and closes it. */
export const withPlaces = <A, E, R>(
  disk: Disk,
  path: string,
  use: (places: PlaceReader) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | ReadError, R> =>
  Effect.acquireUseRelease(Effect.try({ try: () => new PlaceReader(disk, path), catch: asReadError }), use, (places) =>
    Effect.sync(() => places.close()),
  )

/** Anything else is a bug. */
const asReadError = (cause: unknown): ReadError => {
  if (cause instanceof ReadError) return cause
  throw cause
}

export interface ReadTree {
  readonly reading: TreeReading
  readonly summary: ReadSummary
}

/** Reads a tree session with its entries left in the file. Fails for a file that is not one. */
export const readTree = (
  disk: Disk,
  path: string,
  places: PlaceReader,
  options: Pick<LoadOptions, "onProgress"> & Pick<TreeReadingOptions, "onlyJudges">,
): Effect.Effect<ReadTree, ReadError | FormatError> =>
  Effect.suspend(() => {
    const { onProgress, onlyJudges } = options
    const reading = new TreeReading({ read: (place) => places.read(place), onlyJudges })
    return Effect.flatMap(
      readToEnd(disk, path, (item) => reading.take(item), { onProgress, outline: reading.outline }),
      (summary) =>
        Effect.flatMap(
          Effect.try({ try: () => places.confirm(summary.identity), catch: asReadError }),
          (): Effect.Effect<ReadTree, FormatError> => {
            const refusal = refusalOf(path, reading)
            return refusal === undefined ? Effect.succeed({ reading, summary }) : Effect.fail(refusal)
          },
        ),
    )
  })

/** Verifies a tree session. Fails for a file that is not one; damage is not a failure. */
export const verifyTree = (
  disk: Disk,
  path: string,
  options: LoadOptions = {},
): Effect.Effect<VerifiedTree, ReadError | FormatError> =>
  withPlaces(disk, path, (places) =>
    Effect.gen(function* () {
      const { reading, summary } = yield* readTree(disk, path, places, { onProgress: options.onProgress, onlyJudges: true })
      const { state, damages, references, first } = reading
      const blobs: ReadonlyArray<BlobProblem> = options.lookup === undefined ? [] : yield* problemsOf(references, options.lookup)
      return {
        path,
        dialect: dialectOf(first),
        version: state.version,
        hasHeader: state.header !== undefined,
        entries: state.entries.length,
        records: summary.records,
        bytes: summary.bytes,
        damages: damages satisfies ReadonlyArray<Damage>,
        blobs,
      }
    }),
  )
