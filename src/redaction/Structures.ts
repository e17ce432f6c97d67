/**
 * Secrets that the lines around them give away: files of passwords, commands, signed addresses, keys beside their ids.
 *
 * Each rule begins with fixed characters and looks at a bounded stretch from there (law SEC-4).
 */
import { digitsEnd, isUserAndPassword } from "./Base64.ts"
import { isNumber, looksLikeCode } from "./Code.ts"
import { AZURE_SIGNATURE, BASIC_AUTH, KUBERNETES_SECRET, PASSWORD } from "./Kinds.ts"
import { manifestValues } from "./Manifest.ts"
import { isPlaceholder } from "./Words.ts"

/** A stretch that must go. */
export type Stretch = readonly [start: number, end: number]

export interface Structure {
  readonly kind: string
  readonly texts: ReadonlyArray<string>
  readonly find: (text: string, at: number) => ReadonlyArray<Stretch>
}

const NONE: ReadonlyArray<Stretch> = []

/** The stretch of the first group of a sticky pattern that matches at a position. The pattern needs the `d` flag. */
const groupAt = (pattern: RegExp, text: string, at: number): Stretch | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.indices?.[1]
}

const stays = (value: string): boolean => isPlaceholder(value) || isNumber(value) || /[<>{}$]/.test(value)

const secretAt = (pattern: RegExp, text: string, at: number): ReadonlyArray<Stretch> => {
  const found = groupAt(pattern, text, at)
  return found === undefined || stays(text.slice(...found)) ? NONE : [found]
}

/** `Basic` and base64 of a user and a password. */
const basic: Structure = {
  kind: BASIC_AUTH,
  texts: ["Basic ", "basic "],
  find: (text, at) => {
    const from = at + 6
    let end = digitsEnd(text, from)
    while (text[end] === "=" && end - from < 4_096) end++
    const isLong = end - from >= 6 && end - from < 4_096
    return isLong && isUserAndPassword(text.slice(from, end)) ? [[from, end]] : NONE
  },
}

const USER_OPTION = /(?:-u|--user)[ =]["']?[^\s"':]{1,100}:([^\s"'`]{6,200})/dy
const CLIENT = /(?:curl|wget|\bhttps?|\bxh)\b[^\n]*$/
/** Characters before the option in which the command is looked for. */
const COMMAND = 400

/** `curl -u user:password`. */
const command: Structure = {
  kind: BASIC_AUTH,
  texts: ["-u ", "-u=", "--user ", "--user="],
  find: (text, at) => {
    if (!CLIENT.test(text.slice(Math.max(0, at - COMMAND), at))) return NONE
    const found = groupAt(USER_OPTION, text, at)
    if (found === undefined) return NONE
    const password = text.slice(...found)
    // No code stands here, so a number is enough to tell a password from a word.
    return stays(password) || (!/\d/.test(password) && looksLikeCode(password, true)) ? NONE : [found]
  },
}

/** Between the words of such a file: spaces, lines, also of a diff, and comments. */
const SPACE = String.raw`(?:[ \t\r]|\n[+-]?|(?<=[\s])#[^\n]{0,200}\n){1,40}`
const NETRC = new RegExp(
  String.raw`(?:machine${SPACE}([^\s#]{1,200})|default)((?:${SPACE}(?:login|account)${SPACE}[^\s#]{1,200}){0,3})${SPACE}password${SPACE}(\S{4,300})`,
  "dy",
)

/** `machine HOST login USER password PASSWORD`, in any order and over any lines. In prose, where the same words stand, the host is a word. */
const netrc: Structure = {
  kind: PASSWORD,
  texts: ["machine ", "machine\t", "machine\n", "machine\r", "default ", "default\t", "default\n", "default\r"],
  find: (text, at) => {
    NETRC.lastIndex = at
    const [whole, host = "", others = "", secret = ""] = NETRC.exec(text) ?? []
    const isOpen = /\s(?:anonymous|ftp)$/.test(others)
    const found =
      whole === undefined || isOpen || stays(secret)
        ? undefined
        : ([at + whole.length - secret.length, at + whole.length] as const)
    const isFile = others !== "" && (/[.:\d]|^localhost$/.test(host) || whole?.includes("\n") === true)
    return found !== undefined && (isFile || !looksLikeCode(secret.replace(/\W+$/, ""), true)) ? [found] : NONE
  },
}

const PGPASS = /:(?:\d{2,5}|\*):(?:[\w.-]{1,64}|\*):[\w.*@-]{1,64}:((?:\\[:\\]|[^\s:"'\\]){6,200})(?=\s|$|["'\\])/dy

/** `host:port:database:user:password`, with the port that such lines have, or with a star for a host. */
const pgpass: Structure = {
  kind: PASSWORD,
  texts: [":5432:", ":5433:", ":6432:", "*:*:"],
  find: (text, at) => secretAt(PGPASS, text, text[at] === "*" ? at + 1 : at),
}

const OTP_SECRET = /otpauth:\/\/[^\s"'`<>]{0,400}?[?&;]secret=([A-Za-z2-7]{8,200})/dy
const OTP_EXPORT = /otpauth-migration:\/\/[^\s"'`<>]{0,40}?[?&]data=((?:[A-Za-z0-9+/_=-]|%[0-9A-Fa-f]{2}){8,8000})/dy

/** What an application makes passwords of that count once: in base32, so it may well read like a word. */
const otpauth: Structure = {
  kind: PASSWORD,
  texts: ["otpauth://", "otpauth-migration://"],
  find: (text, at) => secretAt(text[at + 7] === ":" ? OTP_SECRET : OTP_EXPORT, text, at),
}

const SIGNATURE = /sig=((?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){16,400}=?)/dy
/** Parts of a signed address, of which one must stand beside the signature. */
const SIGNED = /[?&;](?:sv|se|sp|sr|spr)=/

/** `sig` of an address that Azure signed. */
const signedAddress: Structure = {
  kind: AZURE_SIGNATURE,
  texts: ["sig="],
  find: (text, at) => {
    const found = groupAt(SIGNATURE, text, at)
    if (found === undefined || !/[?&;]/.test(text[at - 1] ?? "")) return NONE
    const [before = ""] = /\S*$/.exec(text.slice(Math.max(0, at - 400), at)) ?? []
    const [after = ""] = /^\S*/.exec(text.slice(found[1], found[1] + 400)) ?? []
    return SIGNED.test(before) || SIGNED.test(after) ? [found] : NONE
  },
}

/** So far from an access key id its secret is looked for. */
const NEAR = 200
const AWS_SECRET = /(?<![A-Za-z0-9/=]|[^\n]\+)[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g

/** Whether 40 characters were drawn: all kinds of them, and no path of names. */
const isDrawn = (text: string): boolean =>
  /[a-z]/.test(text) && /[A-Z]/.test(text) && /[0-9]/.test(text) && !looksLikeCode(text, true)

/** The secret keys of AWS that stand near an access key id. */
export const secretsNear = (text: string, start: number, end: number): ReadonlyArray<Stretch> => {
  const from = Math.max(0, start - NEAR - 40)
  return Array.from(text.slice(from, end + NEAR + 40).matchAll(AWS_SECRET))
    .filter(([secret]) => isDrawn(secret))
    .map(({ index }): Stretch => [from + index, from + index + 40])
}

/** The values of a Kubernetes secret. */
const manifest: Structure = { kind: KUBERNETES_SECRET, texts: ["Secret"], find: manifestValues }

export const STRUCTURES: ReadonlyArray<Structure> = [basic, command, netrc, pgpass, otpauth, signedAddress, manifest]
