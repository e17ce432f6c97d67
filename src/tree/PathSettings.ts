/**
 * What a path says beside its messages (Settings.ts), told without a look at most of them: however long the path is, it costs the entries
 * that set something.
 *
 * They are found from stop to stop (`Entry.stop`), which holds as long as no entry has changed the path of one that was there. Where one
 * has, the path is climbed.
 */
import type { JsonObject } from "../model/Json.ts"
import { at } from "../model/Sequence.ts"
import { initialSettings, isSetter, type Settings, sets, settle } from "./Settings.ts"
import { NO_STOP, parentOf, recordAt, type TreeState } from "./State.ts"
import { climb } from "./Tree.ts"

export interface PathSettings {
  readonly settings: Settings
  /** The id of an entry that would stand above the whole path, and is not in the session. */
  readonly missing: string | undefined
}

/** What is set on a path. */
interface Setters {
  /** What the entries above the others have set. */
  readonly before: Settings
  /** The other entries that set something, upwards. */
  readonly positions: ReadonlyArray<number>
  readonly missing: string | undefined
}

/**
 * What the stops at some positions were found to say, for the entries of a buffer, which never change. Only of paths that begin at a root:
 * what such a stop says can change by an id that is taken over alone.
 */
const told = new WeakMap<TreeState["entries"]["shared"], Map<number, Settings>>()

const toldIn = ({ entries }: TreeState): Map<number, Settings> => {
  const known = told.get(entries.shared) ?? new Map<number, Settings>()
  told.set(entries.shared, known)
  return known
}

/**
 * By the stops. Undefined when the path may have changed since its entries came: an id was taken over, or a parent came after its child.
 * Otherwise every parent on the path stands before its child.
 */
const fromStops = (state: TreeState, leaf: number): Setters | undefined => {
  if (state.takenOver) return undefined
  const known = toldIn(state)
  const positions: Array<number> = []
  let position = at(state.entries, leaf)?.stop ?? NO_STOP
  for (let stop = at(state.entries, position); stop !== undefined; stop = at(state.entries, position)) {
    const before = known.get(position)
    if (before !== undefined) return { before, positions, missing: undefined }
    if (sets(stop.type)) positions.push(position)
    const parent = parentOf(state, stop)
    if (parent < 0 && stop.parentId !== null) return { before: initialSettings, positions, missing: stop.parentId }
    if (parent >= position) return undefined
    position = at(state.entries, parent)?.stop ?? NO_STOP
  }
  return { before: initialSettings, positions, missing: undefined }
}

/** True when every parent on the path to a position stands before its child, as far as stops tell. */
export const isOrdered = (state: TreeState, position: number): boolean => fromStops(state, position) !== undefined

const fromPath = (state: TreeState, leaf: number): Setters => {
  const { positions, end } = climb(state, leaf)
  return {
    before: initialSettings,
    positions: positions.filter((position) => sets(at(state.entries, position)?.type ?? "")),
    missing: end?._tag === "Gap" ? end.missing : undefined,
  }
}

const recordsAt = (state: TreeState, positions: ReadonlyArray<number>): ReadonlyArray<JsonObject> =>
  positions.map((position) => recordAt(state, position) ?? {})

/** All that a message can say beside itself is the model, and the last one that says it counts, unless a model was chosen. */
const withModelSaid = (state: TreeState, leaf: number, settings: Settings): Settings => {
  if (settings.defaultChosen) return settings
  const says = (position: number): boolean => isSetter(recordAt(state, position) ?? {})
  const { positions, end } = climb(state, leaf, (position, { type }) => type === "message" && says(position))
  return end === undefined ? settle(settings, recordsAt(state, positions.slice(-1))) : settings
}

/**
 * The settings at the end of a path. Costs the entries on it that set something and were not asked for before; where no model was chosen,
 * also those from the leaf up to the last answer that names its own; and the whole path where stops do not tell it. Reads no other records.
 */
export const settingsAt = (state: TreeState, leaf: number): PathSettings => {
  const stops = fromStops(state, leaf)
  const setters = stops ?? fromPath(state, leaf)
  const { missing } = setters
  const settings = settle(setters.before, recordsAt(state, setters.positions.toReversed()))
  const [nearest] = setters.positions
  if (stops !== undefined && missing === undefined && nearest !== undefined) toldIn(state).set(nearest, settings)
  return { settings: withModelSaid(state, leaf, settings), missing }
}
