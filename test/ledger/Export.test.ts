import { assert, describe, it } from "vitest"
import { LiveLedger, response, say } from "../../laws/arbitraries/ledgerRuns.ts"
import type { Block } from "../../src/ledger/Block.ts"
import { exportMarkdown } from "../../src/ledger/Export.ts"
import { link, quote, span } from "../../src/ledger/Markdown.ts"
import { corpus, SESSION } from "./Corpus.ts"

const LIMITS = { maxSteps: 50, tokenBudget: 1e6, contextWindow: 200_000 }

const documentOf = (live: LiveLedger): string => exportMarkdown(live.records) ?? ""

const started = (...prompts: ReadonlyArray<string>): LiveLedger => {
  const live = new LiveLedger(LIMITS)
  for (const text of prompts) live.do({ do: "user", text })
  return live
}

const answer = (live: LiveLedger, ...content: ReadonlyArray<Block>): void =>
  live.do({ do: "assistant", step: 1, response: response(content, "tool_use"), costUsd: 0 })

const EXPECTED = `# Session \`Flaky test\`

- Session: \`20260923-201500-a1b2\`
- Folder: \`/home/dev/project\`
- Model: \`gpt-5\`
- Started: 2026-09-23 20:15 (UTC)

## You, 2026-09-23 20:15

> Find the flaky test

- Note: \`2 files changed since the last turn\`

## Agent, 2026-09-23 20:15

> Looking.

- \`bash\` \`ls\` — \`a.ts\`
- \`explore\` \`find tests\` — \`tests are in test/\`

> The flaky test is t1.

## You, 2026-09-23 20:15

> Now fix it

## Agent, 2026-09-23 20:15

- \`edit_file\` \`{"path":"a.ts","old":"x","new":"y"}\` — \`edited\`

> Fixed.

*Undone: the turn \`Now fix it\`*

*Done again: the turn \`Now fix it\`*

*Compacted (\`summary\`): from 160500 to 900 tokens*

*The model is \`gpt-5\` now.*

## You, 2026-09-23 20:16

> run it

## Agent, 2026-09-23 20:16

- \`bash\` \`npm test\` — failed: \`The call did not finish (the session was interrupted).\`

*The run was interrupted.*
`

describe("the document of a session", () => {
  it("of another agent has every prompt, answer and call, and notes of what happened", () => {
    assert.equal(exportMarkdown(corpus(SESSION)), EXPECTED)
  })

  it("has its times in a zone", () => {
    assert.include(exportMarkdown(corpus(SESSION), { timeZone: "Asia/Tokyo" }), "- Started: 2026-09-24 05:15 (Asia/Tokyo)")
    assert.throws(() => exportMarkdown(corpus(SESSION), { timeZone: "Nowhere/At_All" }), RangeError)
    assert.include(exportMarkdown([{ t: "no time", type: "user", message: { role: "user", content: [] } }]), "## You, `no time`")
  })

  it("is none when nobody has said anything", () => {
    assert.isUndefined(exportMarkdown([]))
    assert.isUndefined(exportMarkdown(started().records))
    assert.isUndefined(exportMarkdown([{ t: "", type: "user" }, { type: "unknown" }]))
  })

  it("leaves thinking out, and an answer that was recorded twice counts once", () => {
    const live = started("p")
    const thought = { type: "thinking", text: "a secret thought", wire: { thinking: "a secret thought" } }
    live.do({ do: "assistant", step: 1, response: response([thought, say("said")]), costUsd: 0, requestId: "r" })
    const twice = [...live.records, ...live.records.slice(-1)]
    assert.notInclude(exportMarkdown(twice) ?? "", "thought")
    assert.equal((exportMarkdown(twice) ?? "").split("said").length, 2)
  })

  it("has a line for a search and its links, for an attachment, and for a failure", () => {
    const live = new LiveLedger(LIMITS)
    live.do({ do: "user", text: "p", notes: ["a note\nof two lines"], attachments: ["src/a.ts\ncontent of it"] })
    const results = [
      { title: "A *page*", url: "https://example.com/a?b=1" },
      { title: "`odd`", url: "javascript:alert(1)" },
    ]
    answer(
      live,
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "how to" }, wire: {} },
      { type: "server_tool_result", toolUseId: "s", name: "web_search", results, wire: {} },
      { type: "server_tool_result", toolUseId: "t", name: "web_search", results: [], error: "max_uses_exceeded", wire: {} },
      { type: "tool_use", id: "c", name: "bash", input: { command: "false", timeout: 3 } },
    )
    live.do({ do: "toolResults", results: [{ toolUseId: "c", content: "\nexit 1\nmore", isError: true }], calls: [] })
    const document = documentOf(live)
    for (const line of [
      "- Note: `a note`",
      "- Attached: `src/a.ts`",
      "- `web_search` `how to`",
      "- `web_search` found 2",
      "- `A *page*` <https://example.com/a?b=1>",
      "- `` `odd` `` `javascript:alert(1)`",
      "- `web_search` failed: `max_uses_exceeded`",
      '- `bash` `{"command":"false","timeout":3}` — failed: `exit 1`',
    ])
      assert.include(document.split("\n"), line)
    assert.notInclude(document, "content of it")
  })

  it("says how a run ended that was not simply done", () => {
    const ended = (stopReason: string, steps: number): string => {
      const live = started("p")
      live.do({ do: "end", stopReason, steps })
      return documentOf(live)
    }
    assert.include(ended("max_steps", 50), "*The run ended after 50 steps: `max_steps`*")
    assert.include(ended("error", 0), "*The run ended: `error`*")
    assert.include(ended("interrupted", 0), "*The run was interrupted.*")
    assert.notInclude(ended("done", 1), "*The run")
  })

  it("marks a turn that was interrupted, with the calls that nobody answered", () => {
    const live = started("one")
    answer(live, { type: "tool_use", id: "c", name: "bash", input: { command: "sleep" } })
    assert.match(documentOf(live), /- `bash` `sleep` — no result\n\n\*The run was interrupted\.\*\n$/)
    live.do({ do: "user", text: "two" })
    const document = documentOf(live)
    assert.isBelow(document.indexOf("*The run was interrupted.*"), document.indexOf("> two"))
    assert.include(document, "- `bash` `sleep` — failed: ")
  })

  it("notes nothing where an undo, a redo or a model changed nothing", () => {
    const { records } = started("p")
    const t = "2026-09-23T20:15:00.000Z"
    const document = exportMarkdown([
      ...records,
      { t, type: "undo", after: "u" },
      { t, type: "redo" },
      { t, type: "model", sessionId: "s", root: "/w", model: "m" },
    ])
    assert.notMatch(document ?? "", /Undone|Done again|The model/)
  })
})

describe("text in a document", () => {
  it("cannot leave its quote or its code span", () => {
    assert.equal(quote("a\n\n# b\r```\r\n"), "> a\n>\n> # b\n> ```\n>")
    assert.equal(span("\n  a `b`` c  \nd"), "``` a `b`` c ```")
    assert.equal(span(" \n"), "")
    assert.equal(link("https://a.b/c"), "<https://a.b/c>")
    assert.equal(link("https://a.b/<c>"), "`https://a.b/<c>`")
  })
})
