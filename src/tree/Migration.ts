/**
 * Migration: the steps from a record of an older version to one of version 5.
 *
 *     1 → 2   id and parentId added, the parent being the entry before; firstKeptEntryIndex becomes firstKeptEntryId
 *     2 → 3   message role hookMessage becomes custom
 *     3 → 4   nothing (patches come into being)
 *     4 → 5   nothing (the selections of MCP and built-in tools part; the combined member of version 4 stays readable)
 *
 * A step is an edit, so the same step changes the value in memory and the bytes in a rewrite (laws MIG-1, MIG-2). Migration is part
 * of the fold: a step sees the record and what was counted so far, never the rest of the file (law RPL-2).
 */
import { apply, type Edit, type MemberEdit } from "../model/Edit.ts"
import { positionalEntryId } from "../model/Ids.ts"
import { isObject, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { edited, type ObjectEdit } from "../model/Members.ts"
import type { Version } from "./Header.ts"

/** What a step may know of the records before. */
export interface Past {
  readonly version: Version
  readonly sessionId: string
  /** The record's place among the records of the file, the header being 0. */
  readonly index: number
  /** The id of the entry before; null for the first. */
  readonly previousId: string | null
  readonly taken: (id: string) => boolean
  /** The id of the entry read at a smaller index; undefined when the record there is not an entry. */
  readonly idAt: (index: number) => string | undefined
}

/**
 * The id of an entry that has none: a function of the session and the place, so that two openings show the same id. An id that is
 * taken, which takes a hostile file, is stepped over.
 */
const placeId = (past: Past): string => {
  let id = positionalEntryId(past.sessionId, past.index)
  for (let n = 1; past.taken(id); n++) id = positionalEntryId(`${past.sessionId}#${n}`, past.index)
  return id
}

/**
 * The id of the entry that an index of version 1 points at. A place ahead has the id it will get. Undefined for the header, for a
 * record that is not an entry, and for what is not an index.
 */
const keptId = (past: Past, ownId: string, index: unknown): string | undefined => {
  if (typeof index !== "number" || !Number.isSafeInteger(index)) return undefined
  if (index === past.index) return ownId
  return index < past.index ? past.idAt(index) : positionalEntryId(past.sessionId, index)
}

const toVersion2 = (record: JsonObject, past: Past): ObjectEdit | undefined => {
  const given = ownString(record, "id")
  // Nothing in version 1 refers to an id, so a second entry under a taken one gets another: the chain of parents stays whole.
  const id = given === undefined || past.taken(given) ? placeId(past) : given
  const edit = edited(record, { id, parentId: past.previousId })
  const kept =
    ownString(record, "type") !== "compaction" || own(record, "firstKeptEntryId") !== undefined
      ? undefined
      : keptId(past, id, own(record, "firstKeptEntryIndex"))
  if (kept === undefined) return edit
  const change: MemberEdit = { _tag: "Change", key: "firstKeptEntryId", value: { _tag: "Set", value: kept } }
  return { _tag: "Object", add: [], ...edit, members: new Map([["firstKeptEntryIndex", change]]) }
}

const toVersion3 = (record: JsonObject): Edit | undefined => {
  const message = ownString(record, "type") === "message" ? ownObject(record, "message") : undefined
  if (message === undefined || ownString(message, "role") !== "hookMessage") return undefined
  const role: Edit = { _tag: "Object", members: new Map([["role", set("custom")]]) }
  return { _tag: "Object", members: new Map([["message", { _tag: "Change", value: role }]]) }
}

const set = (value: string): MemberEdit => ({ _tag: "Change", value: { _tag: "Set", value } })

/** From version 2 on an entry has its id; one that was lost on the way is replaced, or the entry could not be a parent. */
const withId = (record: JsonObject, past: Past): Edit | undefined =>
  ownString(record, "id") === undefined ? edited(record, { id: placeId(past) }) : undefined

/** A record of version 5 and the edits that led to it, to be applied in order. */
export interface Upcast {
  readonly record: JsonObject
  readonly edits: ReadonlyArray<Edit>
}

/** Whether an entry is one of version 5 as it stands: every step would leave it as it is. So with most, and they are worth no more than this. */
export const isUpToDate = (record: JsonObject, version: Version): boolean => version >= 3 && ownString(record, "id") !== undefined

/** An entry as version 5 has it. The same reference when nothing had to change. */
export const upcast = (record: JsonObject, past: Past): Upcast => {
  const edits: Array<Edit> = []
  let current = record
  const step = (edit: Edit | undefined): void => {
    if (edit === undefined) return
    edits.push(edit)
    const next = apply(current, edit)
    if (isObject(next)) current = next
  }
  step(past.version < 2 ? toVersion2(current, past) : withId(current, past))
  if (past.version < 3) step(toVersion3(current))
  return { record: current, edits }
}
