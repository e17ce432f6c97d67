/** The law of the context, judged by the reference: any tree, any leaf. */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { DamageKind } from "../src/journal/Damage.ts"
import { isObject, type Json, type JsonObject } from "../src/model/Json.ts"
import { lastPosition, toArray } from "../src/model/Sequence.ts"
import { buildSessionContext, contextOf } from "../src/tree/Context.ts"
import { contextStart } from "../src/tree/ContextStart.ts"
import { follow, initialLiveContext } from "../src/tree/LiveContext.ts"
import { isOrdered } from "../src/tree/PathSettings.ts"
import { inspect } from "../src/tree/Reading.ts"
import { sets } from "../src/tree/Settings.ts"
import { has, recordAt, type TreeState } from "../src/tree/State.ts"
import { evolve, treeModel } from "../src/tree/TreeModel.ts"
import { conversation } from "./arbitraries/conversation.ts"
import { entryTypes, type Line } from "./arbitraries/records.ts"
import { cover, session } from "./arbitraries/tree.ts"
import { coverLeaf, coverStep, coverTree, treeClasses } from "./arbitraries/treeClasses.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { type ReferenceSession, referenceContext } from "./references/tree.ts"
import { canonical, check, contextAt, expectEqual, leavesOf, pathIds, reference, stateOf } from "./Trees.ts"

/** Enough trees for every class that the law demands to be reached, with odds of a miss below one in a million. */
const RUNS = 600

/** A deep run judges at least so many pairs of a tree and a leaf, and tries so many trees for it. */
const DEEP_PAIRS = 1_000_000
const DEEP_RUNS = 92_000

/** Every way in which a record can be damaged beside what its bytes are. */
const DAMAGE: ReadonlyArray<DamageKind> = [
  "unusable-patch",
  "unusable-entry",
  "bad-header",
  "extra-header",
  "duplicate-record",
  "duplicate-id",
  "orphan",
]

const coverDamage = (coverage: Coverage, lines: ReadonlyArray<Line>): void => {
  let state = treeModel.initial
  for (const { value } of lines) {
    for (const kind of inspect(state, value)) coverage.hit(kind)
    state = evolve(state, value)
  }
}

const coverContext = (coverage: Coverage, found: JsonObject): void => {
  const messages = found["messages"] as ReadonlyArray<JsonObject>
  const first = messages[0]
  coverage.hit("a compaction", first?.["role"] === "compactionSummary")
  coverage.hit("kept messages", first?.["role"] === "compactionSummary" && messages.length > 1)
  coverage.hit("a provider's history", first !== undefined && Object.hasOwn(first, "providerPayload"))
  for (const { role } of messages) coverage.hit(`role ${canonical(role)}`)
  for (const key of ["serviceTier", "modeData", "selectedDiscoveredBuiltinToolNames"])
    coverage.hit(key, Object.hasOwn(found, key))
  coverage.hit("rules", (found["injectedTtsrRules"] as ReadonlyArray<string>).length > 0)
  coverage.hit("models", Object.keys(found["models"] as JsonObject).length > 1)
}

const STARTS = [
  ...["in order", "out of order"].map((order) => `${order}: something is set above the messages`),
  "only above the messages the model is said",
]

const saysModel = ({ type, message }: JsonObject): boolean =>
  type === "message" && isObject(message) && message["role"] === "assistant" && typeof message["model"] === "string"

/** What stands above the entry that the messages at a leaf begin with, on paths that stops tell and on others. */
const coverStart = (coverage: Coverage, state: TreeState, leaf: string | null): void => {
  if (leaf === null) return
  const position = lastPosition(state.entries, leaf)
  const order = isOrdered(state, position) ? "in order" : "out of order"
  const way = pathIds(state, leaf).map((each) => recordAt(state, each) ?? {})
  const begin = way.length - contextStart(state, position).positions.length
  const [above, below] = [way.slice(0, begin), way.slice(begin)]
  coverage.hit(
    `${order}: something is set above the messages`,
    above.some(({ type }) => sets(String(type))),
  )
  coverage.hit("only above the messages the model is said", above.some(saysModel) && !below.some(saysModel))
}

/** Whether records of other agents have a part in the context at a leaf. */
const coverForeign = (coverage: Coverage, state: TreeState, leaf: string | null): void => {
  const way = pathIds(state, leaf).map((position) => recordAt(state, position) ?? {})
  const resets = way.flatMap(({ type }, place) => (type === "reset_boundary" ? [place] : []))
  const compaction = way.findLastIndex(({ type, summary }) => type === "compaction" && typeof summary === "string")
  coverage.hit(
    "a reset",
    resets.some((place) => place > Math.max(compaction, 0)),
  )
  const carried = Array.isArray(way[compaction]?.["retainedTail"])
  const keeps = (id: Json | undefined): boolean => !carried && id !== undefined && id === way[compaction]?.["firstKeptEntryId"]
  const first = way.findIndex(({ id }) => keeps(id))
  coverage.hit("a reset among what is kept", first >= 0 && resets.some((place) => first < place && place < compaction))
  way.forEach(({ type, targetId, replacement, systemMessage, modelId }, place) => {
    const target = way.findIndex(({ id }) => id === targetId)
    const isEdit = type === "context_edit" && target >= 0 && target < place && way[target]?.["type"] === "message"
    coverage.hit("a message taken out", isEdit && replacement === null)
    coverage.hit("a message edited", isEdit && Object.hasOwn(Object(replacement), "content"))
    coverage.hit("an edit of what is kept", isEdit && first >= 0 && first <= target && target < compaction)
    coverage.hit("a system message of a compaction", place === compaction && systemMessage !== undefined)
    coverage.hit("messages that a compaction carries", place === compaction && carried)
    coverage.hit("a model in two parts", type === "model_change" && modelId !== undefined)
  })
}

