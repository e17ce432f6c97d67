/**
 * The messages of a context as a provider accepts them (law CTX-2).
 *
 *     assistant   content: […, {"type":"toolCall","id":"…","name":"…","arguments":{…}}]
 *     toolResult  {"role":"toolResult","toolCallId":"…","toolName":"…","content":[…],"isError":…}
 *
 * Valid if and only if each call of an assistant message has an id of its own in that message and is answered exactly once, directly
 * behind the message, in call order; there is no other result; and no user, developer, assistant or toolResult message is without content
 * or has a text block without a visible character; and no text anywhere has half of a surrogate pair.
 *
 * A path need not be valid: a crash leaves calls open, a compaction cuts through a batch, the results of parallel calls are siblings of
 * which the path has one. What is valid stays as it is, and the session is never changed. Roles that are not named above, and all blocks
 * but empty text, pass through, thinking with its signatures among them. Only a host knows to whom the messages go: one that says so with
 * `sendsBack` has left out what that provider would refuse, thinking of another origin and thinking that nobody has signed.
 */
import { isObject, type Json, type JsonArray, type JsonObject, own, ownString } from "../model/Json.ts"
import { type SendsBack, sendable } from "./Origin.ts"
import { providerMessage } from "./ProviderMessages.ts"
import { wellFormed } from "./WellFormed.ts"
import { interrupted, type Wording, wording } from "./Wording.ts"

/** One thing that was done to make the messages valid. `at` is the place of a message in what was given. */
export type ProviderRepair =
  /** A call had no result: an error result was put in. */
  | { readonly _tag: "Interrupted"; readonly callId: string }
  /** The result of a call was not among the messages and came from the look-up. */
  | { readonly _tag: "Fetched"; readonly callId: string }
  /** The result of a call stood elsewhere. */
  | { readonly _tag: "Moved"; readonly callId: string }
  /** A result without a call before it was left out. */
  | { readonly _tag: "Orphan"; readonly callId: string; readonly at: number }
  /** A further result of an answered call was left out. */
  | { readonly _tag: "Duplicate"; readonly callId: string; readonly at: number }
  /** A call under the id of another one in the same message was left out. */
  | { readonly _tag: "RepeatedCall"; readonly callId: string; readonly at: number }
  /** A call without an id was left out: nothing could answer it. */
  | { readonly _tag: "NamelessCall"; readonly at: number }
  /** Text blocks without a visible character, and blocks that are no objects, were left out. */
  | { readonly _tag: "EmptyBlocks"; readonly at: number; readonly count: number }
  /** A message without content was left out. */
  | { readonly _tag: "EmptyMessage"; readonly at: number; readonly role: string }
  /** A result without content was given some. */
  | { readonly _tag: "EmptyResult"; readonly callId: string }
  /** Halves of surrogate pairs became U+FFFD. */
  | { readonly _tag: "IllFormed"; readonly at: number }
  /** Blocks and members that only another provider would take back were left out, or thinking that nobody has signed. */
  | { readonly _tag: "NotSentBack"; readonly at: number; readonly count: number }

export interface ProviderView {
  readonly messages: ReadonlyArray<JsonObject>
  /** What was left out of the given messages first, then what was done to the results. Empty when the messages were valid. */
  readonly repairs: ReadonlyArray<ProviderRepair>
  /**
   * The places in `messages` of user and assistant messages that follow one of the same role. They are left as they are, as most
   * providers take them; a host whose provider does not can join each with the one before.
   */
  readonly consecutive: ReadonlyArray<number>
}

export interface ProviderViewOptions {
  /** The sentences that introduce summaries. */
  readonly wording?: Wording
  /** The text of the result that is put in for a call without one. */
  readonly interrupted?: string
  /** The result message of a call that has none among the messages. An answer that is not a result of that call counts as none. */
  readonly resultOf?: (callId: string) => JsonObject | undefined
  /**
   * Whose thinking, signatures and own history are sent back: `({ provider, model }) => provider === "p" && model === "m"`, or nobody's
   * after a change of the account. Thinking without a signature is then nobody's. Without this everything is sent back.
   */
  readonly sendsBack?: SendsBack
}

