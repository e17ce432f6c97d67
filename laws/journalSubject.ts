/**
 * The law of journals, for any `Journal`: a host can hold its own to it.
 *
 * A function of what is to be judged; `laws/writer.ts` lists it for a file in the writer's care. {@link journalOnDisk} makes the subject
 * of a journal that writes through a disk; any other medium is brought as a world of its own.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import type { Disk } from "../src/disk/Disk.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { JournalShape } from "../src/journal/Journal.ts"
import { line } from "./arbitraries/lines.ts"
import { type Appended, appended } from "./arbitraries/schedules.ts"
import { JournalJudge, type Kept } from "./JournalJudge.ts"
import type { Law } from "./Law.ts"
import { Coverage, parameters } from "./Law.ts"

/** A journal that has just been opened and holds no line, and its medium. */
export interface JournalWorld {
  readonly journal: JournalShape
  /**
   * The lines that a reader would find now, as text without the newline; a cut line is none. At `synced`: after the worst that can
   * happen to what was not synced, such as a power cut. A medium that cannot tell gives the same for both.
   */
  readonly kept: Kept
  /** Lets the medium fail from here on. `choice` is any number from 0 and says how; equal ones fail alike. Absent: it cannot fail. */
  readonly fail?: ((choice: number) => void) | undefined
  /** The medium is whole again. */
  readonly heal?: (() => void) | undefined
}

export interface JournalSubject {
  /** A world in which nothing was yet; its scope is closed when it has been judged. `choice` is any number from 0. */
  readonly world: (choice: number) => Effect.Effect<JournalWorld, unknown, Scope.Scope>
  /** The classes of cases that its worlds must reach in an ordinary run, besides those of every journal. */
  readonly reaches?: ReadonlyArray<string> | undefined
  /** How long a case may take before the journal counts as one that does not answer, in milliseconds. Default: 20,000. */
  readonly patience?: number | undefined
  readonly runs?: number | undefined
  /** Of a deep run. Twenty times `runs` when absent. */
  readonly deepRuns?: number | undefined
}

type JournalStep =
  | ({ readonly do: "append" } & Appended)
  | { readonly do: "fail"; readonly choice: number }
  | { readonly do: "mend" | "recover" | "flush" }

