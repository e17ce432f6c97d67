/**
 * Which names say that their value is a secret.
 *
 * Two strengths, and names of headers, of whose value a part is one. Under a `password` name a number is a secret as well (a PIN); under a `credential` name (tokens, keys) numbers are counts
 * and limits. A name that goes on to speak about something else (`tokenBudget`, `secretName`, `passwordHint`) is neither.
 */
import { hasMarker } from "./Marker.ts"

/** Names whose value holds a secret among other things (see `HeaderValue.ts`). */
export type HeaderClass = "authorization" | "cookie" | "basic" | "key-id"

export type NameClass = "password" | "credential" | HeaderClass

/** Whether only parts of a value under a name of the class are secrets. */
export const isHeader = (name: NameClass): name is HeaderClass => name !== "password" && name !== "credential"

const PASSWORD = /passw(?:or)?d|passphrase|passcode|pincode|secret/
const CREDENTIAL = /apikey|token|credential|privatekey|accesskey|accountkey|signingkey|encryptionkey|authkey|masterkey/
/** Too short to be looked for inside other words: they count as the last word. */
const PASSWORD_WORDS: ReadonlySet<string> = new Set(["pwd", "pin", "otp"])
const CREDENTIAL_WORD = "pass"

/** Last words of names that speak about a secret and do not hold it. */
const ABOUT: ReadonlySet<string> = new Set(
  (
    "name names type types kind kinds path paths file files filename dir directory folder url urls uri endpoint host id ids " +
    "ref refs arn label labels hint field fields input inputs placeholder message messages msg error errors title text " +
    "description desc prompt help policy rule rules regex pattern length len size count counts counter limit limits budget " +
    "max min usage used cost costs price rate ttl expiry expires expiration expired timeout ms seconds minutes hours days " +
    "at date time timestamp version format header headers prefix suffix class style icon component schema validator " +
    "provider manager management store storage service factory helper utils index position offset start end range required " +
    "enabled disabled visible hidden changed valid invalid status state algorithm alg env var variable mode source scope " +
    "scopes issuer audience map set strength confirmation reset form page total ratio percent window stream parser reader " +
    "writer number numbers per level levels detection scanner scanning scan rotation data encryption encoder validation"
  ).split(" "),
)

/** Tokens that point at a place in a list, or at a run of text, and open nothing. */
const HARMLESS_TOKEN =
  /(?:next|page|continuation|cancell?ation|cancel|sync|max|min|num|total|input|output|prompt|completion|cached?|eos|bos|pad|unk|stop|special|reasoning|thinking)tokens?$|^tokens?$|tokeni[sz]/

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

const HEADERS: ReadonlyMap<string, HeaderClass> = new Map([
  ["authorization", "authorization"],
  ["cookie", "cookie"],
  ["auth", "basic"],
])

const classify = (name: string): NameClass | undefined => {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ""
  const joined = words.join("")
  if (joined.endsWith("privatekeyid")) return "key-id"
  if (joined.endsWith("clientkeydata")) return "credential"
  if (ABOUT.has(last)) return undefined
  if (PASSWORD.test(joined) || PASSWORD_WORDS.has(last)) return "password"
  if (!CREDENTIAL.test(joined) && last !== CREDENTIAL_WORD) return HEADERS.get(last)
  return joined !== "token" && HARMLESS_TOKEN.test(joined) ? undefined : "credential"
}

/** Pairs of letters of which every secret name has at least one. */
const PAIRS = ["ss", "cr", "ok", "ey", "wd", "pi", "ot", "au"]

const PAIR_TABLE: Uint8Array = (() => {
  const table = new Uint8Array(1 << 10)
  for (const pair of PAIRS) table[((pair.charCodeAt(0) & 31) << 5) | (pair.charCodeAt(1) & 31)] = 1
  return table
})()

/** Whether two characters of a name that stand side by side leave open that it is a secret name. Cheap, for names of code. */
export const mayBeSecretName = (first: number, second: number): boolean => PAIR_TABLE[((first & 31) << 5) | (second & 31)] === 1

const MOST_NAMES = 4_096
/** Characters of the longest name. Of a longer run before a separator the end counts. */
export const LONGEST_NAME = 128
const SHORTEST_NAME = 3

/** Classifies names, and remembers the answers for a bounded number of them. */
export class Names {
  /** False for a name that is none of a secret. */
  readonly #known = new Map<string, NameClass | false>()

  /** The class of a name. What is longer than a name, or holds a marker, has none: else redacting a key could make a name of it. */
  classOf(name: string): NameClass | undefined {
    if (name.length < SHORTEST_NAME || name.length > LONGEST_NAME) return undefined
    const known = this.#known.get(name)
    if (known !== undefined) return known === false ? undefined : known
    const found = hasMarker(name) ? undefined : classify(name)
    if (this.#known.size < MOST_NAMES) this.#known.set(name, found ?? false)
    return found
  }
}
