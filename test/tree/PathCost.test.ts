/** What a context looks at: what it holds, and of the path above that what is set there. Counted, not timed. */
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { at, lastPosition, over, positions } from "../../src/model/Sequence.ts"
import { contextOf } from "../../src/tree/Context.ts"
import { follow, initialLiveContext } from "../../src/tree/LiveContext.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { evolve } from "../../src/tree/TreeModel.ts"
import { assistant, contextAt, entry, header, stateOf, user } from "./Session.ts"

/** The state over entries that count how often one is looked at. */
const counted = (state: TreeState): { readonly state: TreeState; readonly looks: () => number } => {
  const { entries } = state
  let looks = 0
  const base = {
    length: entries.length,
    at: (position: number) => {
      looks++
      return at(entries, position) ?? assert.fail(`no entry at ${position}`)
    },
    lastPosition: (key: string) => lastPosition(entries, key),
    positions: (key: string) => positions(entries, key),
  }
  const said = (): number => {
    const before = looks
    looks = 0
    return before
  }
  return { state: { ...state, entries: over(base, entries.keyOf) }, looks: said }
}

const level = (id: string, parentId: string | null): JsonObject =>
  entry("thinking_level_change", id, parentId, { thinkingLevel: id })

/** A path of so many messages, of which every tenth is a change of the level, and a compaction that keeps the last of them. */
const trunk = (length: number): ReadonlyArray<JsonObject> => {
  const records = [level("0", null)]
  for (let n = 1; n < length; n++) {
    const make = n % 10 === 0 ? level : n % 2 === 0 ? user : assistant
    records.push(make(String(n), String(n - 1), `text ${n}`))
  }
  const last = String(length - 1)
  return [...records, entry("compaction", "c", last, { summary: "S", firstKeptEntryId: last, tokensBefore: 1 })]
}

const branches = (count: number): ReadonlyArray<JsonObject> =>
  Array.from({ length: count }, (_, n) => [user(`u${n}`, "c", "?"), assistant(`a${n}`, `u${n}`, "!")]).flat()

const session = (length: number) => counted(stateOf(header(5), ...trunk(length), ...branches(3)))

describe("a context", () => {
  it("at one leaf after another looks at what they hold, however long the path above is", () => {
    const looksOf = (length: number): ReadonlyArray<number> => {
      const { state, looks } = session(length)
      contextAt(state, "a0")
      looks()
      return ["a1", "a2", "a0", "u1"].map((leaf) => {
        const context = contextAt(state, leaf)
        assert.equal(context.thinkingLevel, String(length - 10))
        assert.isAtMost(context.messages.length, 4)
        return looks()
      })
    }
    const looks = looksOf(100)
    assert.deepEqual(looksOf(10_000), looks)
    for (const count of looks) assert.isAtMost(count, 40)
  })

  it("the first time looks at what is set above, and at no message there", () => {
    const first = (length: number): number => {
      const { state, looks } = session(length)
      contextAt(state, "a0")
      return looks()
    }
    const [few, many] = [first(1_000), first(2_000)]
    assert.isAtMost(many - few, 4 * 100, "a hundred changes of the level more, and nine hundred messages")
    assert.isAtLeast(many - few, 100)
  })

  it("of many rules passes each of them once", () => {
    const count = 300
    const injections = Array.from({ length: count }, (_, n) =>
      entry("ttsr_injection", String(n), n === 0 ? null : String(n - 1), { injectedRules: [`rule ${n}`] }),
    )
    const state = stateOf(header(5), ...injections)
    // A map that is copied puts each of its members into the copy.
    const { set } = Map.prototype
    let puts = 0
    Map.prototype.set = function (key, value) {
      puts++
      return set.call(this, key, value)
    }
    try {
      assert.lengthOf(contextAt(state).injectedTtsrRules, count)
    } finally {
      Map.prototype.set = set
    }
    assert.isAtLeast(puts, count)
    assert.isAtMost(puts, 3 * count)
  })

  it("that follows its session looks at what came since", () => {
    const { state, looks } = session(1_000)
    let grown = state
    let live = follow(initialLiveContext, grown)
    for (let n = 0; n < 5; n++) {
      grown = evolve(grown, user(`n${n}`, grown.leaf, "more"))
      looks()
      live = follow(live, grown)
      assert.isAtMost(looks(), 2)
      assert.deepEqual(contextOf(live.fold), contextAt(grown))
    }
  })

  it("behind a compaction that keeps from another branch, of which nothing is above it, does not go up to the root", () => {
    const elsewhere = [user("side", "50", "side"), { ...user("on", "c", "on"), parentId: "c" }]
    const compaction = entry("compaction", "d", "on", { summary: "T", firstKeptEntryId: "side", tokensBefore: 1 })
    const { state, looks } = counted(stateOf(header(5), ...trunk(1_000), ...elsewhere, compaction))
    contextAt(state)
    looks()
    assert.deepEqual(
      contextAt(state).messages.map(({ summary }) => summary),
      ["T"],
    )
    assert.isAtMost(looks(), 40)
  })
})

describe("what a path was asked before", () => {
  it("is not what it says when a gap in it has been filled since, by an entry that sets something", () => {
    const before = stateOf(header(5), level("b", "a"), user("c", "b", "1"))
    assert.equal(contextAt(before).thinkingLevel, "b")
    const off = entry("mode_change", "a", null, { mode: "plan" })
    const after = evolve(before, off)
    assert.equal(contextAt(before, "c").mode, "none")
    assert.equal(contextAt(after, "c").mode, "plan")
  })

  it("is not what it says when an entry above it has lost its id to another one", () => {
    const before = stateOf(header(5), level("a", null), user("b", "a", "1"))
    assert.equal(contextAt(before).thinkingLevel, "a")
    const after = evolve(before, { ...level("a", null), thinkingLevel: "another" })
    assert.equal(contextAt(after, "b").thinkingLevel, "another")
    assert.equal(contextAt(before, "b").thinkingLevel, "a")
  })

  it("is of its own session, where two grow out of one", () => {
    const one = stateOf(header(5), level("a", null))
    const [left, right] = ["low", "high"].map((thinkingLevel) => evolve(one, { ...level("b", "a"), thinkingLevel }))
    assert.deepEqual(
      [left, right, one].map((state) => contextAt(state ?? one).thinkingLevel),
      ["low", "high", "a"],
    )
    assert.equal(contextAt(left ?? one).thinkingLevel, "low")
  })

  it("keeps what a compaction names, although that came after what stands between", () => {
    const state = stateOf(
      header(5),
      user("b", "kept", "2"),
      entry("compaction", "c", "b", { summary: "S", firstKeptEntryId: "kept", tokensBefore: 1 }),
      user("kept", null, "1"),
    )
    assert.lengthOf(contextAt(state, "c").messages, 3)
  })
})
