/** What the laws of the ledger share: a session with its file, everything that can be told from a state, and what a provider would say. */
import * as Result from "effect/Result"
import { type Block, callId } from "../src/ledger/Block.ts"
import type { LedgerCommand } from "../src/ledger/Command.ts"
import { evolve } from "../src/ledger/Evolution.ts"
import { ledgerModel } from "../src/ledger/LedgerModel.ts"
import type { LedgerRecord, Message } from "../src/ledger/Record.ts"
import { initial, type LedgerState, type Turned } from "../src/ledger/State.ts"
import type { Json, JsonObject } from "../src/model/Json.ts"
import { replay } from "../src/model/Model.ts"
import { toArray } from "../src/model/Sequence.ts"
import { withMarks } from "../src/redaction/Provenance.ts"
import { makeRedactor, type Redactor } from "../src/redaction/Redactor.ts"
import { commandsOf, SECRET, START, type Step, stampOf } from "./arbitraries/ledger.ts"
import type { Budget, Law } from "./Law.ts"

export const check = (holds: boolean, what: string, shown?: unknown): void => {
  if (!holds) throw new Error(`${what}\n  ${JSON.stringify(shown)}`)
}

export const expectSame = (what: string, actual: unknown, expected: unknown): void => {
  const [is, not] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (is !== not) throw new Error(`${what}\n  is     ${is}\n  not    ${not}`)
}

/** All messages in the order in which they are, or come back when everything that was undone is redone. */
export const inOrder = (state: LedgerState): ReadonlyArray<Turned> => [
  ...toArray(state.conversation),
  ...[...state.undo.redo].reverse().flatMap(({ removed }) => removed),
]

/** Everything that can be told from a state, but for what redaction did to it. */
export const observe = (state: LedgerState): JsonObject => {
  const { accounting, answers, conversation, undo, start, ...rest } = state
  const { childDebits, reservations, settled, usage, ...sums } = accounting
  const turned = (items: ReadonlyArray<Turned>): Json => items.map(({ id, message }) => [id, message as unknown as Json])
  const told = {
    ...rest,
    start: start ?? null,
    conversation: turned(toArray(conversation)),
    accounting: { ...sums, usage, childDebits: [...childDebits], reservations: [...reservations], settled: toArray(settled) },
    answers: toArray(answers),
    undo: { points: undo.points, redo: undo.redo.map((entry) => ({ ...entry, removed: turned(entry.removed) })) },
  }
  return JSON.parse(JSON.stringify(told)) as JsonObject
}

export const redactorOfLaws = (): Redactor => makeRedactor({ environment: { API_TOKEN: SECRET } })

/** The value as redaction leaves it in a file. Messages stand where records have them, so that ciphertext is where a provider puts it. */
export const throughRedaction = (redactor: Redactor, state: LedgerState): string => {
  const clean = (record: JsonObject): Json => redactor.redactValue(record).value
  const view = observe({ ...state, conversation: initial.conversation, undo: { ...state.undo, redo: [] } })
  const items = inOrder(state).map(({ id, message }) => [
    id,
    clean({ type: "compaction", messages: [message as unknown as Json] }),
  ])
  const redo = state.undo.redo.map(({ removed, ...entry }) => [clean(entry as unknown as JsonObject), removed.length])
  return JSON.stringify([clean(view), items, redo])
}

/** A session with its file: what is dispatched is folded as it is, and written through redaction. */
export class Kept {
  live: LedgerState = initial
  file: LedgerState = initial
  readonly lines: Array<string> = []
  readonly #redactor: Redactor | undefined
  readonly #hasMarks: boolean

  constructor(redactor: Redactor | undefined, hasMarks = true) {
    this.#redactor = redactor
    this.#hasMarks = hasMarks
  }