const step: fc.Arbitrary<JournalStep> = fc.oneof(
  { weight: 8, arbitrary: appended.map((given) => ({ do: "append" as const, ...given })) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fail"), choice: fc.nat({ max: 9_999 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("mend", "recover", "flush") }) },
)

const play = (world: JournalWorld, judge: JournalJudge, given: JournalStep, number: () => number, coverage: Coverage) =>
  Effect.gen(function* () {
    switch (given.do) {
      case "append": {
        const seq = yield* judge.append(given.sizes.map((size) => line(number(), size)))
        coverage.hit("refused behind a failure", seq === undefined)
        if (seq === undefined) return
        yield* Effect.forkScoped(judge.watch(seq, given.asks), { startImmediately: true })
        if (given.wait !== "nothing") yield* judge.wait(seq, given.wait)
        return
      }
      case "fail":
        return world.fail?.(given.choice)
      case "flush":
        coverage.hit("flush refused", !(yield* judge.flush()))
        return
      default: {
        if (given.do === "mend") world.heal?.()
        const wasLatched = judge.failure !== undefined
        const isRecovered = yield* judge.recover(given.do === "mend")
        coverage.hit("recovered", wasLatched && isRecovered)
        coverage.hit("recovery refused", !isRecovered)
      }
    }
  })

const judged = (world: JournalWorld, steps: ReadonlyArray<JournalStep>, coverage: Coverage) =>
  Effect.gen(function* () {
    const judge = new JournalJudge("the journal", world.journal, world.kept)
    let count = 0
    for (const each of steps) {
      yield* play(world, judge, each, () => ++count, coverage)
      yield* judge.look()
      coverage.hit(`told: ${judge.failure?.reason._tag}`, judge.failure !== undefined)
      judge.rule()
    }
    world.heal?.()
    // Twice, because the second one must find nothing to do.
    yield* judge.recover(true)
    yield* judge.recover(true)
    if (!(yield* judge.flush())) judge.complain("cannot be flushed, although it has recovered")
    yield* judge.expectKept("written", judge.accepted.length)
    yield* judge.look()
    if (judge.unsaved.length > 0) judge.complain("lines are unsaved behind a flush")
    judge.judgeOrder()
    judge.rule()
    coverage.hit("acknowledged as written", judge.acknowledged.written > 0)
    coverage.hit("acknowledged as synced", judge.acknowledged.synced > 0)
    coverage.hit("can fail", world.fail !== undefined)
  })

const everyJournal = ["acknowledged as written", "acknowledged as synced"]
const onesThatFail = ["refused behind a failure", "recovered"]

/** Law JRN-6 for a journal. Cost: a world for each case, and up to 24 steps in each. */
export const jrn6 = (subject: JournalSubject): Law => ({
  id: "JRN-6",
  sentence:
    "A journal keeps the lines handed over in order and once, acknowledges nothing that is not kept at that level, latches at the first failure, keeps what is unsaved readable, and writes it exactly once when it recovers.",
  runs: subject.runs ?? 300,
  deepRuns: subject.deepRuns,
  check: async (budget) => {
    const coverage = new Coverage()
    const { patience = 20_000 } = subject
    let isStuck = false
    const holds = async (choice: number, steps: ReadonlyArray<JournalStep>): Promise<void> => {
      // One that does not answer is not asked again for the sake of a smaller case.
      if (isStuck) return
      const work = Effect.scoped(Effect.flatMap(Effect.orDie(subject.world(choice)), (world) => judged(world, steps, coverage)))
      isStuck = Option.isNone(await Effect.runPromise(Effect.timeoutOption(work, patience)))
      if (isStuck) throw new Error(`the journal: no answer within ${patience} ms`)
    }
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 999 }), fc.array(step, { maxLength: 24, size: "max" }), holds),
      parameters(budget),
    )
    const classes = coverage.count("can fail") > 0 ? [...everyJournal, ...onesThatFail] : everyJournal
    coverage.demand(budget, [...classes, ...(subject.reaches ?? [])], 200)
  },
})

const PATH = "/journal.jsonl"

const codes = ["ENOSPC", "EIO", "EFBIG", "EDQUOT", "EROFS"] as const

/** Refuses writes, syncs, or writes and whatever would take them back; once or for good, at once or a little later. */
const refuse = (disk: SimulatedDisk, choice: number): void => {
  const what = choice % 4
  let left = Math.floor(choice / 4) % 3
  const sticky = choice % 5 === 0
  const short = choice % 7 < 3 ? undefined : choice % 61
  const code = codes[choice % codes.length] ?? "EIO"
  const isMeant = (operation: keyof Disk) => operation === (what === 3 ? "sync" : "write")
  disk.fail((call) => isMeant(call.operation) && left-- <= 0, code, { sticky, short })
  if (what === 2) disk.fail((call) => call.operation === "truncate", code, { sticky })
}

/**
 * The subject of a journal that writes one line of text for each line through a disk. `open` is given a simulated disk, the path of an
 * empty, durable file on it, and a number from 0 to choose options by. The disk refuses, and the power is cut.
 */
export const journalOnDisk = (
  open: (disk: Disk, path: string, choice: number) => Effect.Effect<JournalShape, unknown, Scope.Scope>,
  options: Pick<JournalSubject, "runs" | "deepRuns" | "reaches" | "patience"> = {},
): JournalSubject => ({
  ...options,
  world: (choice) =>
    Effect.suspend(() => {
      const disk = new SimulatedDisk({ [PATH]: "" })
      return Effect.map(open(disk, PATH, choice), (journal) => ({
        journal,
        // The harshest answer to every question: whatever a sync does not cover is gone.
        kept: (level) =>
          Effect.sync(() => ((level === "synced" ? disk.crash((n) => n - 1) : disk).text(PATH) ?? "").split("\n").slice(0, -1)),
        fail: (how) => refuse(disk, how),
        heal: () => disk.heal(),
      }))
    }),
})
