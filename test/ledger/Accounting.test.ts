import { assert, describe, it } from "vitest"
import {
  addUsage,
  budgetNote,
  costText,
  costUsd,
  isCostIncomplete,
  nothingSpent,
  noUsage,
  priceOf,
  reservedTokens,
  totalTokens,
  usedTokens,
} from "../../src/ledger/Accounting.ts"
import { text } from "../../src/ledger/Block.ts"
import type { LedgerCommand } from "../../src/ledger/Command.ts"
import { inspect } from "../../src/ledger/Evolution.ts"
import type { SubagentReport } from "../../src/ledger/Record.ts"
import { answer, call, fold, Live, prompt, reloaded, response, resumed, said, TIME, usage } from "./Live.ts"

const reserve = (requestId: string, tokens: number): LedgerCommand => ({ do: "reserve", requestId, tokens })

const answered = (
  requestId: string,
  tokens: number,
  more: { costUsd?: number; usageReported?: boolean } = {},
): LedgerCommand => ({
  do: "assistant",
  step: 1,
  response: response([text(requestId)], tokens, more.usageReported === undefined ? {} : { usageReported: more.usageReported }),
  requestId,
  ...(more.costUsd === undefined ? {} : { costUsd: more.costUsd }),
})

const reporting = (subagent: SubagentReport): LedgerCommand => ({
  do: "toolResults",
  results: [{ toolUseId: "c1", content: "found" }],
  calls: [{ toolUseId: "c1", name: "explore", durationMs: 1, subagent }],
})

const debit = (tokens: number, requestId?: string): LedgerCommand => ({
  do: "childDebit",
  childSessionId: "explore-c1",
  tokens,
  ...(requestId === undefined ? {} : { requestId }),
})

const types = (records: ReadonlyArray<{ readonly type?: unknown }>) => records.map(({ type }) => type)

describe("a request", () => {
  it("that fails behind its reservation uses the whole of it, and the cost stays a number, as a minimum", () => {
    const live = new Live(reserve("r0", 10), answered("r0", 70, { costUsd: 0.5 }), reserve("r1", 400))
    assert.equal(usedTokens(live.state.accounting), 70)
    assert.equal(reservedTokens(live.state.accounting), 400)
    live.do({ do: "unreported", tokens: 400, requestId: "r1" })
    for (const { accounting } of [live.state, reloaded(live.records)]) {
      assert.equal(usedTokens(accounting), 470)
      assert.equal(costUsd(accounting), 0.5)
      assert.isTrue(isCostIncomplete(accounting))
      assert.equal(costText(accounting), "≥ $0.5000 (incomplete)")
      assert.equal(reservedTokens(accounting), 0)
    }
  })

  it("that succeeds without usage counts its reservation once, and its estimate sizes the context only", () => {
    const live = new Live(reserve("r1", 400))
    assert.deepEqual(types(live.do(answered("r1", 90, { usageReported: false }))), ["assistant", "unreported"])
    assert.equal(live.state.contextTokens, 90)
    assert.equal(usedTokens(live.state.accounting), 400)
    assert.equal(totalTokens(live.state.accounting.usage), 0)
    assert.equal(costUsd(live.state.accounting), 0)
    assert.isTrue(isCostIncomplete(live.state.accounting))
    assert.deepEqual(live.do({ do: "unreported", tokens: 400, requestId: "r1" }), [])
  })

  it("of a summary or of a review that reports no usage counts its reservation too", () => {
    const summary = { ...response([text("s")], 50), usageReported: false }
    const compact = { do: "compact", stage: "summary", beforeTokens: 1, afterTokens: 1, messages: [] } as const
    const live = new Live(reserve("r1", 300), reserve("r2", 40))
    assert.deepEqual(types(live.do({ ...compact, summary, requestId: "r1" })), ["compaction", "unreported"])
    const side = { do: "sideUsage", purpose: "review", usage: usage(5), usageReported: false, requestId: "r2" } as const
    assert.deepEqual(types(live.do(side)), ["side_usage", "unreported"])
    assert.equal(usedTokens(live.state.accounting), 340)
  })

  it("is charged once and answered once, told twice or read twice", () => {
    const live = new Live(reserve("r1", 400), answered("r1", 70, { costUsd: 0.5 }))
    assert.deepEqual(live.do(answered("r1", 70)), [])
    assert.deepEqual(live.do(reserve("r1", 400)), [])
    assert.deepEqual(live.do({ do: "unreported", tokens: 400, requestId: "r1" }), [])
    const twice = fold(...live.records.flatMap((record) => [record, record]))
    assert.equal(usedTokens(twice.accounting), 70)
    assert.deepEqual(said(twice), ["r1"])
    assert.deepEqual(inspect(twice, live.records.at(-1) ?? {}), ["duplicate-record"])
  })

  it("whose reservation was charged already still has its summary, once", () => {
    const messages = [{ role: "user" as const, content: [text("summary")] }]
    const compact = { do: "compact", stage: "summary", beforeTokens: 1, afterTokens: 1, messages } as const
    const live = new Live(prompt("long"), reserve("r1", 400), { do: "unreported", tokens: 400, requestId: "r1" })
    const [compaction = {}] = live.do({ ...compact, summary: response([], 50), requestId: "r1" })
    assert.deepEqual(said(live.state), ["summary"])
    assert.equal(usedTokens(live.state.accounting), 400)
    live.do(prompt("and on"))
    assert.deepEqual(live.do({ ...compact, requestId: "r1" }), [])
    assert.deepEqual(said(fold(...live.records, compaction)), ["summary", "and on"])
  })

  it("that a crash cut off is charged by the next process, once", () => {
    const live = new Live(reserve("r1", 400), answered("r1", 70), reserve("r2", 30))
    const records = live.do({ do: "resume" })
    assert.deepEqual(types(records), ["resume", "unreported"])
    assert.equal(usedTokens(live.state.accounting), 100)
    const cutAgain = resumed(fold(...live.records.slice(0, -1)))
    assert.equal(usedTokens(cutAgain.accounting), 100)
    assert.deepEqual(types(live.do({ do: "resume" })), ["resume"])
  })
})

