import { assert, describe, it } from "vitest"
import { share } from "../../src/writer/Batch.ts"

const file = (...sizes: ReadonlyArray<number>) => ({ sizes })

describe("what goes into a batch", () => {
  it("is everything, as long as it fits", () => {
    assert.deepEqual(share([file(10, 10), file(), file(5)], { bytes: 100, records: 100 }), [2, 0, 1])
  })

  it("is at least one record, however large", () => {
    assert.deepEqual(share([file(1_000, 1)], { bytes: 10, records: 10 }), [1])
  })

  it("lets files take turns, so that a busy one does not starve another", () => {
    assert.deepEqual(share([file(1, 1, 1, 1, 1), file(1, 1)], { bytes: 100, records: 4 }), [2, 2])
  })

  it("never skips a record to take a later one of the same file", () => {
    assert.deepEqual(share([file(1, 50, 1)], { bytes: 10, records: 10 }), [1])
  })
})
