/** The laws of the tree session: the tree, its fold, its migration and its rewrite. Records only, no files. */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { Json, JsonObject } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import { replay } from "../src/model/Model.ts"
import { toArray } from "../src/model/Sequence.ts"
import { stateJson } from "../src/tree/Overview.ts"
import { readRecord } from "../src/tree/Reading.ts"
import { begin, rewriteLines } from "../src/tree/Rewrite.ts"
import { recordAt, type TreeState } from "../src/tree/State.ts"
import { forest, labels, path } from "../src/tree/Tree.ts"
import { evolve, treeModel } from "../src/tree/TreeModel.ts"
import { bareNumbers, json, type Line } from "./arbitraries/records.ts"
import { cover, session, turns } from "./arbitraries/tree.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { expectOpenCodec, rpl2 } from "./replay.ts"
import { check, contextAt, expectEqual, leavesOf, pathIds, reference, stateOf } from "./Trees.ts"

/** Enough cases for every class that a law demands to be reached, with odds of a miss below one in a million. */
const RUNS = 600

const DEEP_RUNS = 20_000

const rewritten = (state: TreeState, lines: ReadonlyArray<Line>): ReadonlyArray<Line> => [
  ...Array.from(rewriteLines(Result.getOrThrow(begin(state)), lines), (raw) => ({ raw, value: JSON.parse(raw) as JsonObject })),
]

/** What a state holds that an append must leave as it is. */
const standing = (state: TreeState): Json => [
  ...toArray(state.entries).map((entry, position): Json => [entry.id, entry.parentId, recordAt(state, position) ?? null]),
]

const checkPath = (state: TreeState, leaf: string | null, coverage: Coverage): void => {
  const { positions, end } = Result.getOrThrow(path(state, leaf))
  check(new Set(positions).size === positions.length, "a path visits an entry twice")
  const entries = toArray(state.entries)
  const top = positions[0] === undefined ? undefined : entries[positions[0]]
  coverage.hit(`path ends at a ${end._tag}`, leaf !== null)
  if (end._tag === "Root") check((top?.parentId ?? null) === null, "a path ends below its root")
  if (end._tag === "Gap")
    check(top?.parentId === end.missing && !entries.some((entry) => entry.id === end.missing), "a gap is no gap")
  if (end._tag === "Cycle")
    check(
      positions.some((position) => entries[position]?.id === end.repeated),
      "a cycle is no cycle",
    )
}

const checkForest = (state: TreeState): void => {
  const { roots, childrenOf } = forest(state)
  const seen: Array<number> = []
  const open = [...roots]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    seen.push(next)
    open.push(...childrenOf(next))
  }
  expectEqual(
    "the positions in the forest",
    seen.sort((a, b) => a - b),
    [...toArray(state.entries).keys()],
  )
}

const PATCHES = ["branch", "title", "star", "patchMessage"]

/** One command: what it wrote reads back the same, and only what it says has changed. */
const checkCommand = (before: TreeState, after: TreeState, name: string, target: unknown): void => {
  const held = standing(before) as ReadonlyArray<Json>
  const now = standing(after) as ReadonlyArray<Json>
  if (name !== "patchMessage") expectEqual(`the entries that stood before ${name}`, now.slice(0, held.length), held)
  if (PATCHES.includes(name)) check(now.length === held.length, `${name} appended an entry`)
  for (const leaf of leavesOf(before)) expectEqual(`the path to ${leaf}`, pathIds(after, leaf), pathIds(before, leaf))
  if (name !== "branch") return
  expectEqual("the leaf after a branch", after.leaf, target)
  expectEqual("the header after a branch", after.header, before.header)
  expectEqual("the labels after a branch", [...labels(after)], [...labels(before)])
}

