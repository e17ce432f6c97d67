import type { Disk } from "./Disk.ts"
import { DiskFault } from "./Disk.ts"

/**
 * What befalls the operations of a simulated disk: which one is refused, and where the process stops.
 */

/** The process stopped here. Every later operation throws it again, so that no clean-up can touch the disk. */
export class SimulatedCrash extends Error {
  readonly step: number

  constructor(step: number) {
    super(`The process stopped at operation ${step}`)
    this.name = "SimulatedCrash"
    this.step = step
  }
}

/** One operation on the disk. */
export interface Call {
  readonly operation: keyof Disk
  /** The path it was called with; of a link or a rename the name it starts from. */
  readonly path: string
  /** Counted from 1 over all operations. */
  readonly step: number
  /** Counted from 1 over the operations of its kind. */
  readonly nth: number
}

export interface FaultOptions {
  /** Whether it also refuses all later calls that match. Otherwise it refuses one. */
  readonly sticky?: boolean | undefined
  /** A write that is refused puts this many bytes in and returns their number; the next write to the same handle is refused. */
  readonly short?: number | undefined
}

export interface Fault extends FaultOptions {
  readonly matches: (call: Call) => boolean
  readonly code: string
}

/** Where a process stops: before the operation, after it, or (a number) when a write has put in so many bytes. */
export type Stop = "before" | "after" | number

/** What an operation does when it is let through, when it is refused, and when the process stops in its middle. */
export interface Effects<A> {
  readonly whole: () => A
  /** What a refusal leaves behind. A result is what the caller gets instead of the refusal. */
  readonly refused?: ((fault: Fault) => A | undefined) | undefined
  readonly partly?: ((bytes: number) => void) | undefined
}

export class Schedule {
  readonly #faults: Array<Fault> = []
  readonly #counts = new Map<keyof Disk, number>()
  #operations = 0
  #stop: { readonly step: number; readonly when: Stop } | undefined
  #crashed: SimulatedCrash | undefined

  get operations(): number {
    return this.#operations
  }

  fail(when: number | ((call: Call) => boolean), code: string, options: FaultOptions): void {
    const matches = typeof when === "number" ? (call: Call) => (options.sticky ? call.step >= when : call.step === when) : when
    this.#faults.push({ matches, code, ...options })
  }

  heal(): void {
    this.#faults.length = 0
  }

  crashAt(step: number, when: Stop): void {
    this.#stop = { step, when }
  }

  /** Another process goes on: nothing stops it any more. Faults of the device remain. */
  revive(): void {
    this.#stop = undefined
    this.#crashed = undefined
  }

  /** Throws when the process has stopped. */
  alive(): void {
    if (this.#crashed !== undefined) throw this.#crashed
  }

  /** Counts an operation, stops or refuses it when it is to be, and otherwise lets it take effect. */
  perform<A>(operation: keyof Disk, path: string, effects: Effects<A>): A {
    this.alive()
    const step = ++this.#operations
    const nth = (this.#counts.get(operation) ?? 0) + 1
    this.#counts.set(operation, nth)
    const fault = this.#faultOf({ operation, path, step, nth })
    const run = (): A => {
      if (fault === undefined) return effects.whole()
      const instead = effects.refused?.(fault)
      if (instead === undefined) throw new DiskFault(operation, path, fault.code)
      return instead
    }
    if (this.#stop?.step !== step) return run()
    return this.#stopAt(step, this.#stop.when, run, fault === undefined ? effects.partly : undefined)
  }

  #stopAt(step: number, when: Stop, run: () => unknown, partly: ((bytes: number) => void) | undefined): never {
    this.#crashed = new SimulatedCrash(step)
    if (typeof when === "number" && partly !== undefined) partly(when)
    else if (when !== "before") {
      try {
        run()
      } catch (refusal) {
        // The process stopped before it could learn of the refusal.
        if (!(refusal instanceof DiskFault)) throw refusal
      }
    }
    throw this.#crashed
  }

  #faultOf(call: Call): Fault | undefined {
    const at = this.#faults.findIndex((fault) => fault.matches(call))
    const fault = this.#faults[at]
    if (fault !== undefined && fault.sticky !== true) this.#faults.splice(at, 1)
    return fault
  }
}
