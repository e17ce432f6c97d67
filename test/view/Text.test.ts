import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { lines, oneLine, visible } from "../../src/view/Escape.ts"
import { cell, grid } from "../../src/view/Grid.ts"
import { bytes, count, dollars, duration, integer, moment, tokens } from "../../src/view/Quantity.ts"
import { coloured, plain } from "../../src/view/Style.ts"
import { cut, fill, fillLeft, width } from "../../src/view/Width.ts"

const text = fc.string({ unit: "binary", maxLength: 60 })

/** Everything that a terminal could obey, that reorders text or that ends a line. */
const ACTIVE =
  /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

describe("escaping", () => {
  test("leaves nothing active in any text", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(oneLine(value)).not.toMatch(ACTIVE)
        expect(visible(value)).not.toMatch(ACTIVE)
        for (const line of lines(value)) expect(line).not.toMatch(ACTIVE)
      }),
    )
  })

  test("leaves no single character active", () => {
    for (let code = 0; code < 0x10000; code++) {
      const value = `a${String.fromCharCode(code)}b`
      if (ACTIVE.test(oneLine(value)) || ACTIVE.test(visible(value)) || ACTIVE.test(lines(value).join("")))
        expect(code).toBe(undefined)
    }
  })

  test("leaves ordinary text as it is", () => {
    expect(oneLine("Grüße, 日本 👨‍👩‍👧 e\u0301")).toBe("Grüße, 日本 👨‍👩‍👧 e\u0301")
    expect(oneLine("  a \n\n\t b  ")).toBe("a b")
    expect(lines("a\r\nb\rc\n\td")).toEqual(["a", "b", "c", "  d"])
    expect(visible("/a b/c.jsonl")).toBe("/a b/c.jsonl")
  })

  test("writes out what is active", () => {
    expect(visible("\u001b[2J\n\u202e\ud800")).toBe("\\x1b[2J\\n\\u202e\ufffd")
  })
})

describe("width", () => {
  test("counts columns, not characters", () => {
    expect(["", "abc", "é", "e\u0301", "日本", "🌿", "👨‍👩‍👧", "│╭"].map(width)).toEqual([0, 3, 1, 1, 4, 2, 2, 2])
  })

  test("cuts to at most so many columns and says that it did", () => {
    fc.assert(
      fc.property(text.map(oneLine), fc.integer({ min: 1, max: 40 }), (value, limit) => {
        const short = cut(value, limit)
        expect(width(short)).toBeLessThanOrEqual(limit)
        expect(short === value || short.endsWith("…")).toBe(true)
      }),
    )
    expect([cut("hello world", 8), cut("日本語日本語", 7), cut("abc", 3), cut("abc", 0)]).toEqual([
      "hello w…",
      "日本語…",
      "abc",
      "",
    ])
    expect(cut("x".repeat(10_000_000), 5)).toBe("xxxx…")
  })

  test("fills to so many columns", () => {
    expect([fill("日", 4), fillLeft("日", 4), fill("long", 2)]).toEqual(["日  ", "  日", "long"])
  })
})

test("a grid aligns its columns, whatever the styles", () => {
  const rows = [
    [cell("a"), cell("1"), cell("x", coloured.red)],
    [cell("日本", coloured.bold), cell("100", coloured.dim), cell("y")],
  ]
  const lines = grid(rows, [1])
  expect(lines.map((line) => line.replace(/\u001b\[\d+m/g, ""))).toEqual(["a       1  x", "日本  100  y"])
  expect(grid([[cell("a"), cell("")]])).toEqual(["a"])
})

test("quantities are written as people read them", () => {
  expect([0, 999, 1_000, 1_234_567].map(integer)).toEqual(["0", "999", "1,000", "1,234,567"])
  expect([count(1, "entry", "entries"), count(2, "entry", "entries"), count(0, "file")]).toEqual([
    "1 entry",
    "2 entries",
    "0 files",
  ])
  expect([0, 1, 999, 1_000, 9_949, 9_951, 946_067, 999_499, 999_500, 2_369_007, 5e15].map(bytes)).toEqual([
    "0 bytes",
    "1 byte",
    "999 bytes",
    "1.0 KB",
    "9.9 KB",
    "10 KB",
    "946 KB",
    "999 KB",
    "1.0 MB",
    "2.4 MB",
    "5000 TB",
  ])
  expect([950, 12_400, 999_949, 999_950, 3_100_000].map(tokens)).toEqual(["950", "12.4k", "999.9k", "1.0M", "3.1M"])
  expect([0, 0.0042, 0.01, 12.345, 12_345.6].map(dollars)).toEqual(["$0.00", "$0.0042", "$0.01", "$12.35", "$12,345.60"])
  expect([0.4, 38, 999.6, 1_200, 250_000, 18_720_000, 273_600_000, 3_600_000].map(duration)).toEqual([
    "0.4 ms",
    "38 ms",
    "1.0 s",
    "1.2 s",
    "4 min 10 s",
    "5 h 12 min",
    "3 d 4 h",
    "1 h",
  ])
  expect([moment("2025-12-17T19:39:21.535Z"), moment("x")]).toEqual(["2025-12-17 19:39 UTC", undefined])
})

test("a style without colour is the text itself", () => {
  for (const style of Object.values(plain)) expect(style("x")).toBe("x")
  expect(coloured.red("x")).toBe("\u001b[31mx\u001b[39m")
  expect(coloured.red("")).toBe("")
})
