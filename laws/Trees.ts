/** What laws about tree sessions share: states, leaves, paths and contexts of generated lines, and comparisons that say what differs. */
import { isDeepStrictEqual } from "node:util"
import * as Result from "effect/Result"
import type { JsonObject } from "../src/model/Json.ts"
import { replay } from "../src/model/Model.ts"
import { toArray } from "../src/model/Sequence.ts"
import { buildSessionContext } from "../src/tree/Context.ts"
import type { TreeState } from "../src/tree/State.ts"
import { path } from "../src/tree/Tree.ts"
import { treeModel } from "../src/tree/TreeModel.ts"
import type { Line } from "./arbitraries/records.ts"
import { type ReferenceSession, referenceSession } from "./references/tree.ts"

/** JSON with the members of every object in one order: equal values give equal text. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )

export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (isDeepStrictEqual(actual, expected)) return
  const [found, wanted] = [canonical(actual), canonical(expected)]
  if (found !== wanted) throw new Error(`${what}\n  is     ${found}\n  not    ${wanted}`)
}

export const check = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what)
}

export const stateOf = (lines: ReadonlyArray<Line>): TreeState =>
  replay(
    treeModel,
    lines.map((line) => line.value),
  )

/** The ids that the session answers to, and the leaf of no entry. */
export const leavesOf = (state: TreeState): ReadonlyArray<string | null> => [
  null,
  ...new Set(toArray(state.entries).map((entry) => entry.id)),
]

export const contextAt = (state: TreeState, leaf: string | null): unknown => Result.getOrThrow(buildSessionContext(state, leaf))

export const pathIds = (state: TreeState, leaf: string | null): ReadonlyArray<number> =>
  Result.getOrThrow(path(state, leaf)).positions

const madeUpId = (state: TreeState) => (): string => String(state.header?.["id"])

/** The same session as the reference reads it, all of its records at once. */
export const reference = (state: TreeState, records: ReadonlyArray<JsonObject>): ReferenceSession =>
  referenceSession(records, madeUpId(state))
