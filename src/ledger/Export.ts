/**
 * A session as a Markdown document, for people to read (law LED-5). It is made from the records of the file, from which redaction has
 * taken the secrets, and never from a conversation in memory.
 *
 * Prompts and answers stand in full, as block quotes; calls of tools, searches and attachments in a line each. Thinking is left out. Notes
 * in italics say what happened to the session: undo, redo, compaction, another model, a run that did not simply end.
 */
import { isObject, type JsonObject, own, ownString } from "../model/Json.ts"
import { type Block, callId, isToolResult, isToolUse, textOf } from "./Block.ts"
import { evolve, isAnswered } from "./Evolution.ts"
import { link, quote, span } from "./Markdown.ts"
import { classify, type KnownRecord, type LedgerRecord, type RecordOf } from "./Record.ts"
import { initial, type LedgerState } from "./State.ts"
import { summarise } from "./Summary.ts"

export interface ExportOptions {
  /** An IANA name, such as `Europe/Berlin`. UTC by default. A name that nobody knows is a RangeError. */
  readonly timeZone?: string | undefined
}

type Clock = (time: string | undefined) => string

/** Times as `2026-09-23 20:15`. What is no time stays as it is. */
const clockOf = (timeZone: string): Clock => {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  })
  return (time = "") => {
    const at = new Date(time)
    if (Number.isNaN(at.getTime())) return span(time)
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ""
    return `${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}`
  }
}

const NOTE = /^<garuda_note>([\s\S]*?)(?:<\/garuda_note>)?$/

/** What a prompt was given along: a note to the model, or the content of a file. One line each. */
const alongside = (text: string): string => {
  const note = NOTE.exec(text)?.[1]
  const line = span(note ?? text)
  return line === "" ? "" : `- ${note === undefined ? "Attached" : "Note"}: ${line}`
}

/** The one member of an input that is a text, or all of it. */
const shortInput = (call: Block): string => {
  const input = own(call, "input")
  const members = isObject(input) ? Object.values(input) : []
  const [only] = members
  if (members.length === 1 && typeof only === "string") return span(only)
  return members.length === 0 ? "" : span(JSON.stringify(input))
}

const joined = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(" ")

/** The lines of a document as they come, and what is still open in it. */
class Draft {
  readonly #blocks: Array<string> = []
  readonly #clock: Clock
  /** Calls that have no result yet, by id. */
  readonly #calls = new Map<string, Block>()
  #isInAnswer = false
  #isRunning = false
  /** Whether anybody has said anything. */
  isEmpty = true

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get text(): string {
    return this.#blocks.join("\n\n")
  }

