import { assert, describe, it } from "vitest"
import { imagesIn, mapImages, mapReferences, referencesIn } from "../../src/tree/Images.ts"

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

describe("the references of a record", () => {
  const ref = `blob:sha256:${"a".repeat(64)}`

  it("are those at the places of images, and those of image blocks under any other member", () => {
    const block = { type: "image", data: ref }
    const record = {
      content: [block, { type: "image", data: "QUJD" }, { image_url: ref }],
      details: { frames: [block, { type: "video", poster: block }] },
    }
    assert.deepEqual(
      referencesIn(record).map(({ form }) => form),
      ["base64", "data-url", "base64", "base64"],
    )
    const changed = mapReferences(record, () => "x")
    assert.deepEqual<unknown>(changed["details"], {
      frames: [
        { type: "image", data: "x" },
        { type: "video", poster: { type: "image", data: "x" } },
      ],
    })
    assert.equal(record.content[1], (changed["content"] as ReadonlyArray<object>)[1])
  })

  it("are no texts that read like one, and nothing that is not exactly one", () => {
    assert.deepEqual(referencesIn({ text: ref, data: ref, frames: [ref, { type: "video", data: ref }], type: "image" }), [])
    assert.deepEqual(
      referencesIn({
        frames: [
          { type: "image", data: `${ref}x` },
          { type: "image", text: ref },
        ],
      }),
      [],
    )
  })
})
