/** Stamps from the system: the clock of the running effect, and randomness from the operating system. */
import { randomBytes } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Stamp } from "../model/Stamp.ts"

export const systemStamp: Effect.Effect<Stamp> = Effect.map(Clock.currentTimeMillis, (at) => ({
  at,
  entropy: randomBytes(16).toString("hex"),
}))
