/** The law of what goes to a provider, judged by a checker that walks the messages once for each question. */
import { isDeepStrictEqual } from "node:util"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { JsonObject } from "../src/model/Json.ts"
import { replay } from "../src/model/Model.ts"
import { toArray } from "../src/model/Sequence.ts"
import { buildSessionContext } from "../src/tree/Context.ts"
import { providerMessages } from "../src/tree/ProviderMessages.ts"
import { type ProviderView, toProviderMessages } from "../src/tree/ProviderView.ts"
import { siblingResult } from "../src/tree/SiblingResult.ts"
import type { TreeState } from "../src/tree/State.ts"
import { treeModel } from "../src/tree/TreeModel.ts"
import { conversation } from "./arbitraries/conversation.ts"
import { session } from "./arbitraries/tree.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

const RUNS = 600

const SPOKEN: ReadonlyArray<unknown> = ["user", "developer", "assistant", "toolResult"]

const check = (holds: boolean, what: string, shown: unknown): void => {
  if (!holds) throw new Error(`${what}\n  ${JSON.stringify(shown)}`)
}

// biome-ignore lint/suspicious/noExplicitAny: the checker reads messages as the description has them, without types
const blocksOf = (message: JsonObject): ReadonlyArray<any> =>
  Array.isArray(message["content"]) ? message["content"] : [{ type: "text", text: message["content"] }]

const isVisible = (block: unknown): boolean => {
  if (typeof block !== "object" || block === null || Array.isArray(block)) return false
  const { type, text } = block as { type?: unknown; text?: unknown }
  return type !== "text" || (typeof text === "string" && /\S/.test(text))
}

const callsOf = (message: JsonObject): ReadonlyArray<unknown> =>
  message["role"] !== "assistant" || !Array.isArray(message["content"])
    ? []
    : blocksOf(message).flatMap((block) => (isVisible(block) && block.type === "toolCall" ? [block.id] : []))

const isResult = (message: JsonObject | undefined): message is JsonObject => message?.["role"] === "toolResult"

/** Half of a surrogate pair, which `JSON.stringify` writes as an escape; in JSON an escaped backslash stands before no such escape. */
const HALF = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/

/** The first thing that a provider would refuse, in words. */
const refusal = (messages: ReadonlyArray<JsonObject>): string | undefined => {
  if (HALF.test(JSON.stringify(messages))) return "a text has half of a surrogate pair"
  let answered = 0
  for (const [at, message] of messages.entries()) {
    const spoken = SPOKEN.includes(message["role"])
    if (spoken && (blocksOf(message).length === 0 || !blocksOf(message).every(isVisible)))
      return `message ${at} has empty content`
    const ids = callsOf(message)
    if (ids.some((id) => typeof id !== "string" || id === "")) return `message ${at} calls without an id`
    if (new Set(ids).size < ids.length) return `message ${at} calls twice under one id`
    for (const [n, id] of ids.entries()) {
      const answer = messages[at + 1 + n]
      if (!isResult(answer) || answer["toolCallId"] !== id) return `call ${n} of message ${at} is not answered in its place`
    }
    answered += ids.length
  }
  return messages.filter(isResult).length === answered ? undefined : "a result has no call"
}

/** The messages as another encoder writes them, which has no other way than U+FFFD for half of a pair. */
const whole = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  JSON.parse(JSON.stringify(messages, (_, value) => (typeof value === "string" ? Buffer.from(value).toString() : value)))

/** All but the results, as they must come out: without empty blocks, nameless and repeated calls, and what is then empty. */
const others = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  messages.flatMap((message) => {
    if (isResult(message)) return []
    if (!SPOKEN.includes(message["role"])) return [message]
    if (!Array.isArray(message["content"])) return isVisible(blocksOf(message)[0]) ? [message] : []
    const seen: Array<unknown> = []
    const content = blocksOf(message).filter((block) => {
      if (!isVisible(block) || message["role"] !== "assistant" || block.type !== "toolCall") return isVisible(block)
      const stays = typeof block.id === "string" && block.id !== "" && !seen.includes(block.id)
      seen.push(block.id)
      return stays
    })
    return content.length === 0 ? [] : [{ ...(message as object), content }]
  })

/** The result that a call has among the messages: the first one behind it, unless its id is called again before. */
const resultIn = (messages: ReadonlyArray<JsonObject>, caller: number, id: unknown): JsonObject | undefined => {
  const rest = messages.slice(caller + 1)
  const again = rest.findIndex((message) => callsOf(message).includes(id))
  return rest.slice(0, again < 0 ? rest.length : again).find((message) => isResult(message) && message["toolCallId"] === id)
}

const bare = ({ content: _, ...rest }: JsonObject): JsonObject => rest

/** Every call has the result that it had, and one that is made up only when it had none. */
const checkAnswers = (plain: ReadonlyArray<JsonObject>, { messages, repairs }: ProviderView): void => {
  const callers = plain.flatMap((message, at) => (callsOf(others([message])[0] ?? {}).length > 0 ? [at] : []))
  const places = messages.flatMap((message, at) => (callsOf(message).length > 0 ? [at] : []))
  check(callers.length === places.length, "a message that calls is missing", messages)
  places.forEach((place, n) => {
    callsOf(messages[place] ?? {}).forEach((id, call) => {
      const wanted = resultIn(plain, callers[n] ?? 0, id)
      const found = messages[place + 1 + call] ?? {}
      if (wanted !== undefined)
        check(isDeepStrictEqual(bare(found), bare(wanted)), `the result of ${id} is another`, [found, wanted])
      const made = repairs.some(
        ({ _tag, ...rest }) => (_tag === "Interrupted" || _tag === "Fetched") && isDeepStrictEqual(rest, { callId: id }),
      )
      if (wanted === undefined) check(made, `nothing says where the result of ${id} is from`, repairs)
    })
  })
}

