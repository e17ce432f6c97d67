import * as fs from "node:fs"
import * as nodePath from "node:path"
import { platform } from "node:process"
import type { Disk, FileStat, Handle, OpenMode } from "./Disk.ts"
import { DiskFault } from "./Disk.ts"
import type { Syncs } from "./Syncs.ts"

/**
 * The disk of the machine, over `node:fs`.
 *
 * Files and directories that it makes have the modes 0600 and 0700 whatever the umask. A final symlink is never followed (`ELOOP`),
 * a pipe is never waited for. On Windows there are no modes and no directory sync: `setMode` and `syncDirectory` do nothing there.
 */

const windows = platform === "win32"
const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants

/** Flags that Windows does not have count as none. */
const careful = (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0) | (O_NOCTTY ?? 0)
const flags: Record<OpenMode, number> = {
  read: O_RDONLY | careful,
  append: O_RDWR | O_APPEND | careful,
  create: O_RDWR | O_APPEND | O_CREAT | O_EXCL | careful,
}

const fileMode = 0o600
const directoryMode = 0o700

/** What the system says when asked to open a directory for writing, a socket, or a device without a driver. */
const notRegular: ReadonlySet<string> = new Set(["EISDIR", "ENXIO", "ENODEV"])

/** The operations that open what a name points at, and so learn only then what it is. */
const opening: ReadonlySet<keyof Disk> = new Set<keyof Disk>(["open", "setMode", "setModified"])

/** What the system says of a name where there is nothing, also below a file. */
const absent: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"])

class NodeHandle implements Handle {
  readonly path: string
  /** -1 once closed: a number that was given back may already belong to another file. */
  descriptor: number

  constructor(path: string, descriptor: number) {
    this.path = path
    this.descriptor = descriptor
  }
}

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

/** Runs one system call and gives its refusal the name that the port promises. What is not a refusal is a bug and passes. */
const attempt = <A>(operation: keyof Disk, path: string, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof DiskFault) throw cause
    const code = codeOf(cause)
    if (code === undefined) throw cause
    throw new DiskFault(operation, path, opening.has(operation) && notRegular.has(code) ? "ENOTREG" : code, cause)
  }
}

/** The descriptor of an open file. Throws a `DiskFault` with `EBADF` when it was closed. */
export const descriptorOf = (operation: keyof Disk, handle: Handle): number => {
  if (!(handle instanceof NodeHandle) || handle.descriptor < 0) throw new DiskFault(operation, handle.path, "EBADF")
  return handle.descriptor
}

const kindOf = (stat: fs.BigIntStats): FileStat["kind"] => {
  if (stat.isFile()) return "file"
  if (stat.isDirectory()) return "directory"
  return stat.isSymbolicLink() ? "symlink" : "other"
}

const statOf = (stat: fs.BigIntStats): FileStat => ({
  kind: kindOf(stat),
  device: stat.dev,
  inode: stat.ino,
  size: Number(stat.size),
  links: Number(stat.nlink),
  uid: windows ? -1 : Number(stat.uid),
  mode: Number(stat.mode & 0o7777n),
  modified: stat.mtimeNs,
})

