/**
 * Drives the files' queues through the port: one batch in flight, and the next one is whatever queued meanwhile.
 *
 * When the machine is lost under a batch, the same parts are sent again in the mode `resume`, which writes what is missing and
 * nothing twice. A batch that costs three machines is given up: its files latch and keep their records.
 */
import { MAX_BATCH_BYTES, MAX_BATCH_RECORDS } from "../model/Limits.ts"
import { share } from "./Batch.ts"
import type { FileQueue } from "./FileQueue.ts"
import type { Remainder, WriterPort } from "./Port.ts"
import type { Part, Reply } from "./Protocol.ts"
import { WriteError } from "./WriteError.ts"

/** How often one batch is tried when machine after machine is lost under it. */
const MACHINES_PER_BATCH = 3

export interface PumpOptions {
  /** Whether each batch is synced. When false, only flush, close, recovery and a full queue sync. */
  readonly syncAlways: boolean
}

export class Pump {
  readonly #port: WriterPort
  readonly #options: PumpOptions
  readonly #files = new Map<number, FileQueue>()
  #released: Array<number> = []
  #running = false

  constructor(port: WriterPort, options: PumpOptions) {
    this.#port = port
    this.#options = options
    port.guardExit(() => this.#remainder())
  }

  add(file: FileQueue): void {
    this.#files.set(file.id, file)
  }

  /** Forgets a file whose queue is settled and gives its descriptor back. */
  remove(file: FileQueue): void {
    this.#files.delete(file.id)
    this.#released.push(file.id)
    this.kick()
  }

  /** Starts the next batch unless one is in flight. Returns at once. */
  kick(): void {
    if (this.#running) return
    this.#running = true
    // The batch is taken a tick later, so that records dispatched in one turn of the event loop travel together.
    queueMicrotask(() => void this.#run())
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#release()
      const parts = this.#take()
      if (parts.length === 0) break
      await this.#commit(parts)
    }
    this.#running = false
  }

  async #release(): Promise<void> {
    if (this.#released.length === 0) return
    const files = this.#released
    this.#released = []
    // A machine that was lost has no descriptors left to give back.
    await this.#port.run({ kind: "release", files }).catch(() => undefined)
  }

  #take(): ReadonlyArray<Part> {
    const files = [...this.#files.values()]
    const counts = share(
      files.map((file) => ({ sizes: file.waitingSizes() })),
      { bytes: MAX_BATCH_BYTES, records: MAX_BATCH_RECORDS },
    )
    const parts: Array<Part> = []
    for (const [index, file] of files.entries()) {
      const count = counts[index] ?? 0
      if (count === 0 && !file.isDue) continue
      const part = file.take(count, this.#options.syncAlways)
      if (part !== undefined) parts.push(part)
    }
    return parts
  }

  async #commit(parts: ReadonlyArray<Part>): Promise<void> {
    let sent = parts
    let cause: unknown
    for (let machine = 0; machine < MACHINES_PER_BATCH; machine++) {
      let reply: Reply
      try {
        reply = await this.#port.run({ kind: "commit", parts: sent })
      } catch (lost) {
        cause = lost
        sent = parts.map((part) => (part.mode === "append" ? { ...part, mode: "resume" } : part))
        continue
      }
      for (const outcome of reply.outcomes) this.#files.get(outcome.file)?.settle(outcome)
      return
    }
    const message = cause instanceof Error ? cause.message : String(cause)
    for (const { file: id } of parts) {
      const file = this.#files.get(id)
      file?.fail(
        new WriteError({
          reason: { _tag: "ThreadLost", code: "write.thread_lost", path: file.path, offset: file.durable, message },
        }),
      )
    }
  }

  #remainder(): Remainder {
    const files = [...this.#files.values()]
    return {
      parts: files.flatMap((file) => file.remainder() ?? []),
      lost: files.flatMap((file) => file.loss() ?? []),
    }
  }
}
