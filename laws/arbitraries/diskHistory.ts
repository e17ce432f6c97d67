import * as fc from "fast-check"
import type { FileStat, Handle } from "../../src/disk/Disk.ts"
import { DiskFault } from "../../src/disk/Disk.ts"
import type { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import type { Coverage } from "../Law.ts"
import { content, fraction } from "./disk.ts"

/**
 * Histories of a disk, and a naive record of what a power cut may do to it: for each byte, each name, each mode and each time
 * whether it was synced and which values it has had since. Written without a look at how the simulated disk does it.
 */

export type DiskEvent =
  | { readonly do: "create"; readonly path: string }
  | { readonly do: "write"; readonly path: string; readonly bytes: Uint8Array }
  | { readonly do: "truncate"; readonly path: string; readonly keep: number }
  | { readonly do: "sync"; readonly path: string; readonly works: boolean }
  | { readonly do: "rename"; readonly path: string; readonly to: string }
  | { readonly do: "link"; readonly path: string; readonly to: string }
  | { readonly do: "unlink"; readonly path: string }
  | { readonly do: "makeDirectory"; readonly path: string }
  | { readonly do: "removeDirectory"; readonly path: string }
  | { readonly do: "setMode"; readonly path: string; readonly mode: number }
  | { readonly do: "setModified"; readonly path: string; readonly modified: bigint }
  | { readonly do: "syncDirectory"; readonly directory: string }

const directories = ["/a", "/b"] as const
const paths = directories.flatMap((directory) => ["x", "y", "z"].map((name) => `${directory}/${name}`))

const path = fc.constantFrom(...paths)

const micro = (count: bigint): bigint => count * 1_000_000n

const event: fc.Arbitrary<DiskEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("create"), path }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("write"), path, bytes: content(1100) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("truncate"), path, keep: fraction }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("sync"), path, works: fc.constantFrom(true, true, true, false) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rename"), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("link"), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unlink"), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("makeDirectory"), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("removeDirectory"), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("setMode"), path, mode: fc.constantFrom(0o600, 0o644, 0o700, 0o755) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("setModified"), path, modified: fc.bigInt({ min: 1n, max: 9n }).map(micro) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("syncDirectory"), directory: fc.constantFrom(...directories) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("syncDirectory"), directory: path }) },
)

export const diskHistory: fc.Arbitrary<ReadonlyArray<DiskEvent>> = fc.array(event, { maxLength: 24, size: "max" })

/** What is known of one file. */
class FileRecord {
  live: Array<number> = []
  /** For each byte of the live image: stored by a sync, not yet stored, or given up by a failed sync. */
  state: Array<"firm" | "soft" | "lost"> = []
  /** The bytes that no cut may take: a prefix of what was synced, shortened by each truncation. */
  firm: Array<number | undefined> = []
  /** Every value that a place has had. */
  readonly seen = new Map<number, Set<number>>()
  longest = 0

  write(bytes: Uint8Array): void {
    for (const byte of bytes) {
      const at = this.live.length
      const values = this.seen.get(at) ?? new Set()
      this.seen.set(at, values.add(byte))
      this.live.push(byte)
      this.state.push("soft")
    }
    this.longest = Math.max(this.longest, this.live.length)
  }

  truncate(length: number): void {
    this.live.length = length
    this.state.length = length
    this.firm.length = Math.min(this.firm.length, length)
  }

  sync(works: boolean): void {
    this.state = this.state.map((state) => (state !== "soft" ? state : works ? "firm" : "lost"))
    if (!works) return
    this.firm = this.live.map((byte, at) => (this.state[at] === "firm" ? byte : undefined))
    this.longest = this.live.length
  }
}

/** What is known of one name since its directory was last synced. */
interface NameRecord {
  /** The inode it must have, or what it may have: every inode since, undefined for none. */
  synced: bigint | undefined
  readonly since: Array<bigint | undefined>
}

/** The modes and times that a file or a directory has had since they were last synced, the present ones included. */
interface Attributes {
  readonly modes: Set<number>
  readonly times: Set<bigint>
}

const directoryOf = (name: string): string => name.slice(0, 2)

export class DiskOracle {
  readonly #disk: SimulatedDisk
  readonly #files = new Map<bigint, FileRecord>()
  readonly #names = new Map<string, NameRecord>()
  readonly #attributes = new Map<bigint, Attributes>()