  #line(record: LedgerRecord): string {
    const { redactionMarks: _, ...bare } = record
    const given = this.#hasMarks ? record : bare
    if (this.#redactor === undefined) return JSON.stringify(given)
    const { line, findings } = Result.getOrThrow(this.#redactor.cleanRecord(given))
    if (!this.#hasMarks || findings.length === 0) return line.text
    return Result.getOrThrow(this.#redactor.cleanRecord(withMarks(given, findings))).line.text
  }

  /** Decides a command and writes and folds what it gives, telling of each record before it is folded. */
  dispatch(n: number, command: LedgerCommand, tell: (record: LedgerRecord) => void = () => {}): ReadonlyArray<LedgerRecord> {
    const records = Result.getOrElse(ledgerModel.decide(this.live, command, stampOf(n)), () => [])
    for (const record of records) {
      const line = this.#line(record)
      tell(record)
      this.lines.push(line)
      const read = JSON.parse(line) as JsonObject
      this.file = evolve(this.file, read)
      this.live = evolve(this.live, this.#hasMarks ? record : withoutMark(record))
    }
    return records
  }

  /** Another process goes on: it knows what is in the file and nothing else. */
  reload(): void {
    this.live = replay(
      ledgerModel,
      this.lines.map((line) => JSON.parse(line) as JsonObject),
    )
  }
}

const withoutMark = ({ redactionMarks: _, ...record }: LedgerRecord): LedgerRecord => record

export const isResume = ({ do: name }: LedgerCommand): boolean => name === "resume"

/** Carries out a start and the steps. A resume is another process. */
export const carryOut = (
  kept: Kept,
  given: ReadonlyArray<Step>,
  around: (n: number, command: LedgerCommand, dispatch: () => ReadonlyArray<LedgerRecord>, step: Step | undefined) => void,
  tell?: (record: LedgerRecord) => void,
): void => {
  const dispatch = (n: number, command: LedgerCommand | undefined, step: Step | undefined): void => {
    if (command === undefined) return
    if (isResume(command)) kept.reload()
    around(n, command, () => kept.dispatch(n, command, tell), step)
  }
  dispatch(0, START, undefined)
  given.forEach((step, at) => {
    for (const make of commandsOf(at + 1, step)) dispatch(at + 1, make(kept.live), step)
  })
}

const idsOf = (message: Message, type: string): ReadonlyArray<string> =>
  message.content.filter((block) => block["type"] === type).map(callId)

/** The first thing for which a provider would refuse the messages, in words. The end may await results when `mayEndOpen`. */
export const refusal = (messages: ReadonlyArray<Message>, mayEndOpen: boolean): string | undefined => {
  let awaited: ReadonlyArray<string> = []
  for (const [at, message] of messages.entries()) {
    if (message.content.length === 0) return `message ${at} is empty`
    const results = idsOf(message, "tool_result")
    const isFirst = message.content.slice(0, results.length).every((block: Block) => block["type"] === "tool_result")
    const isEnd = mayEndOpen && at === messages.length - 1 && results.length === message.content.length
    const wanted = isEnd ? awaited.filter((id) => results.includes(id)) : awaited
    if (results.join("\n") !== wanted.join("\n") || results.length !== wanted.length || !isFirst)
      return `message ${at} answers ${JSON.stringify(results)}, and ${JSON.stringify(awaited)} were called`
    const calls = [...new Set(idsOf(message, "tool_use"))]
    if (message.role === "user" && calls.length > 0) return `message ${at} is the user's and calls`
    if (message.role === "assistant" && results.length > 0) return `message ${at} is an answer and holds results`
    awaited = calls
  }
  return awaited.length > 0 && !mayEndOpen ? "the end awaits results" : undefined
}

/** What a command writes in a state; nothing when it is rejected. */
export const decided = (state: LedgerState, command: LedgerCommand): ReadonlyArray<LedgerRecord> =>
  Result.getOrElse(ledgerModel.decide(state, command, stampOf(99)), () => [])

/** The state behind a command. */
export const after = (state: LedgerState, command: LedgerCommand): LedgerState =>
  replay(ledgerModel, decided(state, command), state)

/** A law with forty times as many deep runs. */
export const law = (id: string, sentence: string, runs: number, run_: (budget: Budget) => void): Law => ({
  id,
  sentence,
  runs,
  deepRuns: 40 * runs,
  check: run_,
})
