/** How many of the secrets are covered: each put into a whole record, and the record into the redactor. */
import * as Result from "effect/Result"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import type { Context, Placed } from "./Contexts.ts"
import { isExposed } from "./Exposure.ts"
import type { Sample, SecretFormat } from "./Sample.ts"
import { Seeded } from "./Seeded.ts"

export interface Case {
  readonly format: SecretFormat
  readonly context: Context
  readonly number: number
  readonly sample: Sample
  readonly placed: Placed
}

/** The same case for the same seed, whichever others are made. */
export const makeCase = (seed: string, format: SecretFormat, context: Context, number: number): Case => {
  const random = new Seeded(seed, format.id, context.name, number)
  const sample = format.make(random)
  return { format, context, number, sample, placed: context.place(sample, format.class, random) }
}

/**
 * The lines that would be written of a case, in a session that has seen nothing before. A value that the host does not know as a secret
 * is told by itself alone, so nothing is registered and the environment is empty.
 */
export const linesOf = ({ placed }: Case): ReadonlyArray<string> => {
  const redactor = makeRedactor({ environment: {} }).follow()
  return placed.records.map((record) => Result.getOrThrow(redactor.cleanRecord(record)).line.text)
}

export const isCovered = (each: Case): boolean => !isExposed(linesOf(each), each.sample.bodies)

export interface Tally {
  cases: number
  covered: number
}

export const share = ({ cases, covered }: Tally): number => (cases === 0 ? 1 : covered / cases)

/** Counts by format and context. */
export class Recall {
  readonly #cells = new Map<string, { readonly format: SecretFormat; readonly context: Context; readonly tally: Tally }>()

  add(format: SecretFormat, context: Context, isHit: boolean): void {
    const key = `${format.id}\u0000${context.name}`
    const cell = this.#cells.get(key) ?? { format, context, tally: { cases: 0, covered: 0 } }
    cell.tally.cases++
    if (isHit) cell.tally.covered++
    this.#cells.set(key, cell)
  }

  /** The sum over what a test admits. */
  over(admits: (format: SecretFormat, context: Context) => boolean): Tally {
    const sum = { cases: 0, covered: 0 }
    for (const { format, context, tally } of this.#cells.values()) {
      if (!admits(format, context)) continue
      sum.cases += tally.cases
      sum.covered += tally.covered
    }
    return sum
  }

  /** Every format in every context. */
  cells(): Iterable<{ readonly format: SecretFormat; readonly context: Context; readonly tally: Readonly<Tally> }> {
    return this.#cells.values()
  }
}
