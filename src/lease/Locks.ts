import type * as Result from "effect/Result"

/**
 * Ways to lock a file for one process, exclusively, so that the kernel drops the lock when the process ends, however it ends. A way
 * excludes other processes, other process spaces of the same machine, other threads, and another lock of the same process. All ways
 * that are used for one file must exclude each other.
 */
export interface Locks {
  /** Locks an existing file, at once or not at all. */
  readonly take: (path: string) => Result.Result<{ readonly close: () => void }, LockRefusal>
  /** Whether nobody holds the lock of an existing file. Changes no byte; it may keep others from taking the lock for a moment. */
  readonly isFree: (path: string) => Result.Result<boolean, LockRefusal>
}

export type LockRefusal =
  /** Another one holds it. */
  | { readonly _tag: "Busy" }
  /** It cannot be made or taken here: the system's error code, or what SQLite says. */
  | { readonly _tag: "Unavailable"; readonly system: string }
  /** The file system has no locks. */
  | { readonly _tag: "Unsupported"; readonly system: string }

/** The bytes that SQLite locks, and that every other way must lock: pending, reserved, and shared. An exclusive lock has all of them. */
export const LOCKED_BYTES = { start: 0x4000_0000, length: 512 }