describe("a subagent", () => {
  const report = (tokens: number, more: Partial<SubagentReport> = {}): SubagentReport => ({
    sessionId: "explore-c1",
    usage: usage(tokens),
    costUsd: 0.25,
    ...more,
  })

  it("that is cancelled leaves its debit, which survives a replay and makes the cost a minimum", () => {
    const live = new Live(answer([call("c1")]), debit(300, "d1"), debit(50, "d2"), { do: "closeOpenToolCalls" })
    const { accounting } = reloaded(live.records)
    assert.equal(usedTokens(accounting), 350)
    assert.equal(costText(accounting), "≥ $0.00 (incomplete)")
    assert.equal(budgetNote(accounting), "The budget also counts 350 tokens of subagents that have not reported yet.")
  })

  it("that reports a part takes that part from its debit", () => {
    const live = new Live(answer([call("c1")]), debit(300, "d1"), debit(50, "d2"), reporting(report(100)))
    assert.deepEqual([...live.state.accounting.childDebits], [["explore-c1", 250]])
    assert.equal(usedTokens(live.state.accounting), 350)
    assert.equal(costUsd(live.state.accounting), 0.25)
  })

  it("that reports all of it, or more, leaves no debit, and its spending counts once", () => {
    for (const tokens of [350, 400]) {
      const live = new Live(answer([call("c1")]), debit(300), debit(50), reporting(report(tokens)))
      assert.equal(live.state.accounting.childDebits.size, 0)
      assert.equal(usedTokens(live.state.accounting), tokens)
      assert.isFalse(isCostIncomplete(live.state.accounting))
    }
  })

  it("has its debits and its reports charged once when they name their request", () => {
    const live = new Live(answer([call("c1")]), debit(300, "d1"))
    assert.deepEqual(live.do(debit(300, "d1")), [])
    const [debited = {}] = live.records.slice(-1)
    live.do(reporting(report(100, { requestId: "p1" })))
    const twice = fold(...live.records, debited, live.records.at(-1) ?? {})
    assert.equal(usedTokens(twice.accounting), 300)
  })

  it("carries to its parent that its cost is a minimum", () => {
    const live = new Live(answer([call("c1")]), reporting(report(10, { costIncomplete: true })))
    assert.equal(costText(live.state.accounting), "≥ $0.2500 (incomplete)")
  })

  it("may be called like something that every object has", () => {
    const live = new Live({ ...debit(7), childSessionId: "__proto__" } as LedgerCommand)
    assert.deepEqual([...live.state.accounting.childDebits], [["__proto__", 7]])
    assert.equal(usedTokens(reloaded(live.records).accounting), 7)
  })
})

