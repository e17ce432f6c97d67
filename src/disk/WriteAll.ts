import type { Disk, Handle } from "./Disk.ts"
import { DiskFault } from "./Disk.ts"

/**
 * Writes all the bytes at the end of the file, in as many writes as the disk needs. One write when the disk takes them all.
 *
 * @throws DiskFault the first refusal; some of the bytes may then be in the file. A disk that takes nothing and gives no reason
 * is reported as `EIO`.
 */
export const writeAll = (disk: Disk, handle: Handle, bytes: Uint8Array): void => {
  for (let done = 0; done < bytes.length; ) {
    const count = disk.write(handle, done === 0 ? bytes : bytes.subarray(done))
    if (count <= 0) throw new DiskFault("write", handle.path, "EIO")
    done += count
  }
}
