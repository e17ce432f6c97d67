/** Laws of the writer over the simulated disk: acknowledgements, failures, the death of the machine, power cuts. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import type { Disk } from "../src/disk/Disk.ts"
import { SimulatedCrash } from "../src/disk/Schedule.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { Level } from "../src/writer/FileQueue.ts"
import { inlinePort } from "../src/writer/InlinePort.ts"
import type { WriterPort } from "../src/writer/Port.ts"
import type { WriteError } from "../src/writer/WriteError.ts"
import { Writer, type WriterFile } from "../src/writer/Writer.ts"
import { refusals } from "./arbitraries/disk.ts"
import { line, stored } from "./arbitraries/lines.ts"
import { type Schedule, schedule } from "./arbitraries/schedules.ts"
import { expectPrefix, JournalJudge } from "./JournalJudge.ts"
import { journalOnDisk, jrn6 } from "./journalSubject.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { SimulatedSyncs } from "./SimulatedSyncs.ts"
import { Trials } from "./Trials.ts"

const pathOf = (file: number): string => `/store/session-${file}.jsonl`
const header = '{"type":"session","version":5,"id":"s"}\n'

const freshDisk = (files: number): SimulatedDisk =>
  new SimulatedDisk(Object.fromEntries(Array.from({ length: files }, (_, file) => [pathOf(file), header])))

const start = (disk: Disk, path: string) => {
  const stat = disk.lstat(path)
  if (stat === undefined) throw new Error(`${path} is gone`)
  return { path, identity: { device: stat.device, inode: stat.inode }, length: stat.size }
}

interface CarryOptions {
  readonly recover?: boolean
  readonly port?: WriterPort
  /** Whether each acknowledgement is compared with what a power cut would leave. */
  readonly harsh?: boolean
  /** Run once everything was handed over, with what was seen; before everything is flushed. */
  readonly handedOver?: (seen: ReadonlyArray<JournalJudge>) => Effect.Effect<void>
}

/** What is stored of a file after the worst that can happen at a level. */
const keptOn = (disk: SimulatedDisk, path: string) => (level: Level) =>
  Effect.sync(() =>
    stored(level === "synced" ? disk.crash((options) => options - 1) : disk, path)
      .slice(header.length)
      .split("\n")
      .slice(0, -1),
  )

/** Carries a schedule out and says what the host saw. `before` runs once the files are open: faults are set there. */
const carryOut = (
  plan: Schedule,
  disk: SimulatedDisk,
  before: () => void,
  { recover = false, port = inlinePort(disk), harsh = false, handedOver }: CarryOptions = {},
): Promise<ReadonlyArray<JournalJudge>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const writer = yield* Writer
        const seen: Array<JournalJudge> = []
        const files: Array<WriterFile> = []
        for (let index = 0; index < plan.files; index++) {
          const file = yield* writer.open(start(disk, pathOf(index)))
          files.push(file)
          seen.push(new JournalJudge(pathOf(index), file, harsh ? keptOn(disk, pathOf(index)) : undefined))
        }
        before()
        let number = 0
        for (const step of plan.steps) {
          const of = seen[step.file]
          const seq = yield* of?.append(step.sizes.map((size) => line(++number, size))) ?? Effect.succeed(undefined)
          if (of === undefined || seq === undefined) continue
          yield* Effect.forkScoped(of.watch(seq, step.asks), { startImmediately: true })
          if (step.wait !== "nothing") yield* Effect.exit(files[step.file]?.reached(seq, step.wait) ?? Effect.void)
        }
        if (handedOver !== undefined) yield* handedOver(seen)
        for (const of of seen) {
          yield* of.flush()
          if (recover) {
            disk.heal()
            yield* of.recover(true)
            yield* of.flush()
          }
          yield* of.look()
          of.judgeOrder()
          of.rule()
        }
        return seen
      }),
    ).pipe(Effect.provide(Writer.layerOn(port, { durability: plan.durability, queueBytes: plan.queueBytes }))),
  )

