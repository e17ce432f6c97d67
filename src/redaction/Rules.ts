/** What a redactor knows: made once from the host's options, then used for every value. */
import type { WeakValues } from "./Assignments.ts"
import { knownValues, type Skipped } from "./Environment.ts"
import { ENVIRONMENT, REGISTERED } from "./Kinds.ts"
import { Lookup } from "./Lookup.ts"
import { Names } from "./Names.ts"
import { RANK_LITERAL, Scanner } from "./Scanner.ts"

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

  /** Remembers a clean key, within bounds. */
  add(key: string): void {
    if (key.length <= LONGEST_KEY && this.#texts.size < MOST_KEYS) this.#texts.set(key, `${JSON.stringify(key)}:`)
  }
}

/** Made from options and in no other way, so whoever holds rules holds all of them. */
export class Rules {
  readonly #isMade = true
  readonly names = new Names()
  readonly cleanKeys = new CleanKeys()
  readonly scanner: Scanner
  readonly weak: WeakValues
  readonly structuralKeys: ReadonlySet<string>
  readonly skipped: ReadonlyArray<Skipped>

  constructor(options: RedactorOptions) {
    const known = knownValues(options.environment, options.secrets)
    const lookup = new Lookup()
    for (const value of known.environment) lookup.add(value, ENVIRONMENT, RANK_LITERAL)
    for (const value of known.registered) lookup.add(value, REGISTERED, RANK_LITERAL + 1)
    this.scanner = new Scanner(lookup, this.names, known.weak)
    this.weak = known.weak
    this.structuralKeys = options.structuralKeys ?? STRUCTURAL_KEYS
    this.skipped = known.skipped
    Object.freeze(this)
  }

  static areMade(value: Rules): boolean {
    return #isMade in value && value.#isMade
  }
}
