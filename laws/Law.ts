/**
 * A law: an id, one sentence, and a check that throws with a counter-example, its seed and its path when the sentence is false.
 */
export interface Law {
  readonly id: string
  /** What holds, in one sentence. `docs/laws.md` repeats it word for word. */
  readonly sentence: string
  /** The number of cases in an ordinary test run. */
  readonly runs: number
  /** The number of cases in a deep run; twenty times `runs` when it is absent. */
  readonly deepRuns?: number | undefined
  readonly check: (budget: Budget) => Promise<void> | void
}

/** The number of cases of a law in a deep run. */
export const deepRunsOf = (law: Law): number => law.deepRuns ?? 20 * law.runs

export interface Budget {
  /** The number of cases to try. */
  readonly runs: number
  /** Replays a failure together with `path`. */
  readonly seed?: number | undefined
  readonly path?: string | undefined
  /** Is told what the cases amount to, by a law whose cases judge more than one thing each. */
  readonly judged?: ((count: number, what: string) => void) | undefined
}

/** The parameters of `fc.assert` for a budget. */
export const parameters = (budget: Budget): { numRuns: number; seed?: number; path?: string } => ({
  numRuns: budget.runs,
  ...(budget.seed === undefined ? {} : { seed: budget.seed }),
  ...(budget.path === undefined ? {} : { path: budget.path }),
})

/**
 * Counts the interesting classes that a generator reached, and fails the law when one was never reached. A law over inputs that
 * never occur proves nothing.
 */
export class Coverage {
  readonly #seen = new Map<string, number>()

  /** Says that a case belongs to a class. */
  hit(name: string, when = true): void {
    if (when) this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1)
  }

  /** The number of cases that belong to a class. */
  count(name: string): number {
    return this.#seen.get(name) ?? 0
  }

  /** Fails when one of the classes was never hit. Small budgets are not judged. */
  demand(budget: Budget, names: ReadonlyArray<string>, from = 50): void {
    if (budget.runs < from || budget.path !== undefined) return
    const missing = names.filter((name) => !this.#seen.has(name))
    if (missing.length > 0) throw new Error(`The generator never reached: ${missing.join(", ")}`)
  }
}
