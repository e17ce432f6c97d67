/**
 * The header: record 1 of a tree session.
 *
 *     {"type":"session","version":5,"id":"…","timestamp":"…","cwd":"…",
 *      "title"?:"…","titleSource"?:"auto"|"user","starredPatchVersion"?:1,"starred"?:true,"parentSession"?:"…"}
 *
 * Valid if and only if `type` is `session`, `id` is a string, and `version` is absent (which means 1) or an integer from 1 to 5.
 * `parentSession` is opaque: a session id or a path, as the writer had it. Files of version 1 have it under the name `branchedFrom`.
 * Unknown members are kept.
 *
 * oh-my-pi puts a record before it, a slot of 256 bytes that it overwrites in place:
 *
 *     {"type":"title","v":1,"title":"…","source":"auto"|"user","updatedAt":"…","pad":"   …   "}
 *
 * Its title, unless empty, is the session's title.
 */
import * as Result from "effect/Result"
import type { Edit } from "../model/Edit.ts"
import { digest32 } from "../model/Ids.ts"
import { type Json, type JsonObject, own, ownString } from "../model/Json.ts"
import { toText } from "../model/JsonText.ts"
import { edited, type Members } from "../model/Members.ts"

export type Version = 1 | 2 | 3 | 4 | 5
export type TitleSource = "auto" | "user"

export const CURRENT_VERSION = 5

/** UTF-16 units of the longest title. */
export const MAX_TITLE_UNITS = 1_000

/** A version that this library cannot read. Such a file is refused before replay and never rewritten. */
export interface UnsupportedVersion {
  readonly _tag: "UnsupportedVersion"
  readonly code: "tree.unsupported_version"
  readonly version: Json
  readonly message: string
  readonly remedy: string
}

/** The version a header declares. Absent means 1; anything but an integer from 1 to 5 is refused. */
export const checkVersion = (header: JsonObject): Result.Result<Version, UnsupportedVersion> => {
  const version = own(header, "version")
  if (version === undefined) return Result.succeed(1)
  if (version === 1 || version === 2 || version === 3 || version === 4 || version === 5) return Result.succeed(version)
  return Result.fail({
    _tag: "UnsupportedVersion",
    code: "tree.unsupported_version",
    version,
    message: `Session version ${JSON.stringify(version)} is not one of 1 to ${CURRENT_VERSION}.`,
    remedy: "Open the file with the program that wrote it, or with a newer version of this one.",
  })
}

export const isSource = (value: unknown): value is TitleSource => value === "auto" || value === "user"

/** What a header says, read without trust: a member of the wrong type counts as absent. */
export interface Header {
  readonly id: string
  readonly cwd: string | undefined
  readonly timestamp: string | undefined
  readonly title: string | undefined
  readonly titleSource: TitleSource | undefined
  readonly parentSession: string | undefined
  readonly starred: boolean
}

export const readHeader = (header: JsonObject): Header => {
  const source = own(header, "titleSource")
  return {
    id: ownString(header, "id") ?? "",
    cwd: ownString(header, "cwd"),
    timestamp: ownString(header, "timestamp"),
    title: ownString(header, "title") || undefined,
    titleSource: isSource(source) ? source : undefined,
    parentSession: ownString(header, "parentSession") ?? ownString(header, "branchedFrom"),
    starred: own(header, "starred") === true,
  }
}

export const isHeader = (record: JsonObject): boolean => own(record, "type") === "session"

export const isTitleSlot = (record: JsonObject): boolean =>
  own(record, "type") === "title" && ownString(record, "title") !== undefined

/** A header with the title of an oh-my-pi title slot in it. */
export const withTitleSlot = (header: JsonObject, slot: JsonObject | undefined): JsonObject => {
  const title = slot === undefined ? "" : (ownString(slot, "title") ?? "")
  if (slot === undefined || title === "") return header
  const source = own(slot, "source")
  return { ...header, title, ...(isSource(source) ? { titleSource: source } : {}) }
}

const madeUpId = (record: JsonObject): string => `recovered-${digest32(toText(record)).toString(16).padStart(8, "0")}`

/** A header without an id, with one made up from its content: the same each time the file is read. */
export const withMadeUpId = (header: JsonObject): JsonObject => ({ ...header, id: madeUpId(header) })

/** The header of a file that has none, made up from its first entry. */
export const madeUpHeader = (first: JsonObject, version: Version): JsonObject => ({
  type: "session",
  version,
  id: madeUpId(first),
  timestamp: ownString(first, "timestamp") ?? "",
  cwd: "",
})

/**
 * A title as it may be stored: control characters become spaces, runs of space one, at most {@link MAX_TITLE_UNITS}. May be empty. A long
 * one is cut between two words where it has any: half a word could be half a secret, which redaction would not know any more.
 */
export const sanitiseTitle = (text: string): string => {
  const line = text
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
  if (line.length <= MAX_TITLE_UNITS) return line
  const words = line.slice(0, MAX_TITLE_UNITS + 1)
  const end = words.lastIndexOf(" ")
  const cut = end > 0 ? words.slice(0, end) : words.slice(0, MAX_TITLE_UNITS)
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** The edit that makes a source header the header of a version-5 file in which the final state's patches are folded. */
export const headerEdit = (source: JsonObject, final: JsonObject): Edit | undefined => {
  const members: Members = { version: CURRENT_VERSION }
  for (const key of ["id", "title", "titleSource", "cwd", "starred"]) {
    const value = own(final, key)
    if (value !== undefined) members[key] = value
  }
  if (typeof own(final, "starred") === "boolean") members["starredPatchVersion"] = 1
  return edited(source, members)
}
