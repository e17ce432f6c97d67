/**
 * Redaction of a text that comes in pieces: the output of a terminal, the deltas of a stream.
 *
 * What it gives, put together, is what redaction makes of the whole text, however it was cut, inside a pair of surrogates too (law SEC-13).
 * That holds as long as nothing has to be held that is longer than {@link MOST_HELD}, and no rule has to look further back than
 * {@link REACH}: a manifest that begins further before its values, or says what it is further behind them. Beyond that a secret is still
 * found when it can be told by what stands within reach of it, and of a token that is longer nothing is let through up to the next blank.
 *
 * A piece is given out as soon as nothing that may follow could change it: most words at once, an assignment with its line, a private key
 * with its end, a text that is one JSON value with its last brace. Memory: what is held, and the reach.
 */
import { cleanTextOf } from "./CleanLine.ts"
import { holdFrom, isSpaceCode, wordStart } from "./HoldBack.ts"
import { JsonPrefix } from "./JsonPrefix.ts"
import type { Rules } from "./Rules.ts"
import { replace, type Span } from "./Span.ts"

/** UTF-16 units that are held at most. What is longer goes out as far as it is known by then. */
export const MOST_HELD = 1 << 20

/** UTF-16 units that are looked back at. */
export const REACH = 1 << 14

/** A secret that was taken out, and where it began in the text that was pushed, in UTF-16 units. */
export interface StreamFinding {
  readonly kind: string
  readonly offset: number
}

export interface RedactionStream {
  /** Takes the next piece. Gives what is clean for good, which may be nothing. */
  readonly push: (piece: string) => string
  /** The text is at its end. Gives what is left. Nothing may be pushed any more. */
  readonly end: () => string
  /** What was taken out of what was given, since this was last asked. */
  readonly takeFindings: () => ReadonlyArray<StreamFinding>
  /** How much of the text was given, in UTF-16 units of what was pushed. */
  readonly position: number
}

export interface StreamLimits {
  readonly mostHeld: number
  readonly reach: number
}

/** In front of a text whose beginning is not there any more: so it does not read as one JSON value. */
const GUARD = "x\n"

/** A long text of which nothing could be given is looked at again when it has grown by a part of itself. */
const GROWTH = 8
const SHORT = 4_096

const BLANK = /[ \t\r\n]/

const isLowSurrogate = (code: number): boolean => (code & 0xfc00) === 0xdc00

export class TextStream implements RedactionStream {
  readonly #rules: Rules
  readonly #limits: StreamLimits
  readonly #json = new JsonPrefix()
  #findings: Array<StreamFinding> = []
  /** What was given already, as far back as is looked. */
  #before = ""
  #isCut = false
  #held = ""
  /** So much must be held before it is looked at. */
  #enough = 0
  /** A secret that is too long was given up in its middle: its rest goes as well. */
  #isInside = false
  position = 0

  constructor(rules: Rules, limits: StreamLimits = { mostHeld: MOST_HELD, reach: REACH }) {
    this.#rules = rules
    this.#limits = limits
  }

  push(piece: string): string {
    this.#held += piece
    if (this.position === 0) this.#json.push(piece)
    this.#leaveLongSecret()
    const isTooLong = this.#held.length > this.#limits.mostHeld
    // The last word is held anyway, so without a blank in the piece there is nothing new to give.
    const isWaiting = this.#isWholeJson() || this.#held.length < this.#enough || !BLANK.test(piece)
    if (this.#held === "" || (isWaiting && !isTooLong)) return ""
    const text = this.#before + this.#held
    const wanted = this.#isWholeJson() ? 0 : holdFrom(text, { names: this.#rules.names, spaced: this.#rules.spaced })
    const least = isTooLong ? text.length - (this.#limits.mostHeld >> 1) : 0
    const given = this.#give(text, Math.max(wanted, least), wanted < least)
    const { length } = this.#held
    this.#enough = given === "" && length > SHORT ? length + Math.floor(length / GROWTH) : 0
    return given
  }

  end(): string {
    this.#leaveLongSecret()
    const text = this.#before + this.#held
    return this.#isInside ? "" : this.#give(text, text.length, false)
  }

  takeFindings(): ReadonlyArray<StreamFinding> {
    const taken = this.#findings
    this.#findings = []
    return taken
  }

  #isWholeJson(): boolean {
    return this.position === 0 && this.#json.isOpen
  }

  /** Gives what stands before a position, unless it has been given. `isForced`: also when a secret goes on behind it. */
  #give(text: string, until: number, isForced: boolean): string {
    const from = this.#before.length
    if (until <= from) return ""
    const spans = this.#spans(text)
    let cut = Math.max(wordBefore(text, spans, until), from)
    if (isForced && cut === from) cut = until
    if (isLowSurrogate(text.charCodeAt(cut)) && cut > from + 1) cut--
    if (cut <= from) return ""
    const inside = spans.filter(({ start, end }) => end > from && start < cut).map((span) => clipped(span, from, cut))
    for (const { kind, start } of inside) this.#findings.push({ kind, offset: this.position + start - from })
    const given = replace(text.slice(0, cut), inside).slice(from)
    this.#isInside = spans.some(({ start, end }) => start < cut && end > cut)
    this.#move(text, cut)
    return given
  }

  #spans(text: string): ReadonlyArray<Span> {
    if (!this.#isCut) return cleanTextOf(this.#rules, text).spans
    return cleanTextOf(this.#rules, GUARD + text).spans.flatMap((span) => {
      const [start, end] = [span.start - GUARD.length, span.end - GUARD.length]
      return end <= 0 ? [] : [{ ...span, start: Math.max(0, start), end }]
    })
  }

  /** Goes on behind a position, and forgets what is out of reach, up to the next line where there is one. */
  #move(text: string, cut: number): void {
    this.position += cut - this.#before.length
    this.#held = text.slice(cut)
    const far = cut - this.#limits.reach
    if (far <= 0) {
      this.#before = text.slice(0, cut)
      return
    }
    const line = text.indexOf("\n", far) + 1
    const start = line > 0 && line < far + (this.#limits.reach >> 1) ? line : far
    this.#before = text.slice(start, cut)
    this.#isCut = true
  }

  /** Lets nothing through of the rest of a secret that was too long to be held: up to the next blank. */
  #leaveLongSecret(): void {
    if (!this.#isInside) return
    let at = 0
    while (at < this.#held.length && !isSpaceCode(this.#held.charCodeAt(at))) at++
    this.position += at
    this.#isInside = at === this.#held.length
    this.#held = this.#held.slice(at)
    // What it was is no beginning of anything.
    this.#before = ""
    this.#isCut = true
  }
}

/** The last position up to a given one at which a word begins and no span goes on. */
const wordBefore = (text: string, spans: ReadonlyArray<Span>, position: number): number => {
  let at = position
  for (let i = spans.length - 1; i >= 0; i--) {
    const { start, end } = spans[i] as Span
    if (start < at && end > at) at = wordStart(text, start)
  }
  return at
}

const clipped = (span: Span, from: number, to: number): Span =>
  span.start >= from && span.end <= to
    ? span
    : { start: Math.max(span.start, from), end: Math.min(span.end, to), kind: span.kind, rank: span.rank }
