import { assert, describe, it } from "vitest"
import { type Block, text, wireOf, withoutThinking } from "../../src/ledger/Block.ts"
import { repaired } from "../../src/ledger/Repair.ts"
import { type LedgerState, messages } from "../../src/ledger/State.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import {
  answer,
  call,
  fold,
  Live,
  prompt,
  reloaded,
  results,
  resumed,
  SECRET,
  said,
  say,
  signature,
  snapshot,
  TIME,
  thinking,
} from "./Live.ts"

const thoughts = (state: LedgerState): ReadonlyArray<Block> =>
  messages(state).flatMap(({ content }) => content.filter(({ type }) => type === "thinking"))

const sealed: Block = { type: "thinking", text: "", wire: { type: "redacted_thinking", data: signature("sealed") } }

const record = (type: string, role: string, ...content: ReadonlyArray<JsonObject>): JsonObject =>
  type === "assistant"
    ? {
        t: TIME,
        type,
        step: 1,
        response: {
          content,
          stopReason: "end_turn",
          usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
        },
      }
    : { t: TIME, type, message: { role, content }, ...(type === "tool_results" ? { calls: [] } : {}) }

const start = { t: TIME, type: "start", sessionId: "s", root: "/w", model: "m1" }

const result = (toolUseId: string, content = "ok"): JsonObject => ({ type: "tool_result", toolUseId, content, isError: false })

const kinds = (state: LedgerState, isOtherModel = false) => repaired(state, isOtherModel).repairs

describe("a resume", () => {
  it("brings back messages, usage, cost and size, writes its record, and goes on behind it", () => {
    const live = new Live(prompt("one"), answer([text("did one")], 70), { do: "thinking", choice: "high" })
    const state = resumed(reloaded(live.records))
    assert.deepEqual(said(state), ["one", "did one"])
    assert.deepInclude(state, { contextTokens: 70, thinking: "high", turns: 1, hasMarks: true })
    assert.equal(state.accounting.usage.inputTokens, 70)
    assert.equal(state.count, live.records.length + 1)
  })

  it("closes what is open behind its own record, and says who is asked now", () => {
    const live = new Live(prompt("one"), answer([call("a")]))
    const written = live.do({ do: "resume", model: "m2" })
    assert.deepEqual(
      written.map(({ type }) => type),
      ["resume", "tool_results"],
    )
    assert.equal(live.state.start?.model, "m2")
    assert.deepEqual(said(live.state), ["one", "call a", "result a"])
  })

  it("behind a switch of the model equals the live conversation without thinking", () => {
    const live = new Live(prompt("one"), answer([thinking("t"), text("did one")]), { do: "model", model: "m2" }, prompt("two"))
    assert.deepEqual(messages(resumed(reloaded(live.records))), messages(live.state))
    assert.deepEqual(said(live.state), ["one", "did one", "two"])
  })
})

