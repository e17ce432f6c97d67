/** Directories that stay: a file that was synced is lost with its directory when the directory's own name was not. */
import { dirname } from "node:path"
import type { Disk } from "./Disk.ts"

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
