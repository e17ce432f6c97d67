import type { Chooser } from "./Chooser.ts"
import { SimulatedAttribute } from "./SimulatedAttribute.ts"

/**
 * The bytes of one simulated file: the live image, what is durable, and what lies between.
 *
 * After a power cut the content is legal if and only if
 * - the changes since the last sync are kept up to some point, a write possibly in part, and none after it;
 * - the bytes of the durable length are intact, unless a kept truncation cut them;
 * - each 512-byte page that a kept write touched is, independently of the others, new, or as it was (NUL where nothing was), or
 *   torn: new up to some byte and old after it, or the reverse;
 * - if all changes were kept, the file may also have grown by NULs to the end of its page or block.
 *
 * A failed sync marks the pages clean without having stored them: the bytes stay in the live image, no later sync stores them, and
 * after a power cut each of their pages is in one of the three states.
 */

export const pageSize = 512
const blockSize = 4096

/**
 * Where a cut may fall: on any byte; only near the ends and the middle; or only between pages, each of which is then old or new. The
 * coarser ones keep exhaustive runs small.
 */
export type Grain = "byte" | "edge" | "page"

type Change =
  | { readonly kind: "write"; readonly at: number; readonly bytes: Uint8Array; readonly lost: boolean }
  | { readonly kind: "truncate"; readonly length: number }

interface Stretch {
  readonly at: number
  readonly bytes: Uint8Array
}

/** Bytes that grow at the end at amortised constant cost. */
class Content {
  #buffer: Uint8Array
  length: number

  constructor(bytes: Uint8Array) {
    this.#buffer = bytes.slice()
    this.length = bytes.length
  }

  /** Puts bytes at a place, filling a gap before them with NULs. */
  put(at: number, bytes: Uint8Array): void {
    this.grow(at + bytes.length)
    this.#buffer.set(bytes, at)
  }

  /** Makes the content at least this long, with NULs. */
  grow(length: number): void {
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, this.#buffer.length * 2, 64))
      larger.set(this.#buffer.subarray(0, this.length))
      this.#buffer = larger
    }
    this.length = Math.max(this.length, length)
  }

  cut(length: number): void {
    if (length >= this.length) return
    this.#buffer.fill(0, length, this.length)
    this.length = length
  }

  view(from = 0, to = this.length): Uint8Array {
    return this.#buffer.subarray(Math.min(from, this.length), Math.min(to, this.length))
  }
}

/** One of the numbers from 0 to `most`, or only of the interesting ones among them. Option 0 is `most`. */
const upTo = (most: number, grain: Exclude<Grain, "page">, choose: Chooser): number => {
  if (grain === "byte" || most <= 4) return most - choose(most + 1)
  return [most, most - 1, most >> 1, 1, 0][choose(5)] ?? most
}

export class SimulatedFile {
  readonly kind = "file"
  readonly inode: bigint
  /** The number of live names. */
  links = 0
  /** No operation of the port makes a file's mode and time durable: a power cut may leave any that was ever set. */
  readonly mode: SimulatedAttribute<number>
  readonly modified: SimulatedAttribute<bigint>
  readonly #live: Content
  readonly #durable: Content
  #pending: Array<Change> = []
  /** Stretches of the durable length whose bytes a failed sync left behind. */
  #uncertain: Array<Stretch> = []

  /** A file whose bytes are durable. */
  constructor(inode: bigint, bytes: Uint8Array, mode = 0o600, modified = 0n) {
    this.inode = inode
    this.mode = new SimulatedAttribute(mode)
    this.modified = new SimulatedAttribute(modified)
    this.#live = new Content(bytes)
    this.#durable = new Content(bytes)
  }

  get size(): number {
    return this.#live.length
  }

  /** A copy of the live bytes. */
  bytes(): Uint8Array {
    return this.#live.view().slice()
  }

  read(into: Uint8Array, position: number): number {
    const found = this.#live.view(position, position + into.length)
    into.set(found)
    return found.length
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#pending.push({ kind: "write", at: this.#live.length, bytes: bytes.slice(), lost: false })
    this.#live.put(this.#live.length, bytes)
  }

  truncate(length: number): void {
    this.#pending.push({ kind: "truncate", length })
    this.#live.cut(length)
  }

