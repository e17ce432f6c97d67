/**
 * The border that everything written must pass: text that redaction has seen.
 *
 * A clean line or a clean text can be made by the functions of this file and by nothing else, neither for the compiler (the classes are
 * private and nominal) nor at run time (`isCleanLine`). Each of them redacts, with rules that only options can make, or adds nothing but the digits of a seal. What writes to a disk
 * takes these types, so a secret cannot get past by forgetting a call (law SEC-1).
 */
import * as Result from "effect/Result"
import { apply } from "../model/Edit.ts"
import { applyToText, hasDuplicateKeys } from "../model/EditText.ts"
import type { Json } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import { toText } from "../model/JsonText.ts"
import { NotJson } from "./NotJson.ts"
import { Rules } from "./Rules.ts"
import { replace, type Span } from "./Span.ts"
import { type Finding, walk } from "./Walk.ts"

/** Known to this file alone. */
const MINT = Symbol("mint")

const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++
  }
  return bytes
}

class Clean {
  readonly #text: string
  #bytes: number

  /** With the length in UTF-8 where that is known already. */
  constructor(mint: symbol, text: string, bytes = -1) {
    if (mint !== MINT) throw new TypeError("Only redaction makes clean text.")
    this.#text = text
    this.#bytes = bytes
  }

  get text(): string {
    return this.#text
  }

  /** The length in UTF-8. Counted once, when it is first asked for. */
  get bytes(): number {
    if (this.#bytes < 0) this.#bytes = utf8Length(this.#text)
    return this.#bytes
  }
}

class Line extends Clean {
  readonly #isLine = true

  constructor(mint: symbol, text: string, bytes?: number) {
    super(mint, text, bytes)
    Object.freeze(this)
  }

  static has(value: unknown): value is Line {
    return typeof value === "object" && value !== null && #isLine in value && value.#isLine
  }
}

class Text extends Clean {
  readonly #isText = true

  constructor(mint: symbol, text: string) {
    super(mint, text)
    Object.freeze(this)
  }

  static has(value: unknown): value is Text {
    return typeof value === "object" && value !== null && #isText in value && value.#isText
  }
}

/** One JSON value on one line, without the newline and without secrets. Immutable. `bytes` is its length in UTF-8. */
export type CleanLine = Line

/** Any text without secrets: a title, a name, evidence. Immutable. `bytes` is its length in UTF-8. */
export type CleanText = Text

/** Whether a value is a clean line that redaction made. */
export const isCleanLine = (value: unknown): value is CleanLine => Line.has(value)

/** Whether a value is a clean text that redaction made. */
export const isCleanText = (value: unknown): value is CleanText => Text.has(value)

export interface Cleaned {
  readonly line: CleanLine
  readonly findings: ReadonlyArray<Finding>
}

const demand = (rules: Rules): void => {
  if (!Rules.areMade(rules)) throw new TypeError("Redaction needs rules that options made.")
}

/** A UTF-16 unit as JSON writes it in pure ASCII. */
const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

const SEPARATORS = /[\u0085\u2028\u2029]/g

/**
 * JSON text with the separators of Unicode as escapes. JSON allows them raw, but a reader that takes lines apart by Unicode's rules ends
 * a line there, and then refuses the file. They can only be in strings.
 */
const withoutSeparators = (text: string): string => text.replace(SEPARATORS, asEscape)

/** Room for the bytes of a line, to see what it is made of. Longer ones are looked at character by character. */
const SHORT_LINE = 16_384
const room = new Uint8Array(SHORT_LINE)
const encoder = new TextEncoder()

/** Whether all characters of a text are ASCII: then it has as many bytes as characters, and no separator. False for a long one. */
const isShortAscii = (text: string): boolean => {
  if (text.length > SHORT_LINE) return false
  const { read, written } = encoder.encodeInto(text, room)
  return read === text.length && written === read
}

/** The line of JSON text. */
const lineOfJson = (text: string): Line =>
  isShortAscii(text) ? new Line(MINT, text, text.length) : new Line(MINT, withoutSeparators(text))

/** What may be put on a clean line without redaction: digits that say nothing but whether the line is as it was. */
const SEAL = /^,"_c":"[1-9][0-9]{0,15}-[0-9a-f]{16}-[0-9a-f]{8}"$/

/** An object's line with a seal as its last member. Refuses anything else. */
export const withMember = (line: CleanLine, seal: string): CleanLine => {
  if (!isCleanLine(line) || !line.text.endsWith("}") || !SEAL.test(seal)) throw new TypeError("Only a seal goes on a clean line.")
  return new Line(MINT, `${line.text.slice(0, -1)}${seal}}`)
}

/** The line of a value. Refuses what JSON cannot hold without loss and what is nested deeper than a reader accepts. */
export const lineOf = (rules: Rules, value: Json): Result.Result<Cleaned, NotJson> => {
  demand(rules)
  const { text, findings, refusal } = rules.untilLearned(() => walk(rules, value, { text: true }))
  return refusal === undefined ? Result.succeed({ line: lineOfJson(text), findings }) : Result.fail(refusal)
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** JSON text without line ends, which can only be spacing, and with lone surrogates as escapes, which can only be in strings. */
const onOneLine = (text: string): string => {
  const line = text.includes("\n") ? text.replaceAll("\n", " ") : text
  return line.isWellFormed() ? line : line.replace(LONE_SURROGATE, asEscape)
}

const parse = (raw: string): Result.Result<Json, NotJson> => {
  try {
    return Result.succeed(parseJson(raw))
  } catch {
    return Result.fail(new NotJson({ path: "", reason: "not-json-text", found: "a text that is not JSON" }))
  }
}

/**
 * The line of a text that holds one JSON value, such as a line of a file that is written again: its own bytes, with nothing changed but
 * what was found. A text in which an object has two members of one key is written anew, since the hidden member could hold a secret; so is
 * one in which a number spells a known value. Any depth.
 */
export const lineOfText = (rules: Rules, raw: string): Result.Result<Cleaned, NotJson> => {
  demand(rules)
  const parsed = parse(raw)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const value = parsed.success
  const { edit, findings } = rules.untilLearned(() => walk(rules, value, { text: false }))
  const kept = hasDuplicateKeys(raw) ? undefined : edit === undefined ? raw : applyToText(raw, edit)
  const isKept = kept !== undefined && rules.scanner.kindOfNumber(kept) === undefined
  const text = isKept ? kept : toText(edit === undefined ? value : apply(value, edit))
  return Result.succeed({ line: new Line(MINT, onOneLine(text)), findings })
}

/** The text without secrets, and the stretches that were taken out of it. */
export const cleanTextOf = (rules: Rules, text: string): { readonly text: CleanText; readonly spans: ReadonlyArray<Span> } => {
  demand(rules)
  const spans = rules.untilLearned(() => rules.scanner.scan(text, "all"))
  return { text: new Text(MINT, spans.length === 0 ? text : replace(text, spans)), spans }
}
