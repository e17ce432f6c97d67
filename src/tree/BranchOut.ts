/**
 * One path of a session as a session of its own.
 *
 * The entries of the path stay as they are, ancestors and labels among them, so nothing loses its parent. A label that an entry of the path
 * has by an entry elsewhere in the tree is set again behind the path, and one that was cleared elsewhere is cleared. The context at the
 * leaf is the same in both sessions, and so is the label of every entry of the path.
 */
import * as Result from "effect/Result"
import type { JsonObject } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { at } from "../model/Sequence.ts"
import type { Stamp } from "../model/Stamp.ts"
import type { UnsupportedVersion } from "./Header.ts"
import type { TreeRejection } from "./Rejection.ts"
import { begin, type SourceRecord, step } from "./Rewrite.ts"
import { initial, type TreeState } from "./State.ts"
import { labelOf, path } from "./Tree.ts"
import { evolve, treeModel } from "./TreeModel.ts"

/** The lines that set and clear what the path alone has wrong, and the leaf when the path does not end there by itself. */
const amendments = (
  final: TreeState,
  own: TreeState,
  ids: ReadonlyArray<string>,
  leaf: string,
  stamp: Stamp,
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let state = own
  const put = (record: JsonObject): void => {
    lines.push(JSON.stringify(record))
    state = evolve(state, record)
  }
  if (state.leaf !== leaf) put({ type: "header_patch", patch: { leafId: leaf } })
  for (const id of ids) {
    const label = labelOf(final, id)
    if (labelOf(state, id) === label) continue
    const entropy = `${stamp.entropy}${lines.length}`
    const decided = treeModel.decide(
      state,
      { do: "label", target: id, ...(label === undefined ? {} : { label }) },
      { ...stamp, entropy },
    )
    if (Result.isSuccess(decided)) decided.success.forEach(put)
  }
  return lines
}

/**
 * The lines of the new session: the source's header first, which the caller gives another id. `final` is the state that the whole source
 * replays to. Refused for a leaf that does not exist and for a version that cannot be read. Streams: holds the ids of the path.
 */
export const branchOutLines = (
  final: TreeState,
  leaf: string,
  stamp: Stamp,
): Result.Result<(source: Iterable<SourceRecord>) => Generator<string>, TreeRejection | UnsupportedVersion> =>
  Result.flatMap(begin(final), (start) =>
    Result.map(path(final, leaf), ({ positions }) => {
      const kept = new Set(positions)
      const ids = positions.map((position) => at(final.entries, position)?.id ?? "")
      return function* (source) {
        let rewriting = start
        let own: TreeState = initial
        const take = (line: string): string => {
          own = evolve(own, parseJson(line) as JsonObject)
          return line
        }
        for (const record of source) {
          const { before } = rewriting
          const { next, lines } = step(rewriting, record)
          rewriting = next
          const [header] = lines
          if (before.header === undefined && next.before.header !== undefined && header !== undefined) yield take(header)
          const line = lines.at(-1)
          const isEntry = next.before.entries.length > before.entries.length
          if (isEntry && line !== undefined && kept.has(before.entries.length)) yield take(line)
        }
        yield* amendments(final, own, ids, leaf, stamp)
      }
    }),
  )
