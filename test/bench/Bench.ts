/** What a scenario measures with. */
import { ChildFailed } from "./Child.ts"
import type { Folder } from "./Folder.ts"
import type { Pi } from "./Pi.ts"
import type { Entry } from "./Report.ts"

export interface Bench {
  readonly isQuick: boolean
  readonly folder: Folder
  readonly pi: Pi
  readonly say: (line: string) => void
}

export interface Measured extends Pick<Entry, "figures" | "verdicts"> {
  readonly rounds: number
  readonly failures: ReadonlyArray<string>
}

export interface Scenario extends Pick<Entry, "id" | "work" | "includes"> {
  readonly run: (bench: Bench) => Promise<Measured>
}

/** One party of a comparison: measured once in each round. */
export interface Party<Output> {
  readonly name: string
  readonly run: () => Promise<Output>
}

export interface Rounds<Output> {
  readonly rounds: number
  /** The answers of a party, one for each round; none of one that is not here or that has failed. */
  readonly of: (name: string) => ReadonlyArray<Output>
  readonly failures: ReadonlyArray<string>
  /** Why there is nothing of a party. */
  readonly why: string
}

/**
 * Measures all parties in each round, each round beginning with another one, so that what disturbs the machine for a while disturbs all. A
 * party that fails is left out from then on, with all its figures.
 */
export const rounds = async <Output>(
  count: number,
  parties: ReadonlyArray<Party<Output>>,
  say: (line: string) => void = () => undefined,
): Promise<Rounds<Output>> => {
  const answers = new Map<string, Array<Output>>(parties.map(({ name }) => [name, []]))
  const failures: Array<string> = []
  for (let round = 0; round < count; round++) {
    const order = [...parties.slice(round % parties.length), ...parties.slice(0, round % parties.length)]
    for (const { name, run } of order) {
      if (!answers.has(name)) continue
      say(`round ${round + 1} of ${count}: ${name}`)
      try {
        answers.get(name)?.push(await run())
      } catch (cause) {
        if (!(cause instanceof ChildFailed)) throw cause
        failures.push(`${name}: ${cause.message}`)
        answers.delete(name)
      }
    }
  }
  return { rounds: count, of: (name) => answers.get(name) ?? [], failures, why: failures.join("; ") || "a party is not here" }
}

/** A member of each answer. */
export const column = <Output, K extends keyof Output>(answers: ReadonlyArray<Output>, key: K): ReadonlyArray<Output[K]> =>
  answers.map((answer) => answer[key])
