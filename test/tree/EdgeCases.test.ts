/** Cases at the edges of the tree's features, each with the rule that it belongs to. */
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { replay } from "../../src/model/Model.ts"
import { toArray } from "../../src/model/Sequence.ts"
import { branchOutLines } from "../../src/tree/BranchOut.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { ENTRY_SHAPES } from "../../src/tree/Entry.ts"
import { readHeader } from "../../src/tree/Header.ts"
import { title } from "../../src/tree/Overview.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { labelOf, labels, leaves, roots } from "../../src/tree/Tree.ts"
import { treeModel } from "../../src/tree/TreeModel.ts"
import { contextAt, entry, header, ids, MILLIS, pathOf, rewrite, said, source, stateOf, user } from "./Session.ts"

/** The state after commands, each decided in the state that the one before has left. */
const grownBy = (start: TreeState, ...commands: ReadonlyArray<TreeCommand>): TreeState =>
  commands.reduce((state, command, n) => {
    const stamp = { at: MILLIS + n, entropy: (n + 1).toString(16).padStart(32, "0") }
    return replay(treeModel, Result.getOrThrow(treeModel.decide(state, command, stamp)), state)
  }, start)

const say = (content: string): TreeCommand => ({ do: "message", message: { role: "user", content } })

describe("commands one after another", () => {
  const first = stateOf(header(5), user("a", null, "1"))

  it("make one chain of entries of every type, and what is no entry is no link of it", () => {
    const state = grownBy(
      first,
      say("2"),
      { do: "title", title: "T", source: "user" },
      { do: "model", model: "p/m" },
      { do: "thinking", level: "high" },
      { do: "star", on: true },
      { do: "serviceTier", tier: "flex" },
      { do: "compaction", summary: "S", firstKeptEntryId: "a", tokensBefore: 1 },
      { do: "branchWithSummary", to: "a", summary: "S" },
      { do: "custom", customType: "x" },
      { do: "patchMessage", entryId: "a", message: { role: "user", content: "one" } },
      { do: "customMessage", customType: "x", content: "c", display: true },
      { do: "label", target: "a", label: "L" },
      { do: "ttsr", rules: ["r"] },
      { do: "tools", mcp: ["m"], builtin: ["b"] },
      { do: "init", systemPrompt: "s", task: "t", tools: [] },
      { do: "mode", mode: "plan" },
      { do: "cwd", cwd: "/elsewhere" },
      { do: "modelChain", role: "default", entries: ["p/m"] },
    )
    const all = toArray(state.entries)
    const types = new Set(all.map(({ record }) => record["type"]))
    assert.deepEqual(
      Object.keys(ENTRY_SHAPES).filter((type) => !types.has(type)),
      [],
    )
    const summary = all.findIndex(({ record }) => record["type"] === "branch_summary")
    all.forEach(({ parentId }, n) => {
      assert.equal(parentId, n === 0 ? null : n === summary ? "a" : all[n - 1]?.id, `entry ${n}`)
    })
    assert.deepEqual(pathOf(state, state.leaf), ["a", ...ids(state).slice(summary)])
  })

  it("begin a second root behind a leaf that is none, beside the first one", () => {
    const state = grownBy(first, { do: "branch", to: null }, say("anew"), say("goes on"))
    assert.deepEqual(said(state), ["anew", "goes on"])
    assert.lengthOf(roots(state), 2)
    assert.equal(roots(state)[0], "a")
    assert.deepEqual(leaves(state), ["a", state.leaf ?? ""])
  })

  it("leave a star as it is, through a title, messages and a rewrite", () => {
    const records: ReadonlyArray<JsonObject> = [
      header(4),
      { type: "header_patch", patch: { starred: true } },
      user("a", null, "1"),
      { type: "header_patch", patch: { title: "T", titleSource: "user" } },
      user("b", "a", "2"),
    ]
    const read = stateOf(...records)
    assert.isTrue(readHeader(read.header ?? {}).starred)
    const again = stateOf(...rewrite(records.map(source)).map((line) => JSON.parse(line) as JsonObject))
    assert.isTrue(readHeader(again.header ?? {}).starred)
    const grown = grownBy(again, { do: "title", title: "U", source: "user" }, say("3"))
    assert.isTrue(readHeader(grown.header ?? {}).starred)
    assert.deepEqual(title(grown), { title: "U", source: "user" })
  })

  it("keep the details of an extension as they were given, whatever their names", () => {
    const details = JSON.parse('{"__pendingDisplayTag":"t","__other":1,"__proto__":{"x":1}}') as JsonObject
    const state = grownBy(first, { do: "customMessage", customType: "irc:note", content: "c", display: true, details })
    assert.equal(JSON.stringify(contextAt(state).messages.at(-1)?.["details"]), JSON.stringify(details))
  })
})

