/**
 * One session file on a simulated disk: a host that appends to it through the machine that writes, what the next process does with what a
 * crash has left, and the judge of it. The laws of crashes and the torture share it.
 */
import { Buffer } from "node:buffer"
import * as Result from "effect/Result"
import type { Chooser } from "../src/disk/Chooser.ts"
import { DiskFault } from "../src/disk/Disk.ts"
import { SimulatedCrash } from "../src/disk/Schedule.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { ReadError, type ReadSummary, readJournal } from "../src/journal/Reader.ts"
import { applyRepair, repairNames } from "../src/journal/Repair.ts"
import { planRepair } from "../src/journal/RepairPlan.ts"
import { planTail, type TailPlan } from "../src/journal/Tail.ts"
import { carryOutTail } from "../src/journal/TailWork.ts"
import type { Certainty, Identity, Part, PartMode } from "../src/writer/Protocol.ts"
import { makeWriterCore, type WriterCore } from "../src/writer/WriterCore.ts"

export const PATH = "/store/session.jsonl"
const header = '{"type":"session","version":5,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A record by its name, and its line with the newline. */
export interface Line {
  readonly name: string
  readonly text: string
}

/** A line with filler of about so many bytes, of which some characters take two. */
export const lineOf = (name: string, filler: number): Line => {
  const data = { name, filler: "é ".repeat(filler / 3) }
  return { name, text: `${JSON.stringify({ type: "custom", customType: "law", id: name, data })}\n` }
}

/** What a host does: it hands lines over, synced or only written; it has what is written synced; or it ends and the next one opens the file. */
export type Step =
  | { readonly do: "append"; readonly lines: ReadonlyArray<Line>; readonly sync: boolean }
  | { readonly do: "sync" | "reopen" }

export const linesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Line> =>
  steps.flatMap((step) => (step.do === "append" ? step.lines : []))

export const freshDisk = (): SimulatedDisk => new SimulatedDisk({ [PATH]: header })

/** A host's view of its file: what it keeps of what is not synced, and what it asks of the machine behind a failure, as the queue does. */
export class Host {
  readonly #disk: SimulatedDisk
  #core: WriterCore
  #identity: Identity
  #length: number
  #durable: number
  /** Written and not synced; and what failed. */
  #written: ReadonlyArray<Line> = []
  #failed: ReadonlyArray<Line> = []
  /** Names of the records that were acknowledged at each level, in order. */
  readonly acknowledged: { written: ReadonlyArray<string>; synced: ReadonlyArray<string> } = { written: [], synced: [] }
  failure: Certainty | undefined
  /** The disk refused to let the next process open the file; there is none. */
  hasEnded = false

  constructor(disk: SimulatedDisk) {
    const stat = disk.lstat(PATH)
    if (stat === undefined) throw new Error("the file is gone")
    this.#disk = disk
    this.#core = makeWriterCore(disk)
    this.#identity = { device: stat.device, inode: stat.inode }
    this.#length = stat.size
    this.#durable = stat.size
  }

  play(step: Step): void {
    if (this.failure !== undefined || this.hasEnded) return
    if (step.do === "append") this.#commit("append", step.lines, step.sync)
    else if (step.do === "sync") this.#commit("append", [], true)
    else this.#reopen()
  }

  recover(): void {
    if (this.failure !== undefined) this.#commit(this.failure === "uncertain" ? "replace" : "resume", this.#failed, true)
  }

  #commit(mode: PartMode, lines: ReadonlyArray<Line>, sync: boolean): void {
    const isNew = mode === "replace"
    const bytes = encode([...(isNew ? this.#written : []), ...lines].map(({ text }) => text).join(""))
    const at = isNew ? this.#durable : this.#length
    const part: Part = { file: 1, path: PATH, identity: this.#identity, at, bytes, mode, sync }
    const outcome = this.#core.run({ kind: "commit", parts: [part] }).outcomes[0]
    if (outcome === undefined) throw new Error("no outcome")
    if (!outcome.ok) {
      this.#failed = lines
      // Only a replacement makes an uncertain file certain again.
      this.failure = this.failure === "uncertain" ? "uncertain" : outcome.certainty
      return
    }
    this.failure = undefined
    this.#identity = outcome.identity
    this.#length = outcome.length
    this.#acknowledge(lines, outcome.synced)
  }

  #acknowledge(lines: ReadonlyArray<Line>, isSynced: boolean): void {
    this.#written = [...this.#written, ...lines]
    this.acknowledged.written = [...this.acknowledged.written, ...lines.map(({ name }) => name)]
    if (!isSynced) return
    this.#durable = this.#length
    this.#written = []
    this.acknowledged.synced = this.acknowledged.written
  }

  /** The process ends without a word, and another one opens the file: what was written is synced from then on. */
  #reopen(): void {
    this.#disk.kill()
    try {
      this.#length = open(this.#disk).length
    } catch (refusal) {
      if (!isRefusal(refusal)) throw refusal
      this.hasEnded = true
      return
    }
    this.#core = makeWriterCore(this.#disk)
    this.#acknowledge([], true)
  }
}

/** Whether the disk refused, to read or to change. Anything else that is thrown is a bug, or the end of the process. */
export const isRefusal = (cause: unknown): boolean => cause instanceof DiskFault || cause instanceof ReadError

const read = (disk: SimulatedDisk) => {
  const records: Array<string> = []
  /** Where each begins. */
  const damages: Array<number> = []
  const reading = readJournal(disk, PATH)
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done) return { records, damages, summary: next.value satisfies ReadSummary }
    if (next.value._tag === "Record") records.push(next.value.record.raw)
    else if (next.value._tag === "Damage") damages.push(next.value.damage.offset)
  }
}

