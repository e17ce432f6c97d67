import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { toProviderMessages } from "../../src/tree/ProviderView.ts"
import { siblingResult } from "../../src/tree/SiblingResult.ts"
import { interrupted, wording } from "../../src/tree/Wording.ts"
import { answer, asked, call, caller, says, text } from "./Calls.ts"
import { header, stateOf } from "./Session.ts"

const made = (toolCallId: string): JsonObject => ({
  role: "toolResult",
  toolCallId,
  toolName: "bash",
  content: [text(interrupted)],
  isError: true,
  timestamp: 7,
})

describe("messages that a provider accepts", () => {
  it("are the very same, whatever is in them", () => {
    const given = [
      { role: "system", content: "", sections: { preamble: "p" }, toolsAdded: [] },
      asked("x"),
      asked([{ type: "image", data: "AA==" }]),
      caller({ type: "thinking", thinking: "", thinkingSignature: "c2ln" }, text("y"), call("a"), call("b")),
      answer("a"),
      answer("b", "text"),
      { role: "assistant", content: [{ type: "thinking", thinking: "t" }] },
      { role: "of the future", content: [] },
      { role: "assistant", content: "plain" },
    ]
    const { messages, repairs, consecutive } = toProviderMessages(given)
    assert.lengthOf(messages, given.length)
    for (const [at, message] of messages.entries()) assert.strictEqual(message, given[at])
    assert.deepEqual(repairs, [])
    assert.deepEqual(consecutive, [2])
  })

  it("come from roles that only the session knows, in a host's words too", () => {
    const summary = { role: "compactionSummary", summary: "S" }
    const hidden = { role: "bashExecution", command: "ls", output: "", excludeFromContext: true }
    const textIn = (words?: { compaction: string; branch: string }): unknown =>
      toProviderMessages([summary, hidden], words === undefined ? {} : { wording: words }).messages.map(({ content }) => content)
    assert.deepEqual(textIn(), [[text(`${wording.compaction}\n\n<summary>\nS\n</summary>`)]])
    assert.deepEqual(textIn({ compaction: "C", branch: "B" }), [[text("C\n\n<summary>\nS\n</summary>")]])
  })
})

describe("a call", () => {
  it("without a result gets one that says so, behind its message, before what was said next", () => {
    const given = [caller(call("a"), call("b")), answer("b"), asked("x")]
    const { messages, repairs } = toProviderMessages(given)
    assert.deepEqual<unknown>(messages, [given[0], made("a"), given[1], given[2]])
    assert.deepEqual(repairs, [{ _tag: "Interrupted", callId: "a" }])
    const custom = toProviderMessages(given, { interrupted: "cut" }).messages[1]
    assert.deepEqual(custom?.["content"], [text("cut")])
  })

  it("gets the result that a look-up gives, unless it is none of that call", () => {
    const given = [caller(call("a"))]
    const found = toProviderMessages(given, { resultOf: answer })
    assert.deepEqual<unknown>(found.messages, [given[0], answer("a")])
    assert.deepEqual(found.repairs, [{ _tag: "Fetched", callId: "a" }])
    for (const lie of [undefined, asked("x"), answer("b"), {}]) {
      assert.deepEqual<unknown>(toProviderMessages(given, { resultOf: () => lie }).messages, [given[0], made("a")])
    }
  })

  it("under an id that was used before has the result behind it, and the one before has its own", () => {
    const given = [caller(call("a")), answer("a", "1"), caller(call("a")), asked("x"), answer("a", "2")]
    const { messages, repairs } = toProviderMessages(given)
    assert.deepEqual<unknown>(messages, [given[0], given[1], given[2], given[4], given[3]])
    assert.deepEqual(repairs, [{ _tag: "Moved", callId: "a" }])
    const open = toProviderMessages([given[0] ?? {}, given[2] ?? {}, given[4] ?? {}])
    assert.deepEqual<unknown>(open.messages, [given[0], made("a"), given[2], given[4]])
  })

  it("that nothing can answer is left out, and the message with it when it has nothing else", () => {
    const nameless = { type: "toolCall", name: "bash", arguments: {} }
    const { messages, repairs } = toProviderMessages([
      caller(nameless),
      caller(text("x"), call("a"), call("a"), call("")),
      answer("a"),
    ])
    assert.deepEqual(messages, [caller(text("x"), call("a")), answer("a")])
    assert.deepEqual(repairs, [
      { _tag: "NamelessCall", at: 0 },
      { _tag: "EmptyMessage", at: 0, role: "assistant" },
      { _tag: "RepeatedCall", callId: "a", at: 1 },
      { _tag: "NamelessCall", at: 1 },
    ])
  })

  it("may have any id", () => {
    const given = [caller(call("__proto__"), call("constructor")), answer("__proto__"), answer("constructor")]
    assert.deepEqual(toProviderMessages(given), { messages: given, repairs: [], consecutive: [] })
  })
})

