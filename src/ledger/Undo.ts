/**
 * Undo and redo of turns (law LED-1). A turn is known by the number of its first message, so what is taken out of the conversation before
 * it (thinking of another model, empty messages) moves nothing.
 *
 * Undo cuts the conversation from the turn's first message on; redo puts back what was cut. Tokens and dollars are not given back: they are
 * spent. The size of the context is what it was at that place.
 */
import { iterate } from "../model/Sequence.ts"
import { conversationOf, type LedgerState, type RedoEntry, type Turned, type UndoPoint, type UndoState } from "./State.ts"

/** Turns that can be undone. */
const MAX_POINTS = 50

const MAX_PROMPT_UNITS = 80

/** A prompt on one short line: spaces for runs of white space, at most 80 units and an ellipsis, never half a code point. */
export const shortPrompt = (prompt: string): string => {
  const line = prompt.replace(/\s+/g, " ").trim()
  if (line.length <= MAX_PROMPT_UNITS) return line
  const cut = line.slice(0, MAX_PROMPT_UNITS)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

/** A turn begins: it can be undone, and what was undone before cannot be redone any more. */
export const beginTurn = (state: LedgerState, tree: string, prompt: string): LedgerState => {
  const point: UndoPoint = {
    tree,
    prompt: shortPrompt(prompt),
    from: state.nextId,
    contextTokens: state.contextTokens,
    conversation: true,
  }
  return { ...state, undo: { points: [...state.undo.points, point].slice(-MAX_POINTS), redo: [] } }
}

/** What was undone cannot be redone any more. The same reference when there was nothing. */
export const withoutRedo = (state: LedgerState): LedgerState =>
  state.undo.redo.length === 0 ? state : { ...state, undo: { ...state.undo, redo: [] } }

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

/** Changes what can be put back in the same way as the conversation. The same reference when nothing changes. */
export const changedRedo = (undo: UndoState, change: (turned: Turned) => Turned | undefined): UndoState => {
  let isChanged = false
  const redo = undo.redo.map((entry): RedoEntry => {
    const removed = entry.removed.map(change)
    if (removed.every((turned, at) => turned === entry.removed[at])) return entry
    isChanged = true
    return { ...entry, removed: removed.filter((turned) => turned !== undefined) }
  })
  return isChanged ? { ...undo, redo } : undo
}
