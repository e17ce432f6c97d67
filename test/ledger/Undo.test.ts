import { assert, describe, it } from "vitest"
import { text } from "../../src/ledger/Block.ts"
import { shortPrompt } from "../../src/ledger/Undo.ts"
import { toArray } from "../../src/model/Sequence.ts"
import { answer, call, fold, Live, prompt, reloaded, resumed, said, say, snapshot, TIME, thinking } from "./Live.ts"

const UNDO = { do: "undo", after: "AFTER" } as const
const REDO = { do: "redo" } as const

const turn = (name: string) => [snapshot(`tree of ${name}`, name), prompt(name), say(`did ${name}`)]

const two = (): Live => new Live(...turn("one"), ...turn("two"))

const idsOf = ({ state }: Live) => toArray(state.conversation).map(({ id }) => id)

describe("two turns", () => {
  it("are undone and redone one by one, and the file says the same at each point", () => {
    const live = two()
    const agree = (): void => {
      assert.deepEqual(said(reloaded(live.records)), said(live.state))
      assert.deepEqual(reloaded(live.records).undo, live.state.undo)
    }
    const before = idsOf(live)
    live.do(UNDO)
    assert.deepEqual(said(live.state), ["one", "did one"])
    agree()
    live.do(REDO)
    assert.deepEqual(idsOf(live), before)
    agree()
    live.do(UNDO)
    live.do(UNDO)
    assert.deepEqual(said(live.state), [])
    agree()
    assert.deepEqual(live.do(UNDO), [])
  })

  it("give no tokens back, but the context is the size it was", () => {
    const live = new Live(
      snapshot("a"),
      prompt("a"),
      answer([text("A")], 100),
      snapshot("b"),
      prompt("b"),
      answer([text("B")], 250),
    )
    live.do(UNDO)
    assert.equal(live.state.contextTokens, 100)
    assert.equal(live.state.accounting.usage.inputTokens, 350)
    live.do(REDO)
    assert.equal(live.state.contextTokens, 250)
  })

  it("cannot be redone once something was said behind them", () => {
    for (const words of [
      prompt("else"),
      say("else"),
      { do: "continue", text: "else", maxTokens: 1 } as const,
      snapshot("else"),
    ]) {
      const live = two()
      live.do(UNDO)
      live.do(words)
      assert.deepEqual(live.do(REDO), [])
      assert.lengthOf(live.state.undo.redo, 0)
    }
  })

  it("can be redone behind records that say nothing", () => {
    const live = two()
    live.do(UNDO)
    live.do({ do: "title", title: "x" })
    live.do(answer([]))
    live.do(REDO)
    assert.deepEqual(said(live.state), ["one", "did one", "two", "did two"])
  })
})

describe("what moves no turn", () => {
  it("is thinking that another model cannot read, also when it was all that a message had", () => {
    const live = new Live(snapshot("1"), prompt("one"), answer([thinking("t")]), snapshot("2"), prompt("two"), say("did two"))
    live.do({ do: "model", model: "m2" })
    assert.deepEqual(said(live.state), ["one", "two", "did two"])
    live.do(UNDO)
    assert.deepEqual(said(live.state), ["one"])
    live.do(REDO)
    assert.deepEqual(said(live.state), ["one", "two", "did two"])
  })

  it("is a resume by another model that takes out the first message of the turn", () => {
    const live = new Live(...turn("one"), snapshot("2"), answer([thinking("t")]), say("did two"))
    live.state = resumed(reloaded(live.records), { do: "resume", model: "m2" })
    assert.deepEqual(said(live.state), ["one", "did one", "did two"])
    live.do(UNDO)
    assert.deepEqual(said(live.state), ["one", "did one"])
    live.do(UNDO)
    assert.deepEqual(said(live.state), [])
  })

  it("is any number of resumes, with turns between them", () => {
    const live = new Live(snapshot("1"), prompt("one"), answer([thinking("t")]))
    for (const name of ["two", "three", "four"]) {
      live.state = resumed(live.state, { do: "resume", model: `of ${name}` })
      for (const command of turn(name)) live.do(command)
    }
    live.do(UNDO)
    live.do(UNDO)
    assert.deepEqual(said(live.state), ["one", "two", "did two"])
  })

  it("is an empty message, which is none", () => {
    const empty = { t: TIME, type: "user", message: { role: "user", content: [] } }
    const live = two()
    const [start = {}, ...rest] = live.records
    assert.deepEqual(said(fold(start, empty, ...rest, { t: TIME, type: "undo", after: "x" })), ["one", "did one"])
  })
})