describe("thinking", () => {
  it("stays byte for byte before a redaction, and goes from there on", () => {
    const live = new Live(
      prompt("one"),
      answer([thinking("first"), sealed, call("a")]),
      { do: "toolResults", results: [{ toolUseId: "a", content: `the key is ${SECRET}` }], calls: [] },
      answer([thinking("second"), text("found it")]),
    )
    const state = resumed(reloaded(live.records))
    assert.deepEqual(thoughts(state), [thinking("first"), sealed])
    assert.deepEqual(said(state), ["one", "thinking + thinking + call a", "result a", "found it"])
    assert.deepEqual(kinds(reloaded(live.records)), [{ kind: "thinking-after-redaction", count: 1 }])
  })

  it("in which a secret stood goes, with what was thought later", () => {
    const live = new Live(prompt("one"), answer([thinking(`hm, ${SECRET}`), text("a")]), answer([thinking("later"), text("b")]))
    assert.deepEqual(said(resumed(reloaded(live.records))), ["one", "a", "b"])
  })

  it("stays when a conversation only speaks of markers, and the file says what redaction did", () => {
    const live = new Live(prompt("what is [REDACTED:password]?"), answer([thinking("[REDACTED]"), text("a marker")]))
    assert.lengthOf(thoughts(resumed(reloaded(live.records))), 1)
    assert.lengthOf(thoughts(resumed(reloaded(live.records, false))), 0)
  })

  it("in files without marks is judged by the marker's text", () => {
    const live = new Live(
      prompt("one"),
      answer([thinking("first"), text("a")]),
      prompt(`use ${SECRET}`),
      answer([thinking("second"), text("b")]),
    )
    assert.deepEqual(thoughts(resumed(reloaded(live.records, false))), [thinking("first")])
  })

  it("stays when the redacted words went with another model's thinking", () => {
    const live = new Live(prompt("one"), answer([thinking(`hm, ${SECRET}`), text("a")]), { do: "model", model: "m2" })
    live.do(answer([thinking("of the new one"), text("b")]))
    assert.deepEqual(thoughts(resumed(reloaded(live.records))), [thinking("of the new one")])
  })

  it("of another model goes altogether, and with it a message that was nothing else", () => {
    const live = new Live(prompt("one"), answer([thinking("first")]), prompt("two"), answer([sealed, text("did two")]))
    assert.deepEqual(said(resumed(live.state)), ["one", "thinking", "two", "thinking + did two"])
    assert.deepEqual(said(resumed(live.state, { do: "resume", model: "m2" })), ["one", "two", "did two"])
    assert.deepEqual(kinds(live.state, true), [
      { kind: "thinking-of-another-model", count: 2 },
      { kind: "empty-message", count: 1 },
    ])
  })

  it("of a turn that can be redone goes with it", () => {
    const live = new Live(snapshot("1"), prompt(`one ${SECRET}`), answer([thinking("t"), text("did one")]), {
      do: "undo",
      after: "A",
    })
    const state = resumed(reloaded(live.records))
    assert.deepEqual(state.undo.redo.at(-1)?.removed.at(-1)?.message.content, [text("did one")])
  })

  it("behind what a compaction kept of a redacted message still goes", () => {
    const live = new Live(prompt(`one ${SECRET} and more`), say("a"))
    live.state = resumed(reloaded(live.records))
    const kept = messages(live.state)[0]?.content[0]?.["text"]
    live.do({
      do: "compact",
      stage: "trim",
      beforeTokens: 9,
      afterTokens: 5,
      messages: [{ role: "user", content: [text(`${String(kept).slice(0, 26)} (cut)`)] }],
    })
    live.do(answer([thinking("t"), text("b")]))
    assert.include(String(said(live.state)[0]), "[REDACTED:environment] (cut)")
    assert.deepEqual(said(resumed(live.state)).at(-1), "b")
  })

  it("is left out of a message by identity where there is none", () => {
    const message = { role: "assistant", content: [text("a")] } as const
    assert.strictEqual(withoutThinking(message), message)
    assert.isUndefined(withoutThinking({ role: "assistant", content: [sealed] }))
  })
})

describe("a search of the provider", () => {
  const searched = (query: string): ReadonlyArray<Block> => [
    { type: "server_tool_use", id: "s1", name: "web_search", input: { query }, wire: { id: "s1" } },
    {
      type: "server_tool_result",
      toolUseId: "s1",
      name: "web_search",
      results: [{ title: "A page", url: "https://a.example" }],
      wire: { content: [{ type: "web_search_result", encrypted_content: signature("page") }] },
    },
    { type: "text", text: "It is so.", citations: [{ url: "https://a.example", encrypted_index: signature("index") }] },
  ]

  it("stays as it was, ciphertext included", () => {
    const live = new Live(prompt("one"), answer(searched("weather")))
    const state = resumed(reloaded(live.records))
    assert.deepEqual(messages(state), messages(live.state))
    assert.deepEqual(wireOf(messages(state)[1]?.content[1] ?? {}), {
      content: [{ type: "web_search_result", encrypted_content: signature("page") }],
    })
  })

  it("becomes text in an answer that redaction changed", () => {
    const live = new Live(prompt("one"), answer(searched(`who knows ${SECRET}`)))
    const [, message] = messages(resumed(reloaded(live.records)))
    assert.deepEqual(message?.content, [
      text('Earlier web_search "who knows [REDACTED:environment]": 1 result\n1. A page — https://a.example'),
      text("It is so."),
    ])
  })

  it("that brought nothing or failed leaves a word of it", () => {
    const [asked = {}] = searched(`of ${SECRET}`)
    const failed = {
      type: "server_tool_result",
      toolUseId: "s2",
      name: "web_search",
      results: [],
      error: "max_uses_exceeded",
      wire: {},
    }
    const live = new Live(prompt("one"), answer([asked, failed]))
    assert.deepEqual(
      said(resumed(reloaded(live.records))).at(-1),
      'Earlier web_search "of [REDACTED:environment]": no result + Earlier web_search: failed (max_uses_exceeded)',
    )
  })
})

