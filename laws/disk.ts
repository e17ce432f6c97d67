import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { AtomicError } from "../src/disk/Atomic.ts"
import { createFile, replaceFile } from "../src/disk/Atomic.ts"
import { everyChoice, listChooser, seededChooser } from "../src/disk/Chooser.ts"
import type { FileStat } from "../src/disk/Disk.ts"
import { nodeDisk } from "../src/disk/NodeDisk.ts"
import type { Stop } from "../src/disk/Schedule.ts"
import { SimulatedCrash } from "../src/disk/Schedule.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { Refusal } from "./arbitraries/disk.ts"
import { answers, content, refusal, refusals } from "./arbitraries/disk.ts"
import { DiskOracle, diskHistory } from "./arbitraries/diskHistory.ts"
import type { Budget, Law } from "./Law.ts"
import { Coverage, parameters } from "./Law.ts"
import { dsk2 } from "./port.ts"
import { Trials } from "./Trials.ts"

/**
 * The laws of files: what an atomic replacement promises, and that the simulated disk, the judge of every other durability law,
 * is itself just.
 */

const path = "/home/session.jsonl"
const backupPath = "/home/session.backup"
const temporaryName = ".session.tmp"

interface Case {
  readonly old: Uint8Array | undefined
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly how: "replace" | "replace with backup" | "create"
  readonly refusal: Refusal | undefined
}

const replacement: fc.Arbitrary<Case> = fc.record({
  old: fc.option(content(1200), { nil: undefined }),
  chunks: fc.array(content(1200), { maxLength: 3 }),
  how: fc.constantFrom("replace", "replace with backup", "create"),
  refusal: fc.option(refusal, { nil: undefined }),
})

const equal = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((byte, at) => byte === b[at]))

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(chunks.flatMap((chunk) => [...chunk]))

const prepare = (given: Case, refuseFrom: number | undefined): SimulatedDisk => {
  const disk = new SimulatedDisk(given.old === undefined ? { "/home/other": "untouched" } : { [path]: given.old })
  if (given.refusal !== undefined && refuseFrom !== undefined) {
    const { code, sticky, short } = given.refusal
    disk.fail(refuseFrom, code, { sticky, short })
  }
  return disk
}

const run = (disk: SimulatedDisk, given: Case): Result.Result<FileStat, AtomicError> => {
  const write = (append: (bytes: Uint8Array) => void): void => {
    for (const chunk of given.chunks) append(chunk)
  }
  const expect = disk.lstat(path)
  if (given.how === "create") return createFile(disk, path, write, { temporaryName })
  const backupName = given.how === "replace with backup" && given.old !== undefined ? "session.backup" : undefined
  return replaceFile(disk, path, write, { temporaryName, expect, backupName })
}

/** What a name may hold, given how the call ended; `undefined` stands for a process that stopped before it ended. */
const allowed = (given: Case, result: Result.Result<FileStat, AtomicError> | undefined, cut: boolean) => {
  const fresh = concat(given.chunks)
  const old = given.old
  if (given.how === "create" && old !== undefined) return [old]
  if (result === undefined) return [old, fresh]
  if (Result.isSuccess(result)) return [fresh]
  if (result.failure.reason._tag === "Uncertain") return cut ? [old, fresh] : [fresh]
  return [old]
}

const judge = (
  disk: SimulatedDisk,
  given: Case,
  choices: ReadonlyArray<ReadonlyArray<Uint8Array | undefined>>,
  where: string,
): void => {
  const found = disk.bytes(path)
  const possible = choices.flat()
  if (!possible.some((bytes) => equal(bytes, found))) {
    throw new Error(`${where}: ${path} holds ${found?.length ?? "no"} bytes, which are neither the old file nor the new one`)
  }
  const backup = disk.bytes(backupPath)
  if (backup !== undefined && !equal(backup, given.old)) throw new Error(`${where}: the backup is not the old file`)
}

const stops: ReadonlyArray<Stop> = ["before", "after", 1]

