/** One entry in a few words: what kind it is and how it begins. For lists in which every entry has one line. */
import { isObject, type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import { oneLine } from "./Escape.ts"

export interface Preview {
  /** `user`, `assistant`, `tool`, `model`, …: a word for the type and, of a message, the role. */
  readonly kind: string
  /** One line, safe to show. May be empty. */
  readonly text: string
  /** The entry tells of a failure: a tool that failed, an answer that was cut or refused. */
  readonly failed: boolean
}

/** UTF-16 units that are looked at: more is never shown on a line. */
const ENOUGH = 400

const begin = (text: string): string => oneLine(text.slice(0, ENOUGH))

/** The first words of a content: a text, or the texts of a list of blocks. */
const textOf = (content: Json | undefined): string => {
  if (typeof content === "string") return begin(content)
  if (!Array.isArray(content)) return ""
  const parts: Array<string> = []
  for (const block of content) {
    if (!isObject(block)) continue
    const type = own(block, "type")
    if (type === "text") parts.push(begin(ownString(block, "text") ?? ""))
    else if (type === "image") parts.push("[image]")
  }
  return parts.filter((part) => part !== "").join(" ")
}

/** The argument that says most about a call: its only text, or the one under a telling name. */
const argumentOf = (call: JsonObject): string => {
  const given = ownObject(call, "arguments") ?? {}
  for (const name of ["command", "path", "file_path", "query", "pattern", "url", "task"]) {
    const value = ownString(given, name)
    if (value !== undefined) return begin(value)
  }
  return begin(Object.values(given).find((value) => typeof value === "string") ?? "")
}

const callsOf = (content: Json | undefined): ReadonlyArray<string> =>
  (Array.isArray(content) ? content : []).flatMap((block: Json) => {
    if (!isObject(block) || own(block, "type") !== "toolCall") return []
    const name = oneLine(ownString(block, "name") ?? "tool")
    const argument = argumentOf(block)
    return [argument === "" ? `→ ${name}` : `→ ${name} ${argument}`]
  })

const assistant = (message: JsonObject): Preview => {
  const content = own(message, "content")
  const reason = ownString(message, "stopReason") ?? ""
  const failed = reason === "error" || reason === "aborted"
  const text = [textOf(content), ...callsOf(content), failed ? `(${reason})` : ""].filter((part) => part !== "").join(" ")
  return { kind: "assistant", text: text === "" && !failed ? "(thinking)" : text, failed }
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["toolResult", "tool"],
  ["bashExecution", "shell"],
  ["pythonExecution", "python"],
  ["hookMessage", "custom"],
  ["compactionSummary", "compaction"],
  ["branchSummary", "summary"],
])

/** A message in a few words. */
export const previewMessage = (message: JsonObject): Preview => {
  const role = ownString(message, "role") ?? "message"
  const kind = KINDS.get(role) ?? oneLine(role)
  const failed = own(message, "isError") === true
  switch (role) {
    case "assistant":
      return assistant(message)
    case "toolResult": {
      const name = oneLine(ownString(message, "toolName") ?? "")
      return { kind, text: `${name === "" ? "" : `${name}: `}${textOf(own(message, "content"))}`, failed }
    }
    case "bashExecution":
    case "pythonExecution":
      return { kind, text: `$ ${begin(ownString(message, "command") ?? ownString(message, "code") ?? "")}`, failed }
    case "compactionSummary":
    case "branchSummary":
      return { kind, text: begin(ownString(message, "summary") ?? ""), failed }
    default:
      return { kind, text: textOf(own(message, "content")), failed }
  }
}

const quiet = (kind: string, text = ""): Preview => ({ kind, text, failed: false })

const modelOf = (record: JsonObject): string => {
  const model = ownString(record, "model") ?? `${ownString(record, "provider") ?? "?"}/${ownString(record, "modelId") ?? "?"}`
  const role = ownString(record, "role")
  return oneLine(role === undefined || role === "default" ? model : `${model} (${role})`)
}

const namesOf = (record: JsonObject, member: string): string => {
  const names = own(record, member)
  return Array.isArray(names) ? begin(names.filter((name) => typeof name === "string").join(", ")) : ""
}

const members = (record: JsonObject, ...names: ReadonlyArray<string>): string => {
  for (const name of names) {
    const value = own(record, name)
    if (typeof value === "string") return begin(value)
    if (value === null) return "off"
    if (isObject(value)) return begin(JSON.stringify(value))
  }
  return ""
}

const byType: ReadonlyMap<string, (record: JsonObject) => Preview> = new Map([
  ["message", (record) => previewMessage(ownObject(record, "message") ?? {})],
  ["model_change", (record) => quiet("model", modelOf(record))],
  ["thinking_level_change", (record) => quiet("thinking", members(record, "thinkingLevel"))],
  ["service_tier_change", (record) => quiet("tier", members(record, "serviceTier"))],
  ["mode_change", (record) => quiet("mode", members(record, "mode"))],
  ["compaction", (record) => quiet("compaction", members(record, "shortSummary", "summary"))],
  ["branch_summary", (record) => quiet("summary", members(record, "summary"))],
  ["custom", (record) => quiet("custom", members(record, "customType"))],
  ["custom_message", (record) => quiet("custom", `${members(record, "customType")}: ${textOf(own(record, "content"))}`)],
  ["label", (record) => quiet("label", own(record, "label") === undefined ? "(cleared)" : members(record, "label"))],
  ["ttsr_injection", (record) => quiet("rules", namesOf(record, "injectedRules"))],
  ["mcp_tool_selection", (record) => quiet("mcp tools", namesOf(record, "selectedToolNames"))],
  ["discovered_builtin_tool_selection", (record) => quiet("tools", namesOf(record, "selectedToolNames"))],
  ["configured_model_chain", (record) => quiet("models", namesOf(record, "entries"))],
  ["session_init", (record) => quiet("init", members(record, "task"))],
  ["session_info", (record) => quiet("title", members(record, "name"))],
  ["title_change", (record) => quiet("title", members(record, "title"))],
])

/** An entry in a few words. One of an unknown type has its type's name and no text. */
export const previewEntry = (record: JsonObject): Preview => {
  const type = ownString(record, "type") ?? ""
  return byType.get(type)?.(record) ?? quiet(oneLine(type === "" ? "entry" : type.replaceAll("_", " ")))
}
