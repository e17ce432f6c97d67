import { assert, describe, it } from "vitest"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { contextOf } from "../../src/tree/Context.ts"
import { follow, initialLiveContext } from "../../src/tree/LiveContext.ts"
import { inspect } from "../../src/tree/Reading.ts"
import { evolve, treeModel } from "../../src/tree/TreeModel.ts"
import { assistant, contextAt, entry, fixture, header, MILLIS, said, stateOf, user } from "./Session.ts"

const compaction = (id: string, parentId: string, summary: string, firstKeptEntryId: string, more: JsonObject = {}): JsonObject =>
  entry("compaction", id, parentId, { summary, firstKeptEntryId, tokensBefore: 1, ...more })

const chain = (...records: ReadonlyArray<JsonObject>): JsonObject[] =>
  records.map((record, n) => ({ ...record, parentId: n === 0 ? null : String(records[n - 1]?.["id"]) }))

const settingsOf = (...records: ReadonlyArray<JsonObject>) => contextAt(stateOf(header(5), ...chain(...records)))

describe("the messages of a context", () => {
  it("are the kept ones and those after the last compaction; an earlier one in between says nothing", () => {
    const state = stateOf(
      header(5),
      ...chain(
        user("u1", null, "1"),
        user("u2", null, "2"),
        compaction("c1", "", "S1", "u2"),
        user("u3", null, "3"),
        compaction("c2", "", "S2", "u2"),
        user("u4", null, "4"),
      ),
    )
    assert.deepEqual(said(state), ["S2", "2", "3", "4"])
    assert.deepEqual(said(state, "u3"), ["S1", "2", "3"])
    assert.deepEqual(said(state, "c2"), ["S2", "2", "3"])
  })

  it("keep nothing when the first kept entry is missing, on another branch, after the compaction, or the compaction itself", () => {
    const before = [user("a", null, "1"), user("b", "a", "2"), user("side", "a", "side")]
    for (const first of ["gone", "side", "c", "d", ""]) {
      const state = stateOf(header(5), ...before, compaction("c", "b", "S", first), user("d", "c", "3"))
      assert.deepEqual(said(state), ["S", "3"], first)
    }
    assert.deepEqual(said(stateOf(header(5), ...before, compaction("c", "b", "S", "a"))), ["S", "1", "2"])
  })

  it("are those of a provider when it compacted on its side", () => {
    const preserveData = { openaiRemoteCompaction: { provider: "openai", replacementHistory: [{ type: "x" }] } }
    const state = stateOf(header(5), user("a", null, "1"), compaction("c", "a", "S", "a", { preserveData }), user("d", "c", "2"))
    assert.deepEqual(contextAt(state).messages, [
      {
        role: "compactionSummary",
        summary: "S",
        tokensBefore: 1,
        providerPayload: { type: "openaiResponsesHistory", provider: "openai", items: [{ type: "x" }] },
        timestamp: MILLIS,
      },
      { role: "user", content: "2" },
    ])
    for (const odd of [
      { provider: "", replacementHistory: [] },
      { provider: "x" },
      { provider: 1, replacementHistory: [] },
      [],
    ]) {
      const preserveData = { openaiRemoteCompaction: odd } as JsonObject
      assert.deepEqual(said(stateOf(header(5), user("a", null, "1"), compaction("c", "a", "S", "a", { preserveData }))), [
        "S",
        "1",
      ])
    }
  })

  it("ignore a compaction that was cut before its summary", () => {
    const { summary: _, ...cut } = compaction("c", "a", "", "a")
    assert.deepEqual(said(stateOf(header(5), user("a", null, "1"), cut, user("d", "c", "2"))), ["1", "2"])
    assert.deepEqual(said(stateOf(header(5), user("a", null, "1"), compaction("c", "a", "", "gone"))), [""])
  })

  it("have custom messages and branch summaries in their own shapes", () => {
    const state = stateOf(
      header(5),
      entry("custom_message", "a", null, {
        customType: "x",
        content: [{ type: "text", text: "t" }],
        display: false,
        details: null,
      }),
      entry("custom_message", "b", "a", { customType: "y", content: "", display: true, attribution: "user" }),
      entry("branch_summary", "c", "b", { fromId: "root", summary: "S" }),
      entry("branch_summary", "d", "c", { fromId: "a", summary: "" }),
      { ...entry("branch_summary", "e", "d", { fromId: "a", summary: "no time" }), timestamp: "never" },
    )
    assert.deepEqual(contextAt(state).messages, [
      {
        role: "custom",
        customType: "x",
        content: [{ type: "text", text: "t" }],
        display: false,
        details: null,
        timestamp: MILLIS,
      },
      { role: "custom", customType: "y", content: "", display: true, attribution: "user", timestamp: MILLIS },
      { role: "branchSummary", summary: "S", fromId: "root", timestamp: MILLIS },
      { role: "branchSummary", summary: "no time", fromId: "a", timestamp: null },
    ])
  })

  it("are the very messages that were stored", () => {
    const message = JSON.parse('{"role":"user","content":"x","__proto__":{"a":1},"extra":{"deep":[null]}}') as JsonObject
    const state = stateOf(header(5), entry("message", "a", null, { message }))
    assert.strictEqual(contextAt(state).messages[0], message)
  })
})

