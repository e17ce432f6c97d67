/**
 * Commands: what a host asks of a tree session, as data.
 *
 *     {"do":"message","message":{…}}      {"do":"branch","to":"ID"|null}      …
 *
 * Valid if and only if `do` is one of the names below, every other field is one that it has, of the kind shown, and everything is
 * JSON. Fields are named as in the record that the command writes; the short names `level`, `tier`, `target`, `names`, `rules`,
 * `records` and `messageCount` stand for `thinkingLevel`, `serviceTier`, `targetId`, `selectedToolNames`, `injectedRules`,
 * `injectedRuleRecords` and `ttsrMessageCount`.
 */
import * as Result from "effect/Result"
import { type CommandFlaw, type CommandOf, type CommandTable, readCommand } from "../model/CommandTable.ts"
import { type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import type { Shaped } from "../model/Shape.ts"
import { invalidCommand, type TreeRejection } from "./Rejection.ts"

const COMMANDS = {
  start: {
    cwd: "string",
    id: "string?",
    timestamp: "string?",
    title: "string?",
    titleSource: "title source?",
    parentSession: "string?",
  },
  message: { message: "object" },
  patchMessage: { entryId: "string", message: "object" },
  branch: { to: "string or null" },
  branchWithSummary: { to: "string or null", summary: "string", details: "anything?", fromExtension: "boolean?" },
  compaction: {
    summary: "string",
    shortSummary: "string?",
    firstKeptEntryId: "string",
    tokensBefore: "number",
    details: "anything?",
    preserveData: "anything?",
    fromExtension: "boolean?",
  },
  model: { model: "string", role: "string?", previousModel: "string?", reason: "string?", thinkingLevel: "string or null?" },
  modelChain: {
    role: "string",
    entries: "list of strings",
    origin: "string?",
    identity: "anything?",
    explicitHead: "boolean?",
    cleared: "boolean?",
  },
  thinking: { level: "string or null" },
  serviceTier: { tier: "string or null" },
  label: { target: "string", label: "string?" },
  title: { title: "string", source: "title source" },
  star: { on: "boolean" },
  cwd: { cwd: "string" },
  custom: { customType: "string", data: "anything?" },
  customMessage: {
    customType: "string",
    content: "content",
    display: "boolean",
    details: "anything?",
    attribution: "attribution?",
  },
  mode: { mode: "string", data: "anything?" },
  mcpTools: { names: "list of strings" },
  builtinTools: { names: "list of strings" },
  tools: { mcp: "list of strings?", builtin: "list of strings?" },
  ttsr: { rules: "list of strings", records: "list?", messageCount: "number?" },
  init: {
    systemPrompt: "string",
    task: "string",
    tools: "list of strings",
    outputSchema: "anything?",
    forkContext: "anything?",
  },
} as const satisfies CommandTable

/** The fields of a command. */
export type Fields<N extends keyof typeof COMMANDS> = Shaped<(typeof COMMANDS)[N]>

export type TreeCommand = CommandOf<typeof COMMANDS>

const wrong = (field: string, expected: string): CommandFlaw => ({ field, expected })

/** What a shape cannot say: a message has a role, and a selection of tools is of one domain at least. */
const further = (name: TreeCommand["do"], command: JsonObject): CommandFlaw | undefined => {
  const message = ownObject(command, "message")
  if (message !== undefined && ownString(message, "role") === undefined) return wrong("message.role", "must be a string")
  if (name === "tools" && own(command, "mcp") === undefined && own(command, "builtin") === undefined) {
    return wrong("mcp", "or builtin must be given")
  }
  if (name === "start" && ownString(command, "id") === "") return wrong("id", "must not be empty")
  if (name === "cwd" && ownString(command, "cwd") === "") return wrong("cwd", "must not be empty")
  if (name === "modelChain") {
    if (ownString(command, "role") === "") return wrong("role", "must not be empty")
    const entries = own(command, "entries")
    const isChain = Array.isArray(entries) && entries.length > 0 && !entries.includes("")
    if (own(command, "cleared") !== true && !isChain)
      return wrong("entries", "must name at least one model, each by a text that is not empty")
  }
  if (name === "model" && ownString(command, "model") === "") return wrong("model", "must not be empty")
  return undefined
}

/** A command from outside: checked, and free of members that are undefined. The rejection names the first field that is wrong. */
export const parseCommand = (given: unknown): Result.Result<TreeCommand, TreeRejection> =>
  Result.mapError(readCommand(COMMANDS, given, further), ({ field, expected }) => invalidCommand(field, expected))
