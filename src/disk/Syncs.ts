/**
 * Syncs that are started and have ended later, in any order: how one thread makes many files durable at once.
 *
 * The other operations of a disk stay synchronous. A sync is the one that takes long, and the one that says nothing about other files.
 */
import { MAX_SYNCS_AT_ONCE, SYNC_PATIENCE_MS } from "../model/Limits.ts"
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

/** One more place for one sync at a time. */
export interface SpareLane extends Syncs {
  /** Gives it back. No sync is under way then. */
  readonly close: () => void
}

/** Where lanes come from when those that there are do not answer, and the time by which that is told. */
export interface Spares {
  /** At most so many at a time. Each costs what it costs: they are made for a fault, and closed when they were not needed for a while. */
  readonly most: number
  readonly make: () => SpareLane
  /** Milliseconds on a clock that only goes on. */
  readonly now: () => number
  /** Runs something after so many milliseconds, without keeping the process for it. */
  readonly later: (milliseconds: number, run: () => void) => void
}

/** Milliseconds after which a spare lane that nobody needed is closed. */
const IDLE_MS = 30_000

/** A sync is stuck when it takes so many times as long as they usually do. */
const STUCK = 8

/** Milliseconds that a sync takes on a slow disk. */
const SLOW_MS = 40

/** One sync at a time. */
interface Lane {
  readonly syncs: Syncs
  readonly close: (() => void) | undefined
  /** When its sync was started, or when it has ended. */
  since: number
}

interface Waiting {
  readonly handle: Handle
  readonly done: SyncDone
}

const NO_SPARES: Spares = {
  most: 0,
  make: () => {
    throw new TypeError("There are no spare lanes.")
  },
  now: () => 0,
  later: () => undefined,
}

class Lanes implements Syncs {
  readonly #spares: Spares
  readonly #free: Array<Lane>
  readonly #busy = new Set<Lane>()
  readonly #waiting: Array<Waiting> = []
  #spareCount = 0
  #isWatching = false
  /** Milliseconds that a sync takes: a mean in which older ones fade. At first the disk is taken for a slow one. */
  #usual = SLOW_MS

  constructor(syncs: Syncs, atOnce: number, spares: Spares) {
    this.#spares = spares
    this.#free = Array.from({ length: atOnce }, () => ({ syncs, close: undefined, since: 0 }))
  }

  start = (handle: Handle, done: SyncDone): void => {
    const lane = this.#free.pop()
    if (lane === undefined) {
      this.#waiting.push({ handle, done })
      this.#watch()
    } else this.#run(lane, { handle, done })
  }

  #run(lane: Lane, { handle, done }: Waiting): void {
    lane.since = this.#spares.now()
    this.#busy.add(lane)
    lane.syncs.start(handle, (fault) => {
      this.#ended(lane)
      // The place goes to the next one before anybody hears of this one, who may start another.
      const next = this.#waiting.shift()
      if (next === undefined) this.#leave(lane)
      else this.#run(lane, next)
      done(fault)
    })
  }

  /** Longer than this, and a sync is stuck. On a slow disk all syncs take long, and none of them is. */
  get #patience(): number {
    return Math.max(SYNC_PATIENCE_MS, STUCK * this.#usual)
  }

  #ended(lane: Lane): void {
    this.#busy.delete(lane)
    const now = this.#spares.now()
    this.#usual += (Math.min(now - lane.since, this.#patience) - this.#usual) / STUCK
    lane.since = now
  }

  /** A lane that nobody waits for. The spare ones are taken last. */
  #leave(lane: Lane): void {
    if (lane.close === undefined) this.#free.push(lane)
    else this.#free.unshift(lane)
  }

  #closeWhenIdle(lane: Lane): void {
    this.#spares.later(IDLE_MS, () => {
      const at = this.#free.indexOf(lane)
      if (at < 0 || this.#spares.now() - lane.since < IDLE_MS) {
        this.#closeWhenIdle(lane)
        return
      }
      this.#free.splice(at, 1)
      this.#spareCount -= 1
      lane.close?.()
    })
  }

  /** As long as somebody waits: looks whether lanes are stuck, and puts a spare one in the place of each. */
  #watch(): void {
    if (this.#isWatching || this.#waiting.length === 0 || this.#spareCount >= this.#spares.most) return
    this.#isWatching = true
    this.#spares.later(this.#patience, () => {
      this.#isWatching = false
      const before = this.#spares.now() - this.#patience
      const stuck = [...this.#busy].filter(({ since }) => since <= before).length
      while (this.#waiting.length > 0 && this.#spareCount < Math.min(stuck, this.#spares.most)) this.#runSpare()
      this.#watch()
    })
  }

  #runSpare(): void {
    const next = this.#waiting.shift()
    if (next === undefined) return
    const spare = this.#spares.make()
    const lane = { syncs: spare, close: spare.close, since: 0 }
    this.#spareCount += 1
    this.#run(lane, next)
    this.#closeWhenIdle(lane)
  }
}

/**
 * At most so many at once; the others wait for their turn in the order in which they came. With spare lanes the bound is of those that are
 * not stuck: so many syncs that do not come back as there are spare lanes hold up no other one (law WRT-4).
 */
export const boundedSyncs = (syncs: Syncs, atOnce = MAX_SYNCS_AT_ONCE, spares: Spares = NO_SPARES): Syncs =>
  new Lanes(syncs, atOnce, spares)
