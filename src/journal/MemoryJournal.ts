/** A journal in memory: everything is synced at once, and nothing survives the process. For tests and for sessions that shall leave no trace. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CleanLine } from "../redaction/CleanLine.ts"
import { Journal, type JournalShape } from "./Journal.ts"

export interface MemoryJournal extends JournalShape {
  /** All lines taken so far, in order: a copy. */
  readonly lines: Effect.Effect<ReadonlyArray<CleanLine>>
}

export const make: Effect.Effect<MemoryJournal> = Effect.sync(() => {
  const lines: Array<CleanLine> = []
  return {
    append: (more) => Effect.sync(() => lines.push(...more)),
    reached: () => Effect.void,
    flush: Effect.void,
    unsaved: Effect.succeed([]),
    failure: Effect.succeed(undefined),
    recover: Effect.void,
    lines: Effect.sync(() => lines.slice()),
  }
})

export const layer: Layer.Layer<Journal> = Layer.effect(Journal, make)
