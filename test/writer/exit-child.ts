/**
 * A host that hands over records and leaves without waiting: by `process.exit`, or by an error that nobody catches; or with a file that
 * somebody has cut, so that nothing more can be written to it.
 */
import { truncateSync } from "node:fs"
import * as Effect from "effect/Effect"
import { line } from "../../laws/arbitraries/lines.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { Writer } from "../../src/writer/Writer.ts"

const [path = "", how = "", count = "0"] = process.argv.slice(2)
const stat = nodeDisk.lstat(path)
if (stat === undefined) throw new Error(`${path} is missing`)

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* Writer
      const file = yield* writer.open({ path, identity: { device: stat.device, inode: stat.inode }, length: stat.size })
      if (how === "latched") {
        truncateSync(path, 3)
        yield* Effect.exit(Effect.flatMap(file.append([line(1, 200)]), (seq) => file.reached(seq, "synced")))
        process.exit(0)
      }
      for (let n = 1; n <= Number(count); n++) yield* file.append([line(n, 200)])
      if (how === "exit") process.exit(0)
      if (how === "throw") setImmediate(() => Promise.reject(new Error("nobody catches this")))
      yield* Effect.never
    }),
  ).pipe(Effect.provide(Writer.layer())),
)
