/**
 * From where on a text must not be shown yet, because what comes next could make a secret of it, or more of one.
 *
 * What stands between blanks is looked at by most rules alone, so as a rule only the last word is held. The others are here, each with its
 * sign: a name that gives a value away, to the end of its line; an open private key; base64 in lines; data that a later line says to be a
 * secret; what could be the secret of a key id; and the beginning of a known value with blanks in it.
 */
import { isDigit } from "./Base64.ts"
import type { Names } from "./Names.ts"
import { privateKeyEnd, puttyLines } from "./PrivateKey.ts"
import { percentDecoded, plainView, unescaped, type View, withoutInvisible } from "./View.ts"

const SPACE = 0x20
const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d

/** The blanks that no rule but those here looks across. Others, such as a no-break space, count as a part of a word. */
export const isSpaceCode = (code: number): boolean => code === SPACE || code === NEWLINE || code === RETURN || code === TAB

/** An escape that reaches over blanks goes with what follows. */
const ESCAPE = /\\u[\s\S]{0,4}$/

/** Where the word begins that a position stands in or ends. */
export const wordStart = (text: string, position: number): number => {
  let at = position
  for (;;) {
    while (at > 0 && !isSpaceCode(text.charCodeAt(at - 1))) at--
    const across = ESCAPE.exec(text.slice(Math.max(0, at - 6), at))
    if (across === null) return at
    at -= across[0].length
  }
}

/** A text and what it stands for, up to three times decoded, as redaction reads it. */
const readingsOf = (text: string): ReadonlyArray<View> => {
  const found: Array<View> = []
  let view: View | undefined = plainView(text)
  for (let depth = 0; view !== undefined && depth <= 3; depth++) {
    const percent = percentDecoded(view)
    const further = [view, withoutInvisible(view), percent, percent === undefined ? undefined : unescaped(percent)]
    for (const one of further) if (one !== undefined) found.push(one)
    view = unescaped(view)
  }
  return found
}

/** A block of YAML begins, or goes on, with the next line. */
const GOES_ON = /[|>][-+]?[ \t]{0,8}\r?\n$/

const lineStart = (text: string): number => {
  let at = text.length
  for (;;) {
    while (at > 0 && text.charCodeAt(at - 1) !== NEWLINE && text.charCodeAt(at - 1) !== RETURN) at--
    if (!GOES_ON.test(text.slice(Math.max(0, at - 16), at))) return at
    at--
  }
}

