/** A command's own module, loaded when the command runs, so that no command waits for what only another one needs. */
import * as Effect from "effect/Effect"

/** Runs what a module gives, loading it first. */
export const lazily = <M, A, E, R>(load: () => Promise<M>, run: (module: M) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.promise(load), run)
