/**
 * Keys in the order in which they came, and where each stood last: a map from key to position for millions of short keys.
 *
 * Exact: where two keys have the same hash their characters decide. A key of at most MAX_PLAIN_UNITS characters of ASCII costs its
 * characters and about 16 bytes, in typed arrays; any other one is kept in a map as it is. So is a key that many others have crowded
 * out, whoever chose them: no choice of keys makes a look-up long.
 */

import { asciiText } from "./Ascii.ts"

/** UTF-16 units of the longest key that is kept in typed arrays. */
const MAX_PLAIN_UNITS = 64

/** Places that are looked at for a key. */
const MAX_STEPS = 32

const FIRST_KEYS = 1_024

/** A typed array of twice the length with the same beginning. */
export const grown = <A extends Uint8Array | Int32Array | Uint32Array | Float64Array>(array: A): A => {
  const larger = new (array.constructor as new (length: number) => A)(2 * array.length)
  larger.set(array)
  return larger
}

const isPlain = (key: string): boolean => {
  if (key.length > MAX_PLAIN_UNITS) return false
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) > 0x7f) return false
  return true
}

const FIRST_HASH = 0x811c9dc5
const HASH_FACTOR = 0x01000193

const mixed = (hash: number): number => {
  const mixing = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (mixing ^ (mixing >>> 13)) >>> 0
}

const hashOf = (key: string): number => {
  let hash = FIRST_HASH
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), HASH_FACTOR)
  return mixed(hash)
}

export class KeyTable {
  #length = 0
  /** The characters of all plain keys, one behind the other, and where each ends. */
  #characters = new Uint8Array(8 * FIRST_KEYS)
  #ends = new Uint32Array(FIRST_KEYS)
  /** Open addressing: a position plus one, or 0 for none. */
  #places = new Int32Array(4 * FIRST_KEYS)
  #placed = 0
  /** The last positions of keys that are not in the places, and the keys at these positions. */
  readonly #others = new Map<string, number>()
  readonly #otherKeys = new Map<number, string>()
  /** For a key that stands there several times: from a position to the one before. */
  readonly #before = new Map<number, number>()

  /** Keys so far, each as often as it came. */
  get length(): number {
    return this.#length
  }

  /** Puts a key at the next position. Amortised O(length of the key). */
  add(key: string): void {
    const position = this.#length++
    const last = this.lastPosition(key)
    if (last >= 0) this.#before.set(position, last)
    if (position === this.#ends.length) this.#ends = grown(this.#ends)
    const start = position === 0 ? 0 : (this.#ends[position - 1] as number)
    if (!isPlain(key) || this.#others.has(key)) {
      this.#ends[position] = start
      this.#others.set(key, position)
      this.#otherKeys.set(position, key)
      return
    }
    if (start + key.length > this.#characters.length) this.#characters = grown(this.#characters)
    for (let i = 0; i < key.length; i++) this.#characters[start + i] = key.charCodeAt(i)
    this.#ends[position] = start + key.length
    if (2 * ++this.#placed > this.#places.length) this.#rehash()
    this.#place(key, position)
  }

  /** The key at `0 <= position < length`. */
  key(position: number): string {
    const other = this.#otherKeys.get(position)
    if (other !== undefined) return other
    const start = position === 0 ? 0 : (this.#ends[position - 1] as number)
    return asciiText(this.#characters, start, this.#ends[position] as number)
  }

  /** Where the key stood last, or -1. */
  lastPosition(key: string): number {
    const other = this.#others.size === 0 ? undefined : this.#others.get(key)
    if (other !== undefined || !isPlain(key)) return other ?? -1
    const place = this.#placeOf(key)
    return place === -1 ? -1 : (this.#places[place] as number) - 1
  }

  /** The position of the same key before the one at a position, or -1. */
  before(position: number): number {
    return this.#before.get(position) ?? -1
  }

  /** The key's place, the free one where it would stand, or -1 when others have crowded it out. */
  #placeOf(key: string): number {
    const mask = this.#places.length - 1
    for (let place = hashOf(key) & mask, step = 0; step < MAX_STEPS; place = (place + 1) & mask, step++) {
      const found = this.#places[place] as number
      if (found === 0 || this.#isAt(key, found - 1)) return place
    }
    return -1
  }

  #isAt(key: string, position: number): boolean {
    const start = position === 0 ? 0 : (this.#ends[position - 1] as number)
    if ((this.#ends[position] as number) - start !== key.length) return false
    for (let i = 0; i < key.length; i++) if (this.#characters[start + i] !== key.charCodeAt(i)) return false
    return true
  }

  #place(key: string, position: number): void {
    const place = this.#placeOf(key)
    if (place !== -1) {
      this.#places[place] = position + 1
      return
    }
    this.#others.set(key, position)
    this.#otherKeys.set(position, key)
  }

  #rehash(): void {
    const old = this.#places
    this.#places = new Int32Array(2 * old.length)
    for (const found of old) if (found !== 0) this.#placeAgain(found - 1)
  }

  /** Places a key that was placed before, in places without it: the first free one is its own. */
  #placeAgain(position: number): void {
    const [start, end] = [position === 0 ? 0 : (this.#ends[position - 1] as number), this.#ends[position] as number]
    let hash = FIRST_HASH
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (this.#characters[at] as number), HASH_FACTOR)
    const mask = this.#places.length - 1
    for (let place = mixed(hash) & mask, step = 0; step < MAX_STEPS; place = (place + 1) & mask, step++) {
      if (this.#places[place] !== 0) continue
      this.#places[place] = position + 1
      return
    }
    const key = this.key(position)
    this.#others.set(key, position)
    this.#otherKeys.set(position, key)
  }
}
