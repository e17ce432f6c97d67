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
import { isObject, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { plain } from "../model/Plain.ts"
import { invalidCommand, notJson, type TreeRejection } from "./Rejection.ts"
import { flaw, type Kind, type Shape, type Shaped } from "./Shape.ts"

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
} as const satisfies Readonly<Record<string, Shape>>

type Commands = typeof COMMANDS
type Name = keyof Commands

/** The fields of a command. */
export type Fields<N extends Name> = Shaped<Commands[N]>

export type TreeCommand = { readonly [N in Name]: { readonly do: N } & Fields<N> }[Name]

const isName = (name: string): name is Name => Object.hasOwn(COMMANDS, name)

const EXPECTED: Partial<Record<Kind, string>> = {
  content: "must be a string or a list of blocks",
  "title source": "must be auto or user",
  attribution: "must be user or agent",
}

/** What a shape cannot say: a message has a role, and a selection of tools is of one domain at least. */
const further = (name: Name, command: JsonObject): TreeRejection | undefined => {
  const message = ownObject(command, "message")
  if (message !== undefined && ownString(message, "role") === undefined) return invalidCommand("message.role", "must be a string")
  if (name === "tools" && own(command, "mcp") === undefined && own(command, "builtin") === undefined) {
    return invalidCommand("mcp", "or builtin must be given")
  }
  if (name === "start" && ownString(command, "id") === "") return invalidCommand("id", "must not be empty")
  if (name === "cwd" && ownString(command, "cwd") === "") return invalidCommand("cwd", "must not be empty")
  if (name === "modelChain") {
    if (ownString(command, "role") === "") return invalidCommand("role", "must not be empty")
    const entries = own(command, "entries")
    const isChain = Array.isArray(entries) && entries.length > 0 && !entries.includes("")
    if (own(command, "cleared") !== true && !isChain)
      return invalidCommand("entries", "must name at least one model, each by a text that is not empty")
  }
  if (name === "model" && ownString(command, "model") === "") return invalidCommand("model", "must not be empty")
  return undefined
}

/** A command from outside: checked, and free of members that are undefined. The rejection names the first field that is wrong. */
export const parseCommand = (given: unknown): Result.Result<TreeCommand, TreeRejection> => {
  const json = plain(given)
  if (Result.isFailure(json)) return Result.fail(notJson(json.failure))
  const command = json.success
  if (!isObject(command)) return Result.fail(invalidCommand("command", "must be an object"))
  const name = ownString(command, "do") ?? ""
  if (!isName(name)) return Result.fail(invalidCommand("do", `must be one of ${Object.keys(COMMANDS).join(", ")}`))
  const shape: Shape = COMMANDS[name]
  const stranger = Object.keys(command).find((key) => key !== "do" && !Object.hasOwn(shape, key))
  if (stranger !== undefined) return Result.fail(invalidCommand(stranger, `is not a field of ${name}`))
  const found = flaw(command, shape)
  if (found !== undefined) {
    return Result.fail(invalidCommand(found.member, EXPECTED[found.expected] ?? `must be a ${found.expected}`))
  }
  const rejection = further(name, command)
  return rejection === undefined ? Result.succeed(command as unknown as TreeCommand) : Result.fail(rejection)
}
