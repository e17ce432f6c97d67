import { assert, describe, it } from "vitest"
import { digestOf, formatBlobRef, parseBlobRef } from "../../src/blob/BlobRef.ts"

const DIGEST = "0123456789abcdef".repeat(4)

describe("a reference to a blob", () => {
  it("is the prefix and 64 lower-case hex digits", () => {
    const ref = parseBlobRef(`blob:sha256:${DIGEST}`)
    assert.equal(ref, `blob:sha256:${DIGEST}`)
    assert.equal(ref === undefined ? "" : digestOf(ref), DIGEST)
    assert.equal(formatBlobRef(DIGEST), ref)
  })

  for (const text of [
    "",
    "blob:sha256:",
    DIGEST,
    `blob:sha256:${DIGEST.toUpperCase()}`,
    `blob:sha256:${DIGEST.slice(1)}`,
    `blob:sha256:${DIGEST}0`,
    `blob:sha256:${DIGEST}\n`,
    `blob:sha256:${DIGEST.slice(1)}\n`,
    ` blob:sha256:${DIGEST}`,
    "blob:sha256:../../../../etc/passwd",
    `blob:sha256:../${DIGEST.slice(3)}`,
    `blob:sha512:${DIGEST}`,
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => assert.isUndefined(parseBlobRef(text)))
  }

  it("is not made of anything but a digest", () => {
    assert.throws(() => formatBlobRef("../x"), TypeError)
  })
})
