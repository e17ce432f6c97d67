/**
 * Finds the secrets of one text: known values, known formats and assignments, in all its views.
 *
 * One loop over the characters asks a table of pairs whether anything can begin there (see `Anchors.ts`). Whatever begins is followed with
 * remembered ends, so the cost is linear in the text, adversarial text included (law SEC-4).
 */
import { AT_ANCHOR, AT_SEPARATOR, BACKSLASH, FORMAT_RUNS, INVISIBLE, isApart, PERCENT, standsAt, type Table } from "./Anchors.ts"
import { Assignments, isPin, isSecretMember, mayFollowName, type WeakValues } from "./Assignments.ts"
import { bytesOfBase64, textAmong } from "./Binary.ts"
import { type Encoded, eachEncoded } from "./Encoded.ts"
import { PRIVATE_KEY } from "./Formats.ts"
import { headerSecrets } from "./HeaderValue.ts"
import {
  AUTHORIZATION,
  AWS_SECRET,
  AZURE_SIGNATURE,
  BASIC_AUTH,
  COOKIE,
  CREDENTIAL,
  ENVIRONMENT,
  PASSWORD,
  URL_PASSWORD,
} from "./Kinds.ts"
import type { Lookup } from "./Lookup.ts"
import { isHeader, type NameClass, type Names } from "./Names.ts"
import { isContainer, nestedSpans, type Search } from "./Nested.ts"
import { covers, replace, type Span, settled } from "./Span.ts"
import { PORTION, Units } from "./Units.ts"
import { AROUND, NARROW, percentDecoded, plainView, replacedView, unescaped, type View, withoutInvisible } from "./View.ts"

const COLON = 0x3a
const EQUALS = 0x3d

/** How often JSON in a string in JSON in a string is followed. */
const DEPTH = 3

/** How often the result is looked at again before the whole text is given up. */
const ROUNDS = 4

/** Shorter texts hold nothing that counts: an assignment of a PIN is the shortest finding. */
const SHORTEST = 8

/** Known values name the kind before formats do, formats (in `Anchors.ts`) before assignments, and these before what base64 holds. */
export const RANK_LITERAL = 0
/** A format says what a learned value is better than the name that it once stood under. */
export const RANK_LEARNED = 1_500
const RANK_ASSIGNMENT = 2_000
const RANK_ENCODED = 3_000

/** What a text is searched for. */
export type Scope =
  /** Everything. */
  | "all"
  /** Everything, and the text among the bytes that it stands for: for the data of an image. */
  | "plain"
  /** Known values only: for ciphertext, where a format or a name could only occur by chance. */
  | "known"

/** Is told a value that was found, and its kind. */
export type Learn = (value: string, kind: string) => void

/** Kinds of values that nothing but their surroundings gave away. */
const GIVEN_AWAY: ReadonlySet<string> = new Set([
  PASSWORD,
  CREDENTIAL,
  AUTHORIZATION,
  COOKIE,
  URL_PASSWORD,
  AWS_SECRET,
  AZURE_SIGNATURE,
])

const NONE: ReadonlyArray<Span> = []

/** For each depth one, shared by all scanners: a scan under way at one depth lasts while others go on at further ones. */
const UNITS: Array<Units> = []

const unitsOf = (depth: number): Units => {
  UNITS[depth] ??= new Units()
  return UNITS[depth]
}

/** Not for use by two callers at a time: it keeps the state of the scan under way. Scans do not call out, so plain code cannot. */
export class Scanner {
  readonly #lookup: Lookup
  readonly #names: Names
  readonly #depth: number
  /** Looks into what base64 stands for. Made when there is some. */
  #innerOne: Scanner | undefined
  readonly #assignments: Assignments
  readonly #learn: Learn | undefined
  readonly #weak: WeakValues
  readonly #search: Search
  /** The text being scanned, and what was found in it, in its positions. */
  #original = ""
  #found: Array<Span> = []
  readonly #units: Units
  /** The end of what anchors found so far in the view being scanned: what begins in it or right after it stands apart. */
  #covered = -1
  /** Whether something was seen in the text that may begin a secret, in it or in another reading of it. */
  #sawBeginning = false
  /** Whether what is remembered for anchors, and for assignments, belongs to the view being scanned. */
  #hasRuns = false
  #hasAssignments = false

  /** `learn` is told what names and structures gave away, in the text itself and not in what base64 stands for. */
  constructor(lookup: Lookup, names: Names, weak: WeakValues, learn?: Learn, depth = DEPTH) {
    this.#lookup = lookup
    this.#learn = learn
    this.#names = names
    this.#depth = depth
    this.#assignments = new Assignments(names, weak)
    this.#units = unitsOf(depth)
    this.#weak = weak
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
    return this.#lookup.kindOfNumber(text)
  }

  /** The kind of secret that a number is, standing under a name. */
  kindOfNumberUnder(text: string, name: NameClass | undefined): string | undefined {
    return name === "password" && isPin(text) ? PASSWORD : this.kindOfNumber(text)
  }

