/**
 * Values that make redaction work hard: strings put together from beginnings of secrets, whole ones, names, separators, quotes, escapes,
 * markers and known values, in objects of every shape.
 */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { FORMATS } from "../../src/redaction/Formats.ts"
import { trickyStrings } from "./json.ts"
import { characters, formatSecret } from "./secrets.ts"

/** Values that touch markers, quotes, escapes and each other. */
export const VALUES = {
  plain: "abcdefgh1234",
  overlapping: "1234abcd5678",
  bracketed: "]x9y8z7w6[",
  quoted: 'q"u\\o\nt3e.d',
  escaped: "nsecret-41-x",
  digits: "123456789012345",
  id: "9f8e7d6c",
  repeated: "aaaabbbb",
  bracket: "(abcdefgh1",
  foreign: "é漢字-ünï-🌿-x1",
} as const

/** An environment in which they are secrets. */
export const KNOWN: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(VALUES).map((value, i) => [`V${i}_KEY`, value]),
)

const SEPARATORS = [":", "=", " = ", ": ", "=>", '":"', '\\":\\"', '": ', "==", "::", ":="]
const NAMES = [
  "password",
  "api_key",
  "token",
  "SECRET",
  "pin",
  "tokenBudget",
  '"password"',
  "x.apiKey",
  "max_tokens",
  "client-secret",
]
const GLUE = [
  " ",
  "\n",
  "\t",
  ",",
  ";",
  '"',
  "'",
  "`",
  "\\",
  "\\n",
  '\\"',
  "%",
  "%22",
  "%5C",
  "\\u00",
  "-",
  "_",
  ".",
  "/",
  "+",
  "&a=",
  "(",
  ")",
  "{",
  "}",
  "]",
  "[",
]
const MARKERS = [
  "[REDACTED]",
  "[REDACTED:environment]",
  "[REDACTED:password]",
  "[REDACTED:unknown-kind]",
  "[REDACTED",
  "REDACTED]",
]
const PEM = ["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "BEGIN ", "Version: 1"]
const CODE = [
  "options.apiKey",
  "z.string().min(8)",
  "20_000_000",
  "1234",
  "98765432",
  "hunter2hunter2",
  `token${"="}foobar12`,
  "$TOKEN_ABC",
  "true",
  "correct-horse",
]

const piece: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...GLUE) },
  { weight: 3, arbitrary: fc.constantFrom(...Object.values(VALUES)) },
  { weight: 3, arbitrary: fc.constantFrom(...FORMATS.flatMap(({ prefixes }) => prefixes), "eyJ") },
  { weight: 2, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 2, arbitrary: fc.constantFrom(...SEPARATORS) },
  { weight: 2, arbitrary: fc.constantFrom(...MARKERS) },
  { weight: 2, arbitrary: fc.constantFrom(...CODE) },
  { weight: 2, arbitrary: formatSecret.map(({ text }) => text) },
  { weight: 1, arbitrary: fc.constantFrom(...PEM) },
  { weight: 1, arbitrary: fc.constantFrom(...trickyStrings) },
  { weight: 2, arbitrary: characters("abcXYZ0189_-", 1, 30) },
)

/** A text of such pieces; now and then wrapped as a string of JSON, once or more. */
export const soup: fc.Arbitrary<string> = fc
  .tuple(fc.array(piece, { maxLength: 9 }), fc.constantFrom(0, 0, 0, 1, 2))
  .map(([pieces, depth]) => {
    let text = pieces.join("")
    for (let i = 0; i < depth; i++) text = JSON.stringify({ password: text, n: [text] })
    return text
  })

const key: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "type",
    "id",
    "content",
    "password",
    "api_key",
    "pin",
    "tokens",
    "__proto__",
    "constructor",
    "toString",
    "1",
    "0",
  ),
  soup,
)

const leaf: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: soup },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(null, true, false, 0, -0, 1, 1234, 123456789012345, 1e300, Number.POSITIVE_INFINITY, 0.1),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
)

/** Any JSON value with such strings as keys and values. */
export const redactable: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members): JsonObject => Object.fromEntries(members)),
  ),
})).value
