/**
 * What an oracle looks for: every stretch of twelve characters of a canary, in every fixed spelling of it.
 *
 * Fixed are the spellings in which each character always has the same bytes: UTF-8, UTF-16 in both orders, hex, and base64 in either
 * alphabet at each of the three places where it can begin. Spellings that leave a choice are undone before bytes come here (`Layers.ts`).
 *
 * Nothing here is shared with redaction: who judges does not borrow the eyes of the judged.
 */

/** Something that must not be on a disk. */
export interface Canary {
  /** What it is called in a sighting, which never holds its text. */
  readonly name: string
  /** At least {@link MIN_CANARY} characters. */
  readonly text: string
  /** So many UTF-16 units at its beginning say nothing by themselves, such as the prefix of a format. 0 by default. */
  readonly open?: number | undefined
}

/** How a stretch of a canary is spelled where it was found. */
export type Spelling = "utf-8" | "utf-16le" | "utf-16be" | "hex" | "base64" | "base64url"

/** A stretch of a canary in bytes. */
export interface Hit {
  readonly canary: Canary
  readonly spelling: Spelling
  readonly start: number
  readonly end: number
}

/** Characters of the shortest canary: what is shorter stands in many places by chance. */
export const MIN_CANARY = 8

/** So many characters of a canary in a row are an occurrence; where it says less by itself, all of it is. */
export const WINDOW = 12

/** Bytes that are compared at once. */
const GRAM = 8

/** Grams of a needle begin so far apart that each stretch of {@link WINDOW} bytes holds a whole one. */
const STRIDE = WINDOW - GRAM + 1

const encoder = new TextEncoder()

/** The characters of a text in its bytes: which byte each begins at, and which are white space. */
class Characters {
  readonly #begins: Uint32Array
  readonly #isSpace: ReadonlyArray<boolean>

  constructor(text: string) {
    const characters = Array.from(text)
    this.#begins = new Uint32Array(characters.length + 1)
    for (const [i, character] of characters.entries())
      this.#begins[i + 1] = (this.#begins[i] as number) + encoder.encode(character).length
    this.#isSpace = characters.map((character) => /\s/.test(character))
  }

  get count(): number {
    return this.#isSpace.length
  }

  /** How many characters lie whole within a stretch of the bytes; 0 when all of them are white space. */
  within(start: number, end: number): number {
    let first = 0
    while (first < this.count && (this.#begins[first] as number) < start) first++
    let last = first
    let says = false
    while (last < this.count && (this.#begins[last + 1] as number) <= end) says = this.#isSpace[last++] === false || says
    return says ? last - first : 0
  }
}

/** One spelling of a canary. */
interface Needle {
  readonly canary: Canary
  readonly spelling: Spelling
  readonly bytes: Uint8Array
  /** The stretch of the canary's UTF-8 that lies whole in a stretch of the bytes. */
  readonly plain: (start: number, end: number) => readonly [start: number, end: number]
  readonly characters: Characters
  /** How many characters are an occurrence. */
  readonly enough: number
}

const ascii = (text: string): Uint8Array => encoder.encode(text)

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const base64Of = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))

type Spelled = Pick<Needle, "spelling" | "bytes" | "plain">

const inHex = (bytes: Uint8Array): ReadonlyArray<Spelled> => {
  const hex = hexOf(bytes)
  return [hex, hex.toUpperCase()].map((digits) => ({
    spelling: "hex",
    bytes: ascii(digits),
    plain: (start, end) => [Math.ceil(start / 2), Math.floor(end / 2)],
  }))
}

/** For each place that the bytes can begin at: the digits that they alone decide. */
const inBase64 = (bytes: Uint8Array): ReadonlyArray<Spelled> =>
  [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length)
    shifted.set(bytes, before)
    const first = Math.ceil((before * 8) / 6)
    const digits = base64Of(shifted).slice(first, Math.floor((shifted.length * 8) / 6))
    // A digit that is shared with a neighbour cannot be looked for: a byte counts when half of its bits are there.
    const plain: Spelled["plain"] = (start, end) => [
      Math.max(0, Math.ceil(((start + first) * 6 - 4) / 8) - before),
      Math.floor(((end + first) * 6 + 4) / 8) - before,
    ]
    const other = digits.replaceAll("+", "-").replaceAll("/", "_")
    const standard: Spelled = { spelling: "base64", bytes: ascii(digits), plain }
    return other === digits ? [standard] : [standard, { spelling: "base64url", bytes: ascii(other), plain }]
  })