/** Brings the end of the file into order, as opening for writing does. `damages` counts what is damaged in front of it. */
export const open = (disk: SimulatedDisk) => {
  const { summary, damages } = read(disk)
  const plan = planTail(summary, true)
  const done = carryOutTail(disk, PATH, summary.identity, plan)
  const end = plan._tag === "CutTail" ? plan.from : summary.bytes
  return { ...done, plan, damages: damages.filter((offset) => offset < end).length }
}

/** What was tried, and what was found on the way. */
export interface Tried {
  /** States of a disk behind a crash that were opened, appended to and judged. */
  trials: number
  tornEnds: number
  nulEnds: number
  /** Files with damage in front of their last record, which a repair took out. */
  holes: number
  /** Bytes that opening put aside. */
  putAside: number
  /** Openings that were stopped themselves. */
  stoppedOpenings: number
}

export const nothingTried = (): Tried => ({ trials: 0, tornEnds: 0, nulEnds: 0, holes: 0, putAside: 0, stoppedOpenings: 0 })

export type Wrong = "lost" | "twice" | "unparsable" | "other"

/** What is wrong with a file behind a crash. */
export class Wronged extends Error {
  override readonly name = "Wronged"
  readonly wrong: Wrong
  /** How many records it befell. */
  readonly count: number

  constructor(wrong: Wrong, what: string, count = 1) {
    super(what)
    this.wrong = wrong
    this.count = count
  }
}

const demand = (condition: boolean, what: string): void => {
  if (!condition) throw new Wronged("other", what)
}

const startsWith = (bytes: Uint8Array, start: Uint8Array): boolean =>
  bytes.length >= start.length && Buffer.compare(bytes.subarray(0, start.length), start) === 0

const contentOf = (disk: SimulatedDisk): Uint8Array => {
  const bytes = disk.bytes(PATH)
  if (bytes === undefined) throw new Wronged("other", "the file is gone")
  return bytes
}

/** No byte is gone: what opening cut off is in the quarantine, and it added nothing but a newline. */
const judgeOpening = (before: Uint8Array, disk: SimulatedDisk, plan: TailPlan, quarantine: string | undefined, tried: Tried) => {
  const after = contentOf(disk)
  if (plan._tag !== "CutTail") {
    demand(startsWith(after, before), "opening changed bytes that it had not to cut off")
    demand(after.length - before.length === (plan._tag === "AddNewline" ? 1 : 0), "opening added bytes")
    return
  }
  const { from, to, addNewline } = plan
  const cut = before.subarray(from, to)
  demand(to === before.length, "opening cut bytes out of the middle")
  demand(startsWith(after, before.subarray(0, from)), "opening changed bytes in front of the cut")
  demand(after.length - from === (addNewline ? 1 : 0), "opening left bytes behind the cut")
  const kept = quarantine === undefined ? undefined : disk.bytes(quarantine)
  const isNul = cut[0] === 0 && cut.every((byte) => byte === 0)
  const wanted = isNul ? encode(`${JSON.stringify({ offset: from, length: cut.length, kind: "nul-run" })}\n`) : cut
  demand(kept !== undefined && kept.length === wanted.length && startsWith(kept, wanted), "cut bytes are not in the quarantine")
  tried.putAside += cut.length
  if (cut.at(-1) === 0) tried.nulEnds += 1
  else tried.tornEnds += 1
}