const start = { type: "session", version: 5, id: "S", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" }

const tree = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(session, turns, (given, sequence) => {
    const odd = stateOf(given.lines)
    for (const leaf of leavesOf(odd)) checkPath(odd, leaf, coverage)
    checkForest(odd)
    cover(coverage, given)
    let state = odd.version === 5 && odd.header !== undefined ? odd : evolve(treeModel.initial, start)
    for (const { command, stamp } of sequence) {
      const made = command(toArray(state.entries).map((entry) => entry.id))
      const decided = treeModel.decide(state, made, stamp)
      coverage.hit(`${made.do} ${decided._tag}`)
      if (Result.isFailure(decided)) continue
      const after = replay(treeModel, decided.success, state)
      const read = replay(
        treeModel,
        decided.success.map((record) => JSON.parse(toText(record)) as JsonObject),
        state,
      )
      expectEqual(`what ${made.do} wrote, read again`, stateJson(read), stateJson(after))
      checkCommand(state, after, made.do, made.do === "branch" ? made.to : undefined)
      state = after
    }
  })
  fc.assert(property, parameters(budget))
  const done = [
    "message",
    "branch",
    "branchWithSummary",
    "compaction",
    "label",
    "title",
    "star",
    "tools",
    "patchMessage",
    "ttsr",
    "init",
  ]
  const refused = ["branch", "branchWithSummary", "compaction", "label", "title", "patchMessage"]
  coverage.demand(
    budget,
    [
      ...done.map((name) => `${name} Success`),
      ...refused.map((name) => `${name} Failure`),
      ...["Root", "Gap", "Cycle"].map((end) => `path ends at a ${end}`),
      ...["deep", "wide", "bushy", "odd"].map((form) => `form ${form}`),
    ],
    RUNS,
  )
}

/** Members that a rewrite may change or add, by the text of their key. */
const MIGRATING = [
  "id",
  "parentId",
  "firstKeptEntryIndex",
  "firstKeptEntryId",
  "version",
  "title",
  "titleSource",
  "cwd",
  "starred",
]

const others = (record: JsonObject, more: ReadonlyArray<string> = []): Json =>
  Object.entries(record)
    .filter(([key]) => !MIGRATING.includes(key) && key !== "starredPatchVersion" && !more.includes(key))
    .map(([key, value]) => [key, key === "message" ? { ...(value as JsonObject), role: "any" } : value])

/** The source lines that a rewrite keeps as lines, each with whether its message was patched, in the order of the rewrite. */
const keptLines = (lines: ReadonlyArray<Line>, final: TreeState): ReadonlyArray<readonly [line: Line, patched: boolean]> => {
  let state = treeModel.initial
  const kept: Array<readonly [Line, boolean]> = []
  const patched = new Set(toArray(final.patches).map((patch) => patch.position))
  for (const line of lines) {
    const { reading } = readRecord(state, line.value)
    const position = state.entries.length
    state = evolve(state, line.value)
    if (reading._tag === "Header") kept.unshift([line, false])
    if (reading._tag === "Entry") kept.push([line, patched.has(position)])
    if (reading._tag === "Note") kept.push([line, false])
  }
  return kept
}

const survival = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(session, json, (given, value) => {
    expectOpenCodec(treeModel, { value })
    const state = stateOf(given.lines)
    const result = rewritten(state, given.lines)
    const kept = keptLines(given.lines, state)
    const lines = given.headless
      ? result.filter((line) => line.value["type"] !== "session" || line.value["version"] === undefined)
      : result
    const pairs = given.headless ? [] : kept
    pairs.forEach(([source, patched], n) => {
      const found = lines[n]
      if (found === undefined) throw new Error(`line ${n} of the rewrite is missing`)
      const except = patched ? ["message"] : []
      expectEqual("the members that a rewrite may not change", others(found.value, except), others(source.value, except))
      if (patched) return
      // An index that was mapped to an id is the one number that a rewrite takes away.
      const mapped = Object.hasOwn(source.value, "firstKeptEntryIndex") && !Object.hasOwn(found.value, "firstKeptEntryIndex")
      const before = mapped ? [] : bareNumbers(source.raw)
      const after = bareNumbers(found.raw)
      expectEqual("numbers as they were written", after.slice(0, before.length), before)
      coverage.hit("numbers that JavaScript would write otherwise", before.length > 0)
      coverage.hit("a line that stays as it is", source.raw === found.raw)
      coverage.hit("a line that changes", source.raw !== found.raw)
    })
    cover(coverage, given)
  })
  fc.assert(property, parameters(budget))
  coverage.demand(
    budget,
    [
      ...["numbers that JavaScript would write otherwise", "a line that stays as it is", "a line that changes"],
      ...["type of the future", "type a note"],
    ],
    RUNS,
  )
}