describe("a turn that was undone", () => {
  it("comes back without the thinking of the model before", () => {
    const live = new Live(snapshot("1"), prompt("one"), answer([thinking("t"), text("did one")]))
    live.do(UNDO)
    live.do({ do: "model", model: "m2" })
    live.do(REDO)
    assert.deepEqual(said(live.state), ["one", "did one"])
  })
})

describe("behind a compaction", () => {
  const compact = { do: "compact", stage: "trim", beforeTokens: 9, afterTokens: 5, messages: [] } as const

  it("only the files of earlier turns go back, and the conversation stays the same object", () => {
    const live = two()
    live.do({ ...compact, messages: [{ role: "user", content: [text("summary")] }] })
    const { conversation } = live.state
    live.do(UNDO)
    assert.strictEqual(live.state.conversation, conversation)
    assert.equal(live.state.contextTokens, 5)
    const entry = live.state.undo.redo.at(-1)
    assert.deepInclude(entry, { after: "AFTER", removed: [] })
    assert.deepInclude(entry?.point, { conversation: false, tree: "tree of two", prompt: "two" })
    live.do(REDO)
    assert.strictEqual(live.state.conversation, conversation)
  })

  it("later turns are whole turns", () => {
    const live = two()
    live.do({ ...compact, messages: [{ role: "user", content: [text("summary")] }] })
    for (const command of turn("three")) live.do(command)
    live.do(UNDO)
    assert.deepEqual(said(live.state), ["summary"])
    live.do(UNDO)
    assert.deepEqual(said(live.state), ["summary"])
  })

  it("what was undone before it does not come back into the conversation", () => {
    const live = two()
    live.do(UNDO)
    live.do({ ...compact, messages: [{ role: "user", content: [text("summary")] }] })
    live.do(REDO)
    assert.deepEqual(said(live.state), ["summary"])
  })
})

describe("open calls", () => {
  it("are closed before a snapshot, so that an undo does not open them again", () => {
    const live = new Live(prompt("one"), answer([call("c1")]))
    const written = live.do(snapshot("2"))
    assert.deepEqual(
      written.map(({ type }) => type),
      ["tool_results", "snapshot"],
    )
    assert.equal(written[1]?.["messages"], 3)
    live.do(prompt("two"))
    live.do(UNDO)
    assert.deepEqual(said(live.state), ["one", "call c1", "result c1"])
  })

  it("that an older file closes behind its snapshot belong to the turn before", () => {
    const live = new Live(prompt("one"), answer([call("c1"), call("c2")]))
    const [closing = {}, taken = {}] = live.do(snapshot("2"))
    const [spoken = {}] = live.do(prompt("two"))
    const older = [...live.records.slice(0, 3), taken, closing, spoken, { t: TIME, type: "undo", after: "x" }]
    assert.deepEqual(said(fold(...older)), ["one", "call c1 + call c2", "result c1 + result c2"])
  })

  it("come back open, and are closed before the next words", () => {
    const live = new Live(snapshot("1"), prompt("one"), answer([call("c1")]))
    live.do(UNDO)
    live.do(REDO)
    live.do(prompt("two"))
    assert.deepEqual(said(live.state), ["one", "call c1", "result c1", "two"])
    assert.deepEqual(live.do({ do: "closeOpenToolCalls" }), [])
  })
})

describe("the prompt of a turn", () => {
  it("is one line of 80 units and an ellipsis", () => {
    assert.equal(shortPrompt("  a\n\tb  "), "a b")
    assert.equal(shortPrompt("x".repeat(80)), "x".repeat(80))
    assert.equal(shortPrompt("x".repeat(81)), `${"x".repeat(80)}…`)
    assert.equal(shortPrompt(`${"x".repeat(79)}🌿 and more`), `${"x".repeat(79)}…`)
    assert.equal(shortPrompt(`\ud800${"x".repeat(90)}`), `\ud800${"x".repeat(79)}…`)
    for (const long of ["x".repeat(200), "word ".repeat(40), `${"x".repeat(79)}🌿🌿`])
      assert.equal(shortPrompt(shortPrompt(long)), shortPrompt(long))
  })

  it("does not end in a part of a word that could be a key", () => {
    const words = "please use this one for the next request, it is the key of the team: "
    assert.equal(shortPrompt(`${words}a1b2c3d4e5f6g7h8i9j0`), `${words.trim()}…`)
  })

  it("is kept for 50 turns", () => {
    const live = new Live(...Array.from({ length: 60 }, (_, n) => snapshot(`t${n}`)))
    assert.lengthOf(live.state.undo.points, 50)
    assert.equal(live.state.undo.points[0]?.tree, "t10")
  })
})
