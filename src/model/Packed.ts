/**
 * Keys, and messages known by theirs, that stand one behind the other in bytes: what who packs them and who takes them agree on.
 */

/** Characters of the longest key that may be packed, which is ASCII. */
export const MAX_PLAIN_UNITS = 64

/** A key's hash, in 32 bits: this mixed with each character, multiplied each time; in the end shifted, multiplied and shifted. */
export const FIRST_HASH = 0x811c9dc5
export const HASH_FACTOR = 0x01000193
export const HASH_MIXER = 0x85ebca6b
export const HASH_SHIFTS = [16, 13] as const

/** Keys of ASCII, each of 1 to MAX_PLAIN_UNITS characters. */
export interface PackedKeys {
  readonly count: number
  readonly bytes: Uint8Array
  /** Where the first begins, and where each ends. */
  readonly from: number
  readonly ends: Int32Array
  readonly hashes: Int32Array
}

/** In the place of where a parent's key begins: that there is none, and that it is the message before. */
export const NO_PARENT = 0
export const PARENT_BEFORE = 1

/** Messages, each in a line behind that of the one before, by their ids. */
export interface PackedMessages {
  readonly ids: PackedKeys
  /** Where each record begins in the bytes; the next one stands behind its newline. */
  readonly beginOf: (n: number) => number
  /** What is added to a place in the bytes to have that in the file. */
  readonly shift: number
  readonly parentId: (n: number) => string | null
  readonly marks: {
    /** Where each record ends in the bytes, without its newline. */
    readonly ends: Int32Array
    /** Where each parent's id begins in the bytes and where it ends. */
    readonly parents: Int32Array
    readonly parentEnds: Int32Array
  }
}
