/** Laws of crashes, judged by the next process: the machine that writes is stopped or refused, and another process opens what is left. */
import { Buffer } from "node:buffer"
import * as fc from "fast-check"
import { everyChoice, seededChooser } from "../src/disk/Chooser.ts"
import { SimulatedCrash, type Stop } from "../src/disk/Schedule.ts"
import type { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { smallWorkload, smallWorkloads, stop, wideWorkloads, workload } from "./arbitraries/crashes.ts"
import { refusals } from "./arbitraries/disk.ts"
import {
  freshDisk,
  type GoOn,
  goOn,
  Host,
  isRefusal,
  type Line,
  linesOf,
  nothingTried,
  open,
  PATH,
  type Step,
  type Tried,
} from "./CrashedWriter.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { Trials } from "./Trials.ts"

/** What is to befall the disk of a host that has not begun. */
type Befall = (disk: SimulatedDisk) => void

const stopAt =
  (operation: number, when: Stop): Befall =>
  (disk) =>
    disk.crashAt(disk.operations + operation, when)

/** Plays the steps until the process stops. Returns the host, and how many operations it took. */
const played = (
  disk: SimulatedDisk,
  steps: ReadonlyArray<Step>,
  befall: Befall = () => undefined,
): { readonly host: Host; readonly operations: number } => {
  const host = new Host(disk)
  const from = disk.operations
  befall(disk)
  try {
    for (const step of steps) host.play(step)
  } catch (crash) {
    if (!(crash instanceof SimulatedCrash)) throw crash
  }
  return { host, operations: disk.operations - from }
}

/** Adds where it happened to what went wrong. */
const at = <A>(where: string, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw new Error(where, { cause })
  }
}

const told = (trials: Trials, tried: Tried): void => {
  trials.add("crash trials", tried.trials)
  trials.add("torn ends", tried.tornEnds)
  trials.add("NUL ends", tried.nulEnds)
  trials.add("files with holes", tried.holes)
  trials.add("openings stopped", tried.stoppedOpenings)
  trials.add("bytes put aside", tried.putAside)
}

/** Power cuts of each case with a plain opening behind them, and crashes whose opening is stopped too. */
const cuts = 9
const stoppedOpenings = 3
const trialsOfEach = 1 + cuts + stoppedOpenings

const judgeStopped = (steps: ReadonlyArray<Step>, operation: number, when: Stop, seed: number, tried: Tried): Host => {
  const sent = linesOf(steps)
  const stopped = () => {
    const disk = freshDisk()
    return { disk, host: played(disk, steps, stopAt(operation, when)).host }
  }
  const { disk, host } = stopped()
  const { synced, written } = host.acknowledged
  for (let n = 0; n < cuts; n++) {
    const choose = n === 0 ? (options: number) => options - 1 : seededChooser(seed + n)
    at(`power cut ${n} of seed ${seed}`, () => goOn(disk.crash(choose), sent, synced, tried))
  }
  // Either goes on with what a power cut has left or, on a disk of its own, behind the death of a process.
  for (let n = 1; n <= stoppedOpenings; n++) {
    const choose = seededChooser(seed - n)
    const left = n === 1 ? stopped().disk : disk.crash(choose)
    at(`opening stopped ${n} times, seed ${seed}`, () => goOn(left, sent, synced, tried, { stops: { times: n, choose } }))
  }
  disk.kill()
  at("killed", () => goOn(disk, sent, written, tried))
  return host
}

const random = (budget: Budget): void => {
  const coverage = new Coverage()
  const tried = nothingTried()
  const property = fc.property(workload, fc.nat({ max: 999 }), stop, fc.nat(), (steps, where, when, seed) => {
    const { operations } = played(freshDisk(), steps)
    const host = judgeStopped(steps, 1 + Math.floor((where * operations) / 1_000), when, seed, tried)
    const { synced, written } = host.acknowledged
    coverage.hit("synced before the crash", synced.length > 0)
    coverage.hit("only written before the crash", written.length > synced.length)
  })
  fc.assert(property, parameters(budget))
  const trials = new Trials()
  told(trials, tried)
  trials.tell(budget, { "crash trials": budget.runs * trialsOfEach })
  for (const [name, count] of Object.entries(tried)) coverage.hit(name, count > 0)
  coverage.demand(budget, ["synced before the crash", "only written before the crash", ...Object.keys(tried)], 200)
}

