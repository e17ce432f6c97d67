import { assert, describe, it } from "vitest"
import type { JsonObject } from "../../src/model/Json.ts"
import { MAX_STRING_UNITS } from "../../src/model/Limits.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { cutLong, cutText, kept, lasting, NOTICE } from "../../src/tree/Sizes.ts"

const SECRET = ["hunter2", "correct", "horse"].join("-")
const redactor = makeRedactor({ environment: { API_TOKEN: SECRET } })
const redact = (value: JsonObject): JsonObject => redactor.redactValue(value).value as JsonObject

const ENDING = `\n\n${NOTICE}`

describe("a text that is too long", () => {
  it("is cut to its beginning, a blank line and the notice, together at the limit", () => {
    const cut = cutText("x".repeat(600_000))
    assert.equal(NOTICE, "[Session persistence truncated large content]")
    assert.equal(cut.length, 500_000)
    assert.equal(cut, "x".repeat(500_000 - ENDING.length) + ENDING)
  })

  it("is one of 500,001 units, and not one of 500,000", () => {
    const whole = "x".repeat(MAX_STRING_UNITS)
    assert.equal(cutText(whole), whole)
    assert.isTrue(cutText(`${whole}x`).endsWith(ENDING))
  })

  it("does not end in half a code point", () => {
    for (const lead of ["", "a"]) {
      const cut = cutText(lead + "😀".repeat(260_000))
      assert.isTrue(cut.isWellFormed())
      assert.isAtMost(cut.length, MAX_STRING_UNITS)
      assert.isAtLeast(cut.length, MAX_STRING_UNITS - 1)
    }
  })

  it("does not end in half a marker", () => {
    const marker = "[REDACTED:environment]"
    for (let shift = 0; shift <= marker.length; shift++) {
      const cut = cutText(`${"x".repeat(200 - ENDING.length - shift)}${marker}${"y".repeat(200)}`, 200)
      assert.match(cut, /^x+(\[REDACTED:environment\])?y*\n\n\[Session/)
    }
  })

  it("is cut at any depth, and keys and numbers are not", () => {
    const long = "x".repeat(300)
    const record = { type: "custom", data: { [long]: [1e300, [long], { deep: long }] } }
    const cut = cutLong(record, 200) as typeof record
    const [number, [text = ""], { deep }] = cut.data[long] as [number, [string], { deep: string }]
    assert.equal(number, 1e300)
    assert.equal(text, cutText(long, 200))
    assert.equal(deep, text)
  })

  it("takes a count of lines with it", () => {
    const content = "line\n".repeat(100)
    const record = { details: { content, lineCount: 101, other: 1 }, kept: { content: "a\nb", lineCount: 7 } }
    const { details, kept: untouched } = cutLong(record, 200) as typeof record
    assert.equal(details.lineCount, details.content.split("\n").length)
    assert.isBelow(details.lineCount, 101)
    assert.deepEqual(untouched, { content: "a\nb", lineCount: 7 })
  })
})

describe("what is worthless in part", () => {
  const base64 = "QUJD".repeat(100)
  const cases: ReadonlyArray<readonly [string, JsonObject]> = [
    ["the data of an image", { content: [{ type: "image", data: base64 }] }],
    ["an image that is mentioned", { message: { files: [{ path: "a.png", image: { type: "image", data: base64 } }] } }],
    ["the data of a document", { source: { type: "base64", media_type: "application/pdf", data: base64 } }],
    ["data with line ends", { content: [{ type: "audio", data: "QUJD\r\n".repeat(100) }] }],
    ["a data URL", { content: [{ type: "text", text: `data:text/plain;base64,${base64}` }] }],
    ["a data URL in a list", { list: [`data:text/plain;base64,${base64}`] }],
    ["a signature", { content: [{ type: "thinking", thinking: "", thinkingSignature: base64 }] }],
    ["ciphertext", { items: [{ type: "reasoning", encrypted_content: base64 }] }],
    ["arguments that must parse", { content: [{ type: "function_call", arguments: JSON.stringify({ a: base64 }) }] }],
    ["an id", { id: base64, parentId: base64, targetId: base64 }],
    ["a name in the header", { type: "session", cwd: `/${"deep/".repeat(100)}`, parentSession: `/${"deep/".repeat(100)}` }],
    ["a name in a patch to the header", { type: "header_patch", patch: { cwd: `/${"deep/".repeat(100)}` } }],
  ]
  for (const [name, record] of cases) {
    it(`is not cut: ${name}`, () => assert.equal(cutLong(record, 200), record))
  }

  it("does not make a shelter of a name", () => {
    const text = "some words ".repeat(50)
    const record = { content: [{ type: "image", data: text }], arguments: text, data: base64, note: { data: base64 }, cwd: text }
    const cut = cutLong(record, 200) as typeof record
    const all = [cut.content[0]?.data, cut.arguments, cut.data, cut.note.data, cut.cwd]
    assert.isTrue(all.every((each) => each?.endsWith(ENDING)))
  })
})

describe("what only a stream needs", () => {
  it("is left out wherever it is, but not from what a model said to a tool", () => {
    const said = { partialJson: "mine", jsonlEvents: 1 }
    const record = {
      partialJson: "{",
      message: { content: [{ type: "toolCall", partialJson: "{", arguments: said }], details: { jsonlEvents: [1], left: true } },
    }
    assert.deepEqual(lasting(record), {
      message: { content: [{ type: "toolCall", arguments: said }], details: { left: true } },
    })
  })
})

describe("what is kept of a record", () => {
  it("is the same reference when nothing is large", () => {
    const record = { type: "message", message: { role: "user", content: SECRET } }
    assert.equal(kept(record, redact), record)
  })

  it("never has a part of a secret, wherever the cut falls", () => {
    const filler = "word ".repeat(200)
    for (let at = 0; at < 120; at++) {
      const text = `${filler.slice(0, 300 - at)} ${SECRET} ${filler}`
      const { content } = kept({ content: text, other: SECRET }, redact, 300) as { content: string }
      assert.notMatch(content, /hunter|orrect|horse/, `${at}`)
      assert.isAtMost(content.length, 300)
      assert.equal(redactor.redactText(content).text, content)
    }
  })

  it("is cut when only its redaction makes it too long", () => {
    const pins = JSON.stringify({ pin: Array.from({ length: 20 }, () => 1234) })
    assert.isBelow(pins.length, 300)
    const { content } = kept({ content: pins }, redact, 300) as { content: string }
    assert.isAtMost(redactor.redactText(content).text.length, 300)
    assert.isTrue(content.endsWith(ENDING))
  })

  it("is kept once: what was cut is not cut again", () => {
    const once = kept({ content: "word ".repeat(200) }, redact, 300)
    assert.equal(kept(once, redact, 300), once)
  })
})
