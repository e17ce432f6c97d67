import { describe, expect, test } from "vitest"
import { EXEMPT_PLACES, OPEN_PLACES } from "../../laws/arbitraries/ciphertext.ts"
import type { Json } from "../../src/model/Json.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { drawn, plain, token } from "./Samples.ts"

const key = token("anthropic-key", 60)
const redacted = "[REDACTED:anthropic-key]"

test.each(EXEMPT_PLACES.map((place) => [place.name, place] as const))("ciphertext stays: %s", (_, { put }) => {
  const record = put(`${drawn(20)}/${key}`)
  expect(plain.redactValue(record).value).toBe(record)
})

test.each(OPEN_PLACES.map((place) => [place.name, place] as const))(
  "the same member elsewhere shields nothing: %s",
  (_, { put }) => {
    expect(JSON.stringify(plain.redactValue(put(key)).value)).toBe(JSON.stringify(put(redacted)))
  },
)

describe("an exempt place", () => {
  const thinking = (signature: Json, more: object = {}): Json => ({
    message: { role: "assistant", content: [{ type: "thinking", thinking: "t", signature, ...more }] },
  })

  test.each([
    ["too short", token("anthropic-key", 12)],
    ["with a space", `${key} ${drawn(40)}`],
    ["with a full stop", `${drawn(40)}.${key}`],
    ["JSON", JSON.stringify({ id: key })],
  ])("holds ciphertext only: %s", (_, text) => {
    expect(JSON.stringify(plain.redactValue(thinking(text)).value)).not.toContain(key.slice(0, 19))
  })

  test("does not shield a value of the environment", () => {
    const secret = drawn(16)
    const known = makeRedactor({ environment: { A_KEY: secret } })
    const signature = `${"Ab0".repeat(12)}${secret}${"Cd1".repeat(12)}`
    expect(JSON.stringify(known.redactValue(thinking(signature)).value)).not.toContain(secret)
  })

  test("does not shield what stands beside it", () => {
    expect(plain.redactValue(thinking(drawn(40), { text: key, thinking: `see ${key}` })).value).toEqual(
      thinking(drawn(40), { text: redacted, thinking: `see ${redacted}` }),
    )
  })

  test("may hold something short that is clean, as older files do", () => {
    const record = thinking("c2ln")
    expect(plain.redactValue(record).value).toBe(record)
  })
})