/** No state of these workloads leaves more pages open than this. */
const mostPages = 12
/** Enough for all states of so many pages, each old or new, of every length. */
const mostStates = 4 * 2 ** mostPages + 1

/** Every state that a power cut at this moment may leave, each once for each number of acknowledged records. */
const everyState = (
  disk: SimulatedDisk,
  acknowledged: number,
  seen: Set<string>,
  visit: (image: SimulatedDisk) => void,
): void => {
  const { complete } = everyChoice(mostStates, (choose) => {
    const image = disk.crash(choose, "page")
    const state = `${acknowledged} ${Buffer.from(image.bytes(PATH) ?? new Uint8Array()).toString("latin1")}`
    if (seen.has(state)) return
    seen.add(state)
    visit(image)
  })
  if (!complete) throw new Error("a state with too many pages to try all of them")
}

const exhaust = (steps: ReadonlyArray<Step>, tried: Tried, trials: Trials, options?: GoOn): void => {
  const sent = linesOf(steps)
  const before = played(freshDisk(), steps.slice(0, -1)).operations
  const { operations } = played(freshDisk(), steps)
  const seen = new Set<string>()
  // What can be left by a stop in an earlier step is a matter of the workload that ends with it.
  for (let step = before + 1; step <= operations; step++) {
    const disk = freshDisk()
    const { synced } = played(disk, steps, stopAt(step, "after")).host.acknowledged
    trials.add("stops")
    at(`${JSON.stringify(steps)}, stopped after operation ${step}`, () =>
      everyState(disk, synced.length, seen, (image) => goOn(image, sent, synced, tried, options)),
    )
  }
  trials.add("states", seen.size)
}

/** The states of all workloads of up to six operations, and of those with one wide batch. */
const allOperations = 6

const exhaustive = (budget: Budget): void => {
  const trials = new Trials()
  const tried = nothingTried()
  for (const steps of wideWorkloads.slice(0, budget.runs)) exhaust(steps, tried, trials, { repairs: false })
  const workloads = Math.min(budget.runs, smallWorkloads(allOperations))
  for (let number = 0; number < workloads; number++) exhaust(smallWorkload(number), tried, trials)
  trials.add("workloads", workloads)
  told(trials, tried)
  trials.tell(budget, budget.runs >= smallWorkloads(allOperations) ? { states: 50_000, stops: 20_000 } : { states: budget.runs })
}

/** A refusal of one operation, or of it and all behind it. */
interface Refused {
  readonly step: number
  readonly code: string
  readonly sticky: boolean
  /** A write that is refused puts in so many bytes first. */
  readonly short: number | undefined
}

const everyRefusal = (operations: number, short: number | undefined, visit: (refused: Refused) => void): void => {
  for (let step = 1; step <= operations; step++) {
    for (const code of refusals)
      for (const sticky of [false, true]) visit({ step, code, sticky, short: sticky ? undefined : short })
  }
}

const harshest = (options: number): number => options - 1

const refuse = (disk: SimulatedDisk, { step, code, sticky, short }: Refused): void =>
  disk.fail(disk.operations + step, code, { sticky, short })

