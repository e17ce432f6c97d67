/** The course of the demo: one step after the other, each shown as soon as it has ended, none after the first that fails. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Step } from "../../view/StepView.ts"
import type { OutputClosed } from "../Output.ts"
import { reportOf } from "../Report.ts"
import type { StepResult } from "./Stage.ts"

const failed = (cause: Cause.Cause<unknown>): StepResult => {
  const { message, code } = reportOf(Cause.squash(cause))
  return { ok: false, detail: [message, code] }
}

export class Course {
  readonly steps: Array<Step> = []
  readonly #show: (step: Step, number: number) => Effect.Effect<void, OutputClosed>

  constructor(show: (step: Step, number: number) => Effect.Effect<void, OutputClosed>) {
    this.#show = show
  }

  /** Whether every step so far has proven what it claims. */
  get ok(): boolean {
    return this.steps.every(({ ok }) => ok)
  }

  /** Milliseconds of all steps so far. */
  get took(): number {
    return this.steps.reduce((sum, { took }) => sum + took, 0)
  }

  /** Runs a step. Its failure is its result; only an interruption and the end of the output pass. */
  step<E, R>(name: string, run: Effect.Effect<StepResult, E, R>): Effect.Effect<void, OutputClosed, R> {
    return Effect.suspend(() => {
      if (!this.ok) return Effect.void
      return Effect.flatMap(Effect.timed(Effect.exit(run)), ([took, exit]) => {
        if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return Effect.interrupt
        const result = Exit.isSuccess(exit) ? exit.value : failed(exit.cause)
        const step = { name, ...result, took: Duration.toMillis(took) }
        this.steps.push(step)
        return this.#show(step, this.steps.length)
      })
    })
  }
}
