import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { text } from "../../src/ledger/Block.ts"
import type { LedgerCommand } from "../../src/ledger/Command.ts"
import { initial, messages } from "../../src/ledger/State.ts"
import { cleanTitle } from "../../src/ledger/Title.ts"
import { answer, call, decide, fold, Live, prompt, response, results, START, said, say, snapshot, TIME, usage } from "./Live.ts"

const LIMITS = { maxSteps: 50, tokenBudget: 1_000, contextWindow: 200 }

/** What a command writes, as its lines. */
const lines = (live: Live, command: LedgerCommand): ReadonlyArray<string> =>
  live.do(command).map((record) => JSON.stringify(record))

const T = `"t":"${TIME}"`

describe("the records of", () => {
  it("a start, a model and a resume say what the run is about, in the order of the format", () => {
    const command = {
      model: "m1",
      limits: LIMITS,
      root: "/w",
      do: "start",
      version: "0.2",
      sessionId: "s",
      isolation: "i",
      executor: "e",
    } as const
    const live = new Live()
    const [record] = Result.getOrThrow(decide(initial, command))
    const about = `"sessionId":"s","root":"/w","version":"0.2","model":"m1","executor":"e","isolation":"i","limits":${JSON.stringify(LIMITS)}`
    assert.equal(JSON.stringify(record), `{${T},"type":"start",${about},"redactionMarks":true}`)
    const id = `"sessionId":"${START.sessionId}","root":"/w"`
    assert.deepEqual(lines(live, { do: "model", model: "m2" }), [`{${T},"type":"model",${id},"model":"m2"}`])
    assert.deepEqual(lines(live, { do: "model", model: "m2" }), [])
    assert.deepEqual(lines(live, { do: "model", model: "m2", limits: LIMITS }), [
      `{${T},"type":"model",${id},"model":"m2","limits":${JSON.stringify(LIMITS)}}`,
    ])
    assert.deepEqual(lines(live, { do: "resume", version: "0.3" }), [
      `{${T},"type":"resume",${id},"version":"0.3","model":"m2","limits":${JSON.stringify(LIMITS)},"redactionMarks":true}`,
    ])
  })

  it("a prompt have the prompt, then the notes in their tags, then the attachments", () => {
    const [record] = new Live().do({ do: "user", text: "Fix it", notes: ["plan", "hook"], attachments: ["@a.ts\nx"] })
    assert.deepEqual(record, {
      t: TIME,
      type: "user",
      message: {
        role: "user",
        content: [
          { type: "text", text: "Fix it" },
          { type: "text", text: "<garuda_note>plan</garuda_note>" },
          { type: "text", text: "<garuda_note>hook</garuda_note>" },
          { type: "text", text: "@a.ts\nx" },
        ],
      },
    })
  })

  it("everything else have exactly the members of their type, in its order", () => {
    const live = new Live(prompt("one"))
    const said = { content: [], stopReason: "end_turn", usage: usage(1) }
    const shown = JSON.stringify(said)
    assert.deepEqual(lines(live, { costUsd: 1, response: said, step: 2, requestId: "r", do: "assistant" }), [
      `{${T},"type":"assistant","step":2,"response":${shown},"costUsd":1,"requestId":"r"}`,
    ])
    assert.deepEqual(lines(live, { prompt: " a\nb ", durationMs: 3, tree: "T", do: "snapshot" }), [
      `{${T},"type":"snapshot","tree":"T","messages":1,"prompt":"a b","durationMs":3}`,
    ])
    assert.deepEqual(lines(live, { do: "undo", after: "A" }), [`{${T},"type":"undo","after":"A"}`])
    assert.deepEqual(lines(live, { do: "redo" }), [`{${T},"type":"redo"}`])
    assert.deepEqual(lines(live, { do: "title", title: " a\u0007 b " }), [`{${T},"type":"title","title":"a b"}`])
    assert.deepEqual(lines(live, { do: "title", title: "a b" }), [])
    assert.deepEqual(lines(live, { do: "thinking", choice: "high" }), [`{${T},"type":"thinking","choice":"high"}`])
    assert.deepEqual(lines(live, { do: "thinking", choice: "high" }), [])
    assert.deepEqual(lines(live, { do: "continue", maxTokens: 9, text: "go on" }), [
      `{${T},"type":"continue","message":{"role":"user","content":[{"type":"text","text":"go on"}]},"maxTokens":9}`,
    ])
    assert.deepEqual(lines(live, { tokens: 5, requestId: "q", do: "reserve" }), [
      `{${T},"type":"reserve","requestId":"q","tokens":5}`,
    ])
    assert.deepEqual(lines(live, { requestId: "q", tokens: 5, do: "unreported" }), [
      `{${T},"type":"unreported","tokens":5,"requestId":"q"}`,
    ])
    assert.deepEqual(lines(live, { tokens: 5, childSessionId: "c", do: "childDebit" }), [
      `{${T},"type":"child_debit","childSessionId":"c","tokens":5}`,
    ])
    assert.deepEqual(lines(live, { costUsd: 2, usage: usage(3), purpose: "review", do: "sideUsage" }), [
      `{${T},"type":"side_usage","purpose":"review","usage":${JSON.stringify(usage(3))},"costUsd":2}`,
    ])
    assert.deepEqual(lines(live, { steps: 2, stopReason: "done", do: "end" }), [
      `{${T},"type":"end","stopReason":"done","steps":2}`,
    ])
    const compact = { messages: [], afterTokens: 1, beforeTokens: 2, stage: "trim", do: "compact" } as const
    assert.deepEqual(lines(live, compact), [
      `{${T},"type":"compaction","stage":"trim","beforeTokens":2,"afterTokens":1,"messages":[]}`,
    ])
  })

  it("results are one message, in call order, with a kind and a word on failure each", () => {
    const live = new Live(prompt("one"), answer([call("a"), call("b")]))
    const b = { content: "B", type: "text", toolUseId: "b", isError: true }
    const [record] = live.do({
      do: "toolResults",
      results: [b, { toolUseId: "a", content: "A" }],
      calls: ["b", "a"].map((toolUseId) => ({ toolUseId, name: "bash", durationMs: 1 })),
    })
    assert.equal(
      JSON.stringify(record),
      `{${T},"type":"tool_results","message":{"role":"user","content":[${[
        '{"type":"tool_result","toolUseId":"a","content":"A","isError":false}',
        '{"type":"tool_result","content":"B","toolUseId":"b","isError":true}',
      ].join()}]},"calls":[{"toolUseId":"a","name":"bash","durationMs":1},{"toolUseId":"b","name":"bash","durationMs":1}]}`,
    )
  })
})

