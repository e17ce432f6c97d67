/**
 * Reads a journal from a disk, in bounded memory, and changes nothing.
 *
 * Guarantees: no content makes it fail; damage is an item among the records. It reads what the file held when it was opened: what is
 * appended meanwhile is not seen, so a growing file gives a consistent beginning of itself. A file that got shorter, or whose first
 * or last bytes became others, fails with `Changed`. A name that is given to another file while it is read does no harm.
 *
 * Seals are taken off the records, and what they tell is among the damages (see Integrity.ts).
 *
 * It fails with a {@link ReadError}, and only for reasons that concern the file as a whole.
 */
import { Buffer } from "node:buffer"
import * as Data from "effect/Data"
import { type Disk, DiskFault, type FileStat, type Handle } from "../disk/Disk.ts"
import { READ_CHUNK_BYTES, SCAN_FROM_BYTES } from "../model/Limits.ts"
import { type DecodeOptions, Decoder, type DecodeSummary } from "./Decoder.ts"
import { digests } from "./Digests.ts"
import { type ChainState, SealReader } from "./Integrity.ts"
import type { LineItem } from "./Line.ts"

export type ReadReason =
  /** Nothing has this name. */
  | { readonly _tag: "NotFound"; readonly code: "read.not_found" }
  /** The name is a directory, a symlink, a pipe or a device. */
  | { readonly _tag: "NotAFile"; readonly code: "read.not_a_file" }
  /** The disk refused; `system` is its error code, such as `EACCES`. */
  | { readonly _tag: "Unreadable"; readonly code: "read.unreadable"; readonly system: string }
  /** The file was cut or rewritten in place while it was read. What was read until then may not belong together. */
  | { readonly _tag: "Changed"; readonly code: "read.changed" }

export class ReadError extends Data.TaggedError("ReadError")<{ readonly path: string; readonly reason: ReadReason }> {
  get code(): ReadReason["code"] {
    return this.reason.code
  }

  override get message(): string {
    return `${this.path}: ${describe(this.reason)}`
  }
}

const describe = (reason: ReadReason): string => {
  switch (reason._tag) {
    case "NotFound":
      return "there is no such file"
    case "NotAFile":
      return "not a regular file"
    case "Unreadable":
      return `cannot be read (${reason.system})`
    case "Changed":
      return "was cut or rewritten while it was read"
  }
}

/** Which file it was, and in which state. */
export type Identity = Pick<FileStat, "device" | "inode" | "size" | "modified">

export interface Progress {
  readonly _tag: "Progress"
  /** Bytes read. */
  readonly done: number
  /** Bytes to read. */
  readonly total: number
}

export type ReadItem = LineItem | Progress

export interface ReadSummary extends DecodeSummary {
  readonly path: string
  readonly identity: Identity
  /** Where the chain of seals goes on; undefined in a file that has none and is not told to have them. */
  readonly chain: ChainState | undefined
}

export interface ReadOptions extends DecodeOptions {
  /** Bytes read at a time. */
  readonly chunkBytes?: number | undefined
}

const NOT_FOUND: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"])
const NOT_A_FILE: ReadonlySet<string> = new Set(["ENOTREG", "EISDIR", "ELOOP"])

const reasonOf = (system: string): ReadReason => {
  if (NOT_FOUND.has(system)) return { _tag: "NotFound", code: "read.not_found" }
  if (NOT_A_FILE.has(system)) return { _tag: "NotAFile", code: "read.not_a_file" }
  return { _tag: "Unreadable", code: "read.unreadable", system }
}

/** Runs one disk operation and gives its refusal as a {@link ReadError}. */
export const attempt = <A>(path: string, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof DiskFault) throw new ReadError({ path, reason: reasonOf(cause.code) })
    throw cause
  }
}

export const changed = (path: string): ReadError => new ReadError({ path, reason: { _tag: "Changed", code: "read.changed" } })

/** Bytes at either end of what was read that are compared when the file's time of change moved. */
const WITNESS_BYTES = 4_096

/** Fills `into` from `position`; a file that ends too early has changed. */
export const readFully = (disk: Disk, handle: Handle, into: Uint8Array, position: number): void => {
  for (let filled = 0; filled < into.length; ) {
    const count = attempt(handle.path, () => disk.read(handle, into.subarray(filled), position + filled))
    if (count <= 0) throw changed(handle.path)
    filled += count
  }
}

/** Throws when the file no longer begins and ends, within its first `size` bytes, as it was read. */
const confirm = (disk: Disk, handle: Handle, before: FileStat, first: Uint8Array, last: Uint8Array): void => {
  const after = attempt(handle.path, () => disk.stat(handle))
  if (after.size < before.size) throw changed(handle.path)
  if (after.modified === before.modified) return
  for (const [bytes, position] of [[first, 0] as const, [last, before.size - last.length] as const]) {
    const now = Buffer.alloc(bytes.length)
    readFully(disk, handle, now, position)
    if (!now.equals(bytes)) throw changed(handle.path)
  }
}

/** Nothing was written, so a refusal to close says nothing about the bytes read. */
export const closeQuietly = (disk: Pick<Disk, "close">, handle: Handle): void => {
  try {
    disk.close(handle)
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/** The buffer that a file of some size is read into: where its records are proven fastest, if it is large. */
const bufferFor = (size: number, { chunkBytes = READ_CHUNK_BYTES, outline }: ReadOptions): Buffer => {
  const length = Math.max(1, Math.min(chunkBytes, size))
  const room = size < SCAN_FROM_BYTES ? undefined : outline?.room(length)
  return room === undefined ? Buffer.allocUnsafeSlow(length) : Buffer.from(room.buffer, room.byteOffset, length)
}

/**
 * The items of a journal in file order, a `Progress` after each chunk, and at the end the summary.
 *
 * Holds one buffer and one line; it does not matter how large the file is. The file is closed when the generator ends or is left.
 *
 * @throws ReadError
 */
export function* readJournal(disk: Disk, path: string, options: ReadOptions = {}): Generator<ReadItem, ReadSummary> {
  const handle = attempt(path, () => disk.open(path, "read"))
  try {
    const before = attempt(path, () => disk.stat(handle))
    const { device, inode, size, modified } = before
    const seals = new SealReader(digests)
    const again = (offset: number, length: number): Uint8Array => {
      const bytes = new Uint8Array(length)
      readFully(disk, handle, bytes, offset)
      return bytes
    }
    const decoder = new Decoder({ ...options, runs: options.runs && seals.behind(options.runs), again })
    const buffer = bufferFor(size, options)
    let first: Uint8Array = Buffer.alloc(0)
    let last: Uint8Array = first
    for (let done = 0; done < size; ) {
      const chunk = buffer.subarray(0, Math.min(buffer.length, size - done))
      readFully(disk, handle, chunk, done)
      if (done === 0) first = Buffer.from(chunk.subarray(0, WITNESS_BYTES))
      done += chunk.length
      if (done === size) last = Buffer.from(chunk.subarray(-WITNESS_BYTES))
      for (const item of decoder.push(chunk))
        if (seals.takes(item)) yield item
        else yield* seals.read(item)
      yield { _tag: "Progress", done, total: size }
    }
    for (const item of decoder.end()) yield* seals.read(item)
    confirm(disk, handle, before, first, last)
    const summary = decoder.summary()
    const identity = { device, inode, size, modified }
    return { ...summary, damages: summary.damages + seals.damages, path, identity, chain: seals.state() }
  } finally {
    closeQuietly(disk, handle)
  }
}
