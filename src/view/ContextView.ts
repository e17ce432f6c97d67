/** The context of a tree session for people: the settings in force, then every message under a heading of its own. */
import { isObject, type Json, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import type { SessionContext } from "../tree/Context.ts"
import { type Block, type ConversationOptions, conversationLines, type ShownMessage } from "./Conversation.ts"
import { oneLine } from "./Escape.ts"
import { count } from "./Quantity.ts"

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

const shownOf = (message: JsonObject): ShownMessage => ({
  role: ownString(message, "role") ?? "message",
  detail: detailOf(message),
  blocks: blocksOf(message),
})

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
export function* contextLines(context: SessionContext, options: ConversationOptions): Generator<string> {
  yield* conversationLines(context.messages, settingsOf(context), shownOf, options)
}