describe("results that come one by one", () => {
  it("are one message in call order, and the rest is closed behind them", () => {
    const live = new Live(prompt("one"), answer([call("a"), call("b"), call("c")]), results("b"), results("a"))
    assert.deepEqual(said(live.state), ["one", "call a + call b + call c", "result a + result b"])
    live.do(prompt("two"))
    assert.deepEqual(said(live.state), ["one", "call a + call b + call c", "result a + result b + result c", "two"])
  })

  it("leave the state before them as it was", () => {
    const live = new Live(prompt("one"), answer([call("a"), call("b")]), results("b"))
    const before = live.state
    live.do(results("a"))
    assert.deepEqual(said(before), ["one", "call a + call b", "result b"])
  })
})

describe("open calls", () => {
  it("are closed once, with an error each, and forget what was read", () => {
    const live = new Live(prompt("one"), answer([call("a"), call("b")]))
    const [closing, ...rest] = live.do({ do: "closeOpenToolCalls" })
    assert.deepEqual(rest, [])
    assert.deepInclude(closing, { type: "tool_results", synthetic: true })
    assert.deepEqual(closing?.["calls"], [
      { toolUseId: "a", name: "bash", durationMs: 0 },
      { toolUseId: "b", name: "bash", durationMs: 0 },
    ])
    assert.equal(
      messages(live.state)
        .at(-1)
        ?.content.filter(({ isError }) => isError === true).length,
      2,
    )
    assert.equal(live.state.readsForgotten, 1)
    assert.deepEqual(live.do({ do: "closeOpenToolCalls" }), [])
    assert.equal(live.state.readsForgotten, 1)
  })

  it("are closed before any words", () => {
    const words: ReadonlyArray<LedgerCommand> = [
      prompt("two"),
      say("two"),
      snapshot("two"),
      { do: "continue", text: "two", maxTokens: 1 },
    ]
    for (const command of words) {
      const written = new Live(prompt("one"), answer([call("a")])).do(command)
      assert.equal(written[0]?.["synthetic"], true, command.do)
      assert.lengthOf(written, 2)
    }
  })

  it("that share an id are one", () => {
    const live = new Live(answer([call("a"), call("a")]))
    live.do({ do: "closeOpenToolCalls" })
    assert.deepEqual(said(live.state), ["call a + call a", "result a"])
  })
})

describe("what was read is forgotten", () => {
  it("by a compaction, an undo and a redo, and by nothing that changes nothing", () => {
    const live = new Live(snapshot("1"), prompt("one"))
    const forgotten = (command: LedgerCommand): number => {
      live.do(command)
      return live.state.readsForgotten
    }
    assert.equal(forgotten({ do: "redo" }), 0)
    assert.equal(forgotten({ do: "undo", after: "A" }), 1)
    assert.equal(forgotten({ do: "undo", after: "A" }), 1)
    assert.equal(forgotten({ do: "redo" }), 2)
    assert.equal(forgotten({ do: "model", model: "m2" }), 2)
    assert.equal(forgotten({ do: "compact", stage: "trim", beforeTokens: 1, afterTokens: 1, messages: [] }), 3)
    assert.equal(fold({ t: TIME, type: "undo", after: "A" }).readsForgotten, 0)
  })
})

