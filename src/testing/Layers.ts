/**
 * What bytes stand for: with escapes of JSON undone, with percent-encoding undone, with base64 decoded, and what was compressed unpacked.
 *
 * A layer is made whole, right or wrong: undoing an escape that is none costs time and hides nothing, since the bytes before are searched
 * as well.
 */
import { constants, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib"

/** A way in which bytes stood for other bytes. */
export type Step = "json" | "percent" | "base64" | "gzip" | "zlib" | "zstd"

export interface Layer {
  readonly step: Step
  readonly bytes: Uint8Array
  /** Where in the bytes before something stood. */
  readonly before: (at: number) => number
}

const BACKSLASH = 0x5c
const PERCENT = 0x25

/** The value of a hex digit, or -1. */
const hexDigit = (code: number | undefined): number => {
  if (code === undefined) return -1
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** A number in hex of `count` digits, or -1. */
const hexNumber = (bytes: Uint8Array, at: number, count: number): number => {
  let number = 0
  for (let i = 0; i < count; i++) {
    const digit = hexDigit(bytes[at + i])
    if (digit < 0) return -1
    number = number * 16 + digit
  }
  return number
}

/** Bytes that grow, each with the place that it came from. */
class Output {
  #bytes = new Uint8Array(1 << 10)
  #from = new Uint32Array(1 << 10)
  #length = 0

  put(byte: number, from: number): void {
    if (this.#length === this.#bytes.length) this.#grow()
    this.#bytes[this.#length] = byte
    this.#from[this.#length++] = from
  }

  /** Puts bytes as they are. */
  copy(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; at++) this.put(bytes[at] as number, at)
  }

  #grow(): void {
    const [bytes, from] = [this.#bytes, this.#from]
    this.#bytes = new Uint8Array(4 * bytes.length)
    this.#bytes.set(bytes)
    this.#from = new Uint32Array(4 * from.length)
    this.#from.set(from)
  }

  layer(step: Step): Layer {
    const from = this.#from
    return { step, bytes: this.#bytes.subarray(0, this.#length), before: (at) => from[at] ?? 0 }
  }
}

/** Puts a character as UTF-8. Half a character becomes U+FFFD, as it does in every encoder. */
const putCharacter = (output: Output, code: number, from: number): void => {
  const point = code >= 0xd800 && code < 0xe000 ? 0xfffd : code
  if (point < 0x80) output.put(point, from)
  else if (point < 0x800) {
    output.put(0xc0 | (point >> 6), from)
    output.put(0x80 | (point & 63), from)
  } else {
    if (point < 0x10000) output.put(0xe0 | (point >> 12), from)
    else {
      output.put(0xf0 | (point >> 18), from)
      output.put(0x80 | ((point >> 12) & 63), from)
    }
    output.put(0x80 | ((point >> 6) & 63), from)
    output.put(0x80 | (point & 63), from)
  }
}

/** What a backslash and a letter stand for. */
const SHORT: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", '"': '"', "\\": "\\", "/": "/" }).map(([letter, sign]) => [
    letter.charCodeAt(0),
    sign.charCodeAt(0),
  ]),
)

/** The code of `\uXXXX` that begins at a place, or -1. */
const unitAt = (bytes: Uint8Array, at: number): number =>
  bytes[at] === BACKSLASH && bytes[at + 1] === 0x75 ? hexNumber(bytes, at + 2, 4) : -1

/** What an escape stands for: a character or a byte, and how many bytes it takes. */
interface Escape {
  readonly length: number
  readonly put: (output: Output) => void
}

const escapeAt = (bytes: Uint8Array, at: number): Escape | undefined => {
  const unit = unitAt(bytes, at)
  if (unit >= 0) {
    const next = unit >= 0xd800 && unit < 0xdc00 ? unitAt(bytes, at + 6) : -1
    const isPair = next >= 0xdc00 && next < 0xe000
    const code = isPair ? 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00) : unit
    return { length: isPair ? 12 : 6, put: (output) => putCharacter(output, code, at) }
  }
  const short = SHORT.get(bytes[at + 1] ?? 0)
  return short === undefined ? undefined : { length: 2, put: (output) => output.put(short, at) }
}

