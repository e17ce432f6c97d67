/**
 * Secrets that only a name gives away: `password = "…"`, `api_key: …`, `"token":"…"`. The name stays, the value goes.
 *
 * A value in quotes is what stands between them on one line; a bare one goes to the next white space, quote, comma, semicolon, escaped
 * line end or further parameter of a URL. Anything shorter than 8 characters is let be, except a number of 4 digits and more under a
 * password name. What looks like code stays (see `Code.ts`).
 */
import { CLOSE_BRACKET, COLON, OPEN_BRACE } from "../model/JsonSigns.ts"
import { holdsDrawnWord, isNumber, looksLikeCode } from "./Code.ts"
import { headerSecrets } from "./HeaderValue.ts"
import { withoutMarkers } from "./Marker.ts"
import { type HeaderClass, isHeader, LONGEST_NAME, mayBeSecretName, type NameClass, type Names } from "./Names.ts"
import { isPlaceholder, speaksOfPassword } from "./Words.ts"

/** Characters of the shortest value that a name makes a secret. */
export const SHORTEST_VALUE = 8

/** Digits of the shortest number that is taken for a PIN. */
export const SHORTEST_PIN = 4

/** Whether a number under a password name is a PIN. */
export const isPin = (digits: string): boolean =>
  isNumber(digits) && digits.replace(/[^0-9]/g, "").length >= SHORTEST_PIN && !EXAMPLE_PIN.test(digits)

/** What examples have. Whoever tries anything tries these. */
const EXAMPLE_PIN = /^12345(?:67?)?$/

/** Values that are only a secret beside a secret name: environment values too ordinary to be looked for everywhere. */
export type WeakValues = ReadonlySet<string>

/** Whether a value under a name of the class must go. `isQuoted` says that it stood in quotes. */
export const isSecretValue = (whole: string, name: NameClass, isQuoted: boolean, weak: WeakValues): boolean => {
  if (isHeader(name)) return false
  const value = withoutMarkers(whole)
  if (isNumber(value)) return name === "password" && isPin(value)
  if (value.length < SHORTEST_VALUE) return false
  if (weak.has(value)) return true
  if (isQuoted && /\s/.test(value)) return holdsDrawnWord(value)
  return !looksLikeCode(value, isQuoted)
}

/** References, templates, addresses, absolute paths and dotted names. */
const POINTS_ELSEWHERE = /[{}<>$()%]|^\/|:\/\/|^\w+(?:\.[A-Za-z_]\w*)+$/

/**
 * Whether the string value of an object's member must go. Such a value is data, not source text: under a password name any string of 8
 * characters goes, words included, unless it only stands for one.
 */
export const isSecretMember = (whole: string, name: NameClass, weak: WeakValues): boolean => {
  if (isSecretValue(whole, name, true, weak)) return true
  const value = withoutMarkers(whole)
  if (name !== "password" || value.length < SHORTEST_VALUE || isNumber(value)) return false
  return !speaksOfPassword(value) && !isPlaceholder(value) && !POINTS_ELSEWHERE.test(value)
}

const NONE: ReadonlyArray<Assignment> = []

export interface Assignment {
  readonly start: number
  readonly end: number
  readonly name: NameClass
  /** The position of the quote that a bare value's name stood in. The marker must stand in the same quotes, else JSON breaks. */
  readonly quoteAt?: number
}

const isNameCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x5f ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x24

const EQUALS = 0x3d
const DOLLAR = 0x24
const AMPERSAND = 0x26

const isQuote = (code: number): boolean => code === 0x22 || code === 0x27 || code === 0x60

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/** `:`, `=` and `!`, which stand before the last character of an operator. */
const isOperator = (code: number): boolean => code === COLON || code === EQUALS || code === 0x21

const NAME_CODES = Uint8Array.from({ length: 128 }, (_, code) => (isNameCode(code) ? 1 : 0))
/**
 * Whether the name of a secret may stand before the separator at a place in the codes of a portion (see `Units.ts`). Asked first, since most
 * separators of code have another name before them. Yes where that cannot be told: it goes on before the portion, or a type stands there.
 */
