/** The laws of the ledger session: undo, accounting and the fold. Records only, no files. */
import { isDeepStrictEqual } from "node:util"
import * as fc from "fast-check"
import { costText, costUsd, isCostIncomplete, totalTokens, usedTokens } from "../src/ledger/Accounting.ts"
import { isThinking } from "../src/ledger/Block.ts"
import type { LedgerCommand } from "../src/ledger/Command.ts"
import { evolve, inspect } from "../src/ledger/Evolution.ts"
import { ledgerModel } from "../src/ledger/LedgerModel.ts"
import { classify, type LedgerRecord, type Message } from "../src/ledger/Record.ts"
import { type LedgerState, messages } from "../src/ledger/State.ts"
import type { JsonObject } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import { replay } from "../src/model/Model.ts"
import { rawRecords, recordsOf, run, steps } from "./arbitraries/ledger.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import {
  after,
  carryOut,
  check,
  decided,
  expectSame,
  inOrder,
  isResume,
  Kept,
  law,
  observe,
  redactorOfLaws,
  throughRedaction,
} from "./Ledgers.ts"
import { booksOf } from "./references/accountant.ts"
import { Turns } from "./references/turns.ts"
import { expectOpenCodec, rpl2 } from "./replay.ts"

const shown = (state: LedgerState) => {
  const { conversation, contextTokens, undo } = observe(state)
  return { conversation, contextTokens, undo }
}

const withoutThinkingIn = (all: ReadonlyArray<Message>): ReadonlyArray<Message> =>
  all
    .map((message) => ({ ...message, content: message.content.filter((block) => !isThinking(block)) }))
    .filter(({ content }) => content.length > 0)

/** What an undo or a redo did, against what the turns of the messages say. */
const judgeUndo = (turns: Turns, before: LedgerState, now: LedgerState, coverage: Coverage): void => {
  const point = turns.last
  if (point === undefined) throw new Error("a turn was undone that nobody knows")
  const [was, is] = [messages(before), messages(now)]
  coverage.hit(point.isAttached ? "undo" : "undo behind a compaction")
  if (!point.isAttached) {
    expectSame("the conversation behind a compaction", is, was)
    expectSame("the size behind a compaction", now.contextTokens, before.contextTokens)
    return
  }
  const of = turns.of(was)
  coverage.hit("undo of several messages", is.length < was.length - 1)
  coverage.hit("undo of nothing", is.length === was.length)
  expectSame(
    "what an undo leaves",
    is,
    was.filter((_, at) => (of[at] ?? 0) < point.turn),
  )
  expectSame("the size after an undo", now.contextTokens, point.contextTokens)
}

const undo = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(steps, (given) => {
    const kept = new Kept(undefined)
    const turns = new Turns()
    const saved: Array<{ readonly state: LedgerState; isWhole: boolean }> = []
    let resumes = 0
    const tell = (record: LedgerRecord): void => {
      const before = kept.live
      const now = evolve(before, record)
      const { type } = record
      if (type === "undo") {
        judgeUndo(turns, before, now, coverage)
        saved.push({ state: before, isWhole: true })
        coverage.hit("undo after resumes", resumes > 1)
      }
      if (type === "redo") judgeRedo(saved.pop(), turns, before, now, coverage)
      if (type === "model" || type === "resume") for (const entry of saved) entry.isWhole = false
      const grew = ["assistant", "tool_results", "continue"].includes(String(type)) && now.conversation !== before.conversation
      turns.read(record, before.contextTokens, grew)
      if (turns.next === undefined) saved.length = 0
    }
    const around = (_: number, command: LedgerCommand, dispatch: () => unknown): void => {
      if (isResume(command)) resumes++
      dispatch()
      const state = kept.live
      check(turns.points === state.undo.points.length, "the number of turns", [turns.points, state.undo.points.length])
      if (turns.points > 0)
        expectSame(
          "what an undo and a redo leave",
          shown(after(after(state, { do: "undo", after: "x" }), { do: "redo" })),
          shown(state),
        )
    }
    carryOut(kept, given, around, tell)
  })
  fc.assert(property, parameters(budget))
  const classes = ["undo", "undo behind a compaction", "undo of several messages", "undo of nothing", "undo after resumes"]
  coverage.demand(budget, [...classes, "redo", "redo after a model or a resume", "redo without thinking"], 300)
}

