/** Disks for tests of reading: files that are never in memory, and files that change while they are read. */
import { type Disk, DiskFault, type FileStat, type Handle } from "../../src/disk/Disk.ts"

const refuse = (operation: keyof Disk) => (): never => {
  throw new DiskFault(operation, "", "EROFS")
}

const readOnly = {
  write: refuse("write"),
  truncate: refuse("truncate"),
  sync: refuse("sync"),
  list: refuse("list"),
  makeDirectory: refuse("makeDirectory"),
  link: refuse("link"),
  rename: refuse("rename"),
  unlink: refuse("unlink"),
  removeDirectory: refuse("removeDirectory"),
  setMode: refuse("setMode"),
  setModified: refuse("setModified"),
  syncDirectory: refuse("syncDirectory"),
} as const

/** A disk with one file of `size` bytes, of which `fill` gives those from a position on. Counts its open handles. */
export const virtualDisk = (
  size: number,
  fill: (into: Uint8Array, position: number) => void,
): Disk & { readonly handles: () => number } => {
  const stat: FileStat = { kind: "file", device: 1n, inode: 1n, size, links: 1, uid: 0, mode: 0o600, modified: 0n }
  let handles = 0
  return {
    ...readOnly,
    handles: () => handles,
    open: (path): Handle => {
      handles++
      return { path }
    },
    close: () => {
      handles--
    },
    stat: () => stat,
    lstat: () => stat,
    read: (_, into, position) => {
      const count = Math.min(into.length, size - position)
      fill(into.subarray(0, count), position)
      return count
    },
  }
}

/** The same disk, with something that happens before the n-th read. */
export const withEvent = (disk: Disk, nth: number, event: () => void): Disk => {
  let reads = 0
  return {
    ...bind(disk),
    read: (handle, into, position) => {
      if (++reads === nth) event()
      return disk.read(handle, into, position)
    },
  }
}

/** Each operation as a member of its own, so that one of them can be replaced. */
export const bind = (disk: Disk): Disk => ({
  open: (path, mode) => disk.open(path, mode),
  close: (handle) => disk.close(handle),
  read: (handle, into, position) => disk.read(handle, into, position),
  write: (handle, bytes) => disk.write(handle, bytes),
  truncate: (handle, length) => disk.truncate(handle, length),
  sync: (handle) => disk.sync(handle),
  stat: (handle) => disk.stat(handle),
  lstat: (path) => disk.lstat(path),
  list: (path) => disk.list(path),
  makeDirectory: (path) => disk.makeDirectory(path),
  link: (from, to) => disk.link(from, to),
  rename: (from, to) => disk.rename(from, to),
  unlink: (path) => disk.unlink(path),
  removeDirectory: (path) => disk.removeDirectory(path),
  setMode: (path, mode) => disk.setMode(path, mode),
  setModified: (path, modified) => disk.setModified(path, modified),
  syncDirectory: (path) => disk.syncDirectory(path),
})
