/**
 * The texts of a record that go on where another record left off: results of tools, output of commands, streams of extensions.
 *
 * A text has sources: the call that it answers, and the tool with the path it was asked for, since a long file is read in pages by one
 * call after the other. The names of calls are told by the records that make them.
 */
import { isObject, type Json, type JsonArray, type JsonObject, own, ownObject, ownString } from "../model/Json.ts"

/** A text of a record: a member that is a string, or the text blocks of one array. */
export interface Sourced {
  /** The object that the member is of, or the array of blocks. */
  readonly holder: JsonObject | JsonArray
  /** What it may go on with, the most telling first. */
  readonly sources: ReadonlyArray<string>
}

const MOST_CALLS = 256

const PATH_KEYS = ["path", "file_path", "filePath", "file", "filename"]

const STREAM_KEYS = ["text", "chunk", "output", "delta", "content"]

const arrayOf = (value: Json | undefined): JsonArray => (Array.isArray(value) ? (value as JsonArray) : [])

const pathOf = (input: JsonObject | undefined): string => {
  if (input === undefined) return ""
  const key = PATH_KEYS.find((name) => typeof own(input, name) === "string")
  return key === undefined ? "" : (ownString(input, key) ?? "")
}

/** What is known of the calls that were made, for a bounded number of the last. */
export class Calls {
  readonly #names = new Map<string, string>()

  /** The texts of a record that have sources. Remembers the calls that it makes. */
  textsOf(record: Json): ReadonlyArray<Sourced> {
    if (!isObject(record)) return []
    const type = ownString(record, "type")
    const message = ownObject(record, "message")
    if (message !== undefined) return this.#ofMessage(message)
    const response = ownObject(record, "response")
    if (response !== undefined) this.#remember(own(response, "content"))
    return type === "custom" || type === "custom_message" ? ofStream(record) : []
  }

  #ofMessage(message: JsonObject): ReadonlyArray<Sourced> {
    const content = own(message, "content")
    switch (ownString(message, "role")) {
      case "assistant":
        this.#remember(content)
        return []
      case "toolResult":
        return ofContent(message, content, this.#sourcesOf(ownString(message, "toolCallId"), ownString(message, "toolName")))
      case "bashExecution":
        return [{ holder: message, sources: ["output"] }]
      default:
        return arrayOf(content).flatMap((block) =>
          isObject(block) && own(block, "type") === "tool_result"
            ? ofContent(
                block,
                own(block, "content"),
                this.#sourcesOf(ownString(block, "toolUseId") ?? ownString(block, "tool_use_id")),
              )
            : [],
        )
    }
  }

  #remember(content: Json | undefined): void {
    for (const block of arrayOf(content)) {
      if (!isObject(block)) continue
      const type = own(block, "type")
      if (type !== "toolCall" && type !== "tool_use") continue
      const id = ownString(block, "id")
      if (id === undefined) continue
      const [oldest] = this.#names.keys()
      if (oldest !== undefined && this.#names.size >= MOST_CALLS) this.#names.delete(oldest)
      this.#names.set(
        id,
        `${ownString(block, "name") ?? ""} ${pathOf(ownObject(block, "arguments") ?? ownObject(block, "input"))}`,
      )
    }
  }

  #sourcesOf(id: string | undefined, name?: string): ReadonlyArray<string> {
    const call = (id === undefined ? undefined : this.#names.get(id)) ?? (name === undefined ? undefined : `${name} `)
    return [...(id === undefined ? [] : [`call ${id}`]), ...(call === undefined ? [] : [`tool ${call}`])]
  }
}

const ofContent = (holder: JsonObject, content: Json | undefined, sources: ReadonlyArray<string>): ReadonlyArray<Sourced> => {
  if (sources.length === 0) return []
  if (typeof content === "string") return [{ holder, sources }]
  return Array.isArray(content) ? [{ holder: content as JsonArray, sources }] : []
}

const ofStream = (record: JsonObject): ReadonlyArray<Sourced> => {
  const sources = [`stream ${ownString(record, "customType") ?? ""}`]
  if (typeof own(record, "data") === "string" || typeof own(record, "content") === "string") return [{ holder: record, sources }]
  if (Array.isArray(own(record, "content"))) return [{ holder: own(record, "content") as JsonArray, sources }]
  const data = ownObject(record, "data")
  return data !== undefined && STREAM_KEYS.some((key) => typeof own(data, key) === "string") ? [{ holder: data, sources }] : []
}

/** The member of a holder that is its text: the one text there is. */
export const isSourcedKey = (holder: JsonObject, key: string): boolean =>
  key ===
  (own(holder, "role") === "bashExecution"
    ? "output"
    : [...STREAM_KEYS, "data"].find((name) => typeof own(holder, name) === "string"))