describe("calls and results of a file", () => {
  const conversation = (...records: ReadonlyArray<JsonObject>) => said(resumed(fold(start, ...records)))
  const calls = (...ids: ReadonlyArray<string>) => record("assistant", "", ...ids.map((id) => call(id)))

  it("that were spoken past are answered in their place", () => {
    const state = fold(start, calls("a"), record("user", "user", text("two")))
    assert.deepEqual(said(resumed(state)), ["call a", "result a", "two"])
    assert.deepEqual(kinds(state), [{ kind: "call-answered", count: 1 }])
  })

  it("of which a part was answered before somebody spoke are answered in full", () => {
    assert.deepEqual(
      conversation(calls("a", "b"), record("tool_results", "user", result("a")), record("user", "user", text("two"))),
      ["call a + call b", "result a + result b", "two"],
    )
  })

  it("that stand apart are put together, in the order of the calls", () => {
    const state = fold(
      start,
      calls("a", "b"),
      record("user", "user", text("two")),
      record("tool_results", "user", result("b"), result("a")),
    )
    assert.deepEqual(said(resumed(state)), ["call a + call b", "result a + result b", "two"])
    assert.deepEqual(kinds(state), [{ kind: "result-moved", count: 2 }])
  })

  it("that came twice or belong to nobody are left out, and so are those of the wrong side", () => {
    const again = record("tool_results", "user", result("a"))
    assert.deepEqual(conversation(calls("a"), again, again, record("assistant", "", text("x")), again), [
      "call a",
      "result a",
      "x",
    ])
    assert.deepEqual(conversation(record("user", "user", call("z"), text("y"))), ["y"])
    assert.deepEqual(conversation(record("assistant", "", result("z"), text("y"))), ["y"])
  })

  it("that are right are left alone, by identity", () => {
    const state = fold(start, calls("a"), record("tool_results", "user", result("a")), record("assistant", "", text("x")))
    assert.strictEqual(repaired(state, false).state, state)
    assert.deepEqual(kinds(state), [])
  })

  it("belong to the turn of the calls, wherever they are put", () => {
    const live = new Live(snapshot("1"), prompt("one"))
    const state = fold(
      ...live.records,
      calls("a"),
      { t: TIME, type: "snapshot", tree: "2", messages: 2, prompt: "two", durationMs: 1 },
      record("user", "user", text("two")),
    )
    const undone = fold(
      ...live.records,
      calls("a"),
      { t: TIME, type: "snapshot", tree: "2", messages: 2, prompt: "two", durationMs: 1 },
      record("user", "user", text("two")),
      { ...live.records[0], t: TIME, type: "resume" },
      { t: TIME, type: "undo", after: "A" },
    )
    assert.deepEqual(said(resumed(state)), ["one", "call a", "result a", "two"])
    assert.deepEqual(said(undone), ["one", "call a", "result a"])
  })

  it("of a turn that can be redone fit each other too", () => {
    const live = new Live(snapshot("1"), prompt("one"))
    const undone = fold(...live.records, calls("a"), record("user", "user", text("more")), { t: TIME, type: "undo", after: "A" })
    const state = resumed(undone)
    const removed = state.undo.redo.at(-1)?.removed.map(({ message }) => message.content[0]?.["type"])
    assert.deepEqual(removed, ["text", "tool_use", "tool_result", "text"])
  })

  it("named like something that every object has are calls like others", () => {
    const live = new Live(answer([call("__proto__"), call("constructor")]), results("constructor", "__proto__"))
    assert.deepEqual(said(resumed(reloaded(live.records))), [
      "call __proto__ + call constructor",
      "result __proto__ + result constructor",
    ])
  })
})