const migration = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(session, (given) => {
    const state = stateOf(given.lines)
    const wanted = reference(
      state,
      given.lines.map((line) => line.value),
    ).entries.map(({ id, parentId, record }) => ({ id, parentId, record }))
    const found = (of: TreeState): unknown =>
      toArray(of.entries).map(({ id, parentId }, position) => ({ id, parentId, record: recordAt(of, position) }))
    expectEqual("the entries after migration", found(state), wanted)
    const again = stateOf(rewritten(state, given.lines))
    expectEqual("the entries after the rewrite", found(again), wanted)
    const chain = toArray(state.entries)
    if (state.version === 1) {
      chain.forEach((entry, n) => {
        check(entry.parentId === (chain[n - 1]?.id ?? null), "the chain of version 1 is not linear")
      })
      check(new Set(chain.map((entry) => entry.id)).size === chain.length, "two entries of version 1 share an id")
    }
    cover(coverage, given)
    coverage.hit(
      "an index of version 1 mapped",
      state.version === 1 && chain.some((entry) => Object.hasOwn(entry.record, "firstKeptEntryId")),
    )
  })
  fc.assert(property, parameters(budget))
  coverage.demand(budget, ["an index of version 1 mapped", ...[1, 2, 3, 4, 5].map((version) => `version ${version}`)], RUNS)
}

const sameness = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(session, (given) => {
    const state = stateOf(given.lines)
    const first = rewritten(state, given.lines)
    const again = stateOf(first)
    expectEqual("the ids at a second opening", leavesOf(stateOf(given.lines)), leavesOf(state))
    expectEqual("the ids after the rewrite", leavesOf(again), leavesOf(state))
    expectEqual("the live leaf after the rewrite", again.leaf, state.leaf)
    for (const leaf of leavesOf(state)) {
      expectEqual(`the context at ${leaf} after the rewrite`, contextAt(again, leaf), contextAt(state, leaf))
    }
    expectEqual("the labels after the rewrite", [...labels(again)], [...labels(state)])
    const fresh = { version: 5, starredPatchVersion: 1 }
    if (state.header !== undefined)
      expectEqual("the header after the rewrite", { ...again.header, ...fresh }, { ...state.header, ...fresh })
    const twice = rewritten(again, first)
    expectEqual(
      "the second rewrite",
      twice.map((line) => line.raw),
      first.map((line) => line.raw),
    )
    check(state.header === undefined || again.version === 5, "the rewrite is not of version 5")
    coverage.hit("a leaf that is not the last entry", first.at(-1)?.value["type"] === "header_patch")
    coverage.hit("patches folded", state.patches.length > 0)
    cover(coverage, given)
  })
  fc.assert(property, parameters(budget))
  coverage.demand(budget, ["a leaf that is not the last entry", "patches folded", "type title", "no header"], RUNS)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "TRE-1",
    sentence:
      "An append never changes an existing entry; a path from any leaf is finite and ends at a root, a named gap or a named cycle; a branch moves only the leaf.",
    runs: RUNS,
    deepRuns: DEEP_RUNS,
    check: tree,
  },
  rpl2({
    name: "tree",
    model: treeModel,
    records: fc.oneof(
      { weight: 30, arbitrary: session.map(({ lines }) => lines.map((line) => line.value)) },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
    runs: RUNS,
    deepRuns: DEEP_RUNS,
    observe: (state) => [stateJson(state), state.version, contextAt(state, state.leaf) as Json],
  }),
  {
    id: "RPL-3",
    sentence:
      "Unknown record types and unknown members survive reading, the state and a rewrite, with the bytes of their values unchanged.",
    runs: RUNS,
    deepRuns: DEEP_RUNS,
    check: survival,
  },
  {
    id: "MIG-1",
    sentence:
      "Migration keeps every entry of every version: order, type, payload, timestamps and the topology of parents, which is linear for version 1; so does the rewrite.",
    runs: RUNS,
    deepRuns: DEEP_RUNS,
    check: migration,
  },
  {
    id: "MIG-2",
    sentence:
      "The context at every leaf, the leaf, the labels and the header are the same after the rewrite is read again; rewriting twice equals once; two openings of one file show the same ids.",
    runs: RUNS,
    deepRuns: DEEP_RUNS,
    check: sameness,
  },
]
