/**
 * Values that a name or the lines around them gave away once: from then on they are looked for wherever they stand, like known values.
 *
 * Only what a machine drew is learned, so that learning never eats a word: 16 characters and more, letters and digits, many different
 * ones, and nothing that reads like code, an address, a path or an id. Nothing that was learned is forgotten, and no more is learned
 * than a bounded number of values.
 */

import { looksLikeCode } from "./Code.ts"
import { bitsPerCharacter } from "./Environment.ts"
import { hasMarker } from "./Marker.ts"

const SHORTEST = 16
const LONGEST = 512
const MOST = 1_024

/** Entropy of the least various value. Drawn letters and digits have more than 3.5 from 16 characters on. */
const LEAST_BITS = 3

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isCandidate = (value: string): boolean =>
  value.length >= SHORTEST &&
  value.length <= LONGEST &&
  /^[\x21-\x7e]+$/.test(value) &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !UUID.test(value) &&
  !hasMarker(value)

/** Whether a value is worth being looked for everywhere. */
export const isLearnable = (value: string): boolean =>
  isCandidate(value) && !looksLikeCode(value, true) && bitsPerCharacter(value) >= LEAST_BITS

/** What was learned and is not looked for yet. */
export class Learned {
  readonly #values: Map<string, string>
  #isNew: Array<readonly [value: string, kind: string]>

  /** Nothing, or what others have learned. */
  constructor(from?: Learned) {
    this.#values = new Map(from === undefined ? [] : from.#values)
    this.#isNew = [...this.#values]
  }

  /** Learns a value that was found, if it is worth it. */
  learn(value: string, kind: string): void {
    if (isLearnable(value)) this.#add(value, kind)
  }

  /** Learns a secret that was cut between two texts, so that its first part can be told too wherever it comes. */
  learnCut(secret: string, kind: string): void {
    if (isCandidate(secret)) this.#add(secret, kind)
  }

  #add(value: string, kind: string): void {
    if (this.#values.size >= MOST || this.#values.has(value)) return
    this.#values.set(value, kind)
    this.#isNew.push([value, kind])
  }

  /** What was learned since this was last asked. */
  take(): ReadonlyArray<readonly [value: string, kind: string]> {
    const taken = this.#isNew
    if (taken.length > 0) this.#isNew = []
    return taken
  }
}
