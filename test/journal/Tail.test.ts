import { describe, expect, test } from "vitest"
import { bytesOf } from "../../laws/arbitraries/bytes.ts"
import { read } from "../../laws/Reading.ts"
import { planTail } from "../../src/journal/Tail.ts"

const planFor = (text: string | Uint8Array, isSession = true) =>
  planTail(read([typeof text === "string" ? bytesOf(text) : text]).summary, isSession)

const cut = (from: number, to: number, kind: string, addNewline = false, line = 2) => ({
  _tag: "CutTail",
  from,
  to,
  line,
  kind,
  addNewline,
})

describe("planTail", () => {
  test.each(["", "{}\n", "{}\r\n", "{}\n\n \n", "oops\n", '{"torn\n\n', "{}{}\n", "null\n"])("%j is ready", (text) => {
    expect(planFor(text)).toEqual({ _tag: "Ready" })
  })

  test.each(["{}", "{}\n{}", "{} ", "{}\n ", "{}{}", "oops\n{}"])("%j lacks a newline", (text) => {
    expect(planFor(text)).toEqual({ _tag: "AddNewline", at: text.length })
  })

  test("a torn tail is cut where its line begins", () => {
    expect(planFor('{}\n{"a":')).toEqual(cut(3, 8, "torn-tail"))
    expect(planFor('{}\n  {"a":')).toEqual(cut(3, 10, "torn-tail"))
    expect(planFor("{}\n42 ")).toEqual(cut(3, 6, "torn-tail"))
    expect(planFor('{"a":')).toEqual(cut(0, 5, "torn-tail", false, 1))
  })

  test("behind a whole record on its line it is cut there, and the record gets its newline", () => {
    expect(planFor('{}\n{}{"a":')).toEqual(cut(5, 10, "torn-tail", true))
    expect(planFor("{}\n{}\0\0")).toEqual(cut(5, 7, "nul-run", true))
    expect(planFor("{}\n{} \0\0")).toEqual(cut(6, 8, "nul-run", true))
  })

  test("NULs at the end go with the torn bytes before them, as far as they touch", () => {
    expect(planFor("{}\n\0\0")).toEqual(cut(3, 5, "nul-run"))
    expect(planFor('{}\n{"a\0\0')).toEqual(cut(3, 8, "torn-tail"))
    expect(planFor('{}\n{"a\0b\0\0c')).toEqual(cut(3, 11, "not-json"))
    expect(planFor("{}\noops\n\0")).toEqual(cut(8, 9, "nul-run", false, 3))
  })

  test("a line with NULs goes although it has its newline, and what stands behind it and is no record", () => {
    expect(planFor("{}\0\n")).toEqual(cut(2, 4, "nul-run", true, 1))
    expect(planFor("\0\0\n")).toEqual(cut(0, 3, "nul-run", false, 1))
    expect(planFor('{}\n{"a\0\0\n\n')).toEqual(cut(3, 10, "not-json"))
    expect(planFor('{}\n\0\0a"}\n')).toEqual(cut(3, 9, "nul-run"))
    expect(planFor('{}\n{"a\0b"}\n\0\0\n{"a')).toEqual(cut(3, 17, "not-json"))
    expect(planFor("{}\n\0\n{}\n")).toEqual({ _tag: "Ready" })
    expect(planFor("{}\n\0\noops\noops\n")).toEqual({ _tag: "Ready" })
  })

  test("damage in the middle is not touched", () => {
    expect(planFor('{}\n{"lost{}\n\0\n{}\n{"a')).toEqual(cut(17, 20, "torn-tail", false, 5))
    expect(planFor('{"type":"x","t":"lost{"type":"x","t":"y"}')).toEqual({ _tag: "AddNewline", at: 41 })
  })

  test("a line that is too long or too deep may be whole: it gets a newline", () => {
    const deep = `{}\n${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`
    expect(planFor(deep)).toEqual({ _tag: "AddNewline", at: deep.length })
    const long = read([bytesOf(`{}\n${"x".repeat(100)}`)], { maxLineBytes: 50 }).summary
    expect(planTail(long, true)).toEqual({ _tag: "AddNewline", at: 103 })
    const nuls = read([bytesOf(`{}\n${"x".repeat(100)}\0`)], { maxLineBytes: 50 }).summary
    expect(planTail(nuls, true)).toEqual(cut(103, 104, "nul-run", true))
  })

  test("nothing is written to a file that is no session, nor to UTF-16", () => {
    for (const text of ["{}\n", '{"a', "\0"]) expect(planFor(text, false)).toEqual({ _tag: "Refuse", reason: "not-a-session" })
    const utf16 = new Uint8Array(Buffer.from('{"a":1}\n', "utf16le"))
    expect(planFor(utf16)).toEqual({ _tag: "Refuse", reason: "utf-16" })
    expect(planFor("", false)).toEqual({ _tag: "Ready" })
  })
})
