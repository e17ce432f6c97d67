/**
 * The outline of a record: its members, told from its bytes without making anything of them.
 *
 * An outline is given for a stretch of bytes that is certainly one JSON object in UTF-8 from its first byte to its last, without a newline,
 * nested no deeper than the limit, with at most MAX_MEMBERS members and no escape in any of their keys. It then says of each member what
 * `parseJson` says. For any other stretch it gives a reason and says nothing: that is left to the parser (law IDX-1).
 *
 * The proof is Grammar.ts, or, once there is a room for large files, Scan.ts. Pure but for what it remembers of the last stretch.
 */
import { asciiText } from "../model/Ascii.ts"
import { BACKSLASH, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../model/JsonSigns.ts"
import { MAX_DEPTH } from "../model/Limits.ts"
import { Grammar, type NoOutline, type Proof } from "./Grammar.ts"
import { Run, type RunPlace } from "./Run.ts"
import { Scan } from "./Scan.ts"

/** What the value of a member is; a number is told by `-` or a digit, as a number. */
export type ValueKind = "string" | "object" | "list" | "null" | "boolean" | "number"

/** Bytes of the longest text that is given. */
export const MAX_TEXT_BYTES = 256

/** Bytes of the longest stretch that is kept in a room of its own. Longer ones are proven where they are. */
const MAX_ASIDE_BYTES = 32 << 20

const KINDS = new Map<number, ValueKind>([
  [QUOTE, "string"],
  [OPEN_BRACE, "object"],
  [OPEN_BRACKET, "list"],
  [0x6e, "null"],
  [0x74, "boolean"],
  [0x66, "boolean"],
])

/** What stands from a place on. */
export interface Ahead {
  readonly run: Run | undefined
  /** Where the record behind it ends. */
  readonly next: number | undefined
}

export class Outline {
  /** Levels of nesting that it follows; the record is the first. */
  readonly maxDepth: number
  readonly #prefixes: ReadonlyArray<string>
  readonly #grammar: Grammar
  /** Scans of the file's chunks, and of lines that lie in several of them. */
  #near: Scan | undefined
  #aside: Scan | undefined
  /** That of the last stretch. */
  #proof: Proof
  #reason: NoOutline | undefined

  /** `prefixes`: what {@link hasPrefix} looks for: some ASCII without quotes, slashes and backslashes each, which JSON spells as they are or by `\u`. */
  constructor(options: { readonly maxDepth?: number | undefined; readonly prefixes?: ReadonlyArray<string> | undefined } = {}) {
    this.maxDepth = options.maxDepth ?? MAX_DEPTH
    this.#prefixes = options.prefixes ?? []
    this.#grammar = new Grammar(this.maxDepth, this.#prefixes)
    this.#proof = this.#grammar
  }

  /** Bytes in which a file's chunks are proven faster than elsewhere, for as long as the file is read; undefined where that cannot be. */
  room(length: number): Uint8Array | undefined {
    const options = { maxDepth: this.maxDepth, prefixes: this.#prefixes }
    this.#near ??= Scan.make(options, length)
    this.#aside ??= this.#near && Scan.make(options, 0)
    return this.#near?.room(length)
  }

  /**
   * Bytes for a line that lies in several chunks, beginning with what the ones before began with, which are good no more. Undefined
   * without a {@link room}, and for a very long line.
   */
  aside(length: number): Uint8Array | undefined {
    return length > MAX_ASIDE_BYTES ? undefined : this.#aside?.room(length)
  }

  /** Whether bytes are those that {@link aside} gave. */
  isAside(bytes: Uint8Array): boolean {
    return this.#aside?.holds(bytes) === true
  }

  /**
   * Where the record ends that begins at `bytes[from]` and has a newline behind it, when that is certain and it has an outline, which is
   * then the one that this is asked about; otherwise -1. For bytes of the {@link room} alone. Linear.
   */
  ahead(bytes: Uint8Array, from: number): number {
    const near = this.#near
    if (near === undefined || !near.holds(bytes)) return -1
    const end = near.ahead(bytes, from)
    if (end < 0) return -1
    this.#proof = near
    this.#reason = undefined
    return end
  }

  /**
   * The plain messages that stand one behind the other from `bytes[from]` on, if any, and what {@link ahead} says of the place behind them,
   * which it then need not be asked; nothing behind the longest run. For bytes of the {@link room} alone. Linear.
   */
  run(bytes: Uint8Array, from: number, place: Pick<RunPlace, "line" | "offset">): Ahead | undefined {
    const near = this.#near
    if (near === undefined || !near.holds(bytes)) return undefined
    const { count, next } = near.run(bytes, from)
    this.#proof = near
    this.#reason = undefined
    const first = { ...place, from: bytes.byteOffset + from }
    return { run: count === 0 ? undefined : new Run(count, first, near.marks), next }
  }

  /** Whether `bytes[from, to)` is text in the middle of a string, in the {@link room}. See Scan.ts for what stands around it. Linear. */
  isText(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#near?.holds(bytes) === true && this.#near.isText(bytes, from, to)
  }

  /** Whether the stretch `bytes[from, to)` has an outline, which is then the one that this is asked about. Linear. */
  read(bytes: Uint8Array, from: number, to: number): boolean {
    const scan = [this.#near, this.#aside].find((each) => each?.holds(bytes))
    this.#reason = (scan ?? this.#grammar).read(bytes, from, to)
    this.#proof = scan ?? this.#grammar
    return this.#reason === undefined
  }

  /** Why the last stretch has no outline; undefined when it has one. */
  get reason(): NoOutline | undefined {
    return this.#reason
  }

  /**
   * Whether a string in it, a key or a value, begins with one of the prefixes, or may: an escape `\u` behind a part of one is not read. So
   * false is certain.
   */
  get hasPrefix(): boolean {
    return this.#proof.hasPrefix
  }

  /** What a member is; undefined when there is none. Of several under one key the last counts. */
  kind(key: string): ValueKind | undefined {
    const { bytes, members } = this.#proof
    const member = this.#find(key)
    return member < 0 ? undefined : (KINDS.get(bytes[members[member + 2] as number] as number) ?? "number")
  }

  /** The text of a string member; undefined when there is none, when it is long, and when it is not spelled in ASCII without escapes. */
  text(key: string): string | undefined {
    const { bytes, members } = this.#proof
    const member = this.#find(key)
    if (member < 0) return undefined
    const [from, to] = [(members[member + 2] as number) + 1, (members[member + 3] as number) - 1]
    if (bytes[from - 1] !== QUOTE || to - from > MAX_TEXT_BYTES) return undefined
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number
      if (byte > 0x7f || byte === BACKSLASH) return undefined
    }
    return asciiText(bytes, from, to)
  }

  /** Whether a member is a string that says this, in ASCII and spelled without escapes. Makes no text. */
  says(key: string, text: string): boolean {
    const { bytes, members } = this.#proof
    const member = this.#find(key)
    if (member < 0) return false
    const from = (members[member + 2] as number) + 1
    if (bytes[from - 1] !== QUOTE || (members[member + 3] as number) - 1 - from !== text.length) return false
    for (let at = 0; at < text.length; at++) {
      const byte = bytes[from + at] as number
      if (byte !== text.charCodeAt(at) || byte > 0x7f || byte === BACKSLASH) return false
    }
    return true
  }

  #find(key: string): number {
    const { bytes, members, count } = this.#proof
    for (let member = 4 * (count - 1); member >= 0; member -= 4) {
      const from = members[member] as number
      if ((members[member + 1] as number) - from !== key.length) continue
      let at = 0
      while (at < key.length && bytes[from + at] === key.charCodeAt(at)) at++
      if (at === key.length) return member
    }
    return -1
  }
}
