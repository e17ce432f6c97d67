import { describe, expect, test } from "vitest"
import type { Json } from "../../src/model/Json.ts"
import { isJson, skipSpace, stringEnd, stringValue, toText, valueEnd } from "../../src/model/JsonText.ts"

describe("the text of a value", () => {
  test.each<readonly [string, Json]>([
    ["scalars", [null, true, false, 0, -1.5, 1e21, 5e-324, "", 'a"\\\n\u2028\ud800']],
    ["nesting", { a: [{}, [], [[]], { b: { c: [1, { d: null }] } }], "": { "": "" } }],
    ["integer keys", { b: 1, 2: 2, 1: 1 }],
  ])("is that of JSON.stringify: %s", (_, value) => {
    expect(toText(value)).toBe(JSON.stringify(value))
  })

  test("reads back as the same value where JSON.stringify would not", () => {
    for (const value of [-0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(Object.is(JSON.parse(toText(value)), value)).toBe(true)
    expect(toText(JSON.parse('{"__proto__":[-0]}') as Json)).toBe('{"__proto__":[-0]}')
    expect(toText(Number.NaN)).toBe("null")
  })

  test("may be 100,000 levels deep", () => {
    const text = `${'[{"a":'.repeat(100_000)}1${"}]".repeat(100_000)}`
    expect(toText(JSON.parse(text) as Json)).toBe(text)
  })
})

describe("tokens", () => {
  test("white space is what JSON calls so", () => {
    expect(skipSpace(" \t\r\nx", 0)).toBe(4)
    expect(skipSpace("\u00a0x", 0)).toBe(0)
    expect(skipSpace("  ", 0)).toBe(2)
  })

  test("a string ends at its closing quote", () => {
    expect(stringEnd('x "a\\"b\\\\" y', 2)).toBe(10)
    expect(stringEnd('"open', 0)).toBe(5)
    expect(stringEnd('"open\\', 0)).toBe(6)
    expect(stringValue('x "a\\"\\u0062" y', 2, 13)).toBe('a"b')
  })

  test.each([
    ["1.0,", 3],
    ["-0 ]", 2],
    ['"a,]"}', 5],
    ['{"a":[1,{}]},2', 12],
    ["[]]", 2],
    ["null", 4],
    ['["]","\\""],', 10],
  ])("the value of %s ends at %i", (text, end) => {
    expect(valueEnd(text, 0)).toBe(end)
  })

  test("a text is JSON or it is not", () => {
    expect([" {} ", "1", '"a"'].map(isJson)).toEqual([true, true, true])
    expect(["", "{", "{} 1", "NaN", "01"].map(isJson)).toEqual([false, false, false, false, false])
  })
})