const percentAt = (bytes: Uint8Array, at: number): Escape | undefined => {
  const byte = hexNumber(bytes, at + 1, 2)
  return byte < 0 ? undefined : { length: 3, put: (output) => output.put(byte, at) }
}

/** Around what was undone so many bytes are kept. A stretch that is longer than they are was seen before anything was undone. */
const AROUND = 512

/**
 * What stands around escapes, with what they stand for; stretches without one are left out, with a zero byte in their place. Undefined
 * when there is no escape.
 */
const undone = (
  bytes: Uint8Array,
  step: Step,
  sign: number,
  read: (bytes: Uint8Array, at: number) => Escape | undefined,
): Layer | undefined => {
  let output: Output | undefined
  /** Up to where the bytes were taken. */
  let taken = 0
  for (let at = bytes.indexOf(sign), next = 0; at >= 0; at = bytes.indexOf(sign, next)) {
    const found = read(bytes, at)
    next = at + (found?.length ?? 1)
    if (found === undefined) continue
    output ??= new Output()
    if (at - taken > 2 * AROUND) {
      output.copy(bytes, taken, taken + AROUND)
      output.put(0, taken + AROUND)
      taken = at - AROUND
    }
    output.copy(bytes, taken, at)
    found.put(output)
    taken = next
  }
  output?.copy(bytes, taken, Math.min(bytes.length, taken + AROUND))
  return output?.layer(step)
}

/** The bytes around escapes of JSON, with these undone once, or undefined when there are none. */
export const unescaped = (bytes: Uint8Array): Layer | undefined => undone(bytes, "json", BACKSLASH, escapeAt)

/** The bytes around percent-encoding, with it undone once, or undefined when there is none. */
export const percentDecoded = (bytes: Uint8Array): Layer | undefined => undone(bytes, "percent", PERCENT, percentAt)

/** The value of each digit of base64, in either alphabet, or -1. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) => {
  const sign = String.fromCharCode(code)
  const at = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".indexOf(sign)
  return at >= 0 ? at : "-_".indexOf(sign) < 0 ? -1 : 62 + "-_".indexOf(sign)
})

/** Digits of the shortest piece of base64 that is decoded. Shorter ones hold no stretch of a canary in another spelling. */
const SHORTEST_BASE64 = 24

/** The length of a line end at a place, raw or as JSON escapes it; 0 for none. Base64 goes on behind it. */
const lineEnd = (bytes: Uint8Array, at: number): number => {
  const [first, second] = [bytes[at], bytes[at + 1]]
  if (first === 0x0a) return 1
  if (first === 0x0d && second === 0x0a) return 2
  if (first !== BACKSLASH) return 0
  if (second === 0x6e) return 2
  return second === 0x72 && bytes[at + 2] === BACKSLASH && bytes[at + 3] === 0x6e ? 4 : 0
}

/** Takes the digits of a piece of base64, lines included, and gives the place behind it. */
const piece = (bytes: Uint8Array, start: number, digits: Array<number>): number => {
  let at = start
  for (;;) {
    while (at < bytes.length && (DIGITS[bytes[at] as number] as number) >= 0) digits.push(at++)
    const gap = lineEnd(bytes, at)
    if (gap === 0 || (DIGITS[bytes[at + gap] ?? 0] as number) < 0) return at
    at += gap
  }
}

/**
 * What base64 in the bytes stands for, read from the first, second, third and fourth digit of each piece: what stands before it may be
 * digits too. Pieces are kept apart by a zero byte.
 */
export const base64Decoded = (bytes: Uint8Array): ReadonlyArray<Layer> => {
  const outputs = [0, 1, 2, 3].map(() => new Output())
  let isAny = false
  for (let at = 0; at < bytes.length; ) {
    if ((DIGITS[bytes[at] as number] as number) < 0) {
      at++
      continue
    }
    const digits: Array<number> = []
    at = piece(bytes, at, digits)
    if (digits.length < SHORTEST_BASE64) continue
    isAny = true
    for (const [skipped, output] of outputs.entries()) putDecoded(output, bytes, digits, skipped)
  }
  return isAny ? outputs.map((output) => output.layer("base64")) : []
}

