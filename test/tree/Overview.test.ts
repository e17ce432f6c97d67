import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { counts, openToolCalls, stateJson, usage } from "../../src/tree/Overview.ts"
import { entry, fixture, header, stateOf, user } from "./Session.ts"

const answer = (id: string, parentId: string | null, used: unknown): JsonObject =>
  entry("message", id, parentId, {
    message: { role: "assistant", content: [], ...(used === undefined ? {} : { usage: used }) } as JsonObject,
  })

const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }

const calling = (id: string, parentId: string | null, ...calls: ReadonlyArray<string>): JsonObject =>
  entry("message", id, parentId, {
    message: { role: "assistant", content: calls.map((call) => ({ type: "toolCall", id: call, name: "bash", arguments: {} })) },
  })

const result = (id: string, parentId: string, call: string): JsonObject =>
  entry("message", id, parentId, { message: { role: "toolResult", toolCallId: call, toolName: "bash", content: [] } })

describe("usage", () => {
  it("is the sum over all branches", () => {
    const state = stateOf(
      header(5),
      answer("a", null, { ...tokens, cost: { total: 0.5 } }),
      answer("b", "a", { ...tokens, cost: { total: 0.25 } }),
      answer("c", "a", { ...tokens, cost: { total: 0.25 } }),
      user("d", "c", "no answer"),
    )
    assert.deepEqual(usage(state), { input: 3, output: 6, cacheRead: 9, cacheWrite: 12, cost: 1, incomplete: false })
  })

  it("is a known minimum when an answer does not say what it cost or used", () => {
    const known = answer("a", null, { ...tokens, cost: { total: 1 } })
    const whole = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 1, incomplete: true }
    for (const odd of [undefined, {}, [], { ...tokens, input: -1 }, { ...tokens, output: "2" }, { ...tokens, cacheRead: null }]) {
      assert.deepEqual(usage(stateOf(header(5), known, answer("b", "a", odd))), whole, JSON.stringify(odd))
    }
    for (const cost of [undefined, { total: "1" }, [], { total: -1 }]) {
      const state = stateOf(header(5), known, answer("b", "a", { ...tokens, cost }))
      assert.deepEqual(usage(state), { input: 2, output: 4, cacheRead: 6, cacheWrite: 8, cost: 1, incomplete: true })
    }
  })

  it("never adds up to more than a number can hold", () => {
    const state = stateOf(
      header(5),
      answer("a", null, { ...tokens, input: 1e308 }),
      answer("b", "a", { ...tokens, input: 1e308 }),
    )
    assert.deepEqual(usage(state), { input: 1e308, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0, incomplete: true })
  })

  it("counts an answer as it is after its patch", () => {
    const patch = {
      type: "entry_patch",
      entryId: "a",
      patch: { message: { role: "assistant", usage: { ...tokens, cost: { total: 9 } } } },
    }
    assert.equal(usage(stateOf(header(5), answer("a", null, undefined), patch)).cost, 9)
  })
})

describe("usage beside the answers", () => {
  const used = { ...tokens, cost: { total: 1 } }
  const one = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 1, incomplete: false }
  const said = (role: string, more: JsonObject): JsonObject => entry("message", "a", null, { message: { role, ...more } })

  it("is in the records that other agents keep of it, which must say what they count", () => {
    for (const type of ["usage", "model_usage"]) {
      assert.deepEqual(usage(stateOf(header(3), entry(type, "a", null, { usage: used }))), one)
      assert.isTrue(usage(stateOf(header(3), entry(type, "a", null))).incomplete)
    }
  })

  it("is in a summary and in a result when they say so, and nothing is missing when they do not", () => {
    for (const type of ["compaction", "branch_summary"]) {
      assert.deepEqual(usage(stateOf(header(3), entry(type, "a", null, { usage: used }))), one)
      assert.isFalse(usage(stateOf(header(3), entry(type, "a", null))).incomplete)
    }
    assert.deepEqual(usage(stateOf(header(3), said("toolResult", { usage: used }))), one)
    assert.isFalse(usage(stateOf(header(3), said("toolResult", {}))).incomplete)
    assert.deepEqual(
      usage(stateOf(header(3), said("user", { usage: used }), entry("custom", "b", null, { usage: used }))).input,
      0,
    )
  })

  it("adds up over whole files", () => {
    const inputOf = (name: string) => usage(stateOf(...fixture(name).map((record) => record.value)))
    assert.deepInclude(inputOf("pi/v3-all-records.jsonl"), { input: 1_520, output: 167, cacheRead: 11_600, incomplete: false })
    assert.deepInclude(inputOf("omp/v3-title-slot.jsonl"), { input: 1_850, output: 140, incomplete: false })
  })
})

describe("tool calls without a result", () => {
  it("are those on the path to the leaf, in call order", () => {
    const state = stateOf(
      header(5),
      calling("a", null, "x", "y", "z"),
      result("b", "a", "y"),
      result("side", "a", "x"),
      user("c", "b", ""),
    )
    const open = (leaf: string | null) => Result.getOrThrow(openToolCalls(state, leaf))
    assert.deepEqual(open("c"), [
      { entryId: "a", callId: "x", name: "bash" },
      { entryId: "a", callId: "z", name: "bash" },
    ])
    assert.deepEqual(
      open("side").map((call) => call.callId),
      ["y", "z"],
    )
    assert.deepEqual(open(null), [])
    assert.isTrue(Result.isFailure(openToolCalls(state, "gone")))
  })

  it("are none in a session whose calls were all answered, and one where the fork cut the answer off", () => {
    const open = (name: string) =>
      Result.getOrThrow(openToolCalls(stateOf(...fixture(name).map((record) => record.value)))).map((call) => call.name)
    assert.deepEqual(open("gjc/v5.jsonl"), [])
    assert.deepEqual(open("pi/v3-fork.jsonl"), ["edit"])
  })
})

describe("the rest of the overview", () => {
  it("counts entries by type", () => {
    const state = stateOf(header(5), user("a", null, ""), user("b", "a", ""), entry("of the future", "c", "b"))
    assert.deepEqual(Object.fromEntries(counts(state)), { message: 2, "of the future": 1 })
  })

  it("shows a state as JSON, patches in it", () => {
    const patch = { type: "entry_patch", entryId: "a", patch: { message: { role: "user", content: "2" } } }
    const label = entry("label", "b", "a", { targetId: "a", label: "L" })
    assert.deepEqual(stateJson(stateOf(header(5), user("a", null, "1"), patch, label)), {
      version: 5,
      header: header(5),
      leaf: "b",
      entries: [user("a", null, "2"), label],
      labels: { a: "L" },
    })
  })
})
