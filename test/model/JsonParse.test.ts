import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { jsonValue } from "../../laws/arbitraries/json.ts"
import { parseJson } from "../../src/model/JsonParse.ts"
import { toText } from "../../src/model/JsonText.ts"

describe("parseJson", () => {
  // JSON.parse of V8 reads the second text with the key of the first.
  test.each([
    ['{"\\\\":1}', '{"\\r":1}', "\r"],
    ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}', '"'],
    ['{"a":0,"\\\\tb":1}', '{"a":0,"\\tbc":1}', "\tbc"],
  ])("after %s the keys of %s are its own", (first, second, key) => {
    for (let i = 0; i < 3; i++) {
      parseJson(first)
      expect(Object.keys(parseJson(second) as object).at(-1)).toBe(key)
    }
  })

  test("an escape before a quote, in a value, and behind a space does not mislead it", () => {
    expect(parseJson('{"a\\\\" : "b\\"", "c": "\\\\\\"d\\\\"}')).toEqual({ "a\\": 'b"', c: '\\"d\\' })
  })

  test("numbers, literals and a second key of the same name come out as from JSON.parse", () => {
    const text = ' { "\\n" : [ 1e999 , -0 , 1.50 , true , false , null , "x" , [ ] , { } ] , "\\u000a" : 2 } '
    expect(parseJson(text)).toStrictEqual({ "\n": 2 })
    const list = '{"\\n":[1e999,-0,1.50,true,false,null,"x",[],{}],"__proto__":{"\\t":1}}'
    expect(toText(parseJson(list))).toBe(toText(JSON.parse(list)))
    expect(Object.getPrototypeOf(parseJson(list))).toBe(Object.prototype)
  })

  test.each(["", "{", '{"\\n":}', '{"\\n":1}}', "[1,]"])("%s is refused as by JSON.parse", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  test("what was written is read, whatever was parsed before", () => {
    fc.assert(
      fc.property(jsonValue, jsonValue, (first, second) => {
        const [a, b] = [toText(first), toText([second, { "\\": first, "\r": second }])]
        expect(toText(parseJson(a))).toBe(a)
        expect(toText(parseJson(b))).toBe(b)
      }),
      { numRuns: 500 },
    )
  })

  test("a deep value with an escaped key costs no stack", () => {
    const text = `${'{"\\n":['.repeat(50_000)}1${"]}".repeat(50_000)}`
    expect(toText(parseJson(text))).toBe(text)
  })

  test("a megabyte of backslashes is read in one go", () => {
    const text = `{"\\n":"${"\\\\".repeat(500_000)}","${'\\"'.repeat(200_000)}":1}`
    expect(toText(parseJson(text))).toBe(text)
  })
})
