/**
 * One file's records on their way to the disk, as the host sees them: accepted, then written, then synced, in order.
 *
 * A record is dropped from here only when a sync that covers it has succeeded, so at any moment the file's durable bytes and the
 * records held here make up everything that was ever accepted. Plain synchronous state; the pump drives it.
 */
import type { Guard } from "../model/Guard.ts"
import { type CleanLine, isCleanLine } from "../redaction/CleanLine.ts"
import { type BatchLimits, countOf } from "./Batch.ts"
import type { Loss } from "./Port.ts"
import type { Identity, Outcome, Part } from "./Protocol.ts"
import { fromOutcome, type WriteError } from "./WriteError.ts"

export type Level = "written" | "synced"

interface Held {
  readonly line: CleanLine
  /** Bytes with the newline. */
  readonly size: number
}

interface Waiter {
  readonly seq: number
  readonly level: Level
  readonly done: (failure: WriteError | undefined) => void
}

export interface FileStart {
  readonly path: string
  readonly identity: Identity
  /** The file's length in bytes: durable, and at a line boundary. */
  readonly length: number
  /** What must stand beside the file for anything to be written to it. */
  readonly guard?: Guard | undefined
}

const encoder = new TextEncoder()

/** The bytes of so many lines, each with its newline, in one fresh buffer that can be handed over. */
const pack = (held: ReadonlyArray<Held>, from = 0, count = held.length): Uint8Array => {
  let size = 0
  for (let at = from; at < from + count; at++) size += held[at]?.size ?? 0
  const bytes = new Uint8Array(size)
  let used = 0
  for (let at = from; at < from + count; at++) {
    used += encoder.encodeInto(held[at]?.line.text ?? "", bytes.subarray(used)).written
    bytes[used++] = 0x0a
  }
  return bytes
}

/** The part under way. */
interface Flight {
  readonly mode: Part["mode"]
  /** How many of the records that were not written it carries. */
  readonly count: number
  readonly sync: boolean
  /** How many machines have begun it. */
  machines: number
}

export class FileQueue {
  readonly id: number
  readonly path: string
  readonly #room: number
  readonly #guard: Guard | undefined
  #identity: Identity
  /** Bytes of the file that a successful sync covers. */
  #durable: number
  /** Bytes of the file that a successful write covers. */
  #length: number
  #held: Array<Held> = []
  /** How many of the held records are written but not synced. The part under way follows them. */
  #writtenCount = 0
  #flight: Flight | undefined
  #heldBytes = 0
  #writtenBytes = 0
  #acceptedSeq = 0
  #writtenSeq = 0
  #syncedSeq = 0
  #syncWanted = false
  #recovering = false
  #failure: WriteError | undefined
  #closed = false
  #waiters: Array<Waiter> = []
  #roomWaiters: Array<() => void> = []
  #recoveryWaiters: Array<Waiter["done"]> = []

  constructor(id: number, start: FileStart, room: number) {
    this.id = id
    this.path = start.path
    this.#room = room
    this.#guard = start.guard
    this.#identity = start.identity
    this.#durable = start.length
    this.#length = start.length
  }

  get failure(): WriteError | undefined {
    return this.#failure
  }

  get acceptedSeq(): number {
    return this.#acceptedSeq
  }

  /** The length of the file that is known to be durable, in bytes. */
  get durable(): number {
    return this.#durable
  }

  /** Whether a producer may hand in more. One record may always wait, however large. */
  get hasRoom(): boolean {
    return this.#heldBytes === 0 || this.#heldBytes < this.#room
  }

  /** Accepts records. The caller has seen that there is room and no failure. Returns the number of the last one. */
  accept(lines: ReadonlyArray<CleanLine>): number {
    // The border, also for callers that the compiler does not watch: nothing that redaction has not made is ever written.
    if (!lines.every(isCleanLine)) throw new TypeError("Only clean lines can be written.")
    for (const line of lines) {
      const size = line.bytes + 1
      this.#held.push({ line, size })
      this.#heldBytes += size
    }
    this.#acceptedSeq += lines.length
    return this.#acceptedSeq
  }

  /** Calls back when there may be room, or a failure to see. Returns how to stop waiting. */
  whenRoom(resume: () => void): () => void {
    this.#roomWaiters.push(resume)
    return () => {
      this.#roomWaiters = this.#roomWaiters.filter((waiter) => waiter !== resume)
    }
  }

