/**
 * The sessions of one directory: which there are, and which was worked on last.
 *
 * The order is that of the work: the time in the last record that was work, which a title is not (law LDS-5). The time of the file never
 * counts, because copying, backing up and touching change it. To tell the order, the end of a file is read, not the whole.
 */
import { join } from "node:path"
import type * as Effect from "effect/Effect"
import type { Disk, FileStat } from "../disk/Disk.ts"
import { DiskFault } from "../disk/Disk.ts"
import { Decoder } from "../journal/Decoder.ts"
import { classify } from "../ledger/Record.ts"
import { isSessionId } from "../ledger/SessionId.ts"
import { isObject, type JsonObject } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { ENDING, nameOf } from "./LedgerRoom.ts"
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

/** The time of a record of work; undefined for a title and for what cannot be used. */
const workOf = (record: JsonObject): string | undefined => {
  const classified = classify(record)
  return classified._tag === "Known" && classified.record.type !== "title" ? classified.record.t : undefined
}

/** The record on a line; undefined for what is none, and for a part of one. */
const recordOn = (line: string): JsonObject | undefined => {
  try {
    const value = parseJson(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The time of the last record of work in whole lines. What is damaged is read as a reader of the whole file would read it. */
const workIn = (bytes: Uint8Array): string | undefined => {
  for (const line of new TextDecoder().decode(bytes).split("\n").reverse()) {
    if (line.trim() === "") continue
    const record = recordOn(line)
    if (record === undefined) return salvagedWork(bytes)
    const work = workOf(record)
    if (work !== undefined) return work
  }
  return undefined
}

const salvagedWork = (bytes: Uint8Array): string | undefined => {
  const decoder = new Decoder()
  return [...decoder.push(bytes), ...decoder.end()].reduce<string | undefined>(
    (work, item) => (item._tag === "Record" ? (workOf(item.record.value) ?? work) : work),
    undefined,
  )
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
      // Before the first newline stands the end of a line that is not whole.
      const found = workIn(bytes.subarray(length === size ? 0 : bytes.indexOf(0x0a) + 1 || read, read))
      if (found !== undefined || length === size) return found
    }
    return undefined
  } finally {
    disk.close(handle)
  }
}

const compare = <A>(a: A, b: A): number => (a < b ? 1 : a > b ? -1 : 0)

/** The instant of a time; before all others for what is no time. */
const instantOf = (time: string): number => {
  const instant = Date.parse(time)
  return Number.isNaN(instant) ? Number.NEGATIVE_INFINITY : instant
}

/** Newest work first; files without a record of work last. Ids that were made here sort by time, so they decide between equals. */
const byWork = (a: Shelved, b: Shelved): number =>
  compare(a.worked !== undefined, b.worked !== undefined) ||
  compare(instantOf(a.worked ?? ""), instantOf(b.worked ?? "")) ||
  compare(a.id, b.id)

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
