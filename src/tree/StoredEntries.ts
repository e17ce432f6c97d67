/**
 * Entries that stay in the journal: of each one its place, its id and its parent are held, and its record is read when it is asked for.
 *
 * The first items of a tree's entries (`over` of Sequence.ts). An entry costs about 40 bytes and the characters of its id, whatever its
 * record holds. What a look-up gives is what an entry in memory would have given (law IDX-2).
 *
 * Pure but for `read`, which must give the same record for the same place each time.
 */
import { type JsonObject, ownString } from "../model/Json.ts"
import { grown, KeyTable } from "../model/KeyTable.ts"
import type { Base } from "../model/Sequence.ts"
import { sets } from "./Settings.ts"
import { type Entry, NO_STOP } from "./State.ts"

/** Where a record stands in its file, in bytes. */
export interface Place {
  readonly offset: number
  readonly length: number
}

/** The record at a place, as the file's reader gave it. It is one under this id. */
export type ReadPlace = (place: Place, id: string) => JsonObject

/** What an entry is known by without its record. */
export interface EntryName {
  readonly id: string
  readonly parentId: string | null
  readonly type: string
  readonly index: number
}

const NO_PARENT = -1
/** A parent that stands in the map of strays. */
const STRAY = -2

/** Types that are kept by a number; the others are read with their records. */
const MAX_TYPES = 255

const FIRST_ENTRIES = 1_024

export class StoredEntries implements Base<Entry> {
  readonly #read: ReadPlace
  readonly #ids = new KeyTable()
  #offsets = new Float64Array(FIRST_ENTRIES)
  #lengths = new Uint32Array(FIRST_ENTRIES)
  #indexes = new Uint32Array(FIRST_ENTRIES)
  #types = new Uint8Array(FIRST_ENTRIES)
  readonly #typeNames: Array<string> = []
  /** The position of an entry with the parent's id. */
  #parents = new Int32Array(FIRST_ENTRIES)
  /** The position of the nearest stop at or above each. */
  #stops = new Int32Array(FIRST_ENTRIES)
  /** The ids of parents that did not stand before. */
  readonly #strays = new Map<number, string>()
  /** Entries whose record is not the one in the file. */
  readonly #whole = new Map<number, Entry>()

  constructor(read: ReadPlace) {
    this.#read = read
  }

  get length(): number {
    return this.#ids.length
  }

  /** One more entry. `whole`: the entry itself, when its record is not the one that stands at the place. */
  add({ id, parentId, type, index }: EntryName, { offset, length }: Place, whole?: Entry): void {
    const position = this.#ids.length
    if (position === this.#offsets.length) {
      this.#offsets = grown(this.#offsets)
      this.#lengths = grown(this.#lengths)
      this.#indexes = grown(this.#indexes)
      this.#parents = grown(this.#parents)
      this.#stops = grown(this.#stops)
      this.#types = grown(this.#types)
    }
    this.#offsets[position] = offset
    this.#lengths[position] = length
    this.#indexes[position] = index
    this.#types[position] = this.#typeNumber(type)
    const parent = parentId === null ? NO_PARENT : this.#ids.lastPosition(parentId)
    const isStray = parentId !== null && parent < 0
    this.#parents[position] = isStray ? STRAY : parent
    if (isStray) this.#strays.set(position, parentId)
    this.#stops[position] = isStray || sets(type) ? position : parent < 0 ? NO_STOP : (this.#stops[parent] as number)
    if (whole !== undefined) this.#whole.set(position, whole)
    this.#ids.add(id)
  }

  #typeNumber(type: string): number {
    const known = this.#typeNames.indexOf(type)
    if (known >= 0 || this.#typeNames.length === MAX_TYPES) return known >= 0 ? known : MAX_TYPES
    return this.#typeNames.push(type) - 1
  }

  at(position: number): Entry {
    return this.#whole.get(position) ?? new StoredEntry(this, position)
  }

  lastPosition(id: string, count: number): number {
    let position = this.#ids.lastPosition(id)
    while (position >= count) position = this.#ids.before(position)
    return position
  }

  positions(id: string, count: number): ReadonlyArray<number> {
    const found: Array<number> = []
    for (let position = this.lastPosition(id, count); position >= 0; position = this.#ids.before(position)) found.push(position)
    return found.reverse()
  }

  id(position: number): string {
    return this.#ids.key(position)
  }

  parentId(position: number): string | null {
    const parent = this.#parents[position] as number
    if (parent === NO_PARENT) return null
    return parent === STRAY ? (this.#strays.get(position) ?? null) : this.#ids.key(parent)
  }

  type(position: number): string {
    const type = this.#typeNames[this.#types[position] as number]
    return type ?? ownString(this.record(position), "type") ?? ""
  }

  index(position: number): number {
    return this.#indexes[position] as number
  }

  parent(position: number): number {
    return Math.max(this.#parents[position] as number, NO_PARENT)
  }

  stop(position: number): number {
    return this.#stops[position] as number
  }

  record(position: number): JsonObject {
    const place = { offset: this.#offsets[position] as number, length: this.#lengths[position] as number }
    return this.#read(place, this.id(position))
  }
}

/** An entry that reads its record when it is asked for it, once. */
class StoredEntry implements Entry {
  readonly #entries: StoredEntries
  readonly #position: number
  #record: JsonObject | undefined

  constructor(entries: StoredEntries, position: number) {
    this.#entries = entries
    this.#position = position
  }

  get id(): string {
    return this.#entries.id(this.#position)
  }

  get parentId(): string | null {
    return this.#entries.parentId(this.#position)
  }

  get type(): string {
    return this.#entries.type(this.#position)
  }

  get index(): number {
    return this.#entries.index(this.#position)
  }

  get parent(): number {
    return this.#entries.parent(this.#position)
  }

  get stop(): number {
    return this.#entries.stop(this.#position)
  }

  get record(): JsonObject {
    this.#record ??= this.#entries.record(this.#position)
    return this.#record
  }

  get source(): JsonObject {
    return this.record
  }
}
