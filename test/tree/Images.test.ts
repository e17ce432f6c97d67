import { assert, describe, it } from "vitest"
import { imagesIn, mapImages } from "../../src/tree/Images.ts"

const url = "data:image/png;base64,QUJD"

describe("the images of a record", () => {
  it("are blocks of content and image URLs, at any depth", () => {
    const record = {
      type: "message",
      message: {
        content: [
          { type: "image", data: "one" },
          { type: "tool_result", content: [{ type: "image", data: "two" }] },
          { type: "input_image", image_url: url },
          { type: "image_url", image_url: { url, detail: "low" } },
        ],
      },
    }
    assert.deepEqual(imagesIn(record), [
      { form: "base64", text: "one" },
      { form: "base64", text: "two" },
      { form: "data-url", text: url },
      { form: "data-url", text: url },
    ])
  })

  it("are nothing that only looks like one", () => {
    const ref = `blob:sha256:${"a".repeat(64)}`
    assert.deepEqual(imagesIn({ content: ref, text: ref, data: ref, files: [{ type: "image", data: ref }] }), [])
    assert.deepEqual(imagesIn({ content: [{ type: "text", data: ref }, { type: "image", text: ref }, ref] }), [])
    assert.deepEqual(imagesIn({ content: [{ type: "image", data: 5 }], image_url: null, url: ref }), [])
  })

  it("are replaced in a copy that shares the rest", () => {
    const record = { a: { b: 1 }, content: [{ type: "text" }, { type: "image", data: "x", __proto__: null }] }
    const changed = mapImages(record as never, () => "y") as unknown as typeof record
    assert.equal(changed.a, record.a)
    assert.equal(changed.content[0], record.content[0])
    assert.equal(changed.content[1]?.data, "y")
    assert.equal(record.content[1]?.data, "x")
    assert.equal(
      mapImages(record as never, ({ text }) => text),
      record as never,
    )
  })
})
