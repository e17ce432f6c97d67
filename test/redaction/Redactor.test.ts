import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import { apply } from "../../src/model/Edit.ts"
import { applyToText } from "../../src/model/EditText.ts"
import type { Json } from "../../src/model/Json.ts"
import { hasMarker } from "../../src/redaction/Marker.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { drawn, plain, token } from "./Samples.ts"

const value = `zebra-${drawn(10)}`
const quoted = `pa"ss\\wo/rd é ${drawn(4)}`
const known = makeRedactor({
  environment: { MY_API_KEY: value, DB_PASSWORD: quoted, HOME: "/home/dev", MONKEY_PATH: "/home/dev/x" },
})
const M = "[REDACTED:environment]"

describe("a value of the environment", () => {
  test.each<readonly [string, string, string]>([
    ["raw", `use ${value} now`, `use ${M} now`],
    ["inside a word", `x${value}y`, `x${M}y`],
    ["twice", `${value} ${value}`, `${M} ${M}`],
    ["escaped", `a ${JSON.stringify(quoted)} b`, `a "${M}" b`],
    ["escaped twice", JSON.stringify(JSON.stringify(quoted)), `"\\"${M}\\""`],
    [
      "with needless escapes",
      `"${quoted.replaceAll('"', "\\u0022").replaceAll("\\", "\\u005c").replaceAll("\\u005cu0022", "\\u0022").replaceAll("/", "\\/")}"`,
      `"${M}"`,
    ],
    ["percent-encoded", `?q=${encodeURIComponent(quoted)}&r=1`, `?q=${M}&r=1`],
    [
      "in lower-case percent-encoding",
      `?q=${encodeURIComponent(quoted).replace(/%../g, (code) => code.toLowerCase())}`,
      `?q=${M}`,
    ],
  ])("goes: %s", (_, text, expected) => {
    expect(known.redactText(text).text).toBe(expected)
  })

  test("that shares a border with another leaves no rest of either", () => {
    const both = makeRedactor({ environment: { A_KEY: "abcdefgh1234", B_KEY: "1234abcd5678" } })
    expect(both.redactText("abcdefgh1234abcd5678").text).toBe(M)
    expect(both.redactText("abcdefgh12341234abcd5678").text).toBe(M + M)
  })

  test("may leave behind what now reads as a secret, and that goes with it", () => {
    const bracket = makeRedactor({ environment: { A_KEY: "(abcdefgh1" } })
    expect(bracket.redactText("token=foobar12(qrstuvwx2").text).toBe("token=foobar12(qrstuvwx2")
    const { text } = bracket.redactText("token=foobar12(abcdefgh1")
    expect(text).toBe(`token=[REDACTED:credential]${M}`)
    expect(bracket.redactText(text).text).toBe(text)
  })

  test("that the host named goes too, under a kind of its own", () => {
    const named = makeRedactor({ environment: {}, secrets: [value, "short"] })
    expect(named.redactText(value)).toEqual({ text: "[REDACTED:registered]", findings: [{ kind: "registered", offset: 0 }] })
    expect(named.skipped).toEqual([{ name: "secrets[1]", reason: "short" }])
  })

  test("with characters that mean something to a replacement or a pattern is only that value", () => {
    const odd = "$& $1 $$ .* [a-z]+ \\d"
    expect(makeRedactor({ environment: { A_KEY: odd } }).redactText(`<${odd}> $& .*`).text).toBe(`<${M}> $& .*`)
  })

  test("is not read from the process", () => {
    process.env["ANNALS_TEST_TOKEN"] = value
    try {
      expect(plain.redactText(value).text).toBe(value)
    } finally {
      delete process.env["ANNALS_TEST_TOKEN"]
    }
  })

  test("as a number goes when it is long", () => {
    const numeric = makeRedactor({ environment: { A_KEY: "123456789012345" } })
    expect(numeric.redactValue({ a: 123456789012345, b: 12345 }).value).toEqual({ a: M, b: 12345 })
    const raw = Result.getOrThrow(numeric.cleanRaw('{"a":1.0,"b":123456789012345,"c":1234567890123451}'))
    expect(raw.line.text).toBe(`{"a":1.0,"b":"${M}","c":"${M}"}`)
  })
})

