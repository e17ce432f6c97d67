/**
 * Finds parts of known values: a stretch of 12 characters and more of a value of 20 and more, as a cut, a wrap or a split leaves it.
 *
 * Every eight characters in a row of the values are kept in a table; of the text only every fifth position is looked at, since a stretch of 12 characters
 * has one of those in it with its whole gram. A hit is followed to both sides and then passed over, so the cost is linear in the text
 * (law SEC-4). A stretch that reads like words is none: it could stand in any text.
 */
import { FORMATS } from "./Formats.ts"
import type { Units } from "./Units.ts"

/** Characters of the shortest value whose parts are looked for, and of the shortest part. */
export const WHOLE = 20
export const PART = 12

const GRAM = 8
const STRIDE = PART - GRAM + 1

/** Equal grams of different places that are all tried. More of them are those of a value that repeats itself. */
const MOST_ALIKE = 16

/** How far before a gram its stretch can begin unnoticed. */
const BACK = 16

const FILTER_BITS = 16

/** A place in the sources. */
interface Found {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly rank: number
}

const isWord = (part: string): boolean => /^(?:[A-Z]?[a-z]*|[A-Z]+|\d{1,4})$/.test(part)

/** Whether a stretch is words and short numbers only. */
export const readsLikeWords = (stretch: string): boolean => stretch.split(/[^A-Za-z0-9]+/).every(isWord)

const PREFIXES = FORMATS.flatMap(({ prefixes }) => prefixes).toSorted((a, b) => b.length - a.length)

/** A piece without the fixed characters that every token of its format begins with, and without the header that web tokens share. */
const withoutOpening = (piece: string): string => {
  const rest = piece.startsWith("eyJ") && piece.includes(".") ? piece.slice(piece.indexOf(".") + 1) : piece
  const prefix = PREFIXES.find((start) => rest.startsWith(start))
  return prefix === undefined ? rest : rest.slice(prefix.length)
}

