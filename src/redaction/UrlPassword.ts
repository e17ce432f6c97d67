/**
 * The password in a URL: `scheme://user:PASSWORD@host`. Only the password goes; the address around it stays readable.
 *
 * A match stands right behind `://` and holds neither white space nor quotes nor a slash up to its `@`, so each is decided by looking at
 * a bounded stretch. Placeholders and the passwords of documentation stay: they are no secrets, and redaction must leave code alone.
 */

import { looksLikeCode } from "./Code.ts"

/** Characters behind `://` that are looked at for the `@`. */
const LONGEST_USERINFO = 400
/** Shorter passwords are those of examples. */
const SHORTEST_PASSWORD = 6

const EXAMPLES: ReadonlySet<string> = new Set(
  "pass passwd password passw0rd secret changeme example placeholder your-password yourpassword my-password mypassword postgres anonymous anoncvs".split(
    " ",
  ),
)

const ENDS_USERINFO = /[\s"'`<>\\/?#,;|()[\]{}$]/

/** A host that documentation uses: `example.com` and the like. */
const EXAMPLE_HOST = /^(?:[\w-]+\.)*example(?:\.[a-z]+)?(?=[:/?#\s"'`)\]]|$)/i

const isPlaceholder = (password: string): boolean =>
  EXAMPLES.has(password.toLowerCase()) || /^(.)\1*$/.test(password) || /%(?:s|\w+%)/.test(password)

/** Shorter rests of a URL that was cut before its `@` say nothing. */
const SHORTEST_CUT = 12

/** Names of digests, which stand where a user could: `docker://sha256:…`. */
const DIGEST = /^(?:sha\d{1,3}|md5|blake\w{1,3})$/

/** Whether a line ends in a URL that was cut in its password: what stands behind the colon is no port. */
const isCut = (text: string, end: number, authority: string, colon: number): boolean => {
  const next = text[end]
  const password = authority.slice(colon + 1)
  return (
    (next === undefined || next === "\n" || next === "\r") &&
    authority.length < LONGEST_USERINFO &&
    password.length >= SHORTEST_CUT &&
    /^[\w.+%-]+$/.test(authority.slice(0, colon)) &&
    !DIGEST.test(authority.slice(0, colon)) &&
    /\d/.test(password) &&
    /[A-Za-z]/.test(password) &&
    !password.includes(":") &&
    !/^\d{1,5}(?![A-Za-z\d])/.test(password) &&
    !looksLikeCode(password, true)
  )
}

/** The password of the URL whose `://` ends right before `from`, as `[start, end]`, or undefined when there is none that must go. */
export const urlPassword = (text: string, from: number): readonly [start: number, end: number] | undefined => {
  const stretch = text.slice(from, from + LONGEST_USERINFO)
  const stop = stretch.search(ENDS_USERINFO)
  const authority = stop < 0 ? stretch : stretch.slice(0, stop)
  const at = authority.lastIndexOf("@")
  const colon = authority.indexOf(":")
  if (at < 0 && colon > 0 && isCut(text, from + authority.length, authority, colon))
    return [from + colon + 1, from + authority.length]
  if (colon < 0 || at - colon - 1 < SHORTEST_PASSWORD) return undefined
  const password = authority.slice(colon + 1, at)
  if (isPlaceholder(password)) return undefined
  const host = text.slice(from + at + 1, from + at + 1 + 80)
  if (EXAMPLE_HOST.test(host) && !/\d/.test(password)) return undefined
  return [from + colon + 1, from + at]
}
