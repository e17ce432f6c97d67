/**
 * The sessions in directories, of either kind, newest first.
 *
 * The order is that of the work: the time of the last record, which the end of a file tells, and which of a ledger must not be a title.
 * Where no record tells, the time of the file does. Only the sessions that are listed are read as a whole.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Disk, DiskFault, type Handle } from "../disk/Disk.ts"
import { Files } from "../disk/Files.ts"
import { ReadError } from "../journal/Reader.ts"
import { summarise as summariseState } from "../ledger/Summary.ts"
import { isObject, ownString } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { loadLedger } from "../session/LedgerLoad.ts"
import { ENDING } from "../session/LedgerRoom.ts"
import { loadTree } from "../session/Load.ts"
import type { Listed, Omitted } from "../view/ListView.ts"
import { summarise } from "../view/Summary.ts"
import { kindOf } from "./Kind.ts"

export interface Listing {
  readonly sessions: ReadonlyArray<Listed>
  readonly omitted: ReadonlyArray<Omitted>
  /** Files beyond the limit, which were not read. */
  readonly more: number
}

export interface Place {
  readonly directory: string
  /** Only the sessions in it that are about this directory. */
  readonly cwd: string | undefined
}

export interface ListingOptions {
  readonly places: ReadonlyArray<Place>
  readonly limit: number
}

/** A file that may be a session, and when it was worked on, in milliseconds since the epoch. */
interface Candidate {
  readonly path: string
  readonly cwd: string | undefined
  readonly size: number
  readonly when: number
}

/** Bytes of the end of a file that are looked at first, and at most. */
const END_BYTES = 65_536
const MAX_END_BYTES = 16 * END_BYTES

/** When the record on a line was written: a record of a ledger that is work, or one of a tree. Undefined for what is neither. */
const timeOn = (line: string): number | undefined => {
  try {
    const value = parseJson(line)
    if (!isObject(value) || (ownString(value, "t") !== undefined && ownString(value, "type") === "title")) return undefined
    const time = Date.parse(ownString(value, "t") ?? ownString(value, "timestamp") ?? "")
    return Number.isNaN(time) ? undefined : time
  } catch {
    return undefined
  }
}

const endOf = (disk: Disk, handle: Handle, size: number, length: number): string => {
  const bytes = new Uint8Array(length)
  let read = 0
  for (let n = -1; n !== 0 && read < length; read += n) n = disk.read(handle, bytes.subarray(read), size - length + read)
  return new TextDecoder().decode(bytes.subarray(0, read))
}

/** The time of the last record that tells one, from the end of the file. */
const lastTime = (disk: Disk, path: string, size: number): number | undefined => {
  const handle = disk.open(path, "read")
  try {
    const most = Math.min(size, MAX_END_BYTES)
    for (let length = Math.min(size, END_BYTES); ; length = Math.min(most, length * 2)) {
      const lines = endOf(disk, handle, size, length).split("\n").reverse()
      for (const line of lines) {
        const time = timeOn(line)
        if (time !== undefined) return time
      }
      if (length === most) return undefined
    }
  } finally {
    disk.close(handle)
  }
}

/** A file as it stands in a directory. What cannot be looked at is left out with its code; what is gone meanwhile is nothing. */
const lookedAt = (disk: Disk, path: string, cwd: string | undefined): Candidate | Omitted | undefined => {
  try {
    const stat = disk.lstat(path)
    if (stat === undefined) return undefined
    if (stat.kind !== "file") return { path, code: "read.not_a_file" }
    const size = Number(stat.size)
    return { path, cwd, size, when: lastTime(disk, path, size) ?? Number(stat.modified / 1_000_000n) }
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
    return cause.code === "ENOENT" ? undefined : { path, code: "read.unreadable" }
  }
}

/** What may be a session in a directory; nothing when it is not there. */
const candidatesIn = (disk: Disk, { directory, cwd }: Place): Effect.Effect<ReadonlyArray<Candidate | Omitted>, ReadError> =>
  Effect.suspend((): Effect.Effect<ReadonlyArray<Candidate | Omitted>, ReadError> => {
    try {
      if (disk.lstat(directory) === undefined) return Effect.succeed([])
      const names = disk.list(directory).filter((name) => name.endsWith(ENDING) && !name.startsWith("."))
      return Effect.succeed(names.flatMap((name) => lookedAt(disk, join(directory, name), cwd) ?? []))
    } catch (cause) {
      if (!(cause instanceof DiskFault)) throw cause
      return Effect.fail(
        new ReadError({ path: directory, reason: { _tag: "Unreadable", code: "read.unreadable", system: cause.code } }),
      )
    }
  })

const listedLedger = Effect.fnUntraced(function* ({ path, size }: Candidate) {
  const { state, damages } = yield* loadLedger(yield* Files, path)
  const { id, title, root, created, worked, messages, model, turns, costUsd, costIncomplete } = summariseState(state)
  return {
    id: id ?? "",
    path,
    format: "ledger",
    title: title === "" ? null : title,
    cwd: root ?? null,
    created: created ?? null,
    modified: worked ?? null,
    messageCount: messages,
    messageCountIsEstimate: false,
    ...(model === undefined ? {} : { model }),
    turns,
    cost: { ...(costUsd === undefined ? {} : { usd: costUsd }), incomplete: costIncomplete },
    size,
    damages: damages.length,
  } satisfies Listed
})

const listedTree = Effect.fnUntraced(function* ({ path, size }: Candidate) {
  const loaded = yield* loadTree(yield* Files, path)
  // Bytes of which nothing can be read are no session, whatever else they are.
  if (loaded.records === 0) return { path, code: "format.not_a_session" } satisfies Omitted
  const { id, title, cwd, created, modified, model, counts, starred, cost } = summarise(loaded)
  return {
    id,
    path,
    format: "tree",
    title,
    cwd,
    created,
    modified,
    messageCount: counts.messages,
    messageCountIsEstimate: false,
    ...(model === null ? {} : { model }),
    starred,
    cost,
    size,
    damages: loaded.damages.length,
  } satisfies Listed
})

/** A session as it is listed, or why the file is none. */
const listed = (candidate: Candidate): Effect.Effect<Listed | Omitted, never, Files> => {
  const { path, size } = candidate
  if (size === 0) return Effect.succeed({ path, code: "format.empty" })
  return Effect.gen(function* (): Effect.fn.Return<Listed | Omitted, { readonly reason: { readonly code: string } }, Files> {
    return yield* (yield* kindOf(path, Option.none())) === "ledger" ? listedLedger(candidate) : listedTree(candidate)
  }).pipe(Effect.catch(({ reason }) => Effect.succeed({ path, code: reason.code })))
}

/** The sessions of directories. One that is not there has none. Cost: the end of each file, and the listed ones as a whole. */
export const listing = Effect.fnUntraced(function* ({ places, limit }: ListingOptions) {
  const disk = yield* Files
  const found = (yield* Effect.forEach(places, (place) => candidatesIn(disk, place))).flat()
  const candidates = found.filter((one) => "when" in one).sort((a, b) => b.when - a.when || (a.path < b.path ? 1 : -1))
  const omitted: Array<Omitted> = found.filter((one) => "code" in one)
  const sessions: Array<Listed> = []
  let read = 0
  for (const candidate of candidates) {
    if (sessions.length >= limit) break
    read++
    const one = yield* listed(candidate)
    if ("code" in one) omitted.push(one)
    else if (candidate.cwd === undefined || one.cwd === candidate.cwd) sessions.push(one)
  }
  return { sessions, omitted, more: candidates.length - read } satisfies Listing
})
