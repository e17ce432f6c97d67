/** Values that a host named after its redactor was made: shared by the redactor and all that follow sessions with it. Never taken out. */
import { registered, type Skipped, type SkipReason } from "./Environment.ts"

export class Added {
  readonly #forms: Array<string> = []
  readonly #skipped: Array<Skipped> = []
  #count = 0

  /** The values, in all their forms, in the order in which they were named. */
  get forms(): ReadonlyArray<string> {
    return this.#forms
  }

  get skipped(): ReadonlyArray<Skipped> {
    return this.#skipped
  }

  /** Adds a value. The reason when it cannot be looked for; that is kept under a name, never under the value. */
  add(given: string, name = `addSecret[${this.#count}]`): SkipReason | undefined {
    this.#count++
    const { forms, reason } = registered(given)
    if (reason !== undefined) this.#skipped.push({ name, reason })
    for (const form of forms) this.#forms.push(form)
    return reason
  }
}
