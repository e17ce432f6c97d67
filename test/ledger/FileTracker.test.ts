import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { LiveLedger, response, say } from "../../laws/arbitraries/ledgerRuns.ts"
import { forgetReads, makeFileTracker, noteRead, record, status, upTo } from "../../src/ledger/FileTracker.ts"

const digest = (content: string): string => createHash("sha256").update(content).digest("hex")
const none = makeFileTracker(digest)

const LIMITS = { maxSteps: 50, tokenBudget: 1e6, contextWindow: 200_000 }

describe("what an agent knows of a file", () => {
  it("is unread, then current, then changed when the file is another one", () => {
    assert.equal(status(none, "a.ts", "one"), "unread")
    const known = record(none, "a.ts", "one")
    assert.equal(status(known, "a.ts", "one"), "current")
    assert.equal(status(known, "a.ts", "two"), "changed")
    assert.equal(status(record(known, "a.ts", "two"), "a.ts", "two"), "current")
    assert.equal(status(none, "a.ts", "one"), "unread")
  })

  it("is not a matter of names that every object has", () => {
    for (const path of ["__proto__", "constructor", "toString", ""]) {
      assert.equal(status(none, path, ""), "unread")
      assert.equal(status(record(none, path, ""), path, ""), "current")
    }
  })
})

describe("a range that was read", () => {
  it("is known when the same range of the same content is read again", () => {
    const [first, one] = noteRead(none, "a.ts", "x", 0, 10)
    const [second, two] = noteRead(one, "a.ts", "x", 0, 10)
    assert.deepEqual([first, second], [false, true])
    assert.strictEqual(two, one)
    assert.isFalse(noteRead(one, "a.ts", "y", 0, 10)[0])
    assert.isFalse(noteRead(one, "a.ts", "x", 0, 11)[0])
    assert.isFalse(noteRead(one, "a.ts", "x")[0])
  })

  it("is not taken for one of a file whose name looks like it", () => {
    const [, tracker] = noteRead(none, "a|1", "x", 2, undefined)
    assert.isFalse(noteRead(tracker, "a", "x", 1, 2)[0])
    assert.isFalse(noteRead(tracker, "a|1|2", "x")[0])
    assert.isTrue(noteRead(tracker, "a|1", "x", 2)[0])
  })

  it("is forgotten with what the agent has in its conversation, and the file is not", () => {
    const [, tracker] = noteRead(record(none, "a.ts", "x"), "a.ts", "x")
    const after = forgetReads(tracker)
    assert.isFalse(noteRead(after, "a.ts", "x")[0])
    assert.equal(status(after, "a.ts", "x"), "current")
    assert.strictEqual(forgetReads(after), after)
  })
})

describe("the state of a session", () => {
  const session = (): LiveLedger => {
    const live = new LiveLedger(LIMITS)
    live.do({ do: "snapshot", tree: "t", prompt: "p", durationMs: 1 })
    live.do({ do: "user", text: "p" })
    live.do({
      do: "assistant",
      step: 1,
      response: response([{ type: "tool_use", id: "c", name: "read", input: {} }], "tool_use"),
    })
    return live
  }

  /** Whether a range that was read before is still known after what happens. */
  const isKnownAfter = (happens: (live: LiveLedger) => void): boolean => {
    const live = session()
    const [, read] = noteRead(upTo(none, live.state.readsForgotten), "a.ts", "x")
    happens(live)
    return noteRead(upTo(read, live.state.readsForgotten), "a.ts", "x")[0]
  }

  it("keeps what was read while the conversation goes on", () => {
    assert.isTrue(isKnownAfter((live) => live.do({ do: "toolResults", results: [{ toolUseId: "c", content: "x" }], calls: [] })))
    assert.isTrue(isKnownAfter((live) => live.do({ do: "title", title: "t" })))
  })

  it("forgets it when open calls are closed, at an undo, a redo and a compaction", () => {
    assert.isFalse(isKnownAfter((live) => live.do({ do: "closeOpenToolCalls" })))
    assert.isFalse(isKnownAfter((live) => live.do({ do: "undo", after: "u" })))
    const messages = [{ role: "user" as const, content: [say("summary")] }]
    assert.isFalse(isKnownAfter((live) => live.do({ do: "compact", stage: "trim", beforeTokens: 1, afterTokens: 1, messages })))
    const live = session()
    live.do({ do: "undo", after: "u" })
    const [, read] = noteRead(upTo(none, live.state.readsForgotten), "a.ts", "x")
    live.do({ do: "redo" })
    assert.isFalse(noteRead(upTo(read, live.state.readsForgotten), "a.ts", "x")[0])
  })
})