  /** Calls back when record number `seq` has reached the level, or has failed to. Returns how to stop waiting. */
  when(seq: number, level: Level, done: Waiter["done"]): () => void {
    const waiter = { seq, level, done }
    if (this.#reached(waiter)) done(undefined)
    else if (this.#failure !== undefined) done(this.#failure)
    else this.#waiters.push(waiter)
    return () => {
      this.#waiters = this.#waiters.filter((other) => other !== waiter)
    }
  }

  #reached(waiter: Waiter): boolean {
    return waiter.seq <= (waiter.level === "synced" ? this.#syncedSeq : this.#writtenSeq)
  }

  /** Asks for a sync, also when nothing new is to be written. */
  wantSync(): void {
    if (this.#syncedSeq < this.#acceptedSeq) this.#syncWanted = true
  }

  /** Asks for recovery after a failure, and calls back with what became of it. */
  recover(done: Waiter["done"]): void {
    this.#recovering = true
    this.#recoveryWaiters.push(done)
  }

  get closed(): boolean {
    return this.#closed
  }

  close(): void {
    this.#closed = true
    this.#wakeRoom()
  }

  /** Records that are accepted and not known to be durable, in order. */
  unsaved(): ReadonlyArray<CleanLine> {
    return this.#held.map(({ line }) => line)
  }

  /** How many records and bytes wait for the next part, which nothing hinders but that nobody has taken it. */
  get waiting(): BatchLimits {
    if (this.#flight !== undefined || this.#failure !== undefined) return { records: 0, bytes: 0 }
    return { records: this.#held.length - this.#writtenCount, bytes: this.#heldBytes - this.#writtenBytes }
  }

  /** More is written and not synced than may wait: only a sync makes room. */
  get #isBehind(): boolean {
    return this.#writtenBytes >= this.#room
  }

  /** The next part: waiting records, or everything that is unsaved when this is a recovery. Undefined when there is nothing to do yet. */
  take(limits: BatchLimits, syncAlways: boolean): Part | undefined {
    if (this.#flight !== undefined) return undefined
    const count = this.#held.length - this.#writtenCount
    if (this.#recovering)
      return this.#start({ mode: this.#failure?.reason._tag === "Uncertain" ? "replace" : "resume", count, sync: true })
    if (this.#failure !== undefined) return undefined
    const isSyncDue = this.#syncWanted || this.#isBehind
    if (count === 0 && !isSyncDue) return undefined
    const fitting = countOf(this.#held, this.#writtenCount, limits)
    return this.#start({ mode: "append", count: fitting, sync: syncAlways || isSyncDue })
  }

  #start(flight: Omit<Flight, "machines">): Part {
    this.#flight = { ...flight, machines: 1 }
    return this.#partOf(flight)
  }

  #partOf({ mode, count, sync }: Omit<Flight, "machines">, as: Part["mode"] = mode): Part {
    if (mode !== "append") return { ...this.#base(), at: this.#durable, bytes: pack(this.#held), mode, sync }
    const bytes = pack(this.#held, this.#writtenCount, count)
    return { ...this.#base(), at: this.#length, bytes, mode: as, sync }
  }

  get isUnderWay(): boolean {
    return this.#flight !== undefined
  }

  /** The part under way for another machine, which writes what is missing. Undefined when none is, or when it has cost so many machines. */
  again(machines: number): Part | undefined {
    const flight = this.#flight
    if (flight === undefined || flight.machines >= machines) return undefined
    flight.machines += 1
    return this.#partOf(flight, "resume")
  }

  #base(): Pick<Part, "file" | "path" | "identity" | "guard"> {
    return { file: this.id, path: this.path, identity: this.#identity, guard: this.#guard }
  }

  /**
   * Everything unsaved as one part that can be carried out whatever has become of the batch under way, as long as nobody carries it
   * out at the same time. Undefined when there is nothing, or when only a recovery could help.
   */
  remainder(): Part | undefined {
    if (this.#held.length === 0 || this.#failure !== undefined || this.#flight?.mode === "replace") return undefined
    return { ...this.#base(), at: this.#durable, bytes: pack(this.#held), mode: "resume", sync: true }
  }

  /** What no writing could save: the records of a file that has latched. */
  loss(): Loss | undefined {
    if (this.#failure === undefined || this.#held.length === 0) return undefined
    return { path: this.path, bytes: this.#heldBytes, why: this.#failure.message }
  }

  /**
   * Takes in what became of the part under way, and returns how to tell those who wait: whoever drives the queue may take the next part
   * before they go on.
   */
  settle(outcome: Outcome): () => void {
    const count = this.#flight?.count ?? 0
    this.#flight = undefined
    if (!outcome.ok) return this.fail(fromOutcome(this.path, this.#durable, outcome))
    this.#failure = undefined
    this.#identity = outcome.identity
    for (let at = this.#writtenCount; at < this.#writtenCount + count; at++) this.#writtenBytes += this.#held[at]?.size ?? 0
    this.#writtenCount += count
    this.#writtenSeq = this.#syncedSeq + this.#writtenCount
    this.#length = outcome.length
    if (outcome.synced) this.#synced()
    const recovered = this.#takeRecoveryWaiters()
    return () => {
      this.#wake()
      for (const done of recovered) done(undefined)
    }
  }

  /** Taken before anybody is called back: who is called may ask for the next recovery at once. */
  #takeRecoveryWaiters(): ReadonlyArray<Waiter["done"]> {
    const waiters = this.#recoveryWaiters
    this.#recoveryWaiters = []
    this.#recovering = false
    return waiters
  }

  #synced(): void {
    this.#durable = this.#length
    this.#syncedSeq += this.#writtenCount
    this.#held = this.#held.slice(this.#writtenCount)
    this.#heldBytes -= this.#writtenBytes
    this.#writtenCount = 0
    this.#writtenBytes = 0
    if (this.#syncedSeq === this.#acceptedSeq) this.#syncWanted = false
  }

  /** Latches: nothing more is written until a recovery succeeds. The first failure stays the one that is told. Returns how to tell it. */
  fail(error: WriteError): () => void {
    this.#flight = undefined
    this.#failure = this.#moreCertain(error)
    const failure = this.#failure
    const waiting = [...this.#waiters.map((waiter) => waiter.done), ...this.#takeRecoveryWaiters()]
    this.#waiters = []
    return () => {
      for (const done of waiting) done(failure)
      this.#wakeRoom()
    }
  }

  /** A failed recovery may not make an uncertain file look certain: only a replacement can. */
  #moreCertain(error: WriteError): WriteError {
    return this.#failure?.reason._tag === "Uncertain" ? this.#failure : error
  }

  #wake(): void {
    const ready: Array<Waiter> = []
    const others: Array<Waiter> = []
    for (const waiter of this.#waiters) (this.#reached(waiter) ? ready : others).push(waiter)
    this.#waiters = others
    for (const waiter of ready) waiter.done(undefined)
    if (this.hasRoom) this.#wakeRoom()
  }

  #wakeRoom(): void {
    const waiting = this.#roomWaiters
    this.#roomWaiters = []
    for (const resume of waiting) resume()
  }
}
