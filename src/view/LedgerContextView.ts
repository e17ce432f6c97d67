/** The context of a ledger session for people: what goes on in it, then every message under a heading of its own. */

import type { Repair } from "../ledger/Repair.ts"
import type { LedgerState } from "../ledger/State.ts"
import { messages } from "../ledger/State.ts"
import { type Json, type JsonObject, own, ownString } from "../model/Json.ts"
import { type Block, type ConversationOptions, conversationLines, type ShownMessage } from "./Conversation.ts"
import { oneLine } from "./Escape.ts"
import { count, integer, tokens } from "./Quantity.ts"

const argumentsOf = (input: Json | undefined): string => JSON.stringify(input ?? {})

const searchOf = (block: JsonObject): Block => {
  const results = own(block, "results")
  const n = Array.isArray(results) ? results.length : 0
  const error = ownString(block, "error")
  return {
    heading: `← ${oneLine(ownString(block, "name") ?? "search")}: ${error === undefined ? count(n, "result") : oneLine(error)}`,
    text: "",
  }
}

const blockOf = (block: JsonObject): Block => {
  const name = oneLine(ownString(block, "name") ?? "")
  switch (own(block, "type")) {
    case "text":
      return { text: ownString(block, "text") ?? "" }
    case "thinking":
      return { heading: ownString(block, "text") ? "thinking" : "thinking (not readable)", text: ownString(block, "text") ?? "" }
    case "tool_use":
      return { heading: `→ ${name}`, text: argumentsOf(own(block, "input")) }
    case "tool_result":
      return {
        heading: `← ${oneLine(ownString(block, "toolUseId") ?? "")}${own(block, "isError") === true ? ", failed" : ""}`,
        text: ownString(block, "content") ?? "",
      }
    case "server_tool_use":
      return { heading: `→ ${name} (by the provider)`, text: argumentsOf(own(block, "input")) }
    case "server_tool_result":
      return searchOf(block)
    default:
      return { heading: `[${oneLine(ownString(block, "type") ?? "block")}]`, text: "" }
  }
}

const shownOf = (message: JsonObject): ShownMessage => {
  const content = own(message, "content")
  const blocks = Array.isArray(content) ? (content as ReadonlyArray<JsonObject>) : []
  return { role: ownString(message, "role") ?? "message", detail: "", blocks: blocks.map(blockOf) }
}

const settingsOf = ({ start, thinking, contextTokens }: LedgerState): string =>
  oneLine(
    [
      start?.model ?? "no model",
      ...(thinking === undefined ? [] : [`thinking ${thinking}`]),
      `${tokens(contextTokens)} tokens at the last answer or compaction`,
    ].join(" · "),
  )

/** The context, line by line. */
export function* ledgerContextLines(state: LedgerState, options: ConversationOptions): Generator<string> {
  yield* conversationLines(messages(state), settingsOf(state), shownOf, options)
}

/** What each repair of a resume does, for a count of it. */
const WORDS: { readonly [K in Repair["kind"]]: (n: number) => string } = {
  "searches-to-text": (n) => `${count(n, "answer")} with searches that redaction changed: the searches become text`,
  "thinking-after-redaction": (n) => `${count(n, "block")} of thinking behind a redacted message left out: no longer signed for`,
  "thinking-of-another-model": (n) => `${count(n, "block")} of thinking of another model left out`,
  "empty-message": (n) => `${count(n, "empty message")} left out`,
  "call-answered": (n) => `${count(n, "call")} without a result in the middle answered as interrupted`,
  "result-dropped": (n) => `${count(n, "block")} that answers no call, or stands on the wrong side, left out`,
  "result-moved": (n) => `${count(n, "result")} put behind the call`,
  "open-call-closed": (n) => `${count(n, "open call")} closed as interrupted`,
  "reservation-charged": (n) => `${integer(n)} tokens charged that were set aside for a request that never settled`,
}

/** What a repair does, in a few words: `1 open call closed as interrupted`. */
export const repairWords = ({ kind, count: n }: Repair): string => WORDS[kind](n)
