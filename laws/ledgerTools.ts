/** The laws of what stands around a ledger session: plans of a compaction, replays of runs, the document, and what was read of files. */
import * as fc from "fast-check"
import { type Block, callId, isToolResult, isToolUse } from "../src/ledger/Block.ts"
import { due, summaryPlan, trim, trimPlan } from "../src/ledger/CompactionPlan.ts"
import { exportMarkdown } from "../src/ledger/Export.ts"
import { type FileTracker, forgetReads, makeFileTracker, noteRead, record, status, upTo } from "../src/ledger/FileTracker.ts"
import type { LedgerRecord, Message } from "../src/ledger/Record.ts"
import { replayRuns } from "../src/ledger/RunReplay.ts"
import { messages } from "../src/ledger/State.ts"
import { isObject, type JsonObject, own, ownObject, ownString } from "../src/model/Json.ts"
import { hostileSession, SAID, sayings, THOUGHT } from "./arbitraries/ledgerDocuments.ts"
import { type LiveLedger, play, response, say, scriptedSession } from "./arbitraries/ledgerRuns.ts"
import { sessionOf, talks } from "./arbitraries/ledgerTalks.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { canonical, check, expectEqual } from "./Trees.ts"

// ── LED-3 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What keeps a provider from taking a conversation; undefined when it takes it. Calls of the last answer may still be open. */
const fault = (list: ReadonlyArray<Message>): string | undefined => {
  let open = new Set<string>()
  for (const [at, { role, content: blocks }] of list.entries()) {
    if (blocks.length === 0) return `message ${at} is empty`
    const results = blocks.filter(isToolResult).map(callId)
    for (const id of results) if (!open.delete(id)) return `message ${at} answers ${id}, which is not open`
    if (role === "user" && results.length < blocks.length && open.size > 0) return `message ${at} speaks before an answer`
    if (role === "assistant") {
      if (open.size > 0) return `message ${at} comes before the results`
      open = new Set(blocks.filter(isToolUse).map(callId))
    }
  }
  return list[0]?.role === "assistant" ? "begins with an answer" : undefined
}

const units = (list: ReadonlyArray<Message>): number => JSON.stringify(list).length

const resultsIn = (list: ReadonlyArray<Message>): ReadonlyArray<readonly [id: string, content: string]> =>
  list.flatMap(({ content: blocks }) =>
    blocks.filter(isToolResult).map((block) => [callId(block), ownString(block, "content") ?? ""]),
  )

/** A trimmed result is the beginning of the one that was there, without half a character at its end. */
const expectBeginnings = (before: ReadonlyArray<Message>, after: ReadonlyArray<Message>, isCleaned: boolean): void => {
  const old = new Map(resultsIn(before))
  for (const [id, text] of resultsIn(after)) {
    const was = old.get(id) ?? ""
    if (text === was) continue
    const kept = text.slice(0, text.lastIndexOf("\n["))
    const isWhole = was.startsWith(kept) && (isCleaned ? kept.length >= 199 : true)
    check(was.length > 1_000 && isWhole && kept.length <= 200, `${id} is not the beginning`)
    check(text.isWellFormed() && text.includes(`${was.length}`), `${id} does not say how long it was`)
  }
}

/** A message as it is kept: whole, or without its thinking, and not at all when nothing is left. */
const asKept = (message: Message, dropThinking: boolean): ReadonlyArray<Message> => {
  const rest = message.content.filter((block) => block["type"] !== "thinking")
  if (!dropThinking || rest.length === message.content.length) return [message]
  return rest.length === 0 ? [] : [{ role: message.role, content: rest }]
}

const expectPlan = (session: LiveLedger, plan: ReturnType<typeof trimPlan>, dropThinking: boolean): void => {
  if (plan === undefined) return
  const { state } = session
  const before = messages(state)
  expectEqual("fault", fault(plan.messages), undefined)
  check(units(plan.messages) < units(before), "the conversation is not smaller")
  const places = before.flatMap(({ role }, at) => (role === "assistant" ? [at] : []))
  const kept = before.slice(places.at(-4)).flatMap((message) => asKept(message, dropThinking))
  const tail = plan.messages.slice(plan.messages.length - kept.length)
  expectEqual("the last four answers", tail, kept)
  const first = plan.messages.findIndex((message, at) => message !== before[at])
  const hasThinking = plan.messages.slice(first).some(({ content: blocks }) => blocks.some(({ type }) => type === "thinking"))
  check(!dropThinking || !hasThinking, "thinking is left behind a change")
  session.do({ do: "compact", ...plan })
  expectEqual("the conversation", messages(session.state), plan.messages)
  check(session.state.contextTokens === plan.afterTokens, "the context has another size")
  check(session.state.readsForgotten === state.readsForgotten + 1, "what was read is not forgotten")
}

