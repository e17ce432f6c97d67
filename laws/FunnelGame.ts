/** Law SEC-5's play: processes that say secrets and do things, and the judge who looks at the disk after every step. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { seededChooser } from "../src/disk/Chooser.ts"
import type { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { Redaction } from "../src/redaction/Redaction.ts"
import { Oracle } from "../src/testing/Oracle.ts"
import { type Carrier, KINDS, type Said } from "./arbitraries/canaries.ts"
import { POSITIONS, type Position } from "./arbitraries/secrets.ts"
import { LEDGER_COMMANDS, stringsOf, type Telling, TREE_COMMANDS } from "./arbitraries/told.ts"
import { DEED_NAMES, DEEDS, type DeedName } from "./FunnelDeeds.ts"
import { attempt, type Hands, type Known, lastMessage, run, type Services } from "./FunnelWorld.ts"
import type { Coverage } from "./Law.ts"
import { Watch } from "./Watch.ts"

export const TREE_NAMES = Object.keys(TREE_COMMANDS) as ReadonlyArray<keyof typeof TREE_COMMANDS>
export const LEDGER_NAMES = Object.keys(LEDGER_COMMANDS) as ReadonlyArray<keyof typeof LEDGER_COMMANDS>

/** A step of a process. What is said in it is chosen by numbers, so that it shrinks. */
type Step = (
  | { readonly on: "store"; readonly what: DeedName }
  | { readonly on: "tree"; readonly what: keyof typeof TREE_COMMANDS }
  | { readonly on: "ledger"; readonly what: keyof typeof LEDGER_COMMANDS }
) & { readonly carrier: number; readonly text: number; readonly position: number }

export interface Process {
  readonly steps: ReadonlyArray<Step>
  /** At which operation of the disk it stops by itself, counted from its begin. */
  readonly crashAt: number | undefined
  readonly end: "close" | "kill" | "cut"
  /** Chooses what a power cut takes. */
  readonly seed: number
}

// ── Generating ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const chosen = {
  carrier: fc.nat({ max: KINDS.length - 1 }),
  text: fc.nat({ max: 999 }),
  position: fc.nat({ max: POSITIONS.length - 1 }),
}

/** A turn of a ledger, in the order in which a run has it. */
const TURN = ["user", "reserve", "snapshot", "assistant", "toolResults", "end"] as const

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.record({ on: fc.constant("tree" as const), what: fc.constantFrom(...TREE_NAMES), ...chosen })),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.record({ on: fc.constant("ledger" as const), what: fc.constantFrom(...LEDGER_NAMES), ...chosen })),
  },
  { weight: 2, arbitrary: fc.record(chosen).map((one) => TURN.map((what): Step => ({ on: "ledger", what, ...one }))) },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.record({ on: fc.constant("store" as const), what: fc.constantFrom(...DEED_NAMES), ...chosen })),
  },
)

const process = (...first: ReadonlyArray<DeedName>): fc.Arbitrary<Process> =>
  fc.record({
    steps: fc
      .array(steps, { minLength: 1, maxLength: 8 })
      .map((rest) => [...first.map((what): Step => ({ on: "store", what, carrier: 0, text: 0, position: 0 })), ...rest.flat()]),
    crashAt: fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined, freq: 3 }),
    end: fc.constantFrom("close", "kill", "cut"),
    seed: fc.nat(),
  })

/** Up to three processes, one after the other: each goes on with what the one before has left. */
export const processes: fc.Arbitrary<ReadonlyArray<Process>> = fc
  .tuple(process("begin a tree", "begin a ledger"), fc.array(process("open a tree again", "resume a ledger"), { maxLength: 2 }))
  .map(([first, rest]) => [first, ...rest])

// ── Playing ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a step says. */
interface Speech {
  readonly carrier: Carrier
  readonly said: Said
  readonly position: Position
}

export class Game {
  readonly #carriers: ReadonlyArray<Carrier>
  readonly #coverage: Coverage
  readonly #watch: Watch
  readonly #known: Known = { trees: [], ledgers: [], foreign: new Set() }
  readonly #environment: Readonly<Record<string, string>>
  /** Steps so far. */
  #number = 0

