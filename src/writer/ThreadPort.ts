/**
 * The machine in a thread of its own: one piscina pool of exactly one thread, one task at a time.
 *
 * The thread's death is a rejection of the task it had; piscina starts another thread for the next one. At the exit of the process
 * a batch that the thread has begun is waited for, and what is left is written by the same machine on the main thread: so
 * `process.exit` and an uncaught exception lose nothing that was accepted, unless the disk hangs for longer than the bound, or the
 * host has ended the thread in the middle of a batch and not waited for its end.
 */
import { writeSync } from "node:fs"
import { Piscina } from "piscina"
import { nodeDisk } from "../disk/NodeDisk.ts"
import { EXIT_WAIT_MS } from "../model/Limits.ts"
import type { Loss, Remainder, WriterPort } from "./Port.ts"
import type { Reply, Request } from "./Protocol.ts"
import { awaitEnd, giveUp, heard, makeTurn, type Taken, type Turn, takeOver } from "./Turn.ts"
import { makeWriterCore } from "./WriterCore.ts"

export interface ThreadPortOptions {
  /** Another file for the thread to run, for hosts that bundle their code. It must export what `workers/writer.ts` exports. */
  readonly worker?: URL | undefined
  /** Milliseconds to wait at the exit of the process for the batch under way. */
  readonly exitWait?: number | undefined
  /** Told, at the exit, of records that could not be written. By default a line on stderr. */
  readonly onExitLoss?: ((loss: Loss) => void) | undefined
}

const tell = ({ path, bytes, why }: Loss): void => {
  writeSync(2, `annals: ${bytes} bytes of accepted records of ${path} are not known to be on disk: ${why} (write.exit_loss)\n`)
}

/** The worker beside this file: the same ending, `.ts` from a checkout and `.js` from the package. */
const workerBeside = (): URL => {
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."))
  return new URL(`../../workers/writer${ending}`, import.meta.url)
}

export const threadPort = (options: ThreadPortOptions = {}): WriterPort => {
  const turn = makeTurn()
  const pool = new Piscina<Request, Reply>({
    filename: (options.worker ?? workerBeside()).href,
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    stricterFIFO: true,
    atomics: "sync",
    recordTiming: false,
  })
  // A death while idle, or a close that took too long. Without a listener it would end the process; the next task notices by itself.
  pool.on("error", () => undefined)
  let onExit: (() => void) | undefined
  return {
    run: async (request) => {
      // A worker that cannot be loaded leaves a pool without threads, and a task given to that waits for ever.
      if (pool.threads.length === 0) throw new Error("the writer thread cannot start")
      if (request.kind === "release") return await pool.run(request)
      try {
        const reply = await pool.run({ ...request, turn })
        heard(turn)
        return reply
      } catch (lost) {
        giveUp(turn)
        throw lost
      }
    },
    guardExit: (remainder) => {
      onExit = () => drain(remainder(), turn, options)
      process.on("exit", onExit)
    },
    close: async () => {
      if (onExit !== undefined) process.off("exit", onExit)
      await pool.close()
    },
  }
}

const drain = ({ parts, lost }: Remainder, turn: Turn, options: ThreadPortOptions): void => {
  const report = options.onExitLoss ?? tell
  for (const loss of lost) report(loss)
  if (parts.length === 0) return
  const taken = waitFor(turn, options.exitWait ?? EXIT_WAIT_MS)
  if (taken === "busy") {
    for (const { path, bytes } of parts) report({ path, bytes: bytes.length, why: "the disk did not answer in time" })
    return
  }
  const { outcomes } = makeWriterCore(nodeDisk).run({ kind: "commit", parts })
  for (const [index, outcome] of outcomes.entries()) {
    const part = parts[index]
    if (part === undefined) continue
    const loss = { path: part.path, bytes: part.bytes.length }
    if (!outcome.ok) report({ ...loss, why: `${outcome.operation}: ${outcome.code}` })
    // A second sync of the same bytes succeeds although the first one has lost them.
    else if (taken === "doubtful") report({ ...loss, why: "a sync of the last batch failed" })
  }
}

/** Takes the thread's turn, once it has ended the batch that it has begun. Blocks, which is all that is left to do in an exit handler. */
const waitFor = (turn: Turn, milliseconds: number): Taken => {
  const until = performance.now() + milliseconds
  for (;;) {
    const taken = takeOver(turn)
    const left = until - performance.now()
    if (taken !== "busy" || left <= 0) return taken
    awaitEnd(turn, left)
  }
}
