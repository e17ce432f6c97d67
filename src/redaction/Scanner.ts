/**
 * Finds the secrets of one text: known values, known formats and assignments, in all its views.
 *
 * One loop over the characters. A table with an entry for each pair of characters says whether anything can begin there: the first two
 * characters of a prefix or of a known value, a separator of an assignment, a sign that the text is worth a further view. Whatever begins
 * is followed with remembered ends, so the cost is linear in the text, adversarial text included (law SEC-4).
 */
import { isIn, Runs } from "./Alphabet.ts"
import { Assignments, isPin, isSecretMember, type WeakValues } from "./Assignments.ts"
import type { KnownValues } from "./Environment.ts"
import { FORMATS, type Format, JWT, PRIVATE_KEY } from "./Formats.ts"
import { CREDENTIAL, ENVIRONMENT, PASSWORD, REGISTERED } from "./Kinds.ts"
import type { NameClass, Names } from "./Names.ts"
import { isContainer, nestedSpans, type Search } from "./Nested.ts"
import { privateKeyEnd } from "./PrivateKey.ts"
import { covers, outsideMarkers, replace, type Span, toWholeEscapes, unite } from "./Span.ts"
import { percentDecoded, plainView, replacedView, unescaped, type View } from "./View.ts"
import { readsLikeName } from "./Words.ts"

/** Something to look for that begins with fixed characters. */
interface Anchor {
  readonly text: string
  /** The code of its third character, looked at before the rest. */
  readonly third: number
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

/** So many characters of base64 before a position, `+` or `/` the last of them, mean that it lies inside encoded data. */
const INSIDE_DATA = 48

const isInsideData = (text: string, at: number): boolean => {
  let before = 0
  while (before < INSIDE_DATA && isIn("base64", text.charCodeAt(at - 1 - before))) before++
  return before === INSIDE_DATA
}

/** Whether a token can begin at a position: no letter or digit right before it, except as the end of something else. */
const isApart = (text: string, at: number): boolean => {
  if (at === 0) return true
  const code = text.charCodeAt(at - 1)
  if (isWordCode(code)) return ENDS_APART.test(text.slice(Math.max(0, at - 13), at))
  return (code !== 0x2b && code !== 0x2f) || !isInsideData(text, at)
}

/** Characters of a body that are looked at to tell it from a name. */
const LONGEST_JUDGED = 128

const hasLetterAndDigit = (body: string): boolean => /[A-Za-z]/.test(body) && /[0-9]/.test(body)

const literal = (text: string, kind: string, rank: number): Anchor => ({
  text,
  third: text.charCodeAt(2),
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

const prefixed = (prefix: string, format: Format, runs: Runs): Anchor => {
  const { kind, minimum, full, weak: isWeak = false, keeps = false } = format
  const standsOut = !isWeak && /[-_.]/.test(prefix)
  return {
    text: prefix,
    third: prefix.charCodeAt(2),
    kind,
    rank: RANK_FORMAT - prefix.length,
    find: (text, at, apart) => {
      const from = at + prefix.length
      const end = runs.end(from)
      if (end - from < minimum) return undefined
      const body = text.slice(from, Math.min(end, from + LONGEST_JUDGED))
      if (!apart && !(standsOut && end - from >= full && hasLetterAndDigit(body))) return undefined
      return readsLikeName(body, isWeak, full) ? undefined : [keeps ? from : at, end]
    },
  }
}

const jwt = (parts: Runs, whole: Runs): Anchor => ({
  text: JWT.prefix,
  third: JWT.prefix.charCodeAt(2),
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
  third: 0x47,
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
  readonly #weak: WeakValues
  readonly #search: Search
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
    const anchors = [...literals, ...rows, token, privateKey].toSorted((a, b) => a.rank - b.rank)
    this.#all = new Table(anchors, true)
    this.#known = new Table(literals, false)
    this.#numbers = literals.filter(({ text }) => /^[0-9.eE+-]*$/.test(text))
    this.#assignments = new Assignments(names, known.weak)
    this.#weak = known.weak
    this.#search = {
      nameOf: (key) => names.classOf(key),
      inString: (text, name) => this.scanUnder(text, name, "all"),
      ofNumber: (text, name) => {
        const kind = this.kindOfNumberUnder(text, name)
        return kind === undefined ? undefined : { kind, rank: RANK_LITERAL }
      },
    }
  }

  /** The kind of known value that a text of numbers holds, if any. */
  kindOfNumber(text: string): string | undefined {
    return this.#numbers.length === 0 ? undefined : this.#numbers.find((anchor) => text.includes(anchor.text))?.kind
  }

  /** The kind of secret that a number is, standing under a name. */
  kindOfNumberUnder(text: string, name: NameClass | undefined): string | undefined {
    return name === "password" && isPin(text) ? PASSWORD : this.kindOfNumber(text)
  }

  /** As {@link scan}, for a string that stands under a name of an object: all of it may be the secret. */
  scanUnder(text: string, name: NameClass | undefined, scope: Scope): ReadonlyArray<Span> {
    const spans = this.scan(text, scope)
    if (name === undefined) return spans
    const clean = spans.length === 0 ? text : replace(text, spans)
    return isSecretMember(clean, name, this.#weak) ? [{ start: 0, end: text.length, ...assignmentKind(name) }] : spans
  }

  /**
   * The stretches of a text that must go: in order, not overlapping, outside markers, and such that the text without them has no further
   * finding. Empty for most texts, and then nothing was copied.
   */
  scan(text: string, scope: Scope): ReadonlyArray<Span> {
    if (text.length < SHORTEST) return NONE
    if (scope === "known" || !isContainer(text)) return this.#settle(text, scope, this.#once(text, scope))
    const nested = settled(text, nestedSpans(text, this.#search))
    const isLeft = !covers(nested, this.#once(text, "known")) || this.#once(replacedView(text, nested).text, "known").length > 0
    // A known value that reaches over a quote, a bracket or an escape. Then the text cannot be read as JSON.
    return isLeft ? this.#settle(text, scope, settled(text, [...nested, ...this.#once(text, scope)])) : nested
  }

  /** The spans, and what shows itself once they are replaced. */
  #settle(text: string, scope: Scope, first: ReadonlyArray<Span>): ReadonlyArray<Span> {
    let spans = first
    if (spans.length === 0) return NONE
    for (let round = 1; round < ROUNDS; round++) {
      const after = replacedView(text, spans)
      const more = this.#once(after.text, scope)
      if (more.length === 0) return spans
      spans = settled(text, [...spans, ...more.map((span) => inOriginal(after, span))])
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
      if (text.charCodeAt(at + 2) !== anchor.third || !text.startsWith(anchor.text, at)) continue
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
    const { quoteAt } = assignment
    const wrap = quoteAt === undefined ? {} : { wrap: this.#original.slice(...toOriginal(quoteAt, quoteAt + 1)) }
    this.#found.push({ start, end, ...assignmentKind(assignment.name), ...wrap })
  }
}

const assignmentKind = (name: NameClass): Pick<Span, "kind" | "rank"> => ({
  kind: name === "password" ? PASSWORD : CREDENTIAL,
  rank: RANK_ASSIGNMENT,
})

const settled = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  outsideMarkers(text, toWholeEscapes(text, unite(spans)))

/** A span of a view in positions of the original. What touches a replacement takes in all that was replaced. */
const inOriginal = (view: View, span: Span): Span => {
  const [start, end] = view.toOriginal(span.start, span.end)
  return { ...span, start, end }
}
