/**
 * What each record does to the state of a ledger session.
 *
 * `evolve` is total and never changes the state it was given (law RPL-2). The live session and the replay of its file both go through it
 * (law RPL-1).
 */
import type { DamageKind } from "../journal/Damage.ts"
import { isObject, type JsonObject, own, ownString } from "../model/Json.ts"
import { append, iterate, lastPosition, take } from "../model/Sequence.ts"
import { hasMarker } from "../redaction/Marker.ts"
import { charge, chargeReport, chargeUnreported, debit, reserve, totalTokens } from "./Accounting.ts"
import { type Block, callId, isToolResult, messageOf, textOf } from "./Block.ts"
import { openCalls, withMoreResults } from "./Calls.ts"
import { classify, type KnownRecord, type LedgerRecord, type Message, type RecordOf, type StartInfo } from "./Record.ts"
import { repaired, withoutAnyThinking } from "./Repair.ts"
import { conversationOf, type LedgerState, NONE, type Turned, withMessage, withoutRedo } from "./State.ts"
import { beforeTurn, beginTurn, detached, redone, undone } from "./Undo.ts"

/** Where redaction changed a record: JSON pointers, from its marks. */
const marksOf = (record: JsonObject): ReadonlyArray<string> => {
  const marks = own(record, "redacted")
  return Array.isArray(marks) ? marks.flatMap((mark) => (isObject(mark) ? (ownString(mark, "at") ?? []) : [])) : []
}

const isWithin = (pointer: string, place: string): boolean => pointer === place || pointer.startsWith(`${place}/`)

const markedIn = (content: ReadonlyArray<Block>, isMarked: (block: Block, index: number) => boolean): ReadonlySet<Block> => {
  const found = content.filter(isMarked)
  return found.length === 0 ? NONE : new Set(found)
}

const holdsMarker = (block: Block): boolean => hasMarker(JSON.stringify(block))

/** The blocks of the message at a place of a record that redaction changed. Files without marks are searched for the marker. */
const redactedIn = (
  state: LedgerState,
  record: JsonObject,
  place: string,
  { content }: Pick<Message, "content">,
): ReadonlySet<Block> => {
  if (!state.hasMarks) return markedIn(content, holdsMarker)
  const marks = marksOf(record).filter((at) => isWithin(at, place))
  if (marks.length === 0) return NONE
  const isWhole = marks.some((at) => !isWithin(at, `${place}/content`) || at === `${place}/content`)
  return markedIn(content, (_, index) => isWhole || marks.some((at) => isWithin(at, `${place}/content/${index}`)))
}

const startInfo = ({ sessionId, root, version, model, executor, isolation, limits, redactionMarks }: StartInfo): StartInfo => ({
  sessionId,
  root,
  ...(version === undefined ? {} : { version }),
  model,
  ...(executor === undefined ? {} : { executor }),
  ...(isolation === undefined ? {} : { isolation }),
  ...(limits === undefined ? {} : { limits }),
  ...(redactionMarks === undefined ? {} : { redactionMarks }),
})

/** A session begins, goes on, or has another model. */
const begun = (state: LedgerState, record: RecordOf<"start" | "resume" | "model">): LedgerState => {
  const info = startInfo(record)
  const isOther = state.start !== undefined && state.start.model !== info.model
  if (record.type === "model") return withoutAnyThinking({ ...state, start: info })
  const marked = { ...state, start: info, hasMarks: info.redactionMarks === true }
  if (record.type === "resume") return repaired(marked, isOther).state
  return isOther ? withoutAnyThinking(marked) : marked
}

const firstLine = (message: Message): string | undefined =>
  message.content
    .map(textOf)
    .find((found) => found !== undefined)
    ?.trim()
    .split(/\r?\n/, 1)[0]

const prompted = (state: LedgerState, record: RecordOf<"user">, json: JsonObject): LedgerState => ({
  ...withMessage(
    { ...state, undo: withoutRedo(state.undo) },
    record.message,
    redactedIn(state, json, "/message", record.message),
  ),
  turns: state.turns + 1,
  firstPrompt: state.firstPrompt ?? firstLine(record.message),
})

/** A request whose answer or summary is in the conversation already: the same record a second time. */
export const isAnswered = ({ answers }: LedgerState, requestId: string | undefined): boolean =>
  requestId !== undefined && lastPosition(answers, requestId) >= 0

const withAnswer = (state: LedgerState, requestId: string | undefined): LedgerState =>
  requestId === undefined ? state : { ...state, answers: append(state.answers, requestId) }

const answered = (state: LedgerState, record: RecordOf<"assistant">, json: JsonObject): LedgerState => {
  const { response, costUsd, requestId } = record
  if (isAnswered(state, requestId)) return state
  const { content, usage, usageReported } = response
  const accounting = charge(state.accounting, { usage, usageReported, costUsd, requestId })
  const spent = { ...withAnswer(state, requestId), accounting, contextTokens: totalTokens(usage) }
  const message = messageOf("assistant", content)
  return withMessage(spent, message, redactedIn(state, json, "/response", message))
}

