/**
 * Where a private key in PEM or PGP armour ends, and where the private lines of a PuTTY key stand.
 *
 * A block goes from its BEGIN line to its END line, or, when it was cut, to the last piece that looks like base64. The lines may be
 * separated by anything that text on its way picks up: real line ends, `\n` as two characters at any depth of escaping, spaces, quotes,
 * quotation and diff marks. A BEGIN line in prose or code, with nothing like a key after it, is no finding.
 */
import { isIn } from "./Alphabet.ts"
import { isName } from "./Words.ts"

const BEGIN = /BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y
const END = /-----END [A-Z0-9 ]{1,60}-----/y
const HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID): ?[^\n\r\\]{0,200}/y
const SEPARATOR = /[\s"'`,+>|#*→│]|\\+[nrt"'/]?/y
/** What tools that show files put before a line. */
const LINE_NUMBER = /\d{1,6}(?=[\s→│|:\\]):?/y

/** Characters from which on a run is taken for a line of a key, whatever it reads like. */
const LINE = 40
const SHORT = 8
/** Short pieces after the last line that may come before the END line: the rest of the base64 and a check sum. */
const REST = 3
const HEADERS = 8

const after = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

const base64End = (text: string, from: number): number => {
  let at = from
  while (isIn("base64", text.charCodeAt(at))) at++
  return at
}

const looksLikeKey = (text: string, start: number, end: number): boolean =>
  end - start >= LINE || (end - start >= SHORT && !text.slice(start, end).split(/[+/=]/).every(isName))

/** What ends a line that has nothing but a run on it. */
const LINE_END = /(?=[\r\n"'`]|\\+[nr])|$/y

/**
 * Whether a run is the last line of a key whose lines before it were there: whole fours on a line of their own, and not one word. Such a
 * line is short, so it may well read like names.
 */
const isLastLine = (text: string, start: number, end: number): boolean =>
  end - start >= SHORT &&
  (end - start) % 4 === 0 &&
  after(LINE_END, text, end) >= 0 &&
  !/^[A-Za-z][a-z]*$/.test(text.slice(start, end))

/**
 * The end of the private key whose BEGIN line has its `BEGIN` at a position, or -1. The five dashes before it are the caller's to check.
 * Reads no further than the key and the next dash, so all calls for one text together cost one pass.
 */
export const privateKeyEnd = (text: string, at: number): number => {
  let position = after(BEGIN, text, at)
  if (position < 0) return -1
  let end = -1
  let rest = 0
  let headers = 0
  for (;;) {
    const footer = after(END, text, position)
    if (footer >= 0) return end < 0 ? -1 : footer
    const next = Math.max(after(SEPARATOR, text, position), after(LINE_NUMBER, text, position))
    if (next >= 0) {
      position = next
      continue
    }
    const run = base64End(text, position)
    if (looksLikeKey(text, position, run) || (end >= 0 && isLastLine(text, position, run))) {
      end = run
      rest = 0
      position = run
    } else if (end < 0) {
      position = ++headers > HEADERS ? -1 : after(HEADER, text, position)
      if (position < 0) return -1
    } else {
      if (run === position || ++rest > REST) return end
      position = run
    }
  }
}

const PRIVATE_LINES = /Private-Lines: \d{1,4}(?:[\r\n]|\\+[rn]|[ \t>|]){1,8}/y
const BETWEEN_LINES = /(?:[\r\n]|\\+[rn]|[ \t>|]){1,8}/y

/** The private lines of a PuTTY key whose count stands at a position, as `[start, end]`. */
export const puttyLines = (text: string, at: number): readonly [start: number, end: number] | undefined => {
  const start = after(PRIVATE_LINES, text, at)
  if (start < 0) return undefined
  let end = base64End(text, start)
  if (!looksLikeKey(text, start, end)) return undefined
  for (let next = after(BETWEEN_LINES, text, end); next >= 0; next = after(BETWEEN_LINES, text, end)) {
    const run = base64End(text, next)
    if (!looksLikeKey(text, next, run) || text[run] === ":" || text[run] === "-") break
    end = run
  }
  return [start, end]
}
