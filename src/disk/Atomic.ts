import { dirname, join } from "node:path"
import * as Result from "effect/Result"
import type { Disk, FileStat, Handle } from "./Disk.ts"
import { DiskFault } from "./Disk.ts"
import { writeAll } from "./WriteAll.ts"

/**
 * Files that come into being whole.
 *
 * `replaceFile` gives a name other content, `createFile` gives a free name its first content. After a crash at any step the name
 * holds what it held before or all of the new bytes; once the call has succeeded, the new bytes (law DUR-4). The bytes are
 * written under a temporary name in the same directory, synced, and only then given their name; the directory is synced last.
 *
 * A failed call leaves no temporary file, unless the process died or the disk refuses to remove it: whoever holds the lease of
 * the file sweeps the temporary names that it knows.
 */

export type AtomicReason =
  /** The name did not hold the expected file, before or at the last moment. It is as its other writer left it. */
  | { readonly _tag: "Changed"; readonly code: "atomic.changed"; readonly path: string }
  /** The temporary name, the backup's name or the name to be created belongs to something else. Nothing was changed. */
  | { readonly _tag: "Taken"; readonly code: "atomic.taken"; readonly path: string }
  /** The disk refused before the name was given. The name holds what it held. */
  | { readonly _tag: "Unwritten"; readonly code: "atomic.unwritten"; readonly path: string; readonly fault: DiskFault }
  /** The name holds the new bytes, but the disk could not promise to keep it so: a power cut may bring back the old state. */
  | { readonly _tag: "Uncertain"; readonly code: "atomic.uncertain"; readonly path: string; readonly fault: DiskFault }

export class AtomicError extends Error {
  readonly _tag = "AtomicError"
  readonly reason: AtomicReason

  constructor(reason: AtomicReason) {
    const fault = "fault" in reason ? reason.fault : undefined
    super(`${reason.code}: ${reason.path}${fault === undefined ? "" : ` (${fault.message})`}`, fault && { cause: fault })
    this.name = "AtomicError"
    this.reason = reason
  }
}

/** Called with a function that appends bytes to the new file. May call it any number of times. What it throws passes through. */
export type WriteContent = (append: (bytes: Uint8Array) => void) => void

export interface CreateOptions {
  /** A name in the same directory that no other attempt uses. */
  readonly temporaryName: string
}

export interface ReplaceOptions extends CreateOptions {
  /** What the name must hold until the end: device, inode, size and time of change are compared. Without it anything or nothing. */
  readonly expect?: FileStat | undefined
  /** A name in the same directory under which the old file stays, byte for byte. The same file may already have that name. */
  readonly backupName?: string | undefined
}

const same = (a: FileStat | undefined, b: FileStat): boolean =>
  a !== undefined && a.kind === "file" && a.device === b.device && a.inode === b.inode

const unchanged = (disk: Disk, path: string, expect: FileStat | undefined): boolean => {
  if (expect === undefined) return true
  const found = disk.lstat(path)
  return found !== undefined && same(found, expect) && found.size === expect.size && found.modified === expect.modified
}

const failure = (reason: AtomicReason) => Result.fail(new AtomicError(reason))
const changed = (path: string) => failure({ _tag: "Changed", code: "atomic.changed", path })
const taken = (path: string) => failure({ _tag: "Taken", code: "atomic.taken", path })

/** Turns a refusal of the disk into a failure, everything else passes. */
const refusal = (path: string, after: "Unwritten" | "Uncertain", cause: unknown) => {
  if (!(cause instanceof DiskFault)) throw cause
  return failure(
    after === "Unwritten"
      ? { _tag: "Unwritten", code: "atomic.unwritten", path, fault: cause }
      : { _tag: "Uncertain", code: "atomic.uncertain", path, fault: cause },
  )
}

const isTaken = (cause: unknown): boolean => cause instanceof DiskFault && cause.code === "EEXIST"

