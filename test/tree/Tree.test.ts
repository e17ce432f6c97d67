import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { inspect } from "../../src/tree/Reading.ts"
import { children, forest, labelOf, labels, leaves, nodes, path, roots, type TreeNode } from "../../src/tree/Tree.ts"
import { evolve } from "../../src/tree/TreeModel.ts"
import { contextAt, entry, fixture, header, ids, pathOf, said, stateOf, user } from "./Session.ts"

const outline = (node: TreeNode): unknown => (node.children.length === 0 ? node.id : { [node.id]: node.children.map(outline) })
const at = (record: JsonObject, timestamp: string): JsonObject => ({ ...record, timestamp })

describe("a path", () => {
  it("goes from the root to the leaf, both included, and is empty for no leaf", () => {
    const state = stateOf(header(5), user("a", null, "1"), user("b", "a", "2"), user("c", "a", "3"))
    assert.deepEqual(pathOf(state, "c"), ["a", "c"])
    assert.deepEqual(pathOf(state, null), [])
  })

  it("to an entry that is not there is a rejection, not another branch", () => {
    const found = path(stateOf(header(5), user("a", null, "1")), "gone")
    assert.isTrue(Result.isFailure(found) && found.failure.code === "tree.unknown_leaf")
  })

  it("ends at a gap where a parent is missing, and reports the orphan", () => {
    const before = stateOf(header(5), user("a", null, "1"))
    assert.deepEqual(inspect(before, user("c", "b", "3")), ["orphan"])
    const state = evolve(evolve(before, user("c", "b", "3")), user("d", "c", "4"))
    assert.deepEqual(Result.getOrThrow(path(state)), { positions: [1, 2], end: { _tag: "Gap", missing: "b" } })
    assert.deepEqual(said(state), ["3", "4"])
    assert.deepEqual(nodes(state).map(outline), ["a", { c: ["d"] }])
  })

  it("ends where a cycle closes, at either of its entries", () => {
    const state = stateOf(header(5), user("a", "b", "1"), user("b", "a", "2"), user("c", "b", "3"))
    assert.deepEqual(pathOf(state, "b"), ["a", "b"])
    assert.deepEqual(pathOf(state, "a"), ["b", "a"])
    assert.deepEqual(pathOf(state, "c"), ["a", "b", "c"])
    assert.deepEqual(Result.getOrThrow(path(state, "c")).end, { _tag: "Cycle", repeated: "b" })
    assert.deepEqual(nodes(state).map(outline), [{ b: ["a", "c"] }])
  })

  it("ends at an entry that is its own parent", () => {
    const state = stateOf(header(5), user("a", "a", "1"), user("b", "a", "2"))
    assert.deepEqual(pathOf(state, "b"), ["a", "b"])
    assert.deepEqual(nodes(state).map(outline), [{ a: ["b"] }])
  })

  it("goes through the later of two entries of one id", () => {
    const state = stateOf(header(5), user("a", null, "1"), user("b", "a", "2"), user("a", "b", "3"))
    assert.deepEqual(pathOf(state, "b"), ["a", "b"])
    assert.deepEqual(said(state, "b"), ["3", "2"])
    const before = stateOf(header(5), user("a", null, "1"), user("b", "a", "2"))
    assert.deepEqual(inspect(before, user("a", "b", "3")), ["duplicate-id"])
    assert.equal(forest(state).roots.length, 2)
  })

  it("of 100,000 entries is walked, drawn and made a context without a stack", () => {
    const deep = [header(5), ...Array.from({ length: 100_000 }, (_, n) => user(`e${n}`, n === 0 ? null : `e${n - 1}`, "x"))]
    const state = stateOf(...deep)
    assert.equal(pathOf(state, state.leaf).length, 100_000)
    assert.equal(contextAt(state).messages.length, 100_000)
    let [node] = nodes(state)
    let depth = 0
    for (; node !== undefined; node = node.children[0]) depth++
    assert.equal(depth, 100_000)
  })

  it("of 100,000 entries in reverse order ends too", () => {
    const deep = [header(5), ...Array.from({ length: 100_000 }, (_, n) => user(`e${n}`, `e${n + 1}`, "x"))]
    const state = stateOf(...deep)
    assert.equal(pathOf(state, "e0").length, 100_000)
    assert.equal(roots(state).length, 1)
  })
})

