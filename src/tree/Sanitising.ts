/**
 * Replay metadata that must not outlive its process: an answer with a provider's own history (`providerPayload` of type
 * `openaiResponsesHistory`) loses it, and with it the signatures of its thinking, when the session is opened again.
 *
 * The records are for the first write that is authorised; opening writes nothing. They take effect in versions 4 and 5, so a file of an
 * older version is migrated first.
 */
import { isObject, type Json, type JsonArray, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { at, lastPosition } from "../model/Sequence.ts"
import { recordAt, type TreeState } from "./State.ts"
import type { TreeRecord } from "./TreeModel.ts"

/** The type of the payload. */
export const PROVIDER_HISTORY = "openaiResponsesHistory"

const without = (object: JsonObject, key: string): JsonObject => {
  const { [key]: _, ...rest } = object
  return rest
}

const unsigned = (block: Json): Json => (isObject(block) ? without(block, "thinkingSignature") : block)

/** The message without what it must lose, or undefined when it has nothing to lose. */
const clean = (message: JsonObject): JsonObject | undefined => {
  const payload = ownObject(message, "providerPayload")
  const isHistory = payload !== undefined && ownString(payload, "type") === PROVIDER_HISTORY
  if (own(message, "role") !== "assistant" || !isHistory) return undefined
  const rest = without(message, "providerPayload")
  const content = own(rest, "content")
  return Array.isArray(content) ? { ...rest, content: (content as JsonArray).map(unsigned) } : rest
}

/** Whether a message of an entry must lose something. */
export const mustLose = (record: JsonObject, message: Json | undefined = own(record, "message")): boolean =>
  own(record, "type") === "message" && isObject(message) && clean(message) !== undefined

const everyPosition = function* ({ entries }: TreeState): Generator<number> {
  for (let position = 0; position < entries.length; position++) yield position
}

/**
 * One `entry_patch` for each answer that must lose something, in file order. A state that has them needs none. An entry under an id that a
 * later one has taken over cannot be patched and is on no path.
 *
 * `positions`: those of all entries that must lose something, in order, where they are known. O(positions).
 */
export const sanitised = (state: TreeState, positions: Iterable<number> = everyPosition(state)): ReadonlyArray<TreeRecord> => {
  const patches: Array<TreeRecord> = []
  for (const position of positions) {
    const record = recordAt(state, position) ?? {}
    const given = own(record, "type") === "message" ? ownObject(record, "message") : undefined
    const message = given === undefined ? undefined : clean(given)
    const entryId = at(state.entries, position)?.id
    if (message === undefined || entryId === undefined || lastPosition(state.entries, entryId) !== position) continue
    patches.push({ type: "entry_patch", entryId, patch: { message } })
  }
  return patches
}
