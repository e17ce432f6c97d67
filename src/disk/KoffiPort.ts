/**
 * The native port over koffi, a foreign-function interface without a build step. Loaded only when a host asks for it; nothing of it is
 * needed otherwise.
 *
 * The locks are open-file-description locks of `fcntl`: they exclude each other within one process and between processes and process
 * spaces, and they exclude the locks of `fcntl` that SQLite takes, both ways. They end with their own descriptor alone. Those of SQLite
 * do not: a process that closes any descriptor of a file loses all of them on that file. So a descriptor that found such a lock of this
 * very process is never closed but kept for the next question.
 */
import * as fs from "node:fs"
import process from "node:process"
import { DiskFault, type DiskOperation } from "./Disk.ts"
import { type AccessList, type ByteLock, type ByteRange, NativeError, type NativePort } from "./NativePort.ts"

/** The functions of the C library that are called. Each returns -1 and sets the error number when it is refused. */
interface Calls {
  readonly fcntl: (descriptor: number, command: number, lock: LockWish) => number
  readonly renameat2: (from: number, fromName: string, to: number, toName: string, flags: number) => number
  readonly lgetxattr: (path: string, name: string, value: null, size: number) => number
  readonly errorNumber: () => number
  readonly errorNumbers: Readonly<Record<string, number>>
}

/** `struct flock`, as on every 64-bit Linux. */
interface LockWish {
  l_type: number
  l_whence: number
  l_start: number
  l_len: number
  l_pid: number
}

const structure = { l_type: "int16_t", l_whence: "int16_t", l_start: "int64_t", l_len: "int64_t", l_pid: "int32_t" }

const WRITE_LOCK = 1
const UNLOCKED = 2
const OFD_GETLK = 36
const OFD_SETLK = 37
/** The working directory, for names that are not relative to another one. */
const AT_FDCWD = -100
const RENAME_NOREPLACE = 1
const RENAME_EXCHANGE = 2
const ACCESS_LIST = "system.posix_acl_access"

/** Architectures on which a file offset has 64 bits and the structure above is right. */
const wide: ReadonlySet<string> = new Set(["x64", "arm64", "riscv64", "loong64", "ppc64", "s390x"])

const load = async (): Promise<Calls> => {
  if (process.platform !== "linux" || !wide.has(process.arch))
    throw new NativeError(`there is no native port for ${process.platform} on ${process.arch}`)
  try {
    const { default: koffi } = await import("koffi")
    // What this process has loaded already, so that no name of a library has to be known.
    const library = koffi.load(null)
    const wish = koffi.inout(koffi.pointer(koffi.struct(structure)))
    return {
      fcntl: library.func("fcntl", "int", ["int", "int", wish]),
      renameat2: library.func("int renameat2(int from, const char *a, int to, const char *b, uint32_t flags)"),
      lgetxattr: library.func("intptr_t lgetxattr(const char *path, const char *name, void *value, uintptr_t size)"),
      errorNumber: () => koffi.errno(),
      errorNumbers: koffi.os.errno,
    }
  } catch (cause) {
    throw new NativeError("the package koffi cannot be loaded", cause)
  }
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants

/** Throws the refusal of the call before, with the name of its error number. */
const refuse = (calls: Calls, operation: DiskOperation, path: string): never => {
  const number = calls.errorNumber()
  const name = Object.entries(calls.errorNumbers).find(([, each]) => each === number)?.[0]
  throw new DiskFault(operation, path, name ?? `errno ${number}`)
}

const openFile = (path: string, flags: number): number => {
  try {
    return fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && typeof cause.code === "string")) throw cause
    throw new DiskFault("lock", path, cause.code, cause)
  }
}

/** Locks of byte ranges. */
class Locking {
  readonly #calls: Calls
  /** Descriptors that must stay open, by file and way of opening: closing one would free a lock that SQLite holds in this process. */
  readonly #kept = new Map<string, number>()

  constructor(calls: Calls) {
    this.#calls = calls
  }

  take(path: string, range: ByteRange): ByteLock | undefined {
    const { descriptor, key } = this.#open(path, O_RDWR)
    if (this.#calls.fcntl(descriptor, OFD_SETLK, wishFor(range)) === 0) {
      // A kept descriptor is closed with its lock: whoever has the lock knows that SQLite has none here.
      this.#kept.delete(key)
      return { close: () => fs.closeSync(descriptor) }
    }
    const number = this.#calls.errorNumber()
    const isBusy = number === this.#calls.errorNumbers["EAGAIN"] || number === this.#calls.errorNumbers["EACCES"]
    try {
      if (isBusy) return undefined
      return refuse(this.#calls, "lock", path)
    } finally {
      this.#giveBack(descriptor, key, range)
    }
  }

  isTaken(path: string, range: ByteRange): boolean {
    const { descriptor, key } = this.#open(path, O_RDONLY)
    try {
      const wish = wishFor(range)
      if (this.#calls.fcntl(descriptor, OFD_GETLK, wish) !== 0) refuse(this.#calls, "lock", path)
      return wish.l_type !== UNLOCKED
    } finally {
      this.#giveBack(descriptor, key, range)
    }
  }

  #open(path: string, flags: number): { readonly descriptor: number; readonly key: string } {
    const stat = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) throw new DiskFault("lock", path, "ENOENT")
    const key = `${flags}:${stat.dev}:${stat.ino}`
    return { descriptor: this.#kept.get(key) ?? openFile(path, flags), key }
  }

  #giveBack(descriptor: number, key: string, range: ByteRange): void {
    const holder = wishFor(range)
    const isOurs = this.#calls.fcntl(descriptor, OFD_GETLK, holder) !== 0 || holder.l_pid === process.pid
    if (isOurs) this.#kept.set(key, descriptor)
    else {
      this.#kept.delete(key)
      fs.closeSync(descriptor)
    }
  }
}

const wishFor = ({ start, length }: ByteRange): LockWish => ({
  ...{ l_type: WRITE_LOCK, l_whence: 0 },
  ...{ l_start: start, l_len: length, l_pid: 0 },
})

/**
 * Loads the native port. Rejects with a NativeError where the system is another one or the package `koffi` is not installed. Cost: a few
 * milliseconds, once; each call some microseconds.
 */
export const loadNative = async (): Promise<NativePort> => {
  const calls = await load()
  const locking = new Locking(calls)
  const rename = (operation: "renameNew" | "exchange", from: string, to: string, flags: number): void => {
    if (calls.renameat2(AT_FDCWD, from, AT_FDCWD, to, flags) !== 0) refuse(calls, operation, from)
  }
  const accessList = (path: string): AccessList => {
    const size = calls.lgetxattr(path, ACCESS_LIST, null, 0)
    if (size >= 0) return size > 0 ? "extended" : "none"
    const number = calls.errorNumber()
    if (number === calls.errorNumbers["ENODATA"]) return "none"
    if (number === calls.errorNumbers["EOPNOTSUPP"]) return "unknown"
    return refuse(calls, "accessList", path)
  }
  return {
    lock: (path, range) => locking.take(path, range),
    isLocked: (path, range) => locking.isTaken(path, range),
    renameNew: (from, to) => rename("renameNew", from, to, RENAME_NOREPLACE),
    exchange: (one, other) => rename("exchange", one, other, RENAME_EXCHANGE),
    accessList,
  }
}