const led3 = (budget: Budget): void => {
  const coverage = new Coverage()
  const sizes = fc.constantFrom(0, 1_000, 119_000, 160_001, 200_000)
  const summary = fc.constantFrom<ReadonlyArray<Block>>([say("what happened")], [], [say(" ")], [say("s".repeat(9_000))])
  fc.assert(
    fc.property(talks, sizes, summary, fc.boolean(), fc.boolean(), (turns, contextTokens, said, isCleaned, dropThinking) => {
      const trimming = sessionOf(turns, contextTokens)
      const before = messages(trimming.state)
      if (fault(before) !== undefined) throw new Error(`the generator made an invalid conversation: ${fault(before)}`)
      const plan = trimPlan(trimming.state, 200_000, { ...(isCleaned ? { clean: (text) => text } : {}), dropThinking })
      if (plan !== undefined) {
        expectBeginnings(before, plan.messages, isCleaned)
        check(dropThinking || plan.messages.length === before.length, "a message is gone")
        const trimmed = trim(before, before.length - 1)
        expectEqual("trimmed twice", trim(trimmed, before.length - 1), trimmed)
      }
      expectPlan(trimming, plan, dropThinking)
      const summing = sessionOf(turns, contextTokens)
      const summed = summaryPlan(summing.state, response(said, "end_turn", 5), { costUsd: 0.5, dropThinking })
      expectPlan(summing, summed, dropThinking)
      coverage.hit("trimmed", plan !== undefined)
      coverage.hit("a search as text", plan !== undefined && canonical(plan.messages).includes("Earlier web_search"))
      coverage.hit("summarised", summed !== undefined)
      coverage.hit("nothing to do", plan === undefined && summed === undefined)
      coverage.hit("due", due(summing.state, 200_000))
      coverage.hit("thinking that goes", dropThinking && plan !== undefined && canonical(before).includes('"type":"thinking"'))
      coverage.hit("open calls", before.at(-1)?.content.some(isToolUse))
    }),
    parameters(budget),
  )
  coverage.demand(budget, [
    "trimmed",
    "a search as text",
    "summarised",
    "nothing to do",
    "due",
    "thinking that goes",
    "open calls",
  ])
}

// ── LED-4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Single changes of a record that a replay must see. Undefined where a record has nothing of the kind. */
const changes: Readonly<Record<string, (record: JsonObject) => JsonObject | undefined>> = {
  "stop of a run": (each) =>
    each["type"] === "end" ? { ...each, stopReason: each["stopReason"] === "done" ? "refusal" : "done" } : undefined,
  "stop that was cut short": (each) => (each["type"] === "end" ? { ...each, stopReason: "interrupted" } : undefined),
  "number of steps": (each) => (each["type"] === "end" ? { ...each, steps: Number(each["steps"]) + 1 } : undefined),
  "stop of an answer": (each) => {
    const answer = ownObject(each, "response")
    if (answer === undefined) return undefined
    const isPlain = ["end_turn", "other"].includes(String(answer["stopReason"]))
    return { ...each, response: { ...answer, stopReason: isPlain ? "tool_use" : "end_turn" } }
  },
  "name of a call": (each) => changedBlock(each, "response", isToolUse, (call) => ({ ...call, name: "another" })),
  "id of a call": (each) => changedBlock(each, "response", isToolUse, (call) => ({ ...call, id: "another" })),
  "call of a result": (each) =>
    each["type"] === "tool_results"
      ? changedBlock(each, "message", isToolResult, (it) => ({ ...it, toolUseId: "another" }))
      : undefined,
  "loss of an answer": (each) => (each["type"] === "assistant" ? { t: "", type: "gone" } : undefined),
  "loss of results": (each) =>
    each["type"] === "tool_results" && each["synthetic"] !== true ? { t: "", type: "gone" } : undefined,
}

