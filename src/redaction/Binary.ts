/**
 * The text among bytes that need not be text: notes in a picture, the description that a camera left, a text that is called an image.
 *
 * Text is what reads as UTF-8, and what reads as Latin letters in UTF-16 from an even or an odd byte on, eight characters and more in a row.
 * What is compressed in the bytes is not seen.
 */

/** A stretch of text, and where its bytes are. */
export interface Stretch {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Characters of the shortest stretch: shorter ones hold no secret. */
const SHORTEST = 8

const isText = (code: number): boolean =>
  code >= 0x20 ? code < 0x7f || code >= 0xa0 : code === 0x09 || code === 0x0a || code === 0x0d

/** The length of the character of UTF-8 that begins at a byte, or 0 where none does. The exotic mistakes of an encoder are let pass. */
const lengthAt = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] as number
  if (first < 0x80) return isText(first) ? 1 : 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4) return 0
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const utf16 = new TextDecoder("utf-16le", { ignoreBOM: true })

function* inUtf8(bytes: Uint8Array): Generator<Stretch> {
  for (let start = 0; start < bytes.length; ) {
    let end = start
    let count = 0
    for (let length = lengthAt(bytes, end); length > 0; length = end < bytes.length ? lengthAt(bytes, end) : 0) {
      end += length
      count++
    }
    if (count >= SHORTEST) yield { text: utf8.decode(bytes.subarray(start, end)), start, end }
    start = end + 1
  }
}

function* inUtf16(bytes: Uint8Array): Generator<Stretch> {
  for (const from of [0, 1])
    for (let start = from; start + 1 < bytes.length; ) {
      let end = start
      while (end + 1 < bytes.length && bytes[end + 1] === 0 && isText(bytes[end] as number)) end += 2
      if (end - start >= 2 * SHORTEST) yield { text: utf16.decode(bytes.subarray(start, end)), start, end }
      start = end + 2
    }
}

/** The stretches of text among bytes: first those in UTF-8, then those in UTF-16. Cost: three passes. */
export function* stretchesAmong(bytes: Uint8Array): Generator<Stretch> {
  yield* inUtf8(bytes)
  yield* inUtf16(bytes)
}

/** All of the text among bytes, each stretch on lines of its own. */
export const textAmong = (bytes: Uint8Array): string => Array.from(stretchesAmong(bytes), ({ text }) => text).join("\n")

const NO_DIGIT = /[^A-Za-z0-9+/]/g

/** The bytes that base64 stands for, in either alphabet, in lines or in one piece, with padding or without; what is no digit is passed over. */
export const bytesOfBase64 = (base64: string): Uint8Array => {
  const digits = base64.replaceAll("-", "+").replaceAll("_", "/").replace(NO_DIGIT, "")
  const binary = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