/** Counts the operations of a run, without and then with the refusal, which is placed somewhere within the run. */
const rehearse = (given: Case): { readonly steps: number; readonly refuseFrom: number | undefined } => {
  const plain = prepare(given, undefined)
  run(plain, given)
  if (given.refusal === undefined) return { steps: plain.operations, refuseFrom: undefined }
  const refuseFrom = 2 + Math.floor(given.refusal.at * (plain.operations - 1))
  const disk = prepare(given, refuseFrom)
  run(disk, given)
  return { steps: disk.operations, refuseFrom }
}

const images = (disk: SimulatedDisk, chosen: ReadonlyArray<number>, step: number) =>
  [listChooser(chosen), seededChooser(step * 7919 + (chosen[0] ?? 0)), seededChooser(step + chosen.length)].map((choose) =>
    disk.crash(choose),
  )

const stopEverywhere = (given: Case, chosen: ReadonlyArray<number>, coverage: Coverage, trials: Trials): void => {
  const { steps, refuseFrom } = rehearse(given)
  for (let step = 2; step <= steps; step++) {
    for (const when of stops) {
      const disk = prepare(given, refuseFrom)
      disk.crashAt(step, when)
      try {
        run(disk, given)
        throw new Error(`operation ${step} was not reached`)
      } catch (cause) {
        if (!(cause instanceof SimulatedCrash)) throw cause
      }
      const where = `stopped ${when} operation ${step}`
      trials.add("crash trials", 4)
      for (const image of images(disk, chosen, step)) {
        judge(image, given, [allowed(given, undefined, true)], `${where}, power cut`)
        coverage.hit("new after a power cut", equal(image.bytes(path), concat(given.chunks)))
        coverage.hit("old after a power cut", equal(image.bytes(path), given.old))
        coverage.hit("temporary left", image.bytes(`/home/${temporaryName}`) !== undefined)
      }
      disk.kill()
      judge(disk, given, [allowed(given, undefined, false)], `${where}, killed`)
    }
  }
}

const endAndCut = (given: Case, chosen: ReadonlyArray<number>, coverage: Coverage): void => {
  const { refuseFrom } = rehearse(given)
  const disk = prepare(given, refuseFrom)
  const result = run(disk, given)
  coverage.hit(Result.isSuccess(result) ? "success" : result.failure.reason._tag)
  judge(disk, given, [allowed(given, result, false)], "ended")
  for (const image of images(disk, chosen, 0)) judge(image, given, [allowed(given, result, true)], "ended, power cut")
  if (disk.handles > 0) throw new Error("a handle was left open")
  const left = disk.bytes(`/home/${temporaryName}`) !== undefined
  // The last operation of a failed call removes the temporary file; the disk may refuse that one too.
  const refusedLast = Result.isFailure(result) && refuseFrom === disk.operations
  if (left && given.refusal?.sticky !== true && !refusedLast) throw new Error("the temporary file was left behind")
}

/** Small replacements of each kind: a file of nothing, of less than a page, and across a border of pages. */
const smallCases: ReadonlyArray<Case> = ["replace" as const, "replace with backup" as const, "create" as const].flatMap((how) =>
  [undefined, new Uint8Array(700).fill(0x6f)].flatMap((old) =>
    [[], [30], [400, 300]].map((sizes) => ({
      how,
      old,
      chunks: sizes.map((size) => new Uint8Array(size).fill(0x6e)),
      refusal: undefined,
    })),
  ),
)

/** States behind one stop of a small replacement, at the most. */
const mostStates = 20_000

/** Each small replacement, stopped behind each of its operations, in every state that a power cut can leave, page by page. */
const everyState = (given: Case, trials: Trials): void => {
  const { steps } = rehearse(given)
  for (let step = 2; step <= steps; step++) {
    const disk = prepare(given, undefined)
    disk.crashAt(step, "after")
    try {
      run(disk, given)
    } catch (cause) {
      if (!(cause instanceof SimulatedCrash)) throw cause
    }
    const { visits, complete } = everyChoice(mostStates, (choose) =>
      judge(
        disk.crash(choose, "page"),
        given,
        [allowed(given, undefined, true)],
        `${given.how}, stopped after operation ${step}`,
      ),
    )
    if (!complete) throw new Error(`more than ${mostStates} states behind operation ${step}`)
    trials.add("states", visits)
  }
}