describe("a record that comes again", () => {
  it("is read once when it is the same, and leaves the leaf where it is", () => {
    const state = stateOf(header(5), user("a", null, "1"), user("b", "a", "2"))
    assert.deepEqual(inspect(state, user("a", null, "1")), ["duplicate-record"])
    const after = evolve(state, user("a", null, "1"))
    assert.deepEqual(ids(after), ["a", "b"])
    assert.equal(after.leaf, "b")
  })

  it("is the same also after a patch to it", () => {
    const patched = evolve(stateOf(header(5), user("a", null, "1")), {
      type: "entry_patch",
      entryId: "a",
      patch: { message: { role: "user", content: "2" } },
    })
    assert.deepEqual(inspect(patched, user("a", null, "1")), ["duplicate-record"])
    assert.deepEqual(said(evolve(patched, user("a", null, "1"))), ["2"])
  })
})

describe("the forest", () => {
  it("has roots in file order and children by time, then in file order", () => {
    const state = stateOf(
      header(5),
      user("r1", null, ""),
      user("r2", null, ""),
      at(user("late", "r1", ""), "2026-01-03T00:00:00.000Z"),
      at(user("early", "r1", ""), "2026-01-02T00:00:00.000Z"),
      at(user("same1", "r1", ""), "2026-01-02T12:00:00.000Z"),
      at(user("same2", "r1", ""), "2026-01-02T12:00:00.000Z"),
      at(user("never", "r1", ""), "no time"),
    )
    assert.deepEqual(nodes(state).map(outline), [{ r1: ["never", "early", "same1", "same2", "late"] }, "r2"])
    assert.deepEqual(roots(state), ["r1", "r2"])
    assert.deepEqual(children(state, "r1"), ["late", "early", "same1", "same2", "never"])
    assert.deepEqual(children(state, null), ["r1", "r2"])
    assert.deepEqual(leaves(state), ["r2", "late", "early", "same1", "same2", "never"])
  })

  it("of the pi session with every record has its branches and its second root", () => {
    const state = stateOf(...fixture("pi/v3-all-records.jsonl").map((record) => record.value))
    assert.equal(roots(state).length, 2)
    assert.deepEqual(leaves(state), ["e8b2423b", "bf92f166", "6f16d69f", "271f6a14"])
    assert.equal(labels(state).size, 0)
  })
})

describe("labels", () => {
  const label = (id: string, parent: string, text: JsonObject): JsonObject =>
    entry("label", id, parent, { targetId: "a", ...text })

  it("are the last in the file, wherever in the tree, and are cleared by nothing", () => {
    const one = stateOf(header(5), user("a", null, "1"), label("b", "a", { label: "L" }), user("c", "a", "2"))
    assert.equal(labelOf(one, "a"), "L")
    assert.equal(one.leaf, "c")
    const two = evolve(one, label("d", "c", { label: "M" }))
    assert.deepEqual([...labels(two)], [["a", "M"]])
    assert.equal(two.leaf, "d")
    for (const cleared of [{}, { label: "" }, { label: null }]) {
      const three = evolve(two, label("e", "d", cleared))
      assert.equal(labelOf(three, "a"), undefined)
      assert.equal(labels(three).size, 0)
    }
    assert.equal(labelOf(two, "a"), "M")
  })

  it("of a wrong kind leave the one that stands", () => {
    const state = stateOf(header(5), user("a", null, "1"), label("b", "a", { label: "L" }), label("c", "b", { label: 5 }))
    assert.equal(labelOf(state, "a"), "L")
    assert.deepEqual(ids(state), ["a", "b", "c"])
  })
})
