/**
 * Follows a journal that another process writes: at each step what has become certain since the step before.
 *
 * Guarantees (law FOL-1): each record once, in the order of the file, none missing, and only from lines whose newline is there. Bytes
 * behind the last newline are looked at again at each step, so a torn tail that its writer cuts off was never seen. It opens and reads;
 * it cannot write.
 *
 * The name may be given to another file, as a migration or a repair does; the file may be cut before what was read of it, as a writer
 * does that takes back a batch, or be written over; it may be removed, and not exist at first. Then a `Replaced` is among the items, and
 * of what the name holds now only those records follow that were not handed over before (see Seen.ts for which are the same). What is
 * written into a replaced or removed file after its name was lost is not waited for.
 *
 * That a file was written over is seen by its first bytes and by the last that were read of it, `witnessBytes` each. A record that is
 * changed in place between the two is not.
 *
 * Costs one look at the name, one at the file and one read for each step; a chunk and a line of memory, besides what Seen.ts keeps. A
 * line longer than a chunk is looked through once more whenever the file has changed, until its newline is there.
 */
import type { Disk, FileStat, Handle } from "../disk/Disk.ts"
import { READ_CHUNK_BYTES } from "../model/Limits.ts"
import { Decoder } from "./Decoder.ts"
import { digests } from "./Digests.ts"
import { SealReader } from "./Integrity.ts"
import type { LineItem } from "./Line.ts"
import { attempt, closeQuietly, ReadError, type ReadOptions } from "./Reader.ts"
import { Seen } from "./Seen.ts"

/** Of what follows, the records before were read from other bytes. */
export interface Replaced {
  readonly _tag: "Replaced"
  /** The name belongs to another file; the file got shorter than what was read of it; or other bytes stand there. */
  readonly how: "other-file" | "cut" | "rewritten"
}

/** The name belongs to no file any more. When it does again, a `Replaced` follows. */
export interface Removed {
  readonly _tag: "Removed"
}

export type FollowItem = LineItem | Replaced | Removed

export interface FollowerOptions extends ReadOptions {
  /**
   * What is handed over of the file that the name holds at first: all of it, only what comes behind its last newline, or what begins at
   * this offset in bytes or behind. Default: `start`. What is left out is read all the same, so that line numbers are right and so that
   * it is known when it comes again in another file.
   */
  readonly from?: "start" | "end" | number | undefined
  /** What is handed over behind a `Replaced`: what was not handed over before, or all. Default: `unseen`. */
  readonly replaced?: "unseen" | "all" | undefined
  /** Bytes at the beginning of the file and before the place reached that are compared at each step. Default: 4,096. */
  readonly witnessBytes?: number | undefined
}

/** The part of a disk that a follower can reach. */
export type ReadingDisk = Pick<Disk, "open" | "close" | "read" | "stat" | "lstat">

export interface Step {
  readonly items: ReadonlyArray<FollowItem>
  /** `more`: there is more to be read at once; `waiting`: all is read that is there; `done`: nothing comes any more. */
  readonly state: "more" | "waiting" | "done"
}

const WITNESS_BYTES = 4_096

const NEWLINE = 0x0a
const NONE = new Uint8Array(0)

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at])

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

/** One file under the name, and how far it was read. */
interface Reached {
  readonly handle: Handle
  readonly decoder: Decoder
  readonly seals: SealReader
  /** Bytes given to the decoder. */
  position: number
  /** Behind a newline that is known to be there, or not above the position. */
  goal: number
  /** The first bytes of the file, and the last before the position. */
  head: Uint8Array
  tail: Uint8Array
  /** Of the file when the beginning was compared last. */
  modified: bigint
  /** In which state the file was when no newline was found behind the position. */
  fruitless: Pick<FileStat, "size" | "modified"> | undefined
}

