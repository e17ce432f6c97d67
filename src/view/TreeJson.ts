/**
 * The entry tree as JSON text, in pieces: `{"roots":[{"id","type","role"?,"label"?,"children":[…]}]}`.
 *
 * A linear session nests as deep as it is long, which `JSON.stringify` cannot write: it calls itself for each level. This is a loop.
 */
import { type JsonObject, ownObject, ownString } from "../model/Json.ts"
import { at } from "../model/Sequence.ts"
import { recordAt, type TreeState } from "../tree/State.ts"
import { forest, labelOf } from "../tree/Tree.ts"

/** What is said of one entry, in this order. */
const membersOf = (state: TreeState, position: number): JsonObject => {
  const record = recordAt(state, position) ?? {}
  const id = at(state.entries, position)?.id ?? ""
  const role = ownString(ownObject(record, "message") ?? {}, "role")
  const label = labelOf(state, id)
  return {
    id,
    type: ownString(record, "type") ?? "",
    ...(role === undefined ? {} : { role }),
    ...(label === undefined ? {} : { label }),
  }
}

/** One node as an opened object, up to its children. */
const opened = (state: TreeState, position: number): string =>
  `${JSON.stringify(membersOf(state, position)).slice(0, -1)},"children":[`

/** The text in pieces, children in the order of the tree. `members` come first in the outer object. */
export function* treeJson(state: TreeState, members: JsonObject): Generator<string> {
  const { roots, childrenOf } = forest(state)
  const head = JSON.stringify(members).slice(0, -1)
  yield `${head}${head === "{" ? "" : ","}"roots":[`
  const open: Array<{ readonly children: ReadonlyArray<number>; next: number }> = [{ children: roots, next: 0 }]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const position = top.children[top.next++]
    if (position === undefined) {
      open.pop()
      yield open.length === 0 ? "]" : "]}"
      continue
    }
    yield `${top.next === 1 ? "" : ","}${opened(state, position)}`
    open.push({ children: childrenOf(position), next: 0 })
  }
  yield "}"
}

/** One entry of each line: the members above, and `parentId`. In file order. */
export function* treeJsonLines(state: TreeState): Generator<string> {
  for (let position = 0; position < state.entries.length; position++) {
    const parentId = at(state.entries, position)?.parentId ?? null
    yield JSON.stringify({ ...membersOf(state, position), parentId })
  }
}
