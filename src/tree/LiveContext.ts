/** The context at the live leaf, kept from one state to the next so that an append costs what it changed and not the session. */
import * as Result from "effect/Result"
import type { JsonObject } from "../model/Json.ts"
import { at, last, positions } from "../model/Sequence.ts"
import { type ContextFold, emptyFold, extend } from "./Context.ts"
import { type Entry, recordOf, type TreeState } from "./State.ts"
import { path, records } from "./Tree.ts"

export interface LiveContext {
  readonly fold: ContextFold
  readonly leaf: string | null
  /** The numbers of entries and patches in the state it was made of. */
  readonly entries: number
  readonly patches: number
}

export const initialLiveContext: LiveContext = { fold: emptyFold, leaf: null, entries: 0, patches: 0 }

const whole = (state: TreeState): ContextFold =>
  Result.match(path(state), {
    onFailure: () => emptyFold,
    onSuccess: (found) => records(state, found).reduce(extend, emptyFold),
  })

/** True when entries added since can have changed the path that the fold was made of: one took an id over, or filled a gap. */
const reaches = (live: LiveContext, state: TreeState): boolean => {
  const top = at(live.fold.path, 0)
  if (top !== undefined && (top["parentId"] ?? null) !== null) return true
  for (let position = live.entries; position < state.entries.length; position++) {
    const id = at(state.entries, position)?.id ?? ""
    if (positions(state.entries, id).length > 1) return true
  }
  return false
}

/** The records between a leaf and an id above it, downwards; undefined when the id is not found within so many steps. */
const between = (state: TreeState, leaf: string | null, above: string | null, steps: number): Array<JsonObject> | undefined => {
  const found: Array<JsonObject> = []
  let id = leaf
  for (let n = 0; n < steps && id !== above && id !== null; n++) {
    const entry: Entry | undefined = last(state.entries, id)
    if (entry === undefined) return undefined
    found.push(recordOf(state, id) ?? entry.record)
    id = entry.parentId
  }
  return id === above ? found.reverse() : undefined
}

/**
 * The context at the live leaf of a state that grew out of the one `live` was made of. Costs what changed: the entries since then,
 * or the whole path after a branch to elsewhere or a patch. `contextOf(follow(live, state).fold)` is `buildSessionContext(state)`.
 */
export const follow = (live: LiveContext, state: TreeState): LiveContext => {
  const { leaf } = state
  const [entries, patches] = [state.entries.length, state.patches.length]
  const grown = patches === live.patches && !reaches(live, state)
  const added = grown ? between(state, leaf, live.leaf, entries - live.entries) : undefined
  return { fold: added === undefined ? whole(state) : added.reduce(extend, live.fold), leaf, entries, patches }
}
