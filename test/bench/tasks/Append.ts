/** Durable appends in a closed loop: each appender waits for its record to be on the disk before it sends the next one. */
import { randomUUID } from "node:crypto"
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { TreeStore } from "../../../src/session/TreeStore.ts"
import { draw } from "../Draw.ts"
import { message, runtimeIn } from "../Host.ts"
import { quantile } from "../Statistics.ts"
import { runTask, turn } from "../Task.ts"
import { wording } from "../Wording.ts"

export interface AppendInput {
  readonly way: "annals" | "sqlite" | "sqlite-batched" | "bare"
  readonly appenders: number
  /** Bytes of a record, about. */
  readonly bytes: number
  /** Milliseconds before and while it is measured. */
  readonly warm: number
  readonly time: number
  readonly folder: string
}

export interface AppendOutput {
  readonly perSecond: number
  /** Milliseconds from handing a record over to its acknowledgement. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds of event-loop delay. The timer that measures it has a resolution of one. */
  readonly loop: number
  /** Microseconds of CPU for each record, all threads. */
  readonly cpuPerRecord: number
}

/** What is measured: appends one text, and comes back once it is on the disk. */
type Append = (text: string) => Promise<void>

/** The measured time, and what falls into it. */
class Stopwatch {
  readonly #input: AppendInput
  readonly #latencies: Array<number> = []
  readonly #loop = monitorEventLoopDelay({ resolution: 1 })
  readonly #start = performance.now()
  #from = Number.POSITIVE_INFINITY
  #cpu = process.cpuUsage()

  constructor(input: AppendInput) {
    this.#input = input
  }

  get isRunning(): boolean {
    const now = performance.now()
    if (this.#from === Number.POSITIVE_INFINITY && now - this.#start >= this.#input.warm) {
      this.#from = now
      this.#cpu = process.cpuUsage()
      this.#loop.enable()
    }
    return now - this.#start < this.#input.warm + this.#input.time
  }

  took(since: number): void {
    if (since >= this.#from) this.#latencies.push(performance.now() - since)
  }

  output(): AppendOutput {
    const time = performance.now() - this.#from
    const { user, system } = process.cpuUsage(this.#cpu)
    this.#loop.disable()
    const records = this.#latencies.length
    return {
      perSecond: (records / time) * 1_000,
      p50: quantile(this.#latencies, 0.5),
      p99: quantile(this.#latencies, 0.99),
      loop: this.#loop.percentile(99) / 1e6,
      cpuPerRecord: (user + system) / records,
    }
  }
}

/** Texts that make records of about so many bytes; the rest of a record takes some 220. */
const texts = (input: AppendInput): (() => string) => {
  const { code } = wording(draw("append"))
  return () => code(Math.max(input.bytes - 220, 1))
}

const closedLoop = async (input: AppendInput, append: Append): Promise<AppendOutput> => {
  const text = texts(input)
  const watch = new Stopwatch(input)
  const appender = async (): Promise<void> => {
    while (watch.isRunning) {
      const since = performance.now()
      await append(text())
      watch.took(since)
    }
  }
  await Promise.all(Array.from({ length: input.appenders }, appender))
  return watch.output()
}

/** One session, its redaction and its receipts, as a host with Effect uses it. */
const annals = async (input: AppendInput): Promise<AppendOutput> => {
  const text = texts(input)
  const run = Effect.gen(function* () {
    const store = yield* TreeStore
    const { session } = yield* store.create({ cwd: input.folder, path: join(input.folder, "s.jsonl"), persist: "immediately" })
    const watch = new Stopwatch(input)
    const appender = Effect.gen(function* () {
      while (watch.isRunning) {
        const since = performance.now()
        yield* session.dispatch(message(text()), "synced")
        watch.took(since)
      }
    })
    yield* Effect.all(
      Array.from({ length: input.appenders }, () => appender),
      { concurrency: "unbounded", discard: true },
    )
    return watch.output()
  })
  return await runtimeIn(input.folder).runPromise(Effect.scoped(run))
}

let parentId: string | null = null

/** The line of a record, as our session makes it. */
const lineOf = (text: string): { readonly id: string; readonly line: string } => {
  const id = randomUUID().slice(0, 8)
  const { message: said } = message(text) as { message: object }
  const line = `${JSON.stringify({ type: "message", id, parentId, timestamp: new Date().toISOString(), message: said })}\n`
  parentId = id
  return { id, line }
}

const database = (folder: string): DatabaseSync => {
  const db = new DatabaseSync(join(folder, "s.db"))
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE e (seq INTEGER PRIMARY KEY, id TEXT, line TEXT)")
  return db
}

/** One transaction for each record, each in a turn of its own, so that the host gets its turns too. */
const sqlite = (folder: string): Append => {
  const insert = database(folder).prepare("INSERT INTO e (id, line) VALUES (?, ?)")
  return async (text) => {
    await turn()
    const { id, line } = lineOf(text)
    insert.run(id, line)
  }
}

/** All records of a turn of the event loop in one transaction. */
const sqliteBatched = (folder: string): Append => {
  const db = database(folder)
  const insert = db.prepare("INSERT INTO e (id, line) VALUES (?, ?)")
  let waiting: Array<{ readonly text: string; readonly done: () => void }> = []
  const commit = (): void => {
    const batch = waiting
    waiting = []
    db.exec("BEGIN")
    for (const { text } of batch) {
      const { id, line } = lineOf(text)
      insert.run(id, line)
    }
    db.exec("COMMIT")
    for (const { done } of batch) done()
  }
  return (text) =>
    new Promise((done) => {
      if (waiting.length === 0) setImmediate(commit)
      waiting.push({ text, done })
    })
}

/** What no journal can be faster than: one write and one sync for each record, on the host's own thread, nothing else. */
const bare = (folder: string): Append => {
  const file = openSync(join(folder, "s.jsonl"), "a", 0o600)
  process.on("exit", () => closeSync(file))
  return async (text) => {
    writeSync(file, lineOf(text).line)
    fdatasyncSync(file)
  }
}

await runTask<AppendInput, AppendOutput>((input) => {
  switch (input.way) {
    case "annals":
      return annals(input)
    case "sqlite":
      return closedLoop(input, sqlite(input.folder))
    case "sqlite-batched":
      return closedLoop(input, sqliteBatched(input.folder))
    case "bare":
      return closedLoop(input, bare(input.folder))
  }
})
