/**
 * Turns a host's value into JSON that reads back as the same value, or says where it cannot.
 *
 * What a host hands over lives on in memory and on disk. Only a value that survives `JSON.stringify` and `JSON.parse` unchanged may
 * do both, else the live state and the replayed state differ (law RPL-1). So members that are undefined are left out, `-0` becomes
 * `0`, and everything else that JSON would bend (`NaN`, dates, functions, holes in arrays) is refused with its path.
 */
import * as Result from "effect/Result"
import type { Json } from "./Json.ts"
import { MAX_DEPTH } from "./Limits.ts"

/** Where a value is not JSON, as in `message.content[0].text`, and what stands there. */
export interface NotJson {
  readonly path: string
  readonly found: string
}

const isPlain = (value: object): boolean => {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const refuse = (path: string, found: string): Result.Result<never, NotJson> => Result.fail({ path, found })

const number = (value: number, path: string): Result.Result<Json, NotJson> =>
  Number.isFinite(value) ? Result.succeed(value === 0 ? 0 : value) : refuse(path, String(value))

const list = (value: ReadonlyArray<unknown>, path: string, depth: number): Result.Result<Json, NotJson> => {
  let copy: Array<Json> | undefined
  for (let i = 0; i < value.length; i++) {
    const item = convert(value[i], `${path}[${i}]`, depth + 1)
    if (Result.isFailure(item)) return item
    if (copy === undefined && !Object.is(item.success, value[i])) copy = value.slice(0, i) as Array<Json>
    copy?.push(item.success)
  }
  return Result.succeed(copy ?? (value as ReadonlyArray<Json>))
}

const object = (value: object, path: string, depth: number): Result.Result<Json, NotJson> => {
  if (!isPlain(value)) return refuse(path, `an instance of ${value.constructor?.name ?? "a class"}`)
  const members: Array<[string, Json]> = []
  let changed = false
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) {
      changed = true
      continue
    }
    const item = convert(member, path === "" ? key : `${path}.${key}`, depth + 1)
    if (Result.isFailure(item)) return item
    if (!Object.is(item.success, member)) changed = true
    members.push([key, item.success])
  }
  return Result.succeed(changed ? Object.fromEntries(members) : (value as Json))
}

const convert = (value: unknown, path: string, depth: number): Result.Result<Json, NotJson> => {
  if (depth > MAX_DEPTH) return refuse(path.slice(0, 200), `nesting deeper than ${MAX_DEPTH} levels`)
  switch (typeof value) {
    case "string":
    case "boolean":
      return Result.succeed(value)
    case "number":
      return number(value, path)
    case "object":
      if (value === null) return Result.succeed(null)
      return Array.isArray(value) ? list(value, path, depth) : object(value, path, depth)
    default:
      return refuse(path, typeof value)
  }
}

/** The value as JSON; the same reference where nothing had to change. Never changes what it was given. Cost: one walk. */
export const plain = (value: unknown): Result.Result<Json, NotJson> => convert(value, "", 0)
