/**
 * Finds the secrets of one text: known values, known formats and assignments, in all its views.
 *
 * One loop over the characters. A table with an entry for each pair of characters says whether anything can begin there: the first two
 * characters of a prefix or of a known value, a separator of an assignment, a sign that the text is worth a further view. Whatever begins
 * is followed with remembered ends, so the cost is linear in the text, adversarial text included (law SEC-4).
 */
import { Runs } from "./Alphabet.ts"
import { Assignments } from "./Assignments.ts"
import type { KnownValues } from "./Environment.ts"
import { FORMATS, type Format, JWT, PRIVATE_KEY } from "./Formats.ts"
import { CREDENTIAL, ENVIRONMENT, PASSWORD, REGISTERED } from "./Kinds.ts"
import { marker } from "./Marker.ts"
import type { Names } from "./Names.ts"
import { privateKeyEnd } from "./PrivateKey.ts"
import { outsideMarkers, replace, type Span, toWholeEscapes, unite } from "./Span.ts"
import { percentDecoded, plainView, unescaped, type View } from "./View.ts"
import { readsLikeName } from "./Words.ts"

/** Something to look for that begins with fixed characters. */
interface Anchor {
  readonly text: string
  readonly kind: string
  readonly rank: number
  /** The secret whose fixed characters stand at a position, as `[start, end]`. */
  readonly find: (text: string, at: number, isApart: boolean) => readonly [start: number, end: number] | undefined
}

const SEPARATOR = 1
const BACKSLASH = 2
const PERCENT = 4
/** Bits below the number of a pair's list of anchors. */
const FLAG_BITS = 3

/** How often JSON in a string in JSON in a string is followed. */
const DEPTH = 3

/** How often the result is looked at again before the whole text is given up. */
const ROUNDS = 4

/** Shorter texts hold nothing that counts: an assignment of a PIN is the shortest finding. */
const SHORTEST = 8

const pair = (first: number, second: number): number => ((first & 127) << 7) | (second & 127)

const isWordCode = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code > 127

/** What ends right before a token and is not part of it: an escape, a percent-encoded character, a terminal colour. */
const ENDS_APART = /(?:\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,10}m)$/

/** Whether a token can begin at a position: no letter or digit right before it, except as the end of something else. */
const isApart = (text: string, at: number): boolean =>
  at === 0 || !isWordCode(text.charCodeAt(at - 1)) || ENDS_APART.test(text.slice(Math.max(0, at - 13), at))

const hasLetterAndDigit = (body: string): boolean => /[A-Za-z]/.test(body) && /[0-9]/.test(body)

const literal = (text: string, kind: string, rank: number): Anchor => ({
  text,
  kind,
  rank,
  find: (_, at) => [at, at + text.length],
})

/** Runs shared by all rows with the same alphabet and dots. */
class RunsByShape {
  readonly #all = new Map<string, Runs>()

  get(format: Pick<Format, "body" | "dots">): Runs {
    const shape = `${format.body}.${format.dots ?? 0}`
    const known = this.#all.get(shape) ?? new Runs(format.body, format.dots ?? 0)
    this.#all.set(shape, known)
    return known
  }

  reset(text: string): void {
    for (const runs of this.#all.values()) runs.reset(text)
  }
}

const RANK_LITERAL = 0
const RANK_FORMAT = 1_000
const RANK_ASSIGNMENT = 2_000

const prefixed = (prefix: string, format: Format, runs: Runs): Anchor => ({
  text: prefix,
  kind: format.kind,
  rank: RANK_FORMAT - prefix.length,
  find: (text, at, apart) => {
    const from = at + prefix.length
    const end = runs.end(from)
    const length = end - from
    if (length < format.minimum) return undefined
    const body = text.slice(from, Math.min(end, from + 128))
    if (!apart && (format.weak === true || length < format.full || !hasLetterAndDigit(body))) return undefined
    if (readsLikeName(body, format.weak === true, format.full)) return undefined
    return [format.keeps === true ? from : at, end]
  },
})

const jwt = (parts: Runs, whole: Runs): Anchor => ({
  text: JWT.prefix,
  kind: JWT.kind,
  rank: RANK_FORMAT - JWT.prefix.length,
  find: (_, at, apart) => {
    const first = parts.end(at)
    const end = whole.end(at)
    return apart && first - at >= JWT.firstPart && end > first && end - at >= JWT.whole ? [at, end] : undefined
  },
})

const privateKey: Anchor = {
  text: "BEGIN ",
  kind: PRIVATE_KEY,
  rank: RANK_FORMAT,
  find: (text, at) => {
    if (!text.startsWith("-----", at - 5) || at < 5) return undefined
    const end = privateKeyEnd(text, at)
    return end < 0 ? undefined : [at - 5, end]
  },
}

/** The table of pairs and the lists of anchors that its entries number. */
class Table {
  readonly entries = new Uint32Array(1 << 14)
  readonly lists: Array<Array<Anchor>> = [[]]