/** Fails when a file was touched while it was synced. */
const expectUntouched = ({ complaints }: SimulatedSyncs): void => {
  for (const complaint of complaints) throw new Error(complaint)
}

/** Power cuts of each case. */
const cuts = 8

/** A process is killed at any operation: everything acknowledged as written is in the file, in order, once. And a power cut: as synced. */
const crash = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const trials = new Trials()
  const property = fc.asyncProperty(
    schedule(),
    fc.integer({ min: 0, max: 999 }),
    fc.constantFrom("before" as const, "after" as const, 1, 7),
    fc.infiniteStream(fc.nat()),
    async (plan, where, when, choices) => {
      const rehearsal = freshDisk(plan.files)
      const opened = rehearsal.operations
      await carryOut(plan, rehearsal, () => undefined)
      const total = rehearsal.operations - opened
      const disk = freshDisk(plan.files)
      const syncs = new SimulatedSyncs(disk, (n) => choices.next().value % n)
      const before = () => disk.crashAt(disk.operations + 1 + Math.floor((where * total) / 1_000), when)
      const seen = await carryOut(plan, disk, before, { port: inlinePort(syncs.disk, syncs) })
      expectUntouched(syncs)
      coverage.hit("a sync that overtook another", syncs.overtakings > 0)
      const images = Array.from({ length: cuts }, () => disk.crash((n) => choices.next().value % n))
      trials.add("crash trials", 1 + cuts)
      for (const [file, of] of seen.entries()) {
        expectPrefix(`${pathOf(file)} after a kill`, stored(disk, pathOf(file)), of.accepted, of.acknowledged.written, header)
        const needed =
          header +
          of.accepted
            .slice(0, of.acknowledged.synced)
            .map((text) => `${text}\n`)
            .join("")
        for (const image of images)
          if (!stored(image, pathOf(file)).startsWith(needed))
            throw new Error(`${pathOf(file)} after a power cut: acknowledged lines are lost`)
        coverage.hit("acknowledged before the crash", of.acknowledged.synced > 0)
        coverage.hit("accepted and not acknowledged", of.accepted.length > of.acknowledged.synced)
        coverage.hit("a line cut in the middle", !stored(disk, pathOf(file)).endsWith("\n"))
      }
    },
  )
  const classes = ["acknowledged before the crash", "accepted and not acknowledged", "a line cut in the middle"]
  return fc.assert(property, parameters(budget)).then(() => {
    trials.tell(budget, { "crash trials": budget.runs * (1 + cuts) })
    coverage.demand(budget, [...classes, "a sync that overtook another"])
  })
}

const codes = ["ENOSPC", "EIO", "EFBIG", "EDQUOT", "EROFS"] as const

/** A refusal of the disk is never success, latches, keeps the records; recovery goes on with no loss and no repetition. */
const failure = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(
    schedule(2),
    fc.constantFrom("write" as const, "sync" as const, "truncate" as const),
    fc.integer({ min: 1, max: 6 }),
    fc.constantFrom(...codes),
    fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    fc.boolean(),
    fc.infiniteStream(fc.nat()),
    async (plan, operation, nth, code, short, sticky, choices) => {
      const disk = freshDisk(plan.files)
      const arm = () => {
        // A truncation happens only after a write has failed.
        if (operation === "truncate")
          disk.fail((call) => call.operation === "write" && call.nth >= nth, code, { sticky: true, short })
        disk.fail((call) => call.operation === operation && call.nth >= nth, code, { sticky, short })
      }
      const syncs = new SimulatedSyncs(disk, (n) => choices.next().value % n)
      const latched = await carryOut(plan, disk, arm, { port: inlinePort(syncs.disk, syncs) })
      expectUntouched(syncs)
      for (const [file, of] of latched.entries()) {
        expectPrefix(pathOf(file), stored(disk, pathOf(file)), of.accepted, of.acknowledged.written, header)
        const lost = of.accepted.length - of.unsaved.length
        const image = stored(
          disk.crash((n) => choices.next().value % n),
          pathOf(file),
        )
        expectPrefix(
          `${pathOf(file)} after a power cut`,
          image.slice(0, header.length + lengthOf(of.accepted.slice(0, lost))),
          of.accepted,
          lost,
          header,
        )
        checkTakenBack(operation, of.failure, stored(disk, pathOf(file)))
        coverage.hit(of.failure?.reason._tag ?? "no failure")
      }
      await recovered(plan, operation, { nth, code, short, sticky })
    },
  )
  return fc
    .assert(property, parameters(budget))
    .then(() => sweep(budget))
    .then(() => coverage.demand(budget, ["no failure", "NotWritten", "Torn", "Uncertain"]))
}

