/**
 * The JSON values that every record is made of.
 *
 * `__proto__` is an ordinary key here: objects from `JSON.parse` carry it as an own property, so every look-up goes through
 * {@link own}, and every copy is made by spreading, which defines properties instead of assigning them.
 */

export type Json = null | boolean | number | string | JsonArray | JsonObject
export type JsonArray = ReadonlyArray<Json>
export interface JsonObject {
  readonly [key: string]: Json
}

/** True for a plain object: neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value of an own key, or undefined. Never reads through the prototype. */
export const own = (object: JsonObject, key: string): Json | undefined => (Object.hasOwn(object, key) ? object[key] : undefined)

/** The own value of a key when it is a string, else undefined. */
export const ownString = (object: JsonObject, key: string): string | undefined => {
  const value = own(object, key)
  return typeof value === "string" ? value : undefined
}

/** The own value of a key when it is a plain object, else undefined. */
export const ownObject = (object: JsonObject, key: string): JsonObject | undefined => {
  const value = own(object, key)
  return isObject(value) ? value : undefined
}
