/**
 * Where on a path the messages of its context begin, and what the path before that place says beside messages: so that a context is built
 * without looking at messages that a compaction has replaced.
 *
 * Nothing before the place has a part in the messages: a reset begins them anew; a compaction replaces all that came before by its summary
 * and by what it keeps, which begins at the place; and an edit changes a message above it only.
 */
import { type JsonObject, own, ownString } from "../model/Json.ts"
import { at } from "../model/Sequence.ts"
import { initialSettings, type Settings, settle } from "./Settings.ts"
import { recordAt, type TreeState } from "./State.ts"
import type { Path } from "./Tree.ts"

/** A compaction without a summary, as a cut write leaves it, is none. */
export const isCompaction = (record: JsonObject): boolean =>
  own(record, "type") === "compaction" && ownString(record, "summary") !== undefined

/** The place on the path of the entry that a compaction at `place` keeps first; that of the compaction when it is none before it. */
const keptFrom = (state: TreeState, { positions }: Path, place: number, record: JsonObject): number => {
  const id = ownString(record, "firstKeptEntryId")
  for (let from = place - 1; id !== undefined && from >= 0; from--) {
    if (at(state.entries, positions[from] ?? -1)?.id === id) return from
  }
  return place
}

/** The first place on the path whose record may have a part in the messages. */
const firstPlace = (state: TreeState, path: Path): number => {
  for (let place = path.positions.length - 1; place >= 0; place--) {
    const entry = at(state.entries, path.positions[place] ?? -1)
    if (entry?.type === "reset_boundary") return place
    if (entry?.type === "compaction" && isCompaction(entry.record)) return keptFrom(state, path, place, entry.record)
  }
  return 0
}

/** What the records before a place of the path say together. */
const settingsBefore = (state: TreeState, { positions }: Path, place: number): Settings => {
  let settings = initialSettings
  const isMessage = (position: number): boolean => at(state.entries, position)?.type === "message"
  const before = positions.slice(0, place)
  for (const position of before) if (!isMessage(position)) settings = settle(settings, recordAt(state, position) ?? {})
  // All that a message can say is the model, and the last one that says it counts, unless a model was chosen.
  for (let n = before.length - 1; n >= 0 && !settings.defaultChosen; n--) {
    const position = before[n] ?? -1
    const said = isMessage(position) ? settle(settings, recordAt(state, position) ?? {}) : settings
    if (said !== settings) return said
  }
  return settings
}

export interface ContextStart {
  readonly place: number
  readonly settings: Settings
}

/** O(length of the path); reads the records that are no messages, those that say the model, and no others. */
export const contextStart = (state: TreeState, path: Path): ContextStart => {
  const place = firstPlace(state, path)
  return { place, settings: settingsBefore(state, path, place) }
}
