import * as Effect from "effect/Effect"
export const demo = (_: { json: boolean; keep: boolean }) => Effect.void
