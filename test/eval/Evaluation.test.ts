/** The evaluation is evaluated: it can fail in every cell, its keys are real, and a seed determines its cases. */
import { assert, describe, it } from "vitest"
import { CONTEXTS } from "./Contexts.ts"
import { isExposed } from "./Exposure.ts"
import { FORMATS } from "./Formats.ts"
import { isReadable } from "./RealKeys.ts"
import { isCovered, makeCase, Recall, share } from "./Recall.ts"
import { base62Checksum, Seeded } from "./Seeded.ts"

describe("the evaluation of redaction", () => {
  it("sees every secret in every place where nothing was redacted", () => {
    const unseen: Array<string> = []
    for (const format of FORMATS) {
      for (const context of CONTEXTS) {
        if (context.cut !== "whole") continue
        const { placed, sample } = makeCase("seen", format, context, 0)
        if (
          !isExposed(
            placed.records.map((record) => JSON.stringify(record)),
            sample.bodies,
          )
        )
          unseen.push(`${format.id} in ${context.name}`)
      }
    }
    assert.deepEqual(unseen, [])
  })

  it("sees twelve characters in a row, and not eleven", () => {
    const body = "k3J9x2LmQ8vT5wZr7Yp4"
    assert.isTrue(isExposed([`a ${body.slice(3, 15)} b`], [body]))
    assert.isFalse(isExposed([`a ${body.slice(3, 14)} b`], [body]))
    assert.isTrue(isExposed([`a ${Buffer.from(`xy${body}`).toString("base64").slice(5)} b`], [body]))
    assert.isTrue(isExposed([encodeURIComponent(JSON.stringify(JSON.stringify(`\n${body}`)))], [body]))
    assert.isTrue(isExposed(["pin 4711"], ["4711"]))
    assert.isFalse(isExposed(["pin 471"], ["4711"]))
  })

  it("has no two formats and no two places of one name", () => {
    for (const names of [FORMATS.map(({ id }) => id), CONTEXTS.map(({ name }) => name)])
      assert.lengthOf([...new Set(names)], names.length)
    assert.lengthOf(
      CONTEXTS.filter(({ cut }) => cut === "whole"),
      24,
    )
    assert.isAtLeast(FORMATS.length, 200)
  })

  it("makes the same case for the same seed, whichever were made before", () => {
    for (const format of FORMATS.filter(({ source }) => source !== "real")) {
      const [context] = CONTEXTS
      if (context === undefined) throw new Error("No context.")
      assert.deepEqual(makeCase("1", format, context, 3).sample, makeCase("1", format, context, 3).sample)
      assert.notDeepEqual(makeCase("1", format, context, 3).sample, makeCase("2", format, context, 3).sample)
    }
  })

  it("makes keys that can be read, and checksums that are right", () => {
    const readable = FORMATS.filter(({ id }) => /^pem .*(?<!encrypted)$/.test(id))
    assert.isAtLeast(readable.length, 5)
    for (const format of readable) assert.isTrue(isReadable(format.make(new Seeded("key")).text), format.id)
    assert.equal(base62Checksum("zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ"), "0mLq17")
  })

  it("counts what is covered, by format and by place", () => {
    const recall = new Recall()
    const [format, other] = FORMATS
    const [context] = CONTEXTS
    if (format === undefined || other === undefined || context === undefined) throw new Error("Nothing to count.")
    for (const isHit of [true, true, false, true]) recall.add(format, context, isHit)
    recall.add(other, context, false)
    assert.equal(share(recall.over((each) => each === format)), 0.75)
    assert.deepEqual(
      recall.over(() => true),
      { cases: 5, covered: 3 },
    )
    assert.isTrue(isCovered(makeCase("1", format, context, 0)))
  })
})
