/** Secrets that only the lines around them give away, as files, commands and headers have them. */
import * as fc from "fast-check"
import { ALPHABETS } from "../../src/redaction/Alphabet.ts"
import { characters } from "./secrets.ts"

export interface Structure {
  readonly name: string
  /** The lines, with the secret in them. */
  readonly text: string
  /** What of them must go: as it stands there. */
  readonly secret: string
}

const AN = ALPHABETS.alnum
const LOWER_HEX = "0123456789abcdef"

/** Letters and digits that read like nothing. */
const drawn = (least: number, most = least): fc.Arbitrary<string> =>
  fc
    .tuple(characters("bcdfghjk", 1), characters("23456789", 1), characters("QRTVWXZ", 1), characters(AN, least - 3, most - 3))
    .map((parts) => parts.join(""))

const hex = (length: number): fc.Arbitrary<string> =>
  fc.tuple(characters("abcdef", 1), characters("123456789", 1), characters(LOWER_HEX, length - 2)).map((parts) => parts.join(""))

const password = drawn(14, 40)
const user = fc.constantFrom("deploy", "reports", "ci-bot")
const pair = fc.tuple(user, password).map(([name, secret]) => btoa(`${name}:${secret}`))
const keyId = characters("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16).map((body) => `AK${"IA"}${body}`)

const syllables = fc
  .array(fc.tuple(characters("BDFGKLMNPRST", 1), characters("AEIOU", 1)), { minLength: 8, maxLength: 16 })
  .map((parts) => parts.flat().join(""))

const inLines =
  (...around: readonly [before: string, after: string]) =>
  (secret: string): readonly [text: string, secret: string] => [`${around[0]}${secret}${around[1]}`, secret]

const FORMS: ReadonlyArray<readonly [name: string, form: fc.Arbitrary<readonly [text: string, secret: string]>]> = [
  ["basic header", pair.map(inLines("Authorization: Basic ", "\n"))],
  ["token header", password.map(inLines("authorization: token ", "\nHost: x\n"))],
  ["header in an object", password.map(inLines('{"Authorization":"ApiKey ', '"}'))],
  ["key header", password.map(inLines("x-api-key: ", "\n"))],
  ["cookie", password.map(inLines("Cookie: theme=dark; session=", "; lang=en\n"))],
  ["set-cookie", password.map(inLines("Set-Cookie: sid=", "; Path=/; HttpOnly\n"))],
  ["command", password.map(inLines("$ curl -s -u deploy:", " https://ci.internal/api\n"))],
  ["netrc", password.map(inLines("machine ci.internal\n  login deploy\n  password ", "\n"))],
  ["pgpass", password.map(inLines("db.internal:5432:app:deploy:", "\n"))],
  ["npmrc token", password.map(inLines("//registry.internal/:_authToken=", "\n"))],
  ["npmrc pair", pair.map(inLines("_auth=", "\n"))],
  ["docker", pair.map(inLines('{"auths":{"registry.internal":{"auth":"', '"}}}'))],
  ["kubeconfig", drawn(80, 200).map((key) => inLines("    client-key-data: ", "\n")(btoa(key)))],
  ["manifest", password.map((secret) => inLines("apiVersion: v1\nkind: Secret\ndata:\n  value: ", "\n")(btoa(secret)))],
  ["manifest in braces", password.map((secret) => inLines('{"kind":"Secret","data":{"value":"', '"}}')(btoa(secret)))],
  ["manifest with its kind last", password.map(inLines('stringData:\n  config: "', '"\nkind: Secret\n'))],
  ["netrc in another order", password.map(inLines("machine ci.internal password ", " login deploy\n"))],
  // Such a key may read like a word.
  ["one-time key", syllables.map(inLines(`otp${"auth"}://totp/a?secret=`, "&issuer=a"))],
  ["service account", hex(40).map(inLines('{"type":"service_account","private_key_id":"', '"}'))],
  ["connection string", drawn(64).map((key) => inLines("AccountName=a;AccountKey=", ";EndpointSuffix=x")(btoa(key)))],
  [
    "signed address",
    drawn(32).map((key) => inLines("https://a.internal/c?sv=2024&sig=", "&se=2026")(encodeURIComponent(btoa(key)))),
  ],
  ["database", password.map(inLines("mongodb+srv://deploy:", "@db.internal/app"))],
  ["git credentials", password.map(inLines("https://deploy:", "@git.internal\n"))],
  ["key beside its id", fc.tuple(keyId, drawn(40)).map(([id, secret]) => [`${id}\n${secret}\n`, secret] as const)],
  ["key before its id", fc.tuple(keyId, drawn(40)).map(([id, secret]) => [`${secret} is of ${id}\n`, secret] as const)],
  ["YAML block", password.map(inLines("db_password: |\n  ", "\nnext: 1\n"))],
]

/** The names of all of them. */
export const STRUCTURES: ReadonlyArray<string> = FORMS.map(([name]) => name)

export const structure: fc.Arbitrary<Structure> = fc
  .constantFrom(...FORMS)
  .chain(([name, form]) => form.map(([text, secret]) => ({ name, text, secret })))

/** A value that a machine drew, with letters of both cases and digits. */
export const drawnValue = drawn
