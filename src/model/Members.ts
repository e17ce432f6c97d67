/** Edits of an object's own members, made from the members that it should have. */
import type { Edit } from "./Edit.ts"
import { type Json, type JsonObject, own } from "./Json.ts"

export type Members = Record<string, Json>

export type ObjectEdit = Extract<Edit, { readonly _tag: "Object" }>

/** The edit after which the object has these members, or undefined when it has them already. Others stay, and so does the order. */
export const edited = (object: JsonObject, wanted: Members): ObjectEdit | undefined => {
  const add = Object.entries(wanted).filter(([key, value]) => own(object, key) !== value)
  return add.length === 0 ? undefined : { _tag: "Object", members: new Map(), add }
}
