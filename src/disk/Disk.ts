/**
 * The port to files: the only way by which this library touches a file descriptor.
 *
 * Synchronous, because the writer thread has nothing else to do while it waits, and because a step that cannot be interleaved
 * can be reasoned about. Each operation either does all it says or throws a {@link DiskFault}; a fault leaves the rest of the
 * process intact. Implementations: NodeDisk (real files) and SimulatedDisk (a live and a durable image, every legal crash).
 */

/** What a descriptor or a name points at. Two stats of the same file agree in `device` and `inode`. */
export interface FileStat {
  readonly kind: "file" | "directory" | "symlink" | "other"
  readonly device: bigint
  readonly inode: bigint
  /** Bytes. */
  readonly size: number
  /** The number of names of the file. */
  readonly links: number
  /** Owner, or -1 where the platform has none. */
  readonly uid: number
  /** Permission bits, such as 0o600. */
  readonly mode: number
  /** Nanoseconds since the epoch. */
  readonly modified: bigint
}

/** An open file. Only the disk that made it can use it. */
export interface Handle {
  readonly path: string
}

export type OpenMode =
  /** For reading. */
  | "read"
  /** For reading and for writing at the end; the file must exist. */
  | "append"
  /** A new file for reading and for writing at the end; fails with EEXIST when the name is taken. Mode 0600. */
  | "create"

export interface Disk {
  /** Opens without following a final link and without waiting for a pipe. Anything that is not a regular file is refused with `ENOTREG`. */
  readonly open: (path: string, mode: OpenMode) => Handle
  /** Gives the descriptor back. Not a promise about the bytes. */
  readonly close: (handle: Handle) => void
  /** Reads at most `into.length` bytes from `position`; returns how many, 0 at the end. */
  readonly read: (handle: Handle, into: Uint8Array, position: number) => number
  /** Writes at the end of the file. Returns how many bytes went in, which may be fewer: the next call then tells why. Not durable. */
  readonly write: (handle: Handle, bytes: Uint8Array) => number
  /** Cuts the file to a length not above its own. Not durable. */
  readonly truncate: (handle: Handle, length: number) => void
  /** Makes the file's bytes and length durable (fdatasync). After a failure the durable state is unknown for ever: never retry. */
  readonly sync: (handle: Handle) => void
  /** The open file. */
  readonly stat: (handle: Handle) => FileStat
  /** What the name points at, without following a final link. Undefined when there is nothing. */
  readonly lstat: (path: string) => FileStat | undefined
  /** Names in a directory, sorted. */
  readonly list: (path: string) => ReadonlyArray<string>
  /** Makes a directory and the missing ones above it, mode 0700. An existing directory is left as it is. Not durable. */
  readonly makeDirectory: (path: string) => void
  /** Gives a second name to a file; fails with EEXIST when the name is taken. Not durable. */
  readonly link: (from: string, to: string) => void
  /** Gives a file another name, replacing what had it, atomically. Not durable. */
  readonly rename: (from: string, to: string) => void
  /** Removes a name. Not durable. */
  readonly unlink: (path: string) => void
  /** Removes an empty directory; fails with ENOTEMPTY, and with ENOTDIR for anything else. Not durable: `syncDirectory` of the one above it makes it so. */
  readonly removeDirectory: (path: string) => void
  /**
   * Gives a file or a directory these permission bits, at most 0o7777 (`EINVAL`), without following a final link (`ELOOP`). Anything
   * else is refused with `ENOTREG`. Does nothing where the platform has no modes. Not durable: a power cut may leave a file any mode
   * that it has had, and a directory any that it has had since its last `syncDirectory`.
   */
  readonly setMode: (path: string, mode: number) => void
  /**
   * Sets the time of the last change of a file or a directory, in nanoseconds since the epoch, kept to the microsecond as far as the
   * file system can. The access time stays what it was, to the microsecond. Refuses what `setMode` refuses. Not durable: a power cut
   * may leave any earlier time, as with modes.
   */
  readonly setModified: (path: string, modified: bigint) => void
  /** Makes the directory's names durable: creations, links, renames and removals in it; and its own mode and time. */
  readonly syncDirectory: (path: string) => void
}

/** What a disk can refuse: the operations of the port, and those that only a native port has. */
export type DiskOperation = keyof Disk | "renameNew" | "exchange" | "accessList" | "lock"

/** A refusal of the disk: the operation, the path and the system's error code, such as `ENOSPC`. */
export class DiskFault extends Error {
  readonly operation: DiskOperation
  readonly path: string
  readonly code: string

  constructor(operation: DiskOperation, path: string, code: string, cause?: unknown) {
    super(`${operation} ${path}: ${code}`, cause === undefined ? undefined : { cause })
    this.name = "DiskFault"
    this.operation = operation
    this.path = path
    this.code = code
  }
}
