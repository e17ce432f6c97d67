/**
 * The alphabets that secrets are written in, and where a run of one ends.
 *
 * A run may go on over dots (`chain`), as tokens made of parts do. Ends are remembered, so that all the questions about one text cost one
 * pass over it for each alphabet, however many candidates begin inside the same run (law SEC-4).
 */

const ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** The characters of each alphabet. */
export const ALPHABETS = {
  hex: "0123456789abcdefABCDEF",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  alnum: ALNUM,
  word: `${ALNUM}_`,
  dashed: `${ALNUM}-`,
  url: `${ALNUM}_-`,
  base64: `${ALNUM}+/=`,
  any64: `${ALNUM}+/=_-`,
  /** Of the digests that programs keep of passwords, with their parameters. */
  crypt: `${ALNUM}./$=,`,
} as const

export type Alphabet = keyof typeof ALPHABETS

const names = Object.keys(ALPHABETS) as ReadonlyArray<Alphabet>

const BITS = Object.fromEntries(names.map((name, i) => [name, 1 << i])) as Readonly<Record<Alphabet, number>>

/** For each ASCII code the alphabets it belongs to, one bit each. */
const MEMBERSHIP: Uint16Array = (() => {
  const table = new Uint16Array(128)
  for (const name of names)
    for (const character of ALPHABETS[name]) table[character.charCodeAt(0)] = (table[character.charCodeAt(0)] ?? 0) | BITS[name]
  return table
})()

/** Whether a character code belongs to the alphabet. */
export const isIn = (alphabet: Alphabet, code: number): boolean => code < 128 && ((MEMBERSHIP[code] ?? 0) & BITS[alphabet]) !== 0

/** Characters that a part must have for a run to go on over the dot before it. */
const PART = 8

const DOT = 0x2e

/** The ends of runs of one alphabet in one text at a time. */
export class Runs {
  readonly #bit: number
  /** How many dots may stand between two parts. */
  readonly #dots: number
  #text = ""
  #start = 0
  #end = 0

  constructor(alphabet: Alphabet, dots: 0 | 1 | 2) {
    this.#bit = BITS[alphabet]
    this.#dots = dots
  }

  /** Turns to another text. */
  reset(text: string): void {
    this.#text = text
    this.#start = 0
    this.#end = 0
  }

  /** Where the run that begins at a position ends. Fast when positions come in order. */
  end(from: number): number {
    if (!this.#has(from)) return from
    if (from >= this.#start && from < this.#end) return this.#end
    let end = this.#runEnd(from)
    for (let dots = this.#dotsAt(end); dots > 0; dots = this.#dotsAt(end)) end = this.#runEnd(end + dots)
    this.#start = from
    this.#end = end
    return end
  }

  #has(at: number): boolean {
    const code = this.#text.charCodeAt(at)
    return code < 128 && ((MEMBERSHIP[code] ?? 0) & this.#bit) !== 0
  }

  #runEnd(from: number): number {
    let at = from
    while (this.#has(at)) at++
    return at
  }

  /** How many dots at a position join the run to a next part, or 0. */
  #dotsAt(at: number): number {
    for (let dots = 1; dots <= this.#dots && this.#text.charCodeAt(at + dots - 1) === DOT; dots++) {
      let length = 0
      while (length < PART && this.#has(at + dots + length)) length++
      if (length === PART) return dots
    }
    return 0
  }
}
