/**
 * One file's records on their way to the disk, as the host sees them: accepted, then written, then synced, in order.
 *
 * A record is dropped from here only when a sync that covers it has succeeded, so at any moment the file's durable bytes and the
 * records held here make up everything that was ever accepted. Plain synchronous state; the pump drives it.
 */
import type { Guard } from "../disk/Guard.ts"
import { type CleanLine, isCleanLine } from "../redaction/CleanLine.ts"
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

/** The lines' bytes, each with its newline, in one fresh buffer that can be handed over. */
const pack = (held: ReadonlyArray<Held>): Uint8Array => {
  const bytes = new Uint8Array(held.reduce((sum, { size }) => sum + size, 0))
  let used = 0
  for (const { line } of held) {
    used += encoder.encodeInto(line.text, bytes.subarray(used)).written
    bytes[used++] = 0x0a
  }
  return bytes
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
  /** How many of the held records are written but not synced; then how many are in the batch under way. */
  #writtenCount = 0
  #flyingCount = 0
  #heldBytes = 0
  #writtenBytes = 0
  #acceptedSeq = 0
  #writtenSeq = 0
  #syncedSeq = 0
  #syncWanted = false
  #flying: Part["mode"] | undefined
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

  /** Sizes of the records that the next batch may take. */
  waitingSizes(): ReadonlyArray<number> {
    if (this.#flying !== undefined || this.#failure !== undefined) return []
    return this.#held.slice(this.#writtenCount).map(({ size }) => size)
  }

  /** True when the next batch must hold a part of this file although no record waits. */
  get isDue(): boolean {
    if (this.#flying !== undefined) return false
    return this.#recovering || (this.#failure === undefined && (this.#syncWanted || this.#isBehind))
  }

  /** More is written and not synced than may wait: only a sync makes room. */
  get #isBehind(): boolean {
    return this.#writtenBytes >= this.#room
  }

  /** The next part: `count` waiting records, or everything that is unsaved when this is a recovery. Undefined when there is nothing to do. */
  take(count: number, syncAlways: boolean): Part | undefined {
    if (this.#recovering) {
      const mode = this.#failure?.reason._tag === "Uncertain" ? "replace" : "resume"
      this.#flying = mode
      this.#flyingCount = this.#held.length - this.#writtenCount
      return { ...this.#base(), at: this.#durable, bytes: pack(this.#held), mode, sync: true }
    }
    const sync = syncAlways || this.#syncWanted || this.#isBehind
    if (count === 0 && !(this.#syncWanted || this.#isBehind)) return undefined
    this.#flying = "append"
    this.#flyingCount = count
    const bytes = pack(this.#held.slice(this.#writtenCount, this.#writtenCount + count))
    return { ...this.#base(), at: this.#length, bytes, mode: "append", sync }
  }

  #base(): Pick<Part, "file" | "path" | "identity" | "guard"> {
    return { file: this.id, path: this.path, identity: this.#identity, guard: this.#guard }
  }

  /**
   * Everything unsaved as one part that can be carried out whatever has become of the batch under way, as long as nobody carries it
   * out at the same time. Undefined when there is nothing, or when only a recovery could help.
   */
  remainder(): Part | undefined {
    if (this.#held.length === 0 || this.#failure !== undefined || this.#flying === "replace") return undefined
    return { ...this.#base(), at: this.#durable, bytes: pack(this.#held), mode: "resume", sync: true }
  }

  /** What no writing could save: the records of a file that has latched. */
  loss(): Loss | undefined {
    if (this.#failure === undefined || this.#held.length === 0) return undefined
    return { path: this.path, bytes: this.#heldBytes, why: this.#failure.message }
  }

  /** Takes in what became of the part under way. */
  settle(outcome: Outcome): void {
    const count = this.#flyingCount
    this.#flying = undefined
    this.#flyingCount = 0
    if (!outcome.ok) {
      this.fail(fromOutcome(this.path, this.#durable, outcome))
      return
    }
    this.#failure = undefined
    this.#identity = outcome.identity
    for (const held of this.#held.slice(this.#writtenCount, this.#writtenCount + count)) this.#writtenBytes += held.size
    this.#writtenCount += count
    this.#writtenSeq = this.#syncedSeq + this.#writtenCount
    this.#length = outcome.length
    if (outcome.synced) this.#synced()
    const recovered = this.#takeRecoveryWaiters()
    this.#wake()
    for (const done of recovered) done(undefined)
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

  /** Latches: nothing more is written until a recovery succeeds. The first failure stays the one that is told. */
  fail(error: WriteError): void {
    this.#flying = undefined
    this.#flyingCount = 0
    this.#failure = this.#moreCertain(error)
    const failure = this.#failure
    const waiting = [...this.#waiters.map((waiter) => waiter.done), ...this.#takeRecoveryWaiters()]
    this.#waiters = []
    for (const done of waiting) done(failure)
    this.#wakeRoom()
  }

  /** A failed recovery may not make an uncertain file look certain: only a replacement can. */
  #moreCertain(error: WriteError): WriteError {
    return this.#failure?.reason._tag === "Uncertain" ? this.#failure : error
  }

  #wake(): void {
    const ready = this.#waiters.filter((waiter) => this.#reached(waiter))
    if (ready.length > 0) this.#waiters = this.#waiters.filter((waiter) => !this.#reached(waiter))
    for (const waiter of ready) waiter.done(undefined)
    if (this.hasRoom) this.#wakeRoom()
  }

  #wakeRoom(): void {
    const waiting = this.#roomWaiters
    this.#roomWaiters = []
    for (const resume of waiting) resume()
  }
}
