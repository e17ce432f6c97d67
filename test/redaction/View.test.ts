import { describe, expect, test } from "vitest"
import { escapesDecoded, percentDecoded, plainView, unescaped } from "../../src/redaction/View.ts"

/** Each character of the view with the stretch of the text that it came from. */
const stretches = (view: ReturnType<typeof unescaped>, text: string) =>
  Array.from({ length: view?.text.length ?? 0 }, (_, i) => {
    const [start, end] = view?.toOriginal(i, i + 1) ?? [0, 0]
    return [view?.text[i], text.slice(start, end)]
  })

describe("escapes", () => {
  test("every character knows the whole escape that it came from", () => {
    const text = 'a\\n\\u00e9\\"b\\\\'
    const view = unescaped(plainView(text))
    expect(view?.text).toBe('a\n\u00e9"b\\')
    expect(stretches(view, text)).toEqual([
      ["a", "a"],
      ["\n", "\\n"],
      ["\u00e9", "\\u00e9"],
      ['"', '\\"'],
      ["b", "b"],
      ["\\", "\\\\"],
    ])
  })

  test("what is no escape stays", () => {
    expect(unescaped(plainView("C:\\dir \\d+ \\u12g4 \\"))).toBeUndefined()
    expect(unescaped(plainView("\\d\\n"))?.text).toBe("\\d\n")
    expect(unescaped(plainView("nothing"))).toBeUndefined()
  })

  test("are followed through two levels", () => {
    const text = 'x \\\\\\"y\\\\\\" z'
    const once = unescaped(plainView(text))
    if (once === undefined) throw new Error("no view")
    const twice = unescaped(once)
    expect(twice?.text).toBe('x "y" z')
    expect(twice?.toOriginal(2, 5)).toEqual([2, 11])
  })

  test("of a whole token are decoded as JSON does it", () => {
    for (const value of [
      "",
      "plain",
      'a"b\\c\n\u0000é漢🌿\ud800',
      "x".repeat(5_000),
      `${"y".repeat(5_000)}\n${"z".repeat(5_000)}`,
    ]) {
      expect(escapesDecoded(JSON.stringify(value).slice(1, -1)).text).toBe(value)
    }
  })
})

describe("percent-encoding", () => {
  test.each(["é漢🌿", "a b&c=d/e?f", "%", "\u0000\u007f", "plain"])("of %j is decoded as encodeURIComponent made it", (value) => {
    const encoded = encodeURIComponent(value)
    expect(percentDecoded(plainView(encoded))?.text ?? encoded).toBe(value)
  })

  test("that stands for nothing stays", () => {
    for (const text of ["100%", "%zz", "%F0%9F%8C", "%C0%80", "%F5%80%80%80", "%F4%90%80%80", "%80", "%E4%B8"]) {
      expect(percentDecoded(plainView(text))?.text ?? text).toBe(text)
    }
  })

  test("every half of a character knows the whole sequence", () => {
    const text = "a%F0%9F%8C%BFb"
    expect(stretches(percentDecoded(plainView(text)), text)).toEqual([
      ["a", "a"],
      ["\ud83c", "%F0%9F%8C%BF"],
      ["\udf3f", "%F0%9F%8C%BF"],
      ["b", "b"],
    ])
  })
})

test("a view leaves out what is far from everything that was decoded", () => {
  const far = "word ".repeat(1_000)
  const text = `${far}a\\nb ${far}c\\td ${far}`
  const view = unescaped(plainView(text))
  expect(view?.text).toContain("a\nb word")
  expect(view?.text).toContain("c\td word")
  expect(view?.text.length).toBeLessThan(2_000)
  const at = view?.text.indexOf("c\td") ?? 0
  const [start, end] = view?.toOriginal(at, at + 3) ?? [0, 0]
  expect(text.slice(start, end)).toBe("c\\td")
})

test("a view keeps a word whole, however long", () => {
  const word = "w".repeat(3_000)
  const text = `far away ${"x ".repeat(400)}${word}\\n${word} ${"y ".repeat(400)}`
  expect(unescaped(plainView(text))?.text).toContain(`${word}\n${word}`)
})
