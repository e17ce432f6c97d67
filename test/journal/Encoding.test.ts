import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { bytesOf, concat } from "../../laws/arbitraries/bytes.ts"
import { decode, decodeStrictly, hasBom, isUtf16, notUtf8 } from "../../src/journal/Encoding.ts"

const bytes = (...values: ReadonlyArray<number>): Uint8Array => new Uint8Array(values)
const replaced = (found: Uint8Array): Uint8Array => bytesOf(decode(found))

describe("notUtf8", () => {
  test.each([
    ["a lone continuation byte", bytes(0x61, 0x80, 0x61), 1, 2],
    ["a lead byte at the end", bytes(0x61, 0xc3), 1, 2],
    ["two of three bytes", bytes(0xe2, 0x80, 0x61), 0, 2],
    ["three of four bytes", bytes(0xf0, 0x9f, 0x8c, 0x61), 0, 3],
    ["an overlong slash", bytes(0xc0, 0xaf), 0, 2],
    ["half of a surrogate pair", bytes(0xed, 0xa0, 0x80), 0, 3],
    ["beyond the last character", bytes(0xf4, 0x90, 0x80, 0x80), 0, 4],
    ["two stretches and what is between", bytes(0xff, 0x61, 0xff), 0, 3],
  ])("%s", (_, found, start, end) => {
    expect(notUtf8(found, 0, found.length)).toEqual({ start, end })
    expect(decodeStrictly(found)).toBeUndefined()
  })

  test("agrees with the decoder about any bytes, and what it finds can be decoded by itself", () => {
    const pieces = fc.oneof(fc.uint8Array({ maxLength: 5 }), fc.string({ unit: "binary", maxLength: 4 }).map(bytesOf))
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }).map(concat), (found) => {
        const bad = notUtf8(found, 0, found.length)
        expect(bad === undefined).toBe(decodeStrictly(found) !== undefined)
        if (bad === undefined) return
        const parts = [found.subarray(0, bad.start), replaced(found.subarray(bad.start, bad.end)), found.subarray(bad.end)]
        expect(decodeStrictly(concat(parts))).toBe(decode(found))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe("byte order marks", () => {
  test("of UTF-8 are told, and no decoder takes one away", () => {
    expect(hasBom(bytesOf("\ufeffa"))).toBe(true)
    expect(hasBom(bytes(0xef, 0xbb))).toBe(false)
    expect(decode(bytesOf("\ufeffa"))).toBe("\ufeffa")
    expect(decodeStrictly(bytesOf("\ufeffa"))).toBe("\ufeffa")
  })

  test("of UTF-16 are told, and UTF-16 without one", () => {
    expect(isUtf16(bytes(0xff, 0xfe))).toBe(true)
    expect(isUtf16(bytes(0xfe, 0xff))).toBe(true)
    expect(isUtf16(Buffer.from('{"a":', "utf16le"))).toBe(true)
    expect(isUtf16(Buffer.from('{"a":', "utf16le").swap16())).toBe(true)
  })

  test("NULs that are a hole are no UTF-16", () => {
    expect(isUtf16(bytes())).toBe(false)
    expect(isUtf16(new Uint8Array(64))).toBe(false)
    expect(isUtf16(bytes(0x7b, 0, 0x22, 0))).toBe(false)
    expect(isUtf16(bytes(0x7b, 0, 0, 0, 0, 0, 0, 0))).toBe(false)
    expect(isUtf16(bytesOf('{"type":"x"}'))).toBe(false)
  })
})