/** Schedules that are swept whole, always the same ones. */
const swept = 8

/** Every call of some schedules is refused, once and for good, with every error; then the disk is healthy, and the host recovers. */
const sweep = async (budget: Budget): Promise<void> => {
  if (budget.path !== undefined) return
  const trials = new Trials()
  const plans = budget.runs < 50 ? 1 : swept
  for (const plan of fc.sample(schedule(2, 6), { seed: 1, numRuns: plans })) {
    const rehearsal = freshDisk(plan.files)
    let from = 0
    await carryOut(plan, rehearsal, () => {
      from = rehearsal.operations
    })
    for (let step = 1; step <= rehearsal.operations - from; step++) {
      for (const code of refusals)
        for (const sticky of [false, true]) {
          trials.add("sweep points")
          await judgeRecovery(plan, (disk) => disk.fail(disk.operations + step, code, { sticky, short: step % 60 }))
        }
    }
  }
  trials.tell(budget, { "sweep points": plans * 100 })
}

/** When nothing but writing fails, what a failed write has left is taken back. */
const checkTakenBack = (operation: string, failure: WriteError | undefined, content: string): void => {
  if (operation !== "write" || failure === undefined) return
  if (failure.reason._tag !== "NotWritten") throw new Error(`a failed write was told as ${failure.reason._tag}`)
  if (!content.endsWith("\n")) throw new Error("a part of a line was left behind a failed write")
}

const lengthOf = (lines: ReadonlyArray<string>): number => lines.reduce((sum, text) => sum + text.length + 1, 0)

const recovered = (
  plan: Schedule,
  operation: "write" | "sync" | "truncate",
  { nth, code, short, sticky }: { nth: number; code: string; short: number | undefined; sticky: boolean },
): Promise<void> =>
  judgeRecovery(plan, (disk) => {
    if (operation === "truncate")
      disk.fail((call) => call.operation === "write" && call.nth >= nth, code, { sticky: true, short })
    disk.fail((call) => call.operation === operation && call.nth >= nth, code, { sticky, short })
  })

/** Carries a schedule out on a disk that refuses, heals it, and has the host recover: everything accepted is there, durable and once. */
const judgeRecovery = async (plan: Schedule, befall: (disk: SimulatedDisk) => void): Promise<void> => {
  const disk = freshDisk(plan.files)
  const seen = await carryOut(plan, disk, () => befall(disk), { recover: true })
  // The harshest answer to every question: whatever a sync does not cover is gone.
  const durable = disk.crash((options) => options - 1)
  for (const [file, { failure, accepted }] of seen.entries()) {
    const path = pathOf(file)
    if (failure !== undefined) throw new Error(`${path}: recovery on a healthy disk failed: ${failure.message}`)
    expectPrefix(`${path} after recovery`, stored(disk, path), accepted, accepted.length, header)
    expectPrefix(`${path} after recovery and a power cut`, stored(durable, path), accepted, accepted.length, header)
  }
}

/** Waits for nothing of one file: its syncs do not come back. */
const notWaitingFor = (plan: Schedule, file: number): Schedule => ({
  ...plan,
  queueBytes: 1 << 20,
  steps: plan.steps.map((step) => (step.file === file ? { ...step, wait: "nothing", asks: false } : step)),
})