describe("a command is refused", () => {
  const live = new Live(prompt("one"), answer([call("a")]))

  it("before the start, and a second start", () => {
    for (const command of [prompt("x"), { do: "resume" }, { do: "title", title: "x" }] as const) {
      const found = decide(initial, command)
      assert.isTrue(Result.isFailure(found) && found.failure.code === "ledger.not_started")
    }
    assert.equal(live.refused(START), "ledger.already_started")
  })

  it("in a file without a start record, unless a resume says what it is about", () => {
    const headless = new Live()
    headless.state = fold({ t: TIME, type: "user", message: { role: "user", content: [text("one")] } })
    assert.equal(headless.refused({ do: "resume" }), "ledger.not_started")
    assert.equal(headless.refused({ do: "resume", sessionId: "s", root: "/w" }), "ledger.not_started")
    assert.equal(headless.refused({ do: "model", model: "m2" }), "ledger.not_started")
    headless.do({ do: "resume", sessionId: "s", root: "/w", model: "m1" })
    assert.deepInclude(headless.state.start, { sessionId: "s", root: "/w", model: "m1" })
    assert.deepEqual(said(headless.state), ["one"])
  })

  it("in another directory than the session's", () => {
    assert.equal(live.refused({ do: "resume", root: "/elsewhere" }), "ledger.root_mismatch")
    assert.equal(live.refused({ do: "resume", root: "/w" }), "not refused")
  })

  it("when it gives results that nobody waits for, or one twice", () => {
    assert.equal(live.refused(results("b")), "ledger.unknown_call")
    assert.equal(live.refused(results("a", "a")), "ledger.unknown_call")
    assert.equal(live.refused(results("a")), "not refused")
  })

  it("with the first field that is wrong", () => {
    const field = (command: unknown): unknown => {
      const found = decide(live.state, command)
      return Result.isFailure(found) && found.failure._tag === "InvalidCommand"
        ? `${found.failure.field}: ${found.failure.expected}`
        : found
    }
    assert.match(String(field({ do: "nothing" })), /^do: must be one of start, resume, /)
    assert.equal(field({ do: "user", text: " \n" }), "text: must not be blank")
    assert.equal(field({ do: "continue", text: "", maxTokens: 1 }), "text: must not be blank")
    assert.equal(field({ do: "user", text: "x", more: 1 }), "more: is not a field of user")
    assert.equal(field({ do: "user", text: "x", notes: [1] }), "notes: must be a list of strings")
    assert.equal(field({ do: "toolResults", results: [], calls: [] }), "results: must not be empty")
    assert.equal(
      field({ do: "toolResults", results: [{ toolUseId: "a" }], calls: [] }),
      "results[0]: must have the strings toolUseId and content",
    )
    assert.equal(field({ do: "title", title: "\u0000 " }), "title: must not be empty")
    assert.equal(field({ do: "model", model: "" }), "model: must not be empty")
    assert.equal(field({ do: "reserve", requestId: "", tokens: 1 }), "requestId: must not be empty")
    assert.equal(field({ do: "reserve", requestId: "r", tokens: -1 }), "tokens: must be a number of at least 0")
    assert.equal(
      field({ ...say("x"), response: { ...response([]), usage: {} } }),
      "response.usage.inputTokens: must be a number of at least 0",
    )
  })
})

describe("a title", () => {
  it("is one line of 60 units without control characters, and the last one wins", () => {
    assert.equal(cleanTitle(" a\n\u0007b\u0085 c "), "a b c")
    assert.equal(cleanTitle("x".repeat(60)), "x".repeat(60))
    assert.equal(cleanTitle("x".repeat(61)), `${"x".repeat(59)}…`)
    assert.equal(cleanTitle(`${"x".repeat(58)}🌿🌿`), `${"x".repeat(58)}…`)
    const live = new Live({ do: "title", title: "one" }, { do: "title", title: "two" })
    assert.equal(live.state.title, "two")
  })

  it("is no work: it leaves the time of the session", () => {
    const live = new Live()
    const later = "2027-01-01T00:00:00.000Z"
    assert.equal(fold(...live.records, { t: later, type: "title", title: "x" }).worked, TIME)
    assert.equal(fold(...live.records, { t: later, type: "end", stopReason: "done", steps: 1 }).worked, later)
  })
})
