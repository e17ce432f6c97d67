/**
 * Keys in the order in which they came, and where each stood last: a map from key to position for millions of short keys.
 *
 * Exact: where two keys have the same hash their characters decide. A key of at most MAX_PLAIN_UNITS characters of ASCII costs its
 * characters and about 16 bytes, in typed arrays; any other one is kept in a map as it is. So is a key that many others have crowded
 * out, whoever chose them: no choice of keys makes a look-up long.
 */

import { asciiText } from "./Ascii.ts"
import { FIRST_HASH, HASH_FACTOR, HASH_MIXER, HASH_SHIFTS, MAX_PLAIN_UNITS, type PackedKeys } from "./Packed.ts"

/**
 * Places that are looked at for a key. At most half of all are taken, so of usual ids none is crowded out. With 32 it was one of 170,000, and from the
 * first one on every look-up had to ask the map as well.
 */
const MAX_STEPS = 128

const FIRST_KEYS = 1_024

/** The array, or one of at least so many items with the same beginning: of twice its length, or of that many when it is more. */
export const grown = <A extends Uint8Array | Int32Array | Uint32Array | Float64Array>(array: A, length: number): A => {
  if (length <= array.length) return array
  const larger = new (array.constructor as new (length: number) => A)(Math.max(2 * array.length, length))
  larger.set(array)
  return larger
}

/** The bytes of the key that was last spelled. */
const spelled = new Uint8Array(MAX_PLAIN_UNITS)

/** Puts a key in bytes and gives its length; -1 when it is not plain. */
const spell = (key: string): number => {
  if (key.length > MAX_PLAIN_UNITS) return -1
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    if (unit > 0x7f) return -1
    spelled[i] = unit
  }
  return key.length
}

const mixed = (hash: number): number => {
  const mixing = Math.imul(hash ^ (hash >>> HASH_SHIFTS[0]), HASH_MIXER)
  return mixing ^ (mixing >>> HASH_SHIFTS[1])
}

const hashOf = (bytes: Uint8Array, from: number, to: number): number => {
  let hash = FIRST_HASH
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), HASH_FACTOR)
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
    const length = this.#others.has(key) ? -1 : spell(key)
    const start = this.#reserve(1, Math.max(length, 0))
    const position = this.#length++
    this.#ends[position] = start + Math.max(length, 0)
    if (length < 0) this.#putAside(key, position)
    else {
      for (let at = 0; at < length; at++) this.#characters[start + at] = spelled[at] as number
      this.#put(this.#placeOf(hashOf(spelled, 0, length), spelled, 0, length), position)
    }
  }

  /**
   * Puts keys at the next positions, from the one with the number `first` on up to the first one that stands here already, and gives how
   * many that are. Amortised O(length of the keys).
   */
  addNew({ count, bytes, from, ends, hashes }: PackedKeys, first: number): number {
    let begin = first === 0 ? from : (ends[first - 1] as number)
    const start = this.#reserve(count - first, (ends[count - 1] as number) - begin)
    this.#characters.set(bytes.subarray(begin, ends[count - 1]), start)
    const shift = start - begin
    for (let n = first; n < count; n++) {
      const end = ends[n] as number
      const place = this.#placeOf(hashes[n] as number, bytes, begin, end)
      if (place >= 0 && this.#places[place] !== 0) return n - first
      if (this.#others.size > 0 && this.#others.has(asciiText(bytes, begin, end))) return n - first
      const position = this.#length++
      this.#ends[position] = end + shift
      this.#put(place, position)
      begin = end
    }
    return count - first
  }

  /** Makes room for so many keys altogether, as long as those so far: what is known beforehand need not be moved. */
  expect(keys: number): void {
    const each = this.#length === 0 ? 0 : this.#startOf(this.#length) / this.#length
    if (keys > this.#length) this.#reserve(keys - this.#length, Math.ceil((keys - this.#length) * each))
  }

  /** Makes room for keys of so many characters together. Where they begin. */
  #reserve(keys: number, characters: number): number {
    const start = this.#startOf(this.#length)
    this.#ends = grown(this.#ends, this.#length + keys)
    this.#characters = grown(this.#characters, start + characters)
    let places = this.#places.length
    while (2 * (this.#placed + keys) > places) places *= 2
    if (places > this.#places.length) this.#rehash(places)
    return start
  }

  /** Puts the key at a position in its place; aside when it has none. */
  #put(place: number, position: number): void {
    if (place === -1) {
      this.#putAside(this.key(position), position)
      return
    }
    const found = this.#places[place] as number
    if (found === 0) this.#placed++
    else this.#before.set(position, found - 1)
    this.#places[place] = position + 1
  }

  #startOf(position: number): number {
    return position === 0 ? 0 : (this.#ends[position - 1] as number)
  }

  /** Keeps a key, which stands at a position, as it is. */
  #putAside(key: string, position: number): void {
    const last = this.#others.get(key)
    if (last !== undefined) this.#before.set(position, last)
    this.#others.set(key, position)
    this.#otherKeys.set(position, key)
  }

  /** The key at `0 <= position < length`. */
  key(position: number): string {
    const other = this.#otherKeys.get(position)
    if (other !== undefined) return other
    return asciiText(this.#characters, this.#startOf(position), this.#ends[position] as number)
  }

  /** Where the key stood last, or -1. */
  lastPosition(key: string): number {
    const other = this.#others.size === 0 ? undefined : this.#others.get(key)
    if (other !== undefined) return other
    const length = spell(key)
    return length < 0 ? -1 : this.#lastPlain(spelled, 0, length)
  }

  /** Where a key stood last, or -1, that is bytes of ASCII, from 1 to MAX_PLAIN_UNITS. */
  lastOfBytes(bytes: Uint8Array, from: number, to: number): number {
    return this.#others.size > 0 ? this.lastPosition(asciiText(bytes, from, to)) : this.#lastPlain(bytes, from, to)
  }

  #lastPlain(bytes: Uint8Array, from: number, to: number): number {
    const place = this.#placeOf(hashOf(bytes, from, to), bytes, from, to)
    return place === -1 ? -1 : (this.#places[place] as number) - 1
  }

  /** The position of the same key before the one at a position, or -1. */
  before(position: number): number {
    return this.#before.get(position) ?? -1
  }

  /** The key's place, the free one where it would stand, or -1 when others have crowded it out. */
  #placeOf(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const mask = this.#places.length - 1
    for (let place = hash & mask, step = 0; step < MAX_STEPS; place = (place + 1) & mask, step++) {
      const found = this.#places[place] as number
      if (found === 0 || this.#isAt(bytes, from, to, found - 1)) return place
    }
    return -1
  }

  #isAt(bytes: Uint8Array, from: number, to: number, position: number): boolean {
    const start = this.#startOf(position)
    if ((this.#ends[position] as number) - start !== to - from) return false
    for (let at = from; at < to; at++) if (this.#characters[start + at - from] !== bytes[at]) return false
    return true
  }

  #rehash(places: number): void {
    const old = this.#places
    this.#places = new Int32Array(places)
    for (const found of old) if (found !== 0) this.#placeAgain(found - 1)
  }

  /** Places a key that was placed before, in places without it: the first free one is its own. */
  #placeAgain(position: number): void {
    const hash = hashOf(this.#characters, this.#startOf(position), this.#ends[position] as number)
    const mask = this.#places.length - 1
    for (let place = hash & mask, step = 0; step < MAX_STEPS; place = (place + 1) & mask, step++) {
      if (this.#places[place] !== 0) continue
      this.#places[place] = position + 1
      return
    }
    this.#putAside(this.key(position), position)
  }
}