const FOREIGN = [
  ...["a reset", "a reset among what is kept", "a message taken out", "a message edited", "an edit of what is kept"],
  ...["a system message of a compaction", "messages that a compaction carries", "a model in two parts"],
]

/** The ids that entries name as their parents although no entry answers to them, and one that nothing names. */
const strangersOf = (state: TreeState): ReadonlyArray<string> => [
  "never an id",
  ...new Set(toArray(state.entries).flatMap(({ parentId }) => (parentId === null || has(state, parentId) ? [] : [parentId]))),
]

/** Builds the context at a leaf twice, here and by the reference, and compares all of it. */
const judgePair = (coverage: Coverage, state: TreeState, entries: ReferenceSession["entries"], leaf: string | null): void => {
  const found = contextAt(state, leaf)
  expectEqual(`the context at ${leaf}`, found, referenceContext(entries, leaf))
  coverage.hit("a tree and a leaf", leaf !== null)
  coverContext(coverage, found as JsonObject)
  coverForeign(coverage, state, leaf)
  coverStart(coverage, state, leaf)
  coverLeaf(coverage, state, leaf)
}

/** What a session was asked while it grew has no part in what it answers: it is what one says that was never asked. */
const judgeAsked = (grown: TreeState, lines: ReadonlyArray<Line>): void => {
  const fresh = stateOf(lines)
  for (const leaf of leavesOf(grown))
    expectEqual(`the context at ${leaf}, asked before`, contextAt(grown, leaf), contextAt(fresh, leaf))
}

/** The context that is kept while the session grows is the one that is built anew. */
const judgeGrowth = (coverage: Coverage, lines: ReadonlyArray<Line>): void => {
  let live = initialLiveContext
  let grown = treeModel.initial
  lines.forEach(({ value }, n) => {
    const before = grown
    grown = evolve(before, value)
    coverStep(coverage, before, grown, value)
    if (n % 4 === 0) judgeAsked(grown, lines.slice(0, n + 1))
    if (n % 3 === 2) return
    const known = live
    live = follow(known, grown)
    const isLonger = live.fold.messages.length > known.fold.messages.length
    coverage.hit("a context goes on", isLonger && live.fold.messages.shared === known.fold.messages.shared)
    expectEqual("the context that follows the state", contextOf(live.fold), contextAt(grown, grown.leaf))
  })
}

const context = (budget: Budget): void => {
  const coverage = new Coverage()
  const sessions = fc.oneof({ weight: 3, arbitrary: session }, { weight: 1, arbitrary: conversation })
  const property = fc.property(sessions, (given) => {
    const state = stateOf(given.lines)
    // From the text once more, so that the two share no object.
    const { entries, leaf } = reference(
      state,
      given.lines.map(({ raw }) => JSON.parse(raw)),
    )
    expectEqual("the live leaf", state.leaf, leaf)
    expectEqual("the context at the live leaf", Result.getOrThrow(buildSessionContext(state)), referenceContext(entries, leaf))
    for (const at of leavesOf(state)) judgePair(coverage, state, entries, at)
    for (const id of strangersOf(state)) check(Result.isFailure(buildSessionContext(state, id)), "an unknown leaf has a context")
    judgeGrowth(coverage, given.lines)
    coverDamage(coverage, given.lines)
    coverTree(coverage, state)
    cover(coverage, given)
  })
  fc.assert(property, parameters(budget))
  const pairs = coverage.count("a tree and a leaf")
  budget.judged?.(pairs, "pairs of a tree and a leaf")
  coverage.demand(
    budget,
    [
      ...["a compaction", "kept messages", "a provider's history", "rules", "models"],
      ...["serviceTier", "modeData", "selectedDiscoveredBuiltinToolNames"],
      ...["user", "assistant", "custom", "branchSummary", "compactionSummary"].map((role) => `role "${role}"`),
      ...[1, 2, 3, 4, 5].map((version) => `version ${version}`),
      ...entryTypes.map((type) => `type ${type}`),
      ...["type header_patch", "type entry_patch", "type title", "no header"],
      ...DAMAGE,
      ...FOREIGN,
      ...STARTS,
      "a context goes on",
      ...treeClasses,
    ],
    RUNS,
  )
  if (budget.runs >= DEEP_RUNS && budget.path === undefined)
    check(pairs >= DEEP_PAIRS, `The generator made only ${pairs} pairs of a tree and a leaf, of ${DEEP_PAIRS}`)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "CTX-1",
    sentence:
      "The context at any leaf of any tree agrees with a naive reference written from the description of the format, and so does the context that follows a growing session.",
    runs: RUNS,
    deepRuns: DEEP_RUNS,
    check: context,
  },
]