  constructor(anchors: ReadonlyArray<Anchor>, separators: boolean) {
    for (let first = 0; first < 128; first++) {
      this.entries[pair(first, 0x5c)] = BACKSLASH
      this.entries[pair(first, 0x25)] = PERCENT
      if (separators) for (const sign of [0x3a, 0x3d]) this.entries[pair(first, sign)] = SEPARATOR
    }
    for (const anchor of anchors) this.#add(anchor)
  }

  #add(anchor: Anchor): void {
    const at = pair(anchor.text.charCodeAt(0), anchor.text.charCodeAt(1))
    const entry = this.entries[at] ?? 0
    const list = this.lists[entry >> FLAG_BITS]
    if (entry >> FLAG_BITS === 0 || list === undefined) {
      this.entries[at] = entry | (this.lists.length << FLAG_BITS)
      this.lists.push([anchor])
    } else list.push(anchor)
  }
}

/** What a text is searched for. */
export type Scope =
  /** Everything. */
  | "all"
  /** Known values only: for ciphertext, where a format or a name could only occur by chance. */
  | "known"

const NONE: ReadonlyArray<Span> = []

/** Not for use by two callers at a time: it keeps the state of the scan under way. Scans do not call out, so plain code cannot. */
export class Scanner {
  readonly #all: Table
  readonly #known: Table
  readonly #runs = new RunsByShape()
  readonly #assignments: Assignments
  /** Known values that a JSON number could spell. */
  readonly #numbers: ReadonlyArray<Anchor>
  /** The text being scanned, and what was found in it, in its positions. */
  #original = ""
  #found: Array<Span> = []
  /** Whether the remembered ends belong to the view being scanned. */
  #isPrepared = false

