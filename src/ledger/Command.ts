/**
 * Commands: what a host asks of a ledger session, as data.
 *
 *     {"do":"user","text":"…","notes":["…"]}      {"do":"undo","after":"TREE"}      …
 *
 * Valid if and only if `do` is one of the names below, every other field is one that it has, of the kind shown, and everything is JSON.
 * Fields are named as in the record that the command writes. `text`, `notes` and `attachments` become the message of a `user` or
 * `continue` record, `results` that of a `tool_results` record. What `model` and `resume` leave out stays as it was; a file without a start
 * record is resumed with `sessionId`, `root` and `model`.
 */
import * as Result from "effect/Result"
import { type CommandFlaw, type CommandOf, type CommandTable, readCommand } from "../model/CommandTable.ts"
import { type JsonObject, own, ownString } from "../model/Json.ts"
import { listOf, maybe, of, type Shaped } from "../model/Shape.ts"
import { CALL, LIMITS, RECORD_SHAPES, RESPONSE } from "./Record.ts"
import { invalidCommand, type LedgerRejection } from "./Rejection.ts"
import { cleanTitle } from "./Title.ts"

const going = { version: "string?", executor: "string?", isolation: "string?", limits: maybe(of(LIMITS)) } as const

const COMMANDS = {
  start: { sessionId: "string", root: "string", model: "string", ...going },
  resume: { sessionId: "string?", root: "string?", model: "string?", ...going },
  model: { model: "string", ...going },
  user: { text: "string", notes: "list of strings?", attachments: "list of strings?" },
  assistant: { step: "number", response: of(RESPONSE), costUsd: "amount?", requestId: "string?" },
  toolResults: { results: "list of objects", calls: listOf(CALL), synthetic: "boolean?" },
  closeOpenToolCalls: {},
  compact: RECORD_SHAPES.compaction,
  snapshot: { tree: "string", prompt: "string", durationMs: "number" },
  undo: { after: "string" },
  redo: {},
  thinking: { choice: "string" },
  continue: { text: "string", maxTokens: "number" },
  reserve: RECORD_SHAPES.reserve,
  unreported: RECORD_SHAPES.unreported,
  childDebit: RECORD_SHAPES.child_debit,
  sideUsage: RECORD_SHAPES.side_usage,
  title: { title: "string" },
  end: RECORD_SHAPES.end,
} as const satisfies CommandTable

/** The fields of a command. */
export type Fields<N extends keyof typeof COMMANDS> = Shaped<(typeof COMMANDS)[N]>

export type LedgerCommand = CommandOf<typeof COMMANDS>

/** What a shape cannot say. */
const further = (name: LedgerCommand["do"], command: JsonObject): CommandFlaw | undefined => {
  for (const field of ["sessionId", "model", "root", "requestId", "childSessionId"]) {
    if (ownString(command, field) === "") return { field, expected: "must not be empty" }
  }
  if (name === "title" && cleanTitle(ownString(command, "title") ?? "") === "")
    return { field: "title", expected: "must not be empty" }
  if ((name === "user" || name === "continue") && !/\S/.test(ownString(command, "text") ?? ""))
    return { field: "text", expected: "must not be blank" }
  if (name !== "toolResults") return undefined
  const results = own(command, "results") as ReadonlyArray<JsonObject>
  if (results.length === 0) return { field: "results", expected: "must not be empty" }
  const index = results.findIndex(
    (result) => ownString(result, "toolUseId") === undefined || ownString(result, "content") === undefined,
  )
  return index < 0 ? undefined : { field: `results[${index}]`, expected: "must have the strings toolUseId and content" }
}

/** A command from outside: checked, and free of members that are undefined. The rejection names the first field that is wrong. */
export const parseCommand = (given: unknown): Result.Result<LedgerCommand, LedgerRejection> =>
  Result.mapError(readCommand(COMMANDS, given, further), invalidCommand)
