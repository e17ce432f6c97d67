import { basename, dirname, join } from "node:path"
import * as Result from "effect/Result"
import { createFile } from "../disk/Atomic.ts"
import type { FileStat } from "../disk/Disk.ts"
import { DiskFault } from "../disk/Disk.ts"
import { nodeDisk } from "../disk/NodeDisk.ts"
import type { LockRefusal, Locks } from "./Locks.ts"

/**
 * The lock of a session: an exclusive lock that the kernel holds for a process and drops when the process ends, however it ends.
 *
 * It is a lock on an empty file beside the session (see Locks for the ways to take it). Nothing else ever opens the file; and it is
 * never removed, because a second file of the same name would be a second lock.
 */

export interface KernelLock {
  /** The inode of the locked file. */
  readonly file: string
  /** Gives the lock back. */
  readonly release: () => void
}

const unavailable = (system: string): Result.Result<never, LockRefusal> => Result.fail({ _tag: "Unavailable", system })

/** Another process may replace the file while it is being locked, which no sane program does for ever. */
const attempts = 4

/** The name under which the lock file is made before it gets its own. `attempt` must be unique. */
const temporaryOf = (path: string, attempt: string): string => `${basename(path)}.${attempt}.tmp`

/** The lock file, made when it is missing. It gets its name only after its descriptor was closed. */
const lockFile = (path: string, attempt: string): FileStat => {
  const found = nodeDisk.lstat(path)
  if (found === undefined) {
    const made = createFile(nodeDisk, path, () => {}, { temporaryName: temporaryOf(path, attempt) })
    if (Result.isFailure(made) && made.failure.reason._tag !== "Taken") {
      const { reason } = made.failure
      throw "fault" in reason ? reason.fault : made.failure
    }
  }
  const stat = found ?? nodeDisk.lstat(path)
  if (stat === undefined) throw new DiskFault("lstat", path, "ENOENT")
  if (stat.kind !== "file") throw new DiskFault("open", path, "ENOTREG")
  return stat
}

const isSame = (a: FileStat, b: FileStat | undefined): boolean => a.device === b?.device && a.inode === b.inode

/** What a fault of the disk means for a lock. */
const refusalOf = (cause: unknown): Result.Result<never, LockRefusal> => {
  if (cause instanceof DiskFault) return unavailable(cause.code)
  throw cause
}

/**
 * Takes the lock that a path stands for, without waiting. `attempt` is a name that no other attempt uses.
 * Cost: a few system calls; the first time in a directory also two syncs.
 */
export const takeKernelLock = (locks: Locks, path: string, attempt: string): Result.Result<KernelLock, LockRefusal> => {
  try {
    for (let i = 0; i < attempts; i++) {
      const before = lockFile(path, attempt)
      const taken = locks.take(path)
      if (Result.isFailure(taken)) return Result.fail(taken.failure)
      // A name that points at another file by now would leave us with a lock that nobody else asks for.
      if (isSame(before, nodeDisk.lstat(path))) return Result.succeed({ file: `${before.inode}`, release: taken.success.close })
      taken.success.close()
    }
    return unavailable("ECHANGED")
  } catch (cause) {
    return refusalOf(cause)
  }
}

/** The inode of the lock file, or undefined when no such file can be seen. Opens nothing. */
export const lockFileOf = (path: string): string | undefined => {
  try {
    const stat = nodeDisk.lstat(path)
    return stat?.kind === "file" ? `${stat.inode}` : undefined
  } catch (cause) {
    if (cause instanceof DiskFault) return undefined
    throw cause
  }
}

/**
 * Asks whether somebody holds the lock, without taking it and without changing a byte.
 * A lock without a file is free.
 */
export const isKernelLockFree = (locks: Locks, path: string): Result.Result<boolean, LockRefusal> => {
  try {
    const stat = nodeDisk.lstat(path)
    if (stat === undefined) return Result.succeed(true)
    if (stat.kind !== "file") return unavailable("ENOTREG")
    return locks.isFree(path)
  } catch (cause) {
    return refusalOf(cause)
  }
}

/**
 * Whether locks exclude each other in a directory: of two attempts at a file there the second must be refused while the first holds
 * the lock, and get it afterwards. Makes the file and removes it. Fails when no file can be made there. It finds file systems that refuse locks;
 * one that grants everything to everybody would have to be asked from two processes.
 */
export const tryLocks = (locks: Locks, directory: string, attempt: string): Result.Result<boolean, LockRefusal> => {
  const path = join(directory, `.annals.${attempt}.probe`)
  try {
    nodeDisk.close(nodeDisk.open(path, "create"))
    try {
      return doExclude(locks, path)
    } finally {
      nodeDisk.unlink(path)
    }
  } catch (cause) {
    return refusalOf(cause)
  }
}

/** Nobody else knows the file, so a first lock that is busy was refused by the file system: SQLite calls that busy, too. */
const doExclude = ({ take }: Locks, path: string): Result.Result<boolean, LockRefusal> => {
  const first = take(path)
  if (Result.isFailure(first)) return first.failure._tag === "Unavailable" ? Result.fail(first.failure) : Result.succeed(false)
  const second = take(path)
  first.success.close()
  if (Result.isSuccess(second)) {
    second.success.close()
    return Result.succeed(false)
  }
  if (second.failure._tag === "Unavailable") return Result.fail(second.failure)
  const third = take(path)
  if (Result.isSuccess(third)) third.success.close()
  return Result.succeed(second.failure._tag === "Busy" && Result.isSuccess(third))
}

/** Where the lock of a session file lies: beside it. */
export const lockPathOf = (path: string): string => join(dirname(path), `.${basename(path)}.lock`)
