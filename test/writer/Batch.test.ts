import { assert, describe, it } from "vitest"
import { countOf } from "../../src/writer/Batch.ts"

const waiting = (...sizes: ReadonlyArray<number>) => sizes.map((size) => ({ size }))

describe("what goes into a part", () => {
  it("is everything that waits, as long as it fits", () => {
    assert.equal(countOf(waiting(10, 10, 80), 0, { bytes: 100, records: 100 }), 3)
    assert.equal(countOf(waiting(10, 10, 81), 0, { bytes: 100, records: 100 }), 2)
    assert.equal(countOf(waiting(1, 1, 1), 0, { bytes: 100, records: 2 }), 2)
  })

  it("begins behind what is written", () => {
    assert.equal(countOf(waiting(90, 10, 10), 1, { bytes: 100, records: 100 }), 2)
    assert.equal(countOf(waiting(90), 1, { bytes: 100, records: 100 }), 0)
  })

  it("is at least one record, however large", () => {
    assert.equal(countOf(waiting(1_000, 1), 0, { bytes: 10, records: 10 }), 1)
  })

  it("never skips a record to take a later one", () => {
    assert.equal(countOf(waiting(1, 50, 1), 0, { bytes: 10, records: 10 }), 1)
  })
})
