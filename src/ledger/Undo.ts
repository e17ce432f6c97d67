/**
 * Undo and redo of turns (law LED-1). A turn is known by the number of its first message, so what is taken out of the conversation before
 * it (thinking of another model, empty messages) moves nothing.
 *
 * Undo cuts the conversation from the turn's first message on; redo puts back what was cut. Tokens and dollars are not given back: they are
 * spent. The size of the context is what it was at that place.
 */
import { iterate } from "../model/Sequence.ts"
import { conversationOf, type LedgerState, type RedoEntry, type Turned, type UndoPoint, type UndoState } from "./State.ts"
import { cutLine } from "./Title.ts"

/** Turns that can be undone. */
const MAX_POINTS = 50

const MAX_PROMPT_UNITS = 80

/** A prompt on one short line: spaces for runs of white space, at most 80 units and an ellipsis. */
export const shortPrompt = (prompt: string): string => {
  const line = prompt.replace(/\s+/g, " ").trim()
  const isShort = line.length <= MAX_PROMPT_UNITS || (line.length === MAX_PROMPT_UNITS + 1 && line.endsWith("…"))
  return isShort ? line : cutLine(line, MAX_PROMPT_UNITS)
}

/** A turn begins: it can be undone, and what was undone before cannot be redone any more. The prompt is one short line already. */
export const beginTurn = (state: LedgerState, tree: string, prompt: string): LedgerState => {
  const point: UndoPoint = {
    tree,
    prompt,
    from: state.nextId,
    contextTokens: state.contextTokens,
    conversation: true,
  }
  return { ...state, undo: { points: [...state.undo.points, point].slice(-MAX_POINTS), redo: [] } }
}

/** The next message answers a call from before the turn that has just begun: it is not part of that turn. */
export const beforeTurn = (state: LedgerState): LedgerState => {
  const { nextId, undo } = state
  if (undo.points.at(-1)?.from !== nextId) return state
  const points = undo.points.map((point) => (point.from === nextId ? { ...point, from: nextId + 1 } : point))
  return { ...state, undo: { ...undo, points } }
}

/** The conversation before a turn and from it on. The cut is one place: everything behind it goes, so that redo can put it back. */
const cutAt = (state: LedgerState, from: number): readonly [ReadonlyArray<Turned>, ReadonlyArray<Turned>] => {
  const all = [...iterate(state.conversation)]
  const at = all.findIndex(({ id }) => id >= from)
  return at < 0 ? [all, []] : [all.slice(0, at), all.slice(at)]
}

/** Takes the last turn out of the conversation. The same reference when there is none. */
export const undone = (state: LedgerState, after: string): LedgerState => {
  const point = state.undo.points.at(-1)
  if (point === undefined) return state
  const points = state.undo.points.slice(0, -1)
  const { contextTokens } = state
  if (!point.conversation)
    return { ...state, undo: { points, redo: [...state.undo.redo, { point, after, removed: [], contextTokens }] } }
  const [kept, removed] = cutAt(state, point.from)
  return {
    ...state,
    conversation: removed.length === 0 ? state.conversation : conversationOf(kept),
    contextTokens: point.contextTokens,
    undo: { points, redo: [...state.undo.redo, { point, after, removed, contextTokens }] },
  }
}

/** Puts the turn that was undone last back. The same reference when there is none. */
export const redone = (state: LedgerState): LedgerState => {
  const entry = state.undo.redo.at(-1)
  if (entry === undefined) return state
  const undo = { points: [...state.undo.points, entry.point], redo: state.undo.redo.slice(0, -1) }
  if (!entry.point.conversation) return { ...state, undo }
  return {
    ...state,
    conversation:
      entry.removed.length === 0 ? state.conversation : conversationOf([...iterate(state.conversation), ...entry.removed]),
    contextTokens: entry.contextTokens,
    undo,
  }
}

/** The conversation was replaced: turns that began before can give the files back, not the messages. */
export const detached = ({ points, redo }: UndoState): UndoState => {
  const detach = (point: UndoPoint): UndoPoint => (point.conversation ? { ...point, conversation: false } : point)
  return {
    points: points.map(detach),
    redo: redo.map((entry): RedoEntry => ({ ...entry, point: detach(entry.point), removed: [] })),
  }
}

type Messages = ReadonlyArray<Turned>

const isSame = (a: Messages, b: Messages): boolean => a.length === b.length && a.every((turned, at) => turned === b[at])

/** Changes the messages of each turn that can be put back. The same reference when nothing changes. */
export const changedRedo = (undo: UndoState, change: (removed: Messages, position: number) => Messages): UndoState => {
  let isChanged = false
  const redo = undo.redo.map((entry, position): RedoEntry => {
    const removed = change(entry.removed, position)
    if (isSame(removed, entry.removed)) return entry
    isChanged = true
    return { ...entry, removed }
  })
  return isChanged ? { ...undo, redo } : undo
}