const whole = (plan: Schedule, file: number): number =>
  plan.steps.reduce((sum, step) => sum + (step.file === file ? step.sizes.length : 0), 0)

/** While the syncs of one file do not come back, all others are flushed, and of that one nothing is acknowledged. Then it is let go. */
const goesOnBeside = (
  seen: ReadonlyArray<JournalJudge>,
  stalled: number,
  syncs: SimulatedSyncs,
  coverage: Coverage,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const [file, of] of seen.entries()) {
      if (file !== stalled && !(yield* of.flush())) throw new Error(`${pathOf(file)} fails although nothing hinders it`)
    }
    const { isStalling } = syncs
    coverage.hit("a file whose sync does not come back", isStalling)
    coverage.hit(
      "a file beside it that went on",
      isStalling && seen.some((of, file) => file !== stalled && of.accepted.length > 1),
    )
    if (isStalling && (seen[stalled]?.acknowledged.synced ?? 0) > 0) throw new Error("acknowledged what no sync has covered")
    syncs.release()
  })

const isolated = [
  "several acknowledgements",
  "a file that fails",
  "a file beside it",
  "a file whose sync does not come back",
  "a file beside it that went on",
  "a sync that overtook another",
  "a sync under way when the machine died",
]

/** Syncs end in any order. One file fails, or its sync does not come back, or the machine dies: the others are acknowledged in order all the same. */
const isolation = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(
    schedule(3, 16),
    fc.nat({ max: 2 }),
    fc.constantFrom("write" as const, "sync" as const, "lstat" as const, "stall" as const, "stall" as const, "death" as const),
    fc.integer({ min: 1, max: 40 }),
    fc.infiniteStream(fc.nat()),
    async (given, broken, trouble, death, choices) => {
      const isStalling = trouble === "stall" && broken < given.files
      const plan = isStalling ? notWaitingFor(given, broken) : given
      const disk = freshDisk(plan.files)
      const syncs = new SimulatedSyncs(disk, (n) => choices.next().value % n, isStalling ? pathOf(broken) : undefined)
      const port = mortalPort(disk, trouble === "death" ? [death] : [], syncs)
      const handedOver = (seen: ReadonlyArray<JournalJudge>) =>
        isStalling ? goesOnBeside(seen, broken, syncs, coverage) : Effect.void
      const before = () => {
        port.arm()
        if (trouble === "stall" || trouble === "death") return
        disk.fail((call) => call.operation === trouble && call.path === pathOf(broken), "EIO", { sticky: true })
      }
      const seen = await carryOut(plan, disk, before, { port, harsh: true, handedOver })
      expectUntouched(syncs)
      coverage.hit("a sync that overtook another", syncs.overtakings > 0)
      coverage.hit("a sync under way when the machine died", syncs.orphans > 0)
      for (const [file, of] of seen.entries()) {
        coverage.hit("several acknowledgements", of.order.length > 2)
        coverage.hit("a file that fails", of.failure !== undefined)
        if (file === broken && of.failure !== undefined) continue
        coverage.hit("a file beside it", of.accepted.length > 0 && seen[broken]?.failure !== undefined)
        if (of.failure !== undefined) throw new Error(`${pathOf(file)} failed with its neighbour: ${of.failure.message}`)
        if (of.accepted.length !== whole(plan, file)) throw new Error(`${pathOf(file)} refused lines`)
        expectPrefix(pathOf(file), stored(disk, pathOf(file)), of.accepted, of.accepted.length, header)
      }
    },
  )
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, isolated))
}

/** A machine that dies at some of its operations and comes back without its descriptors, as a thread does. */
const mortalPort = (
  disk: SimulatedDisk,
  deaths: ReadonlyArray<number>,
  syncs: SimulatedSyncs,
  died: () => void = () => undefined,
): WriterPort & { readonly arm: () => void } => {
  const coming = [...deaths]
  const port = inlinePort(syncs.disk, syncs)
  const arm = () => {
    const next = coming.shift()
    if (next !== undefined) disk.crashAt(disk.operations + next, next % 2 === 0 ? "before" : next % 5)
  }
  const connect: WriterPort["connect"] = (host) =>
    port.connect({
      ...host,
      lost: (cause) => {
        if (!(cause instanceof SimulatedCrash)) throw cause
        syncs.abandon()
        disk.kill()
        died()
        arm()
        host.lost(cause)
      },
    })
  // As a thread is: so that what is sent in the middle of a turn is judged too.
  return { ...port, isAside: true, arm, connect }
}