  /** Lines of a list stand together; everything else stands by itself. */
  #put(block: string): void {
    const last = this.#blocks.at(-1)
    if (block === "") return
    if (block.startsWith("- ") && last?.startsWith("- ")) this.#blocks[this.#blocks.length - 1] = `${last}\n${block}`
    else this.#blocks.push(block)
  }

  note(text: string): void {
    this.#put(`*${text}*`)
  }

  prompt(record: RecordOf<"user">): void {
    this.interrupt()
    this.isEmpty = false
    this.#isInAnswer = false
    this.#isRunning = true
    const [prompt = "", ...rest] = record.message.content.flatMap((block) => textOf(block) ?? [])
    this.#put(`## You, ${this.#clock(record.t)}`)
    this.#put(quote(prompt))
    for (const text of rest) this.#put(alongside(text))
  }

  answer({ t, response }: RecordOf<"assistant">): void {
    this.isEmpty = false
    if (!this.#isInAnswer) this.#put(`## Agent, ${this.#clock(t)}`)
    this.#isInAnswer = true
    for (const block of response.content) {
      const said = textOf(block)
      if (said !== undefined && said.trim() !== "") this.#put(quote(said))
      if (isToolUse(block)) this.#calls.set(callId(block), block)
      this.#search(block)
    }
  }

  #search(block: Block): void {
    const type = own(block, "type")
    const name = span(ownString(block, "name") ?? "search")
    if (type === "server_tool_use") this.#put(joined("-", name, shortInput(block)))
    if (type !== "server_tool_result") return
    const results = own(block, "results")
    const found: ReadonlyArray<JsonObject> = Array.isArray(results) ? results.filter(isObject) : []
    const failure = ownString(block, "error")
    if (failure !== undefined) this.#put(`- ${name} failed: ${span(failure)}`)
    else this.#put(`- ${name} found ${found.length}`)
    for (const item of found) this.#put(joined("-", span(ownString(item, "title") ?? ""), link(ownString(item, "url") ?? "")))
  }

  results({ message, synthetic }: RecordOf<"tool_results">): void {
    for (const block of message.content.filter(isToolResult)) {
      const call = this.#calls.get(callId(block))
      this.#calls.delete(callId(block))
      const outcome = span(ownString(block, "content") ?? "")
      const name = span(ownString(call ?? {}, "name") ?? "") || "Result"
      const made = joined(name, call === undefined ? "" : shortInput(call))
      const isFailure = own(block, "isError") === true
      this.#put(`- ${made}${isFailure ? " — failed:" : outcome === "" ? "" : " —"}${outcome === "" ? "" : ` ${outcome}`}`)
    }
    // What was made up for calls that were left open says that their run is over.
    if (synthetic === true) this.interrupt()
  }

  /** The session goes on in another process. Results for calls that were left open may still follow. */
  resume(): void {
    if (this.#calls.size === 0) this.interrupt()
  }

  end({ stopReason, steps }: RecordOf<"end">): void {
    this.#isRunning = false
    if (stopReason === "done") return
    const made = Number.isFinite(steps) && steps > 0 ? ` after ${steps} ${steps === 1 ? "step" : "steps"}` : ""
    this.note(stopReason === "interrupted" ? "The run was interrupted." : `The run ended${made}: ${span(stopReason)}`)
  }

  /** The run that is under way comes to no end of its own. */
  interrupt(): void {
    for (const call of this.#calls.values())
      this.#put(joined("-", span(ownString(call, "name") ?? ""), shortInput(call), "— no result"))
    this.#calls.clear()
    if (this.#isRunning) this.note("The run was interrupted.")
    this.#isRunning = false
    this.#isInAnswer = false
  }
}

const turn = (prompt: string | undefined): string => joined("turn", span(prompt ?? ""))

/** What happened to the session, where it was more than a turn of somebody. */
const happened = (draft: Draft, before: LedgerState, record: KnownRecord): void => {
  switch (record.type) {
    case "start":
    case "resume":
    case "model":
      if (record.type === "resume") draft.resume()
      if (before.start !== undefined && before.start.model !== record.model) draft.note(`The model is ${span(record.model)} now.`)
      return
    case "undo":
      if (before.undo.points.length > 0) draft.note(`Undone: the ${turn(before.undo.points.at(-1)?.prompt)}`)
      return
    case "redo":
      if (before.undo.redo.length > 0) draft.note(`Done again: the ${turn(before.undo.redo.at(-1)?.point.prompt)}`)
      return
    case "compaction":
      draft.note(`Compacted (${span(record.stage)}): from ${record.beforeTokens} to ${record.afterTokens} tokens`)
      return
    case "continue":
      draft.note("The answer was cut off at its limit, and the agent was asked to go on.")
      return
    case "end":
      draft.end(record)
  }
}

const add = (draft: Draft, before: LedgerState, record: KnownRecord): void => {
  if (record.type === "user") draft.prompt(record)
  else if (record.type === "tool_results") draft.results(record)
  else if (record.type !== "assistant") happened(draft, before, record)
  else if (!isAnswered(before, record.requestId)) draft.answer(record)
}

const heading = (state: LedgerState, clock: Clock, zone: string): string => {
  const { id, root, model, created, title } = summarise(state)
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["Session", span(id ?? "")],
    ["Folder", span(root ?? "")],
    ["Model", span(model ?? "")],
    ["Started", created === undefined ? "" : `${clock(created)} (${zone})`],
  ]
  const lines = facts.flatMap(([name, value]) => (value === "" ? [] : [`- ${name}: ${value}`]))
  return [`# ${joined("Session", span(title))}`, ...(lines.length === 0 ? [] : [lines.join("\n")])].join("\n\n")
}

/**
 * The document of a session's records, the title and the model being the last ones. Undefined when nobody has said anything in it. Records
 * that cannot be used and those of unknown types are passed over. O(records).
 */
export const exportMarkdown = (records: Iterable<LedgerRecord>, options: ExportOptions = {}): string | undefined => {
  const { timeZone = "UTC" } = options
  const clock = clockOf(timeZone)
  const draft = new Draft(clock)
  let state = initial
  for (const json of records) {
    const classified = classify(json)
    if (classified._tag === "Known") add(draft, state, classified.record)
    state = evolve(state, json)
  }
  if (draft.isEmpty) return undefined
  draft.interrupt()
  return `${heading(state, clock, timeZone)}\n\n${draft.text}\n`
}
