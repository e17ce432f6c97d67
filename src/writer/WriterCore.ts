/**
 * The machine that puts parts on a disk. It runs in the writer thread over real files, and in the laws over a simulated disk.
 *
 * What it guarantees, per file:
 * - Parts are carried out one after the other, in the order in which they came.
 * - One write call for the whole lines of a part (more only when the system takes fewer bytes), then one sync, then the outcome.
 * - A failed write is taken back by truncating to the length before the part. Only when that fails too is the file `torn`.
 * - After a failed sync the file is closed and never appended to again by this machine, until it is replaced as a whole.
 * - It never writes behind bytes it does not know: length and identity are checked before each part, and so is the guard, which says
 *   whether the lease is still the writer's own.
 *
 * Between files: a sync is started, and the machine goes on with other files until it hears how it ended (`disk/Syncs.ts`). So a file that
 * fails, or whose sync takes long, neither fails another one nor holds it up. Only a replacement, which is a recovery, blocks.
 *
 * It never throws.
 */
import { basename, dirname, join } from "node:path"
import * as Result from "effect/Result"
import { replaceFile } from "../disk/Atomic.ts"
import { type Disk, DiskFault, type FileStat, type Handle } from "../disk/Disk.ts"
import { demandGuard } from "../disk/Guard.ts"
import { blockingSyncs, type Syncs } from "../disk/Syncs.ts"
import { writeAll } from "../disk/WriteAll.ts"
import { READ_CHUNK_BYTES } from "../model/Limits.ts"
import type { Certainty, Identity, Outcome, Part, Reply, Request } from "./Protocol.ts"

export interface WriterCore {
  /** Carries parts out. The outcome of each is told once: meanwhile, or when its sync has ended. */
  readonly commit: (parts: ReadonlyArray<Part>, settled: (outcome: Outcome) => void) => void
  /** Gives the descriptors of files back, once what is under way has ended. */
  readonly release: (files: ReadonlyArray<number>) => void
  /** Carries a request out to its end, over syncs that block. */
  readonly run: (request: Request) => Reply
}

/** A refusal of the machine itself: the file is not the one, or not as long, as the part says. */
const CHANGED = "ECHANGED"

interface OpenFile {
  readonly handle: Handle
  readonly identity: Identity
}

/** What the steps of a part work with. */
interface Machine {
  readonly disk: Disk
  readonly syncs: Syncs
  readonly files: Map<number, OpenFile>
}

type Told = (outcome: Outcome) => void

/** Something to do with a file, and how it says that it is done. */
type Job = (leave: () => void) => void

/** Does with each file one thing after the other. */
const makeLanes = (): ((file: number, job: Job) => void) => {
  const busy = new Map<number, Array<Job>>()
  const leave = (file: number): void => {
    const next = busy.get(file)?.shift()
    if (next === undefined) busy.delete(file)
    else next(() => leave(file))
  }
  return (file, job) => {
    const waiting = busy.get(file)
    if (waiting !== undefined) {
      waiting.push(job)
      return
    }
    busy.set(file, [])
    job(() => leave(file))
  }
}

export const makeWriterCore = (disk: Disk, syncs: Syncs = blockingSyncs(disk)): WriterCore => {
  const files = new Map<number, OpenFile>()
  const machine = { disk, syncs, files }
  const inLane = makeLanes()
  const commit: WriterCore["commit"] = (parts, settled) => {
    for (const part of parts)
      inLane(part.file, (leave) => {
        const told = (outcome: Outcome): void => {
          settled(outcome)
          leave()
        }
        if (part.mode === "replace") told(replace(disk, files, part))
        else append(machine, part, told)
      })
  }
  const release: WriterCore["release"] = (released) => {
    for (const file of released)
      inLane(file, (leave) => {
        forget(disk, files, file)
        leave()
      })
  }
  return {
    commit,
    release,
    run: (request) => {
      const outcomes: Array<Outcome> = []
      if (request.kind === "release") release(request.files)
      else commit(request.parts, (outcome) => void outcomes.push(outcome))
      return { outcomes }
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

const append = (machine: Machine, part: Part, told: Told): void => {
  const { disk, files } = machine
  let open: OpenFile
  let there: number
  try {
    open = openFile(disk, files, part)
    there = bytesThere(disk, open.handle, part)
  } catch (fault) {
    forget(disk, files, part.file)
    told(failed(part, part.mode === "resume" ? "torn" : "not-written", fault))
    return
  }
  try {
    if (there < part.bytes.length) writeAll(disk, open.handle, part.bytes.subarray(there))
  } catch (fault) {
    takeBack(machine, part, open, fault, told)
    return
  }
  finish(machine, part, open, told)
}

/** After a failed write: the file goes back to the length before the part, durably, or is torn. The first fault is the one told. */
const takeBack = ({ disk, syncs, files }: Machine, part: Part, open: OpenFile, fault: unknown, told: Told): void => {
  const outcome = failed(part, "not-written", fault)
  const end = (certainty: Certainty): void => {
    forget(disk, files, part.file)
    told({ ...outcome, certainty })
  }
  let isCut = false
  try {
    disk.truncate(open.handle, part.at)
    isCut = disk.stat(open.handle).size === part.at
  } catch (second) {
    failed(part, "torn", second)
  }
  if (isCut)
    syncs.start(open.handle, (third) => end(third === undefined ? "not-written" : failed(part, "uncertain", third).certainty))
  else end("torn")
}

const finish = ({ disk, syncs, files }: Machine, part: Part, open: OpenFile, told: Told): void => {
  const { file, at, bytes, sync } = part
  const done: Outcome = { ok: true, file, length: at + bytes.length, synced: sync, identity: open.identity }
  if (!sync) {
    told(done)
    return
  }
  syncs.start(open.handle, (fault) => {
    const outcome = fault === undefined ? done : failed(part, "uncertain", fault)
    if (!outcome.ok) forget(disk, files, file)
    told(outcome)
  })
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
