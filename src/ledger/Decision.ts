/**
 * What a command writes: the records, or why there are none.
 *
 * A record begins with `t` and `type`, then has the members of its type. A command that would change nothing (an undo where there is no
 * turn, a request that is settled already) writes nothing. Before new words the calls that are still open are closed, so that no provider
 * ever sees an open call with words behind it. Pure: the time comes from the stamp.
 */
import * as Result from "effect/Result"
import type { JsonObject } from "../model/Json.ts"
import { isoTime, type Stamp } from "../model/Stamp.ts"
import { isSettled } from "./Accounting.ts"
import { callId, messageOf, text } from "./Block.ts"
import { inCallOrder, interrupted, interruptedMeta, openCalls } from "./Calls.ts"
import { type Fields, type LedgerCommand, parseCommand } from "./Command.ts"
import { evolve, isAnswered } from "./Evolution.ts"
import { type LedgerRecord, type ModelResponse, RECORD_SHAPES, type RecordType, type StartInfo } from "./Record.ts"
import { alreadyStarted, type LedgerRejection, notStarted, rootMismatch, unknownCall } from "./Rejection.ts"
import type { LedgerState } from "./State.ts"
import { cleanTitle } from "./Title.ts"
import { shortPrompt } from "./Undo.ts"

type Decided = Result.Result<ReadonlyArray<LedgerRecord>, LedgerRejection>

const written = (...records: ReadonlyArray<LedgerRecord>): Decided => Result.succeed(records)

interface Place {
  readonly state: LedgerState
  readonly stamp: Stamp
}

type Members = Readonly<Record<string, unknown>>

/** A record: the members of its type that have a value, in the type's order. They are JSON: the command they come from has been checked. */
const record = ({ stamp }: Place, type: RecordType, members: Members): LedgerRecord => ({
  t: isoTime(stamp),
  type,
  ...(Object.fromEntries(
    Object.keys(RECORD_SHAPES[type]).flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])),
  ) as JsonObject),
})

const start = (place: Place, fields: Fields<"start">): Decided =>
  place.state.start === undefined
    ? written(record(place, "start", { ...fields, redactionMarks: true }))
    : Result.fail(alreadyStarted)

/** The results that close what is open; none when nothing is. */
const closing = (place: Place): ReadonlyArray<LedgerRecord> => {
  const calls = openCalls(place.state.conversation)
  if (calls.length === 0) return []
  const message = messageOf("user", calls.map(interrupted))
  return [record(place, "tool_results", { message, calls: calls.map(interruptedMeta), synthetic: true })]
}

/** What a run is about now, with what changes. */
const going = ({ state }: Place, fields: Partial<StartInfo>): Partial<StartInfo> => ({ ...state.start, ...fields })

const model = (place: Place, fields: Fields<"model">): Decided => {
  if (place.state.start === undefined) return Result.fail(notStarted)
  const { redactionMarks, ...members } = going(place, fields)
  return place.state.start?.model === fields.model && Object.keys(fields).length === 1
    ? written()
    : written(record(place, "model", members))
}

/** The records of a resume: itself, then what it leaves to be settled and closed. */
const resume = (place: Place, fields: Fields<"resume">): Decided => {
  const { start: info } = place.state
  if (info !== undefined && fields.root !== undefined && fields.root !== info.root)
    return Result.fail(rootMismatch(info.sessionId, info.root, fields.root))
  const about = going(place, fields)
  // A file without a start record says nothing of itself: then the command has to.
  if ([about.sessionId, about.root, about.model].includes(undefined)) return Result.fail(notStarted)
  const resumed = record(place, "resume", { ...about, redactionMarks: true })
  const lost = [...place.state.accounting.reservations].map(([requestId, tokens]) =>
    record(place, "unreported", { tokens, requestId }),
  )
  return written(resumed, ...lost, ...closing({ ...place, state: evolve(place.state, resumed) }))
}

/** The message of a prompt: the prompt, then a block for each note, then one for each attachment. */
const user = (place: Place, { text: prompt, notes, attachments }: Fields<"user">): Decided => {
  const blocks = [
    text(prompt),
    ...(notes ?? []).map((note) => text(`<garuda_note>${note}</garuda_note>`)),
    ...(attachments ?? []).map(text),
  ]
  return written(...closing(place), record(place, "user", { message: messageOf("user", blocks) }))
}

