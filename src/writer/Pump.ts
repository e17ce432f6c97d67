/**
 * Drives the files' queues through the port: of each file one part is under way, and its next one is whatever queued meanwhile.
 *
 * Files do not wait for each other. What is accepted in one turn of the event loop travels together, but for what is worth sending
 * before when the machine is a thread: while the host goes on, it writes. The next part of a file is sent before those are told who waited for the last
 * one, for the same reason.
 *
 * When the machine is lost, what was under way is sent again in the mode `resume`, which writes what is missing and nothing twice. A part
 * that costs three machines is given up: its file latches and keeps its records.
 */
import { MAX_BATCH_BYTES, MAX_BATCH_RECORDS } from "../model/Limits.ts"
import type { FileQueue } from "./FileQueue.ts"
import type { Remainder, WriterPort } from "./Port.ts"
import type { Outcome, Part } from "./Protocol.ts"
import { WriteError } from "./WriteError.ts"

/** How often one part is tried when machine after machine is lost under it. */
const MACHINES_PER_PART = 3

const limits = { bytes: MAX_BATCH_BYTES, records: MAX_BATCH_RECORDS }

/** So much is sent at once and not at the end of the turn: records or bytes of one file, or files. */
const EARLY = { records: 16, bytes: 64 << 10, files: 8 }

export interface PumpOptions {
  /** Whether each part is synced. When false, only flush, close, recovery and a full queue sync. */
  readonly syncAlways: boolean
}

export class Pump {
  readonly #port: WriterPort
  readonly #options: PumpOptions
  readonly #files = new Map<number, FileQueue>()
  /** Files that may have something to send. */
  readonly #ready = new Set<FileQueue>()
  #isScheduled = false

  constructor(port: WriterPort, options: PumpOptions) {
    this.#port = port
    this.#options = options
    port.connect({
      settled: (outcomes) => this.#settled(outcomes),
      lost: (cause) => this.#lost(cause),
      remainder: () => this.#remainder(),
    })
  }

  add(file: FileQueue): void {
    this.#files.set(file.id, file)
  }

  /** Forgets a file whose queue is settled and gives its descriptor back. */
  remove(file: FileQueue): void {
    this.#files.delete(file.id)
    this.#ready.delete(file)
    this.#port.send({ kind: "release", files: [file.id] })
  }

  /** Sends what a file has to send, soon. Returns at once. */
  kick(file: FileQueue): void {
    this.#ready.add(file)
    if (this.#port.isAside && this.#isWorthSending(file)) {
      this.#send()
      return
    }
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#send()
    })
  }

  #isWorthSending(file: FileQueue): boolean {
    const { records, bytes } = file.waiting
    return records >= EARLY.records || bytes >= EARLY.bytes || (records > 0 && this.#ready.size >= EARLY.files)
  }

  #send(): void {
    const parts: Array<Part> = []
    for (const file of this.#ready) {
      const part = file.take(limits, this.#options.syncAlways)
      if (part !== undefined) parts.push(part)
    }
    this.#ready.clear()
    if (parts.length > 0) this.#port.send({ kind: "commit", parts })
  }

  #settled(outcomes: ReadonlyArray<Outcome>): void {
    const tell: Array<() => void> = []
    for (const outcome of outcomes) {
      const file = this.#files.get(outcome.file)
      if (file === undefined) continue
      tell.push(file.settle(outcome))
      this.#ready.add(file)
    }
    this.#send()
    for (const each of tell) each()
  }

  #lost(cause: unknown): void {
    const parts: Array<Part> = []
    const tell: Array<() => void> = []
    for (const file of this.#files.values()) {
      const part = file.again(MACHINES_PER_PART)
      if (part !== undefined) parts.push(part)
      else if (file.isUnderWay) tell.push(file.fail(threadLost(file, cause)))
    }
    if (parts.length > 0) this.#port.send({ kind: "commit", parts })
    for (const each of tell) each()
  }

  #remainder(): Remainder {
    const files = [...this.#files.values()]
    return {
      parts: files.flatMap((file) => file.remainder() ?? []),
      lost: files.flatMap((file) => file.loss() ?? []),
    }
  }
}

const threadLost = ({ path, durable }: FileQueue, cause: unknown): WriteError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new WriteError({ reason: { _tag: "ThreadLost", code: "write.thread_lost", path, offset: durable, message } })
}
