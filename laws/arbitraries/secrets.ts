/**
 * Secrets, made while a law runs and never written down: by the redactor's own table of formats, by a second list written from what
 * vendors say of their tokens, as real JSON web tokens and private keys, and as values of the environment. And the places they turn up in.
 */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { ALPHABETS, type Alphabet } from "../../src/redaction/Alphabet.ts"
import { knownValues } from "../../src/redaction/Environment.ts"
import { FORMATS, type Format, JWT, PRIVATE_KEY } from "../../src/redaction/Formats.ts"

export interface Secret {
  readonly kind: string
  /** What must not be written. */
  readonly text: string
  /** The part of it that says nothing secret, such as a prefix. */
  readonly open: number
}

export const characters = (alphabet: string, minLength: number, maxLength = minLength): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })

/** A body that does not read like a name: a digit between letters, then anything. */
const drawn = (alphabet: Alphabet, minimum: number, most: number): fc.Arbitrary<string> => {
  const letters = alphabet === "hex" ? "abcdef" : alphabet === "upper" ? "ABCDEFGHJKLMN" : "abcdefghijkmnpqrstuvwxyz"
  return fc
    .tuple(
      characters(letters, 1),
      characters("23456789", 1),
      characters(letters, 1),
      characters(ALPHABETS[alphabet], minimum - 3, most - 3),
    )
    .map((parts) => parts.join(""))
}

/** A token of a row, cut to its least length and whole. */
export const rowSecret = (format: Format): fc.Arbitrary<Secret> =>
  fc
    .record({
      prefix: fc.constantFrom(...format.prefixes),
      body: fc.oneof(drawn(format.body, format.minimum, format.minimum + 3), drawn(format.body, format.full, format.full + 20)),
    })
    .map(({ prefix, body }) => ({ kind: format.kind, text: prefix + body, open: prefix.length }))

type Piece = string | readonly [alphabet: string, length: number]

const LOWER = "abcdefghijklmnopqrstuvwxyz"
const DIGITS = "0123456789"
const AN = ALPHABETS.alnum
const B64U = ALPHABETS.url
const LOWER_HEX = `${DIGITS}abcdef`

