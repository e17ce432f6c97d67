/**
 * The shape of a JSON object: which members it has and of what kind. One table serves the types, the reader and the validator.
 *
 * A member is written as its kind, with a question mark when it may be absent: `{ summary: "string", label: "string?" }`.
 * A value fits a shape if and only if every member that may not be absent is there and every member that is there is of its kind.
 * Members that the shape does not name are allowed: records are open.
 */
import { isObject, type Json, type JsonArray, type JsonObject, own } from "../model/Json.ts"

interface Kinds {
  readonly string: string
  readonly "string or null": string | null
  /** oh-my-pi keeps a service tier per provider, in an object. */
  readonly tier: string | null | JsonObject
  readonly boolean: boolean
  readonly number: number
  readonly object: JsonObject
  readonly list: JsonArray
  readonly "list of strings": ReadonlyArray<string>
  /** A text, or a list of blocks. */
  readonly content: string | JsonArray
  readonly "title source": "auto" | "user"
  readonly attribution: "user" | "agent"
  readonly anything: Json
}

export type Kind = keyof Kinds
export type Spec = Kind | `${Kind}?`
export type Shape = Readonly<Record<string, Spec>>

type Needed<S extends Shape> = { [K in keyof S]: S[K] extends `${string}?` ? never : K }[keyof S]
type KindOf<P> = P extends `${infer K extends Kind}?` ? K : P extends Kind ? P : never

/** The members of an object that fits the shape. */
export type Shaped<S extends Shape> = { readonly [K in Needed<S>]: Kinds[KindOf<S[K]>] } & {
  readonly [K in Exclude<keyof S, Needed<S>>]?: Kinds[KindOf<S[K]>]
}

export const isStrings = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

const checks: { readonly [K in Kind]: (value: Json) => boolean } = {
  string: (value) => typeof value === "string",
  "string or null": (value) => typeof value === "string" || value === null,
  tier: (value) => typeof value === "string" || value === null || isObject(value),
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  object: isObject,
  list: Array.isArray,
  "list of strings": isStrings,
  content: (value) => typeof value === "string" || Array.isArray(value),
  "title source": (value) => value === "auto" || value === "user",
  attribution: (value) => value === "user" || value === "agent",
  anything: () => true,
}

/** A member that is missing or of another kind, and the kind it should have. */
export interface Flaw {
  readonly member: string
  readonly expected: Kind
}

interface Check extends Flaw {
  readonly optional: boolean
  readonly holds: (value: Json) => boolean
}

/** The checks of a shape, made once: shapes are constants, and every record is held to one. */
const compiled = new WeakMap<Shape, ReadonlyArray<Check>>()

const compile = (shape: Shape): ReadonlyArray<Check> =>
  Object.entries(shape).map(([member, spec]) => {
    const optional = spec.endsWith("?")
    const expected = (optional ? spec.slice(0, -1) : spec) as Kind
    return { member, expected, optional, holds: checks[expected] }
  })

/** The first member that keeps the object from fitting the shape, or undefined when it fits. */
export const flaw = (object: JsonObject, shape: Shape): Flaw | undefined => {
  let members = compiled.get(shape)
  if (members === undefined) {
    members = compile(shape)
    compiled.set(shape, members)
  }
  for (const { member, expected, optional, holds } of members) {
    const value = own(object, member)
    if (value === undefined ? !optional : !holds(value)) return { member, expected }
  }
  return undefined
}
