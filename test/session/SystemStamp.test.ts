import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { systemStamp } from "../../src/session/SystemStamp.ts"

describe("systemStamp", () => {
  it("gives each stamp sixteen bytes of its own, also past what is drawn at once", () => {
    const found = Array.from({ length: 2_000 }, () => Effect.runSync(systemStamp).entropy)
    assert.equal(new Set(found).size, found.length)
    for (const entropy of found) assert.match(entropy, /^[0-9a-f]{32}$/)
    // No half of one is a half of another.
    assert.equal(new Set(found.flatMap((each) => [each.slice(0, 16), each.slice(16)])).size, 2 * found.length)
  })
})
