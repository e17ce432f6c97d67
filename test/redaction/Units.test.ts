import { describe, expect, test } from "vitest"
import { PORTION, Units } from "../../src/redaction/Units.ts"

/** The codes of a whole text, read in portions. */
const codesOf = (text: string): ReadonlyArray<number> => {
  const units = new Units()
  const found: Array<number> = []
  for (let from = 0; from < text.length; from += PORTION) {
    units.read(text, from)
    expect(units.from).toBe(from)
    expect(units.codes[0]).toBe(from === 0 ? 0 : text.charCodeAt(from - 1) & 127)
    found.push(...units.codes.subarray(1, 1 + units.length))
  }
  return found
}

const expected = (text: string): ReadonlyArray<number> => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i) & 127)

describe("the codes of a text", () => {
  test.each([
    ["nothing", ""],
    ["ASCII", "let a = 1\n"],
    ["other scripts", "é漢字 🙂 ok"],
    ["half a character", "a\ud83db\udc00c"],
    ["one portion", "ab".repeat(PORTION / 2)],
    ["a portion and a character", `${"ab".repeat(PORTION / 2)}c`],
    ["a character over the border of portions", `${"a".repeat(PORTION - 1)}🙂${"b".repeat(PORTION)}`],
    ["other scripts in the second portion only", `${"a".repeat(PORTION)}é${"b".repeat(50)}`],
  ])("are the lowest seven bits of each character: %s", (_, text) => {
    expect(codesOf(text)).toEqual(expected(text))
  })

  test("go on behind the portion, and are 0 where the text has ended, whatever was read before", () => {
    const units = new Units()
    units.read("x".repeat(PORTION + 40), 0)
    expect(units.codes[1 + PORTION]).toBe("x".charCodeAt(0))
    units.read("yy", 0)
    expect([...units.codes.subarray(0, 19)]).toEqual([0, 121, 121, ...Array.from({ length: 16 }, () => 0)])
  })
})
