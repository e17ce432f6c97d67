import type { Chooser } from "./Chooser.ts"
import type { Disk, FileStat, Handle, OpenMode } from "./Disk.ts"
import { DiskFault } from "./Disk.ts"
import type { Call, Effects, FaultOptions, Stop } from "./Schedule.ts"
import { Schedule } from "./Schedule.ts"
import type { SimulatedNode } from "./SimulatedDirectory.ts"
import { crashTree, SimulatedDirectory } from "./SimulatedDirectory.ts"
import type { Grain } from "./SimulatedFile.ts"
import { SimulatedFile } from "./SimulatedFile.ts"

/**
 * A disk in memory with a live image, a durable image and every legal power cut between them.
 *
 * Deterministic: the same calls give the same images, inodes and times; only `crash` chooses, and a {@link Chooser} does it. What a
 * cut may take is said in SimulatedFile, SimulatedDirectory and SimulatedAttribute. It judges code that writes: let it fail at the k-th operation
 * (`fail`), stop there (`crashAt`), take an image of what a power cut left (`crash`) or go on as after the death of the process
 * (`kill`), and read all bytes and names (`paths`, `bytes`).
 */

class SimulatedHandle implements Handle {
  readonly path: string
  readonly file: SimulatedFile
  readonly mode: OpenMode
  isOpen = true
  /** Why the last write was short. */
  refusal: string | undefined

  constructor(path: string, file: SimulatedFile, mode: OpenMode) {
    this.path = path
    this.file = file
    this.mode = mode
  }
}

const device = 1n

const partsOf = (path: string): Array<string> => {
  const parts: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return parts
}

export class SimulatedDisk implements Disk {
  readonly #root: SimulatedDirectory
  readonly #schedule = new Schedule()
  readonly #handles = new Set<SimulatedHandle>()
  #inodes = 1n
  #clock = 0n

