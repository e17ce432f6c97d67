/**
 * The law of leases, for any layer of `Lease`: a host can hold its own to it.
 *
 * A function of what is to be judged: a world in which processes start, end and stop, and each has the service. `laws/lease.ts` lists it
 * for a simulated world of this library's code; {@link layerSubject} makes a world with one process of any layer.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { Lease } from "../src/lease/Lease.ts"
import type { Law } from "./Law.ts"
import { Coverage, parameters } from "./Law.ts"
import { LeaseJudge, type LeaseStep } from "./LeaseJudge.ts"
import type { LeaseProcess, LeaseService, LeaseWorld } from "./LeaseWorld.ts"

export interface LeaseSubject {
  /** A world in which nobody was yet. `choice` is any number from 0; equal ones give equal worlds. */
  readonly world: (choice: number) => LeaseWorld
  /** The classes of cases that its worlds must reach in an ordinary run. */
  readonly reaches?: ReadonlyArray<string> | undefined
  readonly runs?: number | undefined
  /** Of a deep run. Twenty times `runs` when absent. */
  readonly deepRuns?: number | undefined
}

const who = fc.nat({ max: 5 })
const often = (value: boolean) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constant(!value) })
const zeroOften = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) })
const what = fc.constantFrom(
  ...(["acquire", "acquire", "acquire", "force", "take", "release", "release", "offer", "verify", "inspect"] as const),
)

const step: fc.Arbitrary<LeaseStep> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("start"),
      ...{
        host: zeroOften,
        space: zeroOften,
        pid: fc.integer({ min: 1, max: 3 }),
        seesItself: often(true),
        isHidden: often(false),
      },
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("begin"), who, what }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("go"), who, steps: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant("ask"), who, what }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("handOver"), who, to: who, isKilled: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("kill"), who, as: fc.constantFrom("zombie", "gone", "gone") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("isolate", "collect", "stop", "resume", "resume"), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pass"), millis: fc.constantFrom(1, 59_999, 60_000, 1e9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("tamper"), how: fc.constantFrom("lock-removed", "evidence-torn") }) },
)

/** Law LSE-1 for a world of leases. */
export const lse1 = (subject: LeaseSubject): Law => ({
  id: "LSE-1",
  sentence:
    "At any moment at most one writer has the lease; it is never taken from an owner that is alive, stopped, on another host, or cannot be observed, unless a person takes it by force from one that cannot be seen, who then knows that it is lost; it is taken from one proven gone.",
  runs: subject.runs ?? 1000,
  deepRuns: subject.deepRuns,
  check: async (budget) => {
    const coverage = new Coverage()
    const judge = async (choice: number, steps: ReadonlyArray<LeaseStep>): Promise<void> => {
      const judged = new LeaseJudge(subject.world(choice), coverage)
      for (const each of steps) await judged.play(each)
      await judged.end()
    }
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 11 }), fc.array(step, { maxLength: 60, size: "max" }), judge),
      parameters(budget),
    )
    coverage.demand(budget, subject.reaches ?? [], 1500)
  },
})

/** A world for any layer: one process, in which several ask. `path` names a session of its own each time. */
export const layerSubject = (
  layer: Layer.Layer<Lease>,
  path: () => string,
  options: Pick<LeaseSubject, "runs" | "deepRuns" | "reaches"> = {},
): LeaseSubject => ({
  ...options,
  world: () => {
    const lease = ManagedRuntime.make(layer).runSync(Lease)
    return { path: path(), locksAlways: true, start: () => new Asker(lease), now: 0 }
  },
})

class Asker implements LeaseProcess {
  readonly lease: LeaseService
  readonly state = "running"
  #under: Promise<void> = Promise.resolve()

  constructor(lease: LeaseService) {
    this.lease = lease
  }

  begin<A, E>(effect: Effect.Effect<A, E, Scope.Scope>, done: (result: Result.Result<A, E>) => void): void {
    const running = Effect.runPromiseExit(effect.pipe(Scope.provide(Scope.makeUnsafe()), Effect.result))
    this.#under = running.then((exit) => {
      if (Exit.isFailure(exit)) throw new Error(`An operation died: ${String(exit.cause)}`)
      done(exit.value)
    })
    // Whoever waits for the end is told; a history that has failed already waits for nothing more.
    this.#under.catch(() => undefined)
  }

  go(): boolean {
    return false
  }

  finish(): Promise<void> {
    return this.#under
  }
}
