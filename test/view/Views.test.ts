import { readFileSync } from "node:fs"
import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { replay } from "../../src/model/Model.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { treeModel } from "../../src/tree/TreeModel.ts"
import { contextLines } from "../../src/view/ContextView.ts"
import { damageLines, damageSentence } from "../../src/view/DamageView.ts"
import { failureLines } from "../../src/view/FailureView.ts"
import { previewEntry } from "../../src/view/Preview.ts"
import { stepLines } from "../../src/view/StepView.ts"
import { plain } from "../../src/view/Style.ts"
import { summarise } from "../../src/view/Summary.ts"
import { summaryLines } from "../../src/view/SummaryView.ts"
import { treeJson } from "../../src/view/TreeJson.ts"
import { width } from "../../src/view/Width.ts"

const stateOf = (records: ReadonlyArray<JsonObject>): TreeState => replay(treeModel, records)

const fixture = (name: string): TreeState =>
  stateOf(
    readFileSync(`test/fixtures/${name}`, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as JsonObject),
  )

const message = (content: JsonObject): JsonObject => ({ type: "message", message: content })

describe("the preview of an entry", () => {
  test("shows how it begins, what it calls and what failed", () => {
    const call = { type: "toolCall", id: "1", name: "bash", arguments: { timeout: "9", command: "ls\n-l" } }
    const shown = [
      message({ role: "user", content: "hello\nworld" }),
      message({
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", data: "AAAA" },
        ],
      }),
      message({ role: "assistant", content: [{ type: "thinking", thinking: "hm" }], stopReason: "stop" }),
      message({ role: "assistant", content: [{ type: "text", text: "I look." }, call], stopReason: "toolUse" }),
      message({ role: "assistant", content: [], stopReason: "aborted" }),
      message({ role: "toolResult", toolName: "read", content: [{ type: "text", text: "no such file" }], isError: true }),
      message({ role: "bashExecution", command: "git status" }),
      { type: "model_change", provider: "anthropic", modelId: "claude" },
      { type: "model_change", model: "openai/gpt", role: "smol" },
      { type: "thinking_level_change", thinkingLevel: null },
      { type: "label", targetId: "x" },
      { type: "of_the_future", text: "unknown" },
      {},
    ].map(previewEntry)
    expect(shown.map(({ kind, text, failed }) => `${failed ? "!" : ""}${kind}: ${text}`)).toEqual([
      "user: hello world",
      "user: look [image]",
      "assistant: (thinking)",
      "assistant: I look. → bash ls -l",
      "!assistant: (aborted)",
      "!tool: read: no such file",
      "shell: $ git status",
      "model: anthropic/claude",
      "model: openai/gpt (smol)",
      "thinking: off",
      "label: (cleared)",
      "of the future: ",
      "entry: ",
    ])
  })

  test("looks at the beginning only", () => {
    expect(previewEntry(message({ role: "user", content: "x".repeat(50_000_000) })).text.length).toBe(400)
  })
})

describe("the summary", () => {
  const source = { path: "s.jsonl", dialect: "gjc", version: 5, damages: [], records: 27, bytes: 6_356 } as const

  test("adds up what the session holds", () => {
    const summary = summarise({ ...source, state: fixture("gjc/v5.jsonl") })
    expect(summary).toMatchObject({
      title: "Mine",
      titleSource: "user",
      model: "anthropic/claude-sonnet-4-5",
      thinkingLevel: "high",
      counts: { records: 27, entries: 24, messages: 10, roots: 1, branches: 3 },
      leaf: "c28142e2",
      labels: { b0d6daf4: "good" },
      context: { messages: 5 },
      cost: { incomplete: false },
    })
    expect(summary.modified).toBe("2026-11-30T13:38:53.659Z")
  })

  test("says what it does not know", () => {
    const answer = { type: "message", id: "a", parentId: null, timestamp: "x", message: { role: "assistant", content: [] } }
    const summary = summarise({ ...source, state: stateOf([{ type: "session", id: "s", version: 5 }, answer]) })
    expect(summary).toMatchObject({ title: null, created: null, modified: null, model: null, cost: { incomplete: true } })
    expect(summary.cost).not.toHaveProperty("usd")
    const text = summaryLines(summary, { style: plain, columns: 80 }).join("\n")
    expect(text).toContain("(no title)")
    expect(text).toContain("cost     unknown")
    expect(text).toContain("time     unknown")
  })

  test("keeps names and titles on their line", () => {
    const header = { type: "session", id: "s\nx", version: 5, title: "a\u001b[31m\nb", starred: true, cwd: "/a\nb" }
    const lines = summaryLines(summarise({ ...source, state: stateOf([header]) }), { style: plain, columns: 80 })
    expect(lines[0]).toBe("a\\x1b[31m b ★")
    for (const line of lines) expect(line).not.toContain("\n")
  })
})

