/**
 * The state of a ledger session: what the fold over its records has come to.
 *
 * Every part is immutable. The conversation and the settled requests are persistent sequences that grow in place; the rest is small.
 */
import { append, empty, iterate, type Sequence, toArray } from "../model/Sequence.ts"
import { type Accounting, nothingSpent } from "./Accounting.ts"
import type { Block } from "./Block.ts"
import type { Message, StartInfo } from "./Record.ts"

/** A message of the conversation, with what is known of it beside its content. */
export interface Turned {
  /** Its number in the session: it keeps it whatever is taken out before it. */
  readonly id: number
  readonly message: Message
  /** The blocks of it that redaction took something out of on their way to the file. Often none. */
  readonly redacted: ReadonlySet<Block>
}

/** No block. */
export const NONE: ReadonlySet<Block> = new Set()

export const isRedacted = ({ redacted }: Turned): boolean => redacted.size > 0

/** Those of some blocks that are in a set. */
export const among = (content: ReadonlyArray<Block>, redacted: ReadonlySet<Block>): ReadonlySet<Block> => {
  if (redacted.size === 0) return NONE
  const found = content.filter((block) => redacted.has(block))
  return found.length === 0 ? NONE : new Set(found)
}

/** The message with some of its blocks. What is known of those that stay is still known. */
export const withContent = (turned: Turned, content: ReadonlyArray<Block>): Turned => ({
  ...turned,
  message: { ...turned.message, content },
  redacted: among(content, turned.redacted),
})

/** Where a turn began, so that it can be undone. */
export interface UndoPoint {
  /** The snapshot of the files before the turn. */
  readonly tree: string
  /** One short line. */
  readonly prompt: string
  /** The number that the first message of the turn got: the turn's identity. */
  readonly from: number
  readonly contextTokens: number
  /** False once a compaction has replaced the messages of the turn: then only the files go back. */
  readonly conversation: boolean
}

export interface RedoEntry {
  readonly point: UndoPoint
  /** The snapshot of the files at the undo. */
  readonly after: string
  readonly removed: ReadonlyArray<Turned>
  readonly contextTokens: number
}

export interface UndoState {
  /** Oldest first, at most 50. */
  readonly points: ReadonlyArray<UndoPoint>
  /** The next one to redo is the last. */
  readonly redo: ReadonlyArray<RedoEntry>
}

export interface LedgerState {
  /** Records read, those without an effect included. */
  readonly count: number
  /** What the last start, resume or model record said. */
  readonly start: StartInfo | undefined
  /** Whether the records carry marks of what redaction took out of them; else the marker's text has to be looked for. */
  readonly hasMarks: boolean
  readonly conversation: Sequence<Turned>
  /** The number of the next message. Never goes back. */
  readonly nextId: number
  /** Tokens of the conversation, as the last response or compaction had it. */
  readonly contextTokens: number
  readonly accounting: Accounting
  /** The requests whose answers are in the conversation. */
  readonly answers: Sequence<string>
  readonly undo: UndoState
  /** The last choice of how much to think. */
  readonly thinking: string | undefined
  readonly title: string | undefined
  /** The first line of the first prompt. */
  readonly firstPrompt: string | undefined
  /** Prompts of the user. Undone ones count. */
  readonly turns: number
  /** How often what was read of files may have gone out of the conversation. See FileTracker. */
  readonly readsForgotten: number
  /** The time of the first record and that of the last one that was work: a title is not. */
  readonly created: string | undefined
  readonly worked: string | undefined
}

export const initial: LedgerState = {
  count: 0,
  start: undefined,
  hasMarks: false,
  conversation: empty(),
  nextId: 0,
  contextTokens: 0,
  accounting: nothingSpent,
  answers: empty((requestId) => requestId),
  undo: { points: [], redo: [] },
  thinking: undefined,
  title: undefined,
  firstPrompt: undefined,
  turns: 0,
  readsForgotten: 0,
  created: undefined,
  worked: undefined,
}

/** The messages of the conversation, in order. A fresh array. */
export const messages = (state: LedgerState): ReadonlyArray<Message> => toArray(state.conversation).map(({ message }) => message)

/**
 * The state with one more message. A message without content is none: no provider takes it. What was undone cannot be redone any more: it
 * would stand behind words that it did not follow. Amortised O(1).
 */
export const withMessage = (state: LedgerState, message: Message, redacted: ReadonlySet<Block>): LedgerState =>
  message.content.length === 0
    ? state
    : {
        ...state,
        conversation: append(state.conversation, { id: state.nextId, message, redacted }),
        nextId: state.nextId + 1,
        undo: withoutRedo(state.undo),
      }

/** What was undone cannot be redone any more. The same reference when there was nothing. */
export const withoutRedo = (undo: UndoState): UndoState => (undo.redo.length === 0 ? undo : { ...undo, redo: [] })

/** A conversation of these messages, with the numbers that they have. O(n). */
export const conversationOf = (turned: Iterable<Turned>): Sequence<Turned> => {
  let sequence: Sequence<Turned> = empty()
  for (const item of turned) sequence = append(sequence, item)
  return sequence
}

/** The conversation with each message replaced, or left out where `change` gives undefined. The same reference when nothing changes. */
export const changed = (conversation: Sequence<Turned>, change: (turned: Turned) => Turned | undefined): Sequence<Turned> => {
  const kept: Array<Turned> = []
  let isChanged = false
  for (const turned of iterate(conversation)) {
    const next = change(turned)
    isChanged ||= next !== turned
    if (next !== undefined) kept.push(next)
  }
  return isChanged ? conversationOf(kept) : conversation
}
