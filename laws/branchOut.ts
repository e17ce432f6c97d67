/** The law of a path that becomes a session of its own. */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { JsonObject } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import { replay } from "../src/model/Model.ts"
import { at, toArray } from "../src/model/Sequence.ts"
import { branchOutLines } from "../src/tree/BranchOut.ts"
import { buildSessionContext } from "../src/tree/Context.ts"
import type { TreeState } from "../src/tree/State.ts"
import { labelOf, path } from "../src/tree/Tree.ts"
import { treeModel } from "../src/tree/TreeModel.ts"
import { session } from "./arbitraries/tree.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

const same = (what: string, actual: string, expected: string): void => {
  if (actual !== expected) throw new Error(`${what}\n  is     ${actual}\n  not    ${expected}`)
}

const idsTo = (state: TreeState, leaf: string): ReadonlyArray<string> =>
  Result.getOrThrow(path(state, leaf)).positions.map((position) => at(state.entries, position)?.id ?? "")

const textOf = (value: unknown): string => JSON.stringify(value)

/** The members of a header, sorted. A rewrite may add the declaration that stars can stand in patches. */
const membersOf = (header: JsonObject | undefined): string =>
  toText(
    Object.fromEntries(
      Object.entries({ ...header, version: 5 })
        .filter(([key]) => key !== "starredPatchVersion")
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  )

const branchOut = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(session, fc.nat(), ({ lines }, which) => {
    const source = replay(
      treeModel,
      lines.map(({ value }) => value),
    )
    const entries = toArray(source.entries)
    const leaf = entries[which % Math.max(1, entries.length)]?.id
    if (leaf === undefined || source.header === undefined) return
    const made = Result.getOrThrow(branchOutLines(source, leaf, { at: 0, entropy: "0".repeat(32) }))
    const texts = [...made(lines.map(({ value, raw }) => ({ value, raw })))]
    const own = replay(
      treeModel,
      texts.map((text) => JSON.parse(text) as JsonObject),
    )
    const ids = idsTo(source, leaf)
    same("the path", idsTo(own, leaf).join(), ids.join())
    same("the context", textOf(buildSessionContext(own, leaf)), textOf(buildSessionContext(source, leaf)))
    for (const id of ids) same(`the label of ${id}`, String(labelOf(own, id)), String(labelOf(source, id)))
    same("the header", membersOf(own.header), membersOf(source.header))
    const others = toArray(own.entries).filter(({ id, record }) => !ids.includes(id) && record["type"] !== "label")
    if (others.length > 0) throw new Error(`entries that are not on the path: ${others.map(({ id }) => id).join()}`)
    coverage.hit("a part of the session", ids.length < entries.length)
    coverage.hit("a label from elsewhere", own.entries.length > ids.length)
    coverage.hit("a migrated path", source.version < 5)
  })
  fc.assert(property, parameters(budget))
  coverage.demand(budget, ["a part of the session", "a label from elsewhere", "a migrated path"], 200)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "TRE-3",
    sentence:
      "A path that is branched out is the same path in a session of its own: every ancestor, the context at the leaf, and the label of every entry.",
    runs: 500,
    deepRuns: 20_000,
    check: branchOut,
  },
]