describe("a star", () => {
  it("counts in a file that does not declare it, since somebody has set it", () => {
    const state = stateOf(header(5), { type: "header_patch", patch: { starred: true } })
    assert.isTrue(readHeader(state.header ?? {}).starred)
    assert.isFalse(readHeader(stateOf(header(3), { type: "header_patch", patch: { starred: true } }).header ?? {}).starred)
  })
})

describe("a session of one path", () => {
  it("has the labels of its entries and not those of others; a label that stands on the path stays a link of it", () => {
    const records = [
      header(5),
      user("a", null, "1"),
      user("side", "a", "aside"),
      entry("label", "l", "a", { targetId: "side", label: "Aside" }),
      user("b", "l", "2"),
      entry("label", "m", "side", { targetId: "b", label: "Here" }),
      entry("label", "n", "m", { targetId: "side", label: "Still aside" }),
    ]
    const state = stateOf(...records)
    const stamp = { at: MILLIS, entropy: "0123456789abcdef0123456789abcdef" }
    const lines = [...Result.getOrThrow(branchOutLines(state, "b", stamp))(records.map(source))]
    const own = stateOf(...lines.map((line) => JSON.parse(line) as JsonObject))
    assert.deepEqual(ids(own).slice(0, 3), ["a", "l", "b"])
    assert.lengthOf(ids(own), 4)
    assert.equal(labelOf(own, "b"), "Here")
    assert.deepEqual(said(own), ["1", "2"])
    assert.notInclude([...labels(own).values()], "Still aside")
  })
})

describe("a context", () => {
  it("of a session without an entry, and at no leaf, is empty in every member", () => {
    const nothing = {
      messages: [],
      thinkingLevel: "off",
      models: {},
      configuredModelChains: {},
      injectedTtsrRules: [],
      injectedTtsrRuleRecords: [],
      ttsrMessageCount: 0,
      selectedMCPToolNames: [],
      hasPersistedMCPToolSelection: false,
      hasPersistedDiscoveredBuiltinToolSelection: false,
      mode: "none",
    }
    assert.deepEqual(contextAt(stateOf(header(5))), nothing)
    const full = grownBy(stateOf(header(5)), say("1"), { do: "mode", mode: "plan" }, { do: "model", model: "p/m" })
    assert.deepEqual(contextAt(full, null), nothing)
  })

  it("has what another agent has left of a text that it took out, and the entry keeps what says where it went", () => {
    const left = "[Compacted history content evicted to durable cold storage]"
    const ref = `blob:sha256:${"0".repeat(64)}`
    const evictedContent = { reason: "compacted_history", payloads: { content: { kind: "cold_spill", ref, encoding: "utf8" } } }
    const records = [header(5), { ...user("a", null, left), evictedContent }, user("b", "a", "2")]
    const state = stateOf(...records)
    assert.deepEqual(said(state), [left, "2"])
    assert.deepEqual(toArray(state.entries)[0]?.record["evictedContent"], evictedContent)
    assert.deepEqual(
      rewrite(records.map(source)).slice(1),
      records.slice(1).map((record) => JSON.stringify(record)),
    )
  })

  it("begins anew where an entry has no parent, with what was said before still in the file", () => {
    const cleared = entry("custom", "c", null, { customType: "context_clear" })
    const state = stateOf(header(5), user("a", null, "1"), cleared, user("b", "c", "2"))
    assert.deepEqual(said(state), ["2"])
    assert.deepEqual(said(state, "a"), ["1"])
  })
})