describe("the context", () => {
  const context = Result.getOrThrow(buildSessionContext(fixture("gjc/v5.jsonl")))
  const state = stateOf([
    { type: "session", id: "s", version: 5 },
    {
      type: "message",
      id: "a",
      parentId: null,
      timestamp: "t",
      message: { role: "user", content: Array(20).fill("line").join("\n") },
    },
  ])

  test("has a heading for each message", () => {
    const text = [...contextLines(context, { style: plain, columns: 80, full: false })]
    expect(text[1]).toBe("anthropic/claude-sonnet-4-5, openai/gpt-5 (executor) · thinking high")
    expect(text.filter((line) => /^\d+\. /.test(line))).toEqual([
      "1. compactionSummary",
      "2. user",
      "3. assistant  claude-sonnet-4-5, stop",
      "4. user",
      "5. assistant  claude-sonnet-4-5, aborted",
    ])
  })

  test("says how many lines it leaves out", () => {
    const lines = (full: boolean) => [
      ...contextLines(Result.getOrThrow(buildSessionContext(state)), { style: plain, columns: 80, full }),
    ]
    expect(lines(false).at(-1)).toBe("  … 14 more lines")
    expect(lines(true).filter((line) => line === "  line")).toHaveLength(20)
  })
})

test("the tree as JSON is one value", () => {
  const text = [...treeJson(fixture("pi/v3-fork.jsonl"), { schemaVersion: 1 })].join("")
  expect(JSON.parse(text)).toMatchObject({
    schemaVersion: 1,
    roots: [{ id: "448f4f8b", type: "model_change", children: [{ id: "05fa8646" }] }],
  })
  expect(JSON.parse([...treeJson(stateOf([]), {})].join(""))).toEqual({ roots: [] })
})

test("damage is listed up to a bound, then counted", () => {
  const damages = Array.from({ length: 30 }, (_, n) => ({ line: n + 1, offset: 1_000 * n, length: 10, kind: "glued" }) as const)
  const lines = damageLines(damages, plain)
  expect(lines).toHaveLength(21)
  expect(lines[20]).toBe("… and 10 more damages")
  expect(damageSentence([...damages, { line: 1, offset: 0, length: 1, kind: "torn-tail" }])).toBe(
    "31 damages: 30 glued, 1 torn-tail",
  )
})

test("a failure says what, where, what is safe, what next and the code", () => {
  const report = { code: "x.y", message: "/s: it broke", path: "/s", line: 1_234, offset: 99, safe: "All.", remedy: "Try." }
  expect(failureLines(report, plain)).toEqual([
    "✗ /s: it broke",
    "  at    /s, line 1,234, byte 99",
    "  safe  All.",
    "  next  Try.",
    "  code  x.y",
  ])
  expect(failureLines({ code: "x.y", message: "a\u001bb\nc", safe: "", remedy: "" }, plain).slice(0, 2)).toEqual([
    "✗ a\\x1bb",
    "  c",
  ])
})

test("a step is laid out within its columns", () => {
  const step = { name: "Do it", ok: true, detail: ["word ".repeat(60).trim(), "short"], took: 1_234 }
  const lines = stepLines(step, 3, plain, 80)
  expect(lines[0]).toMatch(/^✓ 3 {2}Do it +1\.2 s$/)
  expect(lines.map(width).every((columns) => columns <= 80)).toBe(true)
  expect(lines.filter((line) => line.startsWith("     · "))).toHaveLength(2)
  expect(stepLines({ ...step, ok: false }, 3, plain, 80)[0]?.startsWith("✗")).toBe(true)
})
