/** The next process after a crash: opens the session with everything that a host has, appends, and closes. */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { layer } from "../../src/node.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { Tally } from "./Tally.ts"

export class Reopening {
  readonly #runtime = ManagedRuntime.make(layer({ environment: {} }))
  readonly #tally: Tally

  constructor(tally: Tally) {
    this.#tally = tally
  }

  /**
   * Appends one record of this name to the session, after whatever the session needs, and says how many milliseconds that took. Rejects
   * when it cannot be done.
   */
  async append(path: string, name: string, isMigrated = false): Promise<number> {
    const began = performance.now()
    const story = Effect.gen(function* () {
      const store = yield* TreeStore
      const { session } = yield* store.open(path, { migrate: isMigrated })
      // The first command carries out what is due.
      yield* session.dispatch({ do: "custom", customType: "law", data: { name } }, "synced")
      return performance.now() - began
    })
    const took = await this.#runtime.runPromise(Effect.scoped(story))
    this.#tally.figures.slowestRecovery = Math.max(this.#tally.figures.slowestRecovery, took)
    return took
  }

  close(): Promise<void> {
    return this.#runtime.dispose()
  }
}

/** Whether the file ends as a cut write leaves it, and counts it. */
export const noteTail = (tally: Tally, path: string): void => {
  const bytes = readFileSync(path)
  if (bytes.length === 0 || bytes.at(-1) === 0x0a) return
  if (bytes.at(-1) === 0) tally.figures.nulRepaired += 1
  else tally.figures.tornRepaired += 1
}