/** The machine dies under a batch, again and again: nothing is lost, nothing is written twice. */
const mortality = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  // At least 20 operations between two deaths: a batch that costs three machines is given up, which is another matter.
  const deaths = fc.array(fc.integer({ min: 20, max: 60 }), { maxLength: 4 })
  const first = fc.integer({ min: 1, max: 12 })
  const choices = fc.infiniteStream(fc.nat())
  const property = fc.asyncProperty(schedule(2, 20), first, deaths, choices, async (plan, soon, later, choice) => {
    const disk = freshDisk(plan.files)
    let count = 0
    const syncs = new SimulatedSyncs(disk, (n) => choice.next().value % n)
    const port = mortalPort(disk, [soon, ...later], syncs, () => count++)
    const seen = await carryOut(plan, disk, port.arm, { port })
    expectUntouched(syncs)
    for (const [file, of] of seen.entries()) {
      if (of.failure !== undefined) throw new Error(`${pathOf(file)} latched: ${of.failure.message}`)
      if (of.unsaved.length > 0) throw new Error(`${pathOf(file)}: ${of.unsaved.length} lines were not saved`)
      expectPrefix(pathOf(file), stored(disk, pathOf(file)), of.accepted, of.accepted.length, header)
    }
    coverage.hit("a death", count > 0)
    coverage.hit("several deaths", count > 1)
    coverage.hit("a death under a sync", syncs.orphans > 0)
  })
  return fc
    .assert(property, parameters(budget))
    .then(() => coverage.demand(budget, ["a death", "several deaths", "a death under a sync"]))
}

/** A file in the care of a writer that syncs always or when it is asked, with room for a line, for some, or for all. */
const inCare = (disk: Disk, path: string, choice: number): Effect.Effect<WriterFile, unknown, Scope.Scope> => {
  const durability = choice % 2 === 0 ? "synced" : "written"
  const layer = Writer.layerInline(disk, { durability, queueBytes: [64, 1_000, 1 << 20][choice % 3] })
  return Effect.gen(function* () {
    const services = yield* Layer.build(layer)
    return yield* Context.get(services, Writer).open(start(disk, path))
  })
}

const reaches = [...["NotWritten", "Torn", "Uncertain"].map((tag) => `told: ${tag}`), ...["recovery refused", "flush refused"]]

export const laws: ReadonlyArray<Law> = [
  {
    id: "DUR-1",
    sentence:
      "Whatever is appended, and wherever the process or the power stops, every record acknowledged as synced is in the file, in order and once; one acknowledged as written is after the death of the process.",
    runs: 1_000,
    deepRuns: 15_000,
    check: crash,
  },
  {
    id: "DUR-3",
    sentence:
      "A failed write or sync is never reported as success, latches the file and keeps the unsaved records; recovery then continues with no loss and no duplicate.",
    runs: 300,
    deepRuns: 30_000,
    check: failure,
  },
  {
    id: "WRT-1",
    sentence:
      "Acknowledgements come in the order of dispatch, in whatever order syncs end; a file that fails or whose sync does not come back neither fails another nor holds it up, nor does the death of the machine.",
    runs: 200,
    deepRuns: 20_000,
    check: isolation,
  },
  {
    id: "WRT-2",
    sentence: "The death of the machine that writes, at any operation and again, loses no record and writes none twice.",
    runs: 300,
    deepRuns: 30_000,
    check: mortality,
  },
  jrn6(journalOnDisk(inCare, { reaches, runs: 400, deepRuns: 20_000 })),
]
