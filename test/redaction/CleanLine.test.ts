import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import type { Json } from "../../src/model/Json.ts"
import { MAX_DEPTH } from "../../src/model/Limits.ts"
import { type CleanLine, type CleanText, isCleanLine, isCleanText, lineOf } from "../../src/redaction/CleanLine.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import type { Rules } from "../../src/redaction/Rules.ts"
import { drawn, plain, token } from "./Samples.ts"

const line = (value: Json): string => Result.getOrThrow(plain.cleanRecord(value)).line.text
const raw = (text: string): string => Result.getOrThrow(plain.cleanRaw(text)).line.text
const refusal = (value: unknown) => {
  const result = plain.cleanRecord(value as Json)
  if (Result.isSuccess(result)) throw new Error(`not refused: ${result.success.line.text}`)
  return result.failure
}

describe("a clean line", () => {
  const clean = Result.getOrThrow(plain.cleanRecord({ a: "é🌿" })).line

  test("has its text and its length in bytes", () => {
    expect(clean.text).toBe('{"a":"é🌿"}')
    expect(clean.bytes).toBe(Buffer.byteLength('{"a":"é🌿"}'))
    expect(isCleanLine(clean)).toBe(true)
    expect(isCleanText(clean)).toBe(false)
  })

  test("cannot be forged, neither by shape nor by its own constructor", () => {
    // @ts-expect-error: a value of the same shape is no clean line
    const forged: CleanLine = { text: "dirty", bytes: 5 }
    expect(isCleanLine(forged)).toBe(false)
    expect(isCleanLine(Object.create(Object.getPrototypeOf(clean) as object))).toBe(false)
    const Made = clean.constructor as unknown as new (...args: ReadonlyArray<unknown>) => CleanLine
    expect(() => new Made("dirty")).toThrow("Only redaction")
    expect(() => new Made(Symbol("mint"), "dirty")).toThrow("Only redaction")
    for (const other of [undefined, null, "text", 1, {}, []]) expect(isCleanLine(other)).toBe(false)
  })

  test("cannot be changed", () => {
    expect(() => Object.assign(clean, { text: "dirty" })).toThrow(TypeError)
    expect(() => Object.defineProperty(clean, "text", { value: "dirty" })).toThrow(TypeError)
    expect(clean.text).toBe('{"a":"é🌿"}')
  })

  test("comes from rules that options made, and from no others", () => {
    const rules = { scanner: { scan: () => [], scanUnder: () => [] } } as unknown as Rules
    expect(() => lineOf(rules, "dirty")).toThrow("rules that options made")
  })
})

test("a clean text is another type than a clean line", () => {
  const { text, findings } = plain.cleanText(`a title with ${token("github-token", 36)}`)
  expect(text.text).toBe("a title with [REDACTED:github-token]")
  expect(findings).toEqual([{ kind: "github-token", offset: 13 }])
  expect(isCleanText(text)).toBe(true)
  expect(isCleanLine(text)).toBe(false)
  // @ts-expect-error: a title is no line
  const wrong: CleanLine = text
  // @ts-expect-error: and a plain string is no clean text
  const string: CleanText = "title"
  expect([wrong, string]).toHaveLength(2)
})

