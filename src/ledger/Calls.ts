/**
 * Tool calls and their results. A provider takes a conversation only when each call is answered once, directly behind the message that
 * made it, and no result stands without its call.
 */

import { ownString } from "../model/Json.ts"
import { at, type Sequence } from "../model/Sequence.ts"
import { type Block, callId, isToolResult, isToolUse, messageOf } from "./Block.ts"
import type { Message, ToolCallMeta } from "./Record.ts"
import type { Turned } from "./State.ts"

const INTERRUPTED =
  "This call was interrupted: it may have run, in part or whole, or not at all. Look at what is there before you try it again."

/** The answer to a call that nobody answered. */
export const interrupted = (call: Block): Block => ({
  type: "tool_result",
  toolUseId: callId(call),
  content: INTERRUPTED,
  isError: true,
})

/** What is known of a call that was interrupted. */
export const interruptedMeta = (call: Block): ToolCallMeta => ({
  toolUseId: callId(call),
  name: ownString(call, "name") ?? "",
  durationMs: 0,
})

const resultsIn = ({ content }: Message): ReadonlyArray<string> => content.filter(isToolResult).map(callId)

/**
 * The calls of the last answer that no result stands for yet, in call order. Results may come one by one, each in a message of its own:
 * they count as long as nothing else stands between. O(messages since the answer).
 */
export const openCalls = (conversation: Sequence<Turned>): ReadonlyArray<Block> => {
  const answered = new Set<string>()
  for (let position = conversation.length - 1; position >= 0; position--) {
    const message = at(conversation, position)?.message
    if (message === undefined) break
    if (message.role === "assistant") return message.content.filter((block) => isToolUse(block) && !answered.has(callId(block)))
    const results = resultsIn(message)
    // Somebody spoke instead of answering: what was open then cannot be answered here any more.
    if (results.length === 0 || results.length < message.content.length) return []
    for (const id of results) answered.add(id)
  }
  return []
}

/** What was done to make the calls and results of a conversation fit each other. */
export interface CallRepairs {
  /** Calls in the middle of the conversation that got the answer that they were interrupted. */
  readonly answered: number
  /** Results without a call before them, or a second one for the same call, that were left out. */
  readonly dropped: number
  /** Results that stood behind something else and were put behind their call. */
  readonly moved: number
}

export interface RepairedCalls extends CallRepairs {
  readonly conversation: ReadonlyArray<Turned>
}

/** The results of a turn of the user, and what else it says. */
const split = ({ content }: Message): readonly [ReadonlyArray<Block>, ReadonlyArray<Block>] => [
  content.filter(isToolResult),
  content.filter((block) => !isToolResult(block)),
]

/**
 * The conversation with each call answered once, in call order, in one message directly behind the answer that made it, but for the calls
 * of the last answer when nothing stands behind it: those are open, and a record closes them. What fits already is the same reference.
 */
export const repairCalls = (given: ReadonlyArray<Turned>): RepairedCalls => {
  const repaired: Array<Turned> = []
  const done = { answered: 0, dropped: 0, moved: 0 }
  for (let position = 0; position < given.length; ) {
    const turned = given[position++]
    if (turned === undefined) break
    const { message } = turned
    const calls = message.role === "assistant" ? message.content.filter(isToolUse) : []
    if (calls.length === 0) {
      const [results, rest] = message.role === "user" ? split(message) : [[], message.content]
      done.dropped += results.length
      if (results.length === 0) repaired.push(turned)
      else if (rest.length > 0) repaired.push({ ...turned, message: { ...message, content: rest } })
      continue
    }
    repaired.push(turned)
    const from = position
    while (given[position]?.message.role === "user") position++
    const behind = given.slice(from, position)
    if (behind.length === 0 && position === given.length) continue
    repaired.push(...answersTo(calls, turned, behind, position === given.length, done))
  }
  return { conversation: repaired, ...done }
}

/** The turns of the user behind an answer, with its results in one message before everything else. */
const answersTo = (
  calls: ReadonlyArray<Block>,
  answer: Turned,
  behind: ReadonlyArray<Turned>,
  isLast: boolean,
  done: { answered: number; dropped: number; moved: number },
): ReadonlyArray<Turned> => {
  const found = new Map<string, Block>()
  let results = 0
  let isBehindWords = false
  for (const { message } of behind) {
    for (const block of message.content) {
      if (!isToolResult(block)) isBehindWords = true
      else {
        results++
        const id = callId(block)
        if (found.has(id) || !calls.some((call) => callId(call) === id)) continue
        found.set(id, block)
        if (isBehindWords) done.moved++
      }
    }
  }
  const missing = calls.filter((call) => !found.has(callId(call)))
  // Results may still be coming: nothing but results stands behind the last answer.
  const isOpen = isLast && !isBehindWords && missing.length > 0
  done.dropped += results - found.size
  if (!isOpen) done.answered += missing.length
  const ids = new Set<string>()
  const ordered = calls.flatMap((call): ReadonlyArray<Block> => {
    const id = callId(call)
    if (ids.has(id)) return []
    ids.add(id)
    const result = found.get(id)
    return result === undefined ? (isOpen ? [] : [interrupted(call)]) : [result]
  })
  const first = behind[0]
  const isRight =
    first !== undefined &&
    behind.slice(1).every(({ message }) => !message.content.some(isToolResult)) &&
    first.message.content.slice(0, ordered.length).every((block, at) => block === ordered[at]) &&
    !first.message.content.slice(ordered.length).some(isToolResult)
  if (isRight) return behind
  const words = behind.flatMap((turned) => {
    const [, rest] = split(turned.message)
    return rest.length === 0 ? [] : [{ ...turned, message: { ...turned.message, content: rest } }]
  })
  if (ordered.length === 0) return words
  const isRedacted = behind.some((turned) => turned.isRedacted && turned.message.content.some(isToolResult))
  // They belong to the turn of the answer: a later turn that is undone must not take them along.
  return [{ id: answer.id, message: messageOf("user", ordered), isRedacted }, ...words]
}
