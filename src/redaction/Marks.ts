/**
 * Formats that no prefix tells, but a mark inside or the whole shape: a table.
 *
 * A row says which fixed characters to look for, what must stand right before them, and what they and the rest must look like. Everything
 * is bounded, so each candidate costs a bounded look.
 */
import type { Alphabet } from "./Alphabet.ts"

export interface Mark {
  readonly kind: string
  /** The fixed characters, two at least. */
  readonly texts: ReadonlyArray<string>
  /** What ends right before them and belongs to the secret; with the most characters that are looked at. */
  readonly before?: readonly [pattern: RegExp, most: number]
  /** What begins with them. Sticky. */
  readonly rest: RegExp
  /** What the rest has behind the fixed characters at least. Cheaper to ask, for characters that stand everywhere. */
  readonly body?: readonly [alphabet: Alphabet, least: number]
  /** No letter or digit may stand right before the secret. */
  readonly isApart?: true
  /** Asked last: whether what has the shape was drawn by a machine. */
  readonly isDrawn?: (text: string) => boolean
}

const isMixed = (text: string): boolean => /[a-z]/.test(text) && /[A-Z]/.test(text) && /[0-9]/.test(text)

/** Numbers that are written as bytes have zeros among them, which are rows of one letter. */
const isNoImage = (text: string): boolean => isMixed(text) && !/A{4}|(.)\1{4}/.test(text.slice(4))

const hasDigitAndLetter = (text: string): boolean => /[0-9]/.test(text) && /[a-z]/i.test(text)

/** How the number at the beginning of a bot's token begins in base64. */
const NUMBERS = Array.from("MNO", (first) => Array.from("DTjz", (second) => first + second)).flat()

const HEX_AND_DASH = Array.from("0123456789abcdef", (digit) => `${digit}-`)

export const MARKS: ReadonlyArray<Mark> = [
  {
    kind: "azure-client-secret",
    texts: ["Q~"],
    before: [/(?<![\w~.-])[\w~.-]{3}\d$/, 5],
    rest: /Q~[\w~.-]{20,40}/y,
    isDrawn: hasDigitAndLetter,
  },
  {
    kind: "azure-registry-key",
    texts: ["+ACR"],
    before: [/[A-Za-z0-9+/]{42}$/, 42],
    rest: /\+ACR[A-Za-z0-9]{6}(?![A-Za-z0-9+/])/y,
  },
  { kind: "azure-devops-token", texts: ["AZDO"], before: [/[A-Za-z0-9]{76}$/, 76], rest: /AZDO[A-Za-z0-9]{4}/y },
  { kind: "azure-key", texts: ["JQQJ99"], before: [/[A-Za-z0-9]{52}$/, 52], rest: /JQQJ99[A-Za-z0-9]{8,26}/y },
  { kind: "terraform-token", texts: [".atlasv1."], before: [/[A-Za-z0-9]{14}$/, 14], rest: /\.atlasv1\.[\w=-]{8,}/y },
  {
    kind: "airtable-token",
    texts: ["pat"],
    rest: /pat[A-Za-z0-9]{14}\.[0-9a-f]{8,64}/y,
    body: ["alnum", 14],
    isApart: true,
    isDrawn: hasDigitAndLetter,
  },
  {
    kind: "discord-token",
    texts: NUMBERS,
    rest: /[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}/y,
    body: ["url", 21],
    isApart: true,
    isDrawn: isMixed,
  },
  {
    kind: "telegram-token",
    texts: [":AA"],
    before: [/(?<!\d)\d{8,10}$/, 11],
    rest: /:AA[\w-]{30,36}(?![\w-])/y,
    body: ["url", 30],
  },
  { kind: "twilio-key", texts: ["SK"], rest: /SK[0-9a-f]{32}(?![0-9A-Za-z])/y, body: ["hex", 32], isApart: true },
  { kind: "mailchimp-key", texts: ["-us"], before: [/(?<![0-9A-Za-z])[0-9a-f]{32}$/, 33], rest: /-us\d{1,2}(?!\w)/y },
  {
    kind: "mailgun-key",
    texts: HEX_AND_DASH,
    before: [/(?<![0-9A-Za-z-])[0-9a-f]{31}$/, 32],
    rest: /[0-9a-f]-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z-])/y,
    body: ["hex", 8],
  },
  { kind: "square-token", texts: ["EAAA"], rest: /EAAA[\w-]{22,64}(?![\w+/=-])/y, isApart: true, isDrawn: isNoImage },
  {
    kind: "password-hash",
    texts: ["$1$"],
    rest: /\$1\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}(?![A-Za-z0-9./])/y,
    isApart: true,
    isDrawn: isMixed,
  },
  {
    kind: "password-hash",
    texts: ["{SHA", "{SSHA", "{MD5}", "{SMD5}", "{PBKDF2"],
    rest: /\{(?:S?SHA(?:256|384|512)?|S?MD5|PBKDF2[\w-]{0,12})\}[A-Za-z0-9+/.$=]{22,200}/y,
    isDrawn: isMixed,
  },
  {
    kind: "vault-token",
    texts: ["s.", "b."],
    rest: /[sb]\.[A-Za-z0-9]{24}(?![\w.-])/y,
    body: ["alnum", 24],
    isApart: true,
    isDrawn: isMixed,
  },
  { kind: "newrelic-key", texts: ["NRAL"], before: [/(?<![0-9A-Za-z])[0-9a-fF]{36}$/, 37], rest: /NRAL(?![0-9A-Za-z])/y },
  {
    kind: "onepassword-token",
    texts: ["A3-"],
    rest: /A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){2,6}/y,
    isApart: true,
    isDrawn: hasDigitAndLetter,
  },
  { kind: "cloudflare-token", texts: ["v1.0-"], rest: /v1\.0-[0-9a-f]{24}-[0-9a-f]{8,146}/y, isApart: true },
]

/** The secret whose fixed characters stand at a position, as `[start, end]`. */
export const findMark = (
  { before, rest, isApart: mustBeApart, isDrawn }: Mark,
  text: string,
  at: number,
  isApart: boolean,
): readonly [start: number, end: number] | undefined => {
  if (mustBeApart === true && !isApart) return undefined
  rest.lastIndex = at
  if (!rest.test(text)) return undefined
  const end = rest.lastIndex
  let start = at
  if (before !== undefined) {
    const [pattern, most] = before
    const found = pattern.exec(text.slice(Math.max(0, at - most), at))
    if (found === null) return undefined
    start = at - found[0].length
  }
  return isDrawn === undefined || isDrawn(text.slice(start, end)) ? [start, end] : undefined
}