export class Follower {
  readonly #disk: ReadingDisk
  readonly #path: string
  readonly #options: FollowerOptions
  readonly #chunkBytes: number
  readonly #witnessBytes: number
  readonly #seen: Seen | undefined
  #reached: Reached | undefined
  /** Where handing over begins in the first file; undefined until it is known. */
  #from: number | undefined
  /** Whether that place was reached. Before it nothing was handed over, so another file is the first one. */
  #hasBegun = false
  /** Whether a file was there before, so that the next one takes its place. */
  #isSuccessor = false
  #isDone = false

  constructor(disk: ReadingDisk, path: string, options: FollowerOptions = {}) {
    this.#disk = disk
    this.#path = path
    this.#options = options
    this.#chunkBytes = Math.max(1, options.chunkBytes ?? READ_CHUNK_BYTES)
    this.#witnessBytes = Math.max(1, options.witnessBytes ?? WITNESS_BYTES)
    this.#seen = options.replaced === "all" ? undefined : new Seen()
    const { from = "start" } = options
    this.#from = from === "end" ? undefined : from === "start" ? 0 : from
  }

  /**
   * Reads at most one chunk. `isLast`: the writer has closed the file, so what stands behind the last newline is the end of it.
   *
   * @throws ReadError `NotAFile` or `Unreadable`; the follower is closed then
   */
  step(isLast = false): Step {
    if (this.#isDone) return { items: [], state: "done" }
    const items: Array<FollowItem> = []
    try {
      const state = this.#advance(items, isLast)
      return { items, state }
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  /** Gives the file back. Nothing comes any more. */
  close(): void {
    this.#isDone = true
    this.#leave()
  }

  #advance(items: Array<FollowItem>, isLast: boolean): Step["state"] {
    const named = attempt(this.#path, () => this.#disk.lstat(this.#path))
    const reached = this.#reached ?? this.#enter(named, items)
    if (reached === undefined) return this.#wait(isLast)
    if (!this.#read(reached, items)) return "more"
    const stat = attempt(this.#path, () => this.#disk.stat(reached.handle))
    if (named === undefined || named.device !== stat.device || named.inode !== stat.inode) {
      // Whatever comes next under the name, this file was read to its last newline after it had lost it.
      this.#leave()
      if (named === undefined) items.push({ _tag: "Removed" })
      return named === undefined ? this.#wait(isLast) : "more"
    }
    if (isLast) this.#end(reached, items)
    return this.#wait(isLast)
  }

  #wait(isLast: boolean): "waiting" | "done" {
    if (!isLast) return "waiting"
    this.close()
    return "done"
  }

  /** Opens what the name holds. */
  #enter(named: FileStat | undefined, items: Array<FollowItem>): Reached | undefined {
    if (named === undefined) {
      // What comes into being from now on is behind the end.
      this.#from ??= 0
      return undefined
    }
    let handle: Handle
    try {
      handle = attempt(this.#path, () => this.#disk.open(this.#path, "read"))
    } catch (cause) {
      if (cause instanceof ReadError && cause.reason._tag === "NotFound") return undefined
      throw cause
    }
    if (this.#isSuccessor) this.#again("other-file", items)
    return this.#begin(handle)
  }

  #begin(handle: Handle): Reached {
    this.#isSuccessor = true
    const decoder = new Decoder(this.#options)
    const none = { position: 0, goal: 0, head: NONE, tail: NONE, modified: -1n, fruitless: undefined }
    this.#reached = { handle, decoder, seals: new SealReader(digests), ...none }
    return this.#reached
  }

  #leave(): void {
    const reached = this.#reached
    this.#reached = undefined
    if (reached !== undefined) closeQuietly(this.#disk, reached.handle)
  }

  /** What was read is not there any more: everything is read again. */
  #again(how: Replaced["how"], items: Array<FollowItem>): void {
    if (!this.#hasBegun) return
    this.#from = 0
    this.#seen?.again()
    items.push({ _tag: "Replaced", how })
  }

  /** Reads on. False: there may be more. */
  #read(reached: Reached, items: Array<FollowItem>): boolean {
    const { handle } = reached
    const stat = attempt(this.#path, () => this.#disk.stat(handle))
    if (stat.size < reached.position) return this.#restart("cut", reached, items)
    if (stat.modified !== reached.modified && !equal(this.#bytes(handle, 0, reached.head.length), reached.head))
      return this.#restart("rewritten", reached, items)
    reached.modified = stat.modified
    // In one read, so that nothing comes between the comparison and what is taken.
    const kept = reached.tail.length
    const bytes = this.#bytes(handle, reached.position - kept, kept + Math.min(this.#chunkBytes, stat.size - reached.position))
    if (!equal(bytes.subarray(0, kept), reached.tail)) return this.#restart("rewritten", reached, items)
    const chunk = bytes.subarray(kept)
    const take = this.#certain(reached, chunk, stat)
    if (take === 0) this.#from ??= reached.position
    this.#hasBegun ||= this.#from !== undefined && this.#from <= reached.position
    if (take > 0) this.#take(reached, chunk.subarray(0, take), items)
    return take === 0
  }

  #restart(how: Replaced["how"], reached: Reached, items: Array<FollowItem>): false {
    this.#again(how, items)
    this.#begin(reached.handle)
    return false
  }

  /** How many bytes of the chunk belong to lines whose newline is there. */
  #certain(reached: Reached, chunk: Uint8Array, stat: FileStat): number {
    const { position, fruitless } = reached
    const whole = chunk.lastIndexOf(NEWLINE) + 1
    if (whole > 0) return whole
    if (position + chunk.length >= stat.size) return 0
    if (reached.goal > position && reached.goal <= stat.size) return chunk.length
    if (fruitless !== undefined && fruitless.size === stat.size && fruitless.modified === stat.modified) return 0
    for (let at = position + chunk.length; at < stat.size; at += this.#chunkBytes) {
      const newline = this.#bytes(reached.handle, at, Math.min(this.#chunkBytes, stat.size - at)).indexOf(NEWLINE)
      if (newline === -1) continue
      reached.goal = at + newline + 1
      return chunk.length
    }
    reached.fruitless = { size: stat.size, modified: stat.modified }
    return 0
  }

  #take(reached: Reached, bytes: Uint8Array, items: Array<FollowItem>): void {
    if (reached.head.length < this.#witnessBytes && reached.head.length === reached.position)
      reached.head = joined(reached.head, bytes.subarray(0, this.#witnessBytes - reached.head.length))
    reached.tail = joined(reached.tail, bytes.subarray(-this.#witnessBytes)).slice(-this.#witnessBytes)
    reached.position += bytes.length
    for (const item of reached.decoder.push(bytes)) this.#handOver(reached.seals.read(item), items)
  }

  /** The rest of a file that its writer has closed. */
  #end(reached: Reached, items: Array<FollowItem>): void {
    const { handle, decoder, seals } = reached
    for (;;) {
      const size = attempt(this.#path, () => this.#disk.stat(handle)).size
      const bytes = this.#bytes(handle, reached.position, Math.max(0, Math.min(this.#chunkBytes, size - reached.position)))
      if (bytes.length === 0) break
      this.#take(reached, bytes, items)
    }
    for (const item of decoder.end()) this.#handOver(seals.read(item), items)
  }

  #handOver(read: Iterable<LineItem>, items: Array<FollowItem>): void {
    for (const item of read) {
      const offset = item._tag === "Record" ? item.record.offset : item.damage.offset
      const isNew = this.#seen?.isNew(item) ?? true
      if (isNew && this.#from !== undefined && offset >= this.#from) items.push(item)
    }
  }

  /** The bytes from a position on; fewer than asked for where the file ends. */
  #bytes(handle: Handle, position: number, length: number): Uint8Array {
    const into = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const count = attempt(this.#path, () => this.#disk.read(handle, into.subarray(filled), position + filled))
      if (count <= 0) break
      filled += count
    }
    return into.subarray(0, filled)
  }
}
