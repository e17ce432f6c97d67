import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { title } from "../../src/tree/Overview.ts"
import { inspect } from "../../src/tree/Reading.ts"
import { labelOf, nodes, type TreeNode } from "../../src/tree/Tree.ts"
import { evolve, treeModel } from "../../src/tree/TreeModel.ts"
import { assistant, contextAt, entry, header, ids, MILLIS, rewrite, said, source, stateOf, user } from "./Session.ts"

/** The worked example of the format: eleven records that touch every rule of a version-5 file. */
const example = (version: number): ReadonlyArray<JsonObject> => [
  header(version),
  entry("model_change", "a", null, { model: "p/m1" }),
  user("b", "a", "one"),
  assistant("c", "b", "two"),
  { type: "header_patch", patch: { title: "T1", titleSource: "auto" } },
  user("d", "c", "three"),
  entry("compaction", "e", "d", { summary: "S1", firstKeptEntryId: "c", tokensBefore: 10 }),
  user("f", "e", "four"),
  entry("label", "g", "f", { targetId: "c", label: "L" }),
  { type: "entry_patch", entryId: "c", patch: { message: { role: "assistant", provider: "p", model: "m2", content: "TWO" } } },
  { type: "header_patch", patch: { title: "T2", titleSource: "user", x: 1 } },
]

const outline = (node: TreeNode): unknown => (node.children.length === 0 ? node.id : { [node.id]: node.children.map(outline) })

describe("the worked example", () => {
  const state = stateOf(...example(5))

  it("has the title of the last patch that is valid", () => {
    assert.deepEqual(title(state), { title: "T1", source: "auto" })
  })

  it("has seven entries, the last of which is the leaf", () => {
    assert.deepEqual(ids(state), ["a", "b", "c", "d", "e", "f", "g"])
    assert.equal(state.leaf, "g")
    assert.equal(labelOf(state, "c"), "L")
  })

  it("has at its leaf the summary and what the compaction keeps", () => {
    const context = contextAt(state)
    assert.deepEqual(context.messages, [
      { role: "compactionSummary", summary: "S1", tokensBefore: 10, timestamp: MILLIS },
      { role: "assistant", provider: "p", model: "m2", content: "TWO" },
      { role: "user", content: "three" },
      { role: "user", content: "four" },
    ])
    assert.deepEqual(context, {
      messages: context.messages,
      thinkingLevel: "off",
      models: { default: "p/m1" },
      configuredModelChains: { default: { role: "default", entries: ["p/m1"], origin: "legacy_session", explicitHead: true } },
      injectedTtsrRules: [],
      injectedTtsrRuleRecords: [],
      ttsrMessageCount: 0,
      selectedMCPToolNames: [],
      hasPersistedMCPToolSelection: false,
      hasPersistedDiscoveredBuiltinToolSelection: false,
      mode: "none",
    })
  })

  it("has no summary at a leaf before the compaction, and nothing at no leaf", () => {
    assert.deepEqual(said(state, "d"), ["one", "TWO", "three"])
    assert.deepEqual(said(state, null), [])
  })

  it("goes on from a branch beside what was there", () => {
    const branched = evolve(state, { type: "header_patch", patch: { leafId: "c" } })
    const decided = treeModel.decide(
      branched,
      { do: "message", message: { role: "user", content: "five" } },
      { at: MILLIS + 1, entropy: "0123456789abcdef0123456789abcdef" },
    )
    const record = Result.getOrThrow(decided)[0] ?? {}
    const grown = evolve(branched, record)
    const h = String(record["id"])
    assert.equal(record["parentId"], "c")
    assert.deepEqual(said(grown), ["one", "TWO", "five"])
    assert.deepEqual(nodes(grown).map(outline), [{ a: [{ b: [{ c: [{ d: [{ e: [{ f: ["g"] }] }] }, h] }] }] }])
    assert.equal(nodes(grown)[0]?.children[0]?.children[0]?.label, "L")
  })

  it("reports the one patch that it could not use", () => {
    const found: Array<unknown> = []
    let before = treeModel.initial
    for (const record of example(5)) {
      found.push(...inspect(before, record))
      before = evolve(before, record)
    }
    assert.deepEqual(found, ["unusable-patch"])
  })

  it("has no patches in version 3, neither in memory nor after the rewrite", () => {
    const old = stateOf(...example(3))
    assert.equal(title(old), undefined)
    assert.deepEqual(said(old, "d"), ["one", "two", "three"])
    const lines = rewrite(example(3).map(source))
    assert.equal(lines.length, 8)
    assert.isTrue(lines.every((line) => !line.includes("_patch")))
    assert.deepInclude(JSON.parse(lines[0] ?? ""), { version: 5 })
  })
})
