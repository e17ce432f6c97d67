/**
 * What the system tells of changes in a directory, where it does: a hint to look, and never more. Not every file system tells, and none
 * tells everything.
 */
import { watch } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Milliseconds that changes are gathered for, so that a busy writer is not looked at for each of its writes. */
const GATHER_MS = 5

/**
 * Completes when something in the directory has changed since it completed last; never where the system does not tell. The watch ends with
 * the scope, and keeps no process alive.
 */
export const changesIn = (directory: string): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = new Set<() => void>()
    let hasChanged = false
    const tell = (): void => {
      hasChanged = true
      for (const wake of [...waiting]) wake()
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        try {
          const watcher = watch(directory, { persistent: false }, tell)
          return watcher.on("error", () => watcher.close())
        } catch {
          return undefined
        }
      }),
      (watcher) => Effect.sync(() => watcher?.close()),
    )
    const change = Effect.callback<void>((resume) => {
      const wake = (): void => {
        waiting.delete(wake)
        resume(Effect.void)
      }
      if (hasChanged) return wake()
      waiting.add(wake)
      return Effect.sync(() => waiting.delete(wake))
    })
    return change.pipe(
      Effect.andThen(Effect.sleep(GATHER_MS)),
      Effect.andThen(
        Effect.sync(() => {
          hasChanged = false
        }),
      ),
    )
  })