const contextAt = (state: TreeState, leaf: string | null): ReadonlyArray<JsonObject> =>
  Result.getOrThrow(buildSessionContext(state, leaf)).messages

const cover = (coverage: Coverage, given: ReadonlyArray<JsonObject>, view: ProviderView, called: ReadonlySet<unknown>): void => {
  const isCompacted = given.some((message) => message["role"] === "compactionSummary")
  const parallel = new Set(given.flatMap((message) => (callsOf(message).length > 1 ? callsOf(message) : [])))
  for (const repair of view.repairs) {
    coverage.hit(repair._tag)
    if (repair._tag === "Orphan") coverage.hit("a batch that a compaction cut", isCompacted && called.has(repair.callId))
    if (repair._tag === "Moved") coverage.hit("parallel calls answered out of order", parallel.has(repair.callId))
  }
  coverage.hit("valid, with calls", view.repairs.length === 0 && view.messages.some(isResult))
  coverage.hit("consecutive", view.consecutive.length > 0)
}

const judge = (given: ReadonlyArray<JsonObject>, view: ProviderView): void => {
  const plain = providerMessages(given)
  const flaw = refusal(view.messages)
  check(flaw === undefined, `a provider would refuse: ${flaw}`, view.messages)
  const rest = view.messages.filter((message) => !isResult(message))
  const expected = others(whole(plain))
  check(isDeepStrictEqual(rest, expected), "the other messages are not what they were", [rest, expected])
  checkAnswers(plain, view)
  const wasValid = refusal(plain) === undefined
  check(wasValid === (view.repairs.length === 0), `valid before: ${wasValid}, and the repairs say otherwise`, [
    plain,
    view.repairs,
  ])
  if (wasValid) check(isDeepStrictEqual(view.messages, plain), "valid messages were changed", [plain, view.messages])
  const again = toProviderMessages(view.messages)
  check(again.repairs.length === 0 && isDeepStrictEqual(again.messages, view.messages), "a second time changes more", again)
}

const thinkingOf = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<unknown> =>
  messages.flatMap((message) =>
    message["role"] === "assistant"
      ? blocksOf(message).flatMap((block) => (block.type === "thinking" ? [[message["model"], block.thinkingSignature]] : []))
      : [],
  )

/** With a model named, its signed thinking is what is left of all thinking, and what is left is valid. */
const judgeSentBack = (view: ProviderView, coverage: Coverage): void => {
  const sent = toProviderMessages(view.messages, { sendsBack: ({ provider, model }) => provider === "p" && model === "m" })
  const flaw = refusal(sent.messages)
  check(flaw === undefined, `a provider would refuse: ${flaw}`, sent.messages)
  const given = thinkingOf(view.messages)
  const wanted = given.filter((thought) => isDeepStrictEqual(thought, ["m", "s"]))
  check(isDeepStrictEqual(thinkingOf(sent.messages), wanted), "other thinking is sent back", [sent.messages, wanted])
  const told = sent.repairs.reduce((sum, repair) => sum + (repair._tag === "NotSentBack" ? repair.count : 0), 0)
  const histories = view.messages.filter((message) => message["providerPayload"] !== undefined && message["model"] !== "m")
  check(told === given.length - wanted.length + histories.length, "what was left out is not told", sent.repairs)
  const left = sent.messages.filter((message) => message["providerPayload"] !== undefined && message["model"] !== "m")
  check(left.length === 0, "another provider's history is sent", left)
  coverage.hit("thinking that is not sent back", given.length > wanted.length && wanted.length > 0)
  coverage.hit("a history that is not sent back", histories.length > 0)
}

const provider = (budget: Budget): void => {
  const coverage = new Coverage()
  const sessions = fc.oneof({ weight: 3, arbitrary: conversation }, { weight: 1, arbitrary: session })
  const property = fc.property(sessions, ({ lines }) => {
    const state = replay(
      treeModel,
      lines.map((line) => line.value),
    )
    const entries = toArray(state.entries)
    const called = new Set(entries.flatMap(({ record }) => callsOf(Object(record["message"]))))
    const resultOf = siblingResult(state)
    for (const leaf of [null, ...new Set(entries.map(({ id }) => id))]) {
      const given = contextAt(state, leaf)
      const before = JSON.stringify(given)
      const views = [toProviderMessages(given), toProviderMessages(given, { resultOf })]
      check(JSON.stringify(given) === before, "the context was changed", given)
      for (const view of views) {
        judge(given, view)
        judgeSentBack(view, coverage)
        cover(coverage, given, view, called)
      }
    }
  })
  fc.assert(property, parameters(budget))
  coverage.demand(
    budget,
    [
      ...["Interrupted", "Fetched", "Moved", "Orphan", "Duplicate", "RepeatedCall", "NamelessCall"],
      ...["EmptyBlocks", "EmptyMessage", "EmptyResult", "IllFormed", "thinking that is not sent back"],
      "a history that is not sent back",
      ...["a batch that a compaction cut", "parallel calls answered out of order", "valid, with calls", "consecutive"],
    ],
    RUNS,
  )
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "CTX-2",
    sentence:
      "Of any tree, at any leaf, the messages for a provider have each tool result directly behind its call, in call order, exactly one for each call, no empty content and no half of a surrogate pair; messages that were valid are unchanged. For a named model they have its signed thinking and no other.",
    runs: RUNS,
    deepRuns: 20_000,
    check: provider,
  },
]
