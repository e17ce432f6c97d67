/** Places in records where a provider's ciphertext stands, and places that only look like them. */
import type { Json, JsonObject } from "../../src/model/Json.ts"

interface Place {
  readonly name: string
  readonly put: (text: string) => JsonObject
}

const assistant = (...content: ReadonlyArray<Json>): JsonObject => ({
  type: "message",
  id: "0a1b2c3d",
  parentId: null,
  timestamp: "2026-01-02T03:04:05.678Z",
  message: { role: "assistant", content },
})

const user = (...content: ReadonlyArray<Json>): JsonObject => ({ type: "user", message: { role: "user", content } })

const response = (...content: ReadonlyArray<Json>): JsonObject => ({
  type: "assistant",
  step: 1,
  response: { content, stopReason: "end_turn" },
})

const searchResult = (text: string): JsonObject => ({ type: "web_search_result", title: "t", encrypted_content: text })

export const EXEMPT_PLACES: ReadonlyArray<Place> = [
  { name: "signature", put: (text) => assistant({ type: "thinking", thinking: "t", signature: text }) },
  { name: "thinkingSignature", put: (text) => assistant({ type: "thinking", thinking: "t", thinkingSignature: text }) },
  { name: "textSignature", put: (text) => assistant({ type: "text", text: "t", textSignature: text }) },
  {
    name: "thoughtSignature",
    put: (text) => assistant({ type: "toolCall", id: "c", name: "n", arguments: {}, thoughtSignature: text }),
  },
  { name: "redacted thinking", put: (text) => assistant({ type: "redacted_thinking", data: text }) },
  {
    name: "wire of thinking",
    put: (text) => response({ type: "thinking", text: "t", wire: { type: "thinking", thinking: "t", signature: text } }),
  },
  {
    name: "wire of redacted thinking",
    put: (text) => response({ type: "thinking", text: "", wire: { type: "redacted_thinking", data: text } }),
  },
  {
    name: "search result",
    put: (text) =>
      response({ type: "server_tool_result", toolUseId: "c", name: "n", results: [], wire: { content: [searchResult(text)] } }),
  },
  { name: "citation", put: (text) => response({ type: "text", text: "t", citations: [{ url: "u", encrypted_index: text }] }) },
  {
    name: "compaction",
    put: (text) => ({
      type: "compaction",
      messages: [{ role: "assistant", content: [{ type: "thinking", text: "t", wire: { type: "thinking", signature: text } }] }],
    }),
  },
  {
    name: "what a compaction carries along",
    put: (text) => ({
      type: "compaction",
      retainedTail: [{ role: "assistant", content: [{ type: "thinking", thinking: "t", thinkingSignature: text }] }],
    }),
  },
  {
    name: "history that a provider compacted",
    put: (text) => ({
      type: "compaction",
      preserveData: { openaiRemoteCompaction: { replacementHistory: [{ type: "reasoning", encrypted_content: text }] } },
    }),
  },
  {
    name: "summary",
    put: (text) => ({
      type: "compaction",
      summary: { content: [{ type: "thinking", wire: { type: "thinking", signature: text } }] },
    }),
  },
  {
    name: "patch",
    put: (text) => ({
      type: "entry_patch",
      entryId: "0a1b2c3d",
      patch: { message: { role: "assistant", content: [{ type: "thinking", thinking: "", thinkingSignature: text }] } },
    }),
  },
  {
    name: "payload of a provider",
    put: (text) => ({
      type: "message",
      message: { role: "assistant", content: [], providerPayload: { items: [{ type: "reasoning", encrypted_content: text }] } },
    }),
  },
  {
    name: "message alone",
    put: (text) => ({ role: "assistant", content: [{ type: "thinking", thinking: "t", signature: text }] }),
  },
]

export const OPEN_PLACES: ReadonlyArray<Place> = [
  {
    name: "tool input",
    put: (text) => assistant({ type: "tool_use", id: "c", name: "n", input: { type: "thinking", signature: text } }),
  },
  {
    name: "tool arguments",
    put: (text) =>
      assistant({
        type: "toolCall",
        id: "c",
        name: "n",
        arguments: { role: "assistant", content: [{ type: "thinking", signature: text, encrypted_content: text }] },
      }),
  },
  {
    name: "input of a server tool",
    put: (text) => response({ type: "server_tool_use", id: "c", name: "n", wire: { input: { encrypted_content: text } } }),
  },
  { name: "signature of text", put: (text) => assistant({ type: "text", text: "t", signature: text }) },
  { name: "data of an image", put: (text) => assistant({ type: "image", data: text }) },
  { name: "block of a user", put: (text) => user({ type: "thinking", thinking: "t", signature: text }) },
  {
    name: "tool result",
    put: (text) => user({ type: "tool_result", toolUseId: "c", content: "x", encrypted_content: text, encrypted_index: text }),
  },
  { name: "record itself", put: (text) => ({ type: "thinking", signature: text, data: text, encrypted_content: text }) },
  {
    name: "custom data",
    put: (text) => ({
      type: "custom",
      data: { message: { role: "assistant", content: [{ type: "thinking", signature: text }] } },
    }),
  },
  {
    name: "response of a tool",
    put: (text) => ({ type: "tool_results", response: { content: [{ type: "redacted_thinking", data: text }] } }),
  },
]
