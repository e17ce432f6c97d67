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
import type { Run, RunTaker } from "../journal/Run.ts"
import type { JsonObject } from "../model/Json.ts"
import { at, over } from "../model/Sequence.ts"
import type { Reading } from "../tree/Reading.ts"
import { mustLose, PROVIDER_HISTORY } from "../tree/Sanitising.ts"
import { initial, type TreeState } from "../tree/State.ts"
import { type EntryName, type ReadPlace, StoredEntries } from "../tree/StoredEntries.ts"
import { advance } from "../tree/TreeModel.ts"
import { type PlacedReference, referencesInEntry, referencesInPatch } from "./BlobReferences.ts"
import { type FirstRecords, FORMAT_RECORDS } from "./Load.ts"

export interface TreeReadingOptions {
  /** The record at a place of the file that is read. */
  readonly read: ReadPlace
  /** Holds no label and no patched message: enough to judge the records by, not to show the session. */
  readonly onlyJudges?: boolean | undefined
}

/** As much of the type of a provider's history as is looked for at once. */
const HISTORY_PREFIX = PROVIDER_HISTORY.slice(0, 16)

/** Entries for which room is made, of those that the beginning of a file promises. */
const ROOM_TO_SPARE = 1.125

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
  /** The positions of entries that must lose a provider's history. */
  readonly #losing = new Set<number>()
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

  /** The positions of the entries that must lose what `sanitised` takes out, in order. */
  get losing(): ReadonlyArray<number> {
    return [...this.#losing].sort((a, b) => a - b)
  }

  /** What the file's reader is to tell records by. */
  readonly outline = new Outline({ prefixes: [BLOB_PREFIX, HISTORY_PREFIX] })

  /** Takes messages by the run, once it is known what they mean. */
  readonly runs: RunTaker = {
    isReady: () => this.first.length === FORMAT_RECORDS && this.refused === undefined && this.#holdsMessages,
    take: (run) => this.#takeRun(run),
  }

  /** Makes room for as many entries as come when the rest of a file is like its beginning, which was read. Bytes. */
  expectLike(read: number, all: number): void {
    this.#entries.expect(Math.ceil((this.#entries.length * all * ROOM_TO_SPARE) / read))
  }

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
    const name = record.outline?.hasPrefix === false ? this.#messageName(record.outline) : undefined
    if (name === undefined) this.#read(record)
    else this.#message(record, name)
  }

  /** Whether a message with an id is held as it stands. */
  get #holdsMessages(): boolean {
    return this.#state.header !== undefined && this.#state.version >= UNCHANGED_FROM
  }

  #takeRun(run: Run): void {
    for (let n = 0; n < run.count; ) {
      const { added, orphans } = this.#entries.addRun(run, n, this.#count)
      for (const orphan of orphans) this.#damage(run.placeOf(orphan), "orphan")
      n += added
      this.#count += added
      if (added > 0) this.#leaf = this.#entries.id(this.#entries.length - 1)
      // An id that stands there already.
      if (n < run.count) this.#read(run.record(n++))
    }
  }

  /** The names of an entry whose reading is certain: a whole message under an id that is new. */
  #messageName(outline: Outline): EntryName | undefined {
    if (!this.#holdsMessages) return undefined
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
  #read(record: JournalRecord): void {
    const { value } = record
    const before = this.#entries.length
    const { state, reading } = advance(this.state, value)
    for (const kind of reading.damage) this.#damage(record, kind)
    // An outline without a beginning of what is noted rules it out.
    if (record.outline?.hasPrefix !== false || reading._tag !== "Entry") this.#note(state, reading)
    const entry = state.entries.length > before ? at(state.entries, before) : undefined
    if (entry !== undefined) this.#entries.add(entry, record, this.#onlyJudges || entry.record === value ? undefined : entry)
    const { patches, labels } = this.#onlyJudges ? initial : state
    this.#state = { ...state, patches, labels, entries: initial.entries }
    this.#leaf = state.leaf
    this.#count = state.count
    if (state.unsupported !== undefined) this.refused = { record, version: state.unsupported.version }
  }

  /** Notes what a record brings that is asked for later: references to blobs, and what must be lost. */
  #note(state: TreeState, reading: Reading): void {
    if (reading._tag === "Entry") {
      const { entry } = reading
      const position = state.entries.length - 1
      this.#inEntries.push(...referencesInEntry(entry, position))
      if (mustLose(entry.record)) this.#losing.add(position)
    } else if (reading._tag === "EntryPatch") {
      const { position, message } = reading
      this.#inPatches.push(...referencesInPatch(state, { position, message }, state.patches.length - 1))
      if (mustLose({ type: "message", message })) this.#losing.add(position)
      else this.#losing.delete(position)
    }
  }

  #has(id: string): boolean {
    return this.#entries.lastPosition(id, this.#entries.length) >= 0
  }

  #damage({ line, offset, length }: Omit<Damage, "kind">, kind: Damage["kind"]): void {
    this.damages.push({ line, offset, length, kind })
  }
}
