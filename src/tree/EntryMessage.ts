/**
 * The message that an entry makes in a context. Most make none; the others make one, as the session holds it: summaries are plain, without
 * the sentences that introduce them to a provider (Wording.ts).
 */
import { type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"

/** The named members that the record has, in this order. */
export const picked = (record: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(
    names.flatMap((name): Array<[string, Json]> => {
      const value = own(record, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Milliseconds since the epoch, or null when the entry's time cannot be read. */
export const time = (record: JsonObject): number | null => {
  const at = Date.parse(ownString(record, "timestamp") ?? "")
  return Number.isNaN(at) ? null : at
}

/** The message that an entry makes, or undefined for none. */
export const messageOf = (record: JsonObject): JsonObject | undefined => {
  switch (own(record, "type")) {
    case "message":
      return ownObject(record, "message")
    case "custom_message": {
      const content = own(record, "content")
      if (typeof content !== "string" && !Array.isArray(content)) return undefined
      const members = picked(record, ["customType", "content", "display", "details", "attribution"])
      return { role: "custom", ...members, timestamp: time(record) }
    }
    case "branch_summary": {
      if ((ownString(record, "summary") ?? "") === "") return undefined
      return { role: "branchSummary", ...picked(record, ["summary", "fromId"]), timestamp: time(record) }
    }
    default:
      return undefined
  }
}
