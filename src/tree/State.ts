/**
 * The state of a tree session: what a fold over its records knows.
 *
 * Every entry is held as a version-5 record, whatever the version of the file. Each record costs O(1): sequences are appended to,
 * nothing is copied or scanned.
 */
import type { JsonObject } from "../model/Json.ts"
import { at, empty, last, lastPosition, type Sequence } from "../model/Sequence.ts"
import type { TitleSource, UnsupportedVersion, Version } from "./Header.ts"

/** A node of the tree. Once in the state it is never changed (law TRE-1); a patch is kept beside it. */
export interface Entry {
  readonly id: string
  readonly parentId: string | null
  /** The type of its record. */
  readonly type: string
  /** Its place among the records of the file, the header being 0. */
  readonly index: number
  /** The position of the entry that answered to its parent's id when it came, or -1. See {@link parentOf}. */
  readonly parent: number
  /**
   * The position of the nearest stop at or above it, or {@link NO_STOP}. A stop is an entry that sets something beside its messages
   * (Settings.ts), or one whose parent did not stand before it: so what a path sets is found without a look at its messages.
   */
  readonly stop: number
  /** The record as version 5 has it, before patches. */
  readonly record: JsonObject
  /** The record as the file has it; the same reference when the two are equal. */
  readonly source: JsonObject
}

export const NO_STOP = -1

/** The message that a patch has put into the entry at a position. */
export interface PatchedMessage {
  readonly position: number
  readonly message: JsonObject
}

export interface LabelChange {
  readonly targetId: string
  /** Absent when the change clears the label. */
  readonly label: string | undefined
}

/** A title that an entry gave to the session: `title_change` of oh-my-pi, `session_info` of pi. */
export interface EntryTitle {
  readonly title: string
  readonly source: TitleSource
}

export interface TreeState {
  /** The version of the source. 5 before a header was read. */
  readonly version: Version
  /** Set when the header declares a version that cannot be read. The rest is then a best effort that must not be written. */
  readonly unsupported: UnsupportedVersion | undefined
  /** The header with its patches folded in, the source's version in it. */
  readonly header: JsonObject | undefined
  /** True when the header, or its id, is made up in memory because the file has none. */
  readonly headerMadeUp: boolean
  /** oh-my-pi's title slot, when it stood before the header. */
  readonly titleSlot: JsonObject | undefined
  /** True once a record stood where the header belongs. */
  readonly headless: boolean
  /** Records read so far, counted from the header. The next record's index. */
  readonly count: number
  readonly entries: Sequence<Entry>
  /** True once an entry has come under the id of another one: a path may go past other parents and stops since. */
  readonly takenOver: boolean
  readonly patches: Sequence<PatchedMessage>
  readonly labels: Sequence<LabelChange>
  readonly entryTitle: EntryTitle | undefined
  /** The id of the entry that the next one attaches to; null for none. */
  readonly leaf: string | null
}

export const initial: TreeState = {
  version: 5,
  unsupported: undefined,
  header: undefined,
  headerMadeUp: false,
  titleSlot: undefined,
  headless: false,
  count: 0,
  entries: empty((entry) => entry.id),
  takenOver: false,
  patches: empty((patch) => String(patch.position)),
  labels: empty((change) => change.targetId),
  entryTitle: undefined,
  leaf: null,
}

/** True when an entry answers to the id. O(1). */
export const has = (state: TreeState, id: string): boolean => lastPosition(state.entries, id) >= 0

/** The position of the entry that answers to the parent's id of one, or -1. O(1). */
export const parentOf = ({ entries, takenOver }: TreeState, { parent, parentId }: Entry): number => {
  if (parent >= 0 && !takenOver) return parent
  return parentId === null ? -1 : lastPosition(entries, parentId)
}

/** The record at a position with its patches folded in, or undefined outside the session. O(1). */
export const recordAt = (state: TreeState, position: number): JsonObject | undefined => {
  const entry = at(state.entries, position)
  if (entry === undefined) return undefined
  const patch = state.patches.length === 0 ? undefined : last(state.patches, String(position))
  return patch === undefined ? entry.record : { ...entry.record, message: patch.message }
}

/** The record of the entry that answers to the id, with its patches folded in. O(1). */
export const recordOf = (state: TreeState, id: string): JsonObject | undefined => recordAt(state, lastPosition(state.entries, id))
