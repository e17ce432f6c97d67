/**
 * Where whole objects stand on a line that is not one JSON value.
 *
 * A line becomes such a line when a write was cut and the next one went behind it, or when a newline was lost. Records on it must be
 * found, and nothing that only looks like a record may be: the values inside a record look just like records, and a cut can leave one
 * of them whole at the end of its torn record. So a scan answers three questions, and the caller decides what they are worth:
 *
 * - `head`: the whole objects that follow each other from the first byte on. Where a line begins, they are records for certain.
 * - `tail`: the whole objects that follow each other up to the last byte. An object that is the end of a line, behind bytes that are
 *   not whole, is a record if the line without it was cut, and can it be anything else? Let the line be P then T, with T a whole
 *   object. If P then T were the end of one whole record, then T would leave the depth and the string state of P unchanged, as brackets
 *   and quotes are balanced in T; so P would have been complete before T. So T is not the rest of a whole record; it may only be a
 *   part of a *torn* one, and for this the grammar must allow a value after P.
 * - `nested`: given when the grammar does allow it: the first object of `tail` may be a value inside a record that was cut
 *   right behind it. Only evidence from elsewhere can tell the two apart.
 *
 * The grammar is followed from every place where a record may begin. Two scans are enough for this: one that takes the first byte to
 * be outside a string and one that takes it to be inside. Each quote changes both and no byte makes them agree, so wherever a record
 * begins, one of them is outside there. Scans that begin at different objects and agree about strings agree about everything as long as
 * both live, so one stack serves for all of them: when the grammar breaks, all break, and the next object begins anew.
 *
 * Cost: each byte is looked at once or twice per scan, whatever the line holds; `steps` counts them.
 */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../model/JsonSigns.ts"
import { MAX_RECORDS_PER_LINE } from "../model/Limits.ts"

/** A whole object: from its first byte to behind its last. */
export interface Span {
  readonly start: number
  readonly end: number
  /** Nested deeper than the limit: it was counted through, not checked. */
  readonly deep: boolean
}

/** The unfinished object around the first object of `tail`. */
export interface Nesting {
  readonly start: number
  /** The closing brackets that would end it, innermost first. */
  readonly closers: string
}

export interface Scan {
  readonly head: ReadonlyArray<Span>
  readonly tail: ReadonlyArray<Span>
  readonly nested: Nesting | undefined
  /** More whole objects follow each other than are read; the scan has stopped. */
  readonly isOverfull: boolean
  /** The bytes end inside a string, not a key, of an object that began at the first of them. */
  readonly open: boolean
  readonly steps: number
}

/** What may come next inside an object or array. */
type Expecting = "key or end" | "key" | "colon" | "value" | "value or end" | "comma or end"

export const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a

const LITERALS = new Map([
  [0x74, "true"],
  [0x66, "false"],
  [0x6e, "null"],
])

const isNumberByte = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65)

/** One scan over `bytes[from, to)`; see {@link scan}. */
export class Scanner {
  #bytes: Uint8Array
  readonly #from: number
  #to: number
  readonly #maxDepth: number
  #at: number
  #steps = 0
  /** The start and the kind of each open object and array, outermost first. Empty: looking for the next object. */
  readonly #starts: Array<number> = []
  readonly #arrays: Array<boolean> = []
  #expecting: Expecting = "key or end"
  #deep = false
  /** The last object that closed inside the present one. */
  #closed: Span = { start: -1, end: -1, deep: false }
  /** Behind the last byte that is not blank. */
  #solid: number
  #chain: Array<Span> = []
  #nested: Nesting | undefined
  #head: ReadonlyArray<Span> | undefined
  #open = false
  #isOverfull = false
  #members = 0

  constructor(bytes: Uint8Array, from: number, to: number, maxDepth: number) {
    this.#bytes = bytes
    this.#from = from
    this.#to = to
    this.#maxDepth = maxDepth
    this.#at = from
    this.#solid = from
  }

