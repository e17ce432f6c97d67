/**
 * What a secret can begin with: fixed characters of a known value or of a format, found by their first two and then by their first three.
 *
 * A table has a sign for each pair of characters: whether an anchor begins with it, and whether its second character says that something
 * else is to be looked at. So a text without candidates costs one look-up for each character, in a table that fits the nearest memory.
 */
import { ALPHABETS, type Alphabet, isIn, Runs } from "./Alphabet.ts"
import { AWS_KEY_ID, FORMATS, type Format, JWT, PRIVATE_KEY } from "./Formats.ts"
import { AWS_SECRET, URL_PASSWORD } from "./Kinds.ts"
import { findMark, MARKS, type Mark } from "./Marks.ts"
import { privateKeyEnd, puttyLines } from "./PrivateKey.ts"
import { STRUCTURES, secretsNear } from "./Structures.ts"
import type { Units } from "./Units.ts"
import { urlPassword } from "./UrlPassword.ts"
import { NARROW } from "./View.ts"
import { readsLikeName } from "./Words.ts"

/** Something to look for that begins with fixed characters. */
export interface Anchor {
  readonly text: string
  /** What stands behind the fixed characters at least, or nothing would be found. Asked before `find`, because it is cheap. */
  readonly body: Body | undefined
  /** Longer than a narrow view and with white space in it, so that such a view need not hold all of it. */
  readonly isSpread: boolean
  readonly kind: string
  readonly rank: number
  /** The secrets whose fixed characters stand at a position, as `[start, end]`, with their kind when it is another. */
  readonly find: (text: string, at: number, isApart: boolean) => ReadonlyArray<Hit>
}

type Hit = readonly [start: number, end: number, kind?: string]

/** At least so many characters of an alphabet, perhaps with dots among them. */
export type Body = readonly [alphabet: Alphabet, least: number, hasDots?: boolean]

const NONE: ReadonlyArray<Hit> = []

/** An anchor for fixed characters. */
const anchored = (text: string, kind: string, rank: number, find: Anchor["find"], body?: Body): Anchor => ({
  text,
  body,
  isSpread: text.length > NARROW && /[\0-\x20]/.test(text),
  kind,
  rank,
  find,
})

const DOT = 0x2e

/** Whether an anchor's characters stand at a position of a text, with enough behind them. */
export const standsAt = ({ text: fixed, body }: Anchor, text: string, at: number): boolean => {
  if (!text.startsWith(fixed, at)) return false
  if (body === undefined) return true
  const [alphabet, least, hasDots = false] = body
  const from = at + fixed.length
  for (let i = from; i < from + least; i++) {
    const code = text.charCodeAt(i)
    if (!isIn(alphabet, code) && !(hasDots && code === DOT)) return false
  }
  return true
}

/** The second character separates a name from its value. The lowest bit, as `noteBeginnings` needs it. */
const SEPARATOR = 1
/** It begins a JSON escape. */
export const BACKSLASH = 2
/** It begins a percent-encoded character. */
export const PERCENT = 4
/** It is not seen. */
export const INVISIBLE = 8
/** It is not seen, unless it is ASCII. */
const ALIAS = 32
const ANCHOR_BIT = 4
/** An anchor begins with the pair. */
const ANCHOR = 1 << ANCHOR_BIT

/** NUL and escape, and the lowest seven bits of U+200B to U+200D, U+2060 and U+FEFF. */
const INVISIBLE_CODES = [0x00, 0x1b]
const ALIAS_CODES = [0x0b, 0x0c, 0x0d, 0x60, 0x7f]

const pair = (first: number, second: number): number => ((first & 127) << 7) | (second & 127)

const LONGER_BITS = 13

/** Where the table of triples has its entry for a pair and the character behind it, and that of fours for such an entry and the next one. */
const longer = (place: number, next: number): number => (place * 61 + (next & 127)) & ((1 << LONGER_BITS) - 1)

