/**
 * A tree session's file, read once and held open, its entries left in it: of each only its place, its id and its parent are in memory.
 *
 * The state is that of a session that was loaded (law IDX-2), as long as the file is open: an entry's record is read from it when it is
 * asked for. A file that is replaced meanwhile stays as it was read; one that is rewritten in place fails with `read.changed` where a
 * record is no record any more.
 */
import * as Effect from "effect/Effect"
import type { Disk } from "../disk/Disk.ts"
import { PlaceReader } from "../journal/PlaceReader.ts"
import { ReadError, type ReadSummary } from "../journal/Reader.ts"
import { RecordCache } from "../journal/RecordCache.ts"
import { readToEnd } from "../journal/RecordStream.ts"
import { REMEMBERED_RECORD_BYTES } from "../model/Limits.ts"
import { type LoadOptions, refusalOf } from "./Load.ts"
import type { FormatError } from "./OpenError.ts"
import { TreeReading } from "./TreeReading.ts"

export interface TreeFile {
  /** What was read. Its state is good until the file is closed. */
  readonly reading: TreeReading
  readonly summary: ReadSummary
}

export interface TreeFileOptions extends Pick<LoadOptions, "onProgress"> {
  readonly onlyJudges?: boolean | undefined
}

/** Bytes at the beginning of a file that tell how many entries the rest of it has. */
const TELLING_BYTES = 4 << 20

/** Anything else is a bug. */
const asReadError = (cause: unknown): ReadError => {
  if (cause instanceof ReadError) return cause
  throw cause
}

/** Runs what may look into the file, whose refusals are failures then. */
export const looking = <A>(look: () => A): Effect.Effect<A, ReadError> => Effect.try({ try: look, catch: asReadError })

/** The failure for a defect that is a refusal of the file, in the middle of what looks like a value. */
export const told = (defect: unknown): Effect.Effect<never, ReadError> =>
  defect instanceof ReadError ? Effect.fail(defect) : Effect.die(defect)

/** Reads a session through a reader of places that stays open. */
export const readThrough = (
  disk: Disk,
  path: string,
  places: PlaceReader,
  { onProgress, onlyJudges }: TreeFileOptions,
): Effect.Effect<TreeFile, ReadError | FormatError> =>
  Effect.gen(function* () {
    const recent = new RecordCache(REMEMBERED_RECORD_BYTES)
    const reading = new TreeReading({
      read: (place, id) => recent.get(place.offset, place.length, () => places.read(place, id)),
      onlyJudges,
    })
    const { outline, runs } = reading
    let isExpected = false
    const progressed = (done: number, total: number): void => {
      if (!isExpected && done >= TELLING_BYTES && total > done) {
        isExpected = true
        reading.expectLike(done, total)
      }
      onProgress?.(done, total)
    }
    const options = { onProgress: progressed, outline, runs }
    const summary = yield* readToEnd(disk, path, (item) => reading.take(item), options)
    yield* looking(() => places.confirm(summary.identity))
    const refusal = refusalOf(path, reading)
    return refusal === undefined ? { reading, summary } : yield* refusal
  })

/**
 * Reads a tree session and uses it while its file is open. Fails for a file that is not one; damage is not a failure. Cost: the file once,
 * about 40 bytes and an id for each entry, and the records that are asked for.
 */
export const useTreeFile = <A, E, R>(
  disk: Disk,
  path: string,
  options: TreeFileOptions,
  use: (file: TreeFile) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | ReadError | FormatError, R> =>
  Effect.acquireUseRelease(
    looking(() => new PlaceReader(disk, path)),
    (places) => Effect.catchDefect(Effect.flatMap(readThrough(disk, path, places, options), use), told),
    (places) => Effect.sync(() => places.close()),
  )
