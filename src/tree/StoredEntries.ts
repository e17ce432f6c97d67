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
import * as Packed from "../model/Packed.ts"
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

/** What came of the messages of a run. */
export interface AddedRun {
  readonly added: number
  /** The numbers in the run of those whose parent did not stand before. */
  readonly orphans: ReadonlyArray<number>
}

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
    this.#reserve(1)
    this.#offsets[position] = offset
    this.#lengths[position] = length
    this.#indexes[position] = index
    this.#types[position] = this.#typeNumber(type)
    const parent = parentId === null ? NO_PARENT : this.#ids.lastPosition(parentId)
    if (parentId !== null && parent < 0) this.#stray(position, parentId)
    else this.#child(position, parent, sets(type))
    if (whole !== undefined) this.#whole.set(position, whole)
    this.#ids.add(id)
  }

  /**
   * The messages of a run, from the one with the number `first` on up to the first one whose id stands here already. `index`: that of the
   * first one. Cost: a few numbers for each.
   */
  addRun(run: Packed.PackedMessages, first: number, index: number): AddedRun {
    const position = this.#ids.length
    const added = this.#ids.addNew(run.ids, first)
    this.#reserve(0)
    this.#types.fill(this.#typeNumber("message"), position, position + added)
    const { shift } = run
    const { ends } = run.marks
    const orphans: Array<number> = []
    let begin = run.beginOf(first)
    for (let n = 0; n < added; n++) {
      const end = ends[first + n] as number
      this.#offsets[position + n] = begin + shift
      this.#lengths[position + n] = end - begin
      this.#indexes[position + n] = index + n
      begin = end + 1
      const parent = this.#parentIn(run, first + n, position + n, n > 0)
      if (parent !== STRAY) this.#child(position + n, parent, false)
      else {
        orphans.push(first + n)
        this.#stray(position + n, run.parentId(first + n) ?? "")
      }
    }
    return { added, orphans }
  }

  /** The position of a message's parent. `isBehind`: whether the message before in the run stands at the position before. */
  #parentIn(run: Packed.PackedMessages, n: number, position: number, isBehind: boolean): number {
    const { parents, parentEnds } = run.marks
    const from = parents[n] as number
    if (from === Packed.PARENT_BEFORE && isBehind) return position - 1
    if (from === Packed.NO_PARENT) return NO_PARENT
    const parent =
      from === Packed.PARENT_BEFORE
        ? this.#ids.lastPosition(run.parentId(n) ?? "")
        : this.#ids.lastOfBytes(run.ids.bytes, from, parentEnds[n] as number)
    return parent < 0 || parent >= position ? STRAY : parent
  }

  #stray(position: number, parentId: string): void {
    this.#parents[position] = STRAY
    this.#strays.set(position, parentId)
    this.#stops[position] = position
  }

  #child(position: number, parent: number, isStop: boolean): void {
    this.#parents[position] = parent
    this.#stops[position] = isStop ? position : parent < 0 ? NO_STOP : (this.#stops[parent] as number)
  }

  /** Makes room for so many entries altogether. Fewer or more may come. */
  expect(entries: number): void {
    this.#ids.expect(entries)
    this.#reserve(entries - this.#ids.length)
  }

  /** Room for all that have an id, and for more. */
  #reserve(more: number): void {
    const length = this.#ids.length + more
    if (length <= this.#offsets.length) return
    this.#offsets = grown(this.#offsets, length)
    this.#lengths = grown(this.#lengths, length)
    this.#indexes = grown(this.#indexes, length)
    this.#parents = grown(this.#parents, length)
    this.#stops = grown(this.#stops, length)
    this.#types = grown(this.#types, length)
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
