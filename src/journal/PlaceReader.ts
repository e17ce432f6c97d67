/**
 * Records of a journal read a second time, from the places where they were found.
 *
 * Gives what the first reading gave (law IDX-2), as long as the file is the one that was read: whoever holds a reader compares its
 * identity with that of the first reading. A place that holds no record any more is a file that changed.
 */
import type { Disk, Handle } from "../disk/Disk.ts"
import { isObject, type JsonObject } from "../model/Json.ts"
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

export class PlaceReader {
  readonly #disk: Disk
  readonly #handle: Handle

  /** Opens the file. Close it. @throws ReadError */
  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.#handle = attempt(path, () => disk.open(path, "read"))
  }

  /** The record at a place. @throws ReadError */
  read({ offset, length }: { readonly offset: number; readonly length: number }): JsonObject {
    const bytes = new Uint8Array(length)
    readFully(this.#disk, this.#handle, bytes, offset)
    const found = recordIn(bytes)
    if (found === undefined) throw changed(this.#handle.path)
    return found
  }

  /** Fails unless this is the file that was read before, and no shorter now. @throws ReadError */
  confirm({ device, inode, size }: Identity): void {
    const now = attempt(this.#handle.path, () => this.#disk.stat(this.#handle))
    if (now.device !== device || now.inode !== inode || now.size < size) throw changed(this.#handle.path)
  }

  close(): void {
    closeQuietly(this.#disk, this.#handle)
  }
}