  constructor(known: KnownValues, names: Names) {
    const literals = [
      ...known.environment.map((value) => literal(value, ENVIRONMENT, RANK_LITERAL)),
      ...known.registered.map((value) => literal(value, REGISTERED, RANK_LITERAL + 1)),
    ]
    const rows = FORMATS.flatMap((format) => format.prefixes.map((prefix) => prefixed(prefix, format, this.#runs.get(format))))
    const token = jwt(this.#runs.get({ body: "url" }), this.#runs.get({ body: "url", dots: 2 }))
    this.#all = new Table([...literals, ...rows, token, privateKey], true)
    this.#known = new Table(literals, false)
    this.#numbers = literals.filter(({ text }) => /^[0-9.eE+-]*$/.test(text))
    this.#assignments = new Assignments(names, known.weak)
  }

  /** The kind of known value that the text of a number holds, if any. */
  kindOfNumber(text: string): string | undefined {
    return this.#numbers.length === 0 ? undefined : this.#numbers.find((anchor) => text.includes(anchor.text))?.kind
  }

  /**
   * The stretches of a text that must go: in order, not overlapping, outside markers, and such that the text without them has no further
   * finding. Empty for most texts, and then nothing was copied.
   */
  scan(text: string, scope: Scope): ReadonlyArray<Span> {
    if (text.length < SHORTEST) return NONE
    let spans = this.#once(text, scope)
    if (spans.length === 0) return NONE
    for (let round = 1; round < ROUNDS; round++) {
      const more = this.#once(replace(text, spans), scope)
      if (more.length === 0) return spans
      spans = settled(text, [...spans, ...more.map(backThrough(spans))])
    }
    return [{ start: 0, end: text.length, kind: spans[0]?.kind ?? ENVIRONMENT, rank: RANK_LITERAL }]
  }

  #once(text: string, scope: Scope): ReadonlyArray<Span> {
    this.#original = text
    const table = scope === "all" ? this.#all : this.#known
    const flags = this.#read(text, undefined, table)
    if ((flags & (BACKSLASH | PERCENT)) !== 0) this.#readViews(table)
    if (this.#found.length === 0) return NONE
    const found = this.#found
    this.#found = []
    return settled(text, found)
  }

  #readViews(table: Table): void {
    let view: View | undefined = plainView(this.#original)
    for (let depth = 0; view !== undefined; depth++) {
      if (depth > 0) this.#read(view.text, view, table)
      const decoded = percentDecoded(view)
      if (decoded !== undefined) {
        this.#read(decoded.text, decoded, table)
        const inner = unescaped(decoded)
        if (inner !== undefined) this.#read(inner.text, inner, table)
      }
      view = depth < DEPTH ? unescaped(view) : undefined
    }
  }

  /** Scans the text or a view of it. Returns which signs of further views it saw. */
  #read(text: string, view: View | undefined, { entries, lists }: Table): number {
    this.#isPrepared = false
    let flags = 0
    /** The end of what anchors found so far: what begins in it or right after it stands apart. */
    let covered = -1
    let before = 0
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i) & 127
      const entry = entries[(before << 7) | code] as number
      before = code
      if (entry === 0) continue
      flags |= entry
      if (entry >> FLAG_BITS !== 0)
        covered = this.#anchored(text, view, lists[entry >> FLAG_BITS] as ReadonlyArray<Anchor>, i - 1, covered)
      if ((entry & SEPARATOR) !== 0) this.#assigned(text, view, i)
    }
    return flags
  }

  #prepare(text: string): void {
    if (this.#isPrepared) return
    this.#runs.reset(text)
    this.#assignments.reset(text)
    this.#isPrepared = true
  }

  #anchored(text: string, view: View | undefined, anchors: ReadonlyArray<Anchor>, at: number, covered: number): number {
    let end = covered
    for (const anchor of anchors) {
      if (!text.startsWith(anchor.text, at)) continue
      this.#prepare(text)
      const span = anchor.find(text, at, at <= covered || isApart(text, at))
      if (span === undefined || span[1] <= end) continue
      end = span[1]
      const [from, to] = view === undefined ? span : view.toOriginal(span[0], end)
      this.#found.push({ start: from, end: to, kind: anchor.kind, rank: anchor.rank })
    }
    return end
  }

  #assigned(text: string, view: View | undefined, at: number): void {
    const code = text.charCodeAt(at)
    if (code !== 0x3a && code !== 0x3d) return
    this.#prepare(text)
    const assignment = this.#assignments.at(at)
    if (assignment === undefined) return
    const toOriginal = (start: number, end: number) =>
      view === undefined ? ([start, end] as const) : view.toOriginal(start, end)
    const [start, end] = toOriginal(assignment.start, assignment.end)
    const kind = assignment.name === "password" ? PASSWORD : CREDENTIAL
    const { quoteAt } = assignment
    const wrap = quoteAt === undefined ? {} : { wrap: this.#original.slice(...toOriginal(quoteAt, quoteAt + 1)) }
    this.#found.push({ start, end, kind, rank: RANK_ASSIGNMENT, ...wrap })
  }
}

const settled = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  outsideMarkers(text, toWholeEscapes(text, unite(spans)))

/** Turns a span of the text with markers into one of the text before. What touches a replacement takes in all that was replaced. */
const backThrough =
  (spans: ReadonlyArray<Span>) =>
  (span: Span): Span => {
    let { start, end } = span
    let shift = 0
    for (const replaced of spans) {
      const length = marker(replaced.kind).length + 2 * (replaced.wrap ?? "").length
      const from = replaced.start + shift
      const to = from + length
      if (from >= span.end) break
      shift += length - (replaced.end - replaced.start)
      if (span.start >= to) start = span.start - shift
      else if (span.start >= from) start = replaced.start
      end = span.end < to ? replaced.end : span.end - shift
    }
    return { ...span, start, end }
  }
