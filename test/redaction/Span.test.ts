import { describe, expect, test } from "vitest"
import { covers, outsideMarkers, replace, type Span, toWholeEscapes, unite } from "../../src/redaction/Span.ts"

const span = (start: number, end: number, kind = "environment", rank = 0): Span => ({ start, end, kind, rank })
const ends = (spans: ReadonlyArray<Span>) => spans.map(({ start, end, kind }) => [start, end, kind])

describe("uniting", () => {
  test("covers the same characters in any order, and names the first or the most telling", () => {
    const spans = [span(5, 9, "jwt", 3), span(0, 6, "password", 9), span(20, 22), span(0, 3, "slack-token", 1), span(9, 12)]
    const expected = [
      [0, 9, "slack-token"],
      [9, 12, "environment"],
      [20, 22, "environment"],
    ]
    expect(ends(unite(spans))).toEqual(expected)
    expect(ends(unite(spans.toReversed()))).toEqual(expected)
  })

  test("keeps what must stand around a marker only while the span is the same", () => {
    const wrapped = { ...span(0, 4), wrap: '"' }
    expect(unite([wrapped])).toEqual([wrapped])
    expect(unite([wrapped, span(2, 6)])[0]?.wrap).toBeUndefined()
  })
})

test("markers are cut out of spans", () => {
  const text = "ab[REDACTED]cd[REDACTED:jwt]ef[REDACTED:nonsense]"
  expect(ends(outsideMarkers(text, [span(0, 5), span(8, 30), span(31, 40)]))).toEqual([
    [0, 2, "environment"],
    [12, 14, "environment"],
    [28, 30, "environment"],
    [31, 40, "environment"],
  ])
  expect(outsideMarkers(text, [span(2, 12)])).toEqual([])
})

test("one set of spans lies within another or does not", () => {
  const outer = [span(0, 5), span(10, 15)]
  expect(covers(outer, [span(1, 4), span(10, 15)])).toBe(true)
  expect(covers(outer, [])).toBe(true)
  expect(covers(outer, [span(4, 6)])).toBe(false)
  expect(covers(outer, [span(6, 8)])).toBe(false)
  expect(covers([], [span(0, 1)])).toBe(false)
})

describe("escapes", () => {
  const whole = (text: string, start: number, end: number): string =>
    replace(text, toWholeEscapes(text, [span(start, end, "jwt")])).replace("[REDACTED:jwt]", "#")

  test.each<readonly [string, number, number, string]>([
    ["a\\nsecret b", 2, 9, "a# b"],
    ["a\\\\nsecret b", 3, 10, "a\\\\# b"],
    ["a\\u00e9secret", 4, 13, "a#"],
    ["a\\u00e9secret", 7, 13, "a\\u00e9#"],
    ["secret\\n b", 0, 7, "# b"],
    ["secret\\\\ b", 0, 8, "# b"],
    ["secret\\u00e9 b", 0, 9, "# b"],
    ["secret\\", 0, 7, "#"],
    ["plain text", 0, 5, "# text"],
  ])("in %j from %i to %i are taken whole", (text, start, end, expected) => {
    expect(whole(text, start, end)).toBe(expected)
  })
})
