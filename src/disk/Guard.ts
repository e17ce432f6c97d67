/**
 * What must stand beside a file for its writer to go on: the evidence that the right to write is still its own.
 *
 * Plain data, so that it can be handed to the thread that writes. Looked at once before each batch of a file, by one or two `lstat` on
 * that thread: some microseconds beside a sync that takes hundreds, and nothing for the records in between. Between the look and the
 * write nobody is kept away: that is for the lock.
 */
import type { Guard } from "../model/Guard.ts"
import { type Disk, DiskFault } from "./Disk.ts"

/** The code of the fault when a guard does not stand. */
export const LEASE_LOST = "ELEASE"

/** @throws DiskFault with the code `ELEASE` when the guard does not stand, or what the disk refused. */
export const demandGuard = (disk: Pick<Disk, "lstat">, guard: Guard | undefined): void => {
  if (guard === undefined) return
  const { present, inode, absent } = guard
  const found = disk.lstat(present)
  const isThere = found?.kind === "file" && (inode === undefined || found.inode === inode)
  if (!isThere) throw new DiskFault("lstat", present, LEASE_LOST)
  if (absent !== undefined && disk.lstat(absent) !== undefined) throw new DiskFault("lstat", absent, LEASE_LOST)
}
