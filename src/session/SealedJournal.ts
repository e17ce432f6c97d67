/**
 * The writer's end of a session's file whose records carry seals, and the mark of how far it was durable (see src/journal/HighWater.ts).
 *
 * The mark is written when the session is closed and, while it runs, when 4,096 records or 4 MiB have come since the last one. Nobody
 * waits for it: a fiber of its own waits until they are synced. A mark that cannot be written is none.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { DiskFault } from "../disk/Disk.ts"
import { demandGuard } from "../disk/Guard.ts"
import { goingOn, readHighWater, sweepHighWater, writeHighWater } from "../journal/HighWater.ts"
import type { ChainState } from "../journal/Integrity.ts"
import type { JournalShape } from "../journal/Journal.ts"
import type { ReadSummary } from "../journal/Reader.ts"
import { journalOf, type Room } from "./Room.ts"
import { sealing } from "./Sealing.ts"

/** After so much has come, it is marked how far the file is durable. */
const MARK_RECORDS = 4_096
const MARK_BYTES = 4 << 20

interface Reached {
  readonly chain: ChainState
  readonly bytes: number
}

interface Identified {
  readonly device: bigint
  readonly inode: bigint
}

/** Writes the mark. What stands in the way of it, a disk that refuses or a lease that is lost, is nobody's failure. */
const marking = (room: Room, path: string, { chain, bytes }: Reached): Effect.Effect<void> =>
  Effect.sync(() => {
    try {
      demandGuard(room.disk, room.lease.held(path)?.guard)
      writeHighWater(room.disk, path, { ...chain, bytes })
    } catch (cause) {
      if (!(cause instanceof DiskFault)) throw cause
    }
  })

/** The journal of a file of so many bytes, all of them synced, in which the chain has come so far; without a chain as it is. */
export const sealedJournal = (
  room: Room,
  path: string,
  file: Identified,
  length: number,
  chain: ChainState | undefined,
): Effect.Effect<JournalShape, never, Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* journalOf(room, path, file, length)
    if (chain === undefined) return journal
    const scope = yield* Effect.scope
    const first: Reached = { chain, bytes: length }
    let now = first
    /** What is marked, or is about to be. */
    let due = first
    // Runs before the writer gives the file up. After a failure the mark stays what it was.
    const last = Effect.andThen(Effect.ignore(journal.flush), journal.failure).pipe(
      Effect.flatMap((failure) => (failure === undefined && now !== first ? marking(room, path, now) : Effect.void)),
    )
    yield* Scope.addFinalizer(scope, last)
    return sealing(journal, chain, (bytes, reached, seq) => {
      now = { chain: reached, bytes: now.bytes + bytes }
      if (reached.records - due.chain.records < MARK_RECORDS && now.bytes - due.bytes < MARK_BYTES) return Effect.void
      due = now
      const whenSynced = Effect.andThen(journal.reached(seq, "synced"), marking(room, path, due))
      return Effect.asVoid(Effect.forkIn(Effect.ignore(whenSynced), scope))
    })
  })

/** The journal of a new file. A mark that a file of the same name has left speaks of another one. */
export const newJournal = (
  room: Room,
  path: string,
  file: Identified & { readonly size: number },
  chain: ChainState | undefined,
): Effect.Effect<JournalShape, never, Scope.Scope> =>
  Effect.suspend(() => {
    if (chain !== undefined) sweepHighWater(room.disk, path)
    return sealedJournal(room, path, file, file.size, chain)
  })

/** The journal of a file that was read. Where acknowledged records are missing, the numbers of the seals go on behind them. */
export const journalAfter = (
  room: Room,
  path: string,
  summary: ReadSummary,
  length: number,
): Effect.Effect<JournalShape, never, Scope.Scope> =>
  Effect.suspend(() => {
    const mark = summary.chain === undefined ? undefined : readHighWater(room.disk, path)
    return sealedJournal(room, path, summary.identity, length, goingOn(mark, summary))
  })
