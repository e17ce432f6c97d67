/** Secrets made at this moment, each of another kind, each with the texts that must be found nowhere. No service knows any of them. */
import { randomBytes, randomInt } from "node:crypto"

export interface Secret {
  /** What it is, for people. */
  readonly kind: string
  /** The secret as it stands in a text. */
  readonly text: string
  /** The parts that give it away. */
  readonly parts: ReadonlyArray<string>
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const ALNUM = `${LETTERS}${LETTERS.toLowerCase()}0123456789`

const pick = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("")

const secret = (kind: string, text: string, parts: ReadonlyArray<string> = [text]): Secret => ({ kind, text, parts })

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const jsonWebToken = (): Secret => {
  const claims = base64url({ sub: pick(ALNUM, 12), exp: 4_102_444_800 })
  const signature = randomBytes(32).toString("base64url")
  return secret("JSON web token", `${base64url({ alg: "HS256", typ: "JWT" })}.${claims}.${signature}`, [claims, signature])
}

const privateKey = (): Secret => {
  const lines =
    randomBytes(192)
      .toString("base64")
      .match(/.{1,64}/g) ?? []
  const name = ["RSA", "PRIVATE", "KEY"].join(" ")
  return secret("private key", `-----BEGIN ${name}-----\n${lines.join("\n")}\n-----END ${name}-----`, lines)
}

/** The name of the variable of the environment whose value is one of the secrets. */
export const VARIABLE = "ANNALS_DEMO_SERVICE_TOKEN"

export type Secrets = Readonly<
  Record<
    "environment" | "modelKey" | "forgeToken" | "cloudId" | "cloudKey" | "chatToken" | "webToken" | "privateKey" | "paymentKey",
    Secret
  >
>

/** Fresh secrets: another set each time. */
export const freshSecrets = (): Secrets => {
  const cloudKey = pick(ALNUM, 40)
  return {
    environment: secret("environment value", pick(ALNUM, 28)),
    modelKey: secret("model provider key", `${["sk", "ant", "api03"].join("-")}-${pick(ALNUM, 80)}`),
    forgeToken: secret("forge token", `${["ghp", pick(ALNUM, 36)].join("_")}`),
    cloudId: secret("cloud key id", `${"AK"}${"IA"}${pick(`${LETTERS}234567`, 16)}`),
    cloudKey: secret("cloud secret key", `AWS_SECRET_ACCESS_KEY=${cloudKey}`, [cloudKey]),
    chatToken: secret("chat token", ["xoxb", pick("0123456789", 12), pick("0123456789", 12), pick(ALNUM, 24)].join("-")),
    webToken: jsonWebToken(),
    privateKey: privateKey(),
    paymentKey: secret("payment key", `${["sk", "live"].join("_")}_${pick(ALNUM, 32)}`),
  }
}
