import { assert, describe, it } from "vitest"
import { costText, costUsd, isCostIncomplete, usedTokens } from "../../src/ledger/Accounting.ts"
import { evolve, inspect } from "../../src/ledger/Evolution.ts"
import { initial, messages } from "../../src/ledger/State.ts"
import { ownString } from "../../src/model/Json.ts"
import { corpus, SESSION } from "./Corpus.ts"
import { fold, said } from "./Live.ts"

/** After each record: its type, messages, size of the context, tokens used, dollars, turns to undo and to redo. */
const EXPECTED: ReadonlyArray<readonly [string, number, number, number, number | undefined, number, number]> = [
  ["start", 0, 0, 0, 0, 0, 0],
  ["snapshot", 0, 0, 0, 0, 1, 0],
  ["user", 1, 0, 0, 0, 1, 0],
  ["assistant", 2, 2_060, 2_060, 0.0051, 1, 0],
  ["tool_results", 3, 2_060, 3_000, 0.0062, 1, 0],
  ["assistant", 4, 2_062, 5_062, 0.0071, 1, 0],
  ["end", 4, 2_062, 5_062, 0.0071, 1, 0],
  ["snapshot", 4, 2_062, 5_062, 0.0071, 2, 0],
  ["user", 5, 2_062, 5_062, 0.0071, 2, 0],
  ["assistant", 6, 2_210, 7_272, 0.0081, 2, 0],
  ["tool_results", 7, 2_210, 7_272, 0.0081, 2, 0],
  ["assistant", 8, 2_224, 9_496, 0.0088, 2, 0],
  ["end", 8, 2_224, 9_496, 0.0088, 2, 0],
  ["undo", 4, 2_062, 9_496, 0.0088, 1, 1],
  ["redo", 8, 2_224, 9_496, 0.0088, 2, 0],
  ["compaction", 2, 900, 169_796, 0.4888, 2, 0],
  ["model", 2, 900, 169_796, 0.4888, 2, 0],
  ["user", 3, 900, 169_796, 0.4888, 2, 0],
  ["assistant", 4, 420, 170_216, undefined, 2, 0],
  ["resume", 4, 420, 170_216, undefined, 2, 0],
  ["tool_results", 5, 420, 170_216, undefined, 2, 0],
  ["title", 5, 420, 170_216, undefined, 2, 0],
]

describe("a session of another agent", () => {
  it("is folded record by record to what that agent has", () => {
    let state = initial
    const found = corpus(SESSION).map((record) => {
      assert.deepEqual(inspect(state, record), [])
      state = evolve(state, record)
      const cost = costUsd(state.accounting)
      const { points, redo } = state.undo
      const dollars = cost === undefined ? undefined : Number(cost.toFixed(6))
      const sizes = [messages(state).length, state.contextTokens, usedTokens(state.accounting)]
      return [ownString(record, "type"), ...sizes, dollars, points.length, redo.length]
    })
    assert.deepEqual(
      found,
      EXPECTED.map((row) => [...row]),
    )
  })

  it("has the conversation that its last records say", () => {
    const state = fold(...corpus(SESSION))
    assert.deepEqual(said(state), [
      "Summary: fixed the flaky test in a.ts",
      "Understood.",
      "run it",
      "call call_4",
      "result call_4",
    ])
    assert.equal(state.start?.model, "gpt-5")
    assert.equal(state.title, "Flaky test")
    assert.equal(state.firstPrompt, "Find the flaky test")
    assert.equal(state.turns, 3)
    assert.equal(state.created, "2026-09-23T20:15:00.000Z")
    assert.equal(state.worked, "2026-09-23T20:17:00.000Z")
    assert.isFalse(state.hasMarks)
  })

  it("keeps its totals, which tell nothing of requests, and an answer without a price makes the cost unknown", () => {
    const { accounting } = fold(...corpus(SESSION))
    assert.equal(accounting.unreportedTokens, 0)
    assert.equal(accounting.childDebits.size, 0)
    assert.equal(costText(accounting), "unknown")
    assert.isFalse(isCostIncomplete(accounting))
  })

  it("of a subagent is a session of its own", () => {
    const state = fold(...corpus("20260923-201500-a1b2/explore-call_2.jsonl"))
    assert.deepEqual(said(state), ["find tests", "tests are in test/"])
    assert.equal(usedTokens(state.accounting), 940)
  })

  it("passes over what it does not know and what it cannot use, and keeps counting", () => {
    const records = corpus(SESSION)
    const strangers = [{ t: "x", type: "of the future" }, {}, { type: "__proto__" }, { t: "x", type: "user" }, { type: "redo" }]
    const state = fold(...records.flatMap((record) => [record, ...strangers]))
    const plain = fold(...records)
    assert.deepEqual(messages(state), messages(plain))
    assert.deepEqual({ ...state.accounting, settled: 0 }, { ...plain.accounting, settled: 0 } as never)
    assert.equal(state.count, records.length * 6)
    assert.deepEqual(inspect(plain, { t: "x", type: "user" }), ["unusable-record"])
    assert.deepEqual(inspect(plain, { t: "x", type: "of the future" }), [])
  })
})
