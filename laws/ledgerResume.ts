/** The laws of a ledger session that is gone on with: its calls and their results, and its thinking. Records only, no files. */
import * as fc from "fast-check"
import { type Block, callId, isThinking, wireOf } from "../src/ledger/Block.ts"
import type { LedgerCommand } from "../src/ledger/Command.ts"
import { ledgerModel } from "../src/ledger/LedgerModel.ts"
import type { LedgerRecord, Message } from "../src/ledger/Record.ts"
import { repaired } from "../src/ledger/Repair.ts"
import { type LedgerState, messages } from "../src/ledger/State.ts"
import { replay } from "../src/model/Model.ts"
import { hasMarker } from "../src/redaction/Marker.ts"
import { rawRecords, type Step, steps } from "./arbitraries/ledger.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { after, carryOut, check, expectSame, inOrder, isResume, Kept, law, redactorOfLaws, refusal } from "./Ledgers.ts"

const signatureOf = (block: Block): string => String(wireOf(block)["signature"] ?? wireOf(block)["data"])

/** What a law knows of thinking and of redaction without asking the state. */
class Thoughts {
  readonly #made = new Map<string, { readonly text: string; readonly model: string }>()
  readonly #dirty = new Set<string>()

  made(block: Block, model: string): void {
    this.#made.set(signatureOf(block), { text: JSON.stringify(block), model })
  }

  of(block: Block): { readonly text: string; readonly model: string } | undefined {
    return this.#made.get(signatureOf(block))
  }

