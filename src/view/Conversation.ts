/** Messages for people: how many there are, then each under a heading of its own, long ones cut. */
import type { JsonObject } from "../model/Json.ts"
import { lines, oneLine } from "./Escape.ts"
import { bytes, count, integer } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import { bytesOf } from "./Summary.ts"
import { cut } from "./Width.ts"

export interface ConversationOptions {
  readonly style: Style
  readonly columns: number
  /** Shows every line of every message instead of the first few. */
  readonly full: boolean
}

/** One part of a message: a heading for it, unless it is plain text, and its text. */
export interface Block {
  readonly heading?: string
  readonly text: string
}

/** A message as it is shown. */
export interface ShownMessage {
  readonly role: string
  /** What stands behind the role in a heading; may be empty. */
  readonly detail: string
  readonly blocks: ReadonlyArray<Block>
}

/** Lines of one block that are shown, and how many of a longer one. */
const SHORT = 8
const SHOWN = 6

const roleStyle = (role: string, style: Style): ((text: string) => string) =>
  role === "user" ? style.bold : role === "assistant" ? style.cyan : role.endsWith("Summary") ? style.yellow : (text) => text

function* bodyLines({ heading, text }: Block, { style, columns, full }: ConversationOptions): Generator<string> {
  if (heading !== undefined) yield `  ${style.dim(full ? heading : cut(heading, columns - 2))}`
  if (text === "") return
  const all = lines(text)
  const shown = full || all.length <= SHORT ? all : all.slice(0, SHOWN)
  for (const line of shown) yield `  ${full ? line : cut(line, columns - 2)}`.trimEnd()
  if (shown.length < all.length) yield `  ${style.dim(`… ${count(all.length - shown.length, "more line")}`)}`
}

function* messageLines({ role, detail, blocks }: ShownMessage, at: number, options: ConversationOptions): Generator<string> {
  const { style } = options
  const behind = oneLine(detail)
  yield ""
  yield `${style.dim(`${integer(at + 1)}.`)} ${roleStyle(role, style)(oneLine(role))}${behind === "" ? "" : style.dim(`  ${behind}`)}`
  for (const block of blocks) yield* bodyLines(block, options)
}

/** The conversation, line by line. Without `full`, a long block shows its beginning and says how much is left out. */
export function* conversationLines(
  messages: ReadonlyArray<JsonObject>,
  settings: string,
  shown: (message: JsonObject) => ShownMessage,
  options: ConversationOptions,
): Generator<string> {
  const { style } = options
  yield style.bold(`${count(messages.length, "message")}, ${bytes(bytesOf(messages))}`)
  yield style.dim(settings)
  for (const [at, message] of messages.entries()) yield* messageLines(shown(message), at, options)
}
