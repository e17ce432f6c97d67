/**
 * Strings of a record that stay although they may look like secrets: ciphertext and signatures that a provider made and must get back
 * byte for byte (law SEC-3).
 *
 * A string is exempt if and only if it stands where a provider puts it and has the shape of ciphertext (32 characters or more of base64).
 * The places are reached from the record's root only: the blocks of an assistant message (`message`, `messages[n]`, `patch.message`, a
 * response, the record itself, or `retainedTail[n]` of a compaction), and inside a block its `wire`, `citations`, `results` and `content`,
 * never its `input` or `arguments`; a message's `providerPayload`; and `preserveData.openaiRemoteCompaction` of a compaction. The same keys
 * anywhere else mean nothing. Known values are looked for in exempt strings too.
 */
import { type Json, type JsonArray, type JsonObject, own } from "../model/Json.ts"

/** Where a walk from a record's root has come to, as far as exemptions are concerned. */
export type Place =
  | "outside"
  | "record"
  | "patch"
  | "messages"
  | "message"
  | "response"
  | "preserved"
  | "content"
  | "block"
  | "provider"

const INPUT_KEYS: ReadonlySet<string> = new Set(["input", "arguments", "args", "parameters"])

const PROVIDER_KEYS: ReadonlySet<string> = new Set(["wire", "citations", "results", "content", "summary"])

const isAssistant = (message: JsonObject): boolean => own(message, "role") === "assistant"

const isCompaction = (record: JsonObject): boolean => own(record, "type") === "compaction"

const inRecord = (record: JsonObject, key: string): Place => {
  switch (key) {
    case "message":
    case "messages":
    case "patch":
      return key
    case "response":
      return own(record, "type") === "assistant" ? "response" : "outside"
    case "summary":
      return isCompaction(record) ? "response" : "outside"
    case "retainedTail":
      return isCompaction(record) ? "messages" : "outside"
    case "preserveData":
      return isCompaction(record) ? "preserved" : "outside"
    default:
      return inMessage(record, key)
  }
}

const inMessage = (message: JsonObject, key: string): Place => {
  if (key === "content") return isAssistant(message) ? "content" : "outside"
  return key === "providerPayload" ? "provider" : "outside"
}

/** The place of an object's member or of an array's element (`key` undefined). Meaningful for objects and arrays. */
export const placeWithin = (place: Place, container: JsonObject | JsonArray, key: string | undefined): Place => {
  if (key === undefined)
    return place === "messages" ? "message" : place === "content" ? "block" : place === "provider" ? place : "outside"
  const object = container as JsonObject
  switch (place) {
    case "record":
      return inRecord(object, key)
    case "patch":
      return key === "message" ? "message" : "outside"
    case "message":
      return inMessage(object, key)
    case "response":
      return key === "content" ? "content" : "outside"
    case "preserved":
      return key === "openaiRemoteCompaction" ? "provider" : "outside"
    case "block":
      return PROVIDER_KEYS.has(key) ? "provider" : "outside"
    case "provider":
      return INPUT_KEYS.has(key) ? "outside" : "provider"
    default:
      return "outside"
  }
}

const CIPHERTEXT = /^[A-Za-z0-9+/_-]{32,}={0,2}$/

/** How the data of an image begins. Only the beginning is looked at: it may be long. */
const IMAGE_START = /^[A-Za-z0-9+/_-]{32}/

const isCipherKey = (type: Json | undefined, key: string): boolean => {
  switch (key) {
    case "encrypted_content":
    case "encrypted_index":
    case "thoughtSignature":
      return true
    case "signature":
    case "thinkingSignature":
      return type === "thinking"
    case "textSignature":
      return type === "text"
    case "data":
      return type === "redacted_thinking"
    default:
      return false
  }
}

/** Whether a string member of an object at a place is exempt. */
export const isExempt = (place: Place, object: JsonObject, key: string, value: string): boolean =>
  (place === "block" || place === "provider") && isCipherKey(own(object, "type"), key) && CIPHERTEXT.test(value)

/** Whether a string member of an object is the data of an image: base64 that nothing is to be read out of, wherever it stands. */
export const isImageData = (object: JsonObject, key: string, value: string): boolean => {
  if (key !== "data") return false
  const type = own(object, "type")
  return (type === "image" || (type === "base64" && own(object, "media_type") !== undefined)) && IMAGE_START.test(value)
}
