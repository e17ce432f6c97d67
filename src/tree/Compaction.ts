/**
 * What a compaction puts in the place of all that stands before it on the path: its summary, and what is kept.
 *
 * It names the first entry that is kept. Or it carries what stands for those entries: the messages themselves (pi), or a history that a
 * provider has compacted on its side.
 */
import { isObject, type JsonArray, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { picked, time } from "./EntryMessage.ts"

/** A compaction without a summary, as a cut write leaves it, is none. */
export const isCompaction = (record: JsonObject): boolean =>
  own(record, "type") === "compaction" && ownString(record, "summary") !== undefined

/** A history that a provider has compacted on its side. It stands for the messages that would be kept. */
const providerPayload = (record: JsonObject): JsonObject | undefined => {
  const remote = ownObject(ownObject(record, "preserveData") ?? {}, "openaiRemoteCompaction")
  if (remote === undefined) return undefined
  const provider = ownString(remote, "provider")
  const items = own(remote, "replacementHistory")
  if (provider === undefined || provider === "" || !Array.isArray(items)) return undefined
  return { type: "openaiResponsesHistory", provider, items: items as JsonArray }
}

/** The system prompt that a compaction of pi carries. It stands for all system messages before it. */
const systemMessage = (record: JsonObject): JsonObject | undefined => {
  const message = ownObject(record, "systemMessage")
  return message !== undefined && own(message, "role") === "system" ? message : undefined
}

/** The messages that stand for the entries that would be kept. */
const carried = (record: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  if (providerPayload(record) !== undefined) return []
  const tail = own(record, "retainedTail")
  return Array.isArray(tail) ? (tail as JsonArray).filter(isObject) : undefined
}

/** The id of the first entry that is kept; undefined when none is named, and when messages are carried for them. */
export const firstKeptId = (record: JsonObject): string | undefined =>
  carried(record) === undefined ? ownString(record, "firstKeptEntryId") : undefined

/** The messages of a context from a compaction on. `kept`: those of the entries that it keeps. */
export const compacted = (record: JsonObject, kept: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const payload = providerPayload(record)
  const system = systemMessage(record)
  const summary = {
    role: "compactionSummary",
    ...picked(record, ["summary", "shortSummary", "tokensBefore"]),
    ...(payload === undefined ? {} : { providerPayload: payload }),
    timestamp: time(record),
  }
  const tail = carried(record) ?? kept
  return system === undefined
    ? [summary, ...tail]
    : [system, summary, ...tail.filter((message) => own(message, "role") !== "system")]
}
