/**
 * A tree session read record by record, its entries left in the file: of each only what later ones are judged by is held.
 *
 * The state and the damages are those of the full reading (law IDX-2). A message that is new and whole, as nearly all records are, is
 * taken from its four names alone; for every other record the fold of the tree is asked, as everywhere.
 */
import { BLOB_PREFIX } from "../blob/BlobRef.ts"
import type { Damage } from "../journal/Damage.ts"
import type { JournalRecord, LineItem } from "../journal/Line.ts"
import { Outline } from "../journal/Outline.ts"
import type { JsonObject } from "../model/Json.ts"
import { at, over } from "../model/Sequence.ts"
import { type Image, referencesIn } from "../tree/Images.ts"
import type { Reading } from "../tree/Reading.ts"
import { initial, type TreeState } from "../tree/State.ts"
import { type EntryName, type Place, StoredEntries } from "../tree/StoredEntries.ts"
import { advance } from "../tree/TreeModel.ts"
import { type FirstRecords, FORMAT_RECORDS } from "./Load.ts"

/** A reference to a blob, and the entry that holds it. */
export interface PlacedReference {
  readonly image: Image
  readonly entryId: string
}

export interface TreeReadingOptions {
  /** The record at a place of the file that is read. */
  readonly read: (place: Place) => JsonObject
  /** Holds no label and no patched message: enough to judge the records by, not to show the session. */
  readonly onlyJudges?: boolean | undefined
}

/** From version 3 on a message with an id is held as it stands. */
const UNCHANGED_FROM = 3

const keyOf = ({ id }: Pick<EntryName, "id">): string => id

export class TreeReading implements FirstRecords {
  readonly damages: Array<Damage> = []
  readonly first: Array<JsonObject> = []
  refused: FirstRecords["refused"]
  /** The references in entries, then those in patches. */
  readonly #inEntries: Array<PlacedReference> = []
  readonly #inPatches: Array<PlacedReference> = []
  readonly #onlyJudges: boolean
  readonly #entries: StoredEntries
  /** The state, but for what {@link #leaf} and {@link #count} say and for the entries that came since. */
  #state: TreeState = initial
  #leaf: string | null = null
  #count = 0

  constructor({ read, onlyJudges = false }: TreeReadingOptions) {
    this.#entries = new StoredEntries(read)
    this.#onlyJudges = onlyJudges
  }

  /** The state after the records so far. */
  get state(): TreeState {
    return { ...this.#state, entries: over(this.#entries, keyOf), leaf: this.#leaf, count: this.#count }
  }

  get references(): ReadonlyArray<PlacedReference> {
    return [...this.#inEntries, ...this.#inPatches]
  }

  /** What the file's reader is to tell records by. */
  readonly outline = new Outline({ prefixes: [BLOB_PREFIX] })

  /** Takes what the file's reader gives, in order. @throws what `read` throws */
  take(item: LineItem): void {
    if (item._tag === "Damage") {
      this.damages.push(item.damage)
      return
    }
    const { record } = item
    if (this.first.length < FORMAT_RECORDS) this.first.push(record.value)
    // A version that is not known is refused before its records are given a meaning.
    if (this.refused !== undefined) return
    const { outline } = record
    const refers = outline === undefined ? record.raw.includes(BLOB_PREFIX) : outline.hasPrefix
    const name = refers ? undefined : this.#messageName(record)
    if (name === undefined) this.#read(record, refers)
    else this.#message(record, name)
  }

  /** The names of an entry whose reading is certain: a whole message under an id that is new. */
  #messageName({ outline }: JournalRecord): EntryName | undefined {
    if (outline === undefined || this.#state.header === undefined || this.#state.version < UNCHANGED_FROM) return undefined
    if (!outline.says("type", "message") || outline.kind("message") !== "object") return undefined
    if (outline.kind("timestamp") !== "string") return undefined
    const id = outline.text("id")
    const parentId = this.#parentOf(outline)
    return id === undefined || parentId === undefined || this.#has(id)
      ? undefined
      : { id, parentId, type: "message", index: this.#count }
  }

  /** The parent is nearly always the leaf, which need not be made a text again. */
  #parentOf(outline: Outline): string | null | undefined {
    if (this.#leaf !== null && outline.says("parentId", this.#leaf)) return this.#leaf
    return outline.kind("parentId") === "null" ? null : outline.text("parentId")
  }

  #message(record: JournalRecord, name: EntryName): void {
    const { parentId } = name
    if (parentId !== null && parentId !== this.#leaf && !this.#has(parentId)) this.#damage(record, "orphan")
    this.#entries.add(name, record)
    this.#leaf = name.id
    this.#count++
  }

  /** Any other record, as the fold of the tree reads it. */
  #read(record: JournalRecord, refers: boolean): void {
    const { value } = record
    const before = this.#entries.length
    const { state, reading } = advance(this.state, value)
    for (const kind of reading.damage) this.#damage(record, kind)
    if (refers) this.#refer(state, reading)
    const entry = state.entries.length > before ? at(state.entries, before) : undefined
    if (entry !== undefined) this.#entries.add(entry, record, this.#onlyJudges || entry.record === value ? undefined : entry)
    const { patches, labels } = this.#onlyJudges ? initial : state
    this.#state = { ...state, patches, labels, entries: initial.entries }
    this.#leaf = state.leaf
    this.#count = state.count
    if (state.unsupported !== undefined) this.refused = { record, version: state.unsupported.version }
  }

  #refer(state: TreeState, reading: Reading): void {
    if (reading._tag === "Entry") {
      const { id, record } = reading.entry
      for (const image of referencesIn(record)) this.#inEntries.push({ image, entryId: id })
    } else if (reading._tag === "EntryPatch") {
      const entryId = at(state.entries, reading.position)?.id ?? ""
      for (const image of referencesIn({ message: reading.message })) this.#inPatches.push({ image, entryId })
    }
  }

  #has(id: string): boolean {
    return this.#entries.lastPosition(id, this.#entries.length) >= 0
  }

  #damage({ line, offset, length }: JournalRecord, kind: Damage["kind"]): void {
    this.damages.push({ line, offset, length, kind })
  }
}
