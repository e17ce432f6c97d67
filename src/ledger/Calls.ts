/**
 * Tool calls and their results. A provider takes a conversation only when each call is answered once, directly behind the message that
 * made it, and no result stands without its call.
 */

import { ownString } from "../model/Json.ts"
import { at, type Sequence } from "../model/Sequence.ts"
import { type Block, callId, isToolResult, isToolUse, messageOf } from "./Block.ts"
import type { Message, ToolCallMeta } from "./Record.ts"
import { among, type Turned, withContent } from "./State.ts"

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

const isResults = ({ role, content }: Message): boolean => role === "user" && content.length > 0 && content.every(isToolResult)

/**
 * The calls of the last answer that no result stands for yet, in call order, each id once. Results count as long as nothing else stands
 * between. O(messages since the answer).
 */
export const openCalls = (conversation: Sequence<Turned>): ReadonlyArray<Block> => {
  const answered = new Set<string>()
  for (let position = conversation.length - 1; position >= 0; position--) {
    const message = at(conversation, position)?.message
    if (message === undefined) break
    if (message.role === "assistant") return message.content.filter((block) => isToolUse(block) && isNew(answered, callId(block)))
    // Somebody spoke instead of answering: what was open then cannot be answered here any more.
    if (!isResults(message)) return []
    for (const id of resultsIn(message)) answered.add(id)
  }
  return []
}

const isNew = (seen: Set<string>, id: string): boolean => !seen.has(id) && seen.add(id).has(id)

/** Blocks in the order of the calls that they belong to. */
export const inCallOrder = <A>(
  calls: ReadonlyArray<Block>,
  given: ReadonlyArray<A>,
  idOf: (item: A) => string,
): ReadonlyArray<A> => {
  const place = new Map<string, number>()
  for (const [at, call] of calls.entries()) if (!place.has(callId(call))) place.set(callId(call), at)
  const placeOf = (item: A): number => place.get(idOf(item)) ?? calls.length
  return [...given].sort((a, b) => placeOf(a) - placeOf(b))
}

/**
 * The last message of a conversation with more results of the same answer, in call order: results may come one by one, and a provider wants
 * them in one message. Undefined when the last message holds none, or these are not all awaited.
 */
export const withMoreResults = (conversation: Sequence<Turned>, more: Message): Turned | undefined => {
  const last = at(conversation, conversation.length - 1)
  if (last === undefined || !isResults(last.message) || !isResults(more)) return undefined
  const open = new Set(openCalls(conversation).map(callId))
  if (!resultsIn(more).every((id) => open.delete(id))) return undefined
  let position = conversation.length - 1
  while (at(conversation, position)?.message.role === "user") position--
  const calls = (at(conversation, position)?.message.content ?? []).filter(isToolUse)
  const content = inCallOrder(calls, [...last.message.content, ...more.content], callId)
  return { ...last, message: { ...last.message, content } }
}

/** What was done to make the calls and results of a conversation fit each other. */
export interface CallRepairs {
  /** Calls in the middle of the conversation that got the answer that they were interrupted. */
  readonly answered: number
  /** Results without a call before them or a second one for the same call, and blocks of the other side, that were left out. */
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
 * of the last answer when nothing stands behind it and `mayBeOpen`: a record closes them. What fits already is the same reference.
 */
export const repairCalls = (all: ReadonlyArray<Turned>, mayBeOpen = true): RepairedCalls => {
  const repaired: Array<Turned> = []
  const done = { answered: 0, dropped: 0, moved: 0 }
  const given = all.flatMap((turned) => {
    const { role, content } = turned.message
    const isForeign = role === "assistant" ? isToolResult : isToolUse
    const own = content.filter((block) => !isForeign(block))
    done.dropped += content.length - own.length
    if (own.length === content.length) return [turned]
    return own.length === 0 ? [] : [withContent(turned, own)]
  })
  for (let position = 0; position < given.length; ) {
    const turned = given[position++]
    if (turned === undefined) break
    const { message } = turned
    const calls = message.role === "assistant" ? message.content.filter(isToolUse) : []
    if (calls.length === 0) {
      const [results, rest] = message.role === "user" ? split(message) : [[], message.content]
      done.dropped += results.length
      if (results.length === 0) repaired.push(turned)
      else if (rest.length > 0) repaired.push(withContent(turned, rest))
      continue
    }
    repaired.push(turned)
    const from = position
    while (given[position]?.message.role === "user") position++
    const behind = given.slice(from, position)
    const isLast = mayBeOpen && position === given.length
    if (behind.length === 0 && isLast) continue
    repaired.push(...answersTo(calls, turned, behind, isLast, done))
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
    ordered.every((block, at) => block === first.message.content[at]) &&
    !first.message.content.slice(ordered.length).some(isToolResult)
  if (isRight) return behind
  const words = behind.flatMap((turned) => {
    const [, rest] = split(turned.message)
    return rest.length === 0 ? [] : [withContent(turned, rest)]
  })
  if (ordered.length === 0) return words
  const redacted = among(ordered, new Set(behind.flatMap((turned) => [...turned.redacted])))
  // They belong to the turn of the answer: a later turn that is undone must not take them along.
  return [{ id: answer.id, message: messageOf("user", ordered), redacted }, ...words]
}
