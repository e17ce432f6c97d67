import { basename, dirname, join } from "node:path"
import * as Result from "effect/Result"
import { createFile } from "../disk/Atomic.ts"
import type { FileStat } from "../disk/Disk.ts"
import { DiskFault } from "../disk/Disk.ts"
import { nodeDisk } from "../disk/NodeDisk.ts"

/**
 * An exclusive lock that the kernel holds for a process and drops when the process ends, however it ends.
 *
 * It is SQLite's lock on an empty file, taken with `BEGIN EXCLUSIVE`: it excludes other processes, other process spaces of the same
 * machine, and other connections of the same process. The kernel forgets such a lock as soon as the process closes any descriptor
 * of the file, so nothing else may ever open it; and it is never removed, because a second file of the same name would be a
 * second lock.
 */

type Sqlite = typeof import("node:sqlite")

export interface KernelLock {
  /** Gives the lock back. */
  readonly release: () => void
}

export type LockRefusal =
  /** Another one holds it. */
  | { readonly _tag: "Busy" }
  /** It cannot be made or taken here: the system's error code, or what SQLite says. */
  | { readonly _tag: "Unavailable"; readonly system: string }

const unavailable = (system: string): Result.Result<never, LockRefusal> => Result.fail({ _tag: "Unavailable", system })

/** Another process may replace the file while it is being locked, which no sane program does for ever. */
const attempts = 4

/** SQLite's primary result codes for a lock that another connection holds. */
const busyCodes: ReadonlySet<number> = new Set([5, 6])

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

/** Takes the lock of a file, or says at once why not. */
const lock = (sqlite: Sqlite, path: string): Result.Result<KernelLock, LockRefusal> => {
  let database: InstanceType<Sqlite["DatabaseSync"]> | undefined
  try {
    database = new sqlite.DatabaseSync(path)
    // The journal of a transaction that never writes stays in memory: no second file.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
  } catch (cause) {
    database?.close()
    if (!(cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number")) throw cause
    return busyCodes.has(cause.errcode & 0xff) ? Result.fail({ _tag: "Busy" }) : unavailable(cause.message)
  }
  const held = database
  return Result.succeed({ release: () => held.close() })
}

/**
 * Takes the lock that a path stands for, without waiting. `attempt` is a name that no other attempt uses.
 * Cost: a few system calls; the first time in a directory also two syncs.
 */
export const takeKernelLock = (sqlite: Sqlite, path: string, attempt: string): Result.Result<KernelLock, LockRefusal> => {
  try {
    for (let i = 0; i < attempts; i++) {
      const before = lockFile(path, attempt)
      const taken = lock(sqlite, path)
      // A name that points at another file by now would leave us with a lock that nobody else asks for.
      if (Result.isFailure(taken) || isSame(before, nodeDisk.lstat(path))) return taken
      taken.success.release()
    }
    return unavailable("ECHANGED")
  } catch (cause) {
    if (cause instanceof DiskFault) return unavailable(cause.code)
    throw cause
  }
}

/** Where the lock of a session file lies: beside it. */
export const lockPathOf = (path: string): string => join(dirname(path), `.${basename(path)}.lock`)