/** In the table of triples: an anchor begins so. */
const BEGINS = 1
/** And it ends there, or goes on with what is not told here. */
const ENDS = 2

const isWordCode = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

/** What ends right before a token and is not part of it: an escape, a percent-encoded character, a terminal colour. */
const ENDS_APART = /(?:\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,10}m)$/

/** So many characters of base64 before a position, `+` or `/` the last of them, mean that it lies inside encoded data. */
const INSIDE_DATA = 48

const isInsideData = (text: string, at: number): boolean => {
  let before = 0
  while (before < INSIDE_DATA && isIn("base64", text.charCodeAt(at - 1 - before))) before++
  return before === INSIDE_DATA
}

/** Whether a token can begin at a position: no letter or digit right before it, except as the end of something else. */
export const isApart = (text: string, at: number): boolean => {
  if (at === 0) return true
  const code = text.charCodeAt(at - 1)
  if (isWordCode(code)) return ENDS_APART.test(text.slice(Math.max(0, at - 13), at))
  return (code !== 0x2b && code !== 0x2f) || !isInsideData(text, at)
}

/** Characters of a body that are looked at to tell it from a name. */
const LONGEST_JUDGED = 128

const hasLetterAndDigit = (body: string): boolean => /[A-Za-z]/.test(body) && /[0-9]/.test(body)

/** A known value. It is one wherever it stands. */
export const literal = (text: string, kind: string, rank: number): Anchor =>
  anchored(text, kind, rank, (_, at) => [[at, at + text.length]])

/** Runs shared by all rows with the same alphabet and dots. To be reset for each text. */
export class RunsByShape {
  readonly #byShape = new Map<string, Runs>()
  readonly #all: Array<Runs> = []

  get(format: Pick<Format, "body" | "dots">): Runs {
    const shape = `${format.body}.${format.dots ?? 0}`
    let runs = this.#byShape.get(shape)
    if (runs === undefined) {
      runs = new Runs(format.body, format.dots ?? 0)
      this.#byShape.set(shape, runs)
      this.#all.push(runs)
    }
    return runs
  }

