/** Stamps from the system: the clock of the running effect, and randomness from the operating system. */
import { randomFillSync } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Stamp } from "../model/Stamp.ts"

const STAMP_BYTES = 16

/** Drawn for many stamps at once: a draw of its own for each costs a fifth of what a whole append does. Each byte is given out once. */
const drawn = Buffer.alloc(STAMP_BYTES * 256)
let used = drawn.length

const entropy = (): string => {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  const from = used
  used += STAMP_BYTES
  return drawn.toString("hex", from, used)
}

export const systemStamp: Effect.Effect<Stamp> = Effect.map(Clock.currentTimeMillis, (at) => ({ at, entropy: entropy() }))
