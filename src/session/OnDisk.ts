/** Blocking work on the disk as an effect, its refusals as the typed errors of opening a session. */
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AtomicError } from "../disk/Atomic.ts"
import { ensurePrivateFile } from "../disk/Directory.ts"
import { type Disk, DiskFault, type FileStat } from "../disk/Disk.ts"
import { LEASE_LOST } from "../disk/Guard.ts"
import { type Identity, ReadError } from "../journal/Reader.ts"
import type { TailPlan } from "../journal/Tail.ts"
import { carryOutTail, type TailDone } from "../journal/TailWork.ts"
import { PrepareError } from "./OpenError.ts"

const changed = (path: string): PrepareError => new PrepareError({ reason: { _tag: "Changed", code: "open.changed", path } })

/** The typed error for what an atomic replacement said. */
const fromAtomic = (path: string, { reason }: AtomicError): PrepareError => {
  switch (reason._tag) {
    case "Changed":
      return changed(path)
    case "Taken":
      return new PrepareError({ reason: { _tag: "Exists", code: "open.exists", path: reason.path } })
    case "Unwritten":
      return refused(path, reason.fault)
    case "Uncertain":
      return uncertain(path, reason.fault)
  }
}

const uncertain = (path: string, { code: system, operation }: DiskFault): PrepareError =>
  new PrepareError({ reason: { _tag: "Uncertain", code: "open.uncertain", path, system, operation } })

/** The typed error for a refusal of the disk before anything was changed. */
const refused = (path: string, { code: system, operation }: DiskFault): PrepareError =>
  system === "ECHANGED"
    ? changed(path)
    : system === LEASE_LOST
      ? new PrepareError({ reason: { _tag: "LeaseLost", code: "open.lease_lost", path } })
      : new PrepareError({ reason: { _tag: "Refused", code: "open.refused", path, system, operation } })

/** Operations that change the session's own file when its end is put in order. */
const CHANGING: ReadonlySet<string> = new Set(["write", "truncate", "sync"])

/** The name under which a session's file is made before it gets its own. */
export const temporaryNameOf = (path: string): string => `.${basename(path)}.tmp`

/**
 * Removes the temporary name of a file whose maker died when it had just given the file its own: under it the session would outlive its
 * removal. A disk that refuses is no obstacle to an append.
 */
const dropSecondName = (disk: Disk, path: string, { device, inode }: Identity): void => {
  const temporary = join(dirname(path), temporaryNameOf(path))
  try {
    const found = disk.lstat(temporary)
    if (found?.device === device && found.inode === inode) disk.unlink(temporary)
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/**
 * Takes the rights of others to a file that is about to be written to: it holds a conversation. A disk that refuses, or has no rights, is
 * no obstacle to an append.
 */
const dropRightsOfOthers = (disk: Disk, path: string): void => {
  try {
    ensurePrivateFile(disk, path)
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/**
 * Brings a session's file in order: its end, its names and its rights. A refusal after the first change, or of a sync, leaves the file uncertain. The
 * caller holds the lease.
 */
export const putInOrder = (disk: Disk, path: string, identity: Identity, plan: TailPlan): Effect.Effect<TailDone, PrepareError> =>
  Effect.suspend((): Effect.Effect<TailDone, PrepareError> => {
    try {
      dropSecondName(disk, path, identity)
      dropRightsOfOthers(disk, path)
      return Effect.succeed(carryOutTail(disk, path, identity, plan))
    } catch (cause) {
      if (!(cause instanceof DiskFault)) throw cause
      return Effect.fail(cause.path === path && CHANGING.has(cause.operation) ? uncertain(path, cause) : refused(path, cause))
    }
  })

/** Runs blocking work on the disk; its refusals become typed errors. */
export const onDisk = <A>(path: string, work: () => Result.Result<A, AtomicError> | A): Effect.Effect<A, PrepareError> =>
  Effect.suspend((): Effect.Effect<A, PrepareError> => {
    try {
      const done = work()
      if (!Result.isResult(done)) return Effect.succeed(done)
      return Result.isSuccess(done)
        ? Effect.succeed(done.success as A)
        : Effect.fail(fromAtomic(path, done.failure as AtomicError))
    } catch (cause) {
      if (cause instanceof DiskFault) return Effect.fail(refused(path, cause))
      if (cause instanceof ReadError) return Effect.fail(changed(path))
      return Effect.die(cause)
    }
  })

/**
 * Removes what an attempt that was cut off has left under its temporary name. The caller holds the lease of the session, so nobody else is
 * writing under a name that is made from it.
 */
export const sweep = (disk: Disk, path: string): void => {
  if (disk.lstat(path) !== undefined) disk.unlink(path)
}

/** The file under the name of a session that was read, which must be the one that was read. */
export const unchangedSource = (disk: Disk, path: string, read: Identity): FileStat => {
  const found = disk.lstat(path)
  if (found?.device === read.device && found.inode === read.inode && found.size === read.size && found.modified === read.modified)
    return found
  throw new DiskFault("lstat", path, "ECHANGED")
}
