/** How a writer comes to its end over real files and a real thread, and what is in the file then. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { fileURLToPath } from "node:url"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert, describe, it } from "vitest"
import { line } from "../../laws/arbitraries/lines.ts"
import { Writer, type WriterFile } from "../../src/writer/Writer.ts"
import { header, makeFresh, mortal, numbersIn, startOf, upTo, withFile } from "./Bench.ts"

const fresh = makeFresh()
const exitChild = fileURLToPath(new URL("./exit-child.ts", import.meta.url))
const appendChild = fileURLToPath(new URL("./append-child.ts", import.meta.url))
const pause = (milliseconds = 2) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

const synced = (file: WriterFile, ...numbers: ReadonlyArray<number>) =>
  Effect.flatMap(file.append(numbers.map((n) => line(n, 2_000))), (seq) => file.reached(seq, "synced"))

/** Lets a thread hang with half of record 2 written, and more records waiting. */
const inTheMiddle = (path: string, then: (file: WriterFile) => Effect.Effect<void>) =>
  withFile(
    path,
    (file) =>
      Effect.gen(function* () {
        yield* synced(file, 1)
        writeFileSync(`${path}.hang-within`, "")
        yield* file.append([line(2, 2_000)])
        while (!existsSync(`${path}.hangs`)) yield* Effect.promise(() => pause())
        assert.isFalse(readFileSync(path, "utf8").endsWith("\n"))
        yield* then(file)
      }),
    mortal,
  )

/** The threads that are started while something runs, and what they may use when it says so. */
const observed = async (run: (threads: ReadonlyArray<Worker>) => Promise<void>, megabytes?: number): Promise<void> => {
  const threads: Array<Worker> = []
  const note = (thread: Worker): number => threads.push(thread)
  const module = createRequire(import.meta.url)("node:worker_threads") as { Worker: typeof Worker }
  const Original = module.Worker
  module.Worker = class extends Original {
    constructor(...[file, options]: ConstructorParameters<typeof Worker>) {
      super(file, megabytes === undefined ? options : { ...options, resourceLimits: { maxOldGenerationSizeMb: megabytes } })
    }
  }
  syncBuiltinESMExports()
  process.on("worker", note)
  try {
    await run(threads)
  } finally {
    process.off("worker", note)
    module.Worker = Original
    syncBuiltinESMExports()
  }
}

describe("a thread that is ended in the middle of a batch", () => {
  it("by terminate loses and repeats nothing", async () => {
    const path = fresh("terminate.jsonl")
    await observed((threads) =>
      inTheMiddle(path, (file) =>
        Effect.gen(function* () {
          yield* Effect.promise(async () => threads.at(-1)?.terminate())
          yield* Effect.orDie(synced(file, 3))
        }),
      ),
    )
    assert.deepEqual(numbersIn(path), upTo(3))
  })

  it("by want of memory loses and repeats nothing", async () => {
    const path = fresh("memory.jsonl")
    let started = 0
    await observed(async (threads) => {
      await withFile(
        path,
        (file) =>
          Effect.gen(function* () {
            yield* synced(file, 1)
            writeFileSync(`${path}.exhaust-within`, "")
            yield* synced(file, 2)
            yield* synced(file, 3)
          }),
        mortal,
      )
      started = threads.length
    }, 32)
    assert.equal(started, 2)
    assert.deepEqual(numbersIn(path), upTo(3))
  })
})

describe("a host that leaves while its thread is in the middle of a batch", () => {
  const leave = (path: string, how: string, exitWait: number) =>
    spawnSync(process.execPath, [exitChild, path, how, "50", `${exitWait}`], { encoding: "utf8", timeout: 60_000 })

  it("writes everything itself when that thread has ended and the next one has not begun", () => {
    const path = fresh("exit-terminated.jsonl")
    const { stderr, status } = leave(path, "terminated", 60_000)
    assert.deepEqual([numbersIn(path), status, stderr], [upTo(50), 0, ""])
  })

  it("waits no longer than the bound for a disk that does not answer, writes nothing beside it, and says what is missing", () => {
    const path = fresh("exit-hung.jsonl")
    const { stderr, status } = leave(path, "hung", 300)
    assert.equal(status, 0)
    assert.match(stderr, /bytes of accepted records of .*exit-hung\.jsonl .* did not answer in time \(write\.exit_loss\)/)
    assert.isTrue(readFileSync(path, "utf8").startsWith(`${header}{"type":"custom"`))
    assert.lengthOf(readFileSync(path, "utf8").split("\n"), 2)
  })

  it("writes all of the other files when the disk of one does not answer", () => {
    const path = fresh("exit-stalled.jsonl")
    const { stderr, status } = leave(path, "stalled", 300)
    assert.deepEqual([numbersIn(`${path}.other`), status], [upTo(50), 0])
    assert.match(stderr, /exit-stalled\.jsonl are not .* did not answer in time \(write\.exit_loss\)/)
    assert.lengthOf(stderr.trimEnd().split("\n"), 1)
    assert.equal(readFileSync(path, "utf8"), header)
  })

  it("writes what is left when a sync fails meanwhile, and says that it cannot be relied on", () => {
    const path = fresh("exit-doubtful.jsonl")
    const { stderr } = leave(path, "doubtful", 60_000)
    assert.include(stderr, "write.exit_loss")
    assert.include(stderr, path)
  })
})