  run(inString: boolean): Scan {
    if (inString) {
      this.#breakChain()
      this.#skipString()
    }
    this.#walk()
    if (this.#starts.length > 0) this.#die()
    return {
      head: this.#head ?? this.#chain,
      tail: this.#chain,
      nested: this.#nested,
      isOverfull: this.#isOverfull,
      open: this.#open,
      steps: this.#steps,
    }
  }

  /** How many members outermost objects have had so far. */
  get members(): number {
    return this.#members
  }

  /** The same bytes with more behind them: goes on from where the scan stopped, and says what stands from the first byte on. */
  grow(bytes: Uint8Array, to: number): "open" | "whole" | "broken" {
    this.#bytes = bytes
    this.#to = to
    if (this.#open) this.#open = !this.#skipString()
    this.#walk()
    if (this.#open) return "open"
    return this.#head === undefined && this.#starts.length === 0 && this.#chain.length === 1 ? "whole" : "broken"
  }

  #walk(): void {
    while (this.#at < this.#to) {
      this.#steps++
      const byte = this.#bytes[this.#at] as number
      if (isSpace(byte)) this.#at++
      else if (this.#starts.length === 0) this.#search(byte)
      else if (this.#follow(byte)) this.#solid = this.#at
      else this.#die()
    }
  }

  /** Outside of any object: only an opening brace matters, and where strings begin and end. */
  #search(byte: number): void {
    if (byte === OPEN_BRACE) this.#openContainer(false)
    else {
      this.#breakChain()
      this.#at++
      if (byte === QUOTE) this.#skipString()
      else if (byte === BACKSLASH) {
        // Pairs like the ones in a string, so that the two scans stay opposite; but a cut behind a lone backslash hides no brace.
        const next = this.#bytes[this.#at]
        if (next === QUOTE || next === BACKSLASH) this.#at++
      }
    }
    this.#solid = this.#at
  }

  /** Inside an object: takes one token; false when it does not fit. Then {@link #search} looks at it again. */
  #follow(byte: number): boolean {
    const expecting = this.#expecting
    const value = expecting === "value" || expecting === "value or end"
    if (byte === QUOTE) {
      if (!value && expecting !== "key" && expecting !== "key or end") return false
      this.#expecting = value ? "comma or end" : "colon"
      this.#at++
      if (!this.#skipString()) this.#open = value && this.#starts[0] === this.#from
      return true
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (value) this.#openContainer(byte === OPEN_BRACKET)
      return value
    }
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      const array = this.#arrays.at(-1)
      const fits =
        (byte === CLOSE_BRACKET) === array &&
        (expecting === "comma or end" || expecting === (array ? "value or end" : "key or end"))
      if (fits) this.#close()
      return fits
    }
    if (byte === COMMA || byte === COLON) {
      if (expecting !== (byte === COMMA ? "comma or end" : "colon")) return false
      this.#expecting = byte === COLON || this.#arrays.at(-1) ? "value" : "key"
      if (byte === COLON && this.#starts.length === 1) this.#members++
      this.#at++
      return true
    }
    if (!value || !this.#skipScalar(byte)) return false
    this.#expecting = "comma or end"
    return true
  }

  #openContainer(array: boolean): void {
    if (this.#starts.length >= this.#maxDepth) this.#skipDeep()
    else {
      this.#starts.push(this.#at)
      this.#arrays.push(array)
      this.#expecting = array ? "value or end" : "key or end"
      this.#at++
    }
  }

  #close(): void {
    this.#at++
    const start = this.#starts.pop() as number
    const array = this.#arrays.pop() as boolean
    this.#expecting = "comma or end"
    const span = { start, end: this.#at, deep: this.#deep }
    if (this.#starts.length > 0) {
      if (!array) this.#closed = span
      return
    }
    this.#chain.push(span)
    this.#deep = false
    if (this.#chain.length > MAX_RECORDS_PER_LINE) {
      this.#isOverfull = true
      this.#at = this.#to
    }
  }

  /** Counts through what is nested deeper than the limit: strings and brackets only. */
  #skipDeep(): void {
    this.#deep = true
    let depth = 0
    while (this.#at < this.#to) {
      this.#steps++
      const byte = this.#bytes[this.#at++] as number
      if (byte === QUOTE) this.#skipString()
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) break
      else if (byte === BACKSLASH) {
        this.#at-- // the grammar breaks: left to the search, which knows pairs
        break
      }
    }
    this.#expecting = depth === 0 ? "comma or end" : "colon"
  }

  /** To behind the quote that closes the string; false when there is none. */
  #skipString(): boolean {
    while (this.#at < this.#to) {
      this.#steps++
      const byte = this.#bytes[this.#at++]
      if (byte === QUOTE) return true
      if (byte === BACKSLASH) this.#at++
    }
    this.#at = this.#to
    return false
  }

  #skipScalar(byte: number): boolean {
    const literal = LITERALS.get(byte)
    if (literal !== undefined) {
      for (let i = 0; i < literal.length; i++) {
        if (this.#at + i >= this.#to || this.#bytes[this.#at + i] !== literal.charCodeAt(i)) return false
      }
      this.#at += literal.length
      return true
    }
    const start = this.#at
    while (this.#at < this.#to && isNumberByte(this.#bytes[this.#at])) {
      this.#steps++
      this.#at++
    }
    return this.#at > start
  }

  /** Bytes that belong to no whole object stand here. */
  #breakChain(): void {
    this.#head ??= this.#chain
    if (this.#chain.length > 0 || this.#chain === this.#head) this.#chain = []
    this.#nested = undefined
  }

  /** The grammar breaks here. If a whole object stands right before, it may be a record behind a record that was cut. */
  #die(): void {
    const closed = this.#closed
    const start = this.#starts[0] as number
    const ambiguous = this.#expecting === "comma or end" && closed.end === this.#solid && closed.start > start
    this.#breakChain()
    if (ambiguous) {
      const closers = this.#arrays.map((array) => (array ? "]" : "}")).reverse()
      this.#nested = { start, closers: closers.join("") }
      this.#chain.push(closed)
    }
    this.#starts.length = 0
    this.#arrays.length = 0
    this.#deep = false
  }
}

/**
 * Scans `bytes[from, to)`, which should begin and end with a byte that is not blank. `inString`: whether the first byte is taken to
 * stand inside a string. Objects nested deeper than `maxDepth` are whole when their brackets pair up.
 */
export const scan = (bytes: Uint8Array, from: number, to: number, inString: boolean, maxDepth: number): Scan =>
  new Scanner(bytes, from, to, maxDepth).run(inString)
