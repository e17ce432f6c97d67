/**
 * The machine that puts batches on a disk. It runs in the writer thread over real files, and in the laws over a simulated disk.
 *
 * What it guarantees, per file:
 * - One write call for the whole lines of a part (more only when the system takes fewer bytes), then one sync, then the outcome.
 * - A failed write is taken back by truncating to the length before the part. Only when that fails too is the file `torn`.
 * - After a failed sync the file is closed and never appended to again by this machine, until it is replaced as a whole.
 * - It never writes behind bytes it does not know: length and identity are checked before each part, and so is the guard, which says
 *   whether the lease is still the writer's own.
 * - A failing file does not fail or delay the outcome of another one beyond its own system calls.
 *
 * It never throws.
 */
import { basename, dirname, join } from "node:path"
import * as Result from "effect/Result"
import { replaceFile } from "../disk/Atomic.ts"
import { type Disk, DiskFault, type FileStat, type Handle } from "../disk/Disk.ts"
import { demandGuard } from "../disk/Guard.ts"
import { writeAll } from "../disk/WriteAll.ts"
import { READ_CHUNK_BYTES } from "../model/Limits.ts"
import type { Certainty, Identity, Outcome, Part, Reply, Request } from "./Protocol.ts"

export interface WriterCore {
  readonly run: (request: Request) => Reply
}

/** A refusal of the machine itself: the file is not the one, or not as long, as the part says. */
const CHANGED = "ECHANGED"

interface OpenFile {
  readonly handle: Handle
  readonly identity: Identity
}

export const makeWriterCore = (disk: Disk): WriterCore => {
  const files = new Map<number, OpenFile>()
  const commit = (part: Part): Outcome => (part.mode === "replace" ? replace(disk, files, part) : append(disk, files, part))
  return {
    run: (request) => {
      if (request.kind === "release") {
        for (const file of request.files) forget(disk, files, file)
        return { outcomes: [] }
      }
      return { outcomes: request.parts.map(commit) }
    },
  }
}

const forget = (disk: Disk, files: Map<number, OpenFile>, file: number): void => {
  const open = files.get(file)
  files.delete(file)
  if (open === undefined) return
  try {
    disk.close(open.handle)
  } catch (fault) {
    // The descriptor is gone either way, and closing promises nothing about the bytes: those were synced or reported before.
    if (!(fault instanceof DiskFault)) throw fault
  }
}

/** The failure as data. Anything but a fault of the disk is a bug, and a simulated crash must pass through. */
const failed = (part: Part, certainty: Certainty, fault: unknown): Outcome & { readonly ok: false } => {
  if (!(fault instanceof DiskFault)) throw fault
  return { ok: false, file: part.file, certainty, operation: fault.operation, code: fault.code }
}

const sameIdentity = (a: Identity, b: Identity): boolean => a.device === b.device && a.inode === b.inode

/** The open file of a part, after its guard and its name have been seen to stand still. */
const openFile = (disk: Disk, files: Map<number, OpenFile>, part: Part): OpenFile => {
  demandGuard(disk, part.guard)
  const named = disk.lstat(part.path)
  if (named === undefined || !sameIdentity(named, part.identity)) throw new DiskFault("lstat", part.path, CHANGED)
  const known = files.get(part.file)
  if (known !== undefined && sameIdentity(known.identity, part.identity)) return known
  forget(disk, files, part.file)
  const handle = disk.open(part.path, "append")
  const opened = { handle, identity: part.identity }
  files.set(part.file, opened)
  if (!sameIdentity(disk.stat(handle), part.identity)) throw new DiskFault("open", part.path, CHANGED)
  return opened
}

/** How many of the part's bytes the file already ends with. Throws when the end of the file is anything else. */
const bytesThere = (disk: Disk, handle: Handle, part: Part): number => {
  const present = disk.stat(handle).size - part.at
  if (present === 0) return 0
  if (part.mode !== "resume" || present < 0 || present > part.bytes.length) throw new DiskFault("stat", part.path, CHANGED)
  const buffer = new Uint8Array(Math.min(present, READ_CHUNK_BYTES))
  for (let done = 0; done < present; ) {
    const read = disk.read(handle, buffer.subarray(0, Math.min(buffer.length, present - done)), part.at + done)
    if (read === 0) throw new DiskFault("read", part.path, CHANGED)
    for (let i = 0; i < read; i++) {
      if (buffer[i] !== part.bytes[done + i]) throw new DiskFault("read", part.path, CHANGED)
    }
    done += read
  }
  return present
}

