/** Stamps from the system: the clock of the running effect, and randomness from the operating system. */
import { randomBytes } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Stamp } from "../model/Stamp.ts"

const STAMP_BYTES = 16

/** Drawn and written out for many stamps at once: a draw of its own for each costs a fifth of what a whole append does. Each is given out once. */
const STAMPS = 256
const DIGITS = 2 * STAMP_BYTES
let drawn = ""
let used = 0

const entropy = (): string => {
  if (used === drawn.length) {
    drawn = randomBytes(STAMP_BYTES * STAMPS).toString("hex")
    used = 0
  }
  const from = used
  used += DIGITS
  return drawn.slice(from, used)
}

export const systemStamp: Effect.Effect<Stamp> = Clock.clockWith((clock) =>
  Effect.succeed({ at: clock.currentTimeMillisUnsafe(), entropy: entropy() }),
)
