/**
 * What one record means in the state before it. The only place where that is decided: `evolve` applies a reading, `inspect` reports
 * its damage, and a rewrite asks it which bytes to keep, so the three cannot disagree.
 */
import * as Result from "effect/Result"
import type { DamageKind } from "../journal/Damage.ts"
import type { Edit } from "../model/Edit.ts"
import { type JsonObject, ownString } from "../model/Json.ts"
import { toText } from "../model/JsonText.ts"
import { at, last, lastPosition, type Sequence } from "../model/Sequence.ts"
import { entryFlaw, isEntry, isKnownType } from "./Entry.ts"
import { CURRENT_VERSION, isHeader, isTitleSlot, madeUpHeader, withMadeUpId, withTitleSlot } from "./Header.ts"
import { isUpToDate, type Upcast, upcast } from "./Migration.ts"
import { isPatch, type PatchRefusal, parsePatch } from "./Patch.ts"
import { sets } from "./Settings.ts"
import { type Entry, has, NO_STOP, type TreeState } from "./State.ts"

export type Reading = { readonly damage: ReadonlyArray<DamageKind> } & (
  | { readonly _tag: "TitleSlot" }
  /** The header, with the title slot folded in. `unsupported` is left to the state. */
  | { readonly _tag: "Header"; readonly header: JsonObject; readonly madeUp: boolean }
  | { readonly _tag: "Entry"; readonly entry: Entry; readonly takesOver: boolean; readonly edits: ReadonlyArray<Edit> }
  /** The same record a second time. */
  | { readonly _tag: "Repeated" }
  | { readonly _tag: "HeaderPatch"; readonly members: JsonObject; readonly leaf?: string | null }
  | { readonly _tag: "EntryPatch"; readonly position: number; readonly message: JsonObject }
  | { readonly _tag: "RefusedPatch"; readonly refusal: PatchRefusal }
  /** A record without an effect: a second header, or a note of a type that is not known. */
  | { readonly _tag: "Note" }
)

/** The id of the entry at an index of the file; undefined when the record there is no entry. O(log n). */
const idAt = (entries: Sequence<Entry>, index: number): string | undefined => {
  let low = 0
  let high = entries.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const entry = at(entries, middle)
    if (entry === undefined || entry.index === index) return entry?.id
    if (entry.index < index) low = middle + 1
    else high = middle - 1
  }
  return undefined
}

const sameJson = (a: JsonObject, b: JsonObject): boolean => a === b || toText(a) === toText(b)

const upcastIn = (state: TreeState, record: JsonObject): Upcast =>
  isUpToDate(record, state.version)
    ? { record, edits: [] }
    : upcast(record, {
        version: state.version,
        sessionId: ownString(state.header ?? {}, "id") ?? "",
        index: state.count,
        previousId: at(state.entries, state.entries.length - 1)?.id ?? null,
        taken: (id) => has(state, id),
        idAt: (index) => idAt(state.entries, index),
      })

/** Where the entry stands that answers to a parent's id: nearly always at the end. -1 for none. O(1). */
const parentIn = (entries: Sequence<Entry>, parentId: string | null): number => {
  if (parentId === null) return -1
  const newest = entries.length - 1
  return at(entries, newest)?.id === parentId ? newest : lastPosition(entries, parentId)
}

const readEntry = (state: TreeState, source: JsonObject, damage: ReadonlyArray<DamageKind>): Reading => {
  const given = ownString(source, "id")
  const holder = given === undefined ? undefined : last(state.entries, given)
  if (holder !== undefined && sameJson(holder.source, source)) return { _tag: "Repeated", damage: ["duplicate-record"] }
  const { record, edits } = upcastIn(state, source)
  const id = ownString(record, "id") ?? ""
  const parentId = ownString(record, "parentId") ?? null
  const type = ownString(record, "type") ?? ""
  const found = [...damage]
  if (entryFlaw(state.version === 1 ? record : source) !== undefined) found.push("unusable-entry")
  if (holder !== undefined) found.push("duplicate-id")
  const parent = parentIn(state.entries, parentId)
  const isOrphan = parentId !== null && parent < 0
  if (isOrphan) found.push("orphan")
  const stop = isOrphan || sets(type) ? state.entries.length : (at(state.entries, parent)?.stop ?? NO_STOP)
  const entry = { id, parentId, type, index: state.count, parent, stop, record, source }
  return { _tag: "Entry", entry, takesOver: holder !== undefined && id === given, edits, damage: found }
}

