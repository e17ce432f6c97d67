/** What has gone wrong for users of session trees, as small as it could be made. */
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { replay } from "../../src/model/Model.ts"
import { branchOutLines } from "../../src/tree/BranchOut.ts"
import { openToolCalls } from "../../src/tree/Overview.ts"
import { toProviderMessages } from "../../src/tree/ProviderView.ts"
import { inspect } from "../../src/tree/Reading.ts"
import { siblingResult } from "../../src/tree/SiblingResult.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { leaves, nodes, path, roots } from "../../src/tree/Tree.ts"
import { evolve, treeModel } from "../../src/tree/TreeModel.ts"
import { answer, asked, call, caller, says, text } from "./Calls.ts"
import {
  assistant,
  contextAt,
  entry,
  header,
  ids,
  MILLIS,
  pathOf,
  rewrite,
  said,
  source,
  stateOf,
  TIME,
  user,
} from "./Session.ts"

const compaction = (id: string, parentId: string, firstKeptEntryId: string): JsonObject =>
  entry("compaction", id, parentId, { summary: id, firstKeptEntryId, tokensBefore: 1 })

/** Records one behind the other. */
const chain = (...records: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  records.map((record, n) => ({ ...record, parentId: n === 0 ? null : String(records[n - 1]?.["id"]) }))

const stamp = (n: number): { at: number; entropy: string } => ({ at: MILLIS, entropy: n.toString(16).padStart(32, "0") })

/** What a provider is given at the leaf, with the results that are anywhere in the session. */
const view = (state: TreeState, leaf: string | null = state.leaf) =>
  toProviderMessages(contextAt(state, leaf).messages, { resultOf: siblingResult(state) })

const contents = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<unknown> =>
  messages.map((message) => message["toolCallId"] ?? message["role"])

describe("ids and parents", () => {
  it("two entries under one id hung the view of the tree", () => {
    const state = stateOf(header(5), user("x", null, "1"), assistant("y", "x", "2"), user("x", "y", "3"), user("x", "y", "3"))
    assert.deepEqual(ids(state), ["x", "y", "x"])
    assert.deepEqual(
      nodes(state).map(({ id }) => id),
      ["x", "x"],
    )
    assert.deepEqual(pathOf(state, "x"), ["y", "x"])
  })

  it("an old file was migrated and then written once more entry by entry, so every id stood there twice", () => {
    const old = [header(), { type: "message", timestamp: TIME, message: { role: "user", content: "hello" } }]
    let state = stateOf(...rewrite(old.map(source)).map((line) => JSON.parse(line) as JsonObject))
    const commands = [
      { do: "model", model: "p/m" },
      { do: "message", message: { role: "assistant", content: "yes" } },
    ] as const
    for (const [n, command] of commands.entries())
      state = replay(treeModel, Result.getOrThrow(treeModel.decide(state, command, stamp(n))), state)
    assert.lengthOf(new Set(ids(state)), 3)
    assert.lengthOf(ids(state), 3)
    assert.deepEqual(pathOf(state, state.leaf), ids(state))
    assert.deepEqual(said(state), ["hello", "yes"])
  })

  it("ids made of the time collided when many entries came at once", () => {
    let state = stateOf(header(5))
    for (let n = 0; n < 1_000; n++) {
      const decided = treeModel.decide(state, { do: "message", message: { role: "user", content: `${n}` } }, stamp(n))
      state = replay(treeModel, Result.getOrThrow(decided), state)
    }
    assert.equal(new Set(ids(state)).size, 1_000)
    assert.deepEqual(pathOf(state, state.leaf), ids(state))
  })

  it("a cycle of parents made every walker run for ever", () => {
    const cases = [
      [user("a", "b", "1"), user("b", "a", "2")],
      [user("a", "a", "1")],
      [user("a", "c", "1"), user("b", "a", "2"), user("c", "b", "3")],
    ]
    for (const records of cases) {
      const state = stateOf(header(5), ...records)
      const leaf = state.leaf ?? ""
      assert.equal(Result.getOrThrow(path(state, leaf)).end._tag, "Cycle")
      assert.lengthOf(contextAt(state).messages, records.length)
      assert.lengthOf(nodes(state), 1)
      assert.deepEqual(leaves(state), [])
      assert.deepEqual(Result.getOrThrow(openToolCalls(state)), [])
      const lines = Result.getOrThrow(branchOutLines(state, leaf, stamp(0)))
      assert.isAtLeast([...lines([header(5), ...records].map(source))].length, records.length)
    }
  })

  it("a cycle through a second kind of parent, which a rewind had left, made every walker run for ever", () => {
    const [a = {}, b = {}, c = {}] = chain(user("a", null, "1"), user("b", null, "2"), user("c", null, "3"))
    const state = stateOf(header(5), { ...a, logicalParentId: "c" }, { ...b, logicalParentId: "b" }, c)
    assert.equal(Result.getOrThrow(path(state)).end._tag, "Root")
    assert.deepEqual(said(state), ["1", "2", "3"])
    const gap = stateOf(header(5), a, { ...user("d", "gone", "4"), logicalParentId: "a" })
    assert.deepEqual(said(gap), ["4"], "what is no parent is not gone by")
  })

  it("the record of a rewind was lost, and bridging the gap brought back the turns that the user had taken out", () => {
    const [u1 = {}, u2 = {}] = chain(user("u1", null, "keep"), user("u2", null, "taken out"))
    const state = stateOf(header(5), u1, u2, user("u4", "rewind", "other"), user("u5", "u4", "way"))
    assert.deepEqual(said(state), ["other", "way"])
    assert.deepEqual(Result.getOrThrow(path(state)).end, { _tag: "Gap", missing: "rewind" })
    assert.deepEqual(leaves(state), ["u2", "u5"], "what stands before the gap can be chosen")
  })

  it("a parent that was never written hid all that came before, or a guess brought back what was rewound", () => {
    const state = stateOf(header(5), user("u1", null, "1"), user("u2", "u1", "2"), user("u4", "u3", "4"), user("u5", "u4", "5"))
    assert.deepEqual(said(state), ["4", "5"])
    assert.deepEqual(Result.getOrThrow(path(state)).end, { _tag: "Gap", missing: "u3" })
    assert.deepEqual(leaves(state), ["u2", "u5"])
    assert.deepEqual(said(state, "u2"), ["1", "2"])
  })

  it("a snapshot that named a message took its place in the index", () => {
    const state = stateOf(
      header(5),
      ...chain(user("x", null, "1"), user("y", null, "2")),
      { type: "snapshot", messageId: "x", timestamp: TIME },
      entry("custom", "z", "y", { customType: "snapshot", data: { id: "x", messageId: "x" } }),
    )
    assert.deepEqual(said(state), ["1", "2"])
  })
})

describe("leaves", () => {
  const long = chain(...Array.from({ length: 10 }, (_, n) => user(`e${n}`, null, `${n}`)))

  it("a dead branch that was written last was gone on with, and the long one was forgotten", () => {
    const dead = user("dead", "e2", "dead end")
    const state = stateOf(header(5), ...long, dead, { type: "header_patch", patch: { leafId: "e9" } })
    assert.equal(state.leaf, "e9")
    assert.deepEqual(leaves(state), ["e9", "dead"])
  })

  it("what stood behind a rewind vanished from every list", () => {
    const state = stateOf(header(5), ...long, user("n1", "e3", "other"), user("n2", "n1", "way"))
    assert.deepEqual(leaves(state), ["e9", "n2"])
    assert.deepEqual(
      pathOf(state, "e9"),
      long.map((record) => String(record["id"])),
    )
    assert.deepEqual(said(state), ["0", "1", "2", "3", "other", "way"])
  })

  it("a message that hung itself under a record beside the conversation was all that was shown", () => {
    const used = { purpose: "title", usage: {} }
    const beside = stateOf(header(3), ...long, entry("model_usage", "m", "e9", used), user("u", "m", "go on"))
    assert.deepEqual(said(beside), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "go on"])
    const away = [entry("custom", "p", null, { customType: "progress" }), user("u", "p", "go on")]
    const state = stateOf(header(5), ...long, ...away)
    assert.deepEqual(said(state), ["go on"])
    assert.deepEqual(leaves(state), ["e9", "u"], "the long conversation is still there to be chosen")
    assert.deepEqual(roots(state), ["e0", "p"], "and that there are two can be seen")
    const back = evolve(state, { type: "header_patch", patch: { leafId: "e9" } })
    assert.deepEqual(said(back), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
  })

  it("a fork at one turn had messages of later turns, with the time of the fork", () => {
    const state = stateOf(header(5), ...long)
    const lines = [...Result.getOrThrow(branchOutLines(state, "e4", stamp(0)))([header(5), ...long].map(source))]
    assert.deepEqual(
      lines.slice(1).map((line) => JSON.parse(line) as JsonObject),
      long.slice(0, 5),
    )
  })
})

describe("compactions", () => {
  it("a fork had copies of its parent's entries and pointed to it as well, and two compactions were shown as four", () => {
    const turns = chain(
      user("a", null, "1"),
      compaction("c1", "", "a"),
      user("b", null, "2"),
      compaction("c2", "", "b"),
      user("c", null, "3"),
    )
    const child = stateOf(header(5, { parentSession: "P" }), ...turns)
    assert.lengthOf(
      ids(child).filter((id) => id.startsWith("c") && id !== "c"),
      2,
    )
    assert.deepEqual(said(child), ["c2", "2", "3"])
    const twice = stateOf(header(5, { parentSession: "P" }), ...turns, ...turns)
    assert.deepEqual(ids(twice), ids(child))
    assert.deepEqual(said(twice), said(child))
  })

  it("what the first compaction kept was neither summed up nor kept by the second, and was gone", () => {
    const turns = [
      ...["u1", "a1", "u2", "a2", "u3", "a3"].map((id) => user(id, null, id)),
      compaction("c1", "", "u2"),
      ...["u4", "a4"].map((id) => user(id, null, id)),
    ]
    const before = stateOf(header(5), ...chain(...turns))
    const after = stateOf(header(5), ...chain(...turns, compaction("c2", "", "u4")))
    const scope = said(before)
    const kept = said(after).slice(1)
    assert.deepEqual(scope, ["c1", "u2", "a2", "u3", "a3", "u4", "a4"], "what the second summary is made from")
    assert.deepEqual(kept, ["u4", "a4"])
    assert.deepEqual(said(after, "a4"), scope, "and it can be gone back to")
    const early = stateOf(header(5), ...chain(...turns, compaction("c2", "", "u2")))
    assert.deepEqual(said(early), ["c2", "u2", "a2", "u3", "a3", "u4", "a4"], "a boundary before the first one keeps across it")
  })

  it("a copied branch had other ids, and its compaction kept nothing or half a batch", () => {
    const records = [
      header(5),
      ...chain(user("a", null, "1"), user("b", null, "2"), compaction("c", "", "b"), user("d", null, "3")),
      user("off", "a", "elsewhere"),
    ]
    const state = stateOf(...records)
    const lines = [...Result.getOrThrow(branchOutLines(state, "d", stamp(0)))(records.map(source))]
    const copy = stateOf(...lines.map((line) => JSON.parse(line) as JsonObject))
    assert.deepEqual(said(copy), ["c", "2", "3"])
  })

  it("the second compaction blanked the first, and a branch between them had lost its history", () => {
    const turns = [
      user("u1", null, "1"),
      user("u2", null, "2"),
      compaction("c1", "", "u2"),
      user("u3", null, "3"),
      compaction("c2", "", "u3"),
    ]
    const state = stateOf(header(5), ...chain(...turns, user("u4", null, "4")))
    assert.deepEqual(said(state), ["c2", "3", "4"])
    assert.deepEqual(said(state, "u3"), ["c1", "2", "3"])
  })

  it("a compaction that wrote the history once more doubled the context", () => {
    const history = chain(user("r1", null, "1"), user("r2", null, "2"), compaction("b1", "", "r2"), user("r3", null, "3"))
    const again = history.filter((record) => record["type"] === "message")
    const state = stateOf(header(5), ...history, ...again, compaction("b2", "r3", "r3"))
    assert.deepEqual(ids(state), ["r1", "r2", "b1", "r3", "b2"])
    assert.deepEqual(said(state), ["b2", "3"])
    assert.deepEqual(inspect(stateOf(header(5), ...history), history[0] ?? {}), ["duplicate-record"])
  })

  it("a compaction that hung itself under a second copy of the history orphaned what was said between", () => {
    const history = [...Array.from({ length: 9 }, (_, n) => user(`r${n + 1}`, null, `${n + 1}`)), compaction("b1", "", "r9")]
    const first = chain(...history, ...["r10", "r11", "r12"].map((id) => user(id, null, id.slice(1))))
    const said12 = ["b1", "9", "10", "11", "12"]
    const again = first.slice(0, 9)
    const end = compaction("b2", "r9", "r8")
    const same = stateOf(header(5), ...first, ...again, end)
    assert.lengthOf(ids(same), 14, "the same record counts once")
    assert.deepEqual(said(same), ["b2", "8", "9"])
    assert.deepEqual(leaves(same), ["r12", "b2"])
    assert.deepEqual(said(same, "r12"), said12)
    // A copy that begins where the conversation stood is another record: it takes the id over and closes a circle.
    const [copy = {}, ...rest] = again
    const circle = stateOf(header(5), ...first, { ...copy, parentId: "r12" }, ...rest, end)
    assert.deepEqual(inspect(stateOf(header(5), ...first), { ...copy, parentId: "r12" }), ["duplicate-id"])
    assert.deepEqual(said(circle), ["b2", "8", "9"])
    assert.deepEqual(said(circle, "r12"), said12)
    assert.equal(Result.getOrThrow(path(circle, "r12")).end._tag, "Cycle")
    // One under a second root: what was said between hangs on, whichever copy answers.
    const rooted = stateOf(header(5), ...first, { ...copy, timestamp: "2026-01-02T00:00:00.000Z" }, ...rest, end)
    assert.deepEqual(said(rooted, "r12"), said12)
    assert.equal(Result.getOrThrow(path(rooted, "r12")).end._tag, "Root")
  })

  it("a message that came during the compaction was overwritten, because the cut was a count and not an id", () => {
    const state = stateOf(header(5), ...chain(...["a", "b", "c", "d"].map((id) => user(id, null, id)), compaction("s", "", "b")))
    assert.deepEqual(said(state), ["s", "b", "c", "d"])
  })

  it("a boundary that lost its summary in a crash emptied the context", () => {
    const { summary: _, ...cut } = compaction("s", "", "b")
    assert.deepEqual(said(stateOf(header(5), ...chain(user("a", null, "1"), user("b", null, "2"), cut))), ["1", "2"])
  })
})

describe("calls and results", () => {
  it("the results of parallel calls were siblings, and the model saw the last one only", () => {
    const calls = says("a", null, caller(call("x"), call("y"), call("z")))
    const results = ["x", "y", "z"].map((id) => says(`r-${id}`, "a", answer(id)))
    const { messages, repairs } = view(stateOf(header(5), calls, ...results, user("u", "r-z", "go on")))
    assert.deepEqual(contents(messages), ["assistant", "x", "y", "z", "user"])
    assert.deepEqual(messages[1], answer("x"))
    assert.deepEqual(
      repairs.map(({ _tag }) => _tag),
      ["Fetched", "Fetched"],
    )
  })

  it("a kill during a tool made every later request fail", () => {
    const state = stateOf(header(5), ...chain(says("a", null, caller(call("x"))), user("u", null, "hello again")))
    const found = view(state)
    assert.deepEqual(contents(found.messages), ["assistant", "x", "user"])
    assert.isTrue(found.messages[1]?.["isError"])
    assert.deepEqual(found.repairs, [{ _tag: "Interrupted", callId: "x" }])
    assert.deepEqual(view(state), found)
    assert.lengthOf(contextAt(state).messages, 2)
  })

  it("a call of long ago that nobody had answered was shown as running, and each reader guessed anew", () => {
    const state = stateOf(header(5), ...chain(says("a", null, caller(call("x"))), user("u", null, "1"), user("v", null, "2")))
    assert.deepEqual(Result.getOrThrow(openToolCalls(state)), [{ entryId: "a", callId: "x", name: "bash" }])
    const late = evolve(state, { ...says("r", "v", view(state).messages[1] ?? {}) })
    assert.deepEqual(Result.getOrThrow(openToolCalls(late)), [], "the result that a host writes down settles it")
    assert.deepEqual(view(late).messages, view(state).messages)
    assert.deepEqual(view(late).repairs, [{ _tag: "Moved", callId: "x" }])
  })

  it("a compaction between a call and its result came out as a message between them", () => {
    const pair = [says("a", null, caller(call("x"))), compaction("c1", "", "a"), says("r", null, answer("x"))]
    const { messages, repairs } = view(stateOf(header(5), ...chain(...pair, user("u", null, "1"), compaction("c2", "", "a"))))
    assert.deepEqual(contents(messages), ["user", "assistant", "x", "user"])
    assert.deepEqual(repairs, [])
  })

  it("a result outlived its call through chained compactions", () => {
    const turns = [
      says("a", null, caller(call("x"))),
      compaction("c1", "", "r"),
      says("r", null, answer("x")),
      user("u", null, "1"),
    ]
    const { messages, repairs } = view(stateOf(header(5), ...chain(...turns, compaction("c2", "", "r"))))
    assert.deepEqual(contents(messages), ["user", "user"])
    assert.deepEqual(repairs, [{ _tag: "Orphan", callId: "x", at: 1 }])
  })

  it("a cut inside a batch kept one of two results", () => {
    const batch = [says("a", null, caller(call("x"), call("y"))), says("rx", null, answer("x")), says("ry", null, answer("y"))]
    const at = (first: string) => view(stateOf(header(5), ...chain(...batch, compaction("c", "", first), user("u", null, "1"))))
    assert.deepEqual(contents(at("ry").messages), ["user", "user"])
    assert.deepEqual(at("ry").repairs, [{ _tag: "Orphan", callId: "y", at: 1 }])
    assert.deepEqual(contents(at("a").messages), ["user", "assistant", "x", "y", "user"])
  })

  it("a result that was flushed late, behind the next prompt or on another branch, was told as missing", () => {
    const late = stateOf(
      header(5),
      ...chain(says("a", null, caller(call("x"))), user("u", null, "1"), says("r", null, answer("x"))),
    )
    assert.deepEqual(view(late).messages, [caller(call("x")), answer("x"), asked("1")])
    assert.deepEqual(view(late).repairs, [{ _tag: "Moved", callId: "x" }])
    const elsewhere = stateOf(header(5), says("a", null, caller(call("x"))), says("r", "a", answer("x")), user("u", "a", "1"))
    assert.deepEqual(view(elsewhere).messages, view(late).messages)
  })

  it("an empty text beside a call, or beside a pasted image, was refused for ever", () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" }
    const records = chain(
      says("u", null, asked([text(""), image])),
      says("a", null, caller(text(""), call("x"))),
      says("r", null, answer("x")),
    )
    const state = stateOf(header(5), ...records)
    assert.deepEqual(view(state).messages, [asked([image]), caller(call("x")), answer("x")])
    assert.deepEqual(contextAt(state).messages[0], asked([text(""), image]))
  })

  it("what a summary kept began with a call whose result it had not kept", () => {
    const state = stateOf(
      header(5),
      ...chain(user("u", null, "1"), says("a", null, caller(call("x"))), compaction("c", "", "a"), user("v", null, "2")),
    )
    assert.deepEqual(contents(view(state).messages), ["user", "assistant", "x", "user"])
    assert.deepEqual(view(evolve(state, says("r", "a", answer("x"))), "v").messages[2], answer("x"))
  })
})
