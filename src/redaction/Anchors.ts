/**
 * What a secret can begin with: fixed characters of a known value or of a format, found by their first two.
 *
 * A table has an entry for each pair of characters: which anchors begin with it, and whether its second character is a sign that something
 * else is to be looked at. So a text without candidates costs one look-up for each character.
 */
import { isIn, Runs } from "./Alphabet.ts"
import { AWS_KEY_ID, FORMATS, type Format, JWT, PRIVATE_KEY } from "./Formats.ts"
import { AWS_SECRET, URL_PASSWORD } from "./Kinds.ts"
import { findMark, MARKS, type Mark } from "./Marks.ts"
import { privateKeyEnd, puttyLines } from "./PrivateKey.ts"
import { STRUCTURES, secretsNear } from "./Structures.ts"
import { urlPassword } from "./UrlPassword.ts"
import { readsLikeName } from "./Words.ts"

/** Something to look for that begins with fixed characters. */
export interface Anchor {
  readonly text: string
  /** The code of its third character, looked at before the rest; -1 when it has only two. */
  readonly third: number
  readonly kind: string
  readonly rank: number
  /** The secrets whose fixed characters stand at a position, as `[start, end]`, with their kind when it is another. */
  readonly find: (text: string, at: number, isApart: boolean) => ReadonlyArray<Hit>
}

type Hit = readonly [start: number, end: number, kind?: string]

const NONE: ReadonlyArray<Hit> = []

/** An anchor for fixed characters. */
const anchored = (text: string, kind: string, rank: number, find: Anchor["find"]): Anchor => ({
  text,
  third: text.length > 2 ? text.charCodeAt(2) : -1,
  kind,
  rank,
  find,
})

/** The second character separates a name from its value. */
export const SEPARATOR = 1
/** It begins a JSON escape. */
export const BACKSLASH = 2
/** It begins a percent-encoded character. */
export const PERCENT = 4
/** It may be a character that is not seen. */
export const INVISIBLE = 8
/** Bits below the number of a pair's list of anchors. */
export const FLAG_BITS = 4

/** The lowest seven bits of the characters that are not seen: NUL, escape, U+200B to U+200D and U+FEFF. */
const INVISIBLE_CODES = [0x00, 0x1b, 0x0b, 0x0c, 0x0d, 0x7f]

const pair = (first: number, second: number): number => ((first & 127) << 7) | (second & 127)

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
  return anchored(prefix, kind, RANK_FORMAT - prefix.length, (text, at, apart) => {
    const from = at + prefix.length
    const end = runs.end(from)
    if (end - from < minimum) return NONE
    const body = text.slice(from, Math.min(end, from + LONGEST_JUDGED))
    if (!apart && !(standsOut && end - from >= full && hasLetterAndDigit(body))) return NONE
    if (readsLikeName(body, isWeak, full)) return NONE
    const hit = [keeps ? from : at, tail === undefined ? end : tailEnd(tail, text, end)] as const
    return kind === AWS_KEY_ID ? [hit, ...secretsNear(text, at, end).map((near) => [...near, AWS_SECRET] as const)] : [hit]
  })
}

const tailEnd = (tail: RegExp, text: string, end: number): number => {
  tail.lastIndex = end
  return tail.test(text) ? tail.lastIndex : end
}

const jwt = (prefix: string, parts: Runs, whole: Runs): Anchor =>
  anchored(prefix, JWT.kind, RANK_FORMAT - prefix.length, (_, at, apart) => {
    const first = parts.end(at)
    const end = whole.end(at)
    return apart && first - at >= JWT.firstPart && end > first && end - at >= JWT.whole ? [[at, end]] : NONE
  })

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
    anchored(fixed, mark.kind, RANK_FORMAT, (text, at, apart) => {
      const found = findMark(mark, text, at, apart)
      return found === undefined ? NONE : [found]
    }),
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

/** The table of pairs and the lists of anchors that its entries number. */
export class Table {
  readonly entries: Uint32Array
  readonly lists: Array<Array<Anchor>>

  /** A table without anchors, or with those of another. */
  constructor(separators: boolean, from?: Table) {
    this.entries = from === undefined ? new Uint32Array(1 << 14) : from.entries.slice()
    this.lists = from === undefined ? [[]] : from.lists.map((list) => [...list])
    if (from !== undefined) return
    for (let first = 0; first < 128; first++) {
      this.entries[pair(first, 0x5c)] = BACKSLASH
      this.entries[pair(first, 0x25)] = PERCENT
      for (const code of INVISIBLE_CODES) this.entries[pair(first, code)] = INVISIBLE
      if (separators) for (const sign of [0x3a, 0x3d]) this.entries[pair(first, sign)] = SEPARATOR
    }
  }

  /** Adds an anchor. In any order: of those that begin alike the most telling comes first. */
  add(anchor: Anchor): void {
    const at = pair(anchor.text.charCodeAt(0), anchor.text.charCodeAt(1))
    const entry = this.entries[at] ?? 0
    const list = this.lists[entry >> FLAG_BITS]
    if (entry >> FLAG_BITS === 0 || list === undefined) {
      this.entries[at] = entry | (this.lists.length << FLAG_BITS)
      this.lists.push([anchor])
    } else list.splice(placeIn(list, anchor.rank), 0, anchor)
  }
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
