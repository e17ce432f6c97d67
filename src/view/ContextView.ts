/** The context for people: the settings in force, then every message under a heading of its own. */
import { isObject, type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import type { SessionContext } from "../tree/Context.ts"
import { lines, oneLine } from "./Escape.ts"
import { bytes, count, integer } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import { bytesOf } from "./Summary.ts"
import { cut } from "./Width.ts"

export interface ContextViewOptions {
  readonly style: Style
  readonly columns: number
  /** Shows every line of every message instead of the first few. */
  readonly full: boolean
}

/** Lines of one block that are shown, and how many of a longer one. */
const SHORT = 8
const SHOWN = 6

/** One part of a message: a heading for it, unless it is plain text, and its text. */
interface Block {
  readonly heading?: string
  readonly text: string
}

const blockOf = (block: Json): Block => {
  if (!isObject(block)) return { text: typeof block === "string" ? block : JSON.stringify(block) }
  switch (own(block, "type")) {
    case "text":
      return { text: ownString(block, "text") ?? "" }
    case "thinking":
      return { heading: "thinking", text: ownString(block, "thinking") ?? "" }
    case "redactedThinking":
      return { heading: "thinking (redacted by the provider)", text: "" }
    case "toolCall":
      return { heading: `→ ${oneLine(ownString(block, "name") ?? "")}`, text: JSON.stringify(own(block, "arguments") ?? {}) }
    case "image":
      return { heading: `[image ${oneLine(ownString(block, "mimeType") ?? "")}]`.replace(" ]", "]"), text: "" }
    default:
      return { heading: `[${oneLine(ownString(block, "type") ?? "block")}]`, text: "" }
  }
}

const contentOf = (content: Json | undefined): ReadonlyArray<Block> => {
  if (typeof content === "string") return [{ text: content }]
  return Array.isArray(content) ? content.map(blockOf) : []
}

const shell = (message: JsonObject): ReadonlyArray<Block> => [
  {
    heading: `$ ${oneLine(ownString(message, "command") ?? ownString(message, "code") ?? "")}`,
    text: ownString(message, "output") ?? "",
  },
]

const blocksOf = (message: JsonObject): ReadonlyArray<Block> => {
  switch (own(message, "role")) {
    case "bashExecution":
    case "pythonExecution":
      return shell(message)
    case "compactionSummary": {
      const payload = ownObject(message, "providerPayload")
      const replaced: ReadonlyArray<Block> =
        payload === undefined ? [] : [{ heading: "[history kept by the provider]", text: "" }]
      return [{ text: ownString(message, "summary") ?? "" }, ...replaced]
    }
    case "branchSummary":
      return [{ text: ownString(message, "summary") ?? "" }]
    default:
      return contentOf(own(message, "content"))
  }
}

/** What stands behind the role in a heading. */
const detailOf = (message: JsonObject): string => {
  switch (own(message, "role")) {
    case "assistant":
      return [ownString(message, "model"), ownString(message, "stopReason")].filter((part) => part !== undefined).join(", ")
    case "toolResult":
      return `${ownString(message, "toolName") ?? ""}${own(message, "isError") === true ? ", failed" : ""}`
    case "custom":
      return ownString(message, "customType") ?? ""
    default:
      return ""
  }
}

const roleStyle = (role: string, style: Style): ((text: string) => string) =>
  role === "user" ? style.bold : role === "assistant" ? style.cyan : role.endsWith("Summary") ? style.yellow : (text) => text

function* bodyLines({ heading, text }: Block, { style, columns, full }: ContextViewOptions): Generator<string> {
  if (heading !== undefined) yield `  ${style.dim(full ? heading : cut(heading, columns - 2))}`
  if (text === "") return
  const all = lines(text)
  const shown = full || all.length <= SHORT ? all : all.slice(0, SHOWN)
  for (const line of shown) yield `  ${full ? line : cut(line, columns - 2)}`.trimEnd()
  if (shown.length < all.length) yield `  ${style.dim(`… ${count(all.length - shown.length, "more line")}`)}`
}

function* messageLines(message: JsonObject, at: number, options: ContextViewOptions): Generator<string> {
  const { style } = options
  const role = ownString(message, "role") ?? "message"
  const detail = oneLine(detailOf(message))
  yield ""
  yield `${style.dim(`${integer(at + 1)}.`)} ${roleStyle(role, style)(oneLine(role))}${detail === "" ? "" : style.dim(`  ${detail}`)}`
  for (const block of blocksOf(message)) yield* bodyLines(block, options)
}

const settingsOf = (context: SessionContext): string => {
  const models = Object.entries(context.models).map(([role, model]) => (role === "default" ? model : `${model} (${role})`))
  const tools = context.selectedMCPToolNames.length + (context.selectedDiscoveredBuiltinToolNames?.length ?? 0)
  const parts = [
    models.length === 0 ? "no model" : models.join(", "),
    `thinking ${context.thinkingLevel}`,
    ...(context.mode === "none" ? [] : [`mode ${context.mode}`]),
    ...(tools === 0 ? [] : [count(tools, "selected tool")]),
    ...(context.injectedTtsrRules.length === 0 ? [] : [count(context.injectedTtsrRules.length, "injected rule")]),
  ]
  return oneLine(parts.join(" · "))
}

/** The context, line by line. Without `full`, a long block shows its beginning and says how much is left out. */
export function* contextLines(context: SessionContext, options: ContextViewOptions): Generator<string> {
  const { style } = options
  yield style.bold(`${count(context.messages.length, "message")}, ${bytes(bytesOf(context.messages))}`)
  yield style.dim(settingsOf(context))
  for (const [at, message] of context.messages.entries()) yield* messageLines(message, at, options)
}
