/**
 * The classes that a tree, and a leaf of it, belong to. A law about any tree and any leaf demands that its generator reached them all.
 */
import * as Result from "effect/Result"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { at, last, toArray } from "../../src/model/Sequence.ts"
import { has, recordAt, type TreeState } from "../../src/tree/State.ts"
import { path } from "../../src/tree/Tree.ts"
import type { Coverage } from "../Law.ts"
import { entryTypes } from "./records.ts"

const STEPS = ["a patch moves the leaf", "a patch leaves no leaf", "a message is patched", "usage that moves no leaf"]

/** What one more record does to a tree. */
export const coverStep = (coverage: Coverage, before: TreeState, after: TreeState, { type }: JsonObject): void => {
  const moves = type === "header_patch" && after.leaf !== before.leaf
  coverage.hit("a patch moves the leaf", moves && after.leaf !== null)
  coverage.hit("a patch leaves no leaf", moves && after.leaf === null)
  coverage.hit("a message is patched", after.patches.length > before.patches.length)
  const grows = after.entries.length > before.entries.length
  coverage.hit("usage that moves no leaf", type === "model_usage" && grows && after.leaf === before.leaf)
}

const FORMS = [
  "several roots",
  "siblings",
  "a child before its parent",
  "an id of several entries",
  "no entries",
  "an empty id",
  "an inherited id",
]

/** How the entries of a tree hang together. */
export const coverTree = (coverage: Coverage, state: TreeState): void => {
  const entries = toArray(state.entries)
  const parents = entries.flatMap(({ parentId }) => (parentId === null ? [] : [parentId]))
  const places = new Map(entries.map(({ id }, place) => [id, place]))
  coverage.hit("several roots", entries.length - parents.length > 1)
  coverage.hit("siblings", new Set(parents).size < parents.length)
  coverage.hit("an id of several entries", places.size < entries.length)
  coverage.hit("no entries", entries.length === 0)
  coverage.hit("an empty id", places.has(""))
  coverage.hit("an inherited id", places.has("__proto__") && places.has("constructor"))
  coverage.hit(
    "a child before its parent",
    entries.some(({ id, parentId }, place) => parentId !== null && parentId !== id && (places.get(parentId) ?? -1) > place),
  )
}

const member = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject)[name] : undefined

const callsIn = (record: JsonObject | undefined): ReadonlyArray<Json | undefined> => {
  const content = member(record?.["message"], "content")
  const blocks = Array.isArray(content) ? (content as ReadonlyArray<Json>) : []
  return blocks.flatMap((block) => (member(block, "type") === "toolCall" ? [member(block, "id") ?? null] : []))
}

/** Whether a place on a path stands between a call and a result of it. */
const splits = (way: ReadonlyArray<JsonObject>, place: number): boolean => {
  const calls = new Set(way.slice(0, place).flatMap(callsIn))
  return way
    .slice(place)
    .some(({ message }) => member(message, "role") === "toolResult" && calls.has(member(message, "toolCallId") ?? "no id"))
}

const COMPACTIONS = [
  ...["two compactions on a path", "a compaction keeps another", "a compaction without a summary"],
  ...["a compaction inside a batch", "a compaction keeps half a batch", "an index names what a compaction keeps"],
  ...["nothing", "no entry", "an entry elsewhere", "an entry behind it"].map((what) => `a compaction keeps from ${what}`),
]

/** The record of an entry as the file has it. */
const sourceOf = (state: TreeState, position: number | undefined): JsonObject =>
  (position === undefined ? undefined : at(state.entries, position))?.source ?? {}

/** What the compaction in force keeps, of all that it might name. */
const coverCompaction = (coverage: Coverage, state: TreeState, positions: ReadonlyArray<number>): void => {
  const way = positions.map((position) => recordAt(state, position) ?? {})
  const places = way.flatMap(({ type, summary }, place) => (type === "compaction" && typeof summary === "string" ? [place] : []))
  coverage.hit(
    "a compaction without a summary",
    way.some(({ type, summary }) => type === "compaction" && typeof summary !== "string"),
  )
  const place = places.at(-1)
  if (place === undefined) return
  const named = way[place]?.["firstKeptEntryId"]
  const first = way.findIndex(({ id }) => id === named)
  coverage.hit("two compactions on a path", places.length > 1)
  coverage.hit("a compaction inside a batch", splits(way, place))
  coverage.hit("a compaction keeps from nothing", typeof named !== "string")
  if (typeof named !== "string") return
  coverage.hit("a compaction keeps from no entry", !has(state, named))
  coverage.hit("a compaction keeps from an entry elsewhere", has(state, named) && first < 0)
  coverage.hit("a compaction keeps from an entry behind it", first >= place)
  if (first < 0 || first >= place) return
  coverage.hit(
    "a compaction keeps another",
    places.some((other) => first <= other && other < place),
  )
  coverage.hit("a compaction keeps half a batch", splits(way, first))
  coverage.hit("an index names what a compaction keeps", !Object.hasOwn(sourceOf(state, positions[place]), "firstKeptEntryId"))
}

const LEAVES = [
  ...["path ends at a Root", "path ends at a Gap", "path ends at a Cycle", "a cycle of one", "a cycle of several"],
  ...["a patched message on a path", "a path of more than ten"],
]

/** The path to a leaf: how it ends, what stands on it, and what the compaction in force keeps of it. */
export const coverLeaf = (coverage: Coverage, state: TreeState, leaf: string | null): void => {
  if (leaf === null) return
  const { positions, end } = Result.getOrThrow(path(state, leaf))
  const top = positions[0] === undefined ? undefined : at(state.entries, positions[0])
  coverage.hit(`path ends at a ${end._tag}`)
  coverage.hit("a cycle of one", end._tag === "Cycle" && end.repeated === top?.id)
  coverage.hit("a cycle of several", end._tag === "Cycle" && end.repeated !== top?.id)
  coverage.hit("a path of more than ten", positions.length > 10)
  coverage.hit(
    "a patched message on a path",
    state.patches.length > 0 && positions.some((position) => last(state.patches, String(position)) !== undefined),
  )
  for (const position of positions) coverage.hit(`on a path: ${String(sourceOf(state, position)["type"])}`)
  coverCompaction(coverage, state, positions)
}

/** Every class above. */
export const treeClasses: ReadonlyArray<string> = [
  ...STEPS,
  ...FORMS,
  ...LEAVES,
  ...COMPACTIONS,
  ...entryTypes.map((type) => `on a path: ${type}`),
]
