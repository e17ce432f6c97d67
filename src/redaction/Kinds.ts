/** Every kind that a marker of this library can name. */
import { FORMATS, JWT, PRIVATE_KEY } from "./Formats.ts"

/** The value of an environment variable. */
export const ENVIRONMENT = "environment"
/** A value that the host named as a secret. */
export const REGISTERED = "registered"
/** A value under a password name. */
export const PASSWORD = "password"
/** A value under the name of a token or a key. */
export const CREDENTIAL = "credential"

/** The password of a URL with a user in it. */
export const URL_PASSWORD = "url-password"

export const KINDS: ReadonlySet<string> = new Set([
  ...FORMATS.map(({ kind }) => kind),
  PRIVATE_KEY,
  JWT.kind,
  ENVIRONMENT,
  REGISTERED,
  PASSWORD,
  CREDENTIAL,
  URL_PASSWORD,
])