  /** Whether a message is not what a model saw: it differs from what was said, or says again what did. */
  isDirty(said: Message | undefined, read: Message): boolean {
    const text = JSON.stringify(read)
    const marks = text.match(/#\d+\. \S/g) ?? []
    const isDirty = JSON.stringify(said) !== text || (hasMarker(text) && marks.some((mark) => this.#dirty.has(mark)))
    if (isDirty) for (const mark of marks) this.#dirty.add(mark)
    return isDirty
  }
}

const judgeThinking = (
  thoughts: Thoughts,
  said: LedgerState,
  read: LedgerState,
  now: LedgerState,
  isLegacy: boolean,
  isWhole: boolean,
  coverage: Coverage,
): void => {
  const [spoken, stored] = [inOrder(said), inOrder(read)]
  const dirty = stored.flatMap(({ id, message }, at) =>
    (isLegacy ? hasMarker(JSON.stringify(message)) : thoughts.isDirty(spoken[at]?.message, message)) ? [id] : [],
  )
  const first = dirty[0] ?? Number.POSITIVE_INFINITY
  const model = now.start?.model
  const kept = inOrder(now).flatMap(({ id, message }) => message.content.filter(isThinking).map((block) => ({ id, block })))
  for (const { id, block } of kept) {
    const origin = thoughts.of(block)
    check(id < first, "thinking is kept behind what redaction changed", block)
    check(origin?.text === JSON.stringify(block), "thinking is not what it was", [block, origin])
    check(origin?.model === model, "thinking of another model is kept", [block, origin, model])
  }
  const before = stored.flatMap(({ id, message }) => message.content.filter((block) => isThinking(block) && id < first))
  coverage.hit(`thinking kept${dirty.length > 0 ? " before a redaction" : ""}`, kept.length > 0)
  coverage.hit(
    "thinking dropped behind a redaction",
    stored.some(({ id, message }) => id >= first && message.content.some(isThinking)),
  )
  coverage.hit("thinking of another model dropped", before.length > 0 && kept.length === 0)
  coverage.hit(
    "a marker that is only mentioned",
    !isLegacy && kept.some(({ id }) => stored.some((turned) => turned.id < id && hasMarker(JSON.stringify(turned.message)))),
  )
  coverage.hit(
    "sealed thinking kept",
    kept.some(({ block }) => wireOf(block)["type"] === "redacted_thinking"),
  )
  coverage.hit("without marks", isLegacy && dirty.length > 0)
  if (isWhole && read.start?.model === model)
    expectSame(
      "thinking that may stay",
      kept.map(({ block }) => block),
      before,
    )
}

const thinking = (budget: Budget): void => {
  const coverage = new Coverage()
  const redactor = redactorOfLaws()
  const property = fc.property(steps, fc.integer({ min: 0, max: 2 }), (given, mode) => {
    const isLegacy = mode === 2
    const kept = new Kept(redactor, !isLegacy)
    const thoughts = new Thoughts()
    let last = kept.live
    let isWhole = true
    const around = (_: number, command: LedgerCommand, dispatch: () => unknown): void => {
      if (command.do === "assistant")
        for (const block of command.response.content.filter(isThinking)) thoughts.made(block, kept.live.start?.model ?? "")
      if (command.do === "compact") isWhole = false
      const read = kept.live
      dispatch()
      if (isResume(command)) judgeThinking(thoughts, last, read, kept.live, isLegacy, isWhole, coverage)
      last = kept.live
    }
    const ended: ReadonlyArray<Step> = [...given, { kind: "resume", a: 0, b: 0, w: 0 }]
    carryOut(kept, ended, around)
  })
  fc.assert(property, parameters(budget))
  const classes = ["thinking kept", "thinking kept before a redaction", "thinking dropped behind a redaction", "without marks"]
  const more = ["thinking of another model dropped", "a marker that is only mentioned", "sealed thinking kept"]
  coverage.demand(budget, [...classes, ...more], 600)
}

/** For each call, in order, its result: the first one behind its answer before the next one. */
const resultsOf = (all: ReadonlyArray<Message>): ReadonlyArray<readonly [string, Block | undefined]> =>
  all.flatMap((message, at) => {
    if (message.role !== "assistant") return []
    const ids = new Set(message.content.filter((block) => block["type"] === "tool_use").map(callId))
    const next = all.findIndex(({ role }, later) => later > at && role === "assistant")
    const behind = all.slice(at + 1, next < 0 ? all.length : next).flatMap(({ content }) => content)
    return [...ids].map((id) => [id, behind.find((block) => block["type"] === "tool_result" && callId(block) === id)] as const)
  })

const calls = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(rawRecords, steps, (records, given) => {
    const before = replay(ledgerModel, records)
    if (before.count === 0) return
    const about = before.start === undefined ? ({ sessionId: "s", root: "/w", model: "m1" } as const) : {}
    const resume: LedgerCommand = { do: "resume", ...about }
    const now = after(before, resume)
    const all = messages(now)
    coverage.hit("refused before", refusal(messages(before), true) !== undefined)
    coverage.hit("valid before", all.length > 3 && refusal(messages(before), true) === undefined)
    check(refusal(all, false) === undefined, `a provider would refuse: ${refusal(all, false)}`, [messages(before), all])
    const [was, is] = [resultsOf(messages(before)), resultsOf(all)]
    for (const [at, [id, result]] of was.entries()) {
      const [sameId, found] = is[at] ?? []
      check(id === sameId && found !== undefined, "a call is gone", [was, is])
      if (result !== undefined) expectSame(`the result of ${id}`, found, result)
      coverage.hit(result === undefined ? "a call without a result" : "a call with one")
    }
    expectSame("what a second resume repairs", repaired(now, false).repairs, [])
    expectSame("the conversation after a second resume", messages(after(now, resume)), all)
    for (const { removed } of now.undo.redo) {
      const back = removed.map(({ message }) => message)
      check(refusal(back, true) === undefined, `a provider would refuse what comes back: ${refusal(back, true)}`, back)
      coverage.hit("messages that can come back", back.length > 0)
    }
    goOn(now, given, coverage)
  })
  fc.assert(property, parameters(budget))
  const classes = ["refused before", "valid before", "a call without a result", "a call with one", "messages that can come back"]
  coverage.demand(budget, [...classes, "went on", "closed before new words"], 300)
}

/** Whatever a host dispatches after a resume, nobody ever speaks while a call is open. */
const goOn = (from: LedgerState, given: ReadonlyArray<Step>, coverage: Coverage): void => {
  const kept = new Kept(undefined)
  kept.live = from
  const around = (_: number, command: LedgerCommand, dispatch: () => ReadonlyArray<LedgerRecord>): void => {
    const written = dispatch()
    const flaw = refusal(messages(kept.live), true)
    check(flaw === undefined, `after ${command.do} a provider would refuse: ${flaw}`, messages(kept.live))
    coverage.hit("went on", written.length > 0)
    coverage.hit("closed before new words", command.do !== "resume" && written.length > 1 && written[0]?.["synthetic"] === true)
  }
  const others = given.filter(({ kind }) => kind !== "resume" && kind !== "other")
  carryOut(kept, others, around)
}

export const laws: ReadonlyArray<Law> = [
  law(
    "LED-2",
    "After a resume of any records each call has exactly one result, directly behind its answer, in call order, and the one it had; no message is empty; a second resume repairs nothing; and nobody ever speaks while a call is open.",
    2_000,
    calls,
  ),
  law(
    "THK-1",
    "After a resume, all thinking that is kept stands before the first redacted content, is byte for byte what it was, and is the current model's; all that may be kept is.",
    2_000,
    thinking,
  ),
]
