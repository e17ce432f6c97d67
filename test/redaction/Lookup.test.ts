import { describe, expect, test } from "vitest"
import { Lookup } from "../../src/redaction/Lookup.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"

const LEARNED = "ab1cd2ef3gh4ij5kl6"
const ADDED = "zq7Rz2KbX9mTw4LcV8nYs3"

describe("a lookup that goes on from another", () => {
  test("has the tables of that one until a value is added to it, and its own from then on", () => {
    const first = new Lookup()
    first.add("value-of-all-1", "environment", 0)
    const [second, third] = [new Lookup(first), new Lookup(first)]
    first.add("value-of-all-2", "environment", 0)
    expect(second.add("value-of-all-2", "environment", 0)).toBe(false)
    expect([second.isShared, second.all === first.all]).toEqual([true, true])
    expect(second.add("value-of-one-3", "environment", 0)).toBe(true)
    expect([second.isShared, second.all === first.all, third.all === first.all]).toEqual([false, false, true])
    const kinds = (lookup: Lookup, text: string) =>
      lookup.known.anchorsAt(text, 0).filter((anchor) => anchor.text === text).length
    for (const text of ["value-of-all-1", "value-of-all-2"])
      expect([first, second, third].map((one) => kinds(one, text))).toEqual([1, 1, 1])
    expect([first, second, third].map((one) => kinds(one, "value-of-one-3"))).toEqual([0, 1, 0])
  })
})

describe("sessions that share what is looked for", () => {
  const redactor = makeRedactor({ environment: { API_KEY: "environment-value-9" } })
  const [one, other] = [redactor.follow(), redactor.follow()]
  const lines = (text: string) =>
    [redactor, one, other].map((each) => JSON.stringify(each.redactValue({ [text]: 1, note: `so ${text} it is` }).value))

  test("do not share what one of them has learned", () => {
    one.redactValue({ api_key: LEARNED })
    expect(lines(LEARNED).map((line) => line.includes(LEARNED))).toEqual([true, false, true])
  })

  test("all take out what is added later, from keys too that were clean before", () => {
    expect(lines(ADDED).every((line) => line.includes(ADDED))).toBe(true)
    redactor.addSecret(ADDED)
    for (const line of lines(ADDED).toReversed()) expect(line).not.toContain(ADDED)
    for (const line of lines(ADDED.slice(2))) expect(line).not.toContain(ADDED.slice(4))
    expect(redactor.follow().redactText(ADDED).text).toBe("[REDACTED:registered]")
  })

  test("take out the values of the environment", () => {
    for (const line of lines("environment-value-9")) expect(line).not.toContain("environment-value-9")
  })
})