const changedBlock = (
  record: JsonObject,
  holder: string,
  is: (block: Block) => boolean,
  change: (block: Block) => Block,
): JsonObject | undefined => {
  const held = ownObject(record, holder)
  const blocks = own(held ?? {}, "content")
  if (record["synthetic"] === true || held === undefined || !Array.isArray(blocks)) return undefined
  const at = blocks.findLastIndex((block) => isObject(block) && is(block))
  if (at < 0) return undefined
  return { ...record, [holder]: { ...held, content: blocks.with(at, change(blocks[at] as Block)) } }
}

const led4 = (budget: Budget): void => {
  const coverage = new Coverage()
  const kinds = Object.keys(changes)
  fc.assert(
    fc.property(scriptedSession, fc.constantFrom(...kinds), fc.nat(), (script, kind, pick) => {
      const [session, outcomes] = play(script)
      const { records } = session
      const replayed = replayRuns(records)
      expectEqual("problems", replayed.problems, [])
      expectEqual("runs", [replayed.runs, replayed.matches], [script.runs.length, true])
      expectEqual(
        "steps",
        replayed.steps,
        outcomes.reduce((sum, { steps }) => sum + steps, 0),
      )
      expectEqual("the conversation", messages(session.state), outcomes.at(-1)?.messages)
      for (const { stopReason } of outcomes) coverage.hit(stopReason)
      for (const { type, stage } of records) coverage.hit(`${type}${stage === undefined ? "" : ` ${stage}`}`)
      const possible = records.flatMap((each, at) => (changes[kind]?.(each) === undefined ? [] : [at]))
      const at = possible[pick % possible.length]
      const broken = at === undefined ? undefined : changes[kind]?.(records[at] as LedgerRecord)
      if (at === undefined || broken === undefined) return
      coverage.hit(kind)
      const run = records.slice(0, at).filter(({ type }) => type === "user").length
      const { matches, problems } = replayRuns(records.with(at, broken))
      check(
        !matches && problems.some((problem) => problem.run === run),
        `${kind} in run ${run} is not seen: ${canonical(problems)}`,
      )
      check(
        problems.every((problem) => problem.run >= run),
        `${kind} in run ${run} is blamed on an earlier one`,
      )
    }),
    parameters(budget),
  )
  const stops = ["done", "max_steps", "token_budget", "repeated_calls", "refusal", "max_tokens"]
  const types = ["compaction trim", "compaction summary", "continue", "undo", "redo", "model", "resume", "unreported"]
  coverage.demand(budget, [...stops, ...types, ...kinds])
}

// ── LED-5 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const LINE_END = /\r\n|[\r\n\u2028\u2029]/

/** A line without its code spans and links, as CommonMark reads them. */
const outside = (line: string): string => {
  let rest = ""
  for (let at = 0; at < line.length; ) {
    const ticks = /^`+/.exec(line.slice(at))?.[0]
    const address = /^<https?:[^\s<>]*>/.exec(line.slice(at))?.[0]
    if (ticks === undefined) {
      if (address === undefined) rest += line[at]
      at += address?.length ?? 1
      continue
    }
    const behind = line.slice(at + ticks.length)
    const close = [...behind.matchAll(/`+/g)].find(([found]) => found.length === ticks.length)
    if (close === undefined) rest += ticks
    at += ticks.length + (close === undefined ? 0 : close.index + ticks.length)
  }
  return rest
}