describe("the settings of a context", () => {
  it("keep an explicit default model against answers of another, and infer one otherwise", () => {
    const change = entry("model_change", "m", null, { model: "p/m1" })
    assert.deepEqual(settingsOf(change, assistant("a", null, "x", "m2")).models, { default: "p/m1" })
    assert.deepEqual(settingsOf(assistant("a", null, "x", "m2"), assistant("b", null, "x", "m3")).models, { default: "p/m3" })
    assert.deepEqual(settingsOf(assistant("a", null, "x", "m2"), change).models, { default: "p/m1" })
    const smol = entry("model_change", "s", null, { model: "p/s", role: "smol" })
    assert.deepEqual(settingsOf(smol, assistant("a", null, "x", "m2")).models, { smol: "p/s", default: "p/m2" })
  })

  it("know a role called __proto__", () => {
    const { models } = settingsOf(entry("model_change", "m", null, { model: "p/m", role: "__proto__" }))
    assert.deepEqual(Object.entries(models), [["__proto__", "p/m"]])
  })

  it("know a change of the model in the two parts that pi writes, the default's, and ignore half of one", () => {
    const change = (more: JsonObject) => entry("model_change", "m", null, more)
    const pi = change({ provider: "p", modelId: "m/1" })
    assert.deepEqual(settingsOf(pi).models, { default: "p/m/1" })
    assert.deepEqual(settingsOf(pi, assistant("a", null, "x", "m2")).models, { default: "p/m/1" })
    assert.deepEqual(settingsOf(assistant("a", null, "x", "m2"), pi).models, { default: "p/m/1" })
    for (const half of [{ provider: "p" }, { modelId: "m" }, { provider: "", modelId: "m" }, { provider: "p", modelId: 5 }])
      assert.deepEqual(settingsOf(change(half)).models, {})
    assert.deepEqual(settingsOf(change({ provider: "p", modelId: "m", model: "q/n" })).models, { default: "q/n" })
    assert.deepEqual(settingsOf(change({ provider: "p", modelId: "m", model: "" })).models, {})
  })

  it("are the latest of their kind, a missing level being off and a null tier none", () => {
    const level = (id: string, thinkingLevel?: string | null) =>
      entry("thinking_level_change", id, null, thinkingLevel === undefined ? {} : { thinkingLevel })
    const tier = (id: string, serviceTier: string | null | JsonObject) => entry("service_tier_change", id, null, { serviceTier })
    const mode = (id: string, name: string, data?: JsonObject) =>
      entry("mode_change", id, null, { mode: name, ...(data === undefined ? {} : { data }) })
    assert.equal(settingsOf(level("a", "high"), level("b", "low")).thinkingLevel, "low")
    assert.equal(settingsOf(level("a", "high"), level("b", null)).thinkingLevel, "off")
    assert.equal(settingsOf(level("a", "high"), level("b")).thinkingLevel, "off")
    assert.equal(settingsOf(tier("a", "flex"), tier("b", "priority")).serviceTier, "priority")
    assert.deepEqual(settingsOf(tier("a", "flex"), tier("b", { openai: "priority" })).serviceTier, { openai: "priority" })
    assert.isFalse(Object.hasOwn(settingsOf(tier("a", "flex"), tier("b", null)), "serviceTier"))
    assert.deepInclude(settingsOf(mode("a", "plan", { f: 1 })), { mode: "plan", modeData: { f: 1 } })
    const left = settingsOf(mode("a", "plan", { f: 1 }), mode("b", "none"))
    assert.equal(left.mode, "none")
    assert.isFalse(Object.hasOwn(left, "modeData"))
  })

  it("hold across a compaction, and each branch has its own", () => {
    const state = stateOf(
      header(5),
      ...chain(
        entry("thinking_level_change", "t", null, { thinkingLevel: "high" }),
        user("a", null, "1"),
        compaction("c", "", "S", "gone"),
      ),
      entry("thinking_level_change", "other", "a", { thinkingLevel: "low" }),
    )
    assert.equal(contextAt(state, "c").thinkingLevel, "high")
    assert.equal(contextAt(state, "other").thinkingLevel, "low")
    const chained = (id: string, parentId: string | null, model: string): JsonObject =>
      entry("configured_model_chain", id, parentId, { role: "default", entries: [model] })
    const chains = stateOf(header(5), chained("old", null, "p/old"), user("b", "old", "1"), chained("new", "b", "p/new"))
    assert.deepEqual(contextAt(chains).configuredModelChains["default"]?.entries, ["p/new"])
    assert.deepEqual(contextAt(chains, "b").configuredModelChains["default"]?.entries, ["p/old"])
  })

  it("keep rules in the order of their first injection, with their latest record", () => {
    const context = settingsOf(
      entry("ttsr_injection", "a", null, { injectedRules: ["x", "y", "x"] }),
      entry("ttsr_injection", "b", null, {
        injectedRules: ["z"],
        injectedRuleRecords: [{ name: "x", lastInjectedAt: 5, more: 1 }],
        ttsrMessageCount: 4,
      }),
      entry("ttsr_injection", "c", null, { injectedRules: ["x"] }),
    )
    assert.deepEqual(context.injectedTtsrRules, ["x", "y", "z"])
    assert.deepEqual(context.injectedTtsrRuleRecords, [
      { name: "x", lastInjectedAt: 5, more: 1 },
      { name: "y", lastInjectedAt: 0 },
      { name: "z", lastInjectedAt: 0 },
    ])
    assert.equal(context.ttsrMessageCount, 4)
  })

  it("hold the selections of both kinds of tools apart, an empty list being one, and read version 4's combined member", () => {
    const mcp = (id: string, more: JsonObject) => entry("mcp_tool_selection", id, null, more)
    const builtin = (id: string, names: string[]) =>
      entry("discovered_builtin_tool_selection", id, null, { selectedToolNames: names })
    assert.deepInclude(settingsOf(mcp("a", { selectedToolNames: [] })), {
      selectedMCPToolNames: [],
      hasPersistedMCPToolSelection: true,
      hasPersistedDiscoveredBuiltinToolSelection: false,
    })
    const combined = mcp("a", { selectedToolNames: ["m"], selectedDiscoveredBuiltinToolNames: ["old"] })
    assert.deepInclude(settingsOf(combined), {
      selectedMCPToolNames: ["m"],
      selectedDiscoveredBuiltinToolNames: ["old"],
      hasPersistedDiscoveredBuiltinToolSelection: true,
    })
    assert.deepInclude(settingsOf(combined, builtin("b", [])), { selectedDiscoveredBuiltinToolNames: [] })
    assert.deepInclude(settingsOf(builtin("b", ["new"]), mcp("a", { selectedToolNames: ["m"] })), {
      selectedDiscoveredBuiltinToolNames: ["new"],
    })
    const odd = { ...builtin("c", []), selectedToolNames: ["x", 5] }
    assert.deepInclude(settingsOf(builtin("b", ["new"]), odd), { selectedDiscoveredBuiltinToolNames: ["new"] })
    assert.deepEqual(inspect(stateOf(header(5)), odd), ["unusable-entry"])
  })

  it("fall back from a cleared chain to the model in force", () => {
    const chainOf = (id: string, more: JsonObject) => entry("configured_model_chain", id, null, { role: "default", ...more })
    const set = chainOf("a", {
      entries: ["p/1", "", "p/2"],
      origin: "settings",
      identity: "i",
      explicitHead: true,
      cleared: false,
    })
    const model = entry("model_change", "m", null, { model: "p/m" })
    const configured = { role: "default", entries: ["p/1", "p/2"], origin: "settings", identity: "i", explicitHead: true }
    const synthesised = { role: "default", entries: ["p/m"], origin: "legacy_session", explicitHead: true }
    assert.deepEqual(settingsOf(set, model).configuredModelChains, { default: configured })
    assert.deepEqual(settingsOf(set, model, chainOf("c", { entries: [], cleared: true })).configuredModelChains, {
      default: synthesised,
    })
    assert.deepEqual(settingsOf(set, model, chainOf("c", { entries: [] })).configuredModelChains, { default: configured })
    assert.deepEqual(settingsOf(chainOf("a", { entries: ["p/1"] })).configuredModelChains, {
      default: { role: "default", entries: ["p/1"], origin: "session", explicitHead: false },
    })
  })
})

