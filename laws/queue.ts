/** The law of the queue: bounded, and nobody waits for ever, whoever is interrupted and whatever the disk refuses. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { inlinePort } from "../src/writer/InlinePort.ts"
import { Writer, type WriterFile } from "../src/writer/Writer.ts"
import { line, stored } from "./arbitraries/lines.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

const PATH = "/store/session.jsonl"

/** A producer: what it hands over together, whether it then waits, and after how many turns of the others it is interrupted, if ever. */
interface Producer {
  readonly sizes: ReadonlyArray<number>
  readonly waits: boolean
  readonly interruptedAfter: number | undefined
}

interface Plan {
  readonly producers: ReadonlyArray<Producer>
  readonly queueBytes: number
  readonly durability: "written" | "synced"
  /** The write from which on the disk refuses, if it does. */
  readonly refusedFrom: number | undefined
}

const producer: fc.Arbitrary<Producer> = fc.record({
  sizes: fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 3 }),
  waits: fc.boolean(),
  interruptedAfter: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
})

const plan: fc.Arbitrary<Plan> = fc.record({
  producers: fc.array(producer, { minLength: 1, maxLength: 12 }),
  queueBytes: fc.constantFrom(64, 500, 2_000),
  durability: fc.constantFrom("written", "synced"),
  refusedFrom: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 2 }),
})

/** Longer than any case takes on a disk in memory: who has not been answered by then never will be. */
const patience = 20_000

/** Starts every producer; returns what each handed over, by its number, once all of them have ended. */
const carriedOut = (given: Plan, file: WriterFile, disk: SimulatedDisk, coverage: Coverage) =>
  Effect.gen(function* () {
    let number = 0
    const groups = given.producers.map(({ sizes }) => sizes.map((size) => line(++number, size)))
    const largest = Math.max(...groups.map((lines) => lines.reduce((sum, { bytes }) => sum + bytes + 1, 0)))
    const look = Effect.map(file.unsaved, (lines) => {
      const held = lines.reduce((sum, { bytes }) => sum + bytes + 1, 0)
      if (held >= given.queueBytes + largest) throw new Error(`${held} bytes in a queue of ${given.queueBytes}`)
      coverage.hit("a full queue", held >= given.queueBytes)
    })
    const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
    for (const [at, each] of given.producers.entries()) {
      const work = Effect.flatMap(file.append(groups[at] ?? []), (seq) =>
        each.waits ? file.reached(seq, "synced") : Effect.succeed(undefined),
      )
      fibers.push(yield* Effect.forkChild(work, { startImmediately: true }))
      yield* look
    }
    for (let turn = 0; turn <= 6; turn++) {
      for (const [at, { interruptedAfter }] of given.producers.entries())
        if (interruptedAfter === turn) yield* Fiber.interrupt(fibers[at] as Fiber.Fiber<unknown, unknown>)
      yield* look
      yield* Effect.yieldNow
    }
    const exits = yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
    coverage.hit("interrupted", exits.some(Exit.hasInterrupts))
    coverage.hit("refused", (yield* file.failure) !== undefined)
    disk.heal()
    yield* file.recover
    yield* file.flush
    return { groups, exits }
  })

const judge = (
  given: Plan,
  content: string,
  groups: ReadonlyArray<ReadonlyArray<{ readonly text: string }>>,
  exits: ReadonlyArray<Exit.Exit<unknown, unknown>>,
): void => {
  let rest = content
  for (const [at, lines] of groups.entries()) {
    const whole = lines.map(({ text }) => `${text}\n`).join("")
    const isThere = rest.startsWith(whole)
    if (isThere) rest = rest.slice(whole.length)
    else if (Exit.isSuccess(exits[at] as Exit.Exit<unknown, unknown>))
      throw new Error(`producer ${at} succeeded, and its lines are not there`)
    else if (given.refusedFrom === undefined && given.producers[at]?.interruptedAfter === undefined)
      throw new Error(`producer ${at} was neither interrupted nor refused, and failed`)
  }
  if (rest !== "") throw new Error(`lines of no producer, or in another order: ${rest.slice(0, 200)}`)
}

const bounded = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(plan, async (given) => {
    const disk = new SimulatedDisk({ [PATH]: "" })
    const stat = disk.lstat(PATH)
    if (stat === undefined) throw new Error("the file is gone")
    const identity = { device: stat.device, inode: stat.inode }
    const story = Effect.gen(function* () {
      const file = yield* (yield* Writer).open({ path: PATH, identity, length: 0 })
      const { refusedFrom } = given
      if (refusedFrom !== undefined)
        disk.fail((call) => call.operation === "write" && call.nth >= refusedFrom, "ENOSPC", { sticky: true })
      return yield* carriedOut(given, file, disk, coverage)
    })
    const layer = Writer.layerOn(inlinePort(disk), { durability: given.durability, queueBytes: given.queueBytes })
    const done = await Effect.runPromise(Effect.timeoutOption(Effect.scoped(Effect.provide(story, layer)), patience))
    if (Option.isNone(done)) throw new Error("somebody waits for ever")
    judge(given, stored(disk, PATH), done.value.groups, done.value.exits)
  })
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, ["a full queue", "interrupted", "refused"]))
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "WRT-3",
    sentence:
      "A queue holds no more than its bound and the lines of one dispatch; an interruption hands over all lines of a dispatch or none and takes none back; and everybody who waits is answered, also when the disk refuses.",
    runs: 300,
    deepRuns: 20_000,
    check: bounded,
  },
]