describe("side usage", () => {
  it("counts in tokens and cost, and after a resume", () => {
    const live = new Live({ do: "sideUsage", purpose: "review", usage: usage(120), costUsd: 0.5 })
    const { accounting } = resumed(reloaded(live.records))
    assert.equal(usedTokens(accounting), 120)
    assert.equal(costText(accounting), "$0.5000")
    assert.deepEqual(said(live.state), [])
  })
})

describe("the cost", () => {
  it("is unknown for good once a price is missing, and for nothing else", () => {
    const live = new Live(answered("r1", 1, { costUsd: 1.5 }))
    assert.equal(costText(live.state.accounting), "$1.50")
    live.do(answered("r2", 1))
    live.do(answered("r3", 1, { costUsd: 1 }))
    assert.equal(costText(live.state.accounting), "unknown")
    assert.isUndefined(costUsd(live.state.accounting))
    assert.equal(costText(nothingSpent), "$0.00")
  })

  it("is made of four kinds of tokens, and of searches, which no batch makes cheaper", () => {
    const all = { inputTokens: 1e6, outputTokens: 1e6, cacheReadTokens: 1e6, cacheWriteTokens: 1e6, webSearches: 3 }
    const prices = { input: 1, output: 2, cacheRead: 4, cacheWrite: 8 }
    assert.closeTo(priceOf(all, prices), 15.03, 1e-9)
    assert.closeTo(priceOf(all, prices, 0.5), 7.53, 1e-9)
    assert.equal(totalTokens(all), 4e6)
    assert.deepEqual(addUsage(all, all).webSearches, 6)
    assert.notProperty(addUsage(noUsage, noUsage), "webSearches")
  })
})

describe("figures that are none", () => {
  const spoilt = [-1, Number.POSITIVE_INFINITY, Number.NaN, "1"]

  it("are refused in commands", () => {
    const live = new Live()
    for (const tokens of spoilt) {
      assert.equal(live.refused({ do: "reserve", requestId: "r", tokens }), "ledger.invalid_command")
      assert.equal(live.refused({ do: "childDebit", childSessionId: "c", tokens }), "ledger.invalid_command")
      assert.equal(live.refused({ ...answered("r", 1), costUsd: tokens }), "ledger.invalid_command")
      assert.equal(
        live.refused({ ...answered("r", 1), response: { ...response([]), usage: { ...noUsage, outputTokens: tokens } } }),
        "ledger.invalid_command",
      )
    }
  })

  it("make a record of a file unusable, also those that only a parser makes", () => {
    const unreported = JSON.parse(`{"t":"${TIME}","type":"unreported","tokens":1e999}`)
    const state = fold(unreported, { t: TIME, type: "unreported", tokens: -5 }, { t: TIME, type: "unreported", tokens: 5 })
    assert.equal(usedTokens(state.accounting), 5)
    assert.deepEqual(inspect(state, unreported), ["unusable-record"])
  })
})

describe("the note on the budget", () => {
  it("names what the reported usage does not have", () => {
    assert.isUndefined(budgetNote(nothingSpent))
    const live = new Live({ do: "unreported", tokens: 9 }, debit(4))
    const wanted = "9 tokens reserved by requests that reported no usage and 4 tokens of subagents that have not reported yet"
    assert.equal(budgetNote(live.state.accounting), `The budget also counts ${wanted}.`)
  })
})
