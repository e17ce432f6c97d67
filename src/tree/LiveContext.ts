/** The context at the live leaf, kept from one state to the next so that an append costs what it changed and not the session. */
import * as Result from "effect/Result"
import type { JsonObject } from "../model/Json.ts"
import { append, at, empty, from, lastPosition, positions } from "../model/Sequence.ts"
import { type ContextFold, saidAt } from "./Context.ts"
import { changesAbove } from "./ContextMessages.ts"
import { messageOf } from "./EntryMessage.ts"
import { initialSettings, settle } from "./Settings.ts"
import { recordAt, type TreeState } from "./State.ts"

export interface LiveContext {
  readonly fold: ContextFold
  readonly leaf: string | null
  /** The numbers of entries and patches in the state it was made of. */
  readonly entries: number
  readonly patches: number
  /** The id of an entry that would stand above the whole path, and was not in the session. */
  readonly missing: string | undefined
}

export const initialLiveContext: LiveContext = {
  fold: { messages: empty(), settings: initialSettings },
  leaf: null,
  entries: 0,
  patches: 0,
  missing: undefined,
}

const anew = (state: TreeState): Pick<LiveContext, "fold" | "missing"> =>
  Result.match(saidAt(state, state.leaf), {
    onFailure: () => initialLiveContext,
    onSuccess: ({ messages, settings, missing }) => ({ fold: { messages: from(messages), settings }, missing }),
  })

/** True when entries added since can have changed the path that the fold was made of: one took an id over, or filled a gap. */
const reaches = (live: LiveContext, state: TreeState): boolean => {
  if (!state.takenOver && live.missing === undefined) return false
  for (let position = live.entries; position < state.entries.length; position++) {
    const id = at(state.entries, position)?.id ?? ""
    if (id === live.missing || positions(state.entries, id).length > 1) return true
  }
  return false
}

/**
 * The records that were added between the live leaf and the one before, downwards. Undefined when that is not all there is between them,
 * and when one of them changes what stands above it.
 */
const added = (live: LiveContext, state: TreeState): Array<JsonObject> | undefined => {
  const found: Array<JsonObject> = []
  const steps = state.entries.length - live.entries
  let id = state.leaf
  while (found.length < steps && id !== live.leaf && id !== null) {
    const position = lastPosition(state.entries, id)
    const entry = at(state.entries, position)
    if (position < live.entries || entry === undefined || changesAbove(entry.type)) return undefined
    found.push(recordAt(state, position) ?? entry.record)
    id = entry.parentId
  }
  return id === live.leaf ? found.reverse() : undefined
}

/** The fold after more records of the path, which change nothing above them. */
const extended = (fold: ContextFold, records: ReadonlyArray<JsonObject>): ContextFold => {
  let { messages } = fold
  for (const record of records) {
    const message = messageOf(record)
    if (message !== undefined) messages = append(messages, message)
  }
  return { messages, settings: settle(fold.settings, records) }
}

/**
 * The context at the live leaf of a state that grew out of the one `live` was made of. Costs the entries since then, or what the context
 * holds after a branch to elsewhere, a patch, or an entry that changes what stands above it, a compaction for one.
 * `contextOf(follow(live, state).fold)` is `buildSessionContext(state)`.
 */
export const follow = (live: LiveContext, state: TreeState): LiveContext => {
  const { leaf } = state
  const [entries, patches] = [state.entries.length, state.patches.length]
  const isGrown = patches === live.patches && !reaches(live, state)
  const records = isGrown ? added(live, state) : undefined
  const said = records === undefined ? anew(state) : { fold: extended(live.fold, records), missing: live.missing }
  return { fold: said.fold, missing: said.missing, leaf, entries, patches }
}
