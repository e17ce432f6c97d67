/**
 * Directories that stay, and that nobody else reads: a file that was synced is lost with its directory when the directory's own
 * name was not, and its name is read by whoever may list the directory.
 */
import { dirname } from "node:path"
import type { Disk, FileStat } from "./Disk.ts"
import { DiskFault } from "./Disk.ts"

/**
 * Makes a directory and the missing ones above it, mode 0700, and makes each new name durable. Nothing is written when it is there.
 *
 * @throws DiskFault
 */
export const ensureDirectory = (disk: Disk, path: string): void => {
  const missing: Array<string> = []
  for (let level = path; disk.lstat(level) === undefined && dirname(level) !== level; level = dirname(level)) missing.push(level)
  for (const level of missing.reverse()) {
    disk.makeDirectory(level)
    disk.syncDirectory(dirname(level))
  }
}

/** Takes the rights that a mode does not have from a file or a directory. What has no more than them is left as it is. */
const narrow = (disk: Disk, path: string, kind: "file" | "directory", mode: number, found: FileStat | undefined): void => {
  if (found === undefined) throw new DiskFault("setMode", path, "ENOENT")
  if (found.kind === "symlink") throw new DiskFault("setMode", path, "ELOOP")
  if (found.kind !== kind) throw new DiskFault("setMode", path, kind === "file" ? "ENOTREG" : "ENOTDIR")
  if ((found.mode & ~mode) !== 0) disk.setMode(path, mode)
}

/**
 * Makes a directory as `ensureDirectory` does; one that is there with more rights than 0700 gets 0700. Not durable: look again
 * after a restart.
 *
 * @throws DiskFault `ELOOP` for a link, also to a directory; `ENOTDIR` for anything else; `EPERM` for the directory of another user.
 */
export const ensurePrivateDirectory = (disk: Disk, path: string): void => {
  ensureDirectory(disk, path)
  narrow(disk, path, "directory", 0o700, disk.lstat(path))
}

/**
 * Gives a file that has more rights than 0600 the mode 0600. Never makes one: an empty file is not what was missing. Not durable:
 * look again after a restart.
 *
 * @throws DiskFault `ENOENT` for a missing file; `ELOOP` for a link; `ENOTREG` for anything else; `EPERM` for the file of another user.
 */
export const ensurePrivateFile = (disk: Disk, path: string): void => narrow(disk, path, "file", 0o600, disk.lstat(path))