/** Two bytes for each UTF-16 unit. Their place in UTF-8 is told by the units before them. */
const inUtf16 = (text: string): ReadonlyArray<Spelled> => {
  const begins = [0]
  for (const character of text) {
    const begin = begins.at(-1) as number
    const next = begin + encoder.encode(character).length
    // The second unit of a character begins nowhere in UTF-8.
    begins.push(...(character.length === 2 ? [begin, next] : [next]))
  }
  return ([true, false] as const).map((isLittle) => {
    const view = new DataView(new ArrayBuffer(2 * text.length))
    for (let unit = 0; unit < text.length; unit++) view.setUint16(2 * unit, text.charCodeAt(unit), isLittle)
    return {
      spelling: isLittle ? "utf-16le" : "utf-16be",
      bytes: new Uint8Array(view.buffer),
      plain: (start, end) => [begins[Math.ceil(start / 2)] ?? 0, begins[Math.floor(end / 2)] ?? 0],
    }
  })
}

/** What of a canary is looked for: the part that says something if that is long enough, else all of it. */
const bodyOf = ({ text, open = 0 }: Canary): { readonly body: string; readonly isWhole: boolean } => {
  const body = text.slice(open)
  const isWhole = Array.from(body).length < WINDOW
  return { body: isWhole ? text : body, isWhole }
}

const needlesOf = (canary: Canary): ReadonlyArray<Needle> => {
  const { body, isWhole } = bodyOf(canary)
  const characters = new Characters(body)
  if (characters.count < MIN_CANARY) throw new TypeError(`The canary ${canary.name} has fewer than ${MIN_CANARY} characters.`)
  const bytes = encoder.encode(body)
  const raw: Spelled = { spelling: "utf-8", bytes, plain: (start, end) => [start, end] }
  const enough = isWhole ? characters.count : WINDOW
  return [raw, ...inUtf16(body), ...inHex(bytes), ...inBase64(bytes)].map((spelled) => ({
    ...spelled,
    canary,
    characters,
    enough,
  }))
}

const BITS = 18

const hashOf = (first: number, second: number): number => Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)

/** A place in a needle, and how far to the left a match may reach from there. */
interface Gram {
  readonly needle: Needle
  readonly at: number
}

/** Finds all canaries in one pass. */
export class Needles {
  /** A bit for each hash that a gram has: most bytes are done with after one look. */
  readonly #bits = new Uint8Array(1 << (BITS - 3))
  readonly #grams = new Map<number, Array<Gram>>()

  constructor(canaries: Iterable<Canary>) {
    for (const canary of canaries) for (const needle of needlesOf(canary)) this.#add(needle)
  }

  #add(needle: Needle): void {
    for (let at = 0; at + GRAM <= needle.bytes.length; at += STRIDE) {
      const hash = hashOf(wordAt(needle.bytes, at), wordAt(needle.bytes, at + 4))
      const bit = hash >>> (32 - BITS)
      this.#bits[bit >> 3] = (this.#bits[bit >> 3] as number) | (1 << (bit & 7))
      const grams = this.#grams.get(hash)
      if (grams === undefined) this.#grams.set(hash, [{ needle, at }])
      else grams.push({ needle, at })
    }
  }

  /** Tells every stretch that is an occurrence, each once. Cost: a few nanoseconds a byte. */
  find(bytes: Uint8Array, tell: (hit: Hit) => void): void {
    if (bytes.length < GRAM || this.#grams.size === 0) return
    /** How far the bytes were matched with a needle that begins at a certain place of them. */
    const done = new Map<Needle, number>()
    let first = wordAt(bytes, 0)
    let second = wordAt(bytes, 4)
    for (let at = 0; ; at++) {
      const hash = hashOf(first, second)
      const bit = hash >>> (32 - BITS)
      if (((this.#bits[bit >> 3] as number) & (1 << (bit & 7))) !== 0)
        for (const gram of this.#grams.get(hash) ?? []) match(bytes, at, gram, done, tell)
      if (at + GRAM >= bytes.length) return
      first = (first >>> 8) | (second << 24)
      second = (second >>> 8) | ((bytes[at + GRAM] as number) << 24)
    }
  }
}

/** Extends a gram to both sides as far as bytes and needle agree. */
const match = (bytes: Uint8Array, at: number, gram: Gram, done: Map<Needle, number>, tell: (hit: Hit) => void): void => {
  const { needle } = gram
  if (at < (done.get(needle) ?? 0)) return
  let [from, start] = [gram.at, at]
  while (from > 0 && start > 0 && needle.bytes[from - 1] === bytes[start - 1]) {
    from--
    start--
  }
  let [to, end] = [gram.at, at]
  while (to < needle.bytes.length && end < bytes.length && needle.bytes[to] === bytes[end]) {
    to++
    end++
  }
  if (to - gram.at < GRAM || needle.characters.within(...needle.plain(from, to)) < needle.enough) return
  done.set(needle, end)
  tell({ canary: needle.canary, spelling: needle.spelling, start, end })
}