  /** A disk with durable files, their directories made. */
  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    this.#root = new SimulatedDirectory(this.#inodes++)
    for (const [path, bytes] of Object.entries(files)) this.put(path, bytes)
  }

  // ── What a law does to the disk ───────────────────────────────────────────────────────────────────────────────────────────

  /** How many operations were called since the disk was made. */
  get operations(): number {
    return this.#schedule.operations
  }

  /** How many handles are open. */
  get handles(): number {
    return this.#handles.size
  }

  /** Puts a durable file in place, with its directories, as another program would have. Not an operation. */
  put(path: string, bytes: string | Uint8Array): void {
    const parts = partsOf(path)
    const name = parts.pop()
    if (name === undefined) throw new DiskFault("open", path, "EISDIR")
    let directory = this.#root
    for (const part of parts) {
      let next = directory.live.get(part)
      if (next === undefined) {
        next = new SimulatedDirectory(this.#inodes++)
        directory.plant(part, next)
      }
      if (next.kind !== "directory") throw new DiskFault("makeDirectory", path, "ENOTDIR")
      directory = next
    }
    const file = new SimulatedFile(this.#inodes++, typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes)
    const old = directory.live.get(name)
    if (old !== undefined) old.links--
    this.#touch(file).links = 1
    directory.plant(name, file)
  }

  /** Refuses an operation with an error code: the one with this step, or the first one that matches. */
  fail(when: number | ((call: Call) => boolean), code: string, options: FaultOptions = {}): void {
    this.#schedule.fail(when, code, options)
  }

  /** Forgets every fault that is still to come: space has returned, the device is back. */
  heal(): void {
    this.#schedule.heal()
    for (const handle of this.#handles) handle.refusal = undefined
  }

  /** Stops the process at an operation, counted from 1 over all: it and all later ones throw {@link SimulatedCrash}. */
  crashAt(step: number, when: Stop = "before"): void {
    this.#schedule.crashAt(step, when)
  }

  /** The process has died: the live image stays, the handles are gone, and another process may go on with this disk. */
  kill(): void {
    for (const handle of this.#handles) handle.isOpen = false
    this.#handles.clear()
    this.#schedule.revive()
  }

  /**
   * Another disk that holds one legal state after a power cut at this moment. This one is unchanged: many cuts can be taken from it.
   * Cost: a copy of all bytes.
   */
  crash(choose: Chooser, grain: Grain = "byte"): SimulatedDisk {
    const disk = new SimulatedDisk()
    crashTree(this.#root, disk.#root, choose, grain)
    disk.#inodes = this.#inodes
    disk.#clock = this.#clock
    return disk
  }

  /** Every name on the disk, files and directories, sorted. */
  paths(): ReadonlyArray<string> {
    const found: Array<string> = []
    const walk = (directory: SimulatedDirectory, prefix: string): void => {
      for (const [name, node] of directory.live) {
        found.push(`${prefix}/${name}`)
        if (node.kind === "directory") walk(node, `${prefix}/${name}`)
      }
    }
    walk(this.#root, "")
    return found.sort()
  }

  /** A copy of a file's live bytes, or undefined where there is no file. Not an operation. */
  bytes(path: string): Uint8Array | undefined {
    const node = this.#find(path)
    return node?.kind === "file" ? node.bytes() : undefined
  }

  /** A file's live bytes as text. Not an operation. */
  text(path: string): string | undefined {
    const bytes = this.bytes(path)
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
  }

  // ── The port ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  open = (path: string, mode: OpenMode): Handle =>
    this.#perform("open", path, () => {
      const { directory, name } = this.#place("open", path)
      const found = name === undefined ? directory : directory.live.get(name)
      if (mode === "create") {
        if (found !== undefined || name === undefined) throw new DiskFault("open", path, "EEXIST")
        const file = this.#touch(new SimulatedFile(this.#inodes++, new Uint8Array()))
        file.links = 1
        directory.change([[name, file]])
        this.#touch(directory)
        return this.#handle(path, file, mode)
      }
      if (found === undefined) throw new DiskFault("open", path, "ENOENT")
      if (found.kind !== "file") throw new DiskFault("open", path, "ENOTREG")
      return this.#handle(path, found, mode)
    })

  close = (handle: Handle): void => {
    const own = this.#own("close", handle)
    // As on a real system the handle is gone even when closing reports a failure.
    const release = () => {
      own.isOpen = false
      this.#handles.delete(own)
    }
    this.#perform("close", handle.path, release, { refused: release })
  }

  read = (handle: Handle, into: Uint8Array, position: number): number => {
    const { file } = this.#own("read", handle)
    return this.#perform("read", handle.path, () => file.read(into, position))
  }

  write = (handle: Handle, bytes: Uint8Array): number => {
    const own = this.#own("write", handle, true)
    const put = (count: number): number => {
      own.file.append(bytes.subarray(0, count))
      if (count > 0) this.#touch(own.file)
      return Math.min(count, bytes.length)
    }
    const whole = () => {
      const { refusal } = own
      own.refusal = undefined
      if (refusal !== undefined) throw new DiskFault("write", handle.path, refusal)
      return put(bytes.length)
    }
    const refused = (fault: FaultOptions & { readonly code: string }): number | undefined => {
      if (fault.short === undefined || Math.min(fault.short, bytes.length) <= 0) return undefined
      own.refusal = fault.code
      return put(fault.short)
    }
    return this.#perform("write", handle.path, whole, { refused, partly: put })
  }

  truncate = (handle: Handle, length: number): void => {
    const { file } = this.#own("truncate", handle, true)
    this.#perform("truncate", handle.path, () => {
      if (length > file.size || length < 0) throw new DiskFault("truncate", handle.path, "EINVAL")
      file.truncate(length)
      this.#touch(file)
    })
  }

  sync = (handle: Handle): void => {
    const { file } = this.#own("sync", handle)
    const lose = (): undefined => void file.syncFailed()
    this.#perform("sync", handle.path, () => file.sync(), { refused: lose })
  }

  stat = (handle: Handle): FileStat => {
    const { file } = this.#own("stat", handle)
    return this.#perform("stat", handle.path, () => this.#statOf(file))
  }

  lstat = (path: string): FileStat | undefined =>
    this.#perform("lstat", path, () => {
      const node = this.#find(path)
      return node === undefined ? undefined : this.#statOf(node)
    })

  list = (path: string): ReadonlyArray<string> =>
    this.#perform("list", path, () => [...this.#directory("list", path).live.keys()].sort())

  makeDirectory = (path: string): void =>
    this.#perform("makeDirectory", path, () => {
      let directory = this.#root
      for (const part of partsOf(path)) {
        let next = directory.live.get(part)
        if (next === undefined) {
          next = this.#touch(new SimulatedDirectory(this.#inodes++))
          next.links = 1
          directory.change([[part, next]])
          this.#touch(directory)
        }
        if (next.kind !== "directory") throw new DiskFault("makeDirectory", path, "EEXIST")
        directory = next
      }
    })

  link = (from: string, to: string): void =>
    this.#perform("link", from, () => {
      const node = this.#existing("link", from)
      const target = this.#place("link", to)
      if (target.name === undefined || target.directory.live.has(target.name)) throw new DiskFault("link", from, "EEXIST")
      if (node.kind !== "file") throw new DiskFault("link", from, "EPERM")
      target.directory.change([[target.name, node]])
      this.#touch(target.directory)
      node.links++
    })

  rename = (from: string, to: string): void =>
    this.#perform("rename", from, () => {
      const source = this.#place("rename", from)
      const target = this.#place("rename", to)
      const node = this.#existing("rename", from)
      if (source.name === undefined || target.name === undefined) throw new DiskFault("rename", from, "EBUSY")
      if (node.kind === "directory" && within(node, target.directory)) throw new DiskFault("rename", from, "EINVAL")
      const old = target.directory.live.get(target.name)
      if (old?.kind === "directory" && within(old, source.directory)) throw new DiskFault("rename", from, "ENOTEMPTY")
      if (old === node) return
      if (old !== undefined && old.kind !== node.kind)
        throw new DiskFault("rename", from, old.kind === "file" ? "ENOTDIR" : "EISDIR")
      if (old?.kind === "directory" && old.live.size > 0) throw new DiskFault("rename", from, "ENOTEMPTY")
      if (old !== undefined) old.links--
      if (source.directory === target.directory) {
        source.directory.change([
          [source.name, undefined],
          [target.name, node],
        ])
      } else {
        const change = target.directory.change([[target.name, node]])
        const removal = source.directory.change([[source.name, undefined]], { directory: target.directory, change })
        if (node.kind === "directory") change.needs = { directory: source.directory, change: removal }
      }
      this.#touch(source.directory)
      this.#touch(target.directory)
    })

  unlink = (path: string): void =>
    this.#perform("unlink", path, () => {
      const node = this.#existing("unlink", path)
      const { directory, name } = this.#place("unlink", path)
      if (node.kind !== "file" || name === undefined) throw new DiskFault("unlink", path, "EISDIR")
      directory.change([[name, undefined]])
      this.#touch(directory)
      node.links--
    })

  removeDirectory = (path: string): void =>
    this.#perform("removeDirectory", path, () => {
      const node = this.#directory("removeDirectory", path)
      const { directory, name } = this.#place("removeDirectory", path)
      if (name === undefined) throw new DiskFault("removeDirectory", path, "EBUSY")
      if (node.live.size > 0) throw new DiskFault("removeDirectory", path, "ENOTEMPTY")
      const emptied = node.latest
      directory.change([[name, undefined]], emptied && { directory: node, change: emptied })
      this.#touch(directory)
      node.links--
    })

  setMode = (path: string, mode: number): void =>
    this.#perform("setMode", path, () => {
      if (!Number.isInteger(mode) || mode < 0 || mode > 0o7777) throw new DiskFault("setMode", path, "EINVAL")
      this.#existing("setMode", path).mode.set(mode)
    })

  /** Keeps the microsecond and no more, so that nobody comes to rely on more. */
  setModified = (path: string, modified: bigint): void =>
    this.#perform("setModified", path, () => {
      const within = ((modified % 1_000n) + 1_000n) % 1_000n
      this.#existing("setModified", path).modified.set(modified - within)
    })

  syncDirectory = (path: string): void => {
    const lose = (): undefined => {
      const node = this.#find(path)
      if (node?.kind === "directory") node.syncFailed()
    }
    const store = (): void => {
      const directory = this.#directory("syncDirectory", path)
      directory.sync()
      directory.settle()
    }
    this.#perform("syncDirectory", path, store, { refused: lose })
  }

  // ── Inside ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  #perform<A>(operation: keyof Disk, path: string, whole: () => A, effects: Omit<Effects<A>, "whole"> = {}): A {
    return this.#schedule.perform(operation, path, { ...effects, whole })
  }

  #handle(path: string, file: SimulatedFile, mode: OpenMode): Handle {
    const handle = new SimulatedHandle(path, file, mode)
    this.#handles.add(handle)
    return handle
  }

  #own(operation: keyof Disk, handle: Handle, writing = false): SimulatedHandle {
    this.#schedule.alive()
    if (!(handle instanceof SimulatedHandle) || !handle.isOpen || !this.#handles.has(handle)) {
      throw new DiskFault(operation, handle.path, "EBADF")
    }
    if (writing && handle.mode === "read")
      throw new DiskFault(operation, handle.path, operation === "truncate" ? "EINVAL" : "EBADF")
    return handle
  }

  #touch<A extends SimulatedNode>(node: A): A {
    node.modified.follow(++this.#clock)
    return node
  }

  /** The directory of a name and the name in it; no name for the root. */
  #place(operation: keyof Disk, path: string): { readonly directory: SimulatedDirectory; readonly name: string | undefined } {
    const parts = partsOf(path)
    const name = parts.pop()
    let directory = this.#root
    for (const part of parts) {
      const next = directory.live.get(part)
      if (next === undefined) throw new DiskFault(operation, path, "ENOENT")
      if (next.kind !== "directory") throw new DiskFault(operation, path, "ENOTDIR")
      directory = next
    }
    return { directory, name }
  }

  #find(path: string): SimulatedNode | undefined {
    let node: SimulatedNode | undefined = this.#root
    for (const part of partsOf(path)) node = node?.kind === "directory" ? node.live.get(part) : undefined
    return node
  }

  #existing(operation: keyof Disk, path: string): SimulatedNode {
    const { directory, name } = this.#place(operation, path)
    const node = name === undefined ? directory : directory.live.get(name)
    if (node === undefined) throw new DiskFault(operation, path, "ENOENT")
    return node
  }

  #directory(operation: keyof Disk, path: string): SimulatedDirectory {
    const node = this.#existing(operation, path)
    if (node.kind !== "directory") throw new DiskFault(operation, path, "ENOTDIR")
    return node
  }

  #statOf(node: SimulatedNode): FileStat {
    return {
      kind: node.kind,
      device,
      inode: node.inode,
      size: node.kind === "file" ? node.size : 0,
      links: node.links,
      uid: 0,
      mode: node.mode.live,
      modified: node.modified.live,
    }
  }
}

/** Whether a directory is another one or lies below it. */
const within = (top: SimulatedDirectory, directory: SimulatedDirectory): boolean => {
  if (top === directory) return true
  for (const child of top.live.values()) if (child.kind === "directory" && within(child, directory)) return true
  return false
}
