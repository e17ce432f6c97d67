/**
 * The machine in a thread of its own: one piscina pool of exactly one thread, and a message port of our own into it.
 *
 * The thread's death is the end of that port; the next request starts another thread with another port. At the exit of the process
 * the parts that the thread has begun are waited for, and what is left is written by the same machine on the main thread: so
 * `process.exit` and an uncaught exception lose nothing that was accepted, unless the disk hangs for longer than the bound, or the
 * host has ended the thread in the middle of a part and not waited for its end.
 */
import { writeSync } from "node:fs"
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads"
import type { Piscina } from "piscina"
import { nodeDisk } from "../disk/NodeDisk.ts"
import { workerFile } from "../disk/WorkerFile.ts"
import { EXIT_WAIT_MS } from "../model/Limits.ts"
import type { Loss, PortHost, WriterPort } from "./Port.ts"
import type { Part, Reply, Request } from "./Protocol.ts"
import { awaitEnd, isBusy, makeTurn, type Turn, takeOver } from "./Turn.ts"
import { makeWriterCore } from "./WriterCore.ts"

export interface ThreadPortOptions {
  /** Another file for the thread to run, for hosts that bundle their code. It must export what `workers/writer.ts` exports. */
  readonly worker?: URL | undefined
  /** Milliseconds to wait at the exit of the process for what is under way. */
  readonly exitWait?: number | undefined
  /**
   * Syncs of different files that may be under way at once. Default: `MAX_SYNCS_AT_ONCE`. Each takes a thread of Node's pool, which has four
   * for the whole process unless the environment says otherwise (`UV_THREADPOOL_SIZE`): raise both together, for many sessions at once.
   */
  readonly syncsAtOnce?: number | undefined
  /** Told, at the exit, of records that could not be written. By default a line on stderr. */
  readonly onExitLoss?: ((loss: Loss) => void) | undefined
}

const tell = ({ path, bytes, why }: Loss): void => {
  writeSync(2, `annals: ${bytes} bytes of accepted records of ${path} are not known to be on disk: ${why} (write.exit_loss)\n`)
}

/** One life of the thread, seen from the host. */
interface Life {
  readonly port: MessagePort
  readonly turn: Turn
  /** Parts that were sent and not settled. While there are any, they keep the process. */
  underWay: number
}

/** A port to a thread that does not run yet. */
export interface ThreadPort extends WriterPort {
  /** Starts the thread, once, and resolves when it serves. Rejects when it cannot be started. Nothing may be sent before. */
  readonly start: () => Promise<void>
  /** Starts it in a later turn of the event loop, and says nothing of what comes of it. */
  readonly startSoon: () => void
}

/** Loads the pool as late as the thread is wanted: a host that only reads needs neither. */
const makePool = async (options: ThreadPortOptions): Promise<Piscina> => {
  const { Piscina } = await import("piscina")
  const pool = new Piscina({
    filename: (options.worker ?? workerFile("writer")).href,
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    // Its own waiting would stop the loop of the thread, which waits for messages and syncs.
    atomics: "disabled",
    recordTiming: false,
  })
  // A death while idle, or a close that took too long. Without a listener it would end the process; our own port notices by itself.
  pool.on("error", () => undefined)
  return pool
}

class Thread implements ThreadPort {
  readonly isAside = true
  readonly #options: ThreadPortOptions
  #pool: Piscina | undefined
  #starting: Promise<void> | undefined
  #isClosed = false
  #host: PortHost | undefined
  #life: Life | undefined

  constructor(options: ThreadPortOptions) {
    this.#options = options
  }

