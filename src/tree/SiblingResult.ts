/** The results of tool calls wherever they are in the tree: those of parallel calls are often siblings, and a path has only one of them. */
import { isObject, type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { at } from "../model/Sequence.ts"
import { recordAt, type TreeState } from "./State.ts"

const messageIn = (record: JsonObject): JsonObject =>
  own(record, "type") === "message" ? (ownObject(record, "message") ?? {}) : {}

const callIdsIn = (message: JsonObject): ReadonlyArray<string> => {
  const content = own(message, "content")
  if (own(message, "role") !== "assistant" || !Array.isArray(content)) return []
  return content.flatMap((block: Json) =>
    isObject(block) && own(block, "type") === "toolCall" ? (ownString(block, "id") ?? []) : [],
  )
}

/**
 * A look-up for `toProviderMessages`: the first result of a call in the file, on whichever branch, patches folded in. Undefined when there is
 * none, and when several entries of the session call under that id, because then nothing says whose result it is. Made in O(entries), each
 * answer O(1).
 */
export const siblingResult = (state: TreeState): ((callId: string) => JsonObject | undefined) => {
  const results = new Map<string, JsonObject>()
  const callers = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (let position = 0; position < state.entries.length; position++) {
    const message = messageIn(recordAt(state, position) ?? {})
    const entryId = at(state.entries, position)?.id ?? ""
    for (const id of callIdsIn(message)) {
      if (callers.has(id) && callers.get(id) !== entryId) ambiguous.add(id)
      callers.set(id, entryId)
    }
    const answered = own(message, "role") === "toolResult" ? ownString(message, "toolCallId") : undefined
    if (answered !== undefined && !results.has(answered)) results.set(answered, message)
  }
  return (callId) => (ambiguous.has(callId) ? undefined : results.get(callId))
}
