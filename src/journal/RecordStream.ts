/**
 * A journal read as an effect or as a stream: the items of `readJournal`, with the event loop left free between chunks.
 *
 * Whoever stops in the middle, by interruption or by taking no more, closes the file. Fails with a ReadError, as told there.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Disk } from "../disk/Disk.ts"
import type { JournalRecord, LineItem } from "./Line.ts"
import { type Progress, ReadError, type ReadItem, type ReadOptions, type ReadSummary, readJournal } from "./Reader.ts"

export interface ReadToEndOptions extends ReadOptions {
  /** Called after each chunk with the bytes read and the bytes to read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

type Reading = Generator<ReadItem, ReadSummary>

interface Chunk {
  /** Absent after the last item. */
  readonly progress: Progress | undefined
  /** Present after the last item. */
  readonly summary: ReadSummary | undefined
}

/** Hands over the items that one chunk of the file completes, after a turn of the event loop. */
const nextChunk = (reading: Reading, onItem: (item: LineItem) => void): Effect.Effect<Chunk, ReadError> =>
  Effect.andThen(
    Effect.yieldNow,
    Effect.suspend((): Effect.Effect<Chunk, ReadError> => {
      try {
        for (;;) {
          const next = reading.next()
          if (next.done) return Effect.succeed({ progress: undefined, summary: next.value })
          if (next.value._tag === "Progress") return Effect.succeed({ progress: next.value, summary: undefined })
          onItem(next.value)
        }
      } catch (cause) {
        return cause instanceof ReadError ? Effect.fail(cause) : Effect.die(cause)
      }
    }),
  )

const leave = (reading: Reading): Effect.Effect<void> => Effect.sync(() => void reading.return(undefined as never))

/**
 * Reads a journal to its end, calls `onItem` for each record and damage in order, and gives the summary. A ReadError that `onItem` throws
 * is the failure.
 */
export const readToEnd = (
  disk: Disk,
  path: string,
  onItem: (item: LineItem) => void,
  options?: ReadToEndOptions,
): Effect.Effect<ReadSummary, ReadError> =>
  Effect.suspend(() => {
    const reading = readJournal(disk, path, options)
    const step: Effect.Effect<ReadSummary, ReadError> = Effect.flatMap(nextChunk(reading, onItem), ({ progress, summary }) => {
      if (progress !== undefined) options?.onProgress?.(progress.done, progress.total)
      return summary === undefined ? step : Effect.succeed(summary)
    })
    return Effect.ensuring(step, leave(reading))
  })

const stream = <A>(
  disk: Disk,
  path: string,
  options: ReadOptions | undefined,
  select: (items: ReadonlyArray<LineItem>) => ReadonlyArray<A>,
): Stream.Stream<A, ReadError> =>
  Stream.suspend(() => {
    const reading = readJournal(disk, path, options)
    const page = Effect.suspend(() => {
      const items: Array<LineItem> = []
      return Effect.map(
        nextChunk(reading, (item) => items.push(item)),
        ({ summary }) => {
          return [select(items), summary === undefined ? Option.some(undefined) : Option.none()] as const
        },
      )
    })
    return Stream.ensuring(
      Stream.paginate(undefined, () => page),
      leave(reading),
    )
  })

/** The records and damages of a journal in order. The file is opened when the stream is run. */
export const items = (disk: Disk, path: string, options?: ReadOptions): Stream.Stream<LineItem, ReadError> =>
  stream(disk, path, options, (all) => all)

/** The records of a journal in order, whatever damage stands between them. */
export const records = (disk: Disk, path: string, options?: ReadOptions): Stream.Stream<JournalRecord, ReadError> =>
  stream(disk, path, options, (all) => all.flatMap((item) => (item._tag === "Record" ? [item.record] : [])))
