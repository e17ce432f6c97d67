/**
 * A change to a JSON value that can be made to the value and, without loss, to the text the value was read from.
 *
 * `JSON.parse` followed by `JSON.stringify` loses `1.0`, `-0`, integers beyond 2^53 and odd spacing. A rewrite of a journal must not,
 * so it never serialises what it did not change: it applies an edit to the raw line, and every byte outside the edit stays.
 * The two ways agree: `JSON.parse(applyToText(raw, edit)) = apply(JSON.parse(raw), edit)`.
 */
import { isObject, type Json, type JsonArray, type JsonObject } from "./Json.ts"

export type Edit =
  /** Puts another value here. */
  | { readonly _tag: "Set"; readonly value: Json }
  /** Changes members of the object that stands here, and appends new ones. */
  | {
      readonly _tag: "Object"
      readonly members: ReadonlyMap<string, MemberEdit>
      readonly add?: ReadonlyArray<readonly [key: string, value: Json]>
    }
  /** Changes elements of the array that stands here. */
  | { readonly _tag: "Array"; readonly items: ReadonlyMap<number, Edit> }

export type MemberEdit =
  | { readonly _tag: "Remove" }
  /** Another key, another value, or both. */
  | { readonly _tag: "Change"; readonly key?: string; readonly value?: Edit }

/** A value that still has to be edited, and where it already stands. */
interface Pending {
  readonly holder: Record<string, Json> | Array<Json>
  readonly key: string
  readonly edit: Edit
}

/** Defines a member; `__proto__` becomes an ordinary one. */
const define = (object: Record<string, Json>, key: string, value: Json): void => {
  if (key === "__proto__") Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}

const editedObject = (object: JsonObject, edit: Edit & { readonly _tag: "Object" }, todo: Array<Pending>): Json => {
  const result: Record<string, Json> = {}
  const add = new Map(edit.add)
  const pending = new Map<string, Edit | undefined>()
  for (const key of Object.keys(object)) {
    const member = edit.members.get(key)
    if (member?._tag === "Remove") continue
    const wanted = member?.key ?? key
    const added = add.get(wanted)
    add.delete(wanted)
    define(result, wanted, added === undefined ? (object[key] as Json) : added)
    pending.set(wanted, added === undefined ? member?.value : undefined)
  }
  for (const [key, value] of add) define(result, key, value)
  for (const [key, inner] of pending) if (inner !== undefined) todo.push({ holder: result, key, edit: inner })
  return result
}

const editedArray = (array: JsonArray, edit: Edit & { readonly _tag: "Array" }, todo: Array<Pending>): Json => {
  const result = array.slice()
  for (const [index, inner] of edit.items)
    if (Object.hasOwn(result, index)) todo.push({ holder: result, key: String(index), edit: inner })
  return result
}

const edited = (value: Json, edit: Edit, todo: Array<Pending>): Json => {
  if (edit._tag === "Set") return edit.value
  if (edit._tag === "Object") return isObject(value) ? editedObject(value, edit, todo) : value
  return Array.isArray(value) ? editedArray(value, edit, todo) : value
}

/**
 * The value with the edit made. The value itself is not changed, and what the edit does not touch is shared.
 *
 * Total: what does not fit (a member that is not there, an object where an array stands) is passed over. A key of `add` that is there
 * already gets the new value in its place. When two members end up with one key, the later one stays. Any depth; cost: the sizes of the
 * objects and arrays on the way.
 */
export const apply = (value: Json, edit: Edit): Json => {
  const todo: Array<Pending> = []
  const result = edited(value, edit, todo)
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const holder = next.holder as Record<string, Json>
    holder[next.key] = edited(holder[next.key] as Json, next.edit, todo)
  }
  return result
}