/** Forms as vendors describe them. Not derived from the table that is judged: a wrong row there would agree with itself. */
const VENDOR_FORMS: ReadonlyArray<readonly [kind: string, ...form: ReadonlyArray<Piece>]> = [
  ["anthropic-key", "sk-ant-api03-", [B64U, 93], "AA"],
  ["anthropic-key", "sk-ant-admin01-", [B64U, 93], "AA"],
  ["anthropic-key", "sk-ant-oat01-", [B64U, 60]],
  ["openai-key", "sk-", [AN, 20], "T3Blbk", "FJ", [AN, 20]],
  ["openai-key", "sk-proj-", [B64U, 74], "T3Blbk", "FJ", [B64U, 74]],
  ["openai-key", "sk-", [`${DIGITS}${LOWER}`, 32]],
  ["openrouter-key", "sk-or-v1-", [LOWER_HEX, 64]],
  ["groq-key", "gsk_", [AN, 52]],
  ["xai-key", "xai-", [`${AN}_`, 80]],
  ["huggingface-token", "hf_", [AN, 34]],
  ["aws-key-id", "AKIA", ["ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16]],
  ["aws-key-id", "ASIA", ["ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16]],
  ["google-key", "AIza", [B64U, 35]],
  ["google-client-secret", "GOCSPX-", [B64U, 28]],
  ["digitalocean-token", "dop_v1_", [LOWER_HEX, 64]],
  ["github-token", "ghp_", [AN, 36]],
  ["github-token", "gho_", [AN, 36]],
  ["github-token", "ghs_", [AN, 36]],
  ["github-token", "ghs_", [DIGITS, 7], "_eyJ", [B64U, 60], ".eyJ", [B64U, 200], ".", [B64U, 86]],
  ["github-token", "github_pat_", [AN, 22], "_", [AN, 59]],
  ["gitlab-token", "glpat-", [B64U, 20]],
  ["gitlab-token", "glpat-", [B64U, 40], ".", [DIGITS, 2], [AN, 7]],
  ["npm-token", "npm_", [AN, 36]],
  ["pypi-token", "pypi-AgEIcHlwaS5vcmc", [B64U, 120]],
  ["slack-token", "xoxb-", [DIGITS, 12], "-", [DIGITS, 13], "-", [AN, 24]],
  ["slack-token", "xoxp-", [DIGITS, 12], "-", [DIGITS, 12], "-", [DIGITS, 13], "-", [LOWER_HEX, 32]],
  ["slack-token", "xapp-1-", [`${AN}`, 11], "-", [DIGITS, 13], "-", [LOWER_HEX, 64]],
  ["stripe-key", "sk_live_", [AN, 24]],
  ["stripe-key", "rk_live_", [AN, 99]],
  ["sendgrid-key", "SG.", [B64U, 22], ".", [B64U, 43]],
  ["shopify-token", "shpat_", [LOWER_HEX, 32]],
  ["rubygems-key", "rubygems_", [LOWER_HEX, 48]],
  ["docker-token", "dckr_pat_", [B64U, 27]],
  ["age-key", "AGE-SECRET-KEY-1", ["QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58]],
]

/** Characters of a form's start that say nothing secret: its fixed beginning. */
const vendorSecret = ([kind, ...form]: (typeof VENDOR_FORMS)[number]): fc.Arbitrary<Secret> =>
  fc
    .tuple(...form.map((piece) => (typeof piece === "string" ? fc.constant(piece) : characters(piece[0], piece[1]))))
    .map((pieces) => ({ kind, text: pieces.join(""), open: (pieces[0] ?? "").length }))

const base64Url = (text: string): string => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

const jwt: fc.Arbitrary<Secret> = fc
  .record({
    header: fc.constantFrom('{"alg":"HS256","typ":"JWT"}', '{"alg":"none"}', '{"typ":"JWT","alg":"RS256","kid":"k1"}'),
    subject: characters(LOWER, 4, 30),
    signature: fc.oneof(fc.constant(""), characters(B64U, 43)),
  })
  .map(({ header, subject, signature }) => {
    const text = `${base64Url(header)}.${base64Url(JSON.stringify({ sub: subject }))}${signature === "" ? "" : `.${signature}`}`
    return { kind: JWT.kind, text, open: base64Url(header).length }
  })

const LABELS = ["", "RSA ", "EC ", "DSA ", "ENCRYPTED ", "OPENSSH "]

/** A key in armour, whole or without its end, with one kind of line end. */
const privateKey: fc.Arbitrary<Secret> = fc
  .record({
    label: fc.constantFrom(...LABELS),
    lines: fc.array(characters(`${AN}+/`, 64), { minLength: 1, maxLength: 4 }),
    rest: characters(`${AN}+/`, 24, 63),
    lineEnd: fc.constantFrom("\n", "\r\n", "\\n", " ", "\n    "),
    isWhole: fc.boolean(),
  })
  .map(({ label, lines, rest, lineEnd, isWhole }) => {
    const begin = `-----BEGIN ${label}PRIVATE KEY-----`
    const end = isWhole ? [`-----END ${label}PRIVATE KEY-----`] : []
    return { kind: PRIVATE_KEY, text: [begin, ...lines, `${rest}==`, ...end].join(lineEnd), open: begin.length }
  })

/** A secret of a format that can be told by itself. Bodies are cut as well as whole and longer than today's. */
export const formatSecret: fc.Arbitrary<Secret> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FORMATS).chain(rowSecret) },
  { weight: 4, arbitrary: fc.constantFrom(...VENDOR_FORMS).chain(vendorSecret) },
  { weight: 1, arbitrary: jwt },
  { weight: 1, arbitrary: privateKey },
)

/** Every row of the table, once. */
export const formatRows: ReadonlyArray<readonly [kind: string, secret: fc.Arbitrary<Secret>]> = [
  ...FORMATS.map((format) => [format.kind, rowSecret(format)] as const),
  ...VENDOR_FORMS.map((form) => [form[0], vendorSecret(form)] as const),
  [JWT.kind, jwt],
  [PRIVATE_KEY, privateKey],
]

const NAMES = ["API_KEY", "my_token", "DbSecret", "PASSWORD", "SMTP_PASSWD", "AWS_CREDENTIAL_X", "monkey"]

/** Any value that can be looked for: with quotes, backslashes, line ends, percent signs and characters of other scripts in it. */
const environmentValue: fc.Arbitrary<string> = fc
  .oneof(
    characters(AN, 10, 40),
    characters(`${AN}!#$%&()*+,-./:;<=>?@^_{|}~ "'\\\n\té漢🌿`, 10, 40),
    fc.string({ unit: "grapheme", minLength: 10, maxLength: 30 }),
  )
  .filter((value) => value.isWellFormed() && isLookedFor(value))

const isLookedFor = (value: string): boolean => knownValues({ A_KEY: value }).environment.includes(value)

/** A secret that is the value of an environment variable, and the variable's name. */
export const environmentSecret: fc.Arbitrary<Secret & { readonly name: string }> = fc
  .record({ name: fc.constantFrom(...NAMES), value: environmentValue })
  .map(({ name, value }) => ({ kind: "environment", text: value, open: 0, name }))

/** A way in which a secret stands in a string. */
export interface Context {
  readonly name: string
  readonly wrap: (secret: string) => string
}

const escapedOnce = (text: string): string => JSON.stringify(text).slice(1, -1)

export const CONTEXTS: ReadonlyArray<Context> = [
  { name: "alone", wrap: (secret) => secret },
  { name: "line of output", wrap: (secret) => `before\n${secret}\nafter` },
  { name: "sentence", wrap: (secret) => `The value is ${secret}, said the tool.` },
  { name: "assignment", wrap: (secret) => `export API_TOKEN=${secret}\n` },
  { name: "quoted", wrap: (secret) => `const apiKey = "${secret}";` },
  { name: "path", wrap: (secret) => `/home/dev/${secret}/file.ts` },
  { name: "error", wrap: (secret) => `ENOENT: no such file or directory, open '${secret}'` },
  { name: "JSON in a string", wrap: (secret) => JSON.stringify({ command: secret, n: 1 }) },
  { name: "JSON in a string, as a key", wrap: (secret) => JSON.stringify({ [secret]: true }) },
  { name: "JSON in JSON in a string", wrap: (secret) => JSON.stringify({ input: JSON.stringify({ text: `\n${secret}\n` }) }) },
  { name: "escaped", wrap: (secret) => `\\n${escapedOnce(secret)}\\n` },
  { name: "URL", wrap: (secret) => `https://example.com/?a=1&q=${encodeURIComponent(secret)}&b=2` },
  { name: "user of a URL", wrap: (secret) => `postgres://reports:${encodeURIComponent(secret)}@db.internal:5432/app` },
  { name: "JSON in a URL", wrap: (secret) => `https://example.com/?q=${encodeURIComponent(JSON.stringify({ q: secret }))}` },
  { name: "diff", wrap: (secret) => `+${secret}\n-old` },
  { name: "fence", wrap: (secret) => `\`\`\`sh\n${secret}\n\`\`\`` },
  { name: "colour", wrap: (secret) => `\u001b[31m${secret}\u001b[0m` },
]

/** Where a string stands in a record. */
export interface Position {
  readonly name: string
  readonly put: (text: string) => JsonObject
}

const message = (content: Json): JsonObject => ({
  type: "message",
  id: "0a1b2c3d",
  parentId: null,
  timestamp: "2026-01-02T03:04:05.678Z",
  message: { role: "assistant", content, stopReason: "stop" },
})

export const POSITIONS: ReadonlyArray<Position> = [
  { name: "text block", put: (text) => message([{ type: "text", text }]) },
  { name: "thinking", put: (text) => message([{ type: "thinking", thinking: text, thinkingSignature: "c2ln" }]) },
  { name: "tool input", put: (text) => message([{ type: "toolCall", id: "c1", name: "bash", arguments: { command: text } }]) },
  { name: "key", put: (text) => message([{ type: "toolCall", id: "c1", name: "set", arguments: { [text]: 1, other: 2 } }]) },
  {
    name: "tool result",
    put: (text) => ({
      type: "tool_results",
      message: { role: "user", content: [{ type: "tool_result", toolUseId: "c1", content: text }] },
    }),
  },
  { name: "title", put: (text) => ({ type: "title", title: text }) },
  { name: "header", put: (text) => ({ type: "session", version: 5, id: "0a1b2c3d", cwd: text }) },
  { name: "custom data", put: (text) => ({ type: "custom", customType: "x", data: { deep: [[{ list: [1, text, null] }]] } }) },
  {
    name: "signature of a tool",
    put: (text) => message([{ type: "tool_use", id: "c1", name: "x", input: { signature: text } }]),
  },
]

/** Characters of a secret's body that may stay in a row. One more and it counts as written. */
const REST = 12

/** The forms in which a text can stand in bytes of JSON: raw, and as JSON writes it once, twice and three times. */
export const forms = (text: string): ReadonlyArray<string> => {
  const found = [text]
  for (let depth = 0; depth < 3; depth++) found.push(escapedOnce(found.at(-1) ?? ""))
  return [...new Set([...found, encodeURIComponent(text)])]
}

/**
 * Says what of a secret is to be seen in something written, or undefined for nothing: the whole of it in any form, or more than 11
 * characters of its body in a row.
 */
export const leakOf = (written: string, secret: Secret): string | undefined => {
  for (const form of forms(secret.text)) if (written.includes(form)) return form
  const body = secret.text.slice(secret.open)
  for (let at = 0; at + REST <= body.length; at++) {
    const window = body.slice(at, at + REST)
    if (!/^\s*$/.test(window) && written.includes(window)) return window
  }
  return undefined
}

/** Secrets in a record, and the environment in which they are secrets. */
export interface Planted {
  readonly environment: Readonly<Record<string, string>>
  readonly record: JsonObject
  readonly secret: Secret
  readonly context: string
  readonly position: string
}

const anySecret: fc.Arbitrary<Secret & { readonly name?: string }> = fc.oneof(formatSecret, environmentSecret)

/** One secret in one place, among other secrets of the environment. */
export const planted: fc.Arbitrary<Planted> = fc
  .record({
    secret: anySecret,
    others: fc.array(environmentSecret, { maxLength: 3 }),
    context: fc.constantFrom(...CONTEXTS),
    position: fc.constantFrom(...POSITIONS),
  })
  .map(({ secret, others, context, position }) => ({
    environment: Object.fromEntries([
      ...others.map(({ name, text }, i) => [`${name}_${i}`, text] as const),
      ...(secret.name === undefined ? [] : [[secret.name, secret.text] as const]),
    ]),
    record: position.put(context.wrap(secret.text)),
    secret,
    context: context.name,
    position: position.name,
  }))
