/** JSON whose texts are all whole: half of a surrogate pair, as a cut leaves it, makes a provider refuse everything it stands in. Pure. */
import { isObject, type Json, type JsonArray, type JsonObject } from "../model/Json.ts"
import { mapItems, mapMembers } from "../model/Mapping.ts"

const wellFormedValue = (value: Json): Json => {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed()
  if (Array.isArray(value)) return mapItems(value as JsonArray, wellFormedValue)
  return isObject(value) ? wellFormed(value) : value
}

/** The object with U+FFFD for each half of a pair, keys included; the same reference when there is none. Cost: one walk. */
export const wellFormed = (object: JsonObject): JsonObject => {
  const whole = mapMembers(object, (_, value) => wellFormedValue(value))
  const isWhole = Object.keys(whole).every((key) => key.isWellFormed())
  return isWhole ? whole : Object.fromEntries(Object.entries(whole).map(([key, value]) => [key.toWellFormed(), value]))
}
