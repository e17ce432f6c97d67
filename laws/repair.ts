/** The law of repair: nothing is lost, and nothing is left to repair. */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { seededChooser } from "../src/disk/Chooser.ts"
import { SimulatedCrash, type Stop } from "../src/disk/Schedule.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { LineItem } from "../src/journal/Line.ts"
import { readJournal } from "../src/journal/Reader.ts"
import { applyRepair, repairNames } from "../src/journal/Repair.ts"
import { planRepair, type RepairPlan } from "../src/journal/RepairPlan.ts"
import { bytesOf, concat, smallLimits, wildBytes } from "./arbitraries/bytes.ts"
import { refusals } from "./arbitraries/disk.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { damagesOf, demand, recordsOf, same, texts } from "./Reading.ts"
import { Trials } from "./Trials.ts"

const path = "/home/session.jsonl"

const readFile = (disk: SimulatedDisk) => {
  const reading = readJournal(disk, path, smallLimits)
  const items: Array<LineItem> = []
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done) return { items, summary: next.value }
    if (next.value._tag !== "Progress") items.push(next.value)
  }
}

const planFor = (disk: SimulatedDisk): RepairPlan => planRepair(readJournal(disk, path, smallLimits))

interface Kept {
  readonly offset: number
  readonly length: number
  readonly text?: string
  readonly base64?: string
}

const bytesOfKept = ({ length, text, base64 }: Kept): Uint8Array =>
  text !== undefined
    ? bytesOf(text)
    : base64 !== undefined
      ? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
      : new Uint8Array(length)

/** The damaged file again, from the repaired file, the quarantine and the plan. */
const restore = (repaired: Uint8Array, quarantine: ReadonlyArray<Kept>, plan: RepairPlan): Uint8Array => {
  const kept = new Map(quarantine.map((piece) => [piece.offset, piece]))
  const parts: Array<Uint8Array> = []
  let original = 0
  let at = 0
  const copyTo = (offset: number): void => {
    parts.push(repaired.subarray(at, at + offset - original))
    at += offset - original
    original = offset
  }
  for (const { action, offset, length } of plan.actions) {
    copyTo(offset)
    if (action === "split" || action === "add-newline") {
      demand(repaired[at] === 0x0a, "an inserted newline")
      at++
      continue
    }
    const pieces: Array<Uint8Array> = []
    for (let piece = kept.get(original); original < offset + length; piece = kept.get(original)) {
      if (piece === undefined) throw new Error(`byte ${original} is in neither file`)
      pieces.push(bytesOfKept(piece))
      original += piece.length
    }
    parts.push(...pieces)
    if (action === "replace") at += bytesOf(replacedText(concat(pieces))).length
  }
  copyTo(plan.identity.size)
  demand(at === repaired.length, "bytes in the repaired file that were not there before")
  return concat(parts)
}

/** Written down again, not taken from the code under judgement. */
const replacedText = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\r\n").join("\\r\\n").split("\n").join("\\n")

const names = (attempt: string) => repairNames(path, 0, attempt)

const isOneOf = (found: Uint8Array | undefined, allowed: ReadonlyArray<Uint8Array>): boolean =>
  allowed.some((bytes) => found !== undefined && found.length === bytes.length && found.every((byte, at) => byte === bytes[at]))

