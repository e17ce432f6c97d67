import { crc32, deflateSync } from "node:zlib"
import { assert, describe, test } from "vitest"
import { bytesFrom } from "../../laws/arbitraries/images.ts"
import { textAmong } from "../../src/redaction/Binary.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { cleanBytes } from "../../src/session/CleanBytes.ts"
import { Oracle } from "../../src/testing.ts"

const SECRET = ["swordfish", "4711", "and", "more"].join("-")
const redactor = makeRedactor({ environment: { API_TOKEN: SECRET } })
const oracle = new Oracle([{ name: "secret", text: SECRET }])

/** One part of a picture: its length, its name, its content and their checksum. */
const part = (name: string, content: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const named = Buffer.concat([Buffer.from(name, "latin1"), content])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const picture = (note: string): Buffer =>
  Buffer.concat([
    SIGNATURE,
    part("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
    part("tEXt", Buffer.from(`Comment\u0000${note}`)),
    part("IDAT", deflateSync(Buffer.from(bytesFrom(3, 400)))),
    part("IEND", Buffer.alloc(0)),
  ])

/** Whether the checksums of all parts are right, and the parts end where the bytes do. */
const isWhole = (bytes: Buffer): boolean => {
  let at = 8
  while (at < bytes.length) {
    const end = at + 8 + bytes.readUInt32BE(at)
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return false
    at = end + 4
  }
  return at === bytes.length
}

const cleaned = (bytes: Uint8Array): Buffer => {
  const clean = cleanBytes(redactor, bytes)
  assert.isDefined(clean)
  return Buffer.from(clean)
}

describe("bytes without secrets", () => {
  test("are the same when there is none", () => {
    const bytes = picture("nothing of interest")
    assert.strictEqual(cleanBytes(redactor, bytes), bytes)
    const noise = bytesFrom(5, 20_000)
    assert.strictEqual(cleanBytes(redactor, noise), noise)
  })

  test("are a picture still: the note is written over, its checksum made anew, and every other byte stays", () => {
    const before = picture(`made with ${SECRET}`)
    const after = cleaned(before)
    assert.isTrue(isWhole(before) && isWhole(after))
    assert.lengthOf(after, before.length)
    assert.deepStrictEqual(oracle.searchBytes(after), [])
    assert.isTrue(after.equals(Buffer.concat([SIGNATURE, ...[picture("*".repeat(`made with ${SECRET}`.length)).subarray(8)]])))
  })

  test("a checksum that was wrong is mended too, and a part that claims too much ends the parts", () => {
    const before = picture(SECRET)
    before.writeUInt32BE(0xffff_fff0, before.length - 12)
    assert.deepStrictEqual(oracle.searchBytes(cleaned(before)), [])
  })

  test.each([
    ["in one byte a character", Buffer.from(SECRET)],
    ["in two bytes a character", Buffer.from(SECRET, "utf16le")],
    ["in two bytes a character, from an odd byte on", Buffer.concat([Buffer.from([0xff]), Buffer.from(SECRET, "utf16le")])],
  ])("in the description that a camera left, %s", (_, said) => {
    const before = Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe1]),
      bytesFrom(7, 601),
      said,
      Buffer.from([0, 0]),
      bytesFrom(8, 600),
    ])
    assert.isNotEmpty(oracle.searchBytes(before))
    const after = cleaned(before)
    assert.lengthOf(after, before.length)
    assert.deepStrictEqual(oracle.searchBytes(after), [])
    assert.isTrue(after.subarray(0, 600).equals(before.subarray(0, 600)))
    assert.isTrue(after.subarray(-590).equals(before.subarray(-590)))
  })

  test.each(["utf8", "utf16le"] as const)("that are a text in %s are redacted as text, whatever they are called", (encoding) => {
    const text = `# settings of the house\nAPI_TOKEN=${SECRET}\nand what follows it\n`
    const after = cleaned(Buffer.from(text, encoding)).toString(encoding)
    assert.strictEqual(after, text.replace(SECRET, "[REDACTED:environment]"))
  })

  test("there are none when only what stands apart gives a secret away: it cannot be taken out, and the bytes are not kept", () => {
    const parts = ["db_password: |", "  ab1cd2ef3gh4ij5Q9", "next: 1 and so on"].map((text) => Buffer.from(`${text}\u0000`))
    assert.isUndefined(cleanBytes(redactor, Buffer.concat([bytesFrom(9, 640), Buffer.from([0]), ...parts])))
  })
})

test("the text among bytes is what reads as text, eight characters and more in a row", () => {
  const bytes = Buffer.concat([
    Buffer.from([0, 1, 0xff]),
    Buffer.from("sevench\u0000eight ch\u0000ünïcödé wörds\n"),
    Buffer.from([0xc3, 0x28, 0x80]),
    Buffer.from("two bytes é", "utf16le"),
  ])
  assert.deepStrictEqual(textAmong(bytes).split("\n"), ["eight ch", "ünïcödé wörds", "", "two bytes é"])
})

describe("an image in a record", () => {
  const image = (data: string) => ({ message: { role: "user", content: [{ type: "image", mimeType: "image/png", data }] } })

  test("goes as a whole when a secret stands among its bytes, since a part of base64 stands for nothing", () => {
    for (const note of [SECRET, `ghp_${"a1B2c3D4".repeat(5)}`, `password: "${"x7Kq".repeat(4)}"`]) {
      const { value, findings } = redactor.redactValue(image(picture(note).toString("base64")))
      assert.lengthOf(findings, 1)
      assert.match(JSON.stringify(value), /"data":"\[REDACTED:[a-z-]+\]"/)
      assert.match(
        redactor.redactText(`see data:image/png;base64,${picture(note).toString("base64")} there`).text,
        /^see data:image\/png;base64,\[REDACTED:[a-z-]+\] there$/,
      )
    }
  })

  test("stays as it is without one", () => {
    const clean = image(picture("a view of the harbour, and a boat").toString("base64"))
    assert.strictEqual(redactor.redactValue(clean).value, clean)
  })
})
