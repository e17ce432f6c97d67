/**
 * The proof that a stretch of bytes is one record, by the program of ScanProgram.ts, in a memory of its own.
 *
 * Gives the same as Grammar.ts (law IDX-3), several times as fast for text that stands in its memory. Pure but for what it remembers of
 * the last stretch.
 */
import { MAX_MEMBERS, type NoOutline, type Proof } from "./Grammar.ts"
import type { RunMarks } from "./Run.ts"
import {
  COUNT_AT,
  END_AT,
  ENDS_AT,
  ESCAPED_KEY,
  FIRST_TEXT,
  HASHES_AT,
  HIGH_AT,
  ID_ENDS_AT,
  MAX_PREFIX,
  MAX_PREFIXES,
  MAX_RUN,
  MEMBERS_AT,
  NOT_GRAMMAR,
  PARENT_ENDS_AT,
  PARENTS_AT,
  PREFIX_AT,
  PREFIX_BYTES,
  PREFIX_MASK,
  PREFIX_SIGNS,
  PREFIXED_AT,
  SCAN_MARGIN,
  SCANNED_DEPTH,
  TOO_DEEP,
  TOO_MANY_MEMBERS,
} from "./ScanLayout.ts"
import { scanModule } from "./ScanProgram.ts"

const PAGE_BYTES = 65_536

/** What makes a record of a text. */
const OPENING = Uint8Array.from('{"":"', (sign) => sign.charCodeAt(0))
const CLOSING = Uint8Array.from('"}', (sign) => sign.charCodeAt(0))