/** Removes a name that this call has made. The first failure is the one to tell, so a refusal here is not another one. */
const discard = (disk: Disk, path: string): void => {
  try {
    disk.unlink(path)
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/** Writes and syncs the content of a new file, closes it, and says what it is. */
const fill = (disk: Disk, handle: Handle, write: WriteContent): FileStat => {
  let total = 0
  let stat: FileStat
  try {
    write((bytes) => {
      writeAll(disk, handle, bytes)
      total += bytes.length
    })
    disk.sync(handle)
    stat = disk.stat(handle)
  } catch (cause) {
    closeAfter(disk, handle)
    throw cause
  }
  disk.close(handle)
  // Another hand at the temporary file, or a disk that took less than it said.
  if (stat.size !== total) throw new DiskFault("write", handle.path, "EIO")
  return stat
}

/** Gives a handle back after a failure that is already being told. */
const closeAfter = (disk: Disk, handle: Handle): void => {
  try {
    disk.close(handle)
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/** Makes the new file under its temporary name and hands it to `publish`, which must leave no temporary name when it succeeds. */
const withTemporary = (
  disk: Disk,
  path: string,
  temporary: string,
  write: WriteContent,
  publish: (stat: FileStat) => Result.Result<FileStat, AtomicError>,
): Result.Result<FileStat, AtomicError> => {
  let handle: Handle
  try {
    handle = disk.open(temporary, "create")
  } catch (cause) {
    return isTaken(cause) ? taken(temporary) : refusal(path, "Unwritten", cause)
  }
  let result: Result.Result<FileStat, AtomicError>
  try {
    result = publish(fill(disk, handle, write))
  } catch (cause) {
    discard(disk, temporary)
    return refusal(path, "Unwritten", cause)
  }
  if (Result.isFailure(result) && result.failure.reason._tag !== "Uncertain") discard(disk, temporary)
  return result
}

/**
 * Keeps the old file under a second name, durably. Says whether this call made the name; undefined when the name belongs to
 * something else.
 */
const backUp = (disk: Disk, path: string, backup: string): boolean | undefined => {
  let made = true
  try {
    disk.link(path, backup)
  } catch (cause) {
    const source = disk.lstat(path)
    // An earlier attempt that did not come to its end has left the same file here.
    if (!isTaken(cause)) throw cause
    if (source === undefined || !same(disk.lstat(backup), source)) return undefined
    made = false
  }
  try {
    disk.syncDirectory(dirname(path))
  } catch (cause) {
    if (made) discard(disk, backup)
    throw cause
  }
  return made
}

/** After the rename: makes the new name durable and looks whether it is still there. */
const settle = (disk: Disk, path: string, stat: FileStat): Result.Result<FileStat, AtomicError> => {
  try {
    disk.syncDirectory(dirname(path))
    const found = disk.lstat(path)
    return found !== undefined && same(found, stat) ? Result.succeed(found) : changed(path)
  } catch (cause) {
    return refusal(path, "Uncertain", cause)
  }
}

/**
 * Gives a name other content, whole or not at all (law DUR-4). Returns what the name then holds. The new file has the mode 0600.
 *
 * Open handles of the old file go on pointing at the old file: close them first. Between the last check and the rename there is
 * a moment in which another writer is not noticed: hold the file's lease. Cost: one sync of the file, one of the directory, one
 * more for a backup.
 */
export const replaceFile = (
  disk: Disk,
  path: string,
  write: WriteContent,
  options: ReplaceOptions,
): Result.Result<FileStat, AtomicError> => {
  const directory = dirname(path)
  const temporary = join(directory, options.temporaryName)
  const backup = options.backupName === undefined ? undefined : join(directory, options.backupName)
  try {
    if (!unchanged(disk, path, options.expect)) return changed(path)
  } catch (cause) {
    return refusal(path, "Unwritten", cause)
  }
  return withTemporary(disk, path, temporary, write, (stat) => {
    const made = backup === undefined ? false : backUp(disk, path, backup)
    if (made === undefined) return taken(backup ?? path)
    const undo = (): void => {
      if (made && backup !== undefined) discard(disk, backup)
    }
    try {
      if (!unchanged(disk, path, options.expect)) {
        undo()
        return changed(path)
      }
      disk.rename(temporary, path)
    } catch (cause) {
      undo()
      throw cause
    }
    return settle(disk, path, stat)
  })
}

/**
 * Gives a free name its first content, whole or not at all, and never replaces what has the name (law DUR-4). Returns what the
 * name then holds: a file with the mode 0600. Cost: one sync of the file, one of the directory.
 */
export const createFile = (
  disk: Disk,
  path: string,
  write: WriteContent,
  options: CreateOptions,
): Result.Result<FileStat, AtomicError> => {
  const temporary = join(dirname(path), options.temporaryName)
  return withTemporary(disk, path, temporary, write, (stat) => {
    try {
      disk.link(temporary, path)
    } catch (cause) {
      if (isTaken(cause)) return taken(path)
      throw cause
    }
    try {
      disk.unlink(temporary)
      disk.syncDirectory(dirname(path))
    } catch (cause) {
      discard(disk, temporary)
      return refusal(path, "Uncertain", cause)
    }
    return Result.succeed({ ...stat, links: 1 })
  })
}
