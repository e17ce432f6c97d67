/**
 * The characters of a text as codes of seven bits, a portion at a time, and where in it something may begin.
 *
 * A pass over a typed array is several times faster than one over a string, whose form is asked anew for every character; and the most
 * costly thing in such a pass is a branch that cannot be foreseen. So passes go over the codes and note positions without a branch, and
 * only what they have noted is looked at in the text itself. Other characters than ASCII have the code of their lowest seven bits: what is
 * noted because of it shows itself as nothing in the text.
 */

/** Characters of a portion: a pass over them stays in the processor's nearest memory. */
export const PORTION = 8_192

/** Characters beyond the portion that are there as well, for tests that look ahead. 0 where the text has ended. */
const AHEAD = 16

const ENCODER = new TextEncoder()

/** One portion at a time: reading the next one overwrites it. */
export class Units {
  /** The code of the character before the portion, or 0; then those of the portion and some beyond it. */
  readonly codes = new Uint8Array(1 + PORTION + AHEAD)
  /** The same, to be read four at a time. */
  readonly fours = new DataView(this.codes.buffer)
  readonly #target = this.codes.subarray(1)
  /** Positions in the portion that a pass has noted: as many as that pass says. */
  readonly noted = new Uint16Array(PORTION)
  /** Where in the text the portion begins. */
  from = 0
  /** Characters of the portion. */
  length = 0
  /** Whether all of them, and those ahead, are ASCII, and so their own codes. */
  isAscii = true

  /** Reads the portion that begins at a position. */
  read(text: string, from: number): void {
    const { codes } = this
    const portion = from === 0 && text.length <= PORTION ? text : text.slice(from, from + PORTION + AHEAD)
    this.from = from
    this.length = Math.min(portion.length, PORTION)
    codes[0] = from === 0 ? 0 : text.charCodeAt(from - 1) & 127
    this.isAscii = this.#readAscii(portion)
    if (!this.isAscii) for (let i = 0; i < portion.length; i++) codes[1 + i] = portion.charCodeAt(i) & 127
    codes.fill(0, 1 + portion.length, 1 + portion.length + AHEAD)
  }

  /** UTF-8 has as many bytes as the text has characters if and only if all of them are ASCII. */
  #readAscii(portion: string): boolean {
    const { read, written } = ENCODER.encodeInto(portion, this.#target)
    return read === portion.length && written === read
  }
}
