/**
 * A change to a JSON value that can be made to the value and, without loss, to the text the value was read from.
 *
 * `JSON.parse` followed by `JSON.stringify` loses `1.0`, `-0`, integers beyond 2^53 and odd spacing. A rewrite of a journal must not,
 * so it never serialises what it did not change: it applies an edit to the raw line, and every byte outside the edit stays.
 * The two ways agree: `JSON.parse(applyToText(raw, edit)) = apply(JSON.parse(raw), edit)`.
 */
import { isObject, type Json, type JsonObject } from "./Json.ts"

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