/** The repaired file, if there is one, judged against what was read before. */
const checkRepaired = (
  disk: SimulatedDisk,
  bytes: Uint8Array,
  plan: RepairPlan,
  records: ReadonlyArray<string>,
  given: Pick<Mishap, "what">,
): void => {
  const repaired = disk.bytes(path) as Uint8Array
  const after = readFile(disk)
  same(texts(recordsOf(after.items)), records, "records after the repair")
  same(damagesOf(after.items), [], "damages after the repair")
  demand(after.summary.endsWithNewline, "no newline at the end")
  same(planFor(disk).actions, [], "a second plan")
  if (plan.actions.length === 0) return
  const { backup, quarantine } = names("")
  const pieces = new TextDecoder()
    .decode(disk.bytes(`/home/${quarantine}`))
    .split("\n")
    .slice(0, -1)
  const restored = restore(
    repaired,
    pieces.map((line) => JSON.parse(line) as Kept),
    plan,
  )
  demand(isOneOf(restored, [bytes]), "the two files do not make up the damaged one")
  demand(isOneOf(disk.bytes(`/home/${backup}`), [bytes]), "the backup is not the damaged file")
  // An attempt that died, or that the disk does not let clean up, leaves its own temporary file and no other.
  const temporary = `/home/${names("first").temporary}`
  const left = disk.paths().filter((name) => name.endsWith(".tmp") && name !== temporary)
  same(left, [], "temporary files left behind")
  demand(given.what !== "none" || disk.bytes(temporary) === undefined, "a temporary file left behind")
}

/** What goes wrong at one of the operations of a repair, and which of them, as a fraction of all. */
type Mishap = { readonly what: "none" } | (Interruption & { readonly at: number })

type Interruption =
  | { readonly what: "power cut"; readonly when: Stop; readonly seed: number }
  | { readonly what: "refusal"; readonly code: string; readonly sticky: boolean }

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  fc.record({ what: fc.constant("none" as const) }),
  fc
    .tuple(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.oneof(
        fc.record({
          what: fc.constant("power cut" as const),
          when: fc.constantFrom<Stop>("before", "after", 1, 7),
          seed: fc.nat(),
        }),
        fc.record({ what: fc.constant("refusal" as const), code: fc.constantFrom(...refusals), sticky: fc.boolean() }),
      ),
    )
    .map(([at, interruption]) => ({ at, ...interruption })),
)

/** How many operations the repair of a file takes. */
const operationsOf = (bytes: Uint8Array): number => {
  const disk = new SimulatedDisk({ [path]: bytes })
  const plan = planFor(disk)
  const from = disk.operations
  applyRepair(disk, plan, names("first"))
  return disk.operations - from
}

/** A first attempt that fails at one of its operations, the first one is 1, and the disk it leaves. */
const interrupted = (
  bytes: Uint8Array,
  operation: number,
  given: Interruption,
  allowed: ReadonlyArray<Uint8Array>,
): SimulatedDisk => {
  const disk = new SimulatedDisk({ [path]: bytes })
  const plan = planFor(disk)
  const step = disk.operations + operation
  if (given.what === "refusal") {
    disk.fail((call) => (given.sticky ? call.step >= step : call.step === step), given.code, { sticky: given.sticky })
    const result = applyRepair(disk, plan, names("first"))
    const isUnsure = Result.isSuccess(result) || result.failure.reason._tag === "Uncertain"
    demand(isOneOf(disk.bytes(path), isUnsure ? allowed : [bytes]), "a refused repair changed the file")
    disk.heal()
    return disk
  }
  disk.crashAt(step, given.when)
  try {
    applyRepair(disk, plan, names("first"))
  } catch (cause) {
    if (!(cause instanceof SimulatedCrash)) throw cause
  }
  const after = disk.crash(seededChooser(given.seed))
  demand(isOneOf(after.bytes(path), allowed), "a power cut left neither the old file nor the new one")
  return after
}

/** What stands in the file once it is repaired without mishap; undefined when that is refused. */
const repairedOf = (bytes: Uint8Array): Uint8Array | undefined => {
  const disk = new SimulatedDisk({ [path]: bytes })
  return Result.isSuccess(applyRepair(disk, planFor(disk), names("only"))) ? disk.bytes(path) : undefined
}