/** Each small replacement with each of its operations refused, once and for good, with every error. */
const sweep = (given: Case, trials: Trials): void => {
  const { steps } = rehearse(given)
  for (let step = 2; step <= steps; step++) {
    for (const code of refusals)
      for (const sticky of [false, true]) {
        trials.add("sweep points")
        const disk = prepare(given, undefined)
        disk.fail(step, code, { sticky, short: sticky ? undefined : 20 })
        const result = run(disk, given)
        const where = `${given.how}, ${code} at operation ${step}${sticky ? " and all behind it" : ""}`
        judge(disk, given, [allowed(given, result, false)], where)
        for (const image of images(disk, [], step)) judge(image, given, [allowed(given, result, true)], `${where}, power cut`)
      }
  }
}

const atomicReplacement = (budget: Budget): void => {
  const coverage = new Coverage()
  const trials = new Trials()
  fc.assert(
    fc.property(replacement, answers, (given, chosen) => {
      coverage.hit(given.how)
      coverage.hit("short write", given.refusal?.short !== undefined)
      endAndCut(given, chosen, coverage)
      stopEverywhere(given, chosen, coverage, trials)
    }),
    parameters(budget),
  )
  const cases = budget.runs < 50 ? smallCases.slice(0, 3) : smallCases
  for (const given of budget.path === undefined ? cases : []) {
    everyState(given, trials)
    sweep(given, trials)
  }
  trials.tell(budget, { "crash trials": 60 * budget.runs, states: 20 * cases.length, "sweep points": 100 * cases.length })
  coverage.demand(budget, [
    ...["replace", "replace with backup", "create", "short write", "success", "Unwritten", "Uncertain", "Taken"],
    ...["new after a power cut", "old after a power cut", "temporary left"],
  ])
}

const justDisk = (budget: Budget): void => {
  const coverage = new Coverage()
  fc.assert(
    fc.property(diskHistory, fc.array(answers, { minLength: 1, maxLength: 3 }), (history, cuts) => {
      const disk = new SimulatedDisk()
      const oracle = new DiskOracle(disk)
      for (const event of history) oracle.play(event)
      oracle.judgeLive()
      for (const chosen of cuts) oracle.judge(disk.crash(listChooser(chosen)), coverage)
      for (let seed = 0; seed < 3; seed++) oracle.judge(disk.crash(seededChooser(seed + history.length * 3)), coverage)
    }),
    parameters(budget),
  )
  coverage.demand(budget, [
    ...[
      "unsynced bytes kept",
      "unsynced bytes gone",
      "unsynced bytes NUL",
      "torn",
      "grown with NULs",
      "lost before a later sync",
    ],
    ...["unsynced name kept", "unsynced name gone", "removed name back", "removed directory back", "name without its bytes"],
    ...["file", "directory"].flatMap((kind) => [
      `unsynced mode of a ${kind} kept`,
      `unsynced mode of a ${kind} gone`,
      `unsynced time of a ${kind} gone`,
    ]),
    "mode of a directory synced",
  ])
}

/** The disk of the machine, in a temporary folder. */
const machine = dsk2(
  ((): Parameters<typeof dsk2>[0] => {
    let base: string | undefined
    let round = 0
    return {
      disk: nodeDisk,
      folder: () => {
        base ??= mkdtempSync(join(tmpdir(), "annals-law-disk-"))
        return join(base, `${round++}`)
      },
      clean: () => {
        if (base !== undefined) rmSync(base, { recursive: true, force: true })
        base = undefined
      },
    }
  })(),
)

export const laws: ReadonlyArray<Law> = [
  {
    id: "DUR-4",
    sentence: "An atomic replacement leaves the old file or the new one, whole, after a crash at any step.",
    runs: 250,
    deepRuns: 5_000,
    check: atomicReplacement,
  },
  {
    id: "DSK-1",
    sentence: "On the simulated disk a power cut never takes a synced byte or a synced name, and may take any other.",
    runs: 5_000,
    deepRuns: 100_000,
    check: justDisk,
  },
  machine,
]