/** Prefixes that are compared at once. */
const isComparable = (prefix: string): boolean => /^[ !#-.0-[\]-~]+$/.test(prefix) && prefix.length <= MAX_PREFIX

interface Program {
  readonly scan: (from: number, maxDepth: number) => number
  readonly isUtf8: (from: number, to: number) => number
  readonly messages: (from: number, maxDepth: number) => number
}

/** What is used of the engine, whose types no library of this project brings. */
interface Engine {
  readonly validate: (bytes: Uint8Array) => boolean
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
  readonly Memory: new (size: { readonly initial: number }) => Memory
}

interface Memory {
  readonly buffer: ArrayBuffer
  /** @throws RangeError for want of memory */
  readonly grow: (pages: number) => number
}

const engine = (globalThis as { readonly WebAssembly?: Engine }).WebAssembly

const REASONS = new Map<number, NoOutline>([
  [NOT_GRAMMAR, "grammar"],
  [TOO_DEEP, "depth"],
  [TOO_MANY_MEMBERS, "members"],
  [ESCAPED_KEY, "escaped key"],
])

/** Made once, at the first file that is worth it; undefined where the engine does not take it. */
let compiled: { readonly module: object | undefined } | undefined

const compile = (given: Engine): object | undefined => {
  const bytes = scanModule()
  return given.validate(bytes) ? new given.Module(bytes) : undefined
}

export interface ScanOptions {
  readonly maxDepth: number
  readonly prefixes: ReadonlyArray<string>
}

export class Scan implements Proof {
  readonly #memory: Memory
  readonly #program: Program
  readonly #maxDepth: number
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  members = new Int32Array(0)
  #marks: RunMarks | undefined
  #numbers = new Int32Array(0)

  /** A scan with room for some bytes of text; undefined where it cannot be had, for such a depth or prefix, or for want of memory. */
  static make({ maxDepth, prefixes }: ScanOptions, room: number): Scan | undefined {
    if (maxDepth > SCANNED_DEPTH || prefixes.length > MAX_PREFIXES || !prefixes.every(isComparable)) return undefined
    if (engine === undefined) return undefined
    compiled ??= { module: compile(engine) }
    const { module } = compiled
    if (module === undefined) return undefined
    try {
      const memory = new engine.Memory({ initial: pagesOf(room) })
      const { exports } = new engine.Instance(module, { host: { memory } })
      return new Scan(memory, exports as unknown as Program, maxDepth, prefixes)
    } catch (cause) {
      if (cause instanceof RangeError) return undefined
      throw cause
    }
  }

  constructor(memory: Memory, program: Program, maxDepth: number, prefixes: ReadonlyArray<string>) {
    this.#memory = memory
    this.#program = program
    this.#maxDepth = maxDepth
    this.#look()
    prefixes.forEach((prefix, n) => {
      const place = PREFIX_AT + n * PREFIX_BYTES
      this.bytes[place] = 1
      for (let at = 0; at < prefix.length; at++) {
        this.bytes[place + PREFIX_SIGNS + at] = prefix.charCodeAt(at)
        this.bytes[place + PREFIX_MASK + at] = 0xff
      }
    })
  }

  /** The memory as it is now: what was seen of it before it grew is seen no more. */
  #look(): void {
    const { buffer } = this.#memory
    this.bytes = new Uint8Array(buffer)
    this.#numbers = new Int32Array(buffer)
    this.members = new Int32Array(buffer, MEMBERS_AT, 4 * MAX_MEMBERS)
    this.#marks = undefined
  }

  /** What is noted of the messages of the last run. */
  get marks(): RunMarks {
    const list = (at: number): Int32Array => new Int32Array(this.bytes.buffer, at, MAX_RUN)
    this.#marks ??= {
      bytes: this.bytes,
      ends: list(ENDS_AT),
      idEnds: list(ID_ENDS_AT),
      hashes: list(HASHES_AT),
      parents: list(PARENTS_AT),
      parentEnds: list(PARENT_ENDS_AT),
    }
    return this.#marks
  }

  /** Whether bytes stand in the memory, where text may stand. */
  holds(bytes: Uint8Array): boolean {
    return bytes.buffer === this.bytes.buffer
  }

  /** The first bytes of the room for text. What stood there stays; earlier views are good no more. Undefined for want of memory. */
  room(length: number): Uint8Array | undefined {
    const missing = pagesOf(length) - this.bytes.length / PAGE_BYTES
    if (missing > 0) {
      try {
        this.#memory.grow(missing)
      } catch (cause) {
        if (cause instanceof RangeError) return undefined
        throw cause
      }
      this.#look()
    }
    return this.bytes.subarray(FIRST_TEXT, FIRST_TEXT + length)
  }

  get count(): number {
    return this.#numbers[COUNT_AT >> 2] as number
  }

  get hasPrefix(): boolean {
    return this.#numbers[PREFIXED_AT >> 2] !== 0
  }

  /** Why `given[from, to)`, which it holds, is not proven to be a record, or undefined when it is. Linear. */
  read(given: Uint8Array, from: number, to: number): NoOutline | undefined {
    const [start, stop] = [given.byteOffset + from, given.byteOffset + to]
    if (from >= to || this.bytes[start] !== 0x7b) return "no object"
    const end = this.#upTo(stop, () => this.#program.scan(start, this.#maxDepth))
    if (end < FIRST_TEXT) return REASONS.get(end) ?? "grammar"
    return end === stop ? this.#utf8(start, end) : "grammar"
  }

  /**
   * Whether `given[from, to)`, which it holds, is text in the middle of a string: no quote that ends one, every escape and every character
   * whole. Five bytes before it and two behind are others for the moment. Linear.
   */
  isText(given: Uint8Array, from: number, to: number): boolean {
    const [start, stop] = [given.byteOffset + from, given.byteOffset + to]
    const before = this.bytes.slice(start - OPENING.length, start)
    const behind = this.bytes.slice(stop, stop + CLOSING.length)
    this.bytes.set(OPENING, start - OPENING.length)
    this.bytes.set(CLOSING, stop)
    const isRecord = this.read(given, from - OPENING.length, to + CLOSING.length) === undefined
    this.bytes.set(before, start - OPENING.length)
    this.bytes.set(behind, stop)
    // A quote in it would have begun another member, or something that is none.
    return isRecord && this.count === 1
  }

  /** Where the record ends that begins at `given[from]` and has a newline behind it; -1 when there is none. Linear. */
  ahead(given: Uint8Array, from: number): number {
    const start = given.byteOffset + from
    const end = this.#upTo(given.byteOffset + given.length, () => this.#program.scan(start, this.#maxDepth))
    if (end < FIRST_TEXT || this.bytes[end] !== 0x0a || end === given.byteOffset + given.length) return -1
    return this.#utf8(start, end) === undefined ? end - given.byteOffset : -1
  }

  /**
   * How many plain messages stand one behind the other from `given[from]` on, and what {@link ahead} says of the place behind them; nothing
   * behind the longest run. Linear.
   */
  run(given: Uint8Array, from: number): { readonly count: number; readonly next: number | undefined } {
    const start = given.byteOffset + from
    const count = this.#upTo(given.byteOffset + given.length, () => this.#program.messages(start, this.#maxDepth))
    const end = this.#numbers[END_AT >> 2] as number
    return { count, next: count === MAX_RUN ? undefined : end === 0 ? -1 : end - given.byteOffset }
  }

  /** What is told of the text up to `stop`, where the program stops at a NUL. */
  #upTo<A>(stop: number, tell: () => A): A {
    const { bytes } = this
    const behind = bytes[stop] as number
    bytes[stop] = 0
    const told = tell()
    bytes[stop] = behind
    return told
  }

  #utf8(start: number, end: number): NoOutline | undefined {
    return this.#numbers[HIGH_AT >> 2] === 0 || this.#program.isUtf8(start, end) === 1 ? undefined : "UTF-8"
  }
}

const pagesOf = (room: number): number => Math.ceil((FIRST_TEXT + room + SCAN_MARGIN) / PAGE_BYTES)
