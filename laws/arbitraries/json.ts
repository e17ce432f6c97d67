/**
 * JSON values that have hurt somebody: strings and keys with everything in them that a line format can trip over, numbers at the edges
 * of a double, and objects whose keys are names of the prototype.
 */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../../src/model/Json.ts"

/** Strings that somewhere were taken for something else: separators, controls, halves of characters, pieces of JSON. */
export const trickyStrings: ReadonlyArray<string> = [
  "",
  "\u0000",
  "\r",
  "\r\n",
  "\n",
  "\u2028 and \u2029",
  "\u0085\u000b\u000c\u001c\u001e",
  "\ufeff",
  "\ud83d",
  "\udca9 alone",
  "🌿👩‍👩‍👧‍👦",
  "é\u0301中",
  "}{",
  '"}\n{"type":"message"',
  '\\"',
  "\\",
  "\\u0000",
  '{"type":"message","timestamp":"t"}',
  "data: {",
  "[[[[",
]

/** Class names for coverage, and how to tell them from the text of a record. */
export const textClasses: ReadonlyArray<readonly [name: string, test: (text: string) => boolean]> = [
  ["empty string", (text) => text.includes('""')],
  ["huge string", (text) => text.length > 8_192],
  ["lone surrogate", (text) => /\\ud[89a-f]/i.test(text)],
  ["U+2028", (text) => text.includes("\u2028")],
  ["escaped NUL", (text) => text.includes("\\u0000")],
  ["carriage return", (text) => text.includes("\\r")],
  ["emoji", (text) => text.includes("🌿")],
  ["__proto__", (text) => text.includes('"__proto__":')],
  ["beyond 2^53", (text) => text.includes("9007199254740992") || text.includes("e+")],
  ["brace in string", (text) => text.includes("}{")],
]

/** Strings: ordinary, of any code units, tricky, joined from tricky ones, and now and then longer than a buffer. */
export const jsonString: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 8, unit: "binary" }) },
  { weight: 3, arbitrary: fc.constantFrom(...trickyStrings) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...trickyStrings), { maxLength: 4 }).map((parts) => parts.join("")) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("x", "🌿", "\\", '"', "\u0000"), fc.constantFrom(10, 100, 9_000))
      .map(([unit, times]) => unit.repeat(times)),
  },
)

/** Keys: short ones, any string, and the names that an object has already. */
export const jsonKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 6 }) },
  { weight: 2, arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "", "0", "-1") },
  { weight: 1, arbitrary: fc.constantFrom(...trickyStrings) },
)

export const jsonNumber: fc.Arbitrary<number> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 2 ** 53, -(2 ** 53) - 2, 1e300, 5e-324, 0.1),
)

export const jsonScalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: jsonString },
  { weight: 2, arbitrary: jsonNumber },
  { weight: 1, arbitrary: fc.constantFrom<Json>(null, true, false) },
)

/** An object with own members only, `__proto__` among them. */
export const objectOf = (key: fc.Arbitrary<string>, value: fc.Arbitrary<Json>, maxKeys = 5): fc.Arbitrary<JsonObject> =>
  fc.array(fc.tuple(key, value), { maxLength: maxKeys }).map((members) => Object.fromEntries(members) as JsonObject)

const { value, object } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    { weight: 4, arbitrary: jsonScalar },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    { weight: 1, arbitrary: tie("object") },
  ),
  object: objectOf(jsonKey, tie("value")),
}))

/** Any JSON value. */
export const jsonValue: fc.Arbitrary<Json> = value

/** Any JSON object. */
export const jsonObject: fc.Arbitrary<JsonObject> = object