describe("a marker", () => {
  test("is never redacted, and what touches it is", () => {
    const edges = makeRedactor({ environment: { A_KEY: "abcdefg1[x", B_KEY: "y]ijklmno2", C_KEY: "REDACTED:" } })
    expect(edges.redactText("abcdefg1[x[REDACTED]y]ijklmno2").text).toBe(`${M}[REDACTED]${M}`)
    expect(edges.skipped).toEqual([{ name: "C_KEY", reason: "marker" }])
  })

  test("of an unknown kind shields nothing", () => {
    const hidden = makeRedactor({ environment: { A_KEY: "q1w2e3r4t5" } })
    expect(hidden.redactText("[REDACTED:q1w2e3r4t5]").text).toBe(`[REDACTED:${M}]`)
  })

  test("is told apart from prose", () => {
    expect(hasMarker("a [REDACTED] b")).toBe(true)
    expect(hasMarker(`x${M}`)).toBe(true)
    expect(hasMarker("[redacted] [REDACTED: x] REDACTED [REDACTED")).toBe(false)
  })
})

describe("a value", () => {
  test("without a finding is the same reference, and so is every part of it", () => {
    const clean: Json = { a: [1, { b: "text" }], c: null }
    expect(known.redactValue(clean)).toEqual({ value: clean, edit: undefined, findings: [] })
    expect(known.redactValue(clean).value).toBe(clean)
    const part = { b: "text" }
    expect((known.redactValue({ part, secret: value }).value as { part: Json }).part).toBe(part)
  })

  test("is not changed itself", () => {
    const given = { a: [value] }
    known.redactValue(given)
    expect(given).toEqual({ a: [value] })
  })

  test("has findings that say where and not what", () => {
    const { findings } = known.redactValue({ list: [{ [value]: { text: `a ${value} b` } }] })
    expect(findings).toEqual([
      { kind: "environment", path: ["list", 0, M] },
      { kind: "environment", path: ["list", 0, M, "text"] },
    ])
    expect(JSON.stringify(findings)).not.toContain(value)
  })

  test("loses no member when keys become the same", () => {
    const keys = [`${value}`, `${quoted}`, M, "a"]
    const { value: result } = known.redactValue(Object.fromEntries(keys.map((key, i) => [key, i])))
    expect(result).toEqual({ [`${M}[2]`]: 0, [`${M}[3]`]: 1, [M]: 2, a: 3 })
    expect(known.redactValue(result).value).toBe(result)
    const counted = { [value]: 0, [quoted]: 1, [`${value}[2]`]: 2 }
    expect(known.redactValue(counted).value).toEqual({ [M]: 0, [`${M}[2]`]: 1, [`${M}[2][2]`]: 2 })
  })

  test("keeps the order of its members and __proto__ as a member", () => {
    const given = JSON.parse(`{"z":1,"__proto__":"${value}","${value}":2,"a":3}`) as Json
    expect(JSON.stringify(known.redactValue(given).value)).toBe(`{"z":1,"__proto__":"${M}","${M}":2,"a":3}`)
  })

  test("100,000 levels deep and one with a million members are walked", () => {
    let deep: Json = value
    for (let i = 0; i < 100_000; i++) deep = i % 2 === 0 ? [deep] : { a: deep }
    let inner = known.redactValue(deep).value
    for (let i = 0; i < 100_000; i++) inner = (Array.isArray(inner) ? inner[0] : (inner as { a: Json }).a) as Json
    expect(inner).toBe(M)
    const wide = Array.from({ length: 1_000_000 }, (_, i) => (i === 999_999 ? value : i))
    expect((known.redactValue(wide).value as ReadonlyArray<Json>).at(-1)).toBe(M)
  })

  test("that contains itself comes to an end", () => {
    const loop: Record<string, unknown> = { text: value }
    loop["self"] = loop
    expect(known.redactValue(loop as unknown as Json).findings.length).toBeGreaterThan(0)
  })

  test("gives an edit that fits its text as well", () => {
    const raw = `{ "a" : 1.0, "b":-0 , "t": "x ${value}", "c": [1e999, {"${value}":9007199254740993}]}`
    const { edit, value: redacted } = known.redactValue(JSON.parse(raw) as Json)
    if (edit === undefined) throw new Error("nothing was found")
    const text = applyToText(raw, edit)
    expect(text).toBe(`{ "a" : 1.0, "b":-0 , "t": "x ${M}", "c": [1e999, {"${M}":9007199254740993}]}`)
    expect(apply(JSON.parse(raw) as Json, edit)).toEqual(redacted)
  })
})

