import { assert, describe, it } from "vitest"
import { LiveLedger, response, say } from "../../laws/arbitraries/ledgerRuns.ts"
import { ledgerModel } from "../../src/ledger/LedgerModel.ts"
import { initial } from "../../src/ledger/State.ts"
import { recordCounts, summarise } from "../../src/ledger/Summary.ts"
import { replay } from "../../src/model/Model.ts"
import { corpus, SESSION } from "./Corpus.ts"

const LIMITS = { maxSteps: 50, tokenBudget: 1e6, contextWindow: 200_000 }

const prompted = (...prompts: ReadonlyArray<string>): LiveLedger => {
  const live = new LiveLedger(LIMITS)
  for (const text of prompts) live.do({ do: "user", text })
  return live
}

describe("the summary of a session", () => {
  it("of another agent has its title, its turns, its model, its times and what it spent", () => {
    const summary = summarise(replay(ledgerModel, corpus(SESSION)))
    assert.deepInclude(summary, {
      id: "20260923-201500-a1b2",
      root: "/home/dev/project",
      title: "Flaky test",
      turns: 3,
      messages: 5,
      model: "gpt-5",
      created: "2026-09-23T20:15:00.000Z",
      worked: "2026-09-23T20:17:00.000Z",
      // One answer has no price: then nobody knows the cost.
      costUsd: undefined,
      costText: "unknown",
      costIncomplete: false,
      openCalls: [],
      undoable: 2,
      redoable: 0,
    })
    assert.deepEqual(summary.usage, { inputTokens: 162_640, outputTokens: 466, cacheReadTokens: 6_300, cacheWriteTokens: 810 })
    assert.equal(summary.usedTokens, 170_216)
  })

  it("of nothing is empty", () => {
    const summary = summarise(initial)
    assert.deepInclude(summary, { title: "", turns: 0, messages: 0, model: undefined, created: undefined, costText: "$0.00" })
  })

  it("takes the first line of the first prompt for a title, 60 units of it", () => {
    assert.equal(summarise(prompted("  fix it \r\nplease", "more").state).title, "fix it")
    const long = summarise(prompted("word ".repeat(20)).state).title
    assert.isAtMost(long.length, 60)
    assert.match(long, /^word word .*…$/)
    assert.equal(summarise(prompted().state).title, "")
  })

  it("takes the last title that was given, and a title is no work", () => {
    const live = prompted("fix it")
    const { worked } = summarise(live.state)
    live.do({ do: "title", title: "one" })
    live.do({ do: "title", title: " two\n" })
    assert.deepInclude(summarise(live.state), { title: "two", worked })
  })

  it("counts prompts, undone ones too, and not the note behind an answer that was cut off", () => {
    const live = prompted()
    live.do({ do: "snapshot", tree: "t", prompt: "p", durationMs: 1 })
    live.do({ do: "user", text: "p" })
    live.do({ do: "assistant", step: 1, response: response([say("half")], "max_tokens"), costUsd: 0.1 })
    live.do({ do: "continue", text: "go on", maxTokens: 32_000 })
    live.do({ do: "undo", after: "u" })
    assert.deepInclude(summarise(live.state), { turns: 1, messages: 0, undoable: 0, redoable: 1, costUsd: 0.1 })
  })

  it("names the calls that have no result yet, and says that a cost is a minimum", () => {
    const live = prompted("p")
    const calls = ["a", "b"].map((id) => ({ type: "tool_use", id, name: `tool ${id}`, input: {} }))
    live.do({ do: "assistant", step: 1, response: response(calls, "tool_use"), costUsd: 2 })
    live.do({ do: "toolResults", results: [{ toolUseId: "b", content: "" }], calls: [] })
    live.do({ do: "unreported", tokens: 100 })
    const summary = summarise(live.state)
    assert.deepEqual(summary.openCalls, [{ toolUseId: "a", name: "tool a" }])
    assert.deepInclude(summary, { costUsd: 2, costIncomplete: true, costText: "≥ $2.00 (incomplete)", usedTokens: 100 })
  })
})

describe("the counts of records", () => {
  it("are by type, in the order in which the types appear", () => {
    const counts = recordCounts(corpus(SESSION))
    assert.deepEqual([...counts].slice(0, 4), [
      ["start", 1],
      ["snapshot", 2],
      ["user", 3],
      ["assistant", 5],
    ])
    assert.equal(counts.get("tool_results"), 3)
    assert.deepEqual(
      [...recordCounts([{ type: "new" }, { t: "" }, { type: 3 }])],
      [
        ["new", 1],
        ["", 2],
      ],
    )
  })
})