const judgeRedo = (
  saved: { readonly state: LedgerState; readonly isWhole: boolean } | undefined,
  turns: Turns,
  before: LedgerState,
  now: LedgerState,
  coverage: Coverage,
): void => {
  if (saved === undefined || turns.next === undefined) throw new Error("a turn was redone that nobody knows")
  coverage.hit("redo")
  if (!turns.next.isAttached) {
    expectSame("the conversation behind a compaction", messages(now), messages(before))
    return
  }
  expectSame("the size after a redo", now.contextTokens, saved.state.contextTokens)
  if (saved.isWhole) {
    expectSame("the conversation after a redo", shown(now).conversation, shown(saved.state).conversation)
    return
  }
  coverage.hit("redo after a model or a resume")
  const [is, was] = [messages(now), messages(saved.state)]
  coverage.hit("redo without thinking", was.length > before.conversation.length && !isDeepStrictEqual(is, was))
  expectSame("the words after a redo", withoutThinkingIn(is), withoutThinkingIn(was))
}

const figures = ({ accounting }: LedgerState) => ({
  reported: totalTokens(accounting.usage),
  unreported: accounting.unreportedTokens,
  pending: [...accounting.childDebits].sort(),
  used: usedTokens(accounting),
})

const cost = ({ accounting }: LedgerState) => [costText(accounting), costUsd(accounting) ?? null, isCostIncomplete(accounting)]

const judgeFigures = (state: LedgerState, records: ReadonlyArray<JsonObject>): void => {
  const { reported, unreported, pending, used } = booksOf(records)
  expectSame("the tokens", figures(state), { reported, unreported, pending, used })
}

/** Whether a record may come a second time without being charged: everything in it that costs names its request. */
const isRepeatable = (record: JsonObject): boolean => {
  const calls = Array.isArray(record["calls"]) ? (record["calls"] as ReadonlyArray<JsonObject>) : []
  const reports = calls.flatMap(({ subagent }) => (subagent === undefined ? [] : [subagent as JsonObject]))
  if (reports.length > 0) return reports.every((report) => report["requestId"] !== undefined)
  return record["requestId"] !== undefined
}

/** The process dies behind a record; the next one charges what was under way, once, also when it dies over that. */
const judgeCrash = (records: ReadonlyArray<JsonObject>, cut: number, again: number, coverage: Coverage): void => {
  const left = records.slice(0, cut)
  const books = booksOf(left)
  const lost = [...books.open.values()].reduce((sum, tokens) => sum + tokens, 0)
  coverage.hit("a crash with requests under way", lost > 0)
  const resumed = decided(replay(ledgerModel, left), { do: "resume" })
  const partly = replay(ledgerModel, [...left, ...resumed.slice(0, again % (resumed.length + 1))])
  const twice = after(partly, { do: "resume" })
  for (const state of [replay(ledgerModel, [...left, ...resumed]), twice]) {
    expectSame("what is used after a crash", usedTokens(state.accounting), books.used + lost)
    check(state.accounting.reservations.size === 0, "a reservation survives a resume")
  }
}

const tokens = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(steps, fc.array(fc.nat(), { minLength: 7, maxLength: 7 }), fc.nat(), (given, places, cut) => {
    const all: Array<LedgerRecord> = []
    const final = run(given, ({ command, before, records }) => {
      let state = before
      for (const record of records) {
        all.push(record)
        state = evolve(state, record)
        judgeFigures(state, all)
        for (const kind of inspect(before, record)) throw new Error(`a decided record is damage: ${kind}`)
      }
      const { do: name, requestId, usageReported } = command as { do: string; requestId?: string; usageReported?: boolean }
      const isSure = requestId !== undefined && usageReported !== false
      if (isSure) check(decided(state, command).length === 0, `${name} was written twice`, command)
      coverage.hit("a request told twice", isSure && records.length > 0)
      coverage.hit(`wrote ${String(records.at(-1)?.["type"])}`)
      return state
    })
    let repeated = [...all]
    let moved = 0
    for (const [n, record] of all.entries()) {
      if (!isRepeatable(record)) continue
      const from = n + ++moved
      const to = from + ((places[n % places.length] ?? 0) % (repeated.length - from + 1))
      repeated = repeated.toSpliced(to, 0, record)
    }
    const again = replay(ledgerModel, repeated)
    expectSame("the tokens with lines that came twice", figures(again), figures(final))
    expectSame("the cost with lines that came twice", cost(again), cost(final))
    coverage.hit("lines that came twice", moved > 2)
    coverage.hit("pending debits", final.accounting.childDebits.size > 0)
    judgeCrash(all, 1 + (cut % all.length), cut, coverage)
  })
  fc.assert(property, parameters(budget))
  const written = ["reserve", "unreported", "child_debit", "side_usage", "assistant", "tool_results", "compaction"]
  const classes = ["a request told twice", "lines that came twice", "pending debits", "a crash with requests under way"]
  coverage.demand(budget, [...classes, ...written.map((type) => `wrote ${type}`)], 300)
}