interface Slot {
  readonly callId: string
  readonly name: string
  /** The result among the messages, and its place there. */
  result?: { readonly message: JsonObject; readonly at: number }
}

/** A message that stays, with the calls in it. */
interface Kept {
  readonly message: JsonObject
  readonly at: number
  readonly slots: ReadonlyArray<Slot>
}

const isBlank = (text: Json | undefined): boolean => typeof text !== "string" || text.trim() === ""

/** A block that no provider takes: text without a visible character, or no object. */
const isEmpty = (block: Json): boolean => !isObject(block) || (own(block, "type") === "text" && isBlank(own(block, "text")))

const isCall = (block: Json): block is JsonObject => isObject(block) && own(block, "type") === "toolCall"

/** The message without empty blocks; `empty` when nothing is left. The same reference when nothing had to go. */
const trimmed = (message: JsonObject): { readonly message: JsonObject; readonly dropped: number; readonly empty: boolean } => {
  const content = own(message, "content")
  if (!Array.isArray(content)) return { message, dropped: 0, empty: isBlank(content) }
  const blocks = (content as JsonArray).filter((block) => !isEmpty(block))
  const dropped = content.length - blocks.length
  return { message: dropped === 0 ? message : { ...message, content: blocks }, dropped, empty: blocks.length === 0 }
}

/** The message without half a surrogate pair. */
const whole = (given: JsonObject, at: number, repairs: Array<ProviderRepair>): JsonObject => {
  const message = wellFormed(given)
  if (message !== given) repairs.push({ _tag: "IllFormed", at })
  return message
}

/** The roles whose content is in `content` and nowhere else. */
const WITH_CONTENT: ReadonlySet<string> = new Set(["user", "developer", "assistant"])

/** The first pass: what stays, each result at the call that it answers. */
class Matching {
  readonly kept: Array<Kept> = []
  readonly repairs: Array<ProviderRepair> = []
  readonly #sendsBack: SendsBack | undefined
  /** The last call before under each id. */
  readonly #calls = new Map<string, Slot>()

  constructor(sendsBack: SendsBack | undefined) {
    this.#sendsBack = sendsBack
  }

  take(given: JsonObject, at: number): void {
    const message = this.#sent(whole(given, at, this.repairs), at)
    const role = ownString(message, "role") ?? ""
    if (role === "toolResult") this.#result(message, at)
    else if (WITH_CONTENT.has(role)) this.#said(message, role, at)
    else this.kept.push({ message, at, slots: [] })
  }

  #sent(given: JsonObject, at: number): JsonObject {
    if (this.#sendsBack === undefined) return given
    const { message, dropped } = sendable(given, this.#sendsBack)
    if (dropped > 0) this.repairs.push({ _tag: "NotSentBack", at, count: dropped })
    return message
  }

  #said(given: JsonObject, role: string, at: number): void {
    const { message, dropped, empty } = trimmed(given)
    if (empty) {
      this.repairs.push({ _tag: "EmptyMessage", at, role })
      return
    }
    if (dropped > 0) this.repairs.push({ _tag: "EmptyBlocks", at, count: dropped })
    if (role === "assistant") this.#answer(message, at)
    else this.kept.push({ message, at, slots: [] })
  }

  #answer(message: JsonObject, at: number): void {
    const content = own(message, "content")
    const given = Array.isArray(content) ? (content as JsonArray) : []
    const slots = new Map<string, Slot>()
    const blocks = given.filter((block) => !isCall(block) || this.#call(block, slots, at))
    if (given.length > 0 && blocks.length === 0) {
      this.repairs.push({ _tag: "EmptyMessage", at, role: "assistant" })
      return
    }
    for (const slot of slots.values()) this.#calls.set(slot.callId, slot)
    const answer = blocks.length === given.length ? message : { ...message, content: blocks }
    this.kept.push({ message: answer, at, slots: [...slots.values()] })
  }

