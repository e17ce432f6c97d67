/**
 * What a resume does to a conversation before it goes on, so that a provider takes it (laws THK-1, CTX-2). In this order:
 *
 * 1. In an answer that redaction changed, searches and citations of the provider become text: what is left of such blocks no longer fits
 *    what the provider signed.
 * 2. Thinking goes from the first message on that redaction changed: a signature binds all content before it.
 * 3. Thinking goes altogether when another model goes on.
 * 4. Messages that are empty now go.
 * 5. Each call gets one result, behind its answer, in call order; results without a call go.
 *
 * Turns that can be put back are repaired in the same way.
 *
 * Whether redaction changed a message is known by the mark of its record, not by looking for the marker: a conversation may speak of
 * markers. Files without marks are read the old way. Pure, idempotent, and part of the fold: a resume record repairs the same each time.
 */
import { isObject, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { iterate } from "../model/Sequence.ts"
import { type Block, isServerBlock, isThinking, text, textOf, withoutThinking } from "./Block.ts"
import { type CallRepairs, repairCalls } from "./Calls.ts"
import { changed, conversationOf, isRedacted, type LedgerState, NONE, type Turned, withContent } from "./State.ts"
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

/** What is known of a search, for people and models: `Earlier web_search "query": 2 results`, and a list of them. */
const found = (search: Block | undefined, result: Block | undefined): Block => {
  const results = result === undefined ? undefined : own(result, "results")
  const items = Array.isArray(results) ? results.filter(isObject) : []
  const name = ownString(search ?? result ?? {}, "name") ?? "search"
  const query = ownString(ownObject(search ?? {}, "input") ?? {}, "query")
  const error = ownString(result ?? {}, "error")
  const outcome = result === undefined ? "no result" : `${items.length} ${items.length === 1 ? "result" : "results"}`
  const lines = items.map((item, n) => `${n + 1}. ${ownString(item, "title") ?? ""} — ${ownString(item, "url") ?? ""}`)
  const head = `Earlier ${name}${query === undefined ? "" : ` "${query}"`}: ${error === undefined ? outcome : `failed (${error})`}`
  return text([head, ...lines].join("\n"))
}

const withoutMember = (block: JsonObject, member: string): Block => {
  const { [member]: _, ...rest } = block
  return rest
}

/** The answer with its searches as text; the same reference when it has none. */
export const searchesToText = (turned: Turned): Turned => {
  const { message } = turned
  if (message.role !== "assistant" || !message.content.some((block) => isServerBlock(block) || hasCitations(block))) return turned
  const searches = message.content.filter((block) => ownString(block, "type") === "server_tool_use")
  const results = message.content.filter((block) => ownString(block, "type") === "server_tool_result")
  const isOf = (search: Block, result: Block): boolean => ownString(search, "id") === ownString(result, "toolUseId")
  const redacted = new Set<Block>()
  const content = message.content.flatMap((block): ReadonlyArray<Block> => {
    const search = searches.find((one) => isOf(one, block))
    const made = searches.includes(block)
      ? results.some((result) => isOf(block, result))
        ? []
        : [found(block, undefined)]
      : isServerBlock(block)
        ? [found(search, block)]
        : textOf(block) !== undefined && hasCitations(block)
          ? [withoutMember(block, "citations")]
          : [block]
    const isChanged = turned.redacted.has(block) || (search !== undefined && turned.redacted.has(search))
    if (isChanged) for (const one of made) redacted.add(one)
    return made
  })
  return { ...turned, message: { ...message, content }, redacted: redacted.size === 0 ? NONE : redacted }
}

/**
 * The message without thinking; undefined when it was nothing but thinking. When that was all that redaction had changed, nothing redacted is
 * left, and what is thought from then on is thought over the message as it stands.
 */
const stripped = (turned: Turned): Turned | undefined => {
  const message = withoutThinking(turned.message)
  return message === turned.message || message === undefined ? message && turned : withContent(turned, message.content)
}

/** The state without any thinking, in what can be redone too: another model goes on, which cannot read it. */
export const withoutAnyThinking = (state: LedgerState): LedgerState => {
  return mapped(state, stripped)
}

/** The order in which redo would put messages back, behind the conversation. */
const inOrder = (state: LedgerState): ReadonlyArray<Turned> => [
  ...iterate(state.conversation),
  ...[...state.undo.redo].reverse().flatMap(({ removed }) => removed),
]

const thinkingIn = (turned: Turned): number => turned.message.content.filter(isThinking).length

const countThinking = (state: LedgerState): number => inOrder(state).reduce((sum, turned) => sum + thinkingIn(turned), 0)

/** Changes each message, also of what can be put back. The same reference when nothing changes. */
const mapped = (state: LedgerState, change: (turned: Turned) => Turned | undefined): LedgerState => {
  const conversation = changed(state.conversation, change)
  const undo = changedRedo(state.undo, (removed) => removed.map(change).filter((turned) => turned !== undefined))
  return conversation === state.conversation && undo === state.undo ? state : { ...state, conversation, undo }
}

/** Without the thinking from the first message on that redaction changed. */
const withoutThinkingAfterRedaction = (state: LedgerState): LedgerState => {
  const all = inOrder(state)
  const first = all.findIndex(isRedacted)
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
  const texts = mapped(state, (turned) => (isRedacted(turned) ? searchesToText(turned) : turned))
  note("searches-to-text", inOrder(texts).filter((turned, index) => turned !== before[index]).length)
  const safe = withoutThinkingAfterRedaction(texts)
  note("thinking-after-redaction", countThinking(texts) - countThinking(safe))
  const readable = isOtherModel ? withoutAnyThinking(safe) : safe
  note("thinking-of-another-model", countThinking(safe) - countThinking(readable))
  const filled = mapped(readable, (turned) => (isEmpty(turned) ? undefined : turned))
  note("empty-message", inOrder(texts).length - inOrder(filled).length)
  const fitting = withFittingCalls(filled)
  note("call-answered", fitting.answered)
  note("result-dropped", fitting.dropped)
  note("result-moved", fitting.moved)
  return { state: fitting.state, repairs }
}

/** The state with calls and results that fit each other. Of what can be put back only the end of the last turn may have open calls. */
const withFittingCalls = (state: LedgerState): CallRepairs & { readonly state: LedgerState } => {
  const sum = { answered: 0, dropped: 0, moved: 0 }
  const fitting = (given: ReadonlyArray<Turned>, mayBeOpen: boolean): ReadonlyArray<Turned> => {
    const { conversation, answered, dropped, moved } = repairCalls(given, mayBeOpen)
    sum.answered += answered
    sum.dropped += dropped
    sum.moved += moved
    return conversation
  }
  const all = [...iterate(state.conversation)]
  const kept = fitting(all, true)
  const isSame = kept.length === all.length && kept.every((turned, index) => turned === all[index])
  const undo = changedRedo(state.undo, (removed, position) => fitting(removed, position === 0))
  if (isSame && undo === state.undo) return { ...sum, state }
  return { ...sum, state: { ...state, undo, conversation: isSame ? state.conversation : conversationOf(kept) } }
}