  reset(text: string): void {
    for (const runs of this.#all) runs.reset(text)
  }
}

const RANK_FORMAT = 1_000

const prefixed = (prefix: string, format: Format, runs: Runs): Anchor => {
  const { kind, minimum, full, weak: isWeak = false, keeps = false, tail } = format
  const standsOut = !isWeak && /[-_.]/.test(prefix)
  return anchored(
    prefix,
    kind,
    RANK_FORMAT - prefix.length,
    (text, at, apart) => {
      const from = at + prefix.length
      const end = runs.end(from)
      if (end - from < minimum) return NONE
      const body = text.slice(from, Math.min(end, from + LONGEST_JUDGED))
      if (!apart && !(standsOut && end - from >= full && hasLetterAndDigit(body))) return NONE
      if (readsLikeName(body, isWeak, full)) return NONE
      const hit = [keeps ? from : at, tail === undefined ? end : tailEnd(tail, text, end)] as const
      return kind === AWS_KEY_ID ? [hit, ...secretsNear(text, at, end).map((near) => [...near, AWS_SECRET] as const)] : [hit]
    },
    bodyOf(format),
  )
}

/** Characters of a body that are asked for before it is looked at. */
const MOST_ASKED = 8

const bodyOf = ({ body, minimum, dots }: Format): Body => [body, Math.min(minimum, MOST_ASKED), dots !== undefined]

const tailEnd = (tail: RegExp, text: string, end: number): number => {
  tail.lastIndex = end
  return tail.test(text) ? tail.lastIndex : end
}

const jwt = (prefix: string, parts: Runs, whole: Runs): Anchor =>
  anchored(
    prefix,
    JWT.kind,
    RANK_FORMAT - prefix.length,
    (_, at, apart) => {
      const first = parts.end(at)
      const end = whole.end(at)
      return apart && first - at >= JWT.firstPart && end > first && end - at >= JWT.whole ? [[at, end]] : NONE
    },
    ["url", JWT.firstPart - prefix.length],
  )

const privateKey = anchored("BEGIN ", PRIVATE_KEY, RANK_FORMAT, (text, at) => {
  if (!text.startsWith("-----", at - 5) || at < 5) return NONE
  const end = privateKeyEnd(text, at)
  return end < 0 ? NONE : [[at - 5, end]]
})

const puttyKey = anchored("Private-Lines: ", PRIVATE_KEY, RANK_FORMAT, (text, at) => {
  const lines = puttyLines(text, at)
  return lines === undefined ? NONE : [lines]
})

const userinfo = anchored("://", URL_PASSWORD, RANK_FORMAT, (text, at) => {
  const found = urlPassword(text, at + 3)
  return found === undefined ? NONE : [found]
})

const marked = (mark: Mark): ReadonlyArray<Anchor> =>
  mark.texts.map((fixed) =>
    anchored(
      fixed,
      mark.kind,
      RANK_FORMAT,
      (text, at, apart) => {
        const found = findMark(mark, text, at, apart)
        return found === undefined ? NONE : [found]
      },
      mark.body,
    ),
  )

/** The anchors of all formats. */
const formatAnchors = (runs: RunsByShape): ReadonlyArray<Anchor> => [
  ...FORMATS.flatMap((format) => format.prefixes.map((prefix) => prefixed(prefix, format, runs.get(format)))),
  ...JWT.prefixes.map((prefix) => jwt(prefix, runs.get({ body: "url" }), runs.get({ body: "url", dots: 2 }))),
  privateKey,
  puttyKey,
  userinfo,
  ...MARKS.flatMap(marked),
  ...STRUCTURES.flatMap(({ kind, texts, find }) => texts.map((fixed) => anchored(fixed, kind, RANK_FORMAT, find))),
]

/** In what is noted of a position: an anchor may begin with the character before it and this one; it separates a name from its value. */
export const AT_ANCHOR = 1 << 15
export const AT_SEPARATOR = 1 << 14

/** What a pass over a portion found out: how many positions it has noted, and the signs of all pairs in it. */
export interface Noted {
  readonly count: number
  readonly flags: number
}

/** The signs of pairs and triples, and the anchors that begin with each pair. */
export class Table {
  readonly #signs: Uint8Array
  /** 1 for a pair that has a sign. */
  readonly #marks: Uint8Array
  /** What is known of anchors that begin with a pair and a third character that share the entry. */
  readonly #triples: Uint8Array
  /** 1 where one goes on with a fourth character that shares the entry. */
  readonly #fours: Uint8Array
  readonly #anchors: Map<number, ReadonlyArray<Anchor>>

  /** A table without anchors, or with those of another. */
  constructor(separators: boolean, from?: Table) {
    this.#signs = from === undefined ? new Uint8Array(1 << 14) : from.#signs.slice()
    this.#marks = from === undefined ? new Uint8Array(1 << 14) : from.#marks.slice()
    this.#triples = from === undefined ? new Uint8Array(1 << LONGER_BITS) : from.#triples.slice()
    this.#fours = from === undefined ? new Uint8Array(1 << LONGER_BITS) : from.#fours.slice()
    this.#anchors = new Map(from === undefined ? [] : from.#anchors)
    if (from !== undefined) return
    for (let first = 0; first < 128; first++) {
      this.#sign(pair(first, 0x5c), BACKSLASH)
      this.#sign(pair(first, 0x25), PERCENT)
      for (const code of INVISIBLE_CODES) this.#sign(pair(first, code), INVISIBLE)
      for (const code of ALIAS_CODES) this.#sign(pair(first, code), ALIAS)
      if (separators) for (const sign of [0x3a, 0x3d]) this.#sign(pair(first, sign), SEPARATOR)
    }
  }

