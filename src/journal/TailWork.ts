/**
 * Carries out what the end of a journal needs before the first append: the only change that opening for writing makes to a file.
 *
 * A torn tail is put aside before it is cut: its bytes are in a quarantine file beside the journal, durable under their name, before
 * the journal gets shorter. A crash between any two steps leaves a state from which the same plan gets made again, and the quarantine
 * file has a name that says what is in it, so doing the work twice leaves one copy.
 */
import { basename, dirname, join } from "node:path"
import { crc32 } from "node:zlib"
import * as Result from "effect/Result"
import { createFile, replaceFile } from "../disk/Atomic.ts"
import { type Disk, DiskFault, type Handle } from "../disk/Disk.ts"
import { writeAll } from "../disk/WriteAll.ts"
import { READ_CHUNK_BYTES } from "../model/Limits.ts"
import type { Identity } from "./Reader.ts"
import type { TailPlan } from "./Tail.ts"

export interface TailDone {
  /** The file's length in bytes: durable, and at a line boundary. */
  readonly length: number
  /** Where the cut bytes are now. */
  readonly quarantine: string | undefined
}

const NEWLINE = new Uint8Array([0x0a])

/** The name of the quarantine file for a stretch of a journal; another one with a sum of the bytes when that holds other bytes. */
export const quarantineName = (path: string, from: number, to: number): string => `${basename(path)}.quarantine-${from}-${to}`

const isSame = (a: Identity, b: Identity): boolean =>
  a.device === b.device && a.inode === b.inode && a.size === b.size && a.modified === b.modified

/**
 * Brings the file to a line boundary. `expected` is the file as the plan was made for it; with another one nothing is done.
 *
 * @throws DiskFault what the disk refused, or `ECHANGED`. The file then still holds every byte, or the quarantine does.
 */
export const carryOutTail = (disk: Disk, path: string, expected: Identity, plan: TailPlan): TailDone => {
  const handle = disk.open(path, "append")
  try {
    const stat = disk.stat(handle)
    if (!isSame(stat, expected)) throw new DiskFault("stat", path, "ECHANGED")
    return carryOut(disk, handle, plan, stat.size)
  } finally {
    disk.close(handle)
  }
}

const carryOut = (disk: Disk, handle: Handle, plan: TailPlan, size: number): TailDone => {
  switch (plan._tag) {
    case "Refuse":
      throw new DiskFault("open", handle.path, "ENOTSESSION")
    case "Ready":
      // What an earlier process wrote may still be in the cache only; acknowledgements from here on cover everything before them.
      disk.sync(handle)
      return { length: size, quarantine: undefined }
    case "AddNewline":
      return { length: addNewline(disk, handle, size), quarantine: undefined }
    case "CutTail": {
      const quarantine = putAside(disk, handle, plan.from, plan.to)
      disk.truncate(handle, plan.from)
      if (plan.addNewline) return { length: addNewline(disk, handle, plan.from), quarantine }
      disk.sync(handle)
      return { length: plan.from, quarantine }
    }
  }
}

const addNewline = (disk: Disk, handle: Handle, size: number): number => {
  writeAll(disk, handle, NEWLINE)
  disk.sync(handle)
  return size + 1
}

const putAside = (disk: Disk, handle: Handle, from: number, to: number): string => {
  const { path } = handle
  const name = quarantineName(path, from, to)
  const at = (own: string): string => join(dirname(path), own)
  const isThere = (own: string): boolean => holds(disk, at(own), content(disk, handle, from, to))
  // The first name may hold what stood in this place before a power cut changed it; that stays as well.
  const isTaken = disk.lstat(at(name)) !== undefined && !isThere(name)
  const chosen = isTaken ? `${name}.${sumOf(content(disk, handle, from, to))}.quarantine` : name
  // Whoever made one that is there may have died before it was durable, or the disk may have refused to make it so: it is made anew.
  const expect = isThere(chosen) ? disk.lstat(at(chosen)) : undefined
  const temporaryName = `.${name}.tmp`
  if (disk.lstat(at(temporaryName)) !== undefined) disk.unlink(at(temporaryName))
  const copy = (put: (bytes: Uint8Array) => void) => {
    for (const bytes of content(disk, handle, from, to)) put(bytes)
  }
  const made =
    expect === undefined
      ? createFile(disk, at(chosen), copy, { temporaryName })
      : replaceFile(disk, at(chosen), copy, { temporaryName, expect })
  if (Result.isSuccess(made)) return at(chosen)
  const { reason } = made.failure
  throw "fault" in reason ? reason.fault : new DiskFault("link", at(chosen), reason._tag === "Taken" ? "EEXIST" : "ECHANGED")
}

/** CRC-32 in eight hex digits. */
const sumOf = (pieces: Iterable<Uint8Array>): string => {
  let sum = 0
  for (const bytes of pieces) sum = crc32(bytes, sum)
  return sum.toString(16).padStart(8, "0")
}

/** True when the quarantine file is there already, with this very content. */
const holds = (disk: Disk, quarantine: string, wanted: Iterable<Uint8Array>): boolean => {
  const stat = disk.lstat(quarantine)
  if (stat === undefined || stat.kind !== "file") return false
  const kept = disk.open(quarantine, "read")
  try {
    let done = 0
    const buffer = new Uint8Array(READ_CHUNK_BYTES)
    for (const bytes of wanted) {
      const count = disk.read(kept, buffer.subarray(0, bytes.length), done)
      if (count !== bytes.length || bytes.some((byte, index) => byte !== buffer[index])) return false
      done += count
    }
    return done === stat.size
  } finally {
    disk.close(kept)
  }
}

/**
 * What the quarantine file gets: the bytes. Only a run of zero bytes, which may be as long as the disk is large, is put down as a note
 * that says everything there is to say about it.
 */
function* content(disk: Disk, handle: Handle, from: number, to: number): Generator<Uint8Array> {
  let isNul = true
  for (const bytes of stretch(disk, handle, from, to)) {
    isNul = bytes.every((byte) => byte === 0)
    if (!isNul) break
  }
  if (isNul) yield new TextEncoder().encode(`${JSON.stringify({ offset: from, length: to - from, kind: "nul-run" })}\n`)
  else yield* stretch(disk, handle, from, to)
}

function* stretch(disk: Disk, handle: Handle, from: number, to: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(Math.min(READ_CHUNK_BYTES, to - from))
  for (let position = from; position < to; ) {
    const count = disk.read(handle, buffer.subarray(0, Math.min(buffer.length, to - position)), position)
    if (count === 0) throw new DiskFault("read", handle.path, "ECHANGED")
    yield buffer.subarray(0, count)
    position += count
  }
}
