/**
 * A lane of its own for syncs that the pool has no thread for: a thread that does nothing else (`workers/sync.ts`).
 *
 * A descriptor belongs to the process, so any of its threads may sync it. A thread that cannot be started, as in a host whose code was put
 * together without its file, leaves its syncs to the pool. One that ends in the middle of a sync has told nobody how it went: that is a fault.
 */
import { Worker } from "node:worker_threads"
import { MAX_STUCK_SYNCS } from "../model/Limits.ts"
import { DiskFault, type Handle } from "./Disk.ts"
import { descriptorOf } from "./NodeDisk.ts"
import type { SpareLane, Spares, SyncDone, Syncs } from "./Syncs.ts"
import { workerFile } from "./WorkerFile.ts"

/** What the thread says: that it has begun, or how a sync has ended. */
export type SyncAnswer = { readonly ended: false } | { readonly ended: true; readonly code?: string | undefined }

/** What is told of a sync whose thread has ended before it. */
const LOST = "ETHREADLOST"

interface Job {
  readonly handle: Handle
  readonly done: SyncDone
}

class SyncThread implements SpareLane {
  readonly #pool: Syncs
  readonly #worker: Worker
  #state: "starting" | "ready" | "ended" = "starting"
  #job: Job | undefined

  constructor(pool: Syncs, file: URL) {
    this.#pool = pool
    this.#worker = new Worker(file, { stdin: false })
    this.#worker.on("message", (answer: SyncAnswer) => this.#hear(answer))
    // Its end follows.
    this.#worker.on("error", () => undefined)
    this.#worker.on("exit", () => this.#end())
    this.#worker.unref()
  }

  start = (handle: Handle, done: SyncDone): void => {
    if (this.#state === "ended") {
      this.#pool.start(handle, done)
      return
    }
    this.#job = { handle, done }
    if (this.#state === "ready") this.#send(this.#job)
  }

  close = (): void => void this.#worker.terminate()

  #send({ handle, done }: Job): void {
    let descriptor: number
    try {
      descriptor = descriptorOf("sync", handle)
    } catch (fault) {
      this.#job = undefined
      done(fault)
      return
    }
    this.#worker.ref()
    this.#worker.postMessage(descriptor)
  }

  #hear(answer: SyncAnswer): void {
    if (!answer.ended) {
      this.#state = "ready"
      if (this.#job !== undefined) this.#send(this.#job)
      return
    }
    this.#worker.unref()
    const job = this.#job
    this.#job = undefined
    job?.done(answer.code === undefined ? undefined : new DiskFault("sync", job.handle.path, answer.code))
  }

  #end(): void {
    const wasReady = this.#state === "ready"
    this.#state = "ended"
    const job = this.#job
    this.#job = undefined
    if (job === undefined) return
    if (wasReady) job.done(new DiskFault("sync", job.handle.path, LOST))
    else this.#pool.start(job.handle, job.done)
  }
}

/** A thread of its own for syncs. Cost: some 10 MB, and a tenth of a second until it begins. */
export const syncThread = (pool: Syncs, file: URL = workerFile("sync")): SpareLane => new SyncThread(pool, file)

/** Threads in the place of syncs that are stuck in the pool. */
export const spareThreads = (pool: Syncs): Spares => ({
  most: MAX_STUCK_SYNCS,
  make: () => syncThread(pool),
  now: () => performance.now(),
  later: (milliseconds, run) => void setTimeout(run, milliseconds).unref(),
})
