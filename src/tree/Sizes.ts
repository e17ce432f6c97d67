/**
 * What of a record is kept when it is large.
 *
 * - `partialJson` and `jsonlEvents`, what is left of a stream that has ended, are left out.
 * - A string above {@link MAX_STRING_UNITS} becomes its beginning, a blank line and {@link NOTICE}, together at most so long. It ends on a
 *   whole code point. `lineCount` beside a `content` that was cut says how many lines it has now.
 * - Never cut: what is worthless in part. Base64 data, data URLs, ciphertext and signatures, and the arguments of a call as JSON text.
 *   They are kept whole. So are the header and the patches to it: they hold names, and a part of a name is another name. A title is short
 *   before it gets there.
 *
 * A secret must not be cut in two, because no rule would know the half of it. So a record in which something is cut is redacted first,
 * as a whole, and it is the redacted one that is cut, and that the state holds (law RPL-4). Pure.
 */
import { BLOB_PREFIX } from "../blob/BlobRef.ts"
import { isObject, type Json, type JsonArray, type JsonObject, own } from "../model/Json.ts"
import { MAX_STRING_UNITS, MIN_BLOB_UNITS } from "../model/Limits.ts"
import { mapItems, mapMembers } from "../model/Mapping.ts"
import { markersIn } from "../redaction/Marker.ts"
import { isContainer } from "../redaction/Nested.ts"
import { STRUCTURAL_KEYS } from "../redaction/Rules.ts"

/** What stands where the rest of a string was. */
export const NOTICE = "[Session persistence truncated large content]"

const ENDING = `\n\n${NOTICE}`

const TRANSIENT: ReadonlySet<string> = new Set(["partialJson", "jsonlEvents"])

/** What a model said to a tool is not ours to thin out: a member in it may have any name. */
const SAID: ReadonlySet<string> = new Set(["arguments", "args", "input", "parameters"])

const CIPHER_KEYS: ReadonlySet<string> = new Set([
  "encrypted_content",
  "encrypted_index",
  "signature",
  "textSignature",
  "thinkingSignature",
  "thoughtSignature",
])

/** What never stands in base64, of any alphabet and with any line ends. */
const NOT_BASE64 = /[^A-Za-z0-9+/_\-=\r\n]/
const DATA_URL = /^data:[^,]{0,200};base64,/

/** Whether a block declares that its `data` is of some kind. */
const declares = (block: JsonObject): boolean =>
  ["type", "mimeType", "mime_type", "media_type"].some((key) => typeof own(block, key) === "string")

/** Whether a string is worthless in part. `isRecord`: it is a member of the record itself, whose `type` says nothing of its `data`. */
const isWhole = (holder: JsonObject, key: string, text: string, isRecord: boolean): boolean => {
  if (isRecord && (STRUCTURAL_KEYS.has(key) || key === "type" || key === "timestamp")) return true
  if (CIPHER_KEYS.has(key) || DATA_URL.test(text)) return true
  if (key === "data" && !isRecord) return declares(holder) && !NOT_BASE64.test(text)
  return SAID.has(key) && isContainer(text)
}

/** The first place at or before `end` that is not inside a marker and not between the halves of a code point. */
const cutAt = (text: string, end: number): number => {
  const near = Math.max(0, end - 64)
  for (const [start, stop] of markersIn(text.slice(near, end + 64))) {
    if (near + start < end && end < near + stop) return near + start
  }
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end
}

/** A text of at most so many units: its beginning and the notice, when it is longer. */
export const cutText = (text: string, units: number = MAX_STRING_UNITS): string =>
  text.length <= units ? text : text.slice(0, cutAt(text, units - ENDING.length)) + ENDING

const cutValue = (value: Json, units: number): Json => {
  if (Array.isArray(value))
    return mapItems(value as JsonArray, (item) =>
      typeof item === "string" && !DATA_URL.test(item) ? cutText(item, units) : cutValue(item, units),
    )
  return isObject(value) ? cutObject(value, units, false) : value
}

const cutObject = (object: JsonObject, units: number, isRecord: boolean): JsonObject => {
  const cut = mapMembers(object, (key, value) => {
    if (typeof value !== "string") return cutValue(value, units)
    return value.length <= units || isWhole(object, key, value, isRecord) ? value : cutText(value, units)
  })
  const content = own(cut, "content")
  if (typeof content !== "string" || content === own(object, "content") || typeof own(cut, "lineCount") !== "number") return cut
  return mapMembers(cut, (key, value) => (key === "lineCount" ? content.split("\n").length : value))
}

/** Records that name things: the directory, the session it came from, the leaf. */
const NAMING: ReadonlySet<unknown> = new Set(["session", "header_patch"])

/** The record with its long strings cut; the same reference when there are none. */
export const cutLong = (record: JsonObject, units: number = MAX_STRING_UNITS): JsonObject =>
  NAMING.has(own(record, "type")) ? record : cutObject(record, units, true)

const lastingValue = (value: Json): Json => {
  if (Array.isArray(value)) return mapItems(value as JsonArray, lastingValue)
  return isObject(value) ? lasting(value) : value
}

/** The record without what only a stream needs; the same reference when there is nothing of it. */
export const lasting = (record: JsonObject): JsonObject =>
  mapMembers(record, (key, value) => (TRANSIENT.has(key) ? undefined : SAID.has(key) ? value : lastingValue(value)))

/** A redacted string may be longer than it was, by less than this factor. */
const GROWTH = 8

const IMAGE_KEYS: ReadonlySet<string> = new Set(["data", "image_url", "url"])

const isSmallString = (text: string, key: string, units: number): boolean =>
  IMAGE_KEYS.has(key) ? text.length < MIN_BLOB_UNITS && !text.startsWith(BLOB_PREFIX) : text.length <= units

const isSmallValue = (value: Json, key: string, units: number): boolean => {
  if (typeof value === "string") return isSmallString(value, key, units)
  if (Array.isArray(value)) {
    for (const item of value as JsonArray) if (!isSmallValue(item, key, units)) return false
    return true
  }
  if (!isObject(value)) return true
  for (const name of Object.keys(value)) {
    if (TRANSIENT.has(name) || !isSmallValue(value[name] as Json, name, units)) return false
  }
  return true
}

/** Whether no rule of size can concern a record: no long text, no image, no reference to one. Cost: one quick walk. */
export const isSmall = (record: JsonObject): boolean => isSmallValue(record, "", Math.floor(MAX_STRING_UNITS / GROWTH))

/** How often a record that was cut is looked at again: what is cut off can make the rest read otherwise. */
const ROUNDS = 4

/**
 * What the state holds of a record. The same reference when it is small. Cost: a walk; when a string is long, two redactions more.
 */
export const kept = (
  record: JsonObject,
  redact: (value: JsonObject) => JsonObject,
  units: number = MAX_STRING_UNITS,
): JsonObject => {
  let state = lasting(record)
  if (cutLong(state, Math.floor(units / GROWTH)) === state) return state
  for (let round = 0; round < ROUNDS; round++) {
    const clean = redact(state)
    const cut = cutLong(clean, units)
    if (cut === clean) return state
    state = cut
  }
  return state
}
