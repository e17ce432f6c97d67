/** What a redactor knows: made once from the host's options, then used for every value. */
import { Added } from "./Added.ts"
import { Carry } from "./Carry.ts"
import { type KnownValues, knownValues, type Skipped } from "./Environment.ts"
import { ENVIRONMENT, REGISTERED } from "./Kinds.ts"
import { Learned } from "./Learned.ts"
import { Lookup } from "./Lookup.ts"
import { Names } from "./Names.ts"
import { RANK_LEARNED, RANK_LITERAL, Scanner } from "./Scanner.ts"
import { Calls } from "./Sources.ts"

export interface RedactorOptions {
  /** The variables of the process, or a part of them. Read once; later changes are not seen. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Further values that are secrets, such as credentials that the host obtained. Each needs 8 characters. */
  readonly secrets?: ReadonlyArray<string>
  /** Keys of a record itself whose value is left alone when it has the form of an id. By default {@link STRUCTURAL_KEYS}. */
  readonly structuralKeys?: ReadonlySet<string>
}

/** The keys of a record that hold ids, in all session formats that are read. */
export const STRUCTURAL_KEYS: ReadonlySet<string> = new Set([
  "id",
  "parentId",
  "targetId",
  "fromId",
  "firstKeptEntryId",
  "entryId",
  "sessionId",
  "childSessionId",
  "parentSession",
])

const MOST_KEYS = 4_096
const LONGEST_KEY = 64

/** Keys that were found clean, with their text in an object. They come again in every record. */
export class CleanKeys {
  readonly #texts = new Map<string, string>()

  textOf(key: string): string | undefined {
    return this.#texts.get(key)
  }

  /** Forgets all of them: what was clean need not be so any more. */
  clear(): void {
    this.#texts.clear()
  }

  /** Remembers a clean key, within bounds. */
  add(key: string): void {
    if (key.length <= LONGEST_KEY && this.#texts.size < MOST_KEYS) this.#texts.set(key, `${JSON.stringify(key)}:`)
  }
}

/** What a redactor remembers that follows one session. */
export class Memory {
  readonly calls = new Calls()
  readonly carry = new Carry()
  readonly learned: Learned

  /** Without a text before, and with what another memory has learned. */
  constructor(from?: Memory) {
    this.learned = new Learned(from?.learned)
  }
}

/** Work under rules that learn is done again at most so often. */
const ROUNDS = 4

const RANK_REGISTERED = RANK_LITERAL + 1

/** Made from options and in no other way, so whoever holds rules holds all of them. */
export class Rules {
  readonly #isMade = true
  /** The rules that were made from the options, or undefined for those themselves. */
  readonly #origin: Rules | undefined
  readonly #lookup: Lookup
  readonly #scanner: Scanner
  /** How many of the added values are looked for. */
  #seen = 0
  readonly #known: KnownValues
  readonly names: Names
  readonly #cleanKeys = new CleanKeys()
  readonly structuralKeys: ReadonlySet<string>
  readonly added: Added
  /** Undefined for rules that remember nothing of one text in the next. */
  readonly memory: Memory | undefined

  /** Rules of their own, or such as follow others: with the same values, and with a memory. */
  constructor(options: RedactorOptions | Rules, memory?: Memory) {
    const origin = options instanceof Rules ? (options.#origin ?? options) : undefined
    this.#origin = origin
    this.#known = options instanceof Rules ? options.#known : knownValues(options.environment, options.secrets)
    this.#lookup = new Lookup(origin === undefined ? undefined : origin.#lookup)
    this.names = origin?.names ?? new Names()
    this.added = origin?.added ?? new Added()
    this.structuralKeys = options.structuralKeys ?? STRUCTURAL_KEYS
    this.memory = memory
    const learn = memory === undefined ? undefined : (value: string, kind: string) => memory.learned.learn(value, kind)
    this.#scanner = new Scanner(this.#lookup, this.names, this.#known.weak, learn)
    if (origin === undefined) {
      for (const value of this.#known.environment) this.#lookup.add(value, ENVIRONMENT, RANK_LITERAL)
      for (const value of this.#known.registered) this.#lookup.add(value, REGISTERED, RANK_REGISTERED)
    }
    this.#takeIn()
    Object.freeze(this)
  }

  static areMade(value: Rules): boolean {
    return #isMade in value && value.#isMade
  }

  /** The scanner, with everything that was added so far. */
  get scanner(): Scanner {
    this.#takeInAdded()
    return this.#scanner
  }

  /** Known values with blanks in them, with everything that was added so far. */
  get spaced(): ReadonlyArray<string> {
    this.#takeInAdded()
    return this.#lookup.spaced
  }

  /** The keys that are clean by everything that was added so far. */
  get cleanKeys(): CleanKeys {
    this.#takeInAdded()
    return this.#origin !== undefined && this.#lookup.isShared ? this.#origin.#cleanKeys : this.#cleanKeys
  }

  /** The rules that these follow take it in first, so that what both share stays shared. */
  #takeInAdded(): void {
    if (this.#origin !== undefined) this.#origin.#takeInAdded()
    const { forms } = this.added
    if (this.#seen === forms.length) return
    for (const form of forms.slice(this.#seen)) this.#look(form, REGISTERED, RANK_REGISTERED)
    this.#seen = forms.length
  }

  get skipped(): ReadonlyArray<Skipped> {
    return this.added.skipped.length === 0 ? this.#known.skipped : [...this.#known.skipped, ...this.added.skipped]
  }

  /** Rules of the same values, of those learned so far and of those added later, with a memory of their own. */
  following(): Rules {
    return new Rules(this, new Memory(this.memory))
  }

  /** Does work; again when it taught something new, so that what it gives does not depend on where in it that stood. */
  untilLearned<A>(work: () => A): A {
    let result = work()
    for (let round = 1; round < ROUNDS && this.#takeIn(); round++) result = work()
    return result
  }

  /** Looks for what was learned. Whether there was anything new. */
  #takeIn(): boolean {
    const taken = this.memory?.learned.take() ?? []
    for (const [value, kind] of taken) this.#look(value, kind, RANK_LEARNED)
    return taken.length > 0
  }

  #look(value: string, kind: string, rank: number): void {
    if (this.#lookup.add(value, kind, rank)) this.#cleanKeys.clear()
  }
}
