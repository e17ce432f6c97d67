/**
 * JSON values as text and JSON text as tokens, without recursion and without loss.
 *
 * `JSON.stringify` overflows the stack on deep values, turns `-0` into `0` and a number too large for a double into `null`. What is
 * written here reads back as the same value.
 */

import type { Json, JsonArray, JsonObject } from "./Json.ts"
import { BACKSLASH, QUOTE } from "./JsonSigns.ts"

/** The text of a number. `-0` and the infinities that `1e999` reads as survive; NaN, which no JSON text gives, becomes `null`. */
export const numberText = (value: number): string => {
  if (Object.is(value, -0)) return "-0"
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? "null" : value > 0 ? "1e999" : "-1e999"
}

interface Frame {
  readonly container: JsonArray | JsonObject
  readonly keys: ReadonlyArray<string> | undefined
  at: number
}

const open = (container: JsonArray | JsonObject): Frame => ({
  container,
  keys: Array.isArray(container) ? undefined : Object.keys(container),
  at: 0,
})

const scalar = (value: null | boolean | number | string): string =>
  typeof value === "string" ? JSON.stringify(value) : typeof value === "number" ? numberText(value) : String(value)

/** The value on one line, in the spacing of `JSON.stringify`. Any depth. */
export const toText = (value: Json): string => {
  if (typeof value !== "object" || value === null) return scalar(value)
  let text = Array.isArray(value) ? "[" : "{"
  const frames = [open(value)]
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const { container, keys, at } = frame
    if (at === (keys ?? (container as JsonArray)).length) {
      text += keys === undefined ? "]" : "}"
      frames.pop()
      continue
    }
    frame.at++
    if (at > 0) text += ","
    const key = keys?.[at]
    if (key !== undefined) text += `${JSON.stringify(key)}:`
    const child = (key === undefined ? (container as JsonArray)[at] : (container as JsonObject)[key]) as Json
    if (typeof child === "object" && child !== null) {
      text += Array.isArray(child) ? "[" : "{"
      frames.push(open(child))
    } else text += scalar(child)
  }
  return text
}

/** The position of the first character from `at` on that is not JSON white space. */
export const skipSpace = (text: string, at: number): number => {
  for (let i = at; ; i++) {
    const code = text.charCodeAt(i)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return i
  }
}

/** The position after the string token whose opening quote is at `at`, or the text's length when it does not end. */
export const stringEnd = (text: string, at: number): number => {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) return i + 1
    if (code === BACKSLASH) i++
  }
  return text.length
}

/** What the string token in `text` from `start` to `end` stands for. The token must be valid. */
export const stringValue = (text: string, start: number, end: number): string => {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : inner
}

/** The position after the value that begins at `at`. The text must be JSON. Any depth. */
export const valueEnd = (text: string, at: number): number => {
  let depth = 0
  for (let i = at; i < text.length; ) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = stringEnd(text, i)
      if (depth === 0) return i
      continue
    }
    if (code === 0x7b || code === 0x5b) depth++
    else if (code === 0x7d || code === 0x5d) {
      depth--
      if (depth === 0) return i + 1
      if (depth < 0) return i
    } else if (depth === 0 && (code === 0x2c || code <= 0x20)) return i
    i++
  }
  return text.length
}

/** Whether the text is one JSON value. */
export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
