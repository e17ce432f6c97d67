/**
 * The messages of a context as a provider takes them: every role that only the session knows becomes a user message.
 *
 * Pure and piecewise: one message in, at most one out. The context itself is not changed.
 */
import { isObject, type Json, type JsonArray, type JsonObject, own, ownString } from "../model/Json.ts"
import { type Wording, wording, wrapped } from "./Wording.ts"

const text = (value: string): JsonObject => ({ type: "text", text: value })

/** A user message with the time of the one that it stands for. */
const userMessage = (message: JsonObject, content: JsonArray, more: JsonObject = {}): JsonObject => {
  const timestamp = own(message, "timestamp")
  return { role: "user", content, ...more, ...(timestamp === undefined ? {} : { timestamp }) }
}

const summary = (message: JsonObject, sentence: string): JsonObject => {
  const payload = own(message, "providerPayload")
  return userMessage(message, [text(wrapped(sentence, ownString(message, "summary") ?? ""))], {
    attribution: "agent",
    ...(payload === undefined ? {} : { providerPayload: payload }),
  })
}

const custom = (message: JsonObject): JsonObject => {
  const content = own(message, "content")
  const blocks = Array.isArray(content) ? (content as JsonArray) : [text(typeof content === "string" ? content : "")]
  const attribution = own(message, "attribution")
  return userMessage(message, blocks, attribution === undefined ? {} : { attribution })
}

const fenced = (body: string, language = ""): string => `\`\`\`${language}\n${body}\n\`\`\``

/** What the user ran beside the conversation, and what came of it. Undefined when it was run outside the model's sight. */
const execution = (
  message: JsonObject,
  ran: string,
  outcome: { readonly cancelled: string; readonly failed: string },
): Json | undefined => {
  if (own(message, "excludeFromContext") === true) return undefined
  const output = ownString(message, "output") ?? ""
  const code = own(message, "exitCode")
  const parts = [`${ran}\n${output === "" ? "(no output)" : fenced(output)}`]
  if (own(message, "cancelled") === true) parts.push(outcome.cancelled)
  else if (typeof code === "number" && code !== 0) parts.push(`${outcome.failed} ${code}`)
  return userMessage(message, [text(parts.join("\n\n"))], { attribution: "user" })
}

const bash = (message: JsonObject): Json | undefined =>
  execution(message, `Ran \`${ownString(message, "command") ?? ""}\``, {
    cancelled: "(command cancelled)",
    failed: "Command exited with code",
  })

const python = (message: JsonObject): Json | undefined =>
  execution(message, `Ran Python:\n${fenced(ownString(message, "code") ?? "", "python")}\nOutput:`, {
    cancelled: "(execution cancelled)",
    failed: "Execution failed with code",
  })

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Text that can neither close the element it stands in nor hide in a terminal. Newlines and tabs stay. */
const escaped = (value: string): string =>
  value
    .replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const mentions = (message: JsonObject): JsonObject => {
  const files = own(message, "files")
  const listed = Array.isArray(files) ? files.filter(isObject) : []
  const blocks = listed.map(
    (file) => `<file path="${escaped(ownString(file, "path") ?? "")}">\n${escaped(ownString(file, "content") ?? "")}\n</file>`,
  )
  const images = listed.flatMap((file) => own(file, "image") ?? [])
  const reminder = text(`<system-reminder>\n${blocks.join("\n\n")}\n</system-reminder>`)
  return userMessage(message, [reminder, ...images], { attribution: "user" })
}

/** The message as a provider takes it, or undefined when it is not for a provider. */
export const providerMessage = (message: JsonObject, words: Wording = wording): JsonObject | undefined => {
  const found = converted(message, words)
  return isObject(found) ? found : undefined
}

const converted = (message: JsonObject, words: Wording): Json | undefined => {
  switch (own(message, "role")) {
    case "compactionSummary":
      return summary(message, words.compaction)
    case "branchSummary":
      return summary(message, words.branch)
    case "custom":
    case "hookMessage":
      return custom(message)
    case "bashExecution":
      return bash(message)
    case "pythonExecution":
      return python(message)
    case "fileMention":
      return mentions(message)
    default:
      return message
  }
}

/** The messages of a context as a provider takes them, in order. */
export const providerMessages = (messages: ReadonlyArray<JsonObject>, words: Wording = wording): ReadonlyArray<JsonObject> =>
  messages.map((message) => providerMessage(message, words)).filter((message) => message !== undefined)
