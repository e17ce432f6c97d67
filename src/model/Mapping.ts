/** Copies of JSON values that share what did not change: the same reference comes back when nothing did. */
import type { Json, JsonArray, JsonObject } from "./Json.ts"

/** The object with other members; one that becomes undefined is left out. `__proto__` is a member like any other. */
export const mapMembers = (object: JsonObject, change: (key: string, value: Json) => Json | undefined): JsonObject => {
  let isSame = true
  const members: Array<[string, Json]> = []
  for (const [key, value] of Object.entries(object)) {
    const next = change(key, value)
    if (next !== value) isSame = false
    if (next !== undefined) members.push([key, next])
  }
  return isSame ? object : Object.fromEntries(members)
}

/** The array with other elements. */
export const mapItems = (array: JsonArray, change: (value: Json) => Json): JsonArray => {
  let copy: Array<Json> | undefined
  for (const [index, value] of array.entries()) {
    const next = change(value)
    if (copy === undefined && next !== value) copy = array.slice(0, index)
    copy?.push(next)
  }
  return copy ?? array
}
