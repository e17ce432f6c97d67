/**
 * Where on a path its messages begin, so that they cost what they are, however long the path is above them.
 *
 * Nothing above has a part in them: a reset begins them anew; a compaction replaces all that came before by its summary and by what it
 * keeps, which is where they begin; and an edit changes a message above it only.
 */
import { lastPosition } from "../model/Sequence.ts"
import { firstKeptId, isCompaction } from "./Compaction.ts"
import { isReset } from "./ContextMessages.ts"
import { isOrdered } from "./PathSettings.ts"
import type { Entry, TreeState } from "./State.ts"
import { climb } from "./Tree.ts"

export interface ContextStart {
  /** The entries of the path from where its messages begin down to the leaf. */
  readonly positions: ReadonlyArray<number>
  /** The place among them of the compaction or reset in force, or -1. */
  readonly cut: number
}

/** True for the entries that replace all above them. */
const isCut = (entry: Entry): boolean => isReset(entry.type) || (entry.type === "compaction" && isCompaction(entry.record))

/** The position of the entry that a compaction keeps first, or -1; it need not be on the path. */
const keptBy = (state: TreeState, entry: Entry): number => {
  const id = isReset(entry.type) ? undefined : firstKeptId(entry.record)
  return id === undefined ? -1 : lastPosition(state.entries, id)
}

/**
 * O(entries from where the messages begin). More for a compaction that keeps from an entry elsewhere: then also those above it that came
 * after that entry, or all of them where the path is not in order. Reads the records of compactions.
 */
export const contextStart = (state: TreeState, leaf: number): ContextStart => {
  let [place, cut, kept] = [-1, -1, -1]
  let isPast: boolean | undefined
  const { positions } = climb(state, leaf, (position, entry) => {
    place++
    if (cut < 0 && isCut(entry)) [cut, kept] = [place, keptBy(state, entry)]
    if (cut < 0) return false
    // Where parents stand before their children, what stands after an entry is not above it.
    if (position < kept) isPast ??= isOrdered(state, position)
    return kept < 0 || position === kept || isPast === true
  })
  if (cut < 0) return { positions: positions.toReversed(), cut }
  const found = positions.at(-1) === kept ? positions : positions.slice(0, cut + 1)
  return { positions: found.toReversed(), cut: found.length - 1 - cut }
}
