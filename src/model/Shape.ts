/**
 * The shape of a JSON object: which members it has and of what kind. One table serves the types, the reader and the validator.
 *
 * A member is written as its kind, with a question mark when it may be absent: `{ summary: "string", label: "string?" }`. One with a
 * shape of its own is written `of(shape)`, `maybe(of(shape))`, or `listOf(shape)`.
 * A value fits a shape if and only if every member that may not be absent is there and every member that is there is of its kind.
 * Members that the shape does not name are allowed: records are open.
 */
import { isObject, type Json, type JsonArray, type JsonObject, own } from "./Json.ts"

interface Kinds {
  readonly string: string
  readonly "string or null": string | null
  /** oh-my-pi keeps a service tier per provider, in an object. */
  readonly tier: string | null | JsonObject
  readonly boolean: boolean
  readonly number: number
  /** A finite number that is not below zero. */
  readonly amount: number
  readonly object: JsonObject
  readonly list: JsonArray
  readonly "list of strings": ReadonlyArray<string>
  readonly "list of objects": ReadonlyArray<JsonObject>
  /** A text, or a list of blocks. */
  readonly content: string | JsonArray
  readonly "title source": "auto" | "user"
  readonly attribution: "user" | "agent"
  readonly "role of a turn": "user" | "assistant"
  readonly anything: Json
}

export type Kind = keyof Kinds

/** A member that has a shape of its own. */
export interface Nested<S, Many extends boolean = boolean, Optional extends boolean = boolean> {
  readonly shape: S
  /** A list of them. */
  readonly many: Many
  readonly optional: Optional
}

export type Spec = Kind | `${Kind}?` | Nested<Shape>

export interface Shape {
  readonly [member: string]: Spec
}

export const of = <const S extends Shape>(shape: S): Nested<S, false, false> => ({ shape, many: false, optional: false })

export const listOf = <const S extends Shape>(shape: S): Nested<S, true, false> => ({ shape, many: true, optional: false })

export const maybe = <S, Many extends boolean>(nested: Nested<S, Many>): Nested<S, Many, true> => ({ ...nested, optional: true })

type Needed<S> = { [K in keyof S]: S[K] extends `${string}?` | Nested<unknown, boolean, true> ? never : K }[keyof S]

type ValueOf<P> =
  P extends Nested<infer S, infer Many>
    ? Many extends true
      ? ReadonlyArray<Shaped<S>>
      : Shaped<S>
    : P extends `${infer K extends Kind}?`
      ? Kinds[K]
      : P extends Kind
        ? Kinds[P]
        : never

/** The members of an object that fits the shape. */
export type Shaped<S> = { readonly [K in Needed<S>]: ValueOf<S[K]> } & {
  readonly [K in Exclude<keyof S, Needed<S>>]?: ValueOf<S[K]>
}

export const isStrings = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

const checks: { readonly [K in Kind]: (value: Json) => boolean } = {
  string: (value) => typeof value === "string",
  "string or null": (value) => typeof value === "string" || value === null,
  tier: (value) => typeof value === "string" || value === null || isObject(value),
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  // JSON has no infinity, but a parser makes one of 1e999.
  amount: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
  object: isObject,
  list: Array.isArray,
  "list of strings": isStrings,
  "list of objects": (value) => Array.isArray(value) && value.every(isObject),
  content: (value) => typeof value === "string" || Array.isArray(value),
  "title source": (value) => value === "auto" || value === "user",
  attribution: (value) => value === "user" || value === "agent",
  "role of a turn": (value) => value === "user" || value === "assistant",
  anything: () => true,
}

/** A member that is missing or of another kind, and the kind it should have. */
export interface Flaw {
  /** Its name, from the object down: `limits.maxSteps`, `calls[2].name`. */
  readonly member: string
  readonly expected: Kind
}

interface Check {
  readonly member: string
  readonly optional: boolean
  /** The flaw of a value that is there, or undefined when it has none. */
  readonly flawOf: (value: Json) => Flaw | undefined
  readonly expected: Kind
}

/** The checks of a shape, made once: shapes are constants, and every record is held to one. */
const compiled = new WeakMap<Shape, ReadonlyArray<Check>>()

const within = (prefix: string, value: Json, shape: Shape): Flaw | undefined => {
  if (!isObject(value)) return { member: prefix, expected: "object" }
  const found = flaw(value, shape)
  return found === undefined ? undefined : { ...found, member: `${prefix}.${found.member}` }
}

const withinEach = (prefix: string, value: Json, shape: Shape): Flaw | undefined => {
  if (!Array.isArray(value)) return { member: prefix, expected: "list" }
  for (const [index, item] of value.entries()) {
    const found = within(`${prefix}[${index}]`, item, shape)
    if (found !== undefined) return found
  }
  return undefined
}

const checkOf = (member: string, spec: Spec): Check => {
  if (typeof spec === "object") {
    const { shape, many, optional } = spec
    const expected = many ? "list" : "object"
    return { member, expected, optional, flawOf: (value) => (many ? withinEach : within)(member, value, shape) }
  }
  const optional = spec.endsWith("?")
  const expected = (optional ? spec.slice(0, -1) : spec) as Kind
  const holds = checks[expected]
  return { member, expected, optional, flawOf: (value) => (holds(value) ? undefined : { member, expected }) }
}

/** The first member that keeps the object from fitting the shape, or undefined when it fits. */
export const flaw = (object: JsonObject, shape: Shape): Flaw | undefined => {
  let members = compiled.get(shape)
  if (members === undefined) {
    members = Object.entries(shape).map(([member, spec]) => checkOf(member, spec))
    compiled.set(shape, members)
  }
  for (const { member, expected, optional, flawOf } of members) {
    const value = own(object, member)
    if (value === undefined && !optional) return { member, expected }
    const found = value === undefined ? undefined : flawOf(value)
    if (found !== undefined) return found
  }
  return undefined
}
