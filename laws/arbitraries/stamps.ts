import * as Effect from "effect/Effect"
import type { Stamp } from "../../src/model/Stamp.ts"

/** Stamps that count up: no two commands get the same time or entropy. */
export const stamps = (): Effect.Effect<Stamp> => {
  let n = 0
  return Effect.sync(() => ({ at: 1_700_000_000_000 + n, entropy: (++n).toString(16).padStart(32, "0") }))
}
