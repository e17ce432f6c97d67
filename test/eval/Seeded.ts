/** Random choices that a seed determines, so that every figure of the evaluation can be made again. */
import { createHash } from "node:crypto"

export const LOWER = "abcdefghijklmnopqrstuvwxyz"
export const UPPER = LOWER.toUpperCase()
export const DIGITS = "0123456789"
export const HEX = `${DIGITS}abcdef`
export const ALNUM = `${UPPER}${LOWER}${DIGITS}`
export const URL64 = `${ALNUM}-_`
export const BASE64 = `${ALNUM}+/`
export const BASE32 = `${UPPER}234567`

/** A stream of random numbers (sfc32). The same words give the same stream, whatever was drawn from others before. */
export class Seeded {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(...words: ReadonlyArray<string | number>) {
    const digest = createHash("sha256").update(words.join("\u0000")).digest()
    this.#a = digest.readUInt32LE(0)
    this.#b = digest.readUInt32LE(4)
    this.#c = digest.readUInt32LE(8)
  }

  /** An integer of 32 bits. */
  #next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return sum >>> 0
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + (this.#next() % (high - low + 1))
  }

  pick<A>(values: ReadonlyArray<A>): A {
    return values[this.between(0, values.length - 1)] as A
  }

  /** So many characters of an alphabet. */
  text(alphabet: string, length: number): string {
    let text = ""
    for (let n = 0; n < length; n++) text += alphabet[this.#next() % alphabet.length]
    return text
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length)
    for (let n = 0; n < length; n++) bytes[n] = this.#next() & 0xff
    return bytes
  }

  uuid(): string {
    const hex = this.bytes(16).toString("hex")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}

const CRC_TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 of an ASCII text. */
export const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let n = 0; n < text.length; n++) crc = (CRC_TABLE[(crc ^ text.charCodeAt(n)) & 0xff] as number) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

const BASE62 = `${DIGITS}${UPPER}${LOWER}`

/** A checksum as GitHub and npm write it: base 62, six characters. */
export const base62Checksum = (text: string): string => {
  let value = crc32(text)
  let written = ""
  for (; value > 0; value = Math.floor(value / 62)) written = (BASE62[value % 62] as string) + written
  return written.padStart(6, "0")
}

export const base64Url = (value: string | Buffer): string => Buffer.from(value).toString("base64url")