const putDecoded = (output: Output, bytes: Uint8Array, digits: ReadonlyArray<number>, skipped: number): void => {
  let held = 0
  let bits = 0
  for (let i = skipped; i < digits.length; i++) {
    const at = digits[i] as number
    held = ((held << 6) | (DIGITS[bytes[at] as number] as number)) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    output.put((held >> bits) & 0xff, at)
  }
  output.put(0, digits.at(-1) ?? 0)
}

/** The bytes of a gzip member behind its header. What follows a member is no reason to hide it, but unpacking gzip fails on it. */
const behindGzipHeader = (bytes: Uint8Array): Uint8Array => {
  const flags = bytes[3] ?? 0
  let at = 10
  if ((flags & 4) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0)
  for (const name of [8, 16]) if ((flags & name) !== 0) at = bytes.indexOf(0, at) + 1 || bytes.length
  return bytes.subarray((flags & 2) !== 0 ? at + 2 : at)
}

interface Packer {
  readonly step: Step
  readonly begins: ReadonlyArray<ReadonlyArray<number>>
  /** Unpacks; what is cut at its end gives what there is. Throws where it makes no sense. */
  readonly unpack: (bytes: Uint8Array, most: number) => Uint8Array
  /** Lengths that are tried first: most places that begin like a member are none, and that shows soon. */
  readonly probes: ReadonlyArray<number>
}

const PACKERS: ReadonlyArray<Packer> = [
  {
    step: "gzip",
    begins: [[0x1f, 0x8b, 0x08]],
    unpack: (bytes, most) =>
      inflateRawSync(behindGzipHeader(bytes), { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: most }),
    probes: [],
  },
  {
    step: "zlib",
    begins: [0x01, 0x5e, 0x9c, 0xda].map((level) => [0x78, level]),
    unpack: (bytes, most) => inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: most }),
    probes: [64, 1_024],
  },
  {
    step: "zstd",
    begins: [[0x28, 0xb5, 0x2f, 0xfd]],
    unpack: (bytes, most) => zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_flush, maxOutputLength: most }),
    probes: [],
  },
]

/** A member that was not unpacked because it holds more than there is room for. */
export interface Unpackable {
  readonly step: Step
  readonly at: number
}

const isTooLarge = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"

/** What a member holds, up to where it stops making sense: damage in it is no reason to hide what stands before. */
const unpackMost = ({ unpack, probes }: Packer, bytes: Uint8Array, most: number): Uint8Array | undefined => {
  const upTo = (end: number): Uint8Array | undefined => {
    try {
      return unpack(bytes.subarray(0, end), most)
    } catch (cause) {
      if (isTooLarge(cause)) throw cause
      return undefined
    }
  }
  for (const probe of probes) if (probe < bytes.length && upTo(probe) === undefined) return undefined
  const whole = upTo(bytes.length)
  if (whole !== undefined) return whole
  // Where a beginning cannot be unpacked, no longer one can.
  let best: Uint8Array | undefined
  let [good, bad] = [0, bytes.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const found = upTo(middle)
    if (found === undefined) bad = middle
    else [good, best] = [middle, found]
  }
  return best
}

/** What is compressed in the bytes, wherever it begins: at most `most` bytes of each member. */
export const unpacked = (bytes: Uint8Array, most: number, refuse: (member: Unpackable) => void): ReadonlyArray<Layer> => {
  const layers: Array<Layer> = []
  const haystack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (const packer of PACKERS)
    for (const begin of packer.begins) {
      const sign = Buffer.from(begin)
      for (let at = haystack.indexOf(sign); at >= 0; at = haystack.indexOf(sign, at + 1)) {
        const start = at
        const { step } = packer
        try {
          const member = unpackMost(packer, bytes.subarray(at), most)
          if (member !== undefined && member.length > 0) layers.push({ step, bytes: member, before: () => start })
        } catch (cause) {
          if (!isTooLarge(cause)) throw cause
          refuse({ step, at })
        }
      }
    }
  return layers
}
