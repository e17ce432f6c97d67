/**
 * Patches: records that change what stands before them. Versions 4 and 5 only.
 *
 *     {"type":"header_patch","patch":{"title"?:"…","titleSource"?:"auto"|"user","cwd"?:"…","starred"?:true,"leafId"?:"…"|null}}
 *     {"type":"entry_patch","entryId":"…","patch":{"message":{…}}}
 *
 * Valid if and only if it has no member but these, each of the type shown, and everything it names stands before it. An invalid
 * patch has no effect at all: half a change would be a change that nobody wrote. Patches apply in file order, the last one wins.
 *
 * `leafId` is this project's own: it keeps the live leaf after a branch without an append (law TRE-2). Readers that do not know it
 * ignore the whole patch, as the rule above has it, so the key stands alone in its record.
 */
import * as Result from "effect/Result"
import { isObject, type JsonObject, own, ownString } from "../model/Json.ts"
import { isSource } from "./Header.ts"

export interface HeaderPatch {
  readonly _tag: "HeaderPatch"
  /** The header members to overwrite. */
  readonly members: JsonObject
  /** The new live leaf; absent when the patch does not move it. */
  readonly leaf?: string | null
}

export interface EntryPatch {
  readonly _tag: "EntryPatch"
  readonly entryId: string
  readonly message: JsonObject
}

/** Why a patch has no effect. */
export type PatchRefusal =
  | { readonly _tag: "UnknownMember"; readonly member: string }
  | { readonly _tag: "WrongType"; readonly member: string }
  | { readonly _tag: "NoHeader" }
  | { readonly _tag: "OldVersion"; readonly version: number }
  | { readonly _tag: "UnknownTarget"; readonly id: string }
  | { readonly _tag: "NotAMessage"; readonly id: string }

const HEADER_MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: (value) => typeof value === "string",
  titleSource: isSource,
  cwd: (value) => typeof value === "string",
  starred: (value) => typeof value === "boolean",
  leafId: (value) => typeof value === "string" || value === null,
}

const unknownMember = (object: JsonObject, known: ReadonlyArray<string>): string | undefined =>
  Object.keys(object).find((key) => !known.includes(key))

const refuse = (_tag: "UnknownMember" | "WrongType", member: string): Result.Result<never, PatchRefusal> =>
  Result.fail({ _tag, member })

const headerPatch = (record: JsonObject): Result.Result<HeaderPatch, PatchRefusal> => {
  const stranger = unknownMember(record, ["type", "patch"])
  if (stranger !== undefined) return refuse("UnknownMember", stranger)
  const patch = own(record, "patch")
  if (!isObject(patch)) return refuse("WrongType", "patch")
  for (const [key, value] of Object.entries(patch)) {
    if (!Object.hasOwn(HEADER_MEMBERS, key)) return refuse("UnknownMember", `patch.${key}`)
    if (HEADER_MEMBERS[key]?.(value) !== true) return refuse("WrongType", `patch.${key}`)
  }
  const { leafId, ...members } = patch
  if (leafId === undefined) return Result.succeed({ _tag: "HeaderPatch", members })
  return Result.succeed({ _tag: "HeaderPatch", members, leaf: leafId as string | null })
}

const entryPatch = (record: JsonObject): Result.Result<EntryPatch, PatchRefusal> => {
  const stranger = unknownMember(record, ["type", "entryId", "patch"])
  if (stranger !== undefined) return refuse("UnknownMember", stranger)
  const entryId = ownString(record, "entryId")
  if (entryId === undefined) return refuse("WrongType", "entryId")
  const patch = own(record, "patch")
  if (!isObject(patch)) return refuse("WrongType", "patch")
  const inner = unknownMember(patch, ["message"])
  if (inner !== undefined) return refuse("UnknownMember", `patch.${inner}`)
  const message = own(patch, "message")
  if (!isObject(message)) return refuse("WrongType", "patch.message")
  return Result.succeed({ _tag: "EntryPatch", entryId, message })
}

export const isPatch = (record: JsonObject): boolean => {
  const type = own(record, "type")
  return type === "header_patch" || type === "entry_patch"
}

/** What a patch record says, or why it says nothing. Looks at the record alone; whether its targets exist is the state's to say. */
export const parsePatch = (record: JsonObject): Result.Result<HeaderPatch | EntryPatch, PatchRefusal> =>
  own(record, "type") === "header_patch" ? headerPatch(record) : entryPatch(record)