describe("the line of a record", () => {
  test.each<readonly [string, Json]>([
    ["line ends", { a: "\n\r\u0000\u000b\f\u001c" }],
    ["lone surrogates", { "\ud800": "\udc00 a \ud83c\udf3f" }],
    ["numbers", [0, -1.5, 1e300, 5e-324, 9007199254740991]],
    ["empty things", { "": "", a: [], b: {} }],
    ["a string alone", "x"],
    ["null alone", null],
  ])("%s: is what JSON.stringify writes", (_, value) => {
    expect(line(value)).toBe(JSON.stringify(value))
    expect(line(value)).not.toMatch(/[\n\r]/)
    expect(line(value).isWellFormed()).toBe(true)
  })

  test("has no separator of Unicode, at which other readers end a line, in a record that is written anew", () => {
    const value = { "a\u2028": "\u0085 \\u2028 \\\u2029" }
    expect(line(value)).toBe('{"a\\u2028":"\\u0085 \\\\u2028 \\\\\\u2029"}')
    expect(JSON.parse(line(value))).toEqual(value)
    const raw = JSON.stringify(value)
    expect(Result.getOrThrow(plain.cleanRaw(raw)).line.text).toBe(raw)
  })

  test.each([16_383, 16_384, 16_385, 40_000])("says its bytes and has no separator, whatever its characters: %i", (length) => {
    for (const [end, bytes] of [
      ["", 0],
      ["é", 2],
      ["漢", 3],
      ["😀", 4],
      ["\u2028", 6],
      ["\u0085", 6],
    ] as const) {
      const made = Result.getOrThrow(plain.cleanRecord("x ".repeat(length / 2).slice(0, length - 2 - end.length) + end)).line
      expect(made.bytes).toBe(Buffer.byteLength(made.text))
      expect(made.bytes).toBe(length - end.length + bytes)
      expect(made.text).not.toMatch(/[\u0085\u2028\u2029]/)
    }
  })

  test("keeps what JSON.stringify loses", () => {
    expect(Object.is(JSON.parse(line([-0]))[0], -0)).toBe(true)
    expect(JSON.parse(line([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]))).toEqual([Infinity, -Infinity])
    const proto = JSON.parse('{"__proto__":{"a":1}}') as Json
    expect(line(proto)).toBe('{"__proto__":{"a":1}}')
  })

  test.each<readonly [string, unknown, string, string]>([
    ["undefined", { a: { b: undefined } }, "a.b", "not-json"],
    ["NaN", { a: [1, Number.NaN] }, "a[1]", "not-json"],
    ["a date", { a: new Date(0) }, "a", "not-json"],
    ["a map", [new Map()], "[0]", "not-json"],
    ["a bigint", { a: 1n }, "a", "not-json"],
    ["a function", { a: { toJSON: () => "x" } }, "a.toJSON", "not-json"],
    ["a symbol", [Symbol("s")], "[0]", "not-json"],
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    ["a hole", [1, , 2], "[1]", "not-json"],
    ["a boxed string", [new String("x")], "[0]", "not-json"],
    ["nothing at all", undefined, "", "not-json"],
  ])("refuses %s, with its path", (_, value, path, reason) => {
    expect(refusal(value)).toMatchObject({ _tag: "NotJson", code: "redaction.not_json", path, reason })
    expect(refusal(value).message).toMatch(path === "" ? /^the value is / : /^\S+ is /)
  })

  test("refuses a cycle and what is deeper than a reader accepts", () => {
    const loop: Record<string, unknown> = {}
    loop["a"] = { b: loop }
    expect(refusal(loop)).toMatchObject({ reason: "cycle" })
    const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)])
    expect(refusal(nested(MAX_DEPTH + 1))).toMatchObject({ reason: "too-deep" })
    expect(line(nested(MAX_DEPTH))).toHaveLength(2 * MAX_DEPTH + 1)
  })

  test("names no secret in a refusal", () => {
    const secret = token("github-token", 36)
    expect(refusal({ [secret]: undefined }).message).toBe("[REDACTED:github-token] is undefined")
  })

  test("takes an object twice in one value", () => {
    const shared = { a: 1 }
    expect(line([shared, shared])).toBe('[{"a":1},{"a":1}]')
  })

  test("is made of what was scanned, also when a getter changes its mind", () => {
    const secret = token("github-token", 36)
    let reads = 0
    const sly = {
      get text() {
        return reads++ === 0 ? "harmless" : secret
      },
    }
    expect(line(sly)).toBe('{"text":"harmless"}')
  })
})

describe("the line of a text", () => {
  const secret = token("github-token", 36)

  test("is the text itself when nothing is found", () => {
    for (const text of ['{ "a" : 1.0 }', '{"a":1e999,"b":-0,"__proto__":9007199254740993}\r', '"\\u0041\\/"', " [ ] "])
      expect(raw(text)).toBe(text)
  })

  test("changes only the tokens that were found", () => {
    expect(raw(`{ "a" : 1.0 ,\t"b":"x ${secret} \\u0041", "c" : "\\u0041" }`)).toBe(
      '{ "a" : 1.0 ,\t"b":"x [REDACTED:github-token] A", "c" : "\\u0041" }',
    )
  })

  test("finds a secret behind escapes", () => {
    const escaped = Array.from(secret, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join("")
    expect(raw(`{"a":"${escaped}"}`)).toBe('{"a":"[REDACTED:github-token]"}')
  })

  test("finds a secret in a key that JSON.parse of V8 takes for another key", () => {
    const escaped = `\\u00${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`
    const lure = escaped.slice(0, secret.length)
    expect(JSON.parse(JSON.stringify([{ [lure]: 1 }]))).toEqual([{ [lure]: 1 }])
    expect(raw(`[{"${escaped}":1}]`)).toBe('[{"[REDACTED:github-token]":1}]')
  })

  test("is written anew when a key stands twice, since the first member could hide something", () => {
    expect(raw(`{"a":"${secret}","b": 1.0,"a":"x"}`)).toBe('{"a":"x","b":1}')
    expect(raw(`{"n":{"a":"${secret}","\\u0061":-0}, "b":1e999}`)).toBe('{"n":{"a":-0},"b":1e999}')
  })

  test("is one line, and well-formed", () => {
    expect(raw('{\n "a": [\r\n1] }\n')).toBe('{  "a": [\r 1] } ')
    expect(raw('{"a":"\ud800 \ud83c\udf3f"}')).toBe('{"a":"\\ud800 \ud83c\udf3f"}')
  })

  test("may be deeper than any reader accepts", () => {
    const deep = `${"[".repeat(50_000)}"${secret}"${"]".repeat(50_000)}`
    expect(raw(deep)).toBe(deep.replace(secret, "[REDACTED:github-token]"))
    const twice = `${"[".repeat(50_000)}{"a":1,"a":"${drawn(4)}"}${"]".repeat(50_000)}`
    expect(raw(twice)).toBe(twice.replace('"a":1,', ""))
  })

  test.each(["", "{", "{} {}", "\ufeff{}", '{"a":\u0000}', "undefined"])("refuses %j, which is not JSON", (text) => {
    const result = makeRedactor({ environment: {} }).cleanRaw(text)
    expect(Result.isFailure(result) && result.failure).toMatchObject({ _tag: "NotJson", reason: "not-json-text" })
  })
})
