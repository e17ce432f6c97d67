/** Laws of the lanes that syncs run in, by a clock that goes on from one event to the next. */
import * as fc from "fast-check"
import type { Handle } from "../src/disk/Disk.ts"
import { boundedSyncs, type SpareLane, type SyncDone, type Syncs } from "../src/disk/Syncs.ts"
import { MAX_STUCK_SYNCS, MAX_SYNCS_AT_ONCE, SYNC_PATIENCE_MS } from "../src/model/Limits.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

/** What happens at a time, in the order of times. */
class Clock {
  time = 0
  readonly #events: Array<{ readonly at: number; readonly run: () => void }> = []

  later = (milliseconds: number, run: () => void): void => {
    const at = this.time + milliseconds
    const behind = this.#events.findIndex((event) => event.at > at)
    this.#events.splice(behind < 0 ? this.#events.length : behind, 0, { at, run })
  }

  /** Runs everything that happens until a time. */
  until(end: number): void {
    for (let next = this.#events[0]; next !== undefined && next.at <= end; next = this.#events[0]) {
      this.#events.shift()
      this.time = next.at
      next.run()
    }
    this.time = end
  }
}

interface Plan {
  /** Milliseconds that each sync takes which comes back. */
  readonly takes: number
  /** When each sync is asked for, and whether it comes back by itself. */
  readonly asked: ReadonlyArray<{ readonly at: number; readonly isStuck: boolean }>
}

/** Milliseconds of a sync on the slowest disk. */
const SLOWEST = 40

/** Long after everything that a plan can need. */
const DEADLINE = 100_000

/** Syncs that take their time on a clock, or wait until they are let. */
class Disk {
  readonly #clock: Clock
  readonly #takes: number
  readonly #held: Array<SyncDone> = []
  /** Under way in the pool. */
  pool = 0
  mostInPool = 0
  spares = 0
  mostSpares = 0
  isFree = false

  constructor(clock: Clock, takes: number) {
    this.#clock = clock
    this.#takes = takes
  }

  #begin({ path }: Handle, done: SyncDone): void {
    if (path === "stuck" && !this.isFree) this.#held.push(done)
    else this.#clock.later(this.#takes, () => done(undefined))
  }

  readonly pooled: Syncs = {
    start: (handle, done) => {
      this.pool += 1
      this.mostInPool = Math.max(this.mostInPool, this.pool)
      this.#begin(handle, (fault) => {
        this.pool -= 1
        done(fault)
      })
    },
  }

  spare = (): SpareLane => {
    let isBusy = false
    this.spares += 1
    this.mostSpares = Math.max(this.mostSpares, this.spares)
    return {
      start: (handle, done) => {
        if (isBusy) throw new Error("a lane was given two syncs at once")
        isBusy = true
        this.#begin(handle, (fault) => {
          isBusy = false
          done(fault)
        })
      },
      close: () => {
        if (isBusy) throw new Error("a lane was closed in the middle of a sync")
        this.spares -= 1
      },
    }
  }

  /** What was stuck comes back. */
  release(): void {
    this.isFree = true
    for (const done of this.#held.splice(0)) done(undefined)
  }
}

/** When each sync of a plan ended; those that are stuck end after the deadline. */
const carryOut = ({ takes, asked }: Plan): { readonly disk: Disk; readonly ends: ReadonlyArray<number> } => {
  const clock = new Clock()
  const disk = new Disk(clock, takes)
  const spares = { most: MAX_STUCK_SYNCS, make: disk.spare, now: () => clock.time, later: clock.later }
  const syncs = boundedSyncs(disk.pooled, MAX_SYNCS_AT_ONCE, spares)
  const ends: Array<number> = []
  for (const [index, { at, isStuck }] of asked.entries())
    clock.later(at, () =>
      syncs.start({ path: isStuck ? "stuck" : "free" }, () => {
        if (ends[index] !== undefined) throw new Error(`sync ${index} ended twice`)
        ends[index] = clock.time
      }),
    )
  clock.until(DEADLINE)
  const late = asked.findIndex(({ isStuck }, index) => !isStuck && ends[index] === undefined)
  if (late >= 0) throw new Error(`sync ${late} waits for one that does not come back`)
  disk.release()
  clock.until(2 * DEADLINE)
  if (disk.spares > 0) throw new Error(`${disk.spares} spare lanes are still there, and nobody needs them`)
  return { disk, ends }
}

const plan: fc.Arbitrary<Plan> = fc
  .record({
    takes: fc.integer({ min: 1, max: SLOWEST }),
    asked: fc.oneof(
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 120 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 30, maxLength: 120 }),
    ),
    stuck: fc.oneof(
      fc.uniqueArray(fc.nat(119), { maxLength: MAX_STUCK_SYNCS }),
      fc.uniqueArray(fc.nat(29), { minLength: MAX_STUCK_SYNCS, maxLength: MAX_STUCK_SYNCS }),
    ),
  })
  .map(({ takes, asked, stuck }) => ({ takes, asked: asked.map((at, index) => ({ at, isStuck: stuck.includes(index) })) }))

const independence = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(plan, (given) => {
    const stuck = given.asked.filter(({ isStuck }) => isStuck).length
    const { disk, ends } = carryOut(given)
    const without = carryOut({ ...given, asked: given.asked.filter(({ isStuck }) => !isStuck) })
    if (disk.mostInPool > MAX_SYNCS_AT_ONCE) throw new Error(`${disk.mostInPool} syncs in the pool at once`)
    if (disk.mostSpares > stuck) throw new Error(`${disk.mostSpares} spare lanes for ${stuck} syncs that are stuck`)
    // A sync counts as stuck when it takes eight times as long as they do, or did on a slow disk; that is seen at most as late again.
    const noticed = 2 * Math.max(SYNC_PATIENCE_MS, 8 * SLOWEST) + given.takes
    const free = ends.filter((_, index) => given.asked[index]?.isStuck === false)
    const last = Math.max(0, ...free)
    const allowed = Math.max(0, ...without.ends) + stuck * noticed
    if (last > allowed) throw new Error(`the last one ended at ${last}; without those that are stuck it would have by ${allowed}`)
    coverage.hit("nothing stuck, nothing spare", stuck === 0)
    coverage.hit("as many stuck as may be", stuck === MAX_STUCK_SYNCS && disk.mostSpares > 0)
    coverage.hit("the pool stuck", disk.mostSpares >= MAX_SYNCS_AT_ONCE)
    coverage.hit("stuck, and no spare lane needed", stuck > 0 && disk.mostSpares === 0)
  })
  fc.assert(property, parameters(budget))
  coverage.demand(budget, [
    "nothing stuck, nothing spare",
    "as many stuck as may be",
    "the pool stuck",
    "stuck, and no spare lane needed",
  ])
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "WRT-4",
    sentence:
      "Up to five syncs that do not come back hold up no other one for longer than it takes to notice them; each sync ends once; the pool never has more than its share, and no thread is started or kept that is not needed.",
    runs: 400,
    deepRuns: 40_000,
    check: independence,
  },
]
