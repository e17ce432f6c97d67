/**
 * JSON text to its value, with the keys that stand there.
 *
 * `JSON.parse` of V8 from 12.8 on takes an escaped key for another one when an object of the same shape has had a key with a backslash
 * before: after `{"\\":1}` has been parsed, `{"\r":1}` gives the key `\`. Text without an escape in a key is not concerned and is
 * parsed natively; the rest is put together here, key by key.
 */

import type { Json } from "./Json.ts"
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./JsonSigns.ts"
import { skipSpace, stringEnd, stringValue, valueEnd } from "./JsonText.ts"

/** Whether the quote at `at` is one of the string's characters: an odd number of backslashes stands before it, none before `from`. */
const isEscaped = (text: string, at: number, from: number): boolean => {
  let first = at
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

/** Whether a key has an escape in it. The text must be JSON. Linear, and quick where there are few escapes. */
const hasEscapedKey = (text: string): boolean => {
  for (let at = text.indexOf("\\"); at !== -1; ) {
    let end = text.indexOf('"', at + 1)
    while (isEscaped(text, end, at)) end = text.indexOf('"', end + 1)
    if (text.charCodeAt(skipSpace(text, end + 1)) === COLON) return true
    at = text.indexOf("\\", end + 1)
  }
  return false
}

/** A container that is being filled, and the key of its next member. */
interface Frame {
  readonly container: Array<Json> | Record<string, Json>
  key: string
}

const put = ({ container, key }: Frame, value: Json): void => {
  if (Array.isArray(container)) container.push(value)
  else if (key !== "__proto__") container[key] = value
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}

/** The value of text that is known to be one JSON object or array. Any depth. */
const assemble = (text: string): Json => {
  const root: Array<Json> = []
  const frames: Array<Frame> = [{ container: root, key: "" }]
  for (let at = skipSpace(text, 0); frames.length > 1 || root.length === 0; at = skipSpace(text, at)) {
    const frame = frames[frames.length - 1] as Frame
    const code = text.charCodeAt(at)
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      const container = code === OPEN_BRACE ? {} : []
      put(frame, container)
      frames.push({ container, key: "" })
      at++
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      frames.pop()
      at++
    } else if (code === COMMA) at++
    else if (code === QUOTE) {
      const end = stringEnd(text, at)
      const value = stringValue(text, at, end)
      at = end
      const colon = skipSpace(text, end)
      if (!Array.isArray(frame.container) && text.charCodeAt(colon) === COLON) {
        frame.key = value
        at = colon + 1
      } else put(frame, value)
    } else {
      const end = valueEnd(text, at)
      put(frame, JSON.parse(text.slice(at, end)) as Json)
      at = end
    }
  }
  return root[0] as Json
}

/** What the text stands for. Throws SyntaxError when it is not JSON, as `JSON.parse` does. */
export const parseJson = (text: string): Json => {
  const value = JSON.parse(text) as Json
  return typeof value === "object" && value !== null && hasEscapedKey(text) ? assemble(text) : value
}
