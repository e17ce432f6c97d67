/**
 * Where on a path its context begins, and what the path above that says beside messages: so that a context costs what it holds, however
 * long the path is.
 *
 * Nothing above the beginning has a part in the messages: a reset begins them anew; a compaction replaces all that came before by its
 * summary and by what it keeps, which is where the context begins; and an edit changes a message above it only. What is set further up is
 * found from stop to stop (`Entry.stop`).
 */
import { at, lastPosition } from "../model/Sequence.ts"
import { firstKeptId, isCompaction } from "./Compaction.ts"
import { isReset } from "./ContextMessages.ts"
import { initialSettings, type Settings, sets, settle } from "./Settings.ts"
import { type Entry, NO_STOP, parentOf, recordAt, type TreeState } from "./State.ts"
import { type Climb, climb } from "./Tree.ts"

export interface ContextStart {
  /** The entries of the path from where the context begins down to the leaf. */
  readonly positions: ReadonlyArray<number>
  /** The place among them of the compaction or reset in force, or -1. */
  readonly cut: number
  /** What the entries above them say together. */
  readonly settings: Settings
  /** The id of an entry that would stand above the whole path, and is not in the session. */
  readonly missing: string | undefined
}

/** What stands above an entry: where it sets something, upwards. */
interface Above {
  readonly setting: ReadonlyArray<number>
  readonly missing: string | undefined
}

/**
 * What is set above a position, from stop to stop. Undefined when the path may have changed since its entries came: an id was taken over,
 * or a parent came after its child. Otherwise every parent on the path stands before its child.
 */
const fromStops = (state: TreeState, position: number): Above | undefined => {
  if (state.takenOver) return undefined
  const setting: Array<number> = []
  for (let below = position; ; ) {
    const entry = at(state.entries, below)
    if (entry === undefined) return { setting, missing: undefined }
    if (below !== position && sets(entry.type)) setting.push(below)
    const parent = parentOf(state, entry)
    if (parent < 0) return { setting, missing: entry.parentId ?? undefined }
    if (parent >= below) return undefined
    below = at(state.entries, parent)?.stop ?? NO_STOP
  }
}

/** The same of the whole path, for one that stops do not tell. `lower`: how many of its entries, from the leaf on, are not above. */
const fromPath = (state: TreeState, leaf: number, lower: number): Above => {
  const { positions, end } = climb(state, leaf)
  const setting = positions.slice(lower).filter((position) => sets(at(state.entries, position)?.type ?? ""))
  return { setting, missing: end?._tag === "Gap" ? end.missing : undefined }
}

/** True for the entries that replace all above them. */
const isCut = (entry: Entry): boolean => isReset(entry.type) || (entry.type === "compaction" && isCompaction(entry.record))

/** The position of the entry that a compaction keeps first, or -1; it need not be on the path. */
const keptBy = (state: TreeState, entry: Entry): number => {
  const id = isReset(entry.type) ? undefined : firstKeptId(entry.record)
  return id === undefined ? -1 : lastPosition(state.entries, id)
}

/** The entries from the leaf up to where the context begins, and the place of the cut among them. */
const upToStart = (state: TreeState, leaf: number): Climb & { readonly cut: number } => {
  let [place, cut, kept] = [-1, -1, -1]
  let isPast: boolean | undefined
  const { positions } = climb(state, leaf, (position, entry) => {
    place++
    if (cut < 0 && isCut(entry)) [cut, kept] = [place, keptBy(state, entry)]
    if (cut < 0) return false
    // Where parents stand before their children, nothing that stands after an entry is above it.
    if (position < kept) isPast ??= fromStops(state, position) !== undefined
    return kept < 0 || position === kept || isPast === true
  })
  const isKept = cut < 0 || positions.at(-1) === kept
  return { positions: isKept ? positions : positions.slice(0, cut + 1), cut }
}

/** All that a message can say beside itself is the model, and the last one that says it counts, unless a model was chosen. */
const withModelAbove = (state: TreeState, position: number, settings: Settings): Settings => {
  let said = settings
  if (settings.defaultChosen) return said
  climb(state, position, (above, { type }) => {
    if (above !== position && type === "message") said = settle(settings, recordAt(state, above) ?? {})
    return said !== settings
  })
  return said
}

/**
 * Costs the entries of the context and those above it that set something; where no model was chosen, also those up to the last answer that
 * names its own. On a path that is not told by stops, its length. Reads no other records.
 */
export const contextStart = (state: TreeState, leaf: number): ContextStart => {
  const { positions, cut } = upToStart(state, leaf)
  const top = positions.at(-1) ?? leaf
  const { setting, missing } = fromStops(state, top) ?? fromPath(state, leaf, positions.length)
  const set = setting.reduceRight((settings, position) => settle(settings, recordAt(state, position) ?? {}), initialSettings)
  const settings = withModelAbove(state, top, set)
  return { positions: positions.toReversed(), cut: cut < 0 ? cut : positions.length - 1 - cut, settings, missing }
}
