/**
 * The messages that the records of a path make together.
 *
 * Each makes its own (EntryMessage.ts), unless the record is one of three that change what stands above it: a compaction puts a summary and
 * what it keeps in the place of it, a `reset_boundary` (oh-my-pi) begins the messages anew, and a `context_edit` (pi) changes one message or
 * takes it away.
 */
import { isObject, type Json, type JsonObject, own, ownString } from "../model/Json.ts"
import { compacted, isCompaction } from "./Compaction.ts"
import { messageOf } from "./EntryMessage.ts"

/** What a `context_edit` puts in the place of a message's content; null takes the message out of the context. */
interface ContextEdit {
  readonly content: Json
  /** Its place among the records. It changes what stands above. */
  readonly place: number
}

/** By the id of the message's entry. */
type Edits = ReadonlyMap<string, ContextEdit>

export const isReset = (type: Json | undefined): boolean => type === "reset_boundary"

/** True for the types that change what stands above them on the path. */
export const changesAbove = (type: Json | undefined): boolean => type === "compaction" || type === "context_edit" || isReset(type)

/** What an edit says, or undefined when it says nothing that can be done. */
const contentIn = (record: JsonObject): Json | undefined => {
  const replacement = own(record, "replacement")
  if (replacement === null) return null
  const content = isObject(replacement) ? own(replacement, "content") : undefined
  return typeof content === "string" || Array.isArray(content) ? content : undefined
}

/** The last edit of each message. */
const editsIn = (records: ReadonlyArray<JsonObject>): Edits => {
  const edits = new Map<string, ContextEdit>()
  records.forEach((record, place) => {
    const targetId = own(record, "type") === "context_edit" ? ownString(record, "targetId") : undefined
    const content = targetId === undefined ? undefined : contentIn(record)
    if (targetId !== undefined && content !== undefined) edits.set(targetId, { content, place })
  })
  return edits
}

/** The roles whose messages pi allows to be edited. A custom message is an entry type of its own. */
const EDITABLE: ReadonlySet<Json | undefined> = new Set(["user", "assistant", "toolResult"])

const isEditable = (record: JsonObject, message: JsonObject): boolean =>
  own(record, "type") === "custom_message" || (own(record, "type") === "message" && EDITABLE.has(own(message, "role")))

/** The messages of the records at `from <= place < to`, each as its last edit leaves it. */
const made = (records: ReadonlyArray<JsonObject>, edits: Edits, from: number, to: number): ReadonlyArray<JsonObject> => {
  const messages: Array<JsonObject> = []
  for (let place = from; place < to; place++) {
    const record = records[place] ?? {}
    const message = messageOf(record)
    if (message === undefined) continue
    const edit = edits.size === 0 || !isEditable(record, message) ? undefined : edits.get(ownString(record, "id") ?? "")
    if (edit === undefined || edit.place < place) messages.push(message)
    else if (edit.content !== null) messages.push({ ...message, content: edit.content })
  }
  return messages
}

/**
 * The messages that records make, from the upper end of a path to its lower. `cut`: the place of the last compaction or reset, or -1; what
 * stands above it is what a compaction keeps, and nothing else.
 */
export const messagesOf = (records: ReadonlyArray<JsonObject>, cut: number): ReadonlyArray<JsonObject> => {
  const edits = editsIn(records)
  const behind = made(records, edits, cut + 1, records.length)
  const record = records[cut]
  if (record === undefined || !isCompaction(record)) return behind
  const reset = records.slice(0, cut).findLastIndex(({ type }) => isReset(type))
  return [...compacted(record, made(records, edits, reset + 1, cut)), ...behind]
}