  start = (): Promise<void> => {
    this.#starting ??= makePool(this.#options).then((pool) => {
      this.#pool = pool
      return this.#begin().ready
    })
    return this.#starting
  }

  startSoon = (): void => {
    if (this.#starting !== undefined) return
    setImmediate(() => {
      // Whoever opens a file hears of a thread that cannot be started.
      if (!this.#isClosed) this.start().catch(() => undefined)
    })
  }

  connect = (host: PortHost): void => {
    this.#host = host
    process.on("exit", this.#leave)
  }

  send = (request: Request): void => {
    const life = this.#life ?? this.#begin().life
    const parts = request.kind === "commit" ? request.parts : []
    if (life.underWay === 0 && parts.length > 0) life.port.ref()
    life.underWay += parts.length
    life.port.postMessage(
      request,
      parts.map(({ bytes }) => bytes.buffer as ArrayBuffer),
    )
  }

  close = async (): Promise<void> => {
    this.#isClosed = true
    process.off("exit", this.#leave)
    await this.#starting?.catch(() => undefined)
    const life = this.#life
    this.#host = undefined
    if (life !== undefined) {
      const ended = new Promise((resolve) => life.port.once("close", resolve))
      life.port.ref()
      life.port.postMessage(undefined)
      await ended
    }
    await this.#pool?.close()
  }

  #begin(): { readonly life: Life; readonly ready: Promise<void> } {
    const { port1: port, port2 } = new MessageChannel()
    const life: Life = { port, turn: makeTurn(), underWay: 0 }
    this.#life = life
    port.on("message", ({ outcomes }: Reply) => {
      life.underWay -= outcomes.length
      if (life.underWay === 0) port.unref()
      this.#host?.settled(outcomes)
    })
    port.on("close", () => this.#lost(life, new Error("the writer thread has ended")))
    port.unref()
    const ready = this.#serve({ port: port2, turn: life.turn, syncsAtOnce: this.#options.syncsAtOnce }, port2)
    ready.catch((cause: unknown) => this.#lost(life, cause))
    return { life, ready }
  }

  async #serve(channel: object, port: MessagePort): Promise<void> {
    // A worker that cannot be loaded leaves a pool without threads, and a task given to that waits for ever.
    const pool = this.#pool
    if (pool === undefined || pool.threads.length === 0) throw new Error("the writer thread cannot start")
    await pool.run(channel, { transferList: [port] })
  }

  #lost(life: Life, cause: unknown): void {
    if (this.#life !== life) return
    this.#life = undefined
    life.port.close()
    this.#host?.lost(cause)
  }

  readonly #leave = (): void => {
    if (this.#host !== undefined) drain(this.#host, this.#life, this.#options)
  }
}

export const threadPort = (options: ThreadPortOptions = {}): ThreadPort => new Thread(options)

/** At the exit: waits for what the thread has begun, writes the rest, and says what is missing. */
const drain = (host: PortHost, life: Life | undefined, options: ThreadPortOptions): void => {
  const { parts, lost } = host.remainder()
  const report = options.onExitLoss ?? tell
  for (const loss of lost) report(loss)
  const free = life === undefined ? parts : waitFor(life.turn, parts, options.exitWait ?? EXIT_WAIT_MS)
  for (const { path, bytes } of parts.filter((part) => !free.includes(part)))
    report({ path, bytes: bytes.length, why: "the disk did not answer in time" })
  const doubtful = life === undefined ? new Set() : doubtfulFiles(life.port)
  const { outcomes } = makeWriterCore(nodeDisk).run({ kind: "commit", parts: free })
  for (const [index, outcome] of outcomes.entries()) {
    const part = free[index]
    if (part === undefined) continue
    const loss = { path: part.path, bytes: part.bytes.length }
    if (!outcome.ok) report({ ...loss, why: `${outcome.operation}: ${outcome.code}` })
    // A second sync of the same bytes succeeds although the first one has lost them.
    else if (doubtful.has(part.file)) report({ ...loss, why: "the last sync failed" })
  }
}

/**
 * Takes the thread's turn, once it has ended the parts that it has begun of these files. Blocks, which is all that is left to do in an exit
 * handler. Returns the parts of those files with which it has ended in time.
 */
const waitFor = (turn: Turn, parts: ReadonlyArray<Part>, milliseconds: number): ReadonlyArray<Part> => {
  takeOver(turn)
  const until = performance.now() + milliseconds
  return parts.filter(({ file }) => {
    for (let left = milliseconds; isBusy(turn, file) && left > 0; left = until - performance.now()) awaitEnd(turn, file, left)
    return !isBusy(turn, file)
  })
}

/**
 * Files of which the host has not heard yet that a sync failed. Nobody is told: whoever waits would go on in the middle of the exit.
 */
const doubtfulFiles = (port: MessagePort): ReadonlySet<number> => {
  const files = new Set<number>()
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    const { outcomes } = next.message as Reply
    for (const outcome of outcomes) if (!outcome.ok && outcome.certainty === "uncertain") files.add(outcome.file)
  }
  return files
}