describe("records of other agents", () => {
  const edit = (id: string, targetId: string, replacement: Json): JsonObject =>
    entry("context_edit", id, null, { targetId, replacement })
  const contents = (...records: ReadonlyArray<JsonObject>) => said(stateOf(header(5), ...chain(...records)))

  it("an edit changes a message from there on, the last one counts, and null takes the message out", () => {
    const before = [user("a", null, "1"), assistant("b", null, "2")]
    assert.deepEqual(contents(...before, edit("e", "a", { content: "new" })), ["new", "2"])
    assert.deepEqual(contents(...before, edit("e", "a", { content: "new" }), edit("f", "a", { content: [] })), [[], "2"])
    assert.deepEqual(contents(...before, edit("e", "b", null), user("c", null, "3")), ["1", "3"])
    assert.deepEqual(contents(...before, edit("e", "b", null), edit("f", "b", { content: "back" })), ["1", "back"])
    const state = stateOf(header(5), ...chain(...before, edit("e", "b", { content: "new" })))
    assert.deepEqual(said(state, "b"), ["1", "2"])
    assert.deepEqual(contextAt(state).messages[1], { role: "assistant", provider: "p", model: "m2", content: "new" })
  })

  it("an edit has no effect on another branch, on what comes behind it, or when it says nothing that can be done", () => {
    const state = stateOf(header(5), user("a", null, "1"), user("side", "a", "2"), { ...edit("e", "side", null), parentId: "a" })
    assert.deepEqual(said(state), ["1"])
    assert.deepEqual(said(state, "side"), ["1", "2"])
    assert.deepEqual(contents(edit("e", "a", null), user("a", null, "1")), ["1"])
    for (const odd of ["x", {}, { content: 5 }, { content: null }, []])
      assert.deepEqual(contents(user("a", null, "1"), edit("e", "a", odd as Json)), ["1"], JSON.stringify(odd))
  })

  it("an edit reaches what a compaction keeps, custom messages and results, and no message of another role", () => {
    const kept = compaction("c", "", "S", "b")
    assert.deepEqual(contents(user("a", null, "1"), user("b", null, "2"), edit("e", "b", { content: "new" }), kept), ["S", "new"])
    assert.deepEqual(contents(user("a", null, "1"), user("b", null, "2"), kept, edit("e", "b", null)), ["S"])
    const custom = entry("custom_message", "a", null, { customType: "x", content: "1", display: true })
    assert.deepEqual(contents(custom, edit("e", "a", { content: "new" })), ["new"])
    const role = (name: string) => entry("message", "a", null, { message: { role: name, content: "1" } })
    assert.deepEqual(contents(role("toolResult"), edit("e", "a", { content: "new" })), ["new"])
    for (const name of ["system", "custom", "bashExecution"]) assert.deepEqual(contents(role(name), edit("e", "a", null)), ["1"])
    assert.deepEqual(contents(kept, edit("e", "c", null)), ["S"])
  })

  it("an edit stands over a patch, whichever came first", () => {
    const patch = { type: "entry_patch", entryId: "a", patch: { message: { role: "user", content: "patched", more: 1 } } }
    const state = stateOf(header(5), user("a", null, "1"), { ...edit("e", "a", { content: "edited" }), parentId: "a" }, patch)
    assert.deepEqual(contextAt(state).messages, [{ role: "user", content: "edited", more: 1 }])
  })

  it("a reset begins the messages anew and leaves what was set", () => {
    const reset = entry("reset_boundary", "r", null)
    const level = entry("thinking_level_change", "t", null, { thinkingLevel: "high" })
    assert.deepEqual(contents(user("a", null, "1"), reset, user("b", null, "2")), ["2"])
    assert.equal(settingsOf(level, user("a", null, "1"), reset).thinkingLevel, "high")
    assert.deepEqual(contents(user("a", null, "1"), compaction("c", "", "S", "a"), reset, user("b", null, "2")), ["2"])
    const state = stateOf(header(5), ...chain(user("a", null, "1"), reset, user("b", null, "2")))
    assert.deepEqual(said(state, "a"), ["1"])
  })

  it("a compaction behind a reset keeps nothing from before it", () => {
    const records = [user("a", null, "1"), entry("reset_boundary", "r", null), user("b", null, "2")]
    assert.deepEqual(contents(...records, compaction("c", "", "S", "a"), user("d", null, "3")), ["S", "2", "3"])
    assert.deepEqual(contents(...records, compaction("c", "", "S", "b"), user("d", null, "3")), ["S", "2", "3"])
  })

  it("the system message of a compaction goes first, in the place of those that it keeps", () => {
    const system = (content: string) => ({ role: "system", content, sections: { preamble: content } })
    const old = entry("message", "s", null, { message: system("old") })
    const kept = compaction("c", "", "S", "s", { systemMessage: system("new") })
    const state = stateOf(
      header(5),
      ...chain(old, user("a", null, "1"), kept, entry("message", "t", null, { message: system("last") })),
    )
    assert.deepEqual(said(state), ["new", "S", "1", "last"])
    assert.deepEqual(contextAt(state).messages[0], system("new"))
    assert.deepEqual(said(state, "a"), ["old", "1"])
    for (const systemMessage of [null, "x", {}, { role: "user", content: "x" }] as ReadonlyArray<Json>)
      assert.deepEqual(contents(old, user("a", null, "1"), compaction("c", "", "S", "s", { systemMessage })), ["S", "old", "1"])
  })

  it("what a compaction carries along stands for what it would keep", () => {
    const tail = (retainedTail: Json, more: JsonObject = {}): JsonObject =>
      compaction("c", "", "S", "a", { retainedTail, ...more })
    const before = [entry("message", "s", null, { message: { role: "system", content: "old" } }), user("a", null, "1")]
    const carried = [
      { role: "user", content: "kept" },
      { role: "assistant", content: "too" },
    ]
    const { firstKeptEntryId: _, ...alone } = tail(carried)
    for (const given of [tail(carried), alone]) {
      const state = stateOf(header(3), ...chain(...before, given, user("b", null, "2")))
      assert.deepEqual(said(state), ["S", "kept", "too", "2"])
      assert.equal(contextAt(state).messages[1], carried[0], "the very message")
      assert.deepEqual(said(state, "a"), ["old", "1"])
    }
    assert.deepEqual(contents(...before, tail([]), user("b", null, "2")), ["S", "2"], "nothing is kept, and that is said")
    assert.deepEqual(contents(...before, tail(["x", null, ...carried])), ["S", "kept", "too"])
    for (const odd of [null, "x", {}] as ReadonlyArray<Json>) assert.deepEqual(contents(...before, tail(odd)), ["S", "1"])
    const system = { role: "system", content: "new" }
    assert.deepEqual(contents(...before, tail([before[0]?.["message"] ?? null, ...carried], { systemMessage: system })), [
      ...["new", "S", "kept", "too"],
    ])
    const preserveData = { openaiRemoteCompaction: { provider: "openai", replacementHistory: [] } }
    assert.deepEqual(contents(...before, tail(carried, { preserveData })), ["S"])
    assert.deepEqual(contents(...before, tail(carried), edit("x", "a", { content: "changed" })), ["S", "kept", "too"])
    assert.deepEqual(contents(...before, tail(carried), compaction("d", "", "T", "a")), ["T", "1"])
  })

  it("counts of usage are in no context", () => {
    const used = { usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } }
    assert.deepEqual(contents(user("a", null, "1"), entry("usage", "b", null, used), entry("model_usage", "c", null, used)), [
      "1",
    ])
  })

  it("give the contexts of whole files", () => {
    const pi = stateOf(...fixture("pi/v3-all-records.jsonl").map((record) => record.value))
    const system = contextAt(pi, "eb15746d").messages[0]
    assert.equal(system?.["role"], "system")
    assert.deepEqual(said(pi, "eb15746d").slice(-2), ["continue (edited)", [{ type: "text", text: "continuing" }]])
    assert.deepEqual(said(pi, "970be81f").slice(-2), ["continue", [{ type: "text", text: "continuing" }]])
    assert.deepEqual(contextAt(pi, "6f16d69f").models, { default: "openai/gpt-5" })
    const omp = stateOf(...fixture("omp/v3-title-slot.jsonl").map((record) => record.value))
    assert.deepEqual(said(omp), ["after clear", [{ type: "text", text: "clean" }]])
    assert.deepEqual(contextAt(omp).models, { default: "anthropic/claude-sonnet-4-5", smol: "openai/gpt-5-mini" })
    assert.deepEqual(contextAt(omp).serviceTier, { openai: "priority" })
  })
})

