/**
 * A host that appends so many records of a size to a file, one after the other. It prints the number of each record once it is synced. A
 * failure ends it: it prints the reason, and how many records are unsaved.
 */
import { writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { line } from "../../laws/arbitraries/lines.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { Writer } from "../../src/writer/Writer.ts"

const [path = "", count = "0", size = "0"] = process.argv.slice(2)
const stat = nodeDisk.lstat(path)
if (stat === undefined) throw new Error(`${path} is missing`)

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* Writer
      const file = yield* writer.open({ path, identity: { device: stat.device, inode: stat.inode }, length: stat.size })
      for (let n = 1; n <= Number(count); n++) {
        const done = yield* Effect.result(
          Effect.flatMap(file.append([line(n, Number(size))]), (seq) => file.reached(seq, "synced")),
        )
        if (Result.isFailure(done)) {
          const { length } = yield* file.unsaved
          writeSync(1, `${JSON.stringify({ ...done.failure.reason, unsaved: length })}\n`)
          return
        }
        writeSync(1, `${n}\n`)
      }
    }),
  ).pipe(Effect.provide(Writer.layer())),
)
