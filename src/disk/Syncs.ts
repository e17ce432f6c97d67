/**
 * Syncs that are started and have ended later, in any order: how one thread makes many files durable at once.
 *
 * The other operations of a disk stay synchronous. A sync is the one that takes long, and the one that says nothing about other files.
 */
import { MAX_SYNCS_AT_ONCE } from "../model/Limits.ts"
import type { Disk, Handle } from "./Disk.ts"

export interface Syncs {
  /**
   * Starts what `Disk.sync` does for an open file. `done` is called once, at once or later, with a `DiskFault` when it failed. Until
   * then nothing else may be done with the handle. Anything else that goes wrong is a bug: it is handed on too, for `done` to throw.
   */
  readonly start: (handle: Handle, done: SyncDone) => void
}

export type SyncDone = (fault: unknown) => void

/** Syncs that have ended when they were started: one after the other. */
export const blockingSyncs = ({ sync }: Disk): Syncs => ({
  start: (handle, done) => {
    let fault: unknown
    try {
      sync(handle)
    } catch (refusal) {
      fault = refusal
    }
    done(fault)
  },
})

/** At most so many at once; the others wait for their turn in the order in which they came. */
export const boundedSyncs = (syncs: Syncs, atOnce = MAX_SYNCS_AT_ONCE): Syncs => {
  const waiting: Array<() => void> = []
  let running = 0
  return {
    start: (handle, done) => {
      const run = (): void =>
        syncs.start(handle, (fault) => {
          const next = waiting.shift()
          // The place goes to the next one before anybody hears of this one, who may start another.
          if (next === undefined) running -= 1
          else next()
          done(fault)
        })
      if (running >= atOnce) {
        waiting.push(run)
        return
      }
      running += 1
      run()
    },
  }
}