  constructor(disk: SimulatedDisk) {
    this.#disk = disk
    for (const directory of directories) disk.put(`${directory}/kept`, "kept")
    for (const name of paths) this.#names.set(name, { synced: undefined, since: [] })
  }

  /** Lets an event happen, on the disk and in the record. An event that the disk refuses has not happened. */
  play(event: DiskEvent): void {
    try {
      if (event.do === "syncDirectory") this.#syncDirectory(event.directory)
      else if (event.do === "create") this.#create(event.path)
      else if (event.do === "write" || event.do === "truncate" || event.do === "sync") this.#change(event)
      else if (event.do === "makeDirectory") this.#makeDirectory(event.path)
      else if (event.do === "removeDirectory") this.#removeDirectory(event.path)
      else if (event.do === "setMode") this.#disk.setMode(event.path, event.mode)
      else if (event.do === "setModified") this.#disk.setModified(event.path, event.modified)
      else this.#name(event)
    } catch (cause) {
      if (!(cause instanceof DiskFault)) throw cause
    }
    for (const name of paths) this.#notice(name)
  }

  /** The live image holds exactly what was put there. */
  judgeLive(): void {
    for (const name of paths) {
      const inode = this.#disk.lstat(name)?.inode
      const expected = inode === undefined ? undefined : this.#files.get(inode)?.live
      const found = this.#disk.bytes(name)
      if (expected?.join() !== (found === undefined ? undefined : [...found].join()))
        throw new Error(`${name} is not what was written`)
    }
  }

  /** An image after a power cut has every firm byte and name, and nothing that never was. */
  judge(image: SimulatedDisk, coverage: Coverage): void {
    for (const directory of directories) {
      if (image.text(`${directory}/kept`) !== "kept") throw new Error(`${directory}/kept was synced and is gone`)
    }
    for (const [name, { synced, since }] of this.#names) {
      const stat = image.lstat(name)
      if (![synced, ...since].includes(stat?.inode)) {
        throw new Error(`${name} points at ${stat?.inode ?? "nothing"}, expected ${synced} or one of [${since.join()}]`)
      }
      const last = since.at(-1)
      coverage.hit("unsynced name kept", since.length > 0 && last !== undefined && stat?.inode === last)
      coverage.hit("unsynced name gone", last !== undefined && last !== synced && stat === undefined)
      coverage.hit("removed name back", since.length > 0 && last === undefined && synced !== undefined && stat?.inode === synced)
      coverage.hit("removed directory back", last === undefined && since.length > 0 && stat?.kind === "directory")
      if (stat !== undefined) this.#judgeAttributes(name, stat, coverage)
      const bytes = image.bytes(name)
      const file = stat === undefined ? undefined : this.#files.get(stat.inode)
      if (bytes !== undefined && file !== undefined) judgeFile(name, file, bytes, coverage)
    }
  }