describe("a result", () => {
  it("stands in call order, whatever order it came in", () => {
    const given = [caller(call("a"), call("b"), call("c")), answer("b"), answer("a"), answer("c")]
    const { messages, repairs } = toProviderMessages(given)
    assert.deepEqual<unknown>(messages, [given[0], answer("a"), answer("b"), answer("c")])
    assert.deepEqual(repairs, [
      { _tag: "Moved", callId: "a" },
      { _tag: "Moved", callId: "b" },
    ])
  })

  it("without a call before it is left out, and so is a second one; what stands behind them has not moved", () => {
    const first = answer("a", "first")
    const given = [
      answer("x"),
      caller(call("a")),
      answer("y"),
      first,
      answer("a", "second"),
      { role: "toolResult", content: "z" },
    ]
    const { messages, repairs } = toProviderMessages(given)
    assert.deepEqual(messages, [caller(call("a")), first])
    assert.deepEqual(repairs, [
      { _tag: "Orphan", callId: "x", at: 0 },
      { _tag: "Orphan", callId: "y", at: 2 },
      { _tag: "Duplicate", callId: "a", at: 4 },
      { _tag: "Orphan", callId: "", at: 5 },
    ])
  })

  it("without content says that there was none", () => {
    for (const content of [[], "", " \n", null, 5, {}, [text(""), null]]) {
      const { messages, repairs } = toProviderMessages([caller(call("a")), answer("a", content)])
      assert.deepEqual(messages[1], answer("a", [text("(no output)")]), JSON.stringify(content))
      assert.deepEqual(repairs, [{ _tag: "EmptyResult", callId: "a" }])
    }
    const half = toProviderMessages([caller(call("a")), answer("a", [text(""), text("x")])])
    assert.deepEqual(half.messages[1], answer("a", [text("x")]))
    assert.deepEqual(half.repairs, [{ _tag: "EmptyBlocks", at: 1, count: 1 }])
  })
})

describe("empty text", () => {
  it("is left out, and so is a message that has nothing else", () => {
    const given = [asked([text(""), text("x"), text("\t\n")]), asked(""), asked([]), caller(text(" ")), { role: "developer" }]
    const before = structuredClone(given)
    const { messages, repairs } = toProviderMessages(given)
    assert.deepEqual(messages, [asked([text("x")])])
    assert.deepEqual(repairs, [
      { _tag: "EmptyBlocks", at: 0, count: 2 },
      { _tag: "EmptyMessage", at: 1, role: "user" },
      { _tag: "EmptyMessage", at: 2, role: "user" },
      { _tag: "EmptyMessage", at: 3, role: "assistant" },
      { _tag: "EmptyMessage", at: 4, role: "developer" },
    ])
    assert.deepEqual(given, before)
  })
})