const led5 = (budget: Budget): void => {
  const coverage = new Coverage()
  fc.assert(
    fc.property(sayings, fc.boolean(), (given, isError) => {
      const { prompt, said } = given
      const document = exportMarkdown(hostileSession(given, isError)) ?? ""
      const lines = document.split(LINE_END)
      const own = lines.filter((line) => !line.startsWith(">"))
      for (const line of own) check(!outside(line).includes(SAID), `stands in the document as it is: ${line}`)
      check(!document.includes(THOUGHT), "thinking is in the document")
      const headings = own.filter((line) => line.startsWith("#")).map((line) => line.replace(/ `.*/, ""))
      expectEqual(
        "headings",
        headings.map((line) => line.split(",")[0]),
        ["# Session", "## You", "## Agent"],
      )
      const quoted = lines.filter((line) => line.startsWith(">")).map((line) => line.replace(/^> ?/, ""))
      const wanted = [prompt, ...(said.trim() === "" ? [] : [said])].flatMap((text) => text.split(LINE_END))
      expectEqual("quotes", quoted, wanted)
      coverage.hit("a fence", prompt.includes("```"))
      coverage.hit("a comment", said.includes("<!--"))
      coverage.hit(
        "backticks in a line",
        lines.some((line) => line.startsWith("- ``")),
      )
      coverage.hit(
        "said in a line",
        own.some((line) => line.includes(SAID)),
      )
    }),
    parameters(budget),
  )
  coverage.demand(budget, ["a fence", "a comment", "backticks in a line", "said in a line"])
}

// ── LED-6 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const paths = fc.constantFrom("a", "a|1", "a|1|2", "1", "", "__proto__", "constructor")
const contents = fc.constantFrom("", "one", "two")
const numbers = fc.constantFrom(undefined, 0, 1, 2, 12)

type Act =
  | { readonly act: "record"; readonly path: string; readonly content: string }
  | {
      readonly act: "read"
      readonly path: string
      readonly content: string
      readonly range: readonly [number | undefined, number | undefined]
    }
  | { readonly act: "forget" | "move" }

const acts: fc.Arbitrary<ReadonlyArray<Act>> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ act: fc.constant("record" as const), path: paths, content: contents }) },
    {
      weight: 6,
      arbitrary: fc.record({
        act: fc.constant("read" as const),
        path: paths,
        content: contents,
        range: fc.tuple(numbers, numbers),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constantFrom("forget" as const, "move" as const) }) },
  ),
  { maxLength: 60 },
)

/** What was done, told from the whole of it: the reads since the last forgetting, and the last content of each file. */
const led6 = (budget: Budget): void => {
  const coverage = new Coverage()
  fc.assert(
    fc.property(acts, (all) => {
      let tracker: FileTracker = makeFileTracker((text) => `#${text}`)
      let reads: ReadonlyArray<Act> = []
      let records: ReadonlyArray<Act & { readonly act: "record" }> = []
      let moved = 0
      for (const act of all) {
        const before = canonical([...tracker.reads])
        const old = tracker
        if (act.act === "record") {
          tracker = record(tracker, act.path, act.content)
          records = [...records, act]
        } else if (act.act === "read") {
          const same = reads.findLast(
            (each) => each.act === "read" && canonical([each.path, each.range]) === canonical([act.path, act.range]),
          )
          const wanted = same?.act === "read" && same.content === act.content
          const [known, next] = noteRead(tracker, act.path, act.content, ...act.range)
          expectEqual("known", known, wanted)
          coverage.hit("known", known)
          coverage.hit("another content", same !== undefined && !known)
          tracker = next
          reads = [...reads, act]
        } else {
          tracker = act.act === "forget" ? forgetReads(tracker) : upTo(tracker, ++moved)
          reads = []
          coverage.hit(act.act)
        }
        check(upTo(tracker, moved) === tracker, "a state that has not moved forgets")
        expectEqual("the tracker that was given", canonical([...old.reads]), before)
      }
      for (const { path } of records) {
        const known = records.findLast((each) => each.path === path)?.content
        for (const content of ["", "one", "two"])
          expectEqual("status", status(tracker, path, content), content === known ? "current" : "changed")
      }
      expectEqual("status", status(tracker, "never seen", ""), "unread")
    }),
    parameters(budget),
  )
  coverage.demand(budget, ["known", "another content", "forget", "move"])
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "LED-3",
    sentence:
      "A planned compaction leaves a valid conversation, keeps the last four answers and their results whole, but for thinking where the host says so, and always makes it smaller.",
    runs: 1_500,
    check: led3,
  },
  {
    id: "LED-4",
    sentence:
      "A session that the reference loop made replays without a problem, and a single change to a stop reason, a number of steps, a call or the call of a result is named with its run.",
    runs: 2_000,
    check: led4,
  },
  {
    id: "LED-5",
    sentence:
      "Nothing that was said in a session can pass for a part of its document: it stands in a quote, a code span or a link; prompts and answers stand in full, thinking nowhere.",
    runs: 2_000,
    check: led5,
  },
  {
    id: "LED-6",
    sentence:
      "A range of a file is known if and only if it was read last with the same content since reads were forgotten; a file is current if and only if its content is the last that was recorded.",
    runs: 2_000,
    check: led6,
  },
]