/** Of the lines that were handed over those that were acknowledged are there, each once and in order, byte for byte, and nothing else. */
export const judgeRecords = (
  records: ReadonlyArray<string>,
  sent: ReadonlyArray<Line>,
  acknowledged: ReadonlyArray<string>,
): void => {
  const numbers = new Map(sent.map(({ text }, at) => [text, at]))
  const seen = new Set<string>()
  let last = -1
  let repeated = 0
  for (const raw of records) {
    const at = numbers.get(`${raw}\n`)
    if (at === undefined) throw new Wronged("other", `a record that was never handed over: ${raw.slice(0, 200)}`)
    const { name } = sent[at] as Line
    if (seen.has(name)) repeated += 1
    else demand(at > last, `${name} stands out of order`)
    seen.add(name)
    last = Math.max(last, at)
  }
  if (repeated > 0) throw new Wronged("twice", `${repeated} records are there twice`, repeated)
  const lost = acknowledged.filter((name) => !seen.has(name))
  if (lost.length > 0) throw new Wronged("lost", `acknowledged and lost: ${lost.join(" ")}`, lost.length)
}

/** A reader that knows nothing but JSON and newlines. */
const parseSimply = (disk: SimulatedDisk): void => {
  const lines = new TextDecoder().decode(contentOf(disk)).split("\n")
  if (lines.pop() !== "") throw new Wronged("unparsable", "the last line is cut")
  for (const line of lines) {
    // A power cut may leave a line of blanks of a record that was never acknowledged; it is no record and no damage.
    if (/^[ \t\r]*$/.test(line)) continue
    try {
      JSON.parse(line)
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause
      throw new Wronged("unparsable", `not JSON: ${line.slice(0, 200)}`)
    }
  }
}

const last = lineOf("last", 20)

export interface GoOn {
  /** Opening is stopped that often first: by a power cut or by the death of the process. */
  readonly stops?: { readonly times: number; readonly choose: Chooser } | undefined
  /** Whether damage in the middle, which opening leaves alone, is repaired behind it, and the file judged again. Default: true. */
  readonly repairs?: boolean | undefined
  /** A sync was refused, and the process that was told of it is gone: what it had only written may be gone behind a sync that succeeds. */
  readonly isDoubtful?: boolean | undefined
}

/**
 * The next process behind a crash: opens the file, appends, has it synced, and is judged with the power cut behind it.
 *
 * Cost: five readings of the file at most, and one more for each stop.
 */
export const goOn = (
  crashed: SimulatedDisk,
  sent: ReadonlyArray<Line>,
  acknowledged: ReadonlyArray<string>,
  tried: Tried,
  { stops, repairs = true, isDoubtful = false }: GoOn = {},
): void => {
  tried.trials += 1
  let disk = crashed
  for (let time = 0; time < (stops?.times ?? 0); time++) disk = stopOpening(disk, stops?.choose ?? (() => 0), tried)
  const before = contentOf(disk)
  const { plan, quarantine, damages } = open(disk)
  judgeOpening(before, disk, plan, quarantine, tried)
  const host = new Host(disk)
  host.play({ do: "append", lines: [last], sync: true })
  demand(host.failure === undefined, "the next process cannot append")
  const written = contentOf(disk)
  // The harshest answer to every question: whatever no sync covers is gone.
  const cut = disk.crash((options) => options - 1)
  const headed = [{ name: "header", text: header }, ...sent, last]
  const needed = ["header", ...acknowledged, last.name]
  if (isDoubtful) judgeRecords(read(cut).records, headed, needed)
  else demand(written.length === contentOf(cut).length && startsWith(written, contentOf(cut)), "opened, synced, and not durable")
  demand(quarantine === undefined || cut.bytes(quarantine) !== undefined, "the quarantine is not durable")
  const reading = read(disk)
  demand(reading.damages.length === damages && reading.summary.endsWithNewline, "opening and appending left damage at the end")
  judgeRecords(reading.records, headed, needed)
  if (damages > 0) {
    tried.holes += 1
    if (!repairs) return
    const done = applyRepair(disk, planRepair(readJournal(disk, PATH)), repairNames(PATH, 0, "law"))
    if (Result.isFailure(done)) throw done.failure
    judgeRecords(read(disk).records, headed, needed)
  }
  parseSimply(disk)
}

/** Stops an opening at one of its operations. Behind the death of a process the disk is as it was, behind a power cut it is another one. */
const stopOpening = (disk: SimulatedDisk, choose: Chooser, tried: Tried): SimulatedDisk => {
  const rehearsal = disk.crash(() => 0)
  open(rehearsal)
  disk.kill()
  disk.crashAt(disk.operations + 1 + choose(rehearsal.operations), choose(2) === 0 ? "before" : 1 + choose(40))
  try {
    open(disk)
  } catch (crash) {
    if (!(crash instanceof SimulatedCrash)) throw crash
    tried.stoppedOpenings += 1
  }
  if (choose(2) === 0) return disk.crash(choose)
  disk.kill()
  return disk
}
