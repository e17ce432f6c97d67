import { expect, test } from "vitest"
import { isoTime } from "../../src/model/Stamp.ts"

test("the time of a stamp is its own, however often and in whatever order stamps are asked", () => {
  const times = [1_000, 1_000, 2_001, 1_000, 0, -1, 2_001]
  expect(times.map((at) => isoTime({ at, entropy: "" }))).toEqual(times.map((at) => new Date(at).toISOString()))
  expect(() => isoTime({ at: Number.NaN, entropy: "" })).toThrow(RangeError)
  expect(isoTime({ at: 1_000, entropy: "" })).toBe("1970-01-01T00:00:01.000Z")
})