const append = (disk: Disk, files: Map<number, OpenFile>, part: Part): Outcome => {
  let open: OpenFile
  let there: number
  try {
    open = openFile(disk, files, part)
    there = bytesThere(disk, open.handle, part)
  } catch (fault) {
    forget(disk, files, part.file)
    return failed(part, part.mode === "resume" ? "torn" : "not-written", fault)
  }
  try {
    if (there < part.bytes.length) writeAll(disk, open.handle, part.bytes.subarray(there))
  } catch (fault) {
    return takeBack(disk, files, part, open, fault)
  }
  return finish(disk, files, part, open)
}

/** After a failed write: the file goes back to the length before the part, durably, or is torn. The first fault is the one told. */
const takeBack = (disk: Disk, files: Map<number, OpenFile>, part: Part, open: OpenFile, fault: unknown): Outcome => {
  const told = failed(part, "not-written", fault)
  let certainty: Certainty = "torn"
  try {
    disk.truncate(open.handle, part.at)
    if (disk.stat(open.handle).size === part.at) {
      certainty = "uncertain"
      disk.sync(open.handle)
      certainty = "not-written"
    }
  } catch (second) {
    failed(part, certainty, second)
  }
  forget(disk, files, part.file)
  return { ...told, certainty }
}

const finish = (disk: Disk, files: Map<number, OpenFile>, part: Part, open: OpenFile): Outcome => {
  try {
    if (part.sync) disk.sync(open.handle)
  } catch (fault) {
    forget(disk, files, part.file)
    return failed(part, "uncertain", fault)
  }
  const length = part.at + part.bytes.length
  return { ok: true, file: part.file, length, synced: part.sync, identity: open.identity }
}

/**
 * Recovery after a failed sync. The first `at` bytes were synced and can be read back; what came later is in the part. A new file
 * has no failed sync in its past, so its own sync can be believed.
 */
const replace = (disk: Disk, files: Map<number, OpenFile>, part: Part): Outcome => {
  forget(disk, files, part.file)
  try {
    demandGuard(disk, part.guard)
    const named = disk.lstat(part.path)
    if (named === undefined) throw new DiskFault("lstat", part.path, CHANGED)
    if (sameIdentity(named, part.identity)) rebuild(disk, part, named)
    else adopt(disk, part)
    const now = disk.lstat(part.path)
    if (now === undefined) throw new DiskFault("lstat", part.path, CHANGED)
    const identity = { device: now.device, inode: now.inode }
    return { ok: true, file: part.file, length: part.at + part.bytes.length, synced: true, identity }
  } catch (fault) {
    return failed(part, "uncertain", fault)
  }
}

const rebuild = (disk: Disk, part: Part, expect: FileStat): void => {
  const temporary = temporaryName(part)
  const leftover = join(dirname(part.path), temporary)
  // An earlier attempt of this very recovery was cut off here. Nobody else uses the name while the lease is held.
  if (disk.lstat(leftover) !== undefined) disk.unlink(leftover)
  const source = disk.open(part.path, "read")
  try {
    const content = (put: (bytes: Uint8Array) => void) => {
      copy(disk, source, part, put)
      put(part.bytes)
    }
    const done = replaceFile(disk, part.path, content, { temporaryName: temporary, expect })
    if (Result.isFailure(done)) {
      const { reason } = done.failure
      throw "fault" in reason ? reason.fault : new DiskFault("rename", part.path, reason._tag === "Changed" ? CHANGED : "EEXIST")
    }
  } finally {
    disk.close(source)
  }
}

/** The name points at another file. When that is the finished work of an attempt that was cut off, it is taken over as it is. */
const adopt = (disk: Disk, part: Part): void => {
  const handle = disk.open(part.path, "read")
  try {
    if (bytesThere(disk, handle, { ...part, mode: "resume" }) !== part.bytes.length)
      throw new DiskFault("stat", part.path, CHANGED)
    disk.sync(handle)
  } finally {
    disk.close(handle)
  }
  disk.syncDirectory(dirname(part.path))
}

const copy = (disk: Disk, source: Handle, part: Part, put: (bytes: Uint8Array) => void): void => {
  const buffer = new Uint8Array(READ_CHUNK_BYTES)
  for (let done = 0; done < part.at; ) {
    const read = disk.read(source, buffer.subarray(0, Math.min(buffer.length, part.at - done)), done)
    if (read === 0) throw new DiskFault("read", part.path, CHANGED)
    put(buffer.subarray(0, read))
    done += read
  }
}

/** A name in the same directory, told apart from sessions by its leading dot and its ending, and from other attempts by the old inode. */
const temporaryName = (part: Part): string => `.${basename(part.path)}.${part.identity.inode}.recovery.tmp`
