import { assert, describe, it } from "vitest"
import { LiveLedger, response, say } from "../../laws/arbitraries/ledgerRuns.ts"
import type { Block } from "../../src/ledger/Block.ts"
import { due, split, summaryPlan, summaryRequest, trim, trimPlan } from "../../src/ledger/CompactionPlan.ts"
import { ledgerModel } from "../../src/ledger/LedgerModel.ts"
import type { Message } from "../../src/ledger/Record.ts"
import { messages } from "../../src/ledger/State.ts"
import { replay } from "../../src/model/Model.ts"

const WINDOW = 200_000
const LIMITS = { maxSteps: 50, tokenBudget: 1e9, contextWindow: WINDOW }

/** A session of so many steps, each with one result, and a context of so many tokens. */
const session = (steps: number, contextTokens: number, result = "line\n".repeat(1_000)): LiveLedger => {
  const live = new LiveLedger(LIMITS)
  live.do({ do: "user", text: "Find the bug" })
  for (let n = 1; n <= steps; n++) {
    const content: ReadonlyArray<Block> = [
      { type: "thinking", text: "a thought", wire: { type: "thinking" } },
      say(`step ${n}`),
      { type: "tool_use", id: `c${n}`, name: "read", input: { path: `f${n}` } },
    ]
    live.do({ do: "assistant", step: n, response: response(content, "tool_use", contextTokens), costUsd: 0 })
    live.do({ do: "toolResults", results: [{ toolUseId: `c${n}`, content: result }], calls: [] })
  }
  return live
}

const contentOf = (message: Message | undefined): string => String(message?.content[0]?.["content"])

describe("a compaction", () => {
  it("is due above 80 % of the context window, and not at it", () => {
    const at = (tokens: number): boolean => due({ ...session(0, 0).state, contextTokens: tokens }, WINDOW)
    assert.deepEqual([158_000, 160_000, 160_001].map(at), [false, false, true])
  })

  it("splits before the fourth answer from the end, and not where nothing stands before it", () => {
    assert.equal(split(messages(session(6, 0).state)), 5)
    assert.equal(split(messages(session(4, 0).state)), 1)
    assert.isUndefined(split(messages(session(3, 0).state)))
    assert.isUndefined(split(messages(session(4, 0).state).slice(1)))
    assert.equal(split(messages(session(4, 0).state), 1), 7)
  })
})

describe("trimming", () => {
  it("cuts old results, keeps the newest four whole, and needs no model", () => {
    const live = session(6, 120_000)
    const before = messages(live.state)
    const plan = trimPlan(live.state, WINDOW)
    assert.equal(plan?.stage, "trim")
    assert.isUndefined(plan?.summary)
    const after = plan?.messages ?? []
    assert.deepEqual(
      after.map((message, at) => message === before[at]),
      [true, true, false, true, false, ...Array(8).fill(true)],
    )
    assert.equal(contentOf(after[2]), `${"line\n".repeat(40)}\n[The rest was left out: this result had 5000 characters.]`)
    const saved = JSON.stringify(before).length - JSON.stringify(after).length
    assert.equal(plan?.afterTokens, 120_000 - Math.ceil(saved / 4))
  })

  it("leaves results of 1,000 characters alone, and never ends in half a character", () => {
    const of = (text: string): string =>
      contentOf(trim([{ role: "user", content: [{ type: "tool_result", toolUseId: "c", content: text, isError: false }] }], 1)[0])
    assert.equal(of("x".repeat(1_000)), "x".repeat(1_000))
    assert.isTrue(of(`${"x ".repeat(99)}x🌿${"y".repeat(900)}`).isWellFormed())
  })

  it("keeps no part of a secret: its host takes it out first, or the word at the cut goes", () => {
    const key = "k3Zq8".repeat(8)
    const result = { type: "tool_result", toolUseId: "c", content: `${"x ".repeat(95)}${key}${" y".repeat(900)}`, isError: false }
    const given: ReadonlyArray<Message> = [{ role: "user", content: [result] }]
    assert.notInclude(contentOf(trim(given, 1)[0]), "k3Zq8")
    const cleaned = contentOf(trim(given, 1, (text) => text.replace(key, "[REDACTED:registered]"))[0])
    assert.isTrue(cleaned.startsWith(`${"x ".repeat(95)}[REDACTED:`))
    assert.notInclude(cleaned, "k3Zq8")
  })

  it("is not worth it when nothing was long, or when more than 60 % of the window stay", () => {
    assert.isUndefined(trimPlan(session(6, 1_000, "short").state, WINDOW))
    assert.isUndefined(trimPlan(session(6, 190_000).state, WINDOW))
    assert.isUndefined(trimPlan(session(3, 1_000).state, WINDOW))
  })

  it("turns old searches into text, and leaves newer messages as they are", () => {
    const search: ReadonlyArray<Block> = [
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" }, wire: {} },
      {
        type: "server_tool_result",
        toolUseId: "s",
        name: "web_search",
        results: [{ title: "A page", url: "https://example.com/a" }],
        wire: { content: [{ encrypted_content: "e".repeat(500) }] },
      },
    ]
    const given: ReadonlyArray<Message> = [
      { role: "assistant", content: search },
      { role: "assistant", content: [{ ...search[0], wire: "w".repeat(100) }] },
      { role: "assistant", content: search },
    ]
    const after = trim(given, 2)
    const text = String(after[0]?.content[0]?.["text"])
    assert.include(text, "A page")
    assert.include(text, "https://example.com/a")
    assert.notInclude(JSON.stringify(after[0]), "encrypted_content")
    assert.isAbove(after[1]?.content.length ?? 0, 0)
    assert.strictEqual(after[2], given[2])
  })
})