  /** Takes down the mode and the time that a name's file or directory has now. */
  #notice(name: string): void {
    const stat = this.#disk.lstat(name)
    if (stat === undefined) return
    const known = this.#attributes.get(stat.inode) ?? { modes: new Set(), times: new Set() }
    known.modes.add(stat.mode)
    known.times.add(stat.modified)
    this.#attributes.set(stat.inode, known)
  }

  #judgeAttributes(name: string, stat: FileStat, coverage: Coverage): void {
    const known = this.#attributes.get(stat.inode)
    if (known?.modes.has(stat.mode) !== true) throw new Error(`${name} has a mode that it had not since its sync: ${stat.mode}`)
    if (!known.times.has(stat.modified)) throw new Error(`${name} has a time that it had not since its sync: ${stat.modified}`)
    const live = this.#disk.lstat(name)
    if (live?.inode !== stat.inode) return
    coverage.hit(`unsynced mode of a ${stat.kind} kept`, known.modes.size > 1 && live.mode === stat.mode)
    coverage.hit(`unsynced mode of a ${stat.kind} gone`, live.mode !== stat.mode)
    coverage.hit(`unsynced time of a ${stat.kind} gone`, live.modified !== stat.modified)
    coverage.hit("mode of a directory synced", stat.kind === "directory" && known.modes.size === 1 && stat.mode !== 0o700)
  }

  #makeDirectory(name: string): void {
    const isThere = this.#disk.lstat(name) !== undefined
    this.#disk.makeDirectory(name)
    if (!isThere) this.#names.get(name)?.since.push(this.#disk.lstat(name)?.inode)
  }

  #removeDirectory(name: string): void {
    this.#disk.removeDirectory(name)
    this.#names.get(name)?.since.push(undefined)
  }

  #create(name: string): void {
    const handle = this.#disk.open(name, "create")
    const { inode } = this.#disk.stat(handle)
    this.#disk.close(handle)
    this.#files.set(inode, new FileRecord())
    this.#names.get(name)?.since.push(inode)
  }

  #change(event: DiskEvent & { readonly do: "write" | "truncate" | "sync" }): void {
    const handle = this.#disk.open(event.path, "append")
    const file = this.#files.get(this.#disk.stat(handle).inode)
    try {
      if (file !== undefined) this.#changeOpen(event, handle, file)
    } finally {
      this.#disk.close(handle)
    }
  }

  #changeOpen(event: DiskEvent & { readonly do: "write" | "truncate" | "sync" }, handle: Handle, file: FileRecord): void {
    if (event.do === "write") {
      this.#disk.write(handle, event.bytes)
      file.write(event.bytes)
    } else if (event.do === "truncate") {
      const length = Math.floor(event.keep * file.live.length)
      this.#disk.truncate(handle, length)
      file.truncate(length)
    } else {
      if (!event.works) this.#disk.fail((call) => call.operation === "sync", "EIO")
      file.sync(event.works)
      this.#disk.sync(handle)
    }
  }

  #name(event: DiskEvent & { readonly do: "rename" | "link" | "unlink" }): void {
    const inode = this.#disk.lstat(event.path)?.inode
    if (event.do === "unlink") {
      this.#disk.unlink(event.path)
      this.#names.get(event.path)?.since.push(undefined)
      return
    }
    const old = this.#disk.lstat(event.to)?.inode
    this.#disk[event.do](event.path, event.to)
    if (old === inode) return
    this.#names.get(event.to)?.since.push(inode)
    if (event.do === "link") return
    this.#names.get(event.path)?.since.push(undefined)
  }

  #syncDirectory(directory: string): void {
    this.#disk.syncDirectory(directory)
    const inode = this.#disk.lstat(directory)?.inode
    if (inode !== undefined) this.#attributes.delete(inode)
    for (const [name, record] of this.#names) {
      if (directoryOf(name) !== directory || record.since.length === 0) continue
      record.synced = record.since.at(-1)
      record.since.length = 0
    }
  }
}

const judgeFile = (name: string, file: FileRecord, bytes: Uint8Array, coverage: Coverage): void => {
  if (bytes.length < file.firm.length) throw new Error(`${name} lost ${file.firm.length - bytes.length} synced bytes`)
  const most = Math.max(file.longest, Math.ceil(file.live.length / 4096) * 4096)
  if (bytes.length > most) throw new Error(`${name} has ${bytes.length} bytes, it never had more than ${most}`)
  let kept = 0
  let holes = 0
  bytes.forEach((byte, at) => {
    const firm = file.firm[at]
    if (firm !== undefined && byte !== firm) throw new Error(`${name}: synced byte ${at} is ${byte}, not ${firm}`)
    if (byte !== 0 && file.seen.get(at)?.has(byte) !== true) throw new Error(`${name}: byte ${at} was never ${byte}`)
    if (firm !== undefined || at >= file.live.length) return
    if (byte === 0) holes++
    else kept++
    coverage.hit("lost before a later sync", byte === 0 && file.state[at] === "lost" && at < file.firm.length)
  })
  coverage.hit("unsynced bytes kept", kept > 0)
  coverage.hit("unsynced bytes NUL", holes > 0)
  coverage.hit("unsynced bytes gone", bytes.length < file.live.length)
  coverage.hit("torn", kept > 0 && holes > 0 && bytes.length <= 512)
  coverage.hit("grown with NULs", bytes.length > file.live.length && bytes.length > file.longest)
  coverage.hit("name without its bytes", bytes.length === 0 && file.live.length > 0)
}