export const mayFollowName = (codes: Uint8Array, separator: number): boolean => {
  let at = separator - 1
  for (let i = 0; i < 2 && isOperator(codes[at] as number); i++) at--
  while (isBlank(codes[at] as number)) at--
  if (codes[at] === CLOSE_BRACKET) at--
  if (isQuote(codes[at] as number)) at--
  if (at <= 0) return codes[0] !== 0
  let after = 0
  const last = at
  for (let code = codes[at] as number; NAME_CODES[code] === 1; code = codes[at] as number) {
    // Two characters alone are too short for a name.
    if (at === 0 || (mayBeSecretName(code, after) && (last - at > 1 || NAME_CODES[codes[at - 1] as number] === 1))) return true
    after = code
    at--
  }
  if (at === 0) return codes[0] !== 0
  while (at > 0 && (isBlank(codes[at] as number) || codes[at] === AMPERSAND)) at--
  return codes[separator] === EQUALS && (at === 0 || codes[at] === COLON)
}

/** Types that stand between a name and its value. */
const TYPES: ReadonlyArray<string> = ["string", "String", "str", "bytes", "Bytes"]

interface Name {
  readonly class: NameClass
  readonly quoteAt: number | undefined
}

/** Where the value of a header ends that may have spaces in it. */
const LINE_END = /[\r\n"'`\u001b]|\\[nr"'`]/g

/** Characters of the longest value of a header that is looked at. */
const LONGEST_HEADER = 4_096

/** Where a bare value ends: at the first of these. */
const BARE_END = /[\s"'`,;\u001b]|\\[nrt"'`\\]|&(?:amp;)?[A-Za-z_][\w.-]{0,40}=/g

/** Brackets of the text around it that are cut from the end of a bare value, at most. */
const MOST_STRAY = 8

/** Words joined by capitals, with a number. */
const VARIABLE = /^[a-z]{2,20}(?:[A-Z][a-z]{1,20}){1,5}\d{1,2}$/

/** A block of YAML, whose text begins on the next line. */
const BLOCK = /[|>][-+]?[ \t]{0,8}\r?\n[ \t]{1,64}/y

const STRING_PREFIX = /[fFrRbBuU]{1,2}(?=["'])/y

const OPENERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", ">": "<" }

/**
 * Finds assignments in one text at a time. Separators must be asked for in order; then all of them together cost one pass: a bare value is
 * either found, and nothing in it is looked at again, or it is code, which is never long (law SEC-4).
 */
export class Assignments {
  readonly #names: Names
  readonly #weak: WeakValues
  #text = ""
  /** The end of the last value found. What stands before it needs no further look. */
  #found = 0
  /** The end of the last cookies looked at. A further name of cookies before it begins the same ones. */
  #cookies = 0

  constructor(names: Names, weak: WeakValues) {
    this.#names = names
    this.#weak = weak
  }

  /** Whether a secret's name was seen before a separator, whatever its value. */
  sawName = false

  /** Turns to another text. */
  reset(text: string): void {
    this.#text = text
    this.sawName = false
    this.#found = 0
    this.#cookies = 0
  }

  /** The secret values whose `:` or `=` stands at a position: one, or more in the value of a header. */
  at(separator: number): ReadonlyArray<Assignment> {
    const text = this.#text
    if (separator < this.#found) return NONE
    const next = text.charCodeAt(separator + 1)
    if (next === EQUALS || next === COLON) return NONE
    const name = this.#nameBefore(separator)
    if (name === undefined) return NONE
    this.sawName = true
    let start = separator + 1
    if (text[start] === ">") start++
    while (isBlank(text.charCodeAt(start))) start++
    BLOCK.lastIndex = start
    if (BLOCK.test(text)) start = BLOCK.lastIndex
    STRING_PREFIX.lastIndex = start
    if (STRING_PREFIX.test(text)) start = STRING_PREFIX.lastIndex
    if (isHeader(name.class)) return this.#header(start, name.class)
    const assignment = isQuote(text.charCodeAt(start)) ? this.#quoted(start, name) : this.#bare(start, name)
    if (assignment === undefined) return NONE
    this.#found = assignment.end
    return [assignment]
  }

  #header(start: number, name: HeaderClass): ReadonlyArray<Assignment> {
    if (name === "cookie" && start < this.#cookies) return NONE
    const from = isQuote(this.#text.charCodeAt(start)) ? start + 1 : start
    const stop = name === "authorization" || name === "cookie" ? LINE_END : BARE_END
    const value = this.#text.slice(from, from + LONGEST_HEADER)
    stop.lastIndex = 0
    const end = stop.exec(value)?.index ?? value.length
    if (name === "cookie") this.#cookies = from + end
    return headerSecrets(value.slice(0, end), name).map(([first, last]) => ({ start: from + first, end: from + last, name }))
  }

  #nameBefore(separator: number): Name | undefined {
    const text = this.#text
    let at = separator - 1
    if (text.charCodeAt(at) === COLON && text.charCodeAt(separator) === COLON) return undefined
    for (let i = 0; i < 2 && isOperator(text.charCodeAt(at)); i++) at--
    at = this.#skipBack(at)
    if (text.charCodeAt(at) === CLOSE_BRACKET && isQuote(text.charCodeAt(at - 1))) at--
    let quoteAt: number | undefined
    if (isQuote(text.charCodeAt(at))) quoteAt = at--
    const found = this.#nameEndingAt(at)
    if (found !== undefined) return { class: found, quoteAt }
    return quoteAt === undefined && text.charCodeAt(separator) === EQUALS ? this.#nameBeforeType(at) : undefined
  }

  /** The class of the name whose last character stands at a position. None in `${NAME:-…}`, where a shell names what to use instead. */
  #nameEndingAt(last: number): NameClass | undefined {
    const text = this.#text
    let at = last
    let after = 0
    let isCandidate = false
    for (let code = text.charCodeAt(at); isNameCode(code); code = text.charCodeAt(--at)) {
      if (mayBeSecretName(code, after)) isCandidate = true
      after = code
    }
    const isExpansion = text.charCodeAt(at) === OPEN_BRACE && text.charCodeAt(at - 1) === DOLLAR
    return isCandidate && !isExpansion && !this.#isInResource(at, last)
      ? this.#names.classOf(text.slice(Math.max(at + 1, last + 1 - LONGEST_NAME), last + 1))
      : undefined
  }

  /** Whether a name between colons says what a resource is, as in `arn:aws:secretsmanager:eu-central-1:123456789012:secret:name`. */
  #isInResource(before: number, last: number): boolean {
    const text = this.#text
    if (text.charCodeAt(before) !== COLON || text.charCodeAt(last + 1) !== COLON) return false
    return /\b(?:arn|urn|crn):[\w:./*-]*$/.test(text.slice(Math.max(0, before - LONGEST_NAME), before))
  }

  /** The name in `name: string = …`, from the last character of the type. */
  #nameBeforeType(last: number): Name | undefined {
    const text = this.#text
    const type = TYPES.find((word) => text.endsWith(word, last + 1))
    if (type === undefined) return undefined
    let at = this.#skipBack(last - type.length)
    if (text[at] === "&") at = this.#skipBack(at - 1)
    if (text.charCodeAt(at) !== COLON) return undefined
    const found = this.#nameEndingAt(this.#skipBack(at - 1))
    return found === undefined ? undefined : { class: found, quoteAt: undefined }
  }

  #skipBack(from: number): number {
    let at = from
    while (isBlank(this.#text.charCodeAt(at))) at--
    return at
  }

  #quoted(open: number, name: Name): Assignment | undefined {
    const text = this.#text
    const quote = text.charCodeAt(open)
    for (let at = open + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x0a || code === 0x0d) break
      if (code === 0x5c) at++
      else if (code === quote) {
        const value = text.slice(open + 1, at)
        return isSecretValue(value, name.class, true, this.#weak) ? { start: open + 1, end: at, name: name.class } : undefined
      }
    }
    return this.#bare(open + 1, name)
  }

  #bare(start: number, name: Name): Assignment | undefined {
    BARE_END.lastIndex = start
    let end = BARE_END.exec(this.#text)?.index ?? this.#text.length
    for (let stray = 0; stray < MOST_STRAY && end > start && this.#isStrayCloser(start, end - 1); stray++) end--
    const value = this.#text.slice(start, end)
    if (!isSecretValue(value, name.class, false, this.#weak)) return undefined
    if (this.#isVariable(start, end)) return undefined
    const found = { start, end, name: name.class }
    return name.quoteAt === undefined ? found : { ...found, quoteAt: name.quoteAt }
  }

  /** Whether a bare value is a numbered variable in a list of arguments or members, or at the end of a statement. */
  #isVariable(start: number, end: number): boolean {
    const text = this.#text
    const next = text[text[end] === " " ? end + 1 : end]
    const isInList = next === "," || next === ")" || next === "}"
    return (isInList || (next === ";" && isBlank(text.charCodeAt(start - 1)))) && VARIABLE.test(text.slice(start, end))
  }

  /** Whether the character at the end of a bare value closes something that was opened before the value. */
  #isStrayCloser(start: number, at: number): boolean {
    const opener = OPENERS[this.#text[at] ?? ""]
    return opener !== undefined && !this.#text.slice(start, at).includes(opener)
  }
}