describe("what only its own provider takes back", () => {
  const thinking = { type: "thinking", thinking: "t", thinkingSignature: "c2ln" }
  const history = { type: "openaiResponsesHistory", provider: "openai", items: [] }

  it("is asked about with all that a message says of its origin, and with nothing where it says nothing", () => {
    const origins: Array<unknown> = []
    const given = [
      asked("x"),
      { ...caller(thinking, text("y")), provider: "p", model: "m" },
      caller(text("y")),
      { role: "compactionSummary", summary: "S", providerPayload: history },
      { ...caller(text("z")), providerPayload: history },
    ]
    const { messages, repairs } = toProviderMessages(given, {
      sendsBack: (origin) => {
        origins.push(origin)
        return true
      },
    })
    assert.deepEqual(origins, [
      { provider: "p", model: "m" },
      { provider: undefined, model: undefined },
      { provider: "openai", model: undefined },
      { provider: "openai", model: undefined },
    ])
    assert.deepEqual(repairs, [])
    for (const at of [0, 1, 2, 4]) assert.strictEqual(messages[at], given[at])
  })

  it("is left out of what is sent elsewhere, calls and texts without their signatures, and told", () => {
    const signed = { ...text("y"), textSignature: "c2ln" }
    const given = [
      { ...caller(thinking, signed, { ...call("a"), thoughtSignature: "c2ln" }), providerPayload: history },
      answer("a", [thinking]),
      { role: "compactionSummary", summary: "S", providerPayload: history },
    ]
    const { messages, repairs } = toProviderMessages(given, { sendsBack: () => false })
    assert.deepEqual(messages[0], caller(text("y"), call("a")))
    assert.strictEqual(messages[1], given[1], "a tool may say what it likes")
    assert.notProperty(messages[2], "providerPayload")
    assert.deepEqual(repairs, [
      { _tag: "NotSentBack", at: 0, count: 4 },
      { _tag: "NotSentBack", at: 2, count: 1 },
    ])
  })
})

describe("half of a surrogate pair", () => {
  it("becomes U+FFFD wherever it stands, in the result that a look-up gives too", () => {
    const broken = { ...call("a"), arguments: { "k\ud800": ["\udc00", "whole 😀"] } }
    const given = [asked("x\ud83d"), caller(broken), asked("whole 😀")]
    const { messages, repairs } = toProviderMessages(given, { resultOf: (id) => answer(id, "y\udc00") })
    const mended = { ...call("a"), arguments: { "k\ufffd": ["\ufffd", "whole 😀"] } }
    assert.deepEqual<unknown>(messages, [asked("x\ufffd"), caller(mended), answer("a", "y\ufffd"), given[2]])
    assert.strictEqual(messages[3], given[2])
    assert.deepEqual(repairs, [
      { _tag: "IllFormed", at: 0 },
      { _tag: "IllFormed", at: 1 },
      { _tag: "Fetched", callId: "a" },
      { _tag: "IllFormed", at: 1 },
    ])
  })
})

describe("the results in a session", () => {
  it("are found on any branch, the first one of a call, patched", () => {
    const state = stateOf(
      header(5),
      says("c", null, caller(call("a"), call("b"))),
      says("r1", "c", answer("a", "1")),
      says("r2", "c", answer("a", "2")),
      { type: "entry_patch", entryId: "r1", patch: { message: answer("a", "patched") } },
    )
    const resultOf = siblingResult(state)
    assert.deepEqual(resultOf("a"), answer("a", "patched"))
    assert.isUndefined(resultOf("b"))
    assert.isUndefined(resultOf("__proto__"))
  })

  it("are nobody's when several entries call under one id", () => {
    const state = stateOf(
      header(5),
      says("c", null, caller(call("a"))),
      says("r", "c", answer("a")),
      says("d", "r", caller(call("a"), call("b"), call("b"))),
      says("s", "d", answer("b")),
    )
    assert.isUndefined(siblingResult(state)("a"))
    assert.deepEqual(siblingResult(state)("b"), answer("b"))
  })
})