/** What is charged when a provider did not say what a request used: its reservation. Nothing when it did, or when there is none. */
const unsaid = (
  place: Place,
  { usageReported }: Pick<ModelResponse, "usageReported">,
  requestId: string | undefined,
): ReadonlyArray<LedgerRecord> => {
  const tokens = requestId === undefined ? undefined : place.state.accounting.reservations.get(requestId)
  return usageReported === false && tokens !== undefined ? [record(place, "unreported", { tokens, requestId })] : []
}

const assistant = (place: Place, fields: Fields<"assistant">): Decided =>
  isAnswered(place.state, fields.requestId)
    ? written()
    : written(...closing(place), record(place, "assistant", fields), ...unsaid(place, fields.response, fields.requestId))

const compact = (place: Place, fields: Fields<"compact">): Decided =>
  isAnswered(place.state, fields.requestId)
    ? written()
    : written(record(place, "compaction", fields), ...unsaid(place, fields.summary ?? {}, fields.requestId))

const sideUsage = (place: Place, fields: Fields<"sideUsage">): Decided =>
  isSettled(place.state.accounting, fields.requestId)
    ? written()
    : written(record(place, "side_usage", fields), ...unsaid(place, fields, fields.requestId))

const toolResults = (place: Place, { results, calls, synthetic }: Fields<"toolResults">): Decided => {
  const awaited = openCalls(place.state.conversation)
  const open = new Set(awaited.map(callId))
  const blocks = results.map(({ type: _, ...result }) => ({
    type: "tool_result",
    ...result,
    isError: result["isError"] === true,
  }))
  for (const block of blocks) if (!open.delete(callId(block))) return Result.fail(unknownCall(callId(block)))
  const message = messageOf("user", inCallOrder(awaited, blocks, callId))
  const known = inCallOrder(awaited, calls, ({ toolUseId }) => toolUseId)
  return written(record(place, "tool_results", { message, calls: known, synthetic: synthetic || undefined }))
}

const unlessSettled = (place: Place, type: RecordType, fields: { readonly requestId?: string }): Decided =>
  isSettled(place.state.accounting, fields.requestId) ? written() : written(record(place, type, fields))

const reserve = (place: Place, fields: Fields<"reserve">): Decided =>
  place.state.accounting.reservations.has(fields.requestId) ? written() : unlessSettled(place, "reserve", fields)

const snapshot = (place: Place, { tree, prompt, durationMs }: Fields<"snapshot">): Decided => {
  const closed = closing(place)
  const messages = place.state.conversation.length + closed.length
  return written(...closed, record(place, "snapshot", { tree, messages, prompt: shortPrompt(prompt), durationMs }))
}

const handlers: { readonly [N in LedgerCommand["do"]]: (place: Place, fields: Fields<N>) => Decided } = {
  start,
  resume,
  model,
  user,
  assistant,
  toolResults,
  closeOpenToolCalls: (place) => written(...closing(place)),
  compact,
  snapshot,
  undo: (place, fields) => (place.state.undo.points.length === 0 ? written() : written(record(place, "undo", fields))),
  redo: (place) => (place.state.undo.redo.length === 0 ? written() : written(record(place, "redo", {}))),
  thinking: (place, { choice }) => (place.state.thinking === choice ? written() : written(record(place, "thinking", { choice }))),
  continue: (place, { text: note, maxTokens }) =>
    written(...closing(place), record(place, "continue", { message: messageOf("user", [text(note)]), maxTokens })),
  reserve,
  unreported: (place, fields) => unlessSettled(place, "unreported", fields),
  childDebit: (place, fields) => unlessSettled(place, "child_debit", fields),
  sideUsage,
  title: (place, { title }) => {
    const clean = cleanTitle(title)
    return place.state.title === clean ? written() : written(record(place, "title", { title: clean }))
  },
  end: (place, fields) => written(record(place, "end", fields)),
}

const carryOut = <C extends LedgerCommand>(place: Place, command: C): Decided => {
  const { do: name, ...fields } = command
  const handler = handlers[name] as (place: Place, fields: object) => Decided
  return handler(place, fields)
}

/** The records that a command writes in a state, or why it may not. */
export const decide = (state: LedgerState, command: LedgerCommand, stamp: Stamp): Decided => {
  const parsed = parseCommand(command)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  if (parsed.success.do !== "start" && state.count === 0) return Result.fail(notStarted)
  return carryOut({ state, stamp }, parsed.success)
}