const open = (path: string, mode: OpenMode): Handle =>
  attempt("open", path, () => {
    // Where the system cannot refuse a link while opening, it is refused just before.
    if (windows && fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new DiskFault("open", path, "ELOOP")
    const descriptor = fs.openSync(path, flags[mode], fileMode)
    try {
      const stat = fs.fstatSync(descriptor)
      if (!stat.isFile()) throw new DiskFault("open", path, "ENOTREG")
      if (mode === "create" && !windows && (stat.mode & 0o7777) !== fileMode) fs.fchmodSync(descriptor, fileMode)
    } catch (cause) {
      fs.closeSync(descriptor)
      throw cause
    }
    return new NodeHandle(path, descriptor)
  })

const close = (handle: Handle): void => {
  const descriptor = descriptorOf("close", handle)
  if (handle instanceof NodeHandle) handle.descriptor = -1
  attempt("close", handle.path, () => fs.closeSync(descriptor))
}

const truncate = (handle: Handle, length: number): void => {
  const descriptor = descriptorOf("truncate", handle)
  attempt("truncate", handle.path, () => {
    if (length > fs.fstatSync(descriptor).size) throw new DiskFault("truncate", handle.path, "EINVAL")
    fs.ftruncateSync(descriptor, length)
  })
}

const directoryExists = (path: string): boolean => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Top down and one by one: a umask that takes the owner's rights away would stop the next level. */
const makeDirectory = (path: string): void => {
  const missing: Array<string> = []
  for (let at = nodePath.resolve(path); !directoryExists(at); at = nodePath.dirname(at)) {
    missing.push(at)
    if (nodePath.dirname(at) === at) break
  }
  for (const each of missing.reverse()) {
    try {
      fs.mkdirSync(each, directoryMode)
    } catch (cause) {
      // Another process was faster: its directory is left as it is.
      if (codeOf(cause) === "EEXIST" && directoryExists(each)) continue
      throw cause
    }
    if (!windows && (fs.lstatSync(each).mode & 0o7777) !== directoryMode) fs.chmodSync(each, directoryMode)
  }
}

const syncDirectory = (path: string): void => {
  if (windows) return
  const descriptor = fs.openSync(path, O_RDONLY | O_DIRECTORY)
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Windows tells a file in the way of a removal from a missing one only when asked. */
const removeDirectory = (path: string): void => {
  if (windows && !fs.lstatSync(path).isDirectory()) throw new DiskFault("removeDirectory", path, "ENOTDIR")
  fs.rmdirSync(path)
}

/** Opens a file or a directory for a change of what is known of it, hands over its descriptor and closes it. */
const onNode = (
  operation: "setMode" | "setModified",
  path: string,
  run: (descriptor: number, stat: fs.BigIntStats) => void,
): void => {
  const descriptor = fs.openSync(path, O_RDONLY | careful)
  try {
    const stat = fs.fstatSync(descriptor, { bigint: true })
    if (!stat.isFile() && !stat.isDirectory()) throw new DiskFault(operation, path, "ENOTREG")
    run(descriptor, stat)
  } finally {
    fs.closeSync(descriptor)
  }
}

const setMode = (path: string, mode: number): void => {
  if (!Number.isInteger(mode) || mode < 0 || mode > 0o7777) throw new DiskFault("setMode", path, "EINVAL")
  if (!windows) onNode("setMode", path, (descriptor) => fs.fchmodSync(descriptor, mode))
}

const second = 1_000_000_000n
const microsecond = 1_000n

const floor = (value: bigint, unit: bigint): bigint => value - (((value % unit) + unit) % unit)

/** The nanoseconds that a system call makes of a number of seconds. */
const nanosecondsOf = (seconds: number): bigint => {
  const whole = Math.trunc(seconds)
  return BigInt(whole) * second + BigInt(Math.trunc((seconds - whole) * 1e9))
}

/**
 * A time as `node:fs` takes it: seconds in a double, whose steps are some 240 ns wide today. The nearest one may lie in the
 * microsecond before or after, the middle of the microsecond never does. As text, because a negative number would stand for now.
 */
const secondsOf = (time: bigint): string => {
  const whole = floor(time, second)
  const seconds = Number(whole / second)
  const rest = time - whole
  // One rounding alone: a time that was read and set again must not wander.
  const nearest = seconds + Number(rest) / 1e9
  if (floor(nanosecondsOf(nearest), microsecond) === floor(time, microsecond)) return String(nearest)
  return String(seconds + (Number(rest / microsecond) + 0.5) / 1e6)
}

const setModified = (path: string, modified: bigint): void => {
  // There a descriptor for reading may not change times, and a directory cannot be opened.
  if (windows) {
    const stat = fs.lstatSync(path, { bigint: true })
    if (stat.isSymbolicLink()) throw new DiskFault("setModified", path, "ELOOP")
    fs.lutimesSync(path, secondsOf(stat.atimeNs), secondsOf(modified))
  } else {
    onNode("setModified", path, (descriptor, stat) => fs.futimesSync(descriptor, secondsOf(stat.atimeNs), secondsOf(modified)))
  }
}

/** The machine's disk. Cost: one system call an operation, a few for `open`, `truncate`, `setMode` and `setModified`, several for `makeDirectory`. */
export const nodeDisk: Disk = {
  open,
  close,
  read(handle, into, position) {
    const descriptor = descriptorOf("read", handle)
    return attempt("read", handle.path, () => fs.readSync(descriptor, into, 0, into.length, position))
  },
  write(handle, bytes) {
    const descriptor = descriptorOf("write", handle)
    return attempt("write", handle.path, () => fs.writeSync(descriptor, bytes, 0, bytes.length))
  },
  truncate,
  sync(handle) {
    const descriptor = descriptorOf("sync", handle)
    attempt("sync", handle.path, () => fs.fdatasyncSync(descriptor))
  },
  stat(handle) {
    const descriptor = descriptorOf("stat", handle)
    return attempt("stat", handle.path, () => statOf(fs.fstatSync(descriptor, { bigint: true })))
  },
  lstat(path) {
    return attempt("lstat", path, () => {
      try {
        return statOf(fs.lstatSync(path, { bigint: true }))
      } catch (cause) {
        if (absent.has(codeOf(cause) ?? "")) return undefined
        throw cause
      }
    })
  },
  list: (path) => attempt("list", path, () => fs.readdirSync(path).sort()),
  makeDirectory: (path) => attempt("makeDirectory", path, () => makeDirectory(path)),
  link: (from, to) => attempt("link", from, () => fs.linkSync(from, to)),
  rename: (from, to) => attempt("rename", from, () => fs.renameSync(from, to)),
  unlink: (path) => attempt("unlink", path, () => fs.unlinkSync(path)),
  removeDirectory: (path) => attempt("removeDirectory", path, () => removeDirectory(path)),
  setMode: (path, mode) => attempt("setMode", path, () => setMode(path, mode)),
  setModified: (path, modified) => attempt("setModified", path, () => setModified(path, modified)),
  syncDirectory: (path) => attempt("syncDirectory", path, () => syncDirectory(path)),
}

/**
 * Syncs of files that the machine's disk has opened, in Node's pool of threads: four for the whole process, unless the environment says
 * otherwise. A sync that does not come back keeps its thread.
 */
export const nodeSyncs: Syncs = {
  start: (handle, done) => {
    const end = (cause: unknown): void => {
      const code = codeOf(cause)
      done(code === undefined || cause instanceof DiskFault ? cause : new DiskFault("sync", handle.path, code, cause))
    }
    try {
      fs.fdatasync(descriptorOf("sync", handle), (cause) => end(cause ?? undefined))
    } catch (fault) {
      end(fault)
    }
  },
}