  #sign(at: number, sign: number): void {
    this.#signs[at] = (this.#signs[at] ?? 0) | sign
    this.#marks[at] = 1
  }

  /** The anchors that may begin at a position of a text, the most telling first. */
  anchorsAt(text: string, at: number): ReadonlyArray<Anchor> {
    return this.#anchors.get(pair(text.charCodeAt(at), text.charCodeAt(at + 1))) ?? NO_ANCHORS
  }

  /**
   * Notes the second position of every pair that an anchor may begin with, by its third and fourth character too, and of every separator,
   * with which of the two it is. First the pairs that have a sign, then those of them that count.
   */
  noteBeginnings({ length, codes, noted, isAscii }: Units): Noted {
    const signs = this.#signs
    const marks = this.#marks
    const triples = this.#triples
    const fours = this.#fours
    let signed = 0
    let before = codes[0] as number
    for (let i = 0; i < length; i++) {
      const code = codes[i + 1] as number
      noted[signed] = i
      signed += marks[(before << 7) | code] as number
      before = code
    }
    let flags = 0
    let count = 0
    for (let n = 0; n < signed; n++) {
      const i = noted[n] as number
      const first = ((codes[i] as number) << 7) | (codes[i + 1] as number)
      const sign = signs[first] as number
      flags |= sign
      const three = longer(first, codes[i + 2] as number)
      const begun = triples[three] as number
      const isAnchor = (sign >> ANCHOR_BIT) & begun & ((begun >> 1) | (fours[longer(three, codes[i + 3] as number)] as number))
      const isSeparator = sign & SEPARATOR
      noted[count] = i | (isAnchor * AT_ANCHOR) | (isSeparator * AT_SEPARATOR)
      count += isAnchor | isSeparator
    }
    return { count, flags: !isAscii && (flags & ALIAS) !== 0 ? flags | INVISIBLE : flags }
  }

  /** Adds an anchor. In any order: of those that begin alike the most telling comes first. */
  add(anchor: Anchor): void {
    const { text } = anchor
    const at = pair(text.charCodeAt(0), text.charCodeAt(1))
    this.#sign(at, ANCHOR)
    for (const third of thirdsOf(anchor)) this.#addLonger(longer(at, third), text)
    const others = this.#anchors.get(at) ?? NO_ANCHORS
    this.#anchors.set(at, others.toSpliced(placeIn(others, anchor.rank), 0, anchor))
  }

  #addLonger(three: number, text: string): void {
    this.#triples[three] = (this.#triples[three] ?? 0) | BEGINS | (text.length > 3 ? 0 : ENDS)
    if (text.length > 3) this.#fours[longer(three, text.charCodeAt(3))] = 1
  }
}

const NO_ANCHORS: ReadonlyArray<Anchor> = []

const ANY_CODE: ReadonlyArray<number> = Array.from({ length: 128 }, (_, code) => code)

/** What can be an anchor's third character. */
const thirdsOf = ({ text, body }: Anchor): ReadonlyArray<number> => {
  if (text.length > 2) return [text.charCodeAt(2)]
  return body === undefined ? ANY_CODE : Array.from(ALPHABETS[body[0]], (character) => character.charCodeAt(0))
}

/** Where in a list in order of rank an anchor belongs: behind those of its own rank. */
const placeIn = (list: ReadonlyArray<Anchor>, rank: number): number => {
  const at = list.findIndex((other) => other.rank > rank)
  return at < 0 ? list.length : at
}

/** The runs of all formats. Shared: a scan resets them when it turns to a text. */
export const FORMAT_RUNS = new RunsByShape()

const FORMAT_TABLE: Table = (() => {
  const table = new Table(true)
  for (const anchor of formatAnchors(FORMAT_RUNS)) table.add(anchor)
  return table
})()

/** A new table with the anchors of all formats. */
export const formatTable = (): Table => new Table(true, FORMAT_TABLE)
