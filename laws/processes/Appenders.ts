/**
 * Processes that append to a session until somebody kills them. Starting one takes far longer than what it is asked for, so the next one
 * is started while the last one works, and all of one set share what was compiled.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"

const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."))
const appender = fileURLToPath(new URL(`./appender${ending}`, import.meta.url))

/** What a process is to append. */
export interface Order {
  readonly path: string
  /** The records are named `LIFE.1`, `LIFE.2`, … */
  readonly life: number
  readonly count: number
  /** Characters of each record beside its name. */
  readonly size: number
  readonly level: "written" | "synced"
}

/** Prints the number of each record once it has reached the level. */
export type Appender = ChildProcessByStdio<Writable, Readable, Readable>

export class Appenders {
  readonly #cache = mkdtempSync(join(tmpdir(), "annals-compiled-"))
  #next: Appender | undefined

  #start(): Appender {
    return spawn(process.execPath, [appender], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, NODE_COMPILE_CACHE: this.#cache },
    })
  }

  /** A process that begins with an order. Whoever takes it ends it. */
  take(order: Order): Appender {
    const child = this.#next ?? this.#start()
    // One that is killed while it reads its order breaks the pipe. Its end tells it.
    child.stdin.on("error", () => undefined)
    child.stdin.end(JSON.stringify(order))
    this.#next = this.#start()
    return child
  }

  /** Ends the process that nobody has taken. */
  async close(): Promise<void> {
    const child = this.#next
    this.#next = undefined
    if (child !== undefined && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await ended
    }
    rmSync(this.#cache, { recursive: true, force: true })
  }
}