describe("a context that follows the session", () => {
  const records = [
    header(5),
    user("a", null, "1"),
    user("b", "a", "2"),
    compaction("c", "b", "S", "b"),
    user("d", "c", "3"),
    { type: "header_patch", patch: { leafId: "a" } },
    user("e", "a", "4"),
    { type: "entry_patch", entryId: "a", patch: { message: { role: "user", content: "changed" } } },
    user("f", "gap", "5"),
    user("gap", "a", "6"),
    user("a", null, "second"),
    user("g", "f", "7"),
    entry("context_edit", "h", "g", { targetId: "f", replacement: null }),
    entry("context_edit", "i", "h", { targetId: "g", replacement: { content: "edited" } }),
    entry("reset_boundary", "j", "i"),
    user("k", "j", "8"),
    compaction("l", "k", "S", "g"),
  ]

  it("is the context at every step, whatever the step was", () => {
    let live = initialLiveContext
    let state = treeModel.initial
    for (const record of records) {
      state = evolve(state, record)
      live = follow(live, state)
      assert.deepEqual(contextOf(live.fold), contextAt(state))
    }
  })

  it("sees a gap in its path filled, although the leaf went on below it", () => {
    const before = stateOf(header(5), user("a", null, "1"), user("c", "b", "3"))
    const live = follow(initialLiveContext, before)
    const after = evolve(evolve(before, user("b", "a", "2")), user("d", "c", "4"))
    assert.deepEqual(said(after), ["1", "2", "3", "4"])
    assert.deepEqual(contextOf(follow(live, after).fold), contextAt(after))
  })

  it("shares what it had with the one before", () => {
    const before = stateOf(header(5), user("a", null, "1"))
    const live = follow(initialLiveContext, before)
    const next = follow(live, evolve(before, user("b", "a", "2")))
    assert.strictEqual(next.fold.messages.shared, live.fold.messages.shared)
    assert.deepEqual(contextOf(live.fold), contextAt(before))
  })
})
