/**
 * A tree session's file judged: every record read and checked, and none of them kept. Changes no byte.
 *
 * Memory does not grow with the file but for about 40 bytes and an id for each entry, and for what is found: damages, and references to
 * images. A record is read a second time where its id or its patch says that it must be compared.
 */
import * as Effect from "effect/Effect"
import type { Disk } from "../disk/Disk.ts"
import type { ReadError } from "../journal/Reader.ts"
import { type BlobProblem, problemsOf } from "./BlobReferences.ts"
import { dialectOf, type LoadedTree, type LoadOptions } from "./Load.ts"
import type { FormatError } from "./OpenError.ts"
import { useTreeFile } from "./TreeFile.ts"

/** What is found in the file of a tree session. */
export interface VerifiedTree
  extends Pick<LoadedTree, "path" | "dialect" | "version" | "damages" | "blobs" | "records" | "bytes" | "summary"> {
  /** Whether a header was found, or made up for entries that have none. */
  readonly hasHeader: boolean
  readonly entries: number
}

/** Verifies a tree session. Fails for a file that is not one; damage is not a failure. */
export const verifyTree = (
  disk: Disk,
  path: string,
  { lookup, onProgress }: LoadOptions = {},
): Effect.Effect<VerifiedTree, ReadError | FormatError> =>
  useTreeFile(disk, path, { onProgress, onlyJudges: true }, ({ reading, summary }) =>
    Effect.gen(function* () {
      const { state, damages, references, first } = reading
      const blobs: ReadonlyArray<BlobProblem> = lookup === undefined ? [] : yield* problemsOf(references, lookup)
      return {
        path,
        dialect: dialectOf(first),
        version: state.version,
        hasHeader: state.header !== undefined,
        entries: state.entries.length,
        records: summary.records,
        bytes: summary.bytes,
        summary,
        damages,
        blobs,
      }
    }),
  )