const STRUCTURE = /[\s"'`{}[\],;@]|:\/\//

/** A hash of a password, by how it begins, has numbers between commas, and its salt and sum around them. */
const HASH = /^\$[a-z0-9-]{1,12}\$/
const STRUCTURE_OF_HASH = /[\s"'`]/

/** The pieces of a value that a machine drew: not the braces, names and addresses around them. */
const piecesOf = (value: string): ReadonlyArray<string> =>
  value
    .split(HASH.test(value) ? STRUCTURE_OF_HASH : STRUCTURE)
    .map(withoutOpening)
    .filter((piece) => piece.length >= PART && !readsLikeWords(piece))

/** The codes of four characters, the first one lowest in a number of 32 bits, as {@link Units.fours} has them. */
const fourCodes = (text: string, at: number): number =>
  [3, 2, 1, 0].reduce((codes, i) => (codes << 8) | (text.charCodeAt(at + i) & 127), 0)

/** An odd number whose multiples are far apart: 2 to the 32nd by the golden ratio. */
const SPREAD = 0x9e3779b1

/** Which bit of the filter stands for the first four characters of a gram. */
const filterBit = (codes: number): number => Math.imul(codes, SPREAD) >>> (32 - FILTER_BITS)

/** A number for a gram, by the codes of its two halves. */
const gramHash = (first: number, second: number): number => (Math.imul(first, SPREAD) + second) | 0

/** Between pieces, and never in text that matches across it. */
const JOINT = "\u0000"

/**
 * The parts of values. One may go on from another: it shares what that one knew then; what is added to either of them later, the other
 * does not know.
 */
export class Windows {
  readonly #from: Windows | undefined
  /** A bit for the first four characters of every gram. */
  readonly #filter: Int32Array
  #isEmpty: boolean
  /** All pieces, with joints around them. */
  #text = JOINT
  /** For the hash of a gram its last place, and for each place the one before with the same hash. */
  readonly #lastPlace = new Map<number, number>()
  readonly #placeBefore: Array<number> = []
  readonly #pieces: Array<Found> = []

  constructor(from?: Windows) {
    this.#from = from
    this.#filter = from === undefined ? new Int32Array(1 << (FILTER_BITS - 5)) : from.#filter.slice()
    this.#isEmpty = from === undefined || from.#isEmpty
  }

  /** Adds a spelling of a value. Shorter ones have no parts. */
  add(spelling: string, kind: string, rank: number): void {
    if (spelling.length < WHOLE) return
    for (const piece of piecesOf(spelling)) {
      if (piece.includes(JOINT)) continue
      const start = this.#text.length
      this.#text += piece + JOINT
      this.#isEmpty = false
      this.#pieces.push({ start, end: start + piece.length, kind, rank })
      for (let at = 0; at + GRAM <= piece.length; at++) this.#addGram(piece, at, start + at)
    }
  }

  #addGram(piece: string, at: number, place: number): void {
    const first = fourCodes(piece, at)
    const bit = filterBit(first)
    this.#filter[bit >> 5] = (this.#filter[bit >> 5] ?? 0) | (1 << (bit & 31))
    const hash = gramHash(first, fourCodes(piece, at + 4))
    this.#placeBefore[place] = this.#lastPlace.get(hash) ?? 0
    this.#lastPlace.set(hash, place)
  }

  /**
   * Tells the stretches of a text that are parts of a value, of which a gram begins in a portion, in order of their ends. They may overlap.
   * `done` is where the portion before has come to; returns where this one has.
   */
  find(text: string, units: Units, done: number, tell: (found: Found) => void): number {
    if (this.#isEmpty) return done
    const { from, fours, noted } = units
    const count = this.#note(units)
    let next = done
    for (let n = 0; n < count; n++) {
      const place = noted[n] as number
      if (from + place < next) continue
      const hash = gramHash(fours.getUint32(place + 1, true), fours.getUint32(place + 5, true))
      next = Math.max(next, this.#follow(text, from + place, hash, tell) - GRAM + 1)
    }
    return next
  }

  /** Notes every fifth position at which the filter leaves a gram possible. Returns how many there are. */
  #note({ from, length, fours, noted }: Units): number {
    const filter = this.#filter
    let count = 0
    for (let i = (STRIDE - (from % STRIDE)) % STRIDE; i < length; i += STRIDE) {
      const bit = filterBit(fours.getUint32(i + 1, true))
      noted[count] = i
      count += ((filter[bit >> 5] as number) >>> (bit & 31)) & 1
    }
    return count
  }

  /** Follows the gram at a position to both sides. Returns the end of the longest stretch of enough characters, or 0. */
  #follow(text: string, at: number, hash: number, tell: (found: Found) => void): number {
    let longest = 0
    for (let windows: Windows | undefined = this; windows !== undefined; windows = windows.#from)
      longest = Math.max(longest, windows.#followOwn(text, at, hash, tell))
    return longest
  }

  #followOwn(text: string, at: number, hash: number, tell: (found: Found) => void): number {
    let longest = 0
    let place = this.#lastPlace.get(hash) ?? 0
    for (let tried = 0; place > 0 && tried < MOST_ALIKE; tried++, place = this.#placeBefore[place] ?? 0) {
      let before = 0
      while (before < BACK && before < at && this.#isSame(text, at - before - 1, place - before - 1)) before++
      let length = 0
      while (this.#isSame(text, at + length, place + length)) length++
      if (length < GRAM || before + length < PART) continue
      const [start, end] = [at - before, at + length]
      longest = Math.max(longest, end)
      if (readsLikeWords(text.slice(start, end))) continue
      const { kind, rank } = this.#pieceAt(place)
      tell({ start, end, kind, rank })
    }
    return longest
  }

  #isSame(text: string, at: number, place: number): boolean {
    const code = text.charCodeAt(at)
    return code !== 0 && code === this.#text.charCodeAt(place)
  }

  #pieceAt(place: number): Found {
    let low = 0
    let high = this.#pieces.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#pieces[middle]?.start ?? 0) <= place) low = middle
      else high = middle - 1
    }
    return this.#pieces[low] as Found
  }
}
