/**
 * What the kernel can do and `node:fs` cannot: locks that belong to an open file, renames that never replace or that swap, and lists of
 * further rights. Optional: everything works without it (see PlainPort and the locks of SQLite), and both are held to one suite.
 * Linux only.
 */
import { type Disk, DiskFault } from "./Disk.ts"

/** A stretch of a file, in bytes. It may lie beyond the end. */
export interface ByteRange {
  readonly start: number
  readonly length: number
}

/** Whether somebody other than the mode bits say has rights to a file. */
export type AccessList =
  /** Nobody has. */
  | "none"
  /** The file has a list that names further users or groups. */
  | "extended"
  /** The file system has no such lists, or they cannot be read here. */
  | "unknown"

/** Renames and rights. All of them throw a DiskFault with the system's code. */
export interface NamePort {
  /** Gives a file another name unless that is taken: `EEXIST`, and nothing has changed. Not durable. */
  readonly renameNew: (from: string, to: string) => void
  /** Swaps what two names stand for, in one step. `ENOTSUP` where that cannot be done in one step. Not durable. */
  readonly exchange: (one: string, other: string) => void
  /** Looks for a list of further rights, not following a final link. `ENOENT` for a missing file. */
  readonly accessList: (path: string) => AccessList
}

/** An exclusive lock that belongs to one opening of a file. It ends with `close` or with the process, and with nothing else. */
export interface ByteLock {
  readonly close: () => void
}

export interface NativePort extends NamePort {
  /**
   * Locks a stretch of an existing file, at once or not at all: undefined when anybody holds any of it, in this process or another, by
   * such a lock or by one of `fcntl`. Throws a DiskFault, `ENOLCK` or `EOPNOTSUPP` where the file system has no locks.
   */
  readonly lock: (path: string, range: ByteRange) => ByteLock | undefined
  /** Whether anybody holds any of a stretch. Takes nothing. */
  readonly isLocked: (path: string, range: ByteRange) => boolean
}

/** Why there is no native port. Everything works without one. */
export class NativeError extends Error {
  readonly _tag = "NativeError"
  readonly code = "native.unavailable"

  constructor(why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause })
    this.name = "NativeError"
  }
}

/** The renames and rights of `node:fs`: what stands in where there is no native port. */
export const plainPort = (disk: Disk): NamePort => ({
  // Two steps: a crash between them leaves both names.
  renameNew: (from, to) => {
    disk.link(from, to)
    disk.unlink(from)
  },
  exchange: (one) => {
    throw new DiskFault("exchange", one, "ENOTSUP")
  },
  // Where the group has no right, a list grants none either: the group's bits are its mask.
  accessList: (path) => {
    const stat = disk.lstat(path)
    if (stat === undefined) throw new DiskFault("accessList", path, "ENOENT")
    return (stat.mode & 0o070) === 0 ? "none" : "unknown"
  },
})