const NAMED = /([\w.$-]{3,})["'`]?\]?[ \t]*[:=!]{0,2}[:=]/g

/** The last line, when a name in it gives away what may follow. */
const namedValue = (text: string, names: Names): number => {
  const start = lineStart(text)
  const line = text.slice(start)
  if (!/[:=%\\]/.test(line)) return text.length
  const isNamed = readingsOf(line).some((view) =>
    Array.from(view.text.matchAll(NAMED)).some(([, name = ""]) => names.classOf(name.slice(-128)) !== undefined),
  )
  return isNamed ? start : text.length
}

/** Behind the last piece of a key, before its END line: blanks, and a few short pieces. */
const BEHIND_KEY = 1_024
/** Headers between BEGIN and the first piece. */
const BEFORE_KEY = 2_600

const BEGIN = "-----BEGIN "
const END = /-----END [A-Z0-9 ]{1,60}-----/

/** The line before something else, such as a certificate. */
const OTHER = /-----BEGIN (?![^-\n]{0,100}PRIVATE KEY)[^-\n]{0,100}(?:-----|\n)/y

/** Whether more of the private key may come that begins at a position. */
const isOpenKey = (text: string, at: number): boolean => {
  OTHER.lastIndex = at
  if (OTHER.test(text)) return false
  const end = privateKeyEnd(text, at + 5)
  return end < 0
    ? text.length - at < BEFORE_KEY
    : text.length - end < BEHIND_KEY && !END.test(text.slice(Math.max(0, end - 80), end))
}

const openKey = (text: string): number => {
  for (let at = text.indexOf(BEGIN, text.length - LONGEST_KEY); at >= 0; at = text.indexOf(BEGIN, at + 1))
    if (isOpenKey(text, at)) return at
  const putty = text.lastIndexOf("Private-Lines: ")
  const lines = putty < 0 ? undefined : puttyLines(text, putty)
  const isOpen = putty >= 0 && text.length - (lines?.[1] ?? putty + 32) < BEHIND_KEY
  return isOpen ? putty : text.length
}

/** No key is longer. */
const LONGEST_KEY = 65_536

/** Digits of the shortest line of base64 that another may follow. */
const LINE = 56

/** The lines of base64 at the end, when the next line may go on with them. */
const wrapped = (given: string): number => {
  // Between the two characters of a line end.
  const text = given.endsWith("\r") ? `${given}\n` : given
  let start = text.length
  let at = text.length
  for (;;) {
    const end = at
    while (at > 0 && isDigit(text.charCodeAt(at - 1))) at--
    const isWhole = end - at >= LINE
    if (end < text.length && isWhole) start = at
    if (end < text.length && !isWhole) return start
    let line = at
    while (line > 0 && (text.charCodeAt(line - 1) === SPACE || text.charCodeAt(line - 1) === TAB)) line--
    if (line === 0 || text.charCodeAt(line - 1) !== NEWLINE) return start
    at = line - (text.charCodeAt(line - 2) === RETURN ? 2 : 1)
    if (!isDigit(text.charCodeAt(at - 1))) return start
  }
}

/** How far behind data the line may stand that says that it is secret. */
const MANIFEST = 16_384
const DATA = /(?:stringData|data)(?:\\*["'`]|%22)?[ \t]*(?::|%3[aA])(?=[ \t]*(?:[\r\n{&|>]|\\|%|$))/g
const DOCUMENT = /\n(?:---|\.\.\.|```)/g

/** The names under which a manifest has its values, when nothing has ended the document since. */
const manifest = (text: string): number => {
  const from = Math.max(0, text.length - MANIFEST)
  const tail = text.slice(from)
  const boundary = Array.from(tail.matchAll(DOCUMENT)).at(-1)?.index ?? 0
  DATA.lastIndex = boundary
  const found = DATA.exec(tail)
  return found === null ? text.length : from + found.index
}

/** How far before a key id its secret is looked for, with the id; more where escapes make it longer. */
const NEAR = 320
const NEAR_ESCAPED = 1_200
const DRAWN = /(?<![A-Za-z0-9/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g
const DRAWN_ESCAPED = /[A-Za-z0-9+/%\\=]{40,}/g

const nearId = (text: string): number => {
  const isEscaped = /[%\\]/.test(text.slice(-NEAR_ESCAPED))
  const start = wordStart(text, Math.max(0, text.length - (isEscaped ? NEAR_ESCAPED : NEAR)))
  for (const { 0: word, index } of text.slice(start).matchAll(isEscaped ? DRAWN_ESCAPED : DRAWN))
    if (/[a-z]/.test(word) && /[A-Z]/.test(word) && /[0-9]/.test(word)) return start + index
  return text.length
}

/** What may be a part of an escape whose rest is to come. */
const UNFINISHED = /(?:\\+(?:u[0-9A-Fa-f]{0,3})?|(?:%[0-9A-Fa-f]{0,2}){1,4}|\u001b(?:\[[0-9;]{0,24})?)$/

/** The first position from which on the end of a text is the beginning of a known value. */
const beginning = (text: string, values: ReadonlyArray<string>): number => {
  if (values.length === 0) return text.length
  const longest = Math.max(...values.map((value) => value.length))
  const from = Math.max(0, text.length - 6 * longest)
  let held = text.length
  for (const view of readingsOf(text.slice(from).replace(UNFINISHED, "")))
    for (const value of values)
      for (let at = Math.max(0, view.text.length - value.length); at < view.text.length; at++)
        if (view.text[at] === value[0] && value.startsWith(view.text.slice(at))) {
          held = Math.min(held, from + view.toOriginal(at, at + 1)[0])
          break
        }
  return held
}

/** What tells names, and the known values with blanks in them. */
export interface HoldBackOptions {
  readonly names: Names
  readonly spaced: ReadonlyArray<string>
}

const heldIn = (text: string, { names, spaced }: HoldBackOptions): number =>
  Math.min(
    text.length,
    namedValue(text, names),
    openKey(text),
    wrapped(text),
    manifest(text),
    nearId(text),
    beginning(text, spaced),
  )

const UNSEEN = /[\0\u200b-\u200d\u2060\ufeff]+|\u001b(?:\[[0-9;]{0,24}(?:m|$)|$)/g

/** The text without what is not seen, and for each stretch of it how much was left out before it. */
const seenOf = (text: string): { readonly text: string; readonly toOriginal: (at: number) => number } => {
  const starts: Array<number> = []
  const left: Array<number> = []
  let seen = ""
  let from = 0
  for (const { 0: found, index } of text.matchAll(UNSEEN)) {
    seen += text.slice(from, index)
    from = index + found.length
    starts.push(seen.length)
    left.push(from - seen.length)
  }
  const toOriginal = (at: number): number => at + (left[starts.findLastIndex((start) => start <= at)] ?? 0)
  return { text: seen + text.slice(from), toOriginal }
}

/** The position from which on a text is held. Cost: its last line, and some thousand characters; more where characters are not seen. */
export const holdFrom = (text: string, options: HoldBackOptions): number => {
  const held = heldIn(text, options)
  if (text.search(UNSEEN) < 0) return wordStart(text, held)
  const seen = seenOf(text)
  return wordStart(text, Math.min(held, seen.toOriginal(heldIn(seen.text, options))))
}
