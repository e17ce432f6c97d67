/** Small helpers of the tests that concern tool calls: messages in, entries out. */
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { entry } from "./Session.ts"

export const text = (value: string): JsonObject => ({ type: "text", text: value })

export const call = (id: string): JsonObject => ({ type: "toolCall", id, name: "bash", arguments: {} })

export const caller = (...content: ReadonlyArray<Json>): JsonObject => ({ role: "assistant", content, timestamp: 7 })

export const answer = (toolCallId: string, content: Json = [text(toolCallId)]): JsonObject => ({
  role: "toolResult",
  toolCallId,
  toolName: "bash",
  content,
  isError: false,
})

export const asked = (content: Json): JsonObject => ({ role: "user", content })

/** A message as an entry. */
export const says = (id: string, parentId: string | null, message: JsonObject): JsonObject =>
  entry("message", id, parentId, { message })
