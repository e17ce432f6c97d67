import * as Result from "effect/Result"
import { DiskFault } from "../disk/Disk.ts"
import type { NativePort } from "../disk/NativePort.ts"
import { LOCKED_BYTES, type LockRefusal, type Locks } from "./Locks.ts"

/** What the system says of a file system without locks. */
const without: ReadonlySet<string> = new Set(["ENOLCK", "EOPNOTSUPP", "ENOTSUP", "ENOSYS"])

const attempt = <A>(run: () => Result.Result<A, LockRefusal>): Result.Result<A, LockRefusal> => {
  try {
    return run()
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
    return Result.fail({ _tag: without.has(cause.code) ? "Unsupported" : "Unavailable", system: cause.code })
  }
}

/**
 * Locks of the native port, on the very bytes that SQLite locks: a process with these and one with those of SQLite exclude each
 * other. A lock takes one descriptor and nothing else, where one of SQLite takes some 9 KB.
 */
export const nativeLocks = (port: NativePort): Locks => ({
  take: (path) =>
    attempt(() => {
      const lock = port.lock(path, LOCKED_BYTES)
      return lock === undefined ? Result.fail({ _tag: "Busy" }) : Result.succeed(lock)
    }),
  isFree: (path) => attempt(() => Result.succeed(!port.isLocked(path, LOCKED_BYTES))),
})
