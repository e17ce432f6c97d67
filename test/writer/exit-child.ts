/**
 * A host that hands over records and leaves without waiting: by `process.exit`, or by an error that nobody catches; or with a file that
 * somebody has cut, so that nothing more can be written to it; or with a thread that hangs or fails in the
 * middle of a batch, or was ended there; or while the disk of another file does not answer.
 */
import { copyFileSync, existsSync, truncateSync, writeFileSync } from "node:fs"
import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import { line } from "../../laws/arbitraries/lines.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { Writer, type WriterFile } from "../../src/writer/Writer.ts"

const [path = "", how = "", count = "0", exitWait = "5000"] = process.argv.slice(2)
const startOf = (file: string) => {
  const stat = nodeDisk.lstat(file)
  if (stat === undefined) throw new Error(`${file} is missing`)
  return { path: file, identity: { device: stat.device, inode: stat.inode }, length: stat.size }
}

/** What hangs or fails in the thread, by how the host leaves. */
const flags: Readonly<Record<string, string>> = {
  hung: "hang-within",
  terminated: "hang-within",
  doubtful: "fail-within",
  stalled: "stall-sync",
}
const flag = flags[how]
const threads: Array<Worker> = []
process.on("worker", (thread) => threads.push(thread))

const handOver = (file: WriterFile, from: number): Effect.Effect<void> =>
  Effect.orDie(
    Effect.gen(function* () {
      for (let n = from; n <= Number(count); n++) yield* file.append([line(n, 200)])
    }),
  )

/** Until the thread hangs in the middle of the part with the first record. */
const hanging = (file: WriterFile, as: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    writeFileSync(`${path}.${as}`, "")
    yield* Effect.orDie(file.append([line(1, 200)]))
    while (!existsSync(`${path}.hangs`)) yield* Effect.sleep("2 millis")
    yield* handOver(file, 2)
  })

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* Writer
      const file = yield* writer.open(startOf(path))
      if (how === "latched") {
        truncateSync(path, 3)
        yield* Effect.exit(Effect.flatMap(file.append([line(1, 200)]), (seq) => file.reached(seq, "synced")))
        process.exit(0)
      }
      if (how === "stalled") copyFileSync(path, `${path}.other`)
      if (flag === undefined) yield* handOver(file, 1)
      else yield* hanging(file, flag)
      if (how === "stalled") yield* handOver(yield* writer.open(startOf(`${path}.other`)), 1)
      if (how === "terminated") yield* Effect.promise(async () => threads.at(-1)?.terminate())
      if (how === "throw") setImmediate(() => Promise.reject(new Error("nobody catches this")))
      else process.exit(0)
      yield* Effect.never
    }),
  ).pipe(
    Effect.provide(
      Writer.layer({
        exitWait: Number(exitWait),
        worker: flag !== undefined ? new URL("./mortal-worker.ts", import.meta.url) : undefined,
      }),
    ),
  ),
)
