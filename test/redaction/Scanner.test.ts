import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatSecret } from "../../laws/arbitraries/secrets.ts"
import { Lookup } from "../../src/redaction/Lookup.ts"
import { Names } from "../../src/redaction/Names.ts"
import { isContainer } from "../../src/redaction/Nested.ts"
import { Scanner } from "../../src/redaction/Scanner.ts"

const VALUES = [
  "zq7Rz2KbX9mTw4LcV8nYs3HdJ6pGf5",
  "a pass phrase of several words\nand of two lines",
  "=:%\\x9y8z7w6",
  "é漢字-ünï-🌿-x1",
]

const scanner = (): Scanner => {
  const lookup = new Lookup()
  for (const value of VALUES) lookup.add(value, "environment", 0)
  return new Scanner(lookup, new Names(), new Set(["letmein!"]))
}

/** Ways to write a character so that only another reading of the text has it, or has it beside its neighbours. */
const HIDDEN: ReadonlyArray<(character: string) => string> = [
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  (character) => `\\\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  (character) =>
    encodeURIComponent(character.isWellFormed() ? character : "x").replace(
      /^[^%]$/,
      (plain) => `%${plain.charCodeAt(0).toString(16)}`,
    ),
  (character) => `%5Cu${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  (character) => `${character}\0`,
  (character) => `\u001b[31m${character}`,
  (character) => `\u2060${character}`,
  (character) => JSON.stringify(character).slice(1, -1),
  (character) => (character === "/" ? "\\/" : character),
  (character) => `${character}\\n`,
]

const secret = fc.oneof(
  formatSecret.map(({ text }) => text),
  fc.constantFrom(
    ...VALUES,
    'password: "hunter2hunter2"',
    "api_key=ab1cd2ef3gh4",
    "token: string = 'ab1cd2ef3gh4'",
    "https://dev:s3cr3t-w0rd@db.internal/x",
    "Authorization: Bearer ab1cd2ef3gh4ij5kl6",
    "curl -u dev:s3cr3t-w0rd https://host",
    "sig=ab1cd2ef3gh4ij5kl6mn7&sv=2024",
    `machine a login b ${"pass"}word s3cr3t-w0rd`,
    btoa("api_key=ab1cd2ef3gh4 and so on"),
    ...VALUES.slice(0, 1).map((value) => value.slice(3, 17)),
  ),
)

/** A secret of which a few characters are hidden; and now and then the same without its beginning, which is none. */
const hidden = fc
  .tuple(
    secret,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...HIDDEN)), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(0, 0, 0, 1, 3),
  )
  .map(([text, places, cut]) => {
    const characters = text.slice(cut).split("")
    for (const [place, hide] of places) {
      const at = place % characters.length
      characters[at] = hide(characters[at] ?? "")
    }
    return characters.join("")
  })

const near = fc.constantFrom(
  "const state = reader.next(569)\n",
  "path/to/task-list.ts:12:5 - the value",
  "{ ok: false, index: [1, 2] }\n",
  '"a\\nb\\t"',
  "50 % of \\d+ \\\\ %zz",
  "password ",
  "ghp",
  "sk-",
  "=",
  ": ",
  " ".repeat(40),
  "word ".repeat(12),
  "é漢字 ",
)

const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: near }, { weight: 2, arbitrary: hidden }), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""))

/** Further away than any view reaches, and the beginning of nothing: but with it the other readings are read in full. */
const FAR = `${"\n".repeat(600)}://`

describe("other readings of a text", () => {
  test("hold nothing when a look at the surroundings of what is decoded shows no beginning", () => {
    const one = scanner()
    let found = 0
    let only = 0
    fc.assert(
      fc.property(text, (given) => {
        fc.pre(!isContainer(given))
        const spans = one.scan(given, "all")
        expect(spans).toEqual(one.scan(given + FAR, "all"))
        if (spans.length > 0) found++
        if (spans.length > 0 && one.scan(given.replaceAll(/[\\%\0\u001b\u2060]/g, ""), "all").length === 0) only++
      }),
      { numRuns: 2_000 },
    )
    expect(found).toBeGreaterThan(500)
    expect(only).toBeGreaterThan(20)
  })
})
