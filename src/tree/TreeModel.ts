/**
 * The tree session as a model: the fold over records that is the whole of a tree session's behaviour.
 *
 * `evolve` is total and never changes the state it was given (law RPL-2). Records are open JSON objects and the codec is the
 * identity, so unknown types and members survive (law RPL-3).
 */
import * as Result from "effect/Result"
import { type Json, type JsonObject, own, ownString } from "../model/Json.ts"
import type { SessionModel } from "../model/Model.ts"
import { append } from "../model/Sequence.ts"
import type { TreeCommand } from "./Command.ts"
import { decide } from "./Decision.ts"
import { entryFlaw, movesLeaf } from "./Entry.ts"
import { CURRENT_VERSION, checkVersion, isSource } from "./Header.ts"
import { type Reading, readRecord } from "./Reading.ts"
import type { TreeRejection } from "./Rejection.ts"
import { type Entry, type EntryTitle, initial, type TreeState } from "./State.ts"

/** One record: any JSON object. */
export type TreeRecord = JsonObject

const withHeader = (state: TreeState, header: JsonObject, madeUp: boolean): TreeState => {
  const checked = checkVersion(header)
  return {
    ...state,
    header,
    headerMadeUp: madeUp,
    headless: true,
    version: Result.isSuccess(checked) ? checked.success : CURRENT_VERSION,
    unsupported: Result.isFailure(checked) ? checked.failure : undefined,
    count: 1,
  }
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** The title after an entry of pi. Without a name, or with one of spaces alone, it clears the title; a name of a wrong kind says nothing. */
const named = (before: EntryTitle | undefined, record: JsonObject): EntryTitle | undefined => {
  const name = own(record, "name") ?? ""
  if (typeof name !== "string") return before
  const title = name.trim()
  return title === "" ? undefined : { title, source: "user" }
}

/** The title after an entry of oh-my-pi. */
const retitled = (before: EntryTitle | undefined, record: JsonObject): EntryTitle | undefined => {
  const title = textOf(own(record, "title"))
  const source = own(record, "source")
  return title === undefined ? before : { title, source: isSource(source) ? source : "auto" }
}

/** The title that entries have given to the session, after one more. */
const titleAfter = (before: EntryTitle | undefined, record: JsonObject): EntryTitle | undefined => {
  const type = own(record, "type")
  return type === "session_info" ? named(before, record) : type === "title_change" ? retitled(before, record) : before
}

const withEntry = (state: TreeState, entry: Entry, takesOver: boolean): TreeState => {
  const { record } = entry
  const targetId = ownString(record, "targetId")
  const isLabel = own(record, "type") === "label" && targetId !== undefined && entryFlaw(record) === undefined
  return {
    ...state,
    entries: append(state.entries, entry),
    takenOver: state.takenOver || takesOver,
    labels: isLabel ? append(state.labels, { targetId, label: textOf(own(record, "label")) }) : state.labels,
    entryTitle: titleAfter(state.entryTitle, record),
    leaf: movesLeaf(record) ? entry.id : state.leaf,
    count: state.count + 1,
  }
}

const applied = (state: TreeState, record: JsonObject, reading: Reading): TreeState => {
  switch (reading._tag) {
    case "TitleSlot":
      return { ...state, titleSlot: record }
    case "Header":
      return withHeader(state, reading.header, reading.madeUp)
    case "Entry":
      return withEntry(state, reading.entry, reading.takesOver)
    case "HeaderPatch": {
      const leaf = reading.leaf === undefined ? state.leaf : reading.leaf
      return { ...state, header: { ...state.header, ...reading.members }, leaf, count: state.count + 1 }
    }
    case "EntryPatch": {
      const { position, message } = reading
      return { ...state, patches: append(state.patches, { position, message }), count: state.count + 1 }
    }
    case "Repeated":
    case "RefusedPatch":
    case "Note":
      return state.header === undefined ? { ...state, headless: true } : { ...state, count: state.count + 1 }
  }
}

/** The next state, and what the record was read as. Pure and total; O(1) for each record. */
export const advance = (before: TreeState, record: TreeRecord): { readonly state: TreeState; readonly reading: Reading } => {
  const { state, reading } = readRecord(before, record)
  return { state: applied(state, record, reading), reading }
}

/** The next state. Pure and total; O(1) for each record. */
export const evolve = (before: TreeState, record: TreeRecord): TreeState => advance(before, record).state

export const treeModel: SessionModel<TreeState, TreeCommand, TreeRecord, TreeRejection> = {
  initial,
  decide,
  evolve,
  codec: { decode: (json) => json, encode: (record) => record },
}