/** Refuses an operation of a host; judges what is left, and the file once the host has recovered on a healthy disk. */
const refuseHost = (steps: ReadonlyArray<Step>, refused: Refused, seed: number, tried: Tried, coverage: Coverage): void => {
  const sent = linesOf(steps)
  const disk = freshDisk()
  const { host } = played(disk, steps, (given) => refuse(given, refused))
  coverage.hit(host.failure ?? (host.hasEnded ? "not opened" : "no failure"))
  const judge = (acknowledged: ReadonlyArray<string>): void => {
    for (const choose of [harshest, seededChooser(seed)]) goOn(disk.crash(choose), sent, acknowledged, tried)
  }
  judge(host.acknowledged.synced)
  disk.heal()
  if (host.failure !== undefined) {
    const before = host.acknowledged.written.length
    host.recover()
    if (host.failure !== undefined) throw new Error(`recovery on a healthy disk fails: ${host.failure}`)
    if (host.acknowledged.written.length === before && refused.code !== "EINTR") coverage.hit("nothing was missing")
    judge(host.acknowledged.synced)
  }
  disk.kill()
  const { synced, written } = host.acknowledged
  goOn(disk, sent, host.hasEnded ? synced : written, tried, { isDoubtful: host.hasEnded })
}

/** Refuses an operation of an opening; the next one, on a healthy disk, finds all there was. */
const refuseOpening = (
  left: SimulatedDisk,
  sent: ReadonlyArray<Line>,
  acknowledged: ReadonlyArray<string>,
  refused: Refused,
  tried: Tried,
): void => {
  const disk = left.crash(() => 0)
  refuse(disk, refused)
  try {
    open(disk)
  } catch (refusal) {
    if (!isRefusal(refusal)) throw refusal
  }
  goOn(disk.crash(harshest), sent, acknowledged, tried)
  disk.heal()
  disk.kill()
  goOn(disk, sent, acknowledged, tried)
}

const sweep = (budget: Budget): void => {
  const coverage = new Coverage()
  const trials = new Trials()
  const tried = nothingTried()
  const short = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined })
  const property = fc.property(workload, short, fc.nat({ max: 999 }), fc.nat(), (steps, short, where, seed) => {
    const { operations } = played(freshDisk(), steps)
    everyRefusal(operations, short, (refused) => {
      trials.add("sweep points")
      at(JSON.stringify(refused), () => refuseHost(steps, refused, seed, tried, coverage))
    })
    const disk = freshDisk()
    const { host } = played(disk, steps, stopAt(1 + Math.floor((where * operations) / 1_000), 1 + (seed % 90)))
    const left = disk.crash(seededChooser(seed))
    const rehearsal = left.crash(() => 0)
    coverage.hit(open(rehearsal).plan._tag)
    everyRefusal(rehearsal.operations, short, (refused) => {
      trials.add("sweep points of openings")
      at(`opening, ${JSON.stringify(refused)}`, () =>
        refuseOpening(left, linesOf(steps), host.acknowledged.synced, refused, tried),
      )
    })
  })
  fc.assert(property, parameters(budget))
  told(trials, tried)
  const runs = budget.runs
  trials.tell(budget, { "sweep points": 50 * runs, "sweep points of openings": 50 * runs, "crash trials": 500 * runs })
  const certainties = ["not-written", "torn", "uncertain", "no failure", "not opened"]
  coverage.demand(budget, [...certainties, "Ready", "CutTail"], 30)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "DUR-7",
    sentence:
      "Wherever a process or the power stops, also while the next process opens the file, and again, that process finds every acknowledged record once, in order and byte for byte, and none that was not handed over; what it cuts off is put aside, and its own records are durable.",
    runs: 4_000,
    deepRuns: 100_000,
    check: random,
  },
  {
    id: "DUR-8",
    sentence:
      "In every state that a power cut can leave, page by page, behind each call of every workload of up to six appends, writes without a sync and openings, and behind a batch of twelve pages, the next process finds every acknowledged record once and in order.",
    runs: smallWorkloads(allOperations),
    deepRuns: smallWorkloads(allOperations),
    check: exhaustive,
  },
  {
    id: "DUR-9",
    sentence:
      "Whatever call of the machine that writes or of an opening is refused, once or for good, with any error, the next process finds every acknowledged record once and in order; and on a healthy disk the machine writes what was missing, once.",
    runs: 40,
    deepRuns: 4_000,
    check: sweep,
  },
]