const refused = (refusal: PatchRefusal, damage: ReadonlyArray<DamageKind>): Reading => ({
  _tag: "RefusedPatch",
  refusal,
  damage: [...damage, "unusable-patch"],
})

const readPatch = (state: TreeState, record: JsonObject, damage: ReadonlyArray<DamageKind>): Reading => {
  if (state.header === undefined) return refused({ _tag: "NoHeader" }, damage)
  if (state.version < 4) return refused({ _tag: "OldVersion", version: state.version }, damage)
  const parsed = parsePatch(record)
  if (Result.isFailure(parsed)) return refused(parsed.failure, damage)
  const patch = parsed.success
  if (patch._tag === "HeaderPatch") {
    const { leaf } = patch
    if (typeof leaf === "string" && !has(state, leaf)) return refused({ _tag: "UnknownTarget", id: leaf }, damage)
    return { ...patch, damage }
  }
  const position = lastPosition(state.entries, patch.entryId)
  const target = at(state.entries, position)
  if (target === undefined) return refused({ _tag: "UnknownTarget", id: patch.entryId }, damage)
  if (target.type !== "message") return refused({ _tag: "NotAMessage", id: patch.entryId }, damage)
  return { _tag: "EntryPatch", position, message: patch.message, damage }
}

const readHeaderRecord = (state: TreeState, record: JsonObject): Reading => {
  if (state.header !== undefined) return { _tag: "Note", damage: ["extra-header"] }
  const madeUp = ownString(record, "id") === undefined
  const header = withTitleSlot(madeUp ? withMadeUpId(record) : record, state.titleSlot)
  return { _tag: "Header", header, madeUp, damage: madeUp && !state.headless ? ["bad-header"] : [] }
}

/**
 * The state in which a record is read. An entry without a header before it brings a made-up one, of version 1 when it has no id of
 * its own. The same state otherwise.
 */
const opened = (state: TreeState, record: JsonObject): TreeState => {
  if (state.header !== undefined || isHeader(record) || isPatch(record)) return state
  const version = ownString(record, "id") === undefined ? 1 : CURRENT_VERSION
  if (version === 1 && !isKnownType(ownString(record, "type") ?? "")) return state
  if (!isEntry(record, version)) return state
  const header = withTitleSlot(madeUpHeader(record, version), state.titleSlot)
  return { ...state, header, version, headerMadeUp: true, headless: true, count: 1 }
}

const readOpened = (state: TreeState, record: JsonObject, damage: ReadonlyArray<DamageKind>): Reading => {
  if (isPatch(record)) return readPatch(state, record, damage)
  if (state.header === undefined || !isEntry(record, state.version)) return { _tag: "Note", damage }
  return readEntry(state, record, damage)
}

/** What a record means, and the state it is to be applied to. Total. Cost: O(1), O(log n) for an index of version 1. */
export const readRecord = (before: TreeState, record: JsonObject): { readonly state: TreeState; readonly reading: Reading } => {
  if (isHeader(record)) return { state: before, reading: readHeaderRecord(before, record) }
  if (before.header === undefined && before.titleSlot === undefined && isTitleSlot(record)) {
    return { state: before, reading: { _tag: "TitleSlot", damage: [] } }
  }
  const state = opened(before, record)
  const first = before.header === undefined && !before.headless
  return { state, reading: readOpened(state, record, first ? ["bad-header"] : []) }
}

/** What a reader should report of a record that is read in this state. */
export const inspect = (before: TreeState, record: JsonObject): ReadonlyArray<DamageKind> =>
  readRecord(before, record).reading.damage