describe("a file whose sync does not come back", () => {
  it("holds up no other file", async () => {
    const path = fresh("stalls.jsonl")
    const other = fresh("goes-on.jsonl")
    await withFile(
      path,
      (file) =>
        Effect.gen(function* () {
          writeFileSync(`${path}.stall-sync`, "")
          yield* file.append([line(1, 200)])
          while (!existsSync(`${path}.hangs`)) yield* Effect.promise(() => pause())
          const beside = yield* (yield* Writer).open(startOf(other))
          for (const n of upTo(20)) yield* synced(beside, n)
          assert.lengthOf(yield* file.unsaved, 1)
          assert.equal(readFileSync(path, "utf8"), header)
          // Another thread has no such sync under way, and what it finds is written by it.
          writeFileSync(`${other}.die-before`, "")
          yield* synced(beside, 21)
          yield* file.flush
        }),
      mortal,
    )
    assert.deepEqual([numbersIn(path), numbersIn(other)], [[1], upTo(21)])
  })
})

describe("an interruption", () => {
  it("of whoever waits takes back no record that was handed over", async () => {
    const path = fresh("interrupted.jsonl")
    await observed((threads) =>
      inTheMiddle(path, (file) =>
        Effect.gen(function* () {
          const waiting = yield* Effect.forEach([3, 4, 5], (n) => Effect.forkChild(synced(file, n), { startImmediately: true }))
          assert.lengthOf(yield* file.unsaved, 4)
          yield* Fiber.interruptAll(waiting)
          assert.lengthOf(yield* file.unsaved, 4)
          yield* Effect.promise(async () => threads.at(-1)?.terminate())
        }),
      ),
    )
    assert.deepEqual(numbersIn(path), upTo(5))
  })
})

const ended = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once("close", resolve))

/** Every thread of the process: they do not stop at one moment. */
const isStopped = (pid: number | undefined): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) => /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")))

describe("a process that is stopped", () => {
  it("writes nothing while it is, and all of it, once, when it goes on", async ({ annotate }) => {
    if (process.platform !== "linux") return void (await annotate("left out: what a process is doing is not told here"))
    const path = fresh("stopped.jsonl")
    const child = spawn(process.execPath, [appendChild, path, "150", "20000"], { stdio: ["ignore", "pipe", "inherit"] })
    const end = ended(child)
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
    for (const after of [3, 40]) {
      while (said.split("\n").length <= after) await pause()
      child.kill("SIGSTOP")
      while (!isStopped(child.pid)) await pause()
      const before = readFileSync(path).length
      await pause(100)
      assert.equal(readFileSync(path).length, before)
      assert.isAtLeast(readFileSync(path, "utf8").split("\n").length - 2, said.split("\n").length - 1)
      child.kill("SIGCONT")
    }
    assert.equal(await end, 0)
    assert.deepEqual(numbersIn(path), upTo(150))
    assert.equal(
      said,
      upTo(150)
        .map((n) => `${n}\n`)
        .join(""),
    )
  })
})

/** The last word of a host whose disk refuses, and what it had acknowledged. */
const refused = (program: string, args: ReadonlyArray<string>) => {
  // All syncs by one thread, since calls are counted for each.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1" }
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 60_000, env })
  const lines = stdout.trimEnd().split("\n")
  const reason = JSON.parse(lines.pop() ?? "") as Readonly<Record<string, unknown>>
  return { reason, acknowledged: lines.map(Number), stderr }
}

describe("a real refusal of the disk", () => {
  it("of a write says that nothing of the batch is in the file, and so it is", async ({ annotate }) => {
    if (process.platform === "win32") return void (await annotate("left out: files have no bound here"))
    const path = fresh("full.jsonl")
    // A file may not become larger than 8 blocks of 1,024 bytes; the third record is cut there.
    const { reason, acknowledged } = refused("bash", [
      "-c",
      'ulimit -f 8; exec "$0" "$@"',
      process.execPath,
      appendChild,
      path,
      "9",
      "3000",
    ])
    assert.deepInclude(reason, { _tag: "NotWritten", code: "write.not_written", system: "EFBIG", operation: "write", unsaved: 1 })
    assert.deepEqual(acknowledged, [1, 2])
    assert.deepEqual(numbersIn(path), [1, 2])
  })

  it("of a sync says that nobody knows, and the next sync is not believed", async ({ annotate }) => {
    const path = fresh("unsynced.jsonl")
    const inject = ["-f", "-qq", "-o", "/dev/null", "-P", path, "-e", "inject=fdatasync,fsync:error=EIO:when=3"]
    const mayTrace = spawnSync("strace", ["-f", "-o", "/dev/null", "true"]).status === 0
    if (!mayTrace) return void (await annotate("left out: strace is not there or may not trace"))
    const { reason, acknowledged } = refused("strace", [...inject, process.execPath, appendChild, path, "9", "100"])
    assert.deepInclude(reason, { _tag: "Uncertain", code: "write.uncertain", system: "EIO", operation: "sync", unsaved: 1 })
    assert.deepEqual(acknowledged, [1, 2])
  })
})
