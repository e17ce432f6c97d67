/** Laws of sessions with seals as a host keeps them: their files under damage, under power cuts, and on a disk that lies about its syncs. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { BlobStore } from "../src/blob/BlobStore.ts"
import type { Disk } from "../src/disk/Disk.ts"
import { Files } from "../src/disk/Files.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { DamageKind } from "../src/journal/Damage.ts"
import { highWaterPath, missingBy, readHighWater } from "../src/journal/HighWater.ts"
import { INTEGRITY } from "../src/journal/Integrity.ts"
import { Lease } from "../src/lease/Lease.ts"
import { Redaction } from "../src/redaction/Redaction.ts"
import { loadTree } from "../src/session/Load.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import type { TreeCommand } from "../src/tree/Command.ts"
import { Writer } from "../src/writer/Writer.ts"
import { Case, event, type Line, SEALS } from "./integrity.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { demand, same } from "./Reading.ts"

const PATH = "/home/me/s.jsonl"

/** What one process does with the session: says something or sets its star, and waits for the disk or not. */
interface Step {
  readonly words: string | undefined
  readonly level: "accepted" | "synced"
}

const step: fc.Arbitrary<Step> = fc.record({
  words: fc.option(fc.string({ unit: "grapheme", maxLength: 900 }), { nil: undefined, freq: 4 }),
  level: fc.constantFrom("accepted" as const, "synced" as const),
})

const run = fc.array(step, { minLength: 1, maxLength: 5 })

const storeOn = (disk: Disk) => {
  let n = 0
  const stamp = Effect.sync(() => ({ at: 1_700_000_000_000 + 1_000 * n, entropy: (++n).toString(16).padStart(32, "0") }))
  return TreeStore.layer({ home: "/home/me", environment: {}, stamp }).pipe(
    Layer.provide(Layer.mergeAll(Files.layerOf(disk), Writer.layerInline(disk), Lease.layerMemory, BlobStore.layerMemory)),
    Layer.provide(Redaction.layer({ environment: {} })),
  )
}

const commandOf = ({ words }: Step, n: number): TreeCommand =>
  words === undefined ? { do: "star", on: n % 2 === 0 } : { do: "message", message: { role: "user", content: `${n} ${words}` } }

/** One process: opens the session, or begins it, carries out what it has to and closes it. `before` comes in front of the closing. */
const carryOut = (disk: Disk, steps: ReadonlyArray<Step>, before: () => void = () => undefined): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const store = yield* TreeStore
        const open =
          disk.lstat(PATH) === undefined
            ? store.create({ cwd: "/w", path: PATH, integrity: INTEGRITY, persist: "immediately" })
            : store.open(PATH, { start: { cwd: "/w", integrity: INTEGRITY } })
        const { session } = yield* open
        for (const [n, each] of steps.entries()) yield* session.dispatch(commandOf(each, n), each.level)
        before()
        yield* session.close
      }),
    ).pipe(Effect.provide(storeOn(disk))),
  )

const textOf = (disk: SimulatedDisk): string => disk.text(PATH) ?? ""

const linesOf = (disk: SimulatedDisk): ReadonlyArray<string> => textOf(disk).split("\n").slice(0, -1)

interface Told {
  readonly kinds: ReadonlyArray<DamageKind>
  /** Of those, what only seals tell. */
  readonly seals: ReadonlyArray<DamageKind>
  readonly missing: number | undefined
  readonly numbers: number
}

/** What a reader is told of the file and of its end. */
const look = async (disk: SimulatedDisk): Promise<Told> => {
  const { damages, summary } = await Effect.runPromise(loadTree(disk, PATH))
  const kinds = damages.map(({ kind }) => kind)
  return {
    kinds,
    seals: kinds.filter((kind) => SEALS.has(kind)),
    missing: missingBy(readHighWater(disk, PATH), summary)?.records,
    numbers: summary.chain?.records ?? 0,
  }
}

// ── Damage ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const SEAL = /,"_c":"\d+-[0-9a-f]{16}-[0-9a-f]{8}"\}$/

/** The lines that a host's own session has left. */
const liveLines = (disk: SimulatedDisk): ReadonlyArray<Line> =>
  linesOf(disk).map((line) => {
    const isSealed = SEAL.test(line)
    return { kind: isSealed ? "ours" : "patch", text: line.replace(SEAL, "}"), line, isSealed }
  })

const damaged = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 2 }), event, async (runs, what) => {
    const disk = new SimulatedDisk()
    for (const steps of runs) await carryOut(disk, steps)
    new Case(liveLines(disk), what, coverage).check()
  })
  await fc.assert(property, parameters(budget))
  const classes = [
    "nothing",
    "torn",
    "lost",
    "repeated",
    "swapped",
    "edited: edited",
    "overwritten: edited",
    "overwritten: nul-run",
  ]
  coverage.demand(budget, classes, 200)
}