describe("thinking", () => {
  it("stays in the answers that are kept, or goes from the first change on when the host says so", () => {
    const has = (list: ReadonlyArray<Message> | undefined): ReadonlyArray<boolean> =>
      (list ?? [])
        .filter(({ role }) => role === "assistant")
        .map(({ content }) => content.some(({ type }) => type === "thinking"))
    const { state } = session(6, 120_000)
    assert.deepEqual(has(trimPlan(state, WINDOW)?.messages), Array(6).fill(true))
    assert.deepEqual(has(trimPlan(state, WINDOW, { dropThinking: true })?.messages), [true, ...Array(5).fill(false)])
    const said = response([say("short")])
    assert.deepEqual(has(summaryPlan(state, said)?.messages), Array(4).fill(true))
    assert.deepEqual(has(summaryPlan(state, said, { dropThinking: true })?.messages), Array(4).fill(false))
  })
})

describe("a summary", () => {
  it("is asked for without thinking, with results cut at 2,000 and with what the user wants it to be about", () => {
    const before = messages(session(6, 0).state)
    const { prompt, system, maxTokens } = summaryRequest(before, 5, " the parser ")
    assert.include(prompt, "User: Find the bug")
    assert.include(prompt, 'Agent calls read: {"path":"f2"}')
    assert.include(prompt, `Result: ${"line\n".repeat(400)}\n[… 3000 more characters]`)
    assert.include(prompt, "pay most attention to this: the parser")
    assert.notInclude(prompt, "a thought")
    assert.notInclude(prompt, "step 3")
    assert.isAbove(system.length, 100)
    assert.equal(maxTokens, 4_096)
    assert.notInclude(summaryRequest(before, 5).prompt, "attention")
  })

  it("stands for the older part: its usage and its cost count once, and the context has the planned size", () => {
    const live = session(6, 190_000)
    const used = response([say("It was a race.")], "end_turn", 1_000)
    const plan = summaryPlan(live.state, used, { costUsd: 0.5, requestId: "r1" })
    if (plan === undefined) throw new Error("there is no plan")
    const { usage, cost } = live.state.accounting
    live.do({ do: "compact", ...plan })
    live.do({ do: "compact", ...plan })
    assert.equal(live.state.accounting.usage.inputTokens, usage.inputTokens + 1_000)
    assert.equal(live.state.accounting.cost.knownUsd, cost.knownUsd + 0.5)
    assert.equal(live.state.contextTokens, plan.afterTokens)
    const [opening, ...kept] = messages(live.state)
    assert.equal(opening?.role, "user")
    const text = String(opening?.content[0]?.["text"])
    assert.include(text, "It was a race.")
    assert.include(text, "first request: Find the bug")
    assert.equal(kept.filter(({ role }) => role === "assistant").length, 4)
    assert.deepEqual(messages(replay(ledgerModel, live.records)), messages(live.state))
  })

  it("does not quote an earlier summary as the first request", () => {
    const live = session(6, 0)
    const again = (): ReturnType<typeof summaryPlan> => summaryPlan(live.state, response([say("Second.")]), { keepSteps: 1 })
    const first = summaryPlan(live.state, response([say("First.")]))
    if (first === undefined) throw new Error("there is no plan")
    live.do({ do: "compact", ...first })
    const text = String(again()?.messages[0]?.content[0]?.["text"])
    assert.include(text, "Second.")
    assert.notInclude(text, "first request")
  })

  it("is none when there is too little, when the model says nothing, or when it is longer than what it stands for", () => {
    const said = (text: string) => response([say(text)])
    assert.isUndefined(summaryPlan(session(3, 0).state, said("s")))
    assert.isUndefined(summaryPlan(session(6, 0).state, said("  ")))
    assert.isUndefined(summaryPlan(session(6, 0).state, response([])))
    assert.isUndefined(summaryPlan(session(6, 0, "").state, said("s".repeat(5_000))))
  })
})
