/** The secrets in the value of a header that carries them among other things: `Authorization` and `Cookie`. */
import { isUserAndPassword } from "./Base64.ts"
import { isNumber, looksLikeCode } from "./Code.ts"
import type { HeaderClass } from "./Names.ts"
import type { Stretch } from "./Structures.ts"

/** Longer values are not looked at: no header is that long. */
const LONGEST = 16_384

const SHORTEST = 8

const SCHEME = /^\s*(?:Bearer|Basic|Token|ApiKey|Api-Key|Key|Bot|GenieKey|SSWS)[ \t]+(?:token=)?["']?([^\s"',;]{8,})/di

/** A place that is filled in later, or an expression. */
const isHole = (value: string): boolean => /^[$<{(%]/.test(value) || looksLikeCode(value, true)

/** A value with a scheme before it is a secret unless it stands for one; one without must look drawn. */
const authorization = (value: string): ReadonlyArray<Stretch> => {
  const found = SCHEME.exec(value)?.indices?.[1]
  if (found !== undefined) return isHole(value.slice(...found)) ? [] : [found]
  const isOne = value.length >= 16 && /^[^\s"',;={}()$]+={0,2}$/.test(value)
  return isOne && /\d/.test(value) && !isNumber(value) && !looksLikeCode(value, false) ? [[0, value.length]] : []
}

const COOKIE = /([\w.$-]{1,100})=([^\s;,"'&]*)/dg
const SECRET_COOKIE = /sess|(?:^|[._-])s?id$|\bsid|auth|token|csrf|xsrf|jwt|login|remember|secret|passw|sso/i

const cookies = (value: string): ReadonlyArray<Stretch> => {
  const found: Array<Stretch> = []
  for (const match of value.matchAll(COOKIE)) {
    const [, name = "", secret = ""] = match
    const stretch = match.indices?.[2]
    if (stretch !== undefined && secret.length >= SHORTEST && SECRET_COOKIE.test(name) && !looksLikeCode(secret, true))
      found.push(stretch)
  }
  return found
}

/** The stretches of a header's value that must go. */
export const headerSecrets = (value: string, header: HeaderClass): ReadonlyArray<Stretch> => {
  if (value.length > LONGEST) return []
  switch (header) {
    case "authorization":
      return authorization(value)
    case "cookie":
      return cookies(value)
    case "basic":
      return value.length >= SHORTEST && isUserAndPassword(value) ? [[0, value.length]] : []
    case "key-id":
      return /^[0-9a-f]{40}$/.test(value) ? [[0, value.length]] : []
  }
}
