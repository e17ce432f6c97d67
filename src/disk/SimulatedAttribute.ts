import type { Chooser } from "./Chooser.ts"

/**
 * The mode or the time of a simulated file or directory: the live value, and those that a power cut may bring back.
 *
 * After a power cut the value is the live one or any that was replaced by `set` since the last sync. `sync` settles it, unless a
 * sync before it failed and the value has not been set since: then the failed sync has lost it for ever.
 */
export class SimulatedAttribute<A> {
  #live: A
  #replaced: Array<A> = []
  #lost = false

  /** A durable value. */
  constructor(value: A) {
    this.#live = value
  }

  get live(): A {
    return this.#live
  }

  /** Another value, which a power cut may take. */
  set(value: A): void {
    if (!this.#replaced.includes(this.#live)) this.#replaced.push(this.#live)
    this.#lost = false
    this.#live = value
  }

  /** Another value, which a power cut does not take more than the one it replaces. */
  follow(value: A): void {
    this.#live = value
  }

  sync(): void {
    if (!this.#lost) this.#replaced = []
  }

  syncFailed(): void {
    this.#lost = true
  }

  /** The value after one legal power cut. */
  crash(choose: Chooser): A {
    const before = this.#replaced
    const at = before.length === 0 ? 0 : choose(before.length + 1)
    return at === 0 ? this.#live : (before[at - 1] ?? this.#live)
  }
}
