/**
 * Turns a host's value into JSON that reads back as the same value, or says where it cannot.
 *
 * What a host hands over lives on in memory and on disk. Only a value that survives `JSON.stringify` and `JSON.parse` unchanged may
 * do both, else the live state and the replayed state differ (law RPL-1). So members that are undefined are left out, `-0` becomes
 * `0`, and everything else that JSON would bend (`NaN`, dates, functions, holes in arrays) is refused with its path.
 */
import * as Result from "effect/Result"
import type { Json, JsonObject } from "./Json.ts"
import { MAX_DEPTH } from "./Limits.ts"

/** Where a value is not JSON, as in `message.content[0].text`, and what stands there. */
export interface NotJson {
  readonly path: string
  readonly found: string
}

/** Where a value is not JSON, from there up. What is on every append's way makes no path until it needs one. */
class Refusal {
  readonly found: string
  readonly isTooDeep: boolean
  /** The steps to the place, the last one first. */
  readonly #steps: Array<string> = []

  constructor(found: string, isTooDeep = false) {
    this.found = found
    this.isTooDeep = isTooDeep
  }

  below(step: string): this {
    this.#steps.push(step)
    return this
  }

  get path(): string {
    const path = this.#steps.toReversed().join("").replace(/^\./, "")
    return this.isTooDeep ? path.slice(0, 200) : path
  }
}

const isPlain = (value: object): boolean => {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}

const number = (value: number): Json | Refusal =>
  Number.isFinite(value) ? (value === 0 ? 0 : value) : new Refusal(String(value))

const list = (value: ReadonlyArray<unknown>, depth: number): Json | Refusal => {
  let copy: Array<Json> | undefined
  for (let i = 0; i < value.length; i++) {
    const item = convert(value[i], depth + 1)
    if (item instanceof Refusal) return item.below(`[${i}]`)
    if (copy === undefined && !Object.is(item, value[i])) copy = value.slice(0, i) as Array<Json>
    copy?.push(item)
  }
  return copy ?? (value as ReadonlyArray<Json>)
}

const object = (value: object, depth: number): Json | Refusal => {
  if (!isPlain(value)) return new Refusal(`an instance of ${value.constructor?.name ?? "a class"}`)
  const given = value as { readonly [key: string]: unknown }
  const keys = Object.keys(value)
  let copy: Array<[string, Json]> | undefined
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string
    const member = given[key]
    const item = member === undefined ? undefined : convert(member, depth + 1)
    if (item instanceof Refusal) return item.below(`.${key}`)
    if (copy === undefined && (item === undefined || !Object.is(item, member)))
      copy = keys.slice(0, at).map((before) => [before, given[before] as Json])
    if (item !== undefined) copy?.push([key, item])
  }
  return copy === undefined ? (value as JsonObject) : Object.fromEntries(copy)
}

const convert = (value: unknown, depth: number): Json | Refusal => {
  if (depth > MAX_DEPTH) return new Refusal(`nesting deeper than ${MAX_DEPTH} levels`, true)
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return number(value)
    case "object":
      if (value === null) return null
      return Array.isArray(value) ? list(value, depth) : object(value, depth)
    default:
      return new Refusal(typeof value)
  }
}

/** The value as JSON; the same reference where nothing had to change. Never changes what it was given. Cost: one walk. */
export const plain = (value: unknown): Result.Result<Json, NotJson> => {
  const json = convert(value, 0)
  return json instanceof Refusal ? Result.fail({ path: json.path, found: json.found }) : Result.succeed(json)
}
