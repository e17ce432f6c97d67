/**
 * Which names say that their value is a secret.
 *
 * Two strengths. Under a `password` name a number is a secret as well (a PIN); under a `credential` name (tokens, keys) numbers are counts
 * and limits. A name that goes on to speak about something else (`tokenBudget`, `secretName`, `passwordHint`) is neither.
 */

export type NameClass = "password" | "credential"

const PASSWORD = /passw(?:or)?d|passphrase|passcode|secret/
const CREDENTIAL = /apikey|token|credential|privatekey|accesskey|accountkey|signingkey|encryptionkey|authkey|masterkey/
/** Too short to be looked for inside other words. */
const PASSWORD_WORDS: ReadonlySet<string> = new Set(["pwd", "pin", "pincode", "otp"])
const CREDENTIAL_WORDS: ReadonlySet<string> = new Set(["pass"])

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
    "writer number numbers per level levels detection scanner scanning scan rotation"
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

const classify = (name: string): NameClass | undefined => {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ""
  if (ABOUT.has(last)) return undefined
  const joined = words.join("")
  if (PASSWORD.test(joined) || words.some((word) => PASSWORD_WORDS.has(word))) return "password"
  if (!CREDENTIAL.test(joined) && !words.some((word) => CREDENTIAL_WORDS.has(word))) return undefined
  return joined !== "token" && HARMLESS_TOKEN.test(joined) ? undefined : "credential"
}

const MOST_NAMES = 4_096
const LONGEST_NAME = 128

/** Classifies names, and remembers the answers for a bounded number of them. */
export class Names {
  readonly #known = new Map<string, NameClass | undefined>()

  classOf(name: string): NameClass | undefined {
    if (name.length < 3) return undefined
    const known = this.#known.get(name)
    if (known !== undefined || this.#known.has(name)) return known
    const found = classify(name.length > LONGEST_NAME ? name.slice(-LONGEST_NAME) : name)
    if (name.length <= LONGEST_NAME && this.#known.size < MOST_NAMES) this.#known.set(name, found)
    return found
  }
}
