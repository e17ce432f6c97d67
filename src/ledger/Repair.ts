/**
 * What a resume does to a conversation before it goes on, so that a provider takes it (laws THK-1, CTX-2). In this order:
 *
 * 1. An answer that holds searches or citations of the provider, and that redaction changed, becomes text: what is left of such blocks no
 *    longer fits what the provider signed.
 * 2. Thinking goes from the first message on that redaction changed: a signature binds all content before it.
 * 3. Thinking goes altogether when another model goes on.
 * 4. Messages that are empty now go.
 * 5. Each call gets one result, behind its answer, in call order; results without a call go.
 *
 * Whether redaction changed a message is known by the mark of its record, not by looking for the marker: a conversation may speak of
 * markers. Files without marks are read the old way. Pure, idempotent, and part of the fold: a resume record repairs the same each time.
 */
import { isObject, type JsonObject, own, ownString } from "../model/Json.ts"
import { at, iterate } from "../model/Sequence.ts"
import { type Block, isServerBlock, isThinking, text, textOf, withoutThinking } from "./Block.ts"
import { repairCalls } from "./Calls.ts"
import { changed, conversationOf, type LedgerState, type Turned } from "./State.ts"
import { changedRedo } from "./Undo.ts"

/** One kind of change that a resume made, and how often. */
export interface Repair {
  readonly kind:
    | "searches-to-text"
    | "thinking-after-redaction"
    | "thinking-of-another-model"
    | "empty-message"
    | "call-answered"
    | "result-dropped"
    | "result-moved"
    | "open-call-closed"
    | "reservation-charged"
  /** Messages, blocks, calls or tokens, as the kind has it. */
  readonly count: number
}

export interface Repaired {
  readonly state: LedgerState
  readonly repairs: ReadonlyArray<Repair>
}

const hasCitations = (block: Block): boolean => Array.isArray(own(block, "citations"))

/** A list of what a search found, for people and models. */
const found = (block: Block): Block => {
  const results = own(block, "results")
  const items = Array.isArray(results) ? results.filter(isObject) : []
  const name = ownString(block, "name") ?? "search"
  const lines = items.map((item, n) => `${n + 1}. ${ownString(item, "title") ?? ""} — ${ownString(item, "url") ?? ""}`)
  return text([`Earlier ${name}: ${items.length} ${items.length === 1 ? "result" : "results"}`, ...lines].join("\n"))
}

const withoutMember = (block: JsonObject, member: string): Block => {
  const { [member]: _, ...rest } = block
  return rest
}

/** The answer with its searches as text; the same reference when it has none. */
export const searchesToText = (turned: Turned): Turned => {
  const { message } = turned
  if (message.role !== "assistant" || !message.content.some((block) => isServerBlock(block) || hasCitations(block))) return turned
  const content = message.content.flatMap((block): ReadonlyArray<Block> => {
    if (ownString(block, "type") === "server_tool_use") return []
    if (isServerBlock(block)) return [found(block)]
    return textOf(block) !== undefined && hasCitations(block) ? [withoutMember(block, "citations")] : [block]
  })
  return { ...turned, message: { ...message, content } }
}

/** The message without thinking; undefined when it was nothing but thinking. */
const stripped = (turned: Turned): Turned | undefined => {
  const message = withoutThinking(turned.message)
  return message === turned.message ? turned : message === undefined ? undefined : { ...turned, message }
}

/** The state without any thinking, in what can be redone too: another model goes on, which cannot read it. */
export const withoutAnyThinking = (state: LedgerState): LedgerState => {
  const conversation = changed(state.conversation, stripped)
  const undo = changedRedo(state.undo, stripped)
  return conversation === state.conversation && undo === state.undo ? state : { ...state, conversation, undo }
}

/** The order in which redo would put messages back, behind the conversation. */
const inOrder = (state: LedgerState): ReadonlyArray<Turned> => [
  ...iterate(state.conversation),
  ...[...state.undo.redo].reverse().flatMap(({ removed }) => removed),
]

const thinkingIn = (turned: Turned): number => turned.message.content.filter(isThinking).length

const countThinking = (state: LedgerState): number => inOrder(state).reduce((sum, turned) => sum + thinkingIn(turned), 0)

const mapped = (state: LedgerState, change: (turned: Turned) => Turned | undefined): LedgerState => ({
  ...state,
  conversation: changed(state.conversation, change),
  undo: changedRedo(state.undo, change),
})

/** Without the thinking from the first message on that redaction changed. */
const withoutThinkingAfterRedaction = (state: LedgerState): LedgerState => {
  const all = inOrder(state)
  const first = all.findIndex(({ isRedacted }) => isRedacted)
  if (first < 0) return state
  const doomed = new Set(all.slice(first))
  return mapped(state, (turned) => (doomed.has(turned) ? stripped(turned) : turned))
}

const isEmpty = ({ message }: Turned): boolean => message.content.length === 0

/** Repairs the conversation of a session that is gone on with, by another model when `isOtherModel`. */
export const repaired = (state: LedgerState, isOtherModel: boolean): Repaired => {
  const repairs: Array<Repair> = []
  const note = (kind: Repair["kind"], count: number): void => {
    if (count > 0) repairs.push({ kind, count })
  }
  const before = inOrder(state)
  const texts = mapped(state, (turned) => (turned.isRedacted ? searchesToText(turned) : turned))
  note("searches-to-text", inOrder(texts).filter((turned, index) => turned !== before[index]).length)
  const safe = withoutThinkingAfterRedaction(texts)
  note("thinking-after-redaction", countThinking(texts) - countThinking(safe))
  const readable = isOtherModel ? withoutAnyThinking(safe) : safe
  note("thinking-of-another-model", countThinking(safe) - countThinking(readable))
  const filled = mapped(readable, (turned) => (isEmpty(turned) ? undefined : turned))
  note("empty-message", inOrder(texts).length - inOrder(filled).length)
  const all = [...iterate(filled.conversation)]
  const { conversation, answered, dropped, moved } = repairCalls(all)
  note("call-answered", answered)
  note("result-dropped", dropped)
  note("result-moved", moved)
  const isSame =
    conversation.length === all.length && conversation.every((turned, index) => turned === at(filled.conversation, index))
  return { state: isSame ? filled : { ...filled, conversation: conversationOf(conversation) }, repairs }
}