  /** Whether a call stays in its message. */
  #call(block: JsonObject, slots: Map<string, Slot>, at: number): boolean {
    const callId = ownString(block, "id") ?? ""
    if (callId === "") this.repairs.push({ _tag: "NamelessCall", at })
    else if (slots.has(callId)) this.repairs.push({ _tag: "RepeatedCall", callId, at })
    else {
      slots.set(callId, { callId, name: ownString(block, "name") ?? "" })
      return true
    }
    return false
  }

  #result(message: JsonObject, at: number): void {
    const callId = ownString(message, "toolCallId") ?? ""
    const slot = this.#calls.get(callId)
    if (slot === undefined) this.repairs.push({ _tag: "Orphan", callId, at })
    else if (slot.result !== undefined) this.repairs.push({ _tag: "Duplicate", callId, at })
    else slot.result = { message, at }
  }
}

/** The result that is put in for a call without one, with the time of the message that calls. */
const interruptedResult = ({ callId, name }: Slot, caller: JsonObject, text: string): JsonObject => {
  const timestamp = own(caller, "timestamp")
  return {
    role: "toolResult",
    toolCallId: callId,
    toolName: name,
    content: [{ type: "text", text }],
    isError: true,
    ...(timestamp === undefined ? {} : { timestamp }),
  }
}

/** The result with content that a provider takes. */
const filled = (given: JsonObject, callId: string, at: number, repairs: Array<ProviderRepair>): JsonObject => {
  const { message, dropped, empty } = trimmed(given)
  if (!empty) {
    if (dropped > 0) repairs.push({ _tag: "EmptyBlocks", at, count: dropped })
    return message
  }
  repairs.push({ _tag: "EmptyResult", callId })
  return { ...message, content: [{ type: "text", text: "(no output)" }] }
}

const fetched = (callId: string, { resultOf }: ProviderViewOptions): JsonObject | undefined => {
  const found = resultOf?.(callId)
  const answers = found !== undefined && own(found, "role") === "toolResult" && own(found, "toolCallId") === callId
  return answers ? found : undefined
}

/** For each result that stays, its place among all that stays, so that a gap left by what was dropped moves nothing. */
const standing = (kept: ReadonlyArray<Kept>): ReadonlyMap<number, number> => {
  const places = kept.flatMap(({ at, slots }) => [
    at,
    ...slots.flatMap(({ result }) => (result === undefined ? [] : [result.at])),
  ])
  return new Map(places.sort((a, b) => a - b).map((at, place) => [at, place]))
}

/** The second pass: each call answered behind its message. */
const assembled = (
  kept: ReadonlyArray<Kept>,
  repairs: Array<ProviderRepair>,
  options: ProviderViewOptions,
): Array<JsonObject> => {
  const places = standing(kept)
  const messages: Array<JsonObject> = []
  for (const { message, at, slots } of kept) {
    messages.push(message)
    let next = (places.get(at) ?? 0) + 1
    for (const slot of slots) {
      const { callId, result } = slot
      if (result !== undefined) {
        if (places.get(result.at) !== next) repairs.push({ _tag: "Moved", callId })
        next++
      }
      const elsewhere = result === undefined ? fetched(callId, options) : undefined
      if (result === undefined) repairs.push({ _tag: elsewhere === undefined ? "Interrupted" : "Fetched", callId })
      const found = elsewhere === undefined ? undefined : whole(elsewhere, at, repairs)
      const answer = result?.message ?? found ?? interruptedResult(slot, message, options.interrupted ?? interrupted)
      messages.push(filled(answer, callId, result?.at ?? at, repairs))
    }
  }
  return messages
}

const repeats = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<number> =>
  [...messages.keys()].filter((at) => {
    const role = own(messages[at] ?? {}, "role")
    return at > 0 && (role === "user" || role === "assistant") && own(messages[at - 1] ?? {}, "role") === role
  })

/** The messages of a context for a provider. Linear, pure, total; messages that are valid are the same references (law CTX-2). */
export const toProviderMessages = (given: ReadonlyArray<JsonObject>, options: ProviderViewOptions = {}): ProviderView => {
  const matching = new Matching(options.sendsBack)
  given.forEach((message, at) => {
    const converted = providerMessage(message, options.wording ?? wording)
    if (converted !== undefined) matching.take(converted, at)
  })
  const repairs = [...matching.repairs]
  const messages = assembled(matching.kept, repairs, options)
  return { messages, repairs, consecutive: repeats(messages) }
}
