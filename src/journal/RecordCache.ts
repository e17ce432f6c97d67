/**
 * The records that were read last, by where they stand, so that a walk that comes back to them does not parse them again.
 *
 * Two generations: the older one is forgotten as a whole when the younger has its bytes, and what is asked for in the older one becomes
 * young again. So a look-up costs a look into two maps, and no order is kept.
 */
import type { JsonObject } from "../model/Json.ts"

export class RecordCache {
  readonly #limit: number
  #young = new Map<number, JsonObject>()
  #old = new Map<number, JsonObject>()
  /** Bytes that the young ones take in their file. */
  #bytes = 0

  /** Keeps records that take between `limit` and twice as many bytes in their file, once there are so many. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The record at an offset of so many bytes, made by `read` when it is not kept. */
  get(offset: number, length: number, read: () => JsonObject): JsonObject {
    const young = this.#young.get(offset)
    if (young !== undefined) return young
    const record = this.#old.get(offset) ?? read()
    if (length > this.#limit) return record
    if (this.#bytes + length > this.#limit) {
      this.#old = this.#young
      this.#young = new Map()
      this.#bytes = 0
    }
    this.#young.set(offset, record)
    this.#bytes += length
    return record
  }
}