const checkRepair = (coverage: Coverage, bytes: Uint8Array, given: Mishap): void => {
  const untouched = new SimulatedDisk({ [path]: bytes })
  const first = readFile(untouched)
  const plan = planFor(untouched)
  const wanted = repairedOf(bytes)
  coverage.hit("refused", plan.refusal !== undefined)
  if (plan.refusal !== undefined || wanted === undefined) {
    demand(plan.refusal !== undefined && wanted === undefined, "refused in one place only")
    const isAllNul = damagesOf(first.items).every(({ kind }) => kind === "nul-run")
    demand(first.summary.isUtf16 || (first.summary.records === 0 && !isAllNul), "refused a file that can be repaired")
    return
  }
  for (const { action, kind } of plan.actions) coverage.hit(`${action} ${kind}`)
  let disk = untouched
  if (given.what !== "none" && plan.actions.length > 0) {
    coverage.hit(given.what)
    disk = interrupted(bytes, 1 + Math.floor(given.at * operationsOf(bytes)), given, [bytes, wanted])
  }
  const result = applyRepair(disk, planFor(disk), names("second"))
  if (Result.isFailure(result)) throw result.failure
  checkRepaired(disk, bytes, plan, texts(recordsOf(first.items)), given)
}

/** Damaged files whose repair is swept whole, always the same ones. */
const SWEPT = 8

/** Cuts of the power behind each stop. */
const CUTS = 2

/** Each operation of some repairs is refused, with every error, once and for good; and the power is cut before, within and behind it. */
const sweep = (budget: Budget): void => {
  if (budget.path !== undefined) return
  const trials = new Trials()
  const cuts = (["before", "after", 1, 7] as const).flatMap((when) =>
    Array.from({ length: CUTS }, (_, seed): Interruption => ({ what: "power cut", when, seed })),
  )
  const failures = refusals.flatMap((code) => [false, true].map((sticky): Interruption => ({ what: "refusal", code, sticky })))
  const files = fc
    .sample(wildBytes, { seed: 1, numRuns: 200 })
    .filter((bytes) => planFor(new SimulatedDisk({ [path]: bytes })).actions.length > 0 && repairedOf(bytes) !== undefined)
    .slice(0, budget.runs < 50 ? 1 : SWEPT)
  for (const bytes of files) {
    const before = new SimulatedDisk({ [path]: bytes })
    const plan = planFor(before)
    const records = texts(recordsOf(readFile(before).items))
    const wanted = repairedOf(bytes) ?? bytes
    const count = operationsOf(bytes)
    for (let operation = 1; operation <= count; operation++)
      for (const given of [...cuts, ...failures]) {
        trials.add(given.what === "refusal" ? "sweep points" : "crash trials")
        const disk = interrupted(bytes, operation, given, [bytes, wanted])
        const result = applyRepair(disk, planFor(disk), names("second"))
        if (Result.isFailure(result))
          throw new Error(`operation ${operation}: ${JSON.stringify(given)}`, { cause: result.failure })
        checkRepaired(disk, bytes, plan, records, given)
      }
  }
  trials.tell(budget, budget.runs < 50 ? {} : { "sweep points": 150 * SWEPT, "crash trials": 100 * SWEPT })
}

const repairing: Law = {
  id: "RPR-1",
  sentence:
    "Repair loses no byte (what is not in the repaired file is in the quarantine), is idempotent, also after a refusal or a power cut at any step, and the repaired file verifies clean.",
  runs: 700,
  deepRuns: 14_000,
  check: (budget) => {
    const coverage = new Coverage()
    const property = fc.property(wildBytes, mishap, (bytes, given) => checkRepair(coverage, bytes, given))
    fc.assert(property, parameters(budget))
    sweep(budget)
    const kinds = ["torn-tail", "nul-run", "glued", "not-json", "not-object", "oversize", "too-deep"].map(
      (kind) => `quarantine ${kind}`,
    )
    const others = ["replace not-utf8", "replace raw-newline", "split glued", "add-newline no-newline", "refused"]
    coverage.demand(budget, [...kinds, ...others, "power cut", "refusal"], 500)
  },
}

export const laws: ReadonlyArray<Law> = [repairing]
