/**
 * The machine that writes, on the simulated disk: it is stopped at every one of its operations, and every one of them is refused with every
 * error, once and for good. Of each state many power cuts are taken; each is recovered as opening does it, appended to, and judged.
 */
import * as Result from "effect/Result"
import { seededChooser } from "../../src/disk/Chooser.ts"
import { SimulatedCrash, type Stop } from "../../src/disk/Schedule.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { readJournal } from "../../src/journal/Reader.ts"
import { applyRepair, repairNames } from "../../src/journal/Repair.ts"
import { planRepair } from "../../src/journal/RepairPlan.ts"
import { planTail } from "../../src/journal/Tail.ts"
import { carryOutTail } from "../../src/journal/TailWork.ts"
import type { Certainty, Identity, Part, PartMode } from "../../src/writer/Protocol.ts"
import { makeWriterCore, type WriterCore } from "../../src/writer/WriterCore.ts"
import type { Tally } from "./Tally.ts"
import type { Torture } from "./Torture.ts"

const PATH = "/store/session.jsonl"
const header = '{"type":"session","version":5,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n'
const codes = ["ENOSPC", "EIO", "EFBIG", "EDQUOT", "EROFS"] as const
const stops: ReadonlyArray<Stop> = ["before", "after", 1, 7, 600]
const cutsOfEach = 4

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

interface Line {
  readonly name: string
  readonly text: string
}

type Workload = ReadonlyArray<ReadonlyArray<Line>>

/** A few batches of a few lines, short ones and some that are longer than a page. */
const workload = (choose: (options: number) => number): Workload => {
  let number = 0
  return Array.from({ length: 1 + choose(3) }, () =>
    Array.from({ length: 1 + choose(3) }, () => {
      const name = `r${++number}`
      const filler = "é ".repeat(choose(5) === 0 ? 400 + choose(1_500) : choose(30))
      return { name, text: `${JSON.stringify({ type: "custom", customType: "law", id: name, data: { name, filler } })}\n` }
    }),
  )
}

/** A host's view of one file: what it keeps of a batch, and what it asks of the machine behind a failure. */
class Host {
  readonly acknowledged: Array<string> = []
  readonly #core: WriterCore
  #identity: Identity
  #length: number
  #pending = ""
  #pendingNames: ReadonlyArray<string> = []
  failure: Certainty | undefined

  constructor(disk: SimulatedDisk) {
    const stat = disk.lstat(PATH)
    if (stat === undefined) throw new Error("the file is gone")
    this.#core = makeWriterCore(disk)
    this.#identity = { device: stat.device, inode: stat.inode }
    this.#length = stat.size
  }

  append(lines: ReadonlyArray<Line>): void {
    if (this.failure !== undefined) return
    this.#pending = lines.map(({ text }) => text).join("")
    this.#pendingNames = lines.map(({ name }) => name)
    this.#commit("append")
  }

  /** As the queue of the library recovers. */
  recover(): void {
    if (this.failure !== undefined) this.#commit(this.failure === "uncertain" ? "replace" : "resume")
  }

