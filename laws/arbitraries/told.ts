/** Commands of every kind that say a text wherever a host can say one. */
import type { LedgerCommand } from "../../src/ledger/Command.ts"
import { isObject, type JsonObject, ownObject } from "../../src/model/Json.ts"
import { MIN_BLOB_UNITS } from "../../src/model/Limits.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"

/** All strings of a record, with what stands around them: what a host would put into commands of other kinds. */
export const stringsOf = (record: JsonObject): ReadonlyArray<string> => {
  const found: Array<string> = []
  const todo: Array<unknown> = [record]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === "string") found.push(next)
    else if (Array.isArray(next)) todo.push(...next)
    else if (isObject(next)) todo.push(...Object.keys(next), ...Object.values(next))
  }
  return found
}

/** What is said: a text, a record that has it somewhere, and what of the session it can refer to. */
export interface Telling {
  readonly words: string
  readonly record: JsonObject
  /** The entry that the next one attaches to. */
  readonly leaf: string | null
  /** The last entry that is a message. */
  readonly message: string | undefined
}

/** Base64 of the words, long enough for a blob: an image that is a text. */
export const pictureOf = (words: string, units = MIN_BLOB_UNITS): JsonObject => {
  const data = Buffer.from(words.padEnd(units, " ")).toString("base64")
  return { type: "image", mimeType: "image/png", data }
}

/** Bytes that no text has, as at the beginning of a picture. */
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0xff, 0xd8, 0xff, 0xe1]

/** An image with a text among bytes that are none, as in the notes of a camera, with one byte or two for a character. */
const photographOf = (words: string, encoding: "utf8" | "utf16le"): JsonObject => {
  const noise = Buffer.from(Array.from({ length: 900 }, (_, i) => (i * 151 + 128) % 256))
  const data = Buffer.concat([Buffer.from(SIGNATURE), noise, Buffer.from(words, encoding), Buffer.from([0, 0]), noise])
  return { type: "image", mimeType: "image/png", data: data.toString("base64") }
}

/** The images of a message that say the words. */
const imagesOf = (words: string): ReadonlyArray<JsonObject> => [
  pictureOf(words),
  pictureOf(words, 40),
  photographOf(words, "utf8"),
  // In two bytes a character only Latin letters can be told from what a picture is made of.
  ...(/^[\x00-\xff]*$/.test(words) ? [photographOf(words, "utf16le")] : []),
  { type: "input_image", image_url: `data:image/png;base64,${pictureOf(words)["data"]}` },
  { type: "image_url", image_url: { url: `data:image/png;base64,${photographOf(words, "utf8")["data"]}` } },
  { type: "input_image", image_url: words },
  { type: "image", source: { type: "base64", media_type: "image/png", data: pictureOf(words)["data"] as string } },
]

type Tellers<C extends { readonly do: string }> = { readonly [N in C["do"]]: (telling: Telling) => ReadonlyArray<C> }

const messageOf = (record: JsonObject): JsonObject => ownObject(record, "message") ?? { role: "user", content: [record] }

/** Commands of a tree session, by their names. The type says that none is missing. */
export const TREE_COMMANDS: Tellers<TreeCommand> = {
  start: ({ words }) => [{ do: "start", cwd: words, title: words, parentSession: words }],
  message: ({ words, record }) => [
    { do: "message", message: messageOf(record) },
    { do: "message", message: { role: "assistant", content: [{ type: "text", text: words }], stopReason: "stop" } },
    { do: "message", message: { role: "user", content: [{ type: "text", text: "see" }, ...imagesOf(words)] } },
    {
      do: "message",
      message: {
        role: "toolResult",
        toolCallId: words,
        toolName: words,
        content: [{ type: "text", text: words }, pictureOf(words)],
      },
    },
    { do: "message", message: { role: "bashExecution", command: words, output: words, exitCode: 1 } },
  ],
  patchMessage: ({ words, record, message }) =>
    [messageOf(record), { role: "user", content: [{ type: "text", text: words }] }].flatMap((changed) =>
      message === undefined ? [] : [{ do: "patchMessage", entryId: message, message: changed }],
    ),
  branch: ({ leaf }) => [{ do: "branch", to: leaf }],
  branchWithSummary: ({ words, record, leaf }) => [{ do: "branchWithSummary", to: leaf, summary: words, details: record }],
  compaction: ({ words, record, leaf }) => [
    {
      do: "compaction",
      summary: words,
      shortSummary: words,
      firstKeptEntryId: leaf ?? "none",
      tokensBefore: 1,
      details: { [words]: words },
      preserveData: record,
    },
  ],
  model: ({ words }) => [
    { do: "model", model: `m ${words}`, role: words, previousModel: words, reason: words, thinkingLevel: words },
  ],
  modelChain: ({ words, record }) => [
    { do: "modelChain", role: `r ${words}`, entries: [`m ${words}`], origin: words, identity: record },
  ],
  thinking: ({ words }) => [{ do: "thinking", level: words }],
  serviceTier: ({ words }) => [{ do: "serviceTier", tier: words }],
  label: ({ words, leaf }) => (leaf === null ? [] : [{ do: "label", target: leaf, label: words }]),
  title: ({ words }) => [
    { do: "title", title: words, source: "user" },
    { do: "title", title: `${"x".repeat(990)} ${words}`, source: "auto" },
  ],
  star: () => [
    { do: "star", on: true },
    { do: "star", on: false },
  ],
  cwd: ({ words }) => [{ do: "cwd", cwd: `/w/${words}` }],
  custom: ({ words, record }) => [{ do: "custom", customType: `law ${words}`, data: { [words]: [words, record] } }],
  customMessage: ({ words, record }) => [
    { do: "customMessage", customType: words, content: words, display: true, details: record },
    { do: "customMessage", customType: "c", content: [{ type: "text", text: words }, pictureOf(words)], display: true },
  ],
  mode: ({ words }) => [{ do: "mode", mode: words, data: { words } }],
  mcpTools: ({ words }) => [{ do: "mcpTools", names: [words, "b"] }],
  builtinTools: ({ words }) => [{ do: "builtinTools", names: [words, "b"] }],
  tools: ({ words }) => [{ do: "tools", mcp: [words], builtin: [words] }],
  ttsr: ({ words, record }) => [{ do: "ttsr", rules: [words], records: [record], messageCount: 1 }],
  init: ({ words, record }) => [
    { do: "init", systemPrompt: words, task: words, tools: [words], outputSchema: record, forkContext: words },
  ],
}

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }

const idOf = (words: string): string => words || "c"

const responseOf = (words: string, record: JsonObject) => {
  const wire = ownObject(record, "message") ?? record
  const call = { type: "tool_use", id: idOf(words), name: words, input: record }
  const content = [{ type: "text", text: words }, { type: "thinking", text: words, wire }, call]
  return { content, stopReason: words, usage }
}

/** Commands of a ledger, by their names. The type says that none is missing. */
export const LEDGER_COMMANDS: Tellers<LedgerCommand> = {
  start: ({ words }) => [{ do: "start", sessionId: idOf(words), root: `/w/${words}`, model: `m ${words}` }],
  resume: ({ words }) => [{ do: "resume", model: `m ${words}`, version: words, executor: words, isolation: words }],
  model: ({ words }) => [{ do: "model", model: `m ${words}`, version: words, executor: words }],
  user: ({ words }) => [{ do: "user", text: `a ${words}`, notes: [words], attachments: [words] }],
  assistant: ({ words, record }) => [
    { do: "assistant", step: 1, response: responseOf(words, record), requestId: idOf(words) } as LedgerCommand,
  ],
  toolResults: ({ words, record }) => {
    const meta = { toolUseId: idOf(words), name: words, durationMs: 1, executor: words, isolation: words }
    const subagent = { sessionId: words, model: words, stopReason: words, usage, requestId: words }
    const results = [{ toolUseId: idOf(words), content: words, of: record, image: pictureOf(words) }]
    return [{ do: "toolResults", results, calls: [{ ...meta, subagent }] } as LedgerCommand]
  },
  closeOpenToolCalls: () => [{ do: "closeOpenToolCalls" }],
  compact: ({ words, record }) => [
    {
      do: "compact",
      stage: words,
      beforeTokens: 1,
      afterTokens: 1,
      messages: [{ role: "user", content: [{ type: "text", text: words }, record] }],
      summary: responseOf(words, record),
    } as LedgerCommand,
  ],
  snapshot: ({ words }) => [
    { do: "snapshot", tree: words, prompt: words, durationMs: 1 },
    // So that a secret stands where a prompt is cut.
    { do: "snapshot", tree: "t", prompt: `${"x".repeat(60)} ${words}`, durationMs: 1 },
  ],
  undo: ({ words }) => [{ do: "undo", after: words }],
  redo: () => [{ do: "redo" }],
  thinking: ({ words }) => [{ do: "thinking", choice: words }],
  continue: ({ words }) => [{ do: "continue", text: `c ${words}`, maxTokens: 1 }],
  reserve: ({ words }) => [{ do: "reserve", requestId: idOf(words), tokens: 1 }],
  unreported: ({ words }) => [{ do: "unreported", tokens: 1, requestId: idOf(words) }],
  childDebit: ({ words }) => [{ do: "childDebit", childSessionId: idOf(words), tokens: 1, requestId: words }],
  sideUsage: ({ words }) => [{ do: "sideUsage", purpose: words, usage, requestId: words }],
  title: ({ words }) => [
    { do: "title", title: `t ${words}` },
    { do: "title", title: `${"x".repeat(45)} ${words}` },
  ],
  end: ({ words }) => [{ do: "end", stopReason: words, steps: 1 }],
}