/** Results of the last answer go into one message, also when they come one by one, and are part of the turn that made the calls. */
const withResults = (state: LedgerState, message: Message, redacted: ReadonlySet<Block>): LedgerState => {
  const last = withMoreResults(state.conversation, message)
  if (last !== undefined) {
    const conversation = append(take(state.conversation, state.conversation.length - 1), {
      ...last,
      redacted: redacted.size === 0 ? last.redacted : new Set([...last.redacted, ...redacted]),
    })
    return { ...state, conversation, undo: withoutRedo(state.undo) }
  }
  const open = new Set(openCalls(state.conversation).map(callId))
  const isAwaited = message.content.some((block) => isToolResult(block) && open.has(callId(block)))
  return withMessage(isAwaited ? beforeTurn(state) : state, message, redacted)
}

const resultsGiven = (state: LedgerState, record: RecordOf<"tool_results">, json: JsonObject): LedgerState => {
  const accounting = record.calls.reduce(
    (spent, { subagent }) => (subagent === undefined ? spent : chargeReport(spent, subagent)),
    state.accounting,
  )
  const given = withResults({ ...state, accounting }, record.message, redactedIn(state, json, "/message", record.message))
  return record.synthetic === true ? { ...given, readsForgotten: state.readsForgotten + 1 } : given
}

/**
 * The conversation is replaced. What redaction had changed stays known where the same message comes again, or a part of it with the marker.
 */
const compacted = (state: LedgerState, record: RecordOf<"compaction">, json: JsonObject): LedgerState => {
  const { summary, costUsd, requestId } = record
  if (isAnswered(state, requestId)) return state
  const known = new Set<string>()
  for (const { redacted } of iterate(state.conversation)) for (const block of redacted) known.add(JSON.stringify(block))
  const cameRedacted = (block: Block): boolean => known.has(JSON.stringify(block)) || holdsMarker(block)
  const conversation = record.messages.flatMap((message, index): ReadonlyArray<Turned> => {
    if (message.content.length === 0) return []
    const marked = redactedIn(state, json, `/messages/${index}`, message)
    const came = known.size === 0 ? NONE : markedIn(message.content, cameRedacted)
    const redacted = came.size === 0 ? marked : new Set([...marked, ...came])
    return [{ id: state.nextId + index, message, redacted }]
  })
  const accounting =
    summary === undefined
      ? state.accounting
      : charge(state.accounting, {
          usage: summary.usage,
          usageReported: summary.usageReported,
          costUsd,
          requestId,
        })
  return {
    ...withAnswer(state, requestId),
    accounting,
    conversation: conversationOf(conversation),
    nextId: state.nextId + record.messages.length,
    contextTokens: record.afterTokens,
    undo: detached(state.undo),
    readsForgotten: state.readsForgotten + 1,
  }
}

const readsGone = (before: LedgerState, after: LedgerState): LedgerState =>
  after === before ? before : { ...after, readsForgotten: before.readsForgotten + 1 }

const applied = (state: LedgerState, record: KnownRecord, json: JsonObject): LedgerState => {
  switch (record.type) {
    case "start":
    case "resume":
    case "model":
      return begun(state, record)
    case "user":
      return prompted(state, record, json)
    case "assistant":
      return answered(state, record, json)
    case "tool_results":
      return resultsGiven(state, record, json)
    case "compaction":
      return compacted(state, record, json)
    case "snapshot":
      return beginTurn(state, record.tree, record.prompt)
    case "undo":
      return readsGone(state, undone(state, record.after))
    case "redo":
      return readsGone(state, redone(state))
    case "title":
      return { ...state, title: record.title }
    case "thinking":
      return { ...state, thinking: record.choice }
    case "continue":
      return withMessage(state, record.message, redactedIn(state, json, "/message", record.message))
    case "reserve":
      return { ...state, accounting: reserve(state.accounting, record.requestId, record.tokens) }
    case "unreported":
      return { ...state, accounting: chargeUnreported(state.accounting, record.tokens, record.requestId) }
    case "child_debit":
      return { ...state, accounting: debit(state.accounting, record.childSessionId, record.tokens, record.requestId) }
    case "side_usage": {
      const { usage, usageReported, costUsd, requestId } = record
      return { ...state, accounting: charge(state.accounting, { usage, usageReported, costUsd, requestId }) }
    }
    case "end":
      return state
  }
}

/** The next state. Pure and total; amortised O(1) for each record but those that replace or cut the conversation. */
export const evolve = (before: LedgerState, record: LedgerRecord): LedgerState => {
  const state = { ...before, count: before.count + 1 }
  const classified = classify(record)
  if (classified._tag !== "Known") return state
  const { t, type } = classified.record
  const dated = { ...state, created: before.created ?? t, worked: type === "title" ? before.worked : t }
  return applied(dated, classified.record, record)
}

/** What a reader should report of a record that is read in this state. */
export const inspect = (before: LedgerState, record: LedgerRecord): ReadonlyArray<DamageKind> => {
  const classified = classify(record)
  if (classified._tag === "Unusable") return ["unusable-record"]
  if (classified._tag === "Unknown") return []
  const { record: known } = classified
  const isAgain = (known.type === "assistant" || known.type === "compaction") && isAnswered(before, known.requestId)
  return isAgain ? ["duplicate-record"] : []
}