  /** As {@link scan}, for a string that stands under a name of an object: all of it may be the secret. */
  scanUnder(text: string, name: NameClass | undefined, scope: Scope): ReadonlyArray<Span> {
    const spans = this.scan(text, scope)
    if (name === undefined) return spans
    if (isHeader(name)) {
      const parts = headerSecrets(text, name).map(([start, end]) => ({ start, end, ...assignmentKind(name) }))
      return parts.length === 0 ? spans : this.#settle(text, scope, settled(text, [...spans, ...parts]))
    }
    const clean = spans.length === 0 ? text : replace(text, spans)
    if (!isSecretMember(clean, name, this.#weak)) return spans
    this.#learn?.(text, KIND_OF[name])
    return [{ start: 0, end: text.length, ...assignmentKind(name) }]
  }

  /**
   * The stretches of a text that must go: in order, not overlapping, outside markers, and such that the text without them has no further
   * finding. Empty for most texts, and then nothing was copied.
   */
  scan(text: string, scope: Scope): ReadonlyArray<Span> {
    if (text.length < SHORTEST) return NONE
    if (scope !== "all" || !isContainer(text)) return this.#settle(text, scope, this.#once(text, scope))
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
    this.#sawBeginning = false
    const flags = this.#read(text, undefined, scope)
    if ((flags & (BACKSLASH | PERCENT | INVISIBLE)) !== 0) this.#readViews(scope, flags)
    // A session that does nothing must not hold its last text.
    this.#original = ""
    this.#assignments.reset("")
    if (this.#found.length === 0) return NONE
    const found = this.#found
    this.#found = []
    return settled(text, found)
  }

  /**
   * Reads the other readings of the text; but first, when nothing in the text may begin a secret, only looks whether there is anything to
   * find in them. Then a secret in a reading has a decoded character in its beginning: else that would stand in the text as well and would
   * have been seen. Beginnings are short, or without white space: a name with its separator, fixed characters and what is asked for behind
   * them, digits of base64, a part of a known value. So the narrow surroundings of the decoded characters hold all of it, and show that
   * there is something, though not how far it goes. A known value that is neither counts as seen wherever its first characters stand.
   */
  #readViews(scope: Scope, seen: number): void {
    if (this.#found.length === 0 && !this.#sawBeginning) this.#eachView(NARROW, seen, (view) => this.#look(view.text, scope))
    if (this.#found.length > 0 || this.#sawBeginning) this.#eachView(AROUND, seen, (view) => this.#read(view.text, view, scope))
  }

  /** Takes the readings of the text to a function, which returns which signs of further ones it saw. */
  #eachView(around: number, seen: number, take: (view: View) => number): void {
    let view: View | undefined = plainView(this.#original)
    let flags = seen
    for (let depth = 0; view !== undefined; depth++) {
      if (depth > 0) flags = take(view)
      const visible = (flags & INVISIBLE) === 0 ? undefined : withoutInvisible(view, around)
      if (visible !== undefined) take(visible)
      const decoded = percentDecoded(view, around)
      const both = decoded === undefined ? undefined : unescaped(decoded, around)
      if (decoded !== undefined) take(decoded)
      if (both !== undefined) take(both)
      view = depth < DEPTH ? unescaped(view, around) : undefined
    }
  }

  /** Only looks whether a secret may begin in a view. Returns which signs of further views it saw. */
  #look(text: string, scope: Scope): number {
    const units = this.#units
    const table = scope === "known" ? this.#lookup.known : this.#lookup.all
    const see = (): void => {
      this.#sawBeginning = true
    }
    let flags = 0
    let windowsDone = 0
    let encodedDone = 0
    this.#assignments.reset(text)
    for (let from = 0; from < text.length && !this.#sawBeginning; from += PORTION) {
      units.read(text, from)
      const noted = table.noteBeginnings(units)
      flags |= noted.flags
      for (let n = 0; n < noted.count; n++) this.#lookAt(text, table, units.noted[n] as number)
      windowsDone = this.#lookup.windows.find(text, units, windowsDone, see)
      if (scope === "all" && this.#depth > 0) encodedDone = eachEncoded(text, units, encodedDone, see)
    }
    if (this.#assignments.sawName) see()
    return flags
  }

  #lookAt(text: string, table: Table, note: number): void {
    const { from, codes } = this.#units
    const at = from + (note & ~(AT_ANCHOR | AT_SEPARATOR))
    if (
      (note & AT_ANCHOR) !== 0 &&
      at > 0 &&
      table.anchorsAt(text, at - 1).some((anchor) => anchor.isSpread || standsAt(anchor, text, at - 1))
    )
      this.#sawBeginning = true
    if ((note & AT_SEPARATOR) !== 0 && isSeparator(text, at) && mayFollowName(codes, at - from + 1)) this.#assignments.at(at)
  }

  /** Scans the text or a view of it, portion by portion. Returns which signs of further views it saw. */
  #read(text: string, view: View | undefined, scope: Scope): number {
    const units = this.#units
    const { windows } = this.#lookup
    const table = scope === "known" ? this.#lookup.known : this.#lookup.all
    this.#hasRuns = false
    this.#hasAssignments = false
    this.#covered = -1
    let flags = 0
    let windowsDone = 0
    let encodedDone = 0
    for (let from = 0; from < text.length; from += PORTION) {
      units.read(text, from)
      flags |= this.#readBeginnings(text, view, table)
      windowsDone = windows.find(text, units, windowsDone, (part) => this.#add(view, part))
      if (scope === "all" && this.#depth > 0)
        encodedDone = eachEncoded(text, units, encodedDone, (piece) => this.#readEncoded(piece, view))
    }
    if (scope === "plain" && view === undefined && this.#depth > 0) this.#readImage(text)
    return flags
  }

  get #inner(): Scanner {
    this.#innerOne ??= new Scanner(this.#lookup, this.#names, this.#weak, undefined, this.#depth - 1)
    return this.#innerOne
  }

  #readEncoded(piece: Encoded, view: View | undefined): void {
    const [found] = this.#inner.scan(piece.text, "all")
    if (found !== undefined) this.#add(view, { start: piece.start, end: piece.end, kind: found.kind, rank: RANK_ENCODED })
  }

  /** All of an image goes when the text among its bytes holds a secret: a part of base64 stands for nothing. */
  #readImage(text: string): void {
    const [found] = this.#inner.scan(textAmong(bytesOfBase64(text)), "all")
    if (found !== undefined) this.#found.push({ start: 0, end: text.length, kind: found.kind, rank: RANK_ENCODED })
  }

  #add(view: View | undefined, span: Span): void {
    const [start, end] = view === undefined ? [span.start, span.end] : view.toOriginal(span.start, span.end)
    this.#found.push({ ...span, start, end })
  }

  #readBeginnings(text: string, view: View | undefined, table: Table): number {
    const { from, codes, noted } = this.#units
    const { count, flags } = table.noteBeginnings(this.#units)
    for (let n = 0; n < count; n++) {
      const note = noted[n] as number
      const i = note & ~(AT_ANCHOR | AT_SEPARATOR)
      if ((note & AT_ANCHOR) !== 0 && from + i > 0) this.#anchored(text, view, table, from + i - 1)
      if ((note & AT_SEPARATOR) !== 0 && mayFollowName(codes, i + 1)) this.#assigned(text, view, from + i)
    }
    return flags
  }

  #anchored(text: string, view: View | undefined, table: Table, at: number): void {
    const covered = this.#covered
    for (const anchor of table.anchorsAt(text, at)) {
      this.#sawBeginning ||= anchor.isSpread
      if (!standsAt(anchor, text, at)) continue
      this.#sawBeginning = true
      if (!this.#hasRuns) FORMAT_RUNS.reset(text)
      this.#hasRuns = true
      for (const [start, stop, kind = anchor.kind] of anchor.find(text, at, at <= covered || isApart(text, at))) {
        if (stop <= this.#covered && kind === anchor.kind) continue
        if (kind === anchor.kind) this.#covered = stop
        this.#add(view, { start, end: stop, kind, rank: anchor.rank })
        if (this.#learn !== undefined && GIVEN_AWAY.has(kind)) this.#learn(text.slice(start, stop), kind)
      }
    }
  }

  #assigned(text: string, view: View | undefined, at: number): void {
    if (!isSeparator(text, at)) return
    if (!this.#hasAssignments) this.#assignments.reset(text)
    this.#hasAssignments = true
    for (const { start, end, name, quoteAt } of this.#assignments.at(at)) {
      const quote =
        quoteAt === undefined ? undefined : view === undefined ? [quoteAt, quoteAt + 1] : view.toOriginal(quoteAt, quoteAt + 1)
      const wrap = quote === undefined ? {} : { wrap: this.#original.slice(...quote) }
      this.#add(view, { start, end, ...assignmentKind(name), ...wrap })
      this.#learn?.(text.slice(start, end), KIND_OF[name])
    }
    this.#sawBeginning ||= this.#assignments.sawName
  }
}

const isSeparator = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code === COLON || code === EQUALS
}

const KIND_OF: Readonly<Record<NameClass, string>> = {
  password: PASSWORD,
  credential: CREDENTIAL,
  authorization: AUTHORIZATION,
  cookie: COOKIE,
  basic: BASIC_AUTH,
  "key-id": PRIVATE_KEY,
}

const assignmentKind = (name: NameClass): Pick<Span, "kind" | "rank"> => ({ kind: KIND_OF[name], rank: RANK_ASSIGNMENT })

/** A span of a view in positions of the original. What touches a replacement takes in all that was replaced. */
const inOriginal = (view: View, span: Span): Span => {
  const [start, end] = view.toOriginal(span.start, span.end)
  return { ...span, start, end }
}
