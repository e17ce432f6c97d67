/**
 * Records of a journal read a second time, from the places where they were found.
 *
 * Gives what the first reading gave (law IDX-2), as long as the file is the one that was read: whoever holds a reader compares its
 * identity with that of the first reading. A place that holds no record any more, or that of another id, is a file that changed.
 */
import type { Disk, Handle } from "../disk/Disk.ts"
import { isObject, type JsonObject, own } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { decode } from "./Encoding.ts"
import { withoutSeal } from "./Integrity.ts"
import { escapeNewlines } from "./Joiner.ts"
import { attempt, changed, closeQuietly, type Identity, readFully } from "./Reader.ts"

/** What a record says, without its seal, by its own bytes. Undefined when they are none. */
export const recordIn = (bytes: Uint8Array): JsonObject | undefined => {
  // A record that raw newlines had spread over lines is read with its newlines escaped; no other one has any.
  const raw = escapeNewlines(decode(bytes))
  try {
    const value = parseJson(raw)
    return isObject(value) ? withoutSeal(raw, value) : undefined
  } catch {
    return undefined
  }
}

/** Where a record stands in its file, in bytes. */
interface Place {
  readonly offset: number
  readonly length: number
}

export class PlaceReader {
  readonly #disk: Disk
  readonly #path: string
  /** Undefined once it is closed. */
  #handle: Handle | undefined
  #read: Pick<Identity, "device" | "inode" | "size"> | undefined

  /** Opens the file. Close it. @throws ReadError */
  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.#path = path
    this.#handle = this.#open()
  }

  #open(): Handle {
    return attempt(this.#path, () => this.#disk.open(this.#path, "read"))
  }

  /**
   * The record of an id at a place. Once this is closed the file is opened again for it, if it is still the one that was confirmed.
   *
   * @throws ReadError
   */
  read(place: Place, id: string): JsonObject {
    if (this.#handle !== undefined) return this.#recordAt(this.#handle, place, id)
    const handle = this.#open()
    try {
      this.#demand(handle)
      return this.#recordAt(handle, place, id)
    } finally {
      closeQuietly(this.#disk, handle)
    }
  }

  #recordAt(handle: Handle, { offset, length }: Place, id: string): JsonObject {
    const bytes = new Uint8Array(length)
    readFully(this.#disk, handle, bytes, offset)
    const found = recordIn(bytes)
    if (found === undefined || own(found, "id") !== id) throw changed(this.#path)
    return found
  }

  /** Fails unless this is the file that was read before, and no shorter now. @throws ReadError */
  confirm({ device, inode, size }: Identity): void {
    this.#read = { device, inode, size }
    if (this.#handle !== undefined) this.#demand(this.#handle)
  }

  #demand(handle: Handle): void {
    const now = attempt(this.#path, () => this.#disk.stat(handle))
    const read = this.#read
    if (now.device !== read?.device || now.inode !== read.inode || now.size < read.size) throw changed(this.#path)
  }

  close(): void {
    if (this.#handle !== undefined) closeQuietly(this.#disk, this.#handle)
    this.#handle = undefined
  }
}