describe("JSON in a string", () => {
  test("still parses, its numbers, keys and escapes included", () => {
    const inner = { pin: 4821, text: `a\n"${value}"`, [value]: [quoted], deeper: JSON.stringify({ api_key: drawn(20), n: 1.5 }) }
    const { text } = known.redactText(JSON.stringify(inner))
    const back = JSON.parse(text) as { deeper: string }
    expect(back).toEqual({ pin: "[REDACTED:password]", text: `a\n"${M}"`, [M]: [M], deeper: expect.any(String) })
    expect(JSON.parse(back.deeper)).toEqual({ api_key: "[REDACTED:credential]", n: 1.5 })
  })

  test("knows the names that its lists stand under", () => {
    const hex = "a8f5f167f44f4964e6c9"
    const { text } = known.redactText(JSON.stringify({ api_keys: [hex, hex], list: [hex, { secret: [1, 4821] }], n: hex }))
    expect(JSON.parse(text)).toEqual({
      api_keys: ["[REDACTED:credential]", "[REDACTED:credential]"],
      list: [hex, { secret: [1, "[REDACTED:password]"] }],
      n: hex,
    })
  })

  test("keeps its spacing", () => {
    expect(known.redactText(`{ "a" : 1.0,\n  "b": "${value}" }`).text).toBe(`{ "a" : 1.0,\n  "b": "${M}" }`)
  })

  test("gives up being JSON before a secret that reaches over a quote", () => {
    const across = makeRedactor({ environment: { A_KEY: 'one1two2","b":"x3y4' } })
    expect(across.redactText('{"a":"one1two2","b":"x3y4"}').text).toBe(`{"a":"${M}"}`)
  })
})

describe("ids, types and times of a record", () => {
  const ids = makeRedactor({
    environment: {
      A_KEY: "9f8e7d6c",
      B_KEY: "2026-01-02T03:04:05.678Z",
      C_KEY: "model_change_x",
      D_KEY: "0a1b2c3d-0000-7000-8000-0a1b2c3d4e5f",
    },
  })
  const record = {
    type: "model_change_x",
    id: "9f8e7d6c",
    parentId: "0a1b2c3d-0000-7000-8000-0a1b2c3d4e5f",
    timestamp: "2026-01-02T03:04:05.678Z",
    t: "2026-01-02T03:04:05.678Z",
  }

  test("stay at the top", () => {
    expect(ids.redactValue(record).value).toBe(record)
    expect(Result.getOrThrow(ids.cleanRecord(record)).line.text).toBe(JSON.stringify(record))
  })

  test("go deeper down, under other keys, and in another form", () => {
    expect(ids.redactValue({ nested: record, text: "9f8e7d6c", id: "x 9f8e7d6c" }).value).toEqual({
      nested: { type: M, id: M, parentId: M, timestamp: M, t: M },
      text: M,
      id: `x ${M}`,
    })
  })

  test("can be named by the host", () => {
    const own = makeRedactor({ environment: { A_KEY: "9f8e7d6c" }, structuralKeys: new Set(["nodeId"]) })
    expect(own.redactValue({ nodeId: "9f8e7d6c", id: "9f8e7d6c" }).value).toEqual({ nodeId: "9f8e7d6c", id: M })
  })

  test("do not shield a token", () => {
    const secret = token("github-token", 36)
    expect(plain.redactValue({ id: secret, type: secret, timestamp: secret }).value).toEqual({
      id: "[REDACTED:github-token]",
      type: "[REDACTED:github-token]",
      timestamp: "[REDACTED:github-token]",
    })
  })
})