// ── Power cuts, and a disk that lies ──────────────────────────────────────────────────────────────────────────────────────────

/** A disk that from now on says of each sync that it is done, and does nothing. */
const lying = (disk: SimulatedDisk): Disk =>
  new Proxy<SimulatedDisk>(disk, {
    get: (target, name) => {
      if (name === "sync" || name === "syncDirectory") return () => undefined
      const found: unknown = Reflect.get(target, name)
      return typeof found === "function" ? found.bind(target) : found
    },
  })

interface Ending {
  readonly isLying: boolean
  /** Whether the power goes after the session was closed, or before. */
  readonly isClosed: boolean
  /** Whether the mark has come to the disk before, as everything does after a while. */
  readonly isMarkKept: boolean
}

const ending: fc.Arbitrary<Ending> = fc.record({ isLying: fc.boolean(), isClosed: fc.boolean(), isMarkKept: fc.boolean() })

/** After a cut: what is told is so, and a process that goes on leaves a file of which the same is told for ever, and nothing else. */
const judgeCut = async (live: SimulatedDisk, image: SimulatedDisk, { isLying, isClosed }: Ending, coverage: Coverage) => {
  const whole = linesOf(live)
  const found = await look(image)
  const present = linesOf(image).filter((line, at) => line === whole[at]).length
  const isClean = textOf(live).startsWith(textOf(image))
  same(found.seals, [], "told by seals of a file that a power cut has left")
  const mark = readHighWater(image, PATH)
  if (!isLying) same(found.missing, undefined, "missing on a disk that tells the truth")
  else if (isClean) {
    const lacks = mark === undefined ? 0 : mark.records - present
    same(found.missing, lacks > 0 ? lacks : undefined, "acknowledged records that are missing")
    const isOfClosing = mark !== undefined && mark.bytes === live.bytes(PATH)?.length && isClosed
    if (isOfClosing) same(found.missing ?? 0, whole.length - present, "records that are missing after a session was closed")
    coverage.hit("missing after a closing", isOfClosing && lacks > 0)
    coverage.hit("gone without a mark", mark === undefined && present < whole.length)
  }
  coverage.hit("nothing missing", found.missing === undefined)
  coverage.hit("torn", found.kinds.length > 0)
  await carryOut(image, [{ words: "goes on", level: "synced" }])
  const after = await look(image)
  same(after.missing, undefined, "missing at the end behind a session that went on")
  // A hole that the cut has left may stand for any number of records: there it tells what is lost, and the numbers tell no more.
  const isHole = after.kinds.length > after.seals.length
  const isTold = found.missing !== undefined && (!isHole || after.seals.length > 0)
  same(after.seals, isTold ? ["lost-records"] : [], "told by seals behind a session that went on")
  coverage.hit("a gap", isTold)
  if (found.missing !== undefined) demand(after.numbers > (mark?.records ?? 0), "the numbers go on behind what is missing")
}

/** Makes a file durable under its name. */
const keep = (disk: SimulatedDisk, path: string): void => {
  if (disk.lstat(path) === undefined) return
  const handle = disk.open(path, "append")
  disk.sync(handle)
  disk.close(handle)
  disk.syncDirectory("/home/me")
}

const cut = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(run, run, ending, fc.infiniteStream(fc.nat()), async (first, second, how, choices) => {
    const disk = new SimulatedDisk()
    await carryOut(disk, first)
    disk.syncDirectory("/home/me")
    let image: SimulatedDisk | undefined
    const cutNow = () => {
      image = disk.crash((n) => choices.next().value % n)
    }
    await carryOut(how.isLying ? lying(disk) : disk, second, how.isClosed ? undefined : cutNow)
    if (how.isClosed && how.isMarkKept) keep(disk, highWaterPath(PATH))
    if (how.isClosed) cutNow()
    if (image !== undefined) await judgeCut(disk, image, how, coverage)
  })
  await fc.assert(property, parameters(budget))
  coverage.demand(budget, ["a gap", "missing after a closing", "gone without a mark", "nothing missing", "torn"], 120)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "INT-2",
    sentence:
      "In the file of a session that was made with seals, with its patches and its reopenings, an edit, a loss, a repetition and a change of order are told apart, and nothing is told when nothing happened.",
    runs: 200,
    check: damaged,
  },
  {
    id: "INT-3",
    sentence:
      "After a power cut nothing is told as missing on a disk that keeps what it has synced; on one that lies, when the mark has survived, exactly the records it speaks of are, and a session that goes on leaves a gap in the numbers that tells it for ever.",
    runs: 120,
    check: cut,
  },
]
