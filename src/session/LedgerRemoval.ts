/**
 * How a ledger session is removed: with the sessions of its subagents and with all that was put aside of them, so that nothing that was said
 * stays behind. The lock files beside the session stay; they hold nothing.
 */
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type Disk, DiskFault } from "../disk/Disk.ts"
import type { ReadError } from "../journal/Reader.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import { isSessionId } from "../ledger/SessionId.ts"
import { loadBegun } from "./LedgerOpening.ts"
import { childFolder, ENDING, nameOf } from "./LedgerRoom.ts"
import { LedgerStoreError } from "./LedgerStoreError.ts"
import { onDisk } from "./OnDisk.ts"
import type { FormatError, PrepareError } from "./OpenError.ts"
import type { Room } from "./Room.ts"

/** What a removal takes away. */
export interface Removal {
  readonly path: string
  /** The sessions of subagents, which lie in a folder of their own. */
  readonly children: ReadonlyArray<string>
  /** What was put aside of the session and of those: torn tails, what repairs took out, and what attempts that were cut off have left. */
  readonly aside: ReadonlyArray<string>
}

/** What a name of a directory is to the sessions in it. */
type Kind = "session" | "aside" | "lock" | "stranger"

/** Beside NAME.jsonl: `.quarantine-FROM-TO` of a torn tail, `.TIME.quarantine` and `.TIME.backup` of a repair. */
const KEPT = /^[A-Za-z0-9_-]+\.jsonl\.(?:quarantine-\d+-\d+|[^/]+\.(?:quarantine|backup))$/

/** `.NAME.jsonl.lock` and what belongs to the lease, also while it is made. */
const LOCK = /^\.[A-Za-z0-9_-]+\.jsonl\.(?:lock|lock\.[^/]+\.tmp|owner\.(?:[^/]+\.)?(?:json|tmp))$/

/** What an attempt that was cut off has left, `.NAME.jsonl.tmp` and the like, and the mark of a session with seals, `.NAME.jsonl.head`. */
const LEFT = /^\.[A-Za-z0-9_-]+\.jsonl\.(?:(?:[^/]+\.)?tmp|head)$/

const kindOf = (name: string): Kind => {
  if (name.endsWith(ENDING) && isSessionId(nameOf(name))) return "session"
  if (LOCK.test(name)) return "lock"
  return KEPT.test(name) || LEFT.test(name) ? "aside" : "stranger"
}

/** The names in a session's folder of subagents; none when there is no such folder. A link is not followed. */
const namesIn = (disk: Disk, folder: string): ReadonlyArray<string> =>
  disk.lstat(folder)?.kind === "directory" ? disk.list(folder) : []

/** What was put aside of a session, in its own directory. */
const asideOf = (disk: Disk, path: string): ReadonlyArray<string> => {
  const name = basename(path)
  return disk
    .list(dirname(path))
    .filter((other) => kindOf(other) === "aside" && (other.startsWith(`${name}.`) || other.startsWith(`.${name}.`)))
    .filter((other) => disk.lstat(join(dirname(path), other))?.kind === "file")
    .map((other) => join(dirname(path), other))
}

/**
 * Refuses what is no ledger, damaged as it may be: a file without a single record is somebody's, and nobody knows what it is. A session without its file can be removed as long as its folder is there: other programs
 * remove the file first, and what stopped them has left the subagents.
 */
export const proveRemovable = (room: Room, path: string): Effect.Effect<void, ReadError | FormatError> =>
  Effect.asVoid(
    Effect.catchIf(
      loadBegun(room, path),
      ({ reason }) => reason._tag === "NotFound" && room.disk.lstat(childFolder(path))?.kind === "directory",
      () => Effect.void,
    ),
  )

/** What removing a session would take away. Fails when its folder holds anything else. Changes nothing. */
export const planRemoval = (room: Room, path: string): Effect.Effect<Removal, PrepareError | LedgerStoreError> =>
  Effect.gen(function* () {
    const { disk } = room
    const folder = childFolder(path)
    const names = yield* onDisk(folder, () => namesIn(disk, folder))
    const isStranger = (name: string): boolean => kindOf(name) === "stranger" || disk.lstat(join(folder, name))?.kind !== "file"
    const stranger = yield* onDisk(folder, () => names.find(isStranger))
    if (stranger !== undefined)
      return yield* new LedgerStoreError({
        reason: { _tag: "Unexpected", code: "ledger.unexpected", path: join(folder, stranger) },
      })
    const own = yield* onDisk(path, () => asideOf(disk, path))
    const inFolder = (kind: Kind) => names.filter((name) => kindOf(name) === kind).map((name) => join(folder, name))
    return { path, children: inFolder("session"), aside: [...own, ...inFolder("aside")] }
  })

/**
 * Removes what the plan says. The leases of all sessions are taken first, so nobody is writing. The session's own file goes last, when
 * everything else is gone for good: whatever stops a removal in the middle, it can be carried on (law LDS-2).
 */
export const removeLedger = (
  room: Room,
  path: string,
): Effect.Effect<Removal, PrepareError | LedgerStoreError | LeaseError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* room.lease.acquire(path)
    const removal = yield* planRemoval(room, path)
    for (const child of removal.children) yield* room.lease.acquire(child)
    yield* onDisk(path, () => {
      const { disk } = room
      for (const gone of [...removal.children, ...removal.aside]) disk.unlink(gone)
      const folder = childFolder(path)
      if (disk.lstat(folder)?.kind === "directory") clear(disk, folder)
      disk.syncDirectory(dirname(path))
      if (disk.lstat(path) !== undefined) disk.unlink(path)
      disk.syncDirectory(dirname(path))
    })
    return removal
  })

/** Removes a folder of which nothing is left but locks. One that somebody puts something into meanwhile stays. */
const clear = (disk: Disk, folder: string): void => {
  disk.syncDirectory(folder)
  for (const name of disk.list(folder)) if (kindOf(name) === "lock") disk.unlink(join(folder, name))
  const removed = Result.try(() => disk.removeDirectory(folder))
  if (Result.isFailure(removed) && !(removed.failure instanceof DiskFault)) throw removed.failure
}