const dollars = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(steps, (given) => {
    const all: Array<LedgerRecord> = []
    let live = ledgerModel.initial
    for (const record of recordsOf(given)) {
      all.push(JSON.parse(JSON.stringify(record)) as LedgerRecord)
      live = evolve(live, record)
      const { usd, isPriced, isIncomplete } = booksOf(all)
      const [text, known, isMinimum] = cost(live)
      check(typeof text === "string" && isMinimum === isIncomplete, "whether the cost is complete", [text, isMinimum])
      check(known === (isPriced ? usd : null), "the cost", [known, isPriced, usd])
      const form = isPriced ? (isIncomplete ? /^≥ \$\d+\.\d{2,4} \(incomplete\)$/ : /^\$\d+\.\d{2,4}$/) : /^unknown$/
      check(form.test(String(text)), "the cost in words", text)
      coverage.hit(isPriced ? (isIncomplete ? "a minimum" : usd > 0 ? "exact" : "nothing yet") : "unknown")
    }
    expectSame("the cost after a replay", cost(replay(ledgerModel, all)), cost(live))
  })
  fc.assert(property, parameters(budget))
  coverage.demand(budget, ["a minimum", "exact", "nothing yet", "unknown"], 200)
}

const liveAndFile = (budget: Budget): void => {
  const coverage = new Coverage()
  const redactor = redactorOfLaws()
  const property = fc.property(steps, (given) => {
    const kept = new Kept(redactor)
    carryOut(kept, given, (_, command, dispatch) => {
      for (const record of dispatch()) coverage.hit(`wrote ${String(record["type"])}`)
      expectSame(`the replay after ${command.do}`, throughRedaction(redactor, kept.file), throughRedaction(redactor, kept.live))
      coverage.hit("redacted", kept.lines.at(-1)?.includes('"redacted":') === true)
    })
    for (const line of kept.lines) check(!line.includes("hunter2-"), "a secret is in a line", line)
  })
  fc.assert(property, parameters(budget))
  const types = [
    "start",
    "resume",
    "model",
    "user",
    "assistant",
    "tool_results",
    "compaction",
    "snapshot",
    "undo",
    "redo",
    "title",
  ]
  const more = ["thinking", "continue", "reserve", "unreported", "child_debit", "side_usage", "end"]
  coverage.demand(budget, ["redacted", ...[...types, ...more].map((type) => `wrote ${type}`)], 300)
}

const open = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(rawRecords, (records) => {
    let state = ledgerModel.initial
    for (const record of records) {
      expectOpenCodec(ledgerModel, record)
      const text = toText(record)
      expectSame("a record that was read", toText(ledgerModel.codec.encode(ledgerModel.codec.decode(JSON.parse(text)))), text)
      const now = evolve(state, record)
      const classified = classify(record)
      coverage.hit(classified._tag)
      coverage.hit("strangers", text.includes('"__proto__":'))
      if (classified._tag !== "Known")
        expectSame("what has no effect", observe(now), { ...observe(state), count: state.count + 1 })
      check(now.count === state.count + 1, "a record was not counted")
      state = now
    }
  })
  fc.assert(property, parameters(budget))
  coverage.demand(budget, ["Known", "Unusable", "Unknown", "strangers"], 300)
}

export const laws: ReadonlyArray<Law> = [
  law(
    "LED-1",
    "Undo then redo is the identity on the conversation, ids and size included; undo cuts exactly the turn, whatever models and resumes have dropped, and behind a compaction nothing.",
    2_000,
    undo,
  ),
  law(
    "ACC-1",
    "Tokens used are reported usage, unreported reservations and pending child debits, as an accountant with a book for each request and each child has them; nothing is charged twice or lost, with repeated commands, repeated lines, and a crash anywhere.",
    1_000,
    tokens,
  ),
  law(
    "ACC-2",
    "Cost is a known minimum and whether it is complete; only a missing price makes it unknown; the replay and the words say the same.",
    1_000,
    dollars,
  ),
  law(
    "RPL-5",
    "For the ledger: the replay of what was written equals the live state seen through redaction, after every command and any number of resumes.",
    600,
    liveAndFile,
  ),
  {
    ...rpl2({
      name: "ledger",
      model: ledgerModel,
      records: rawRecords,
      observe: (state) => ({ ...observe(state), redacted: inOrder(state).map(({ redacted }) => redacted.size > 0) }),
      runs: 600,
      deepRuns: 30_000,
    }),
    id: "RPL-6",
  },
  law(
    "RPL-7",
    "For the ledger: unknown types and members survive reading and writing byte for byte, and what cannot be used has no effect.",
    1_500,
    open,
  ),
]
