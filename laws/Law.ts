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

/** The seed of the runs that try the same cases each time (`npm test`, `npm run laws -- --fixed`), so that one commit gets one verdict. */
export const FIXED_SEED = 20_261_201

/** The parameters of `fc.assert` for a budget. */
export const parameters = (budget: Budget): { numRuns: number; seed?: number; path?: string } => ({
  numRuns: budget.runs,
  ...(budget.seed === undefined ? {} : { seed: budget.seed }),
  ...(budget.path === undefined ? {} : { path: budget.path }),
})

/** A class that a law wants judged never came. Chance may have left it out, or the generator cannot make it. */
export class NeverReached extends Error {
  override readonly name = "NeverReached"
}

/** How many more cases a law gets when chance left a class out. */
const MORE = 4

/**
 * Judges a law. When chance left out a class that it wants judged, it gets one more try with four times the cases; a class that the
 * generator cannot make is missing then too. With a seed there is no chance, and no more tries.
 */
export const judge = async (law: Law, budget: Budget): Promise<void> => {
  try {
    await law.check(budget)
  } catch (cause) {
    if (!(cause instanceof NeverReached) || budget.seed !== undefined) throw cause
    await law.check({ ...budget, runs: MORE * budget.runs })
  }
}

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
    if (missing.length > 0) throw new NeverReached(`The generator never reached: ${missing.join(", ")}`)
  }
}
