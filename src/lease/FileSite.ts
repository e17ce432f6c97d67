import { randomUUID } from "node:crypto"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { DiskFault } from "../disk/Disk.ts"
import { nodeDisk } from "../disk/NodeDisk.ts"
import { claimEvidence, evidenceFileOf, readEvidence, replaceEvidence } from "./EvidenceFile.ts"
import { isKernelLockFree, lockFileOf, lockPathOf, takeKernelLock, tryLocks } from "./KernelLock.ts"
import type { LockRefusal, Locks } from "./Locks.ts"
import { observe } from "./Observation.ts"
import type { Identity } from "./Owner.ts"
import type { Site } from "./Site.ts"
import { type System, tableOf, thisProcess } from "./ThisProcess.ts"

/** Leases as files beside the sessions. */

export interface FileSiteOptions {
  /** Takes secrets out of the machine's name. */
  readonly clean: (text: string) => string
  /** The machine as it is seen. By default the one this runs on. */
  readonly system?: System | undefined
  /** The way to lock. By default that of SQLite, which `node:sqlite` is loaded for. */
  readonly locks?: Locks | undefined
  /** Gives the lease also where other users could put something else in the file's place. By default it is refused (`lease.unsafe`). */
  readonly unsafePlaces?: boolean | undefined
  /** The number of the user who writes. By default that of the process. */
  readonly user?: number | undefined
}

/** Of this isolate, however many sites it has. */
const held = new Set<string>()

/** What was found out about locks, by device: it is a property of the file system. */
type Known = Map<bigint, boolean>

const deviceOf = (path: string): Result.Result<bigint, LockRefusal> => {
  try {
    // With the slash behind it a link to a directory is followed.
    const stat = nodeDisk.lstat(`${dirname(path)}/.`)
    return stat === undefined ? Result.fail({ _tag: "Unavailable", system: "ENOENT" }) : Result.succeed(stat.device)
  } catch (cause) {
    if (cause instanceof DiskFault) return Result.fail({ _tag: "Unavailable", system: cause.code })
    throw cause
  }
}

/** The leases of the machine's files, taken by a process. `known` remembers where locks work. */
const fileSite = (locks: Locks, self: Identity, options: Pick<FileSiteOptions, "system">, known: Known): Site => {
  const table = tableOf(options.system)
  const doLocksWork: Site["doLocksWork"] = (path) =>
    Result.flatMap(deviceOf(path), (device) => {
      const found = known.get(device)
      if (found !== undefined) return Result.succeed(found)
      const tried = tryLocks(locks, dirname(path), randomUUID())
      if (Result.isSuccess(tried)) known.set(device, tried.success)
      return tried
    })
  const lockFile: Site["lockFile"] = (path) => lockFileOf(lockPathOf(path))
  return {
    self,
    held,
    step: Effect.sync,
    pause: Effect.sleep("5 millis"),
    doLocksWork,
    lock: (path, attempt) => takeKernelLock(locks, lockPathOf(path), attempt),
    isLockFree: (path) =>
      Result.flatMap(deviceOf(path), (device) => {
        if (known.get(device) === false) return Result.succeed(undefined)
        const free = isKernelLockFree(locks, lockPathOf(path))
        return Result.isFailure(free) && free.failure._tag === "Unsupported" ? Result.succeed(undefined) : free
      }),
    lockFile,
    evidence: (path) => readEvidence(path, lockFile(path) !== undefined),
    claim: claimEvidence,
    replace: replaceEvidence,
    guard: (path, number, lock) =>
      lock === undefined
        ? { present: evidenceFileOf(path, number), absent: evidenceFileOf(path, number + 1) }
        : { present: lockPathOf(path), inode: BigInt(lock) },
    observe: (owner) => observe(owner, self, table, (attempt) => held.has(attempt)),
  }
}

const isSame = (a: Identity, b: Identity): boolean => (Object.keys(a) as Array<keyof Identity>).every((key) => a[key] === b[key])

/**
 * Gives the site for each lease. A process may change its space while it lives, so it looks at itself anew each time; as long as it is
 * the same, leases share one site and what it says of itself: a thousand of them are held at once.
 */
export const fileSites = (options: Pick<FileSiteOptions, "clean" | "system">): ((locks: Locks) => Site) => {
  const known: Known = new Map()
  let last: { readonly locks: Locks; readonly site: Site } | undefined
  return (locks) => {
    const self = thisProcess(options.clean, options.system)
    if (last === undefined || last.locks !== locks || !isSame(self, last.site.self))
      last = { locks, site: fileSite(locks, self, options, known) }
    return last.site
  }
}