  constructor(carriers: ReadonlyArray<Carrier>, coverage: Coverage) {
    this.#carriers = carriers
    this.#coverage = coverage
    this.#watch = new Watch(new Oracle(carriers.map(({ canary }) => canary)))
    this.#environment = Object.fromEntries(
      carriers.flatMap(({ variable, canary }) => (variable === undefined ? [] : [[variable, canary.text] as const])),
    )
  }

  /** Plays one process and gives the disk that the next one finds. */
  async play(disk: SimulatedDisk, { steps, crashAt, end, seed }: Process): Promise<SimulatedDisk> {
    if (crashAt !== undefined) disk.crashAt(disk.operations + crashAt, seed % 2 === 0 ? "after" : seed % 40)
    let leak: unknown
    await run(disk, { environment: this.#environment, from: 1_000 * this.#number }, (hands) =>
      Effect.catchDefect(this.#playAll(hands, steps, { seed, isClosed: end === "close" }), (defect) =>
        Effect.sync(() => {
          leak = defect
        }),
      ),
    )
    if (leak !== undefined) throw leak
    this.#judge(disk, seed, "the end")
    this.#coverage.hit(end)
    this.#coverage.hit("stopped", crashAt !== undefined)
    disk.heal()
    if (end === "cut") return disk.crash(seededChooser(seed))
    disk.kill()
    return disk
  }

  #playAll(
    hands: Hands,
    steps: ReadonlyArray<Step>,
    { seed, isClosed }: { readonly seed: number; readonly isClosed: boolean },
  ): Effect.Effect<void, unknown, Services> {
    const game = this
    return Effect.gen(function* () {
      const registered = new Set<Carrier>()
      for (const [n, step] of steps.entries()) {
        const carrier = game.#carriers[step.carrier] as Carrier
        if (carrier.kind === "registered" && !registered.has(carrier)) {
          registered.add(carrier)
          const redactor = yield* Redaction
          redactor.addSecret(carrier.canary.text, carrier.canary.name)
        }
        yield* game.#step(hands, step, carrier)
        game.#judge(hands.disk, seed + n, step.what)
      }
      if (!isClosed) return
      yield* attempt(hands.tree?.session.close ?? Effect.void)
      yield* attempt(hands.ledger?.session.close ?? Effect.void)
    })
  }

  #step(hands: Hands, step: Step, carrier: Carrier): Effect.Effect<void, unknown, Services> {
    const texts = carrier.texts()
    const said = texts[step.text % texts.length] as Said
    const position = POSITIONS[step.position] as Position
    return Effect.map(this.#carriedOut(hands, step, { carrier, said, position }), (isDone) => {
      if (!isDone) return
      const names = [step.what, `${step.on}: ${step.what}`, carrier.kind, said.context, position.name]
      for (const name of names) this.#coverage.hit(name)
    })
  }

  /** Carries a step out and says whether anything of it was done. */
  #carriedOut(hands: Hands, step: Step, { carrier, said, position }: Speech): Effect.Effect<boolean, unknown, Services> {
    const number = ++this.#number
    const known = this.#known
    const record = position.put(said.text)
    // What lines give away is given away on lines of its own only.
    const alone = carrier.kind === "given away" ? (carrier.texts()[0] as Said).text : undefined
    return Effect.gen(function* () {
      if (step.on === "store") {
        const words = alone ?? said.text
        const secret = alone ?? carrier.canary.text
        return (yield* attempt(DEEDS[step.what]({ hands, known, words, record, secret, number }))) !== undefined
      }
      const tree = hands.tree === undefined ? undefined : yield* hands.tree.session.state
      const telling: Telling = {
        words: alone ?? (step.on === "tree" ? stringsOf(record).join("\n") : said.text),
        record,
        leaf: tree?.leaf ?? null,
        message: tree === undefined ? undefined : lastMessage(tree),
      }
      return yield* dispatched(hands, step, telling)
    })
  }

  /** Fails when a secret is to be seen on the disk, or on what a power cut at this moment would leave of it. */
  #judge(disk: SimulatedDisk, seed: number, after: string): void {
    for (const one of [disk, disk.crash(seededChooser(seed)), disk.crash((options) => options - 1)]) {
      const [seen] = this.#watch.look(one, this.#known.foreign)
      if (seen === undefined) continue
      const around = Buffer.from(one.bytes(seen.path) ?? []).subarray(Math.max(0, seen.offset - 80), seen.offset + 160)
      throw new Error(`after ${after}: ${JSON.stringify({ ...seen, spelling: seen.spelling.join(" ") })} in ${around.toString()}`)
    }
  }
}

/** Says everything that a command of this name can say. True when anything was accepted. */
const dispatched = (hands: Hands, step: Step, telling: Telling): Effect.Effect<boolean, unknown, Services> =>
  Effect.gen(function* () {
    let isDone = false
    const { tree, ledger } = hands
    if (step.on === "tree" && tree !== undefined)
      for (const command of TREE_COMMANDS[step.what](telling))
        isDone = (yield* attempt(tree.session.dispatch(command))) !== undefined || isDone
    if (step.on === "ledger" && ledger !== undefined)
      for (const command of LEDGER_COMMANDS[step.what](telling))
        isDone = (yield* attempt(ledger.session.dispatch(command))) !== undefined || isDone
    return isDone
  })
