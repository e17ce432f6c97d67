/**
 * The tree over a state: parents, children, paths, roots, labels, leaves.
 *
 * A parent is looked up by id, and of several entries under one id the last in the file answers. So odd files can hold orphans,
 * cycles and self-parents; every walk here is a loop and ends (law TRE-1).
 */
import * as Result from "effect/Result"
import { type JsonObject, ownString } from "../model/Json.ts"
import { at, iterate, last, lastPosition } from "../model/Sequence.ts"
import { type TreeRejection, unknownLeaf } from "./Rejection.ts"
import { type Entry, parentOf, recordAt, type TreeState } from "./State.ts"

/** How a path ends at its upper end. */
export type PathEnd =
  | { readonly _tag: "Root" }
  /** The parent is not in the session. */
  | { readonly _tag: "Gap"; readonly missing: string }
  /** The parent stands further down the same path. */
  | { readonly _tag: "Cycle"; readonly repeated: string }

export interface Path {
  /** Positions of the entries in the session, from the upper end to the leaf. */
  readonly positions: ReadonlyArray<number>
  readonly end: PathEnd
}

const ROOT: PathEnd = { _tag: "Root" }

/** A way up. */
export interface Climb {
  /** From where it begins upwards. */
  readonly positions: ReadonlyArray<number>
  /** How the path ends; absent when the way was left before that. */
  readonly end?: PathEnd
}

/**
 * The way from a position up to the end of its path, or to the first entry at which `isEnough` holds. While every parent stands before its
 * child nothing can repeat; the set of what was seen is made with the first step that goes forward.
 */
export const climb = (state: TreeState, from: number, isEnough?: (position: number, entry: Entry) => boolean): Climb => {
  const positions: Array<number> = []
  let seen: Set<number> | undefined
  for (let position = from; ; ) {
    const entry = at(state.entries, position)
    if (entry === undefined) return { positions }
    positions.push(position)
    if (isEnough?.(position, entry) === true) return { positions }
    const parent = parentOf(state, entry)
    if (parent < 0) return { positions, end: entry.parentId === null ? ROOT : { _tag: "Gap", missing: entry.parentId } }
    if (parent >= position) seen ??= new Set(positions)
    if (seen?.has(parent) === true) return { positions, end: { _tag: "Cycle", repeated: entry.parentId ?? "" } }
    seen?.add(parent)
    position = parent
  }
}

/** The path from its upper end down to a leaf, both included; empty for null. O(length of the path). */
export const path = (state: TreeState, leaf: string | null = state.leaf): Result.Result<Path, TreeRejection> => {
  if (leaf === null) return Result.succeed({ positions: [], end: ROOT })
  const position = lastPosition(state.entries, leaf)
  if (position < 0) return Result.fail(unknownLeaf(leaf))
  const { positions, end = ROOT } = climb(state, position)
  return Result.succeed({ positions: positions.toReversed(), end })
}

/** The records of a path, patches folded in. */
export const records = (state: TreeState, { positions }: Path): ReadonlyArray<JsonObject> =>
  positions.map((position) => recordAt(state, position) ?? {})

/** The label of the entry that answers to an id: the last one set in the file, wherever in the tree. O(1). */
export const labelOf = (state: TreeState, id: string): string | undefined => last(state.labels, id)?.label

/** All labels that are set, by the id they stand at. */
export const labels = (state: TreeState): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const { targetId, label } of iterate(state.labels)) {
    if (label === undefined) found.delete(targetId)
    else found.set(targetId, label)
  }
  return found
}

/** The forest, as positions. Every position occurs once. */
export interface Forest {
  /** Entries without a parent, orphans, and of each cycle the entry that comes last in the file; in file order. */
  readonly roots: ReadonlyArray<number>
  /** The children of a position by timestamp, then in file order. */
  readonly childrenOf: (position: number) => ReadonlyArray<number>
}

/** The positions whose edge to the parent closes a cycle: of each cycle the last in the file. */
const closing = (parents: ReadonlyArray<number>): ReadonlySet<number> => {
  const found = new Set<number>()
  const round = new Int32Array(parents.length).fill(-1)
  for (let start = 0; start < parents.length; start++) {
    let position = start
    while (position >= 0 && round[position] === -1) {
      round[position] = start
      position = parents[position] ?? -1
    }
    if (position < 0 || round[position] !== start) continue
    let latest = position
    for (let next = parents[position] ?? -1; next !== position; next = parents[next] ?? position) latest = Math.max(latest, next)
    found.add(latest)
  }
  return found
}

const timeOf = (entry: Entry | undefined): number => {
  const time = Date.parse(ownString(entry?.record ?? {}, "timestamp") ?? "")
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time
}

/** The forest of all entries. O(n log n), without recursion. */
export const forest = (state: TreeState): Forest => {
  const parents: Array<number> = []
  for (const entry of iterate(state.entries)) parents.push(parentOf(state, entry))
  const cut = closing(parents)
  const roots: Array<number> = []
  const below = new Map<number, Array<number>>()
  parents.forEach((parent, position) => {
    if (parent < 0 || cut.has(position)) roots.push(position)
    else {
      const siblings = below.get(parent)
      if (siblings === undefined) below.set(parent, [position])
      else siblings.push(position)
    }
  })
  const time = (position: number): number => timeOf(at(state.entries, position))
  const order = (a: number, b: number): number => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : a - b)
  for (const siblings of below.values()) if (siblings.length > 1) siblings.sort(order)
  return { roots, childrenOf: (position) => below.get(position) ?? [] }
}

/** The ids of the roots of the forest, in file order. O(n log n). */
export const roots = (state: TreeState): ReadonlyArray<string> =>
  forest(state).roots.map((position) => at(state.entries, position)?.id ?? "")

/** The ids of the entries whose parent is the id, or null, in file order. O(n). */
export const children = (state: TreeState, id: string | null): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const entry of iterate(state.entries)) if (entry.parentId === id) found.push(entry.id)
  return found
}

/** The ids of the entries that nothing attaches to, in file order: the tips of the branches. O(n). */
export const leaves = (state: TreeState): ReadonlyArray<string> => {
  const parents = new Set<string | null>()
  for (const entry of iterate(state.entries)) parents.add(entry.parentId)
  const found = new Set<string>()
  for (const entry of iterate(state.entries)) if (!parents.has(entry.id)) found.add(entry.id)
  return [...found]
}

/** A node of the tree as it is shown. */
export interface TreeNode {
  readonly id: string
  readonly record: JsonObject
  readonly label: string | undefined
  readonly children: ReadonlyArray<TreeNode>
}

/** The forest as nested nodes. Built without recursion, and as deep as the session: walk it with a loop. */
export const nodes = (state: TreeState): ReadonlyArray<TreeNode> => {
  const { roots, childrenOf } = forest(state)
  const made = new Map<number, TreeNode & { readonly children: Array<TreeNode> }>()
  const make = (position: number): TreeNode => {
    const id = at(state.entries, position)?.id ?? ""
    const node = { id, record: recordAt(state, position) ?? {}, label: labelOf(state, id), children: [] }
    made.set(position, node)
    return node
  }
  const top = roots.map(make)
  const open = [...roots]
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    for (const child of childrenOf(position)) {
      made.get(position)?.children.push(make(child))
      open.push(child)
    }
  }
  return top
}
