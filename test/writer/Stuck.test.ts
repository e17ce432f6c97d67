/** Files whose syncs do not come back, over real files and real threads. */
import { spawnSync } from "node:child_process"
import { constants, existsSync, openSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert, describe, it } from "vitest"
import { line } from "../../laws/arbitraries/lines.ts"
import { MAX_SYNCS_AT_ONCE } from "../../src/model/Limits.ts"
import { Writer } from "../../src/writer/Writer.ts"
import { makeFresh, numbersIn, startOf, upTo } from "./Bench.ts"

const fresh = makeFresh()
const stuckWorker = new URL("./stuck-worker.ts", import.meta.url)

describe("as many files as the pool has threads for, whose syncs do not come back", () => {
  it("hold up no other file, and go on when their disk does", async () => {
    const free = fresh("free.jsonl")
    const stuck = Array.from({ length: MAX_SYNCS_AT_ONCE }, (_, index) => fresh(`stuck-${index}.jsonl`))
    const pipe = join(dirname(free), "pipe")
    assert.equal(spawnSync("mkfifo", [pipe]).status, 0)
    const program = Effect.gen(function* () {
      const writer = yield* Writer
      const waiting: Array<Fiber.Fiber<unknown, unknown>> = []
      for (const path of stuck) {
        const file = yield* writer.open(startOf(path))
        const seq = yield* file.append([line(1, 100)])
        waiting.push(yield* Effect.forkScoped(file.reached(seq, "synced"), { startImmediately: true }))
        while (!existsSync(`${path}.hangs`)) yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
      }
      const file = yield* writer.open(startOf(free))
      for (const n of upTo(20)) yield* file.reached(yield* file.append([line(n, 100)]), "synced")
      assert.deepEqual(numbersIn(free), upTo(20))
      for (const fiber of waiting) assert.isUndefined(fiber.pollUnsafe())
      writeSync(openSync(pipe, constants.O_RDWR), "x".repeat(stuck.length))
      for (const fiber of waiting) yield* Fiber.join(fiber)
    })
    await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(Writer.layer({ worker: stuckWorker }))))
    for (const path of stuck) assert.deepEqual(numbersIn(path), [1])
  })
})
