/** Images as a host hands them over, and texts that are too long to be kept: the sizes at which the rules change, and those around them. */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { MAX_STRING_UNITS, MIN_BLOB_UNITS } from "../../src/model/Limits.ts"

/** Bytes that look like nothing in particular, from a seed. */
export const bytesFrom = (seed: number, length: number): Uint8Array => {
  let state = seed >>> 0
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

const base64 = fc
  .tuple(fc.nat({ max: 5 }), fc.oneof(fc.constantFrom(765, 766, 767, 768, 769, 770), fc.integer({ min: 1, max: 3_000 })))
  .map(([seed, length]) => Buffer.from(bytesFrom(seed, length)).toString("base64"))

/** Base64 that decoding and encoding would not give back: it must stay in its line. */
const odd = base64.chain((text) =>
  fc.constantFrom(`${text.slice(0, 40)}\n${text.slice(40)}`, text.replaceAll("+", "-"), `${text}=`),
)

const inBlock = (data: string): JsonObject => ({ type: "image", mimeType: "image/png", data })

const inUrl = (data: string): Json => `data:image/png;base64,${data}`

/** A block of a message with an image in it, in each of the places that count. */
const block: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: base64 }, { weight: 1, arbitrary: odd }),
    fc.constantFrom("block", "url", "object", "nested"),
  )
  .map(([data, place]) => {
    switch (place) {
      case "url":
        return { type: "input_image", image_url: inUrl(data) }
      case "object":
        return { type: "image_url", image_url: { url: inUrl(data), detail: "low" } }
      case "nested":
        return { type: "tool_result", content: [{ type: "text", text: "see" }, inBlock(data)] }
      default:
        return inBlock(data)
    }
  })

/** A message with up to three images. */
export const pictured: fc.Arbitrary<JsonObject> = fc
  .array(block, { minLength: 1, maxLength: 3 })
  .map((content) => ({ role: "user", content: [{ type: "text", text: "look" }, ...content] }))

/** Whether a text is base64 that is worth a blob. */
export const isWorthABlob = (text: string): boolean =>
  text.length >= MIN_BLOB_UNITS && Buffer.from(text, "base64").toString("base64") === text

/** A text around the longest that is kept, as it is described: the text itself would fill a report. */
export interface Long {
  readonly unit: string
  /** Its length in UTF-16 units. */
  readonly units: number
  /** How many units before the limit the secret in it ends. Negative: it ends behind the limit. */
  readonly before: number
}

export const long: fc.Arbitrary<Long> = fc.record({
  unit: fc.constantFrom("word ", "line\n", "😀", '{"a":"b"},', "한글 "),
  units: fc.oneof(
    fc.constantFrom(MAX_STRING_UNITS - 1, MAX_STRING_UNITS, MAX_STRING_UNITS + 1),
    fc.integer({ min: MAX_STRING_UNITS + 2, max: MAX_STRING_UNITS + 2_000 }),
  ),
  before: fc.integer({ min: -10, max: 120 }),
})

/** The text, with the secret in it. */
export const textOf = ({ unit, units, before }: Long, secret: string): string => {
  const filler = unit.repeat(Math.ceil(units / unit.length)).slice(0, units)
  const at = MAX_STRING_UNITS - before - secret.length
  return `${filler.slice(0, at)} ${secret} ${filler.slice(at + secret.length + 2)}`.toWellFormed()
}
