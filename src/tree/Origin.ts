/**
 * What of a message only the provider that made it takes back, and what it takes back only when it is signed.
 *
 *     assistant        content: thinking, redacted_thinking, redactedThinking and reasoning blocks; textSignature and thoughtSignature of
 *                      other blocks; providerPayload
 *     other messages   providerPayload, which names its own `provider`
 *
 * Another provider, another model, often another account refuses the whole request for one of them, and with it every later one. So a host
 * says from whom they are sent back. Pure; the session is not changed.
 */
import { isObject, type Json, type JsonArray, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { mapMembers } from "../model/Mapping.ts"

/** Who made a message, as far as it says so. */
export interface Origin {
  readonly provider: string | undefined
  readonly model: string | undefined
}

/** Whether what somebody has made is sent back. Asked for each answer, and for each message with a provider's own history. */
export type SendsBack = (origin: Origin) => boolean

const THINKING: ReadonlySet<Json | undefined> = new Set(["thinking", "redacted_thinking", "redactedThinking", "reasoning"])

const SIGNATURES: ReadonlySet<string> = new Set(["textSignature", "thoughtSignature"])

/** Thinking in the clear that nobody has signed: no provider takes it for its own. */
const isUnsigned = (block: JsonObject): boolean =>
  own(block, "type") === "thinking" &&
  ["thinkingSignature", "signature"].every((key) => (ownString(block, key) ?? "").trim() === "")

const originOf = (message: JsonObject): Origin => ({
  provider: ownString(message, "provider") ?? ownString(ownObject(message, "providerPayload") ?? {}, "provider"),
  model: ownString(message, "model"),
})

/** A message without what must not be sent, and how much that was: blocks and members. */
export interface Sendable {
  readonly message: JsonObject
  readonly dropped: number
}

/** The message as it may be sent; the same reference when nothing had to go. */
export const sendable = (message: JsonObject, sendsBack: SendsBack): Sendable => {
  const isAnswer = own(message, "role") === "assistant"
  if (!isAnswer && own(message, "providerPayload") === undefined) return { message, dropped: 0 }
  const isOwn = sendsBack(originOf(message))
  let dropped = 0
  const gone = (): undefined => {
    dropped++
  }
  const unsigned = (block: Json): Json =>
    isObject(block) ? mapMembers(block, (key, value) => (SIGNATURES.has(key) ? gone() : value)) : block
  const sent = (blocks: JsonArray): JsonArray => {
    const kept = blocks.filter((block) => !(isObject(block) && THINKING.has(own(block, "type")) && (!isOwn || isUnsigned(block))))
    dropped += blocks.length - kept.length
    return isOwn ? kept : kept.map(unsigned)
  }
  const rest = mapMembers(message, (key, value) => {
    if (key === "providerPayload" && !isOwn) return gone()
    return key === "content" && isAnswer && Array.isArray(value) ? sent(value as JsonArray) : value
  })
  return dropped === 0 ? { message, dropped } : { message: rest, dropped }
}
