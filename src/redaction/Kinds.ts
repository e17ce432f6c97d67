/** Every kind that a marker of this library can name. */
import { FORMATS, JWT, PRIVATE_KEY } from "./Formats.ts"
import { MARKS } from "./Marks.ts"

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
/** What follows the scheme in an `Authorization` header. */
export const AUTHORIZATION = "authorization"
/** The value of a cookie that opens a session. */
export const COOKIE = "cookie"
/** A user and a password: in base64, or as an option of a command. */
export const BASIC_AUTH = "basic-auth"
/** `sig` of a signed address. */
export const AZURE_SIGNATURE = "azure-signature"
/** The secret that belongs to an access key id of AWS. */
export const AWS_SECRET = "aws-secret-key"
/** A value of a Kubernetes secret. */
export const KUBERNETES_SECRET = "kubernetes-secret"

export const KINDS: ReadonlySet<string> = new Set([
  ...FORMATS.map(({ kind }) => kind),
  PRIVATE_KEY,
  JWT.kind,
  ENVIRONMENT,
  REGISTERED,
  PASSWORD,
  CREDENTIAL,
  URL_PASSWORD,
  AUTHORIZATION,
  COOKIE,
  BASIC_AUTH,
  AZURE_SIGNATURE,
  AWS_SECRET,
  KUBERNETES_SECRET,
  ...MARKS.map(({ kind }) => kind),
])
