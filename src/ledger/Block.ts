/** The blocks of a message, by what they are. Blocks are open JSON objects; these functions read them and never change one. */
import { type JsonObject, own, ownObject, ownString } from "../model/Json.ts"
import type { Message } from "./Record.ts"

export type Block = JsonObject

const isType = (block: Block, type: string): boolean => own(block, "type") === type

export const isThinking = (block: Block): boolean => isType(block, "thinking")

export const isToolUse = (block: Block): boolean => isType(block, "tool_use")

export const isToolResult = (block: Block): boolean => isType(block, "tool_result")

/** A search or fetch that the provider itself made, or what came of it. */
export const isServerBlock = (block: Block): boolean => isType(block, "server_tool_use") || isType(block, "server_tool_result")

/** The text of a text block; undefined for a block of another type. */
export const textOf = (block: Block): string | undefined => (isType(block, "text") ? ownString(block, "text") : undefined)

export const text = (content: string): Block => ({ type: "text", text: content })

/** The id of a tool call: its own `id` for a call, `toolUseId` for a result. */
export const callId = (block: Block): string => ownString(block, isToolUse(block) ? "id" : "toolUseId") ?? ""

/** The provider's own block inside a thinking or server block. */
export const wireOf = (block: Block): JsonObject => ownObject(block, "wire") ?? {}

export const messageOf = (role: Message["role"], content: ReadonlyArray<Block>): Message => ({ role, content })

/**
 * The message without its thinking: the same reference when it has none, undefined when nothing is left of it. Providers refuse a message
 * without content.
 */
export const withoutThinking = (message: Message): Message | undefined => {
  if (message.role !== "assistant" || !message.content.some(isThinking)) return message
  const content = message.content.filter((block) => !isThinking(block))
  return content.length === 0 ? undefined : { ...message, content }
}