  #commit(mode: PartMode): void {
    const bytes = encode(this.#pending)
    const part: Part = { file: 1, path: PATH, identity: this.#identity, at: this.#length, bytes, mode, sync: true }
    const outcome = this.#core.run({ kind: "commit", parts: [part] }).outcomes[0]
    if (outcome === undefined) throw new Error("no outcome")
    if (!outcome.ok) {
      // Only a replacement makes an uncertain file certain again.
      this.failure = this.failure === "uncertain" ? "uncertain" : outcome.certainty
      return
    }
    this.failure = undefined
    this.#identity = outcome.identity
    this.#length = outcome.length
    this.acknowledged.push(...this.#pendingNames)
  }
}

const fresh = (): SimulatedDisk => new SimulatedDisk({ [PATH]: header })

const finish = (reading: ReturnType<typeof readJournal>) => {
  for (let next = reading.next(); ; next = reading.next()) if (next.done) return next.value
}

/** Brings a file that a crash has left into order: the end as opening does it, then the middle as a repair does it when it is asked. */
const recover = (tally: Tally, disk: SimulatedDisk): void => {
  const bytes = disk.bytes(PATH)
  if (bytes === undefined) throw new Error("the file is gone")
  const summary = finish(readJournal(disk, PATH))
  const hasNul = bytes.includes(0)
  carryOutTail(disk, PATH, summary.identity, planTail(summary, true))
  const plan = planRepair(readJournal(disk, PATH))
  const done = applyRepair(disk, plan, repairNames(PATH, 0, "torture"))
  if (Result.isFailure(done)) throw done.failure
  if (summary.tail === undefined && !done.success.applied) return
  if (hasNul) tally.figures.nulRepaired += 1
  else tally.figures.tornRepaired += 1
}

const last: Line = { name: "last", text: `${JSON.stringify({ type: "custom", id: "last", data: { name: "last" } })}\n` }

/** Cuts the power, recovers, appends, judges. */
const cut = (
  torture: Torture,
  where: string,
  disk: SimulatedDisk,
  batches: Workload,
  acknowledged: ReadonlyArray<string>,
): void => {
  const { tally } = torture
  const sent = [...batches.flat().map(({ name }) => name), last.name]
  for (let n = 0; n < cutsOfEach; n++) {
    const seed = torture.choose(0x7fffffff)
    const place = `${where}, power cut ${seed}`
    tally.figures.crashTrials += 1
    try {
      // The first cut is the harshest one: whatever no sync covers is gone.
      const image = disk.crash(n === 0 ? (options) => options - 1 : seededChooser(seed))
      recover(tally, image)
      const next = new Host(image)
      next.append([last])
      if (next.failure !== undefined) tally.fail(place, "the next process cannot append")
      tally.judge(place, image.text(PATH) ?? "", sent, [...acknowledged, ...next.acknowledged])
    } catch (error) {
      tally.fail(place, error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }
}

/** Says how many operations the workload has when nothing goes wrong. */
const rehearse = (batches: Workload): number => {
  const disk = fresh()
  const host = new Host(disk)
  const from = disk.operations
  for (const lines of batches) host.append(lines)
  return disk.operations - from
}

const stopAt = (torture: Torture, where: string, batches: Workload, step: number, when: Stop): void => {
  const disk = fresh()
  const host = new Host(disk)
  disk.crashAt(disk.operations + step, when)
  try {
    for (const lines of batches) host.append(lines)
  } catch (crash) {
    if (!(crash instanceof SimulatedCrash)) throw crash
  }
  torture.tally.figures.sweepPoints += 1
  cut(torture, `${where}, stopped ${when} operation ${step}`, disk, batches, host.acknowledged)
}

const refuseAt = (torture: Torture, where: string, batches: Workload, step: number, code: string, sticky: boolean): void => {
  const { tally } = torture
  const disk = fresh()
  const host = new Host(disk)
  const from = disk.operations
  const matches = (call: { readonly step: number }) => (sticky ? call.step >= from + step : call.step === from + step)
  disk.fail(matches, code, { sticky, short: torture.choose(2) === 0 ? 1 + torture.choose(40) : undefined })
  for (const lines of batches) host.append(lines)
  const place = `${where}, ${code} at operation ${step}${sticky ? " and all behind it" : ""}`
  tally.figures.sweepPoints += 1
  cut(torture, place, disk, batches, host.acknowledged)
  const failedAt = host.acknowledged.length
  if (host.failure === undefined) return
  disk.heal()
  host.recover()
  if (host.failure !== undefined) tally.fail(place, `recovery on a healthy disk fails: ${host.failure}`)
  else if (host.acknowledged.length === failedAt) tally.fail(place, "recovery wrote nothing")
  cut(torture, `${place}, recovered`, disk, batches, host.acknowledged)
}

/** Workload after workload, each at all of its operations, until there were so many trials. */
export const simulate = (torture: Torture, trials: number): void => {
  for (let number = 1; torture.tally.figures.crashTrials < trials; number++) {
    const batches = workload(torture.choose)
    const where = `workload ${number}`
    const operations = rehearse(batches)
    for (let step = 1; step <= operations; step++) {
      for (const when of stops) stopAt(torture, where, batches, step, when)
      for (const code of codes) for (const sticky of [false, true]) refuseAt(torture, where, batches, step, code, sticky)
    }
    if (number % 500 === 0) torture.say(`${torture.tally.figures.crashTrials} crash trials`)
  }
}
