import type { Budget } from "./Law.ts"

/** Counts what the cases of a law amount to, tells it on the law's line, and fails the law when it is less than was promised. */
export class Trials {
  readonly #counts = new Map<string, number>()

  add(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count)
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  /** Tells every count. Each one that `least` names must be that large; with `path` a single case is replayed, which is not judged. */
  tell(budget: Budget, least: Readonly<Record<string, number>>): void {
    for (const [what, count] of this.#counts) if (count > 0) budget.judged?.(count, what)
    if (budget.path !== undefined) return
    for (const [what, wanted] of Object.entries(least)) {
      if (this.count(what) < wanted) throw new Error(`${this.count(what)} ${what}, which must be ${wanted} at least`)
    }
  }
}
