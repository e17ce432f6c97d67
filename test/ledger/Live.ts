/** A ledger session in memory, and short words for what a host says. */
import * as Result from "effect/Result"
import { type Block, text } from "../../src/ledger/Block.ts"
import type { LedgerCommand } from "../../src/ledger/Command.ts"
import { ledgerModel } from "../../src/ledger/LedgerModel.ts"
import type { LedgerRecord, ModelResponse, Usage } from "../../src/ledger/Record.ts"
import type { LedgerRejection } from "../../src/ledger/Rejection.ts"
import { initial, type LedgerState, messages } from "../../src/ledger/State.ts"
import { isObject, type JsonObject, own, ownString } from "../../src/model/Json.ts"
import { replay } from "../../src/model/Model.ts"
import { withMarks } from "../../src/redaction/Provenance.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"

export const TIME = "2026-01-01T00:00:00.000Z"
const STAMP = { at: Date.parse(TIME), entropy: "0".repeat(32) }

export const START = { do: "start", sessionId: "20260101-000000-a1b2", root: "/w", model: "m1" } as const

export const decide = (state: LedgerState, command: unknown): Result.Result<ReadonlyArray<LedgerRecord>, LedgerRejection> =>
  ledgerModel.decide(state, command as LedgerCommand, STAMP)

export class Live {
  state: LedgerState = initial
  readonly records: Array<LedgerRecord> = []

  constructor(...commands: ReadonlyArray<LedgerCommand>) {
    for (const command of [START, ...commands]) this.do(command)
  }

  /** Carries a command out and gives the records that it wrote. */
  do(command: LedgerCommand): ReadonlyArray<LedgerRecord> {
    const records = Result.getOrThrow(decide(this.state, command))
    this.records.push(...records)
    this.state = replay(ledgerModel, records, this.state)
    return records
  }

  /** The code of the rejection of a command. */
  refused(command: unknown): string {
    return Result.match(decide(this.state, command), { onSuccess: () => "not refused", onFailure: ({ code }) => code })
  }
}

export const fold = (...records: ReadonlyArray<JsonObject>): LedgerState => replay(ledgerModel, records)

export const usage = (inputTokens: number): Usage => ({ inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 })

export const response = (content: ReadonlyArray<Block>, tokens = 0, more: Partial<ModelResponse> = {}): ModelResponse => ({
  content,
  stopReason: "end_turn",
  usage: usage(tokens),
  ...more,
})

export const prompt = (said: string): LedgerCommand => ({ do: "user", text: said })

export const snapshot = (tree: string, said = tree): LedgerCommand => ({ do: "snapshot", tree, prompt: said, durationMs: 1 })

export const answer = (content: ReadonlyArray<Block>, tokens = 0): LedgerCommand => ({
  do: "assistant",
  step: 1,
  response: response(content, tokens),
  costUsd: 0,
})

export const say = (said: string): LedgerCommand => answer([text(said)])

export const call = (id: string, input: JsonObject = {}): Block => ({ type: "tool_use", id, name: "bash", input })

export const results = (...ids: ReadonlyArray<string>): LedgerCommand => ({
  do: "toolResults",
  results: ids.map((toolUseId) => ({ toolUseId, content: `of ${toolUseId}` })),
  calls: ids.map((toolUseId) => ({ toolUseId, name: "bash", durationMs: 1 })),
})

/** A signature as a provider makes it. */
export const signature = (name: string): string => `Sig${name}`.padEnd(48, "Qm9yZWQ")

export const thinking = (words: string): Block => ({
  type: "thinking",
  text: words,
  wire: { type: "thinking", thinking: words, signature: signature("one") },
})

const line = (block: Block): string => {
  switch (own(block, "type")) {
    case "text":
      return ownString(block, "text") ?? ""
    case "tool_use":
      return `call ${ownString(block, "id")}`
    case "tool_result":
      return `result ${ownString(block, "toolUseId")}`
    default:
      return String(own(block, "type"))
  }
}

/** The conversation, a string for each message. */
export const said = (state: LedgerState): ReadonlyArray<string> =>
  messages(state).map(({ content }) => content.map(line).join(" + "))

export const SECRET = ["hunter2", "correct", "horse"].join("-")

/** The records as they come back from a file: through redaction, with marks or without. */
export const reloaded = (records: ReadonlyArray<LedgerRecord>, hasMarks = true): LedgerState => {
  const redactor = makeRedactor({ environment: { API_TOKEN: SECRET } })
  const read = records.map((record) => {
    const { redactionMarks: _, ...bare } = record
    const given = hasMarks ? record : bare
    const { findings } = Result.getOrThrow(redactor.cleanRecord(given))
    const { line: written } = Result.getOrThrow(redactor.cleanRecord(hasMarks ? withMarks(given, findings) : given))
    const parsed: unknown = JSON.parse(written.text)
    return isObject(parsed) ? parsed : {}
  })
  return fold(...read)
}

/** The state after a resume in another process. */
export const resumed = (state: LedgerState, command: LedgerCommand = { do: "resume" }): LedgerState =>
  replay(ledgerModel, Result.getOrThrow(decide(state, command)), state)
