/**
 * The sessions of one directory: which there are, which was worked on last, and how one is removed.
 *
 * The order is that of the work: the time in the last record that was work, which a title is not. The time of the file only decides between
 * equals, because copying, backing up and touching change it. To tell it, the end of a file is read, not the whole.
 */
import { basename, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Disk, FileStat } from "../disk/Disk.ts"
import { DiskFault } from "../disk/Disk.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import { classify } from "../ledger/Record.ts"
import { isSessionId } from "../ledger/SessionId.ts"
import { isObject } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { childFolder, ENDING, nameOf } from "./LedgerRoom.ts"
import { LedgerStoreError } from "./LedgerStoreError.ts"
import { onDisk } from "./OnDisk.ts"
import type { PrepareError } from "./OpenError.ts"
import type { Room } from "./Room.ts"

/** A file of a directory, and when it was worked on last. */
export interface Shelved {
  readonly id: string
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Nanoseconds since the epoch. */
  readonly modified: bigint
  /** The time of the last record that was work, as it stands there; undefined when no record of the file can be used. */
  readonly worked: string | undefined
}

/** The end of a file that is read first. It is doubled until a record of work is in it. */
const END_BYTES = 65_536

/** The time of a record of work on a line; undefined for a title, for what is no record and for a part of one. */
const workOn = (line: string): string | undefined => {
  let value: unknown
  try {
    value = parseJson(line)
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  const classified = classify(value)
  return classified._tag === "Known" && classified.record.type !== "title" ? classified.record.t : undefined
}

/** The time of the last record of work in a file. Reads from its end, as far as it must. */
const lastWork = (disk: Disk, path: string, size: number): string | undefined => {
  const handle = disk.open(path, "read")
  try {
    for (let length = Math.min(size, END_BYTES); length > 0; length = Math.min(size, length * 2)) {
      const bytes = new Uint8Array(length)
      let read = 0
      for (let count = -1; count !== 0 && read < length; read += count)
        count = disk.read(handle, bytes.subarray(read), size - length + read)
      const lines = new TextDecoder().decode(bytes.subarray(0, read)).split("\n")
      const whole = length === size ? lines : lines.slice(1)
      const found = whole
        .reverse()
        .map(workOn)
        .find((time) => time !== undefined)
      if (found !== undefined || length === size) return found
    }
    return undefined
  } finally {
    disk.close(handle)
  }
}

const compare = <A>(a: A, b: A): number => (a < b ? 1 : a > b ? -1 : 0)

/** Newest work first; files without a record of work last. */
const byWork = (a: Shelved, b: Shelved): number =>
  compare(a.worked ?? "", b.worked ?? "") || compare(a.modified, b.modified) || compare(a.id, b.id)

/** A file of the directory that is no session of it, or could not be looked at. */
export interface LeftOut {
  readonly path: string
  /** `ledger.bad_id`, `read.not_a_file`, or `read.unreadable`. */
  readonly code: string
}

export interface Shelf {
  /** Newest first. */
  readonly sessions: ReadonlyArray<Shelved>
  readonly leftOut: ReadonlyArray<LeftOut>
}

const shelved = (disk: Disk, directory: string, name: string): Shelved | LeftOut | undefined => {
  const path = join(directory, name)
  const id = nameOf(name)
  let stat: FileStat | undefined
  try {
    stat = disk.lstat(path)
    if (stat === undefined) return undefined
    if (!isSessionId(id)) return { path, code: "ledger.bad_id" }
    if (stat.kind !== "file") return { path, code: "read.not_a_file" }
    return { id, path, size: stat.size, modified: stat.modified, worked: lastWork(disk, path, stat.size) }
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
    // It was removed while the list was made.
    return cause.code === "ENOENT" ? undefined : { path, code: "read.unreadable" }
  }
}

/** The sessions of a directory, subagents' not among them. A directory that is not there has none. Cost: the end of each file. */
export const shelfOf = (room: Room, directory: string): Effect.Effect<Shelf, PrepareError> =>
  onDisk(directory, () => {
    if (room.disk.lstat(directory) === undefined) return { sessions: [], leftOut: [] }
    const sessions: Array<Shelved> = []
    const leftOut: Array<LeftOut> = []
    for (const name of room.disk.list(directory)) {
      if (!name.endsWith(ENDING) || name.startsWith(".")) continue
      const found = shelved(room.disk, directory, name)
      if (found === undefined) continue
      if ("code" in found) leftOut.push(found)
      else sessions.push(found)
    }
    return { sessions: sessions.sort(byWork), leftOut }
  })

/** What a removal takes away. */
export interface Removal {
  readonly path: string
  /** The sessions of subagents, which lie in a folder of their own. */
  readonly children: ReadonlyArray<string>
}

/** What a session's folder holds beside sessions and what belongs to them. */
const strangers = (disk: Disk, folder: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => {
    const isOurs = name.endsWith(ENDING) || /^\..*\.jsonl\.(lock|owner\.json)$/.test(name)
    return !isOurs || disk.lstat(join(folder, name))?.kind !== "file"
  })

/** What removing a session would take away. Fails when its folder holds anything else. Changes nothing. */
export const planRemoval = (room: Room, path: string): Effect.Effect<Removal, PrepareError | LedgerStoreError> =>
  Effect.gen(function* () {
    const folder = childFolder(path)
    const names = yield* onDisk(folder, () =>
      room.disk.lstat(folder)?.kind === "directory" ? room.disk.list(folder) : ([] as ReadonlyArray<string>),
    )
    const [stranger] = yield* onDisk(folder, () => strangers(room.disk, folder, names))
    if (stranger !== undefined)
      return yield* new LedgerStoreError({
        reason: { _tag: "Unexpected", code: "ledger.unexpected", path: join(folder, stranger) },
      })
    return { path, children: names.filter((name) => name.endsWith(ENDING)).map((name) => join(folder, name)) }
  })

/**
 * Removes a session and its subagents' sessions. The leases of all of them are taken first, so nobody is writing. The session's own file
 * goes last: whatever stops a removal in the middle, it can be carried on. The lock files beside the session stay; they hold nothing.
 */
export const removeLedger = (
  room: Room,
  path: string,
): Effect.Effect<Removal, PrepareError | LedgerStoreError | LeaseError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* room.lease.acquire(path)
    const removal = yield* planRemoval(room, path)
    for (const child of removal.children) yield* room.lease.acquire(child)
    const folder = childFolder(path)
    yield* onDisk(path, () => {
      const { disk } = room
      for (const child of removal.children) disk.unlink(child)
      if (removal.children.length > 0) {
        disk.syncDirectory(folder)
        clear(disk, folder)
      }
      disk.unlink(path)
      disk.syncDirectory(join(path, ".."))
    })
    return removal
  })

/** Removes a folder of which nothing is left but locks. One that somebody puts something into meanwhile stays. */
const clear = (disk: Disk, folder: string): void => {
  for (const name of disk.list(folder)) if (basename(name).startsWith(".")) disk.unlink(join(folder, name))
  const removed = Result.try(() => disk.removeDirectory(folder))
  if (Result.isFailure(removed) && !(removed.failure instanceof DiskFault)) throw removed.failure
}