  /** Makes every change durable, except the bytes that a failed sync has lost. */
  sync(): void {
    for (const change of this.#pending) {
      if (change.kind === "truncate") this.#cutDurable(change.length)
      else if (change.lost) {
        this.#durable.grow(change.at + change.bytes.length)
        this.#uncertain.push(change)
      } else this.#durable.put(change.at, change.bytes)
    }
    this.#pending = []
  }

  /** The device refused: what was to be stored is marked clean all the same. */
  syncFailed(): void {
    this.#pending = this.#pending.map((change) => (change.kind === "write" ? { ...change, lost: true } : change))
  }

  #cutDurable(length: number): void {
    this.#durable.cut(length)
    this.#uncertain = this.#uncertain
      .filter((stretch) => stretch.at < length)
      .map((stretch) => ({ at: stretch.at, bytes: stretch.bytes.subarray(0, length - stretch.at) }))
  }

  /** The bytes after one legal power cut. */
  crash(choose: Chooser, grain: Grain): Uint8Array {
    if (this.#pending.length === 0 && this.#uncertain.length === 0) return this.#durable.view().slice()
    const before = new Content(this.#durable.view())
    const after = new Content(this.#durable.view())
    for (const stretch of this.#uncertain) after.put(stretch.at, stretch.bytes)
    const touched = [...this.#uncertain]
    const kept = this.#kept(choose, grain)
    for (const change of kept) {
      if (change.kind === "truncate") {
        before.cut(change.length)
        after.cut(change.length)
      } else {
        before.grow(change.at + change.bytes.length)
        after.put(change.at, change.bytes)
        touched.push(change)
      }
    }
    for (const page of pagesOf(touched, after.length)) settle(before, after, page, choose, grain)
    if (this.#pending.at(-1)?.kind === "write" && kept.length === this.#pending.length && after.length === this.size) {
      after.grow([after.length, roundUp(after.length, pageSize), roundUp(after.length, blockSize)][choose(3)] ?? 0)
    }
    return after.view().slice()
  }

  /** The changes up to the point where the cut found the file's length, the last one possibly in part. */
  #kept(choose: Chooser, grain: Grain): ReadonlyArray<Change> {
    const count = this.#pending.length - choose(this.#pending.length + 1)
    const kept = this.#pending.slice(0, count)
    const next = this.#pending[count]
    if (next?.kind === "write") {
      const part = grain === "page" ? toBorder(next, choose) : upTo(next.bytes.length - 1, grain, choose)
      if (part > 0) kept.push({ ...next, bytes: next.bytes.subarray(0, part) })
    }
    return kept
  }
}

const roundUp = (length: number, unit: number): number => Math.ceil(length / unit) * unit

/** How many bytes of a write come before one of the borders of pages within it, the last one first; or none of them. */
const toBorder = ({ at, bytes }: Stretch, choose: Chooser): number => {
  const first = roundUp(at + 1, pageSize) - at
  const borders = Math.max(0, Math.ceil((bytes.length - first) / pageSize))
  const chosen = choose(borders + 1)
  return chosen === borders ? 0 : first + (borders - 1 - chosen) * pageSize
}

/** The numbers of the pages that hold a byte of one of the stretches, within a length. */
const pagesOf = (stretches: ReadonlyArray<Stretch>, length: number): Iterable<number> => {
  const pages = new Set<number>()
  for (const { at, bytes } of stretches) {
    const end = Math.min(at + bytes.length, length)
    for (let page = Math.floor(at / pageSize); page * pageSize < end; page++) pages.add(page)
  }
  return pages
}

/** Decides one page: leaves the new bytes in `after`, or puts old ones there. */
const settle = (before: Content, after: Content, page: number, choose: Chooser, grain: Grain): void => {
  const start = page * pageSize
  const old = before.view(start, start + pageSize)
  const state = choose(grain === "page" ? 2 : 4)
  if (state === 0 || old.length === 0) return
  if (state === 1) after.put(start, old)
  else if (grain !== "page") {
    const cut = 1 + upTo(Math.max(0, old.length - 2), grain, choose)
    if (state === 2) after.put(start + Math.min(cut, old.length), old.subarray(cut))
    else after.put(start, old.subarray(0, cut))
  }
}
