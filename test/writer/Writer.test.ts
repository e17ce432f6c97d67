import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { assert, describe, it } from "vitest"
import { line, textOf } from "../../laws/arbitraries/lines.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { inlinePort } from "../../src/writer/InlinePort.ts"
import type { Request } from "../../src/writer/Protocol.ts"
import { Writer } from "../../src/writer/Writer.ts"
import { header, makeFresh, mortal, numbersIn, startOf, upTo, withFile } from "./Bench.ts"

const fresh = makeFresh()

describe("the thread", () => {
  it("writes what many fibers append, in the order of acceptance, and has synced it when it says so", async () => {
    const path = fresh("many.jsonl")
    await withFile(path, (file) =>
      Effect.forEach(upTo(500), (n) => Effect.flatMap(file.append([line(n, 100)]), (seq) => file.reached(seq, "synced")), {
        concurrency: 50,
        discard: true,
      }),
    )
    assert.deepEqual(numbersIn(path), upTo(500))
  })

  it("drains what nobody waited for when the scope closes", async () => {
    const path = fresh("drain.jsonl")
    await withFile(path, (file) => Effect.forEach(upTo(300), (n) => file.append([line(n, 50)]), { discard: true }))
    assert.deepEqual(numbersIn(path), upTo(300))
  })

  for (const when of ["die-before", "die-within", "die-after"]) {
    it(`loses and repeats nothing when it has to ${when.replace("-", " ")} a batch`, async () => {
      const path = fresh(`${when}.jsonl`)
      await withFile(
        path,
        (file) =>
          Effect.gen(function* () {
            yield* file.reached(yield* file.append([line(1, 10)]), "synced")
            writeFileSync(`${path}.${when}`, "")
            yield* file.reached(yield* file.append([line(2, 10), line(3, 4_000)]), "synced")
            assert.isFalse(existsSync(`${path}.${when}`), "the thread did not die")
            yield* file.reached(yield* file.append([line(4, 10)]), "synced")
          }),
        mortal,
      )
      assert.deepEqual(numbersIn(path), upTo(4))
    })
  }

  it("is waited for by the first file and not before, which is a defect when it cannot be started", async () => {
    const path = fresh("none.jsonl")
    const missing = Writer.layer({ worker: new URL("./no-such-worker.ts", import.meta.url) })
    const idle = await Effect.runPromiseExit(Effect.asVoid(Writer).pipe(Effect.provide(missing)))
    assert.isTrue(Exit.isSuccess(idle))
    const exit = await Effect.runPromiseExit(
      Effect.scoped(Effect.flatMap(Writer, (writer) => writer.open(startOf(path)))).pipe(Effect.provide(missing)),
    )
    assert.isTrue(Exit.isFailure(exit) && Exit.hasDies(exit))
  })

  it("is none for a host that expects to write nothing, and one however often it is expected", async () => {
    let threads = 0
    const count = (): void => {
      threads += 1
    }
    process.on("worker", count)
    const within = (use: (writer: Context.Service.Shape<typeof Writer>) => Effect.Effect<void>) =>
      Effect.runPromise(Effect.flatMap(Writer, use).pipe(Effect.provide(Writer.layer())))
    try {
      await within(() => Effect.promise(() => setImmediate()))
      assert.strictEqual(threads, 0)
      await within((writer) =>
        Effect.gen(function* () {
          yield* writer.expect
          yield* writer.expect
          assert.strictEqual(threads, 0, "in the same turn")
          while (threads === 0) yield* Effect.promise(() => setImmediate())
          yield* writer.expect
          yield* Effect.scoped(writer.open(startOf(fresh("expected.jsonl"))))
        }),
      )
      assert.strictEqual(threads, 1)
    } finally {
      process.off("worker", count)
    }
  })

  it("ends with its layer also when nobody has waited for its start", async () => {
    const expect = Effect.flatMap(Writer, (writer) => writer.expect)
    await Effect.runPromise(expect.pipe(Effect.provide(Writer.layer())))
    const started = Effect.andThen(
      expect,
      Effect.promise(() => setImmediate()),
    )
    await Effect.runPromise(started.pipe(Effect.provide(Writer.layer())))
  })

  for (const how of ["exit", "throw"]) {
    it(`has written everything that was accepted when the host leaves by ${how}`, () => {
      const path = fresh(`leave-${how}.jsonl`)
      const child = fileURLToPath(new URL("./exit-child.ts", import.meta.url))
      const { stderr } = spawnSync(process.execPath, [child, path, how, "2000"], { encoding: "utf8" })
      assert.deepEqual(numbersIn(path), upTo(2_000), stderr)
    })
  }
})

describe("the exit of a host", () => {
  it("says what a latched file has not got", () => {
    const path = fresh("latched.jsonl")
    const child = fileURLToPath(new URL("./exit-child.ts", import.meta.url))
    const { stderr } = spawnSync(process.execPath, [child, path, "latched"], { encoding: "utf8" })
    assert.include(stderr, "write.exit_loss")
    assert.include(stderr, path)
  })
})

describe("a file that is not what it was", () => {
  it("is not written to when it was replaced", async () => {
    const path = fresh("replaced.jsonl")
    const error = await withFile(path, (file) =>
      Effect.gen(function* () {
        rmSync(path)
        writeFileSync(path, "somebody else's\n")
        return yield* Effect.flip(file.reached(yield* file.append([line(1, 10)]), "synced"))
      }),
    )
    assert.equal(error.reason._tag, "Changed")
    assert.equal(readFileSync(path, "utf8"), "somebody else's\n")
  })

  it("is not written to when it was cut", async () => {
    const path = fresh("cut.jsonl")
    const error = await withFile(path, (file) =>
      Effect.gen(function* () {
        truncateSync(path, 5)
        return yield* Effect.flip(file.reached(yield* file.append([line(1, 10)]), "synced"))
      }),
    )
    assert.equal(error.reason._tag, "Changed")
    assert.equal(readFileSync(path, "utf8"), header.slice(0, 5))
  })
})

describe("back-pressure", () => {
  const start = (disk: SimulatedDisk) => {
    const stat = disk.lstat("/s.jsonl")
    if (stat === undefined) throw new Error("missing")
    return { path: "/s.jsonl", identity: { device: stat.device, inode: stat.inode }, length: stat.size }
  }

  it("suspends a producer while the queue is full, and an interruption hands nothing over", async () => {
    const disk = new SimulatedDisk({ "/s.jsonl": header })
    const machine = inlinePort(disk)
    let release = (): void => undefined
    const gate = new Promise<void>((open) => {
      release = open
    })
    // A machine that answers only when it is let: until then whatever is accepted stays in the queue.
    const slow = { ...machine, send: (request: Request) => void gate.then(() => machine.send(request)) }
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* (yield* Writer).open(start(disk))
          yield* file.append([line(1, 1_000)])
          const waiting = yield* Effect.forkChild(file.append([line(2, 10)]), { startImmediately: true })
          const patient = yield* Effect.forkChild(file.append([line(3, 10)]), { startImmediately: true })
          yield* Effect.yieldNow
          assert.lengthOf(yield* file.unsaved, 1, "accepted although the queue is full")
          yield* Fiber.interrupt(waiting)
          release()
          yield* Fiber.join(patient)
          yield* file.flush
        }),
      ).pipe(Effect.provide(Writer.layerOn(slow, { queueBytes: 100 }))),
    )
    assert.equal(disk.text("/s.jsonl"), `${header}${textOf(line(1, 1_000))}\n${textOf(line(3, 10))}\n`)
  })

  it("takes one record however large it is", async () => {
    const disk = new SimulatedDisk({ "/s.jsonl": header })
    const large = line(1, 100_000)
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* (yield* Writer).open(start(disk))
          yield* file.reached(yield* file.append([large]), "synced")
        }),
      ).pipe(Effect.provide(Writer.layerInline(disk, { queueBytes: 10 }))),
    )
    assert.equal(disk.text("/s.jsonl"), `${header}${textOf(large)}\n`)
  })

  it("makes room by a sync when everything that waits is written and nobody asked for one", async () => {
    const disk = new SimulatedDisk({ "/s.jsonl": header })
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* (yield* Writer).open(start(disk))
          for (const n of upTo(20)) yield* file.append([line(n, 100)])
        }),
      ).pipe(Effect.provide(Writer.layerInline(disk, { durability: "written", queueBytes: 300 }))),
    )
    assert.equal(disk.text("/s.jsonl")?.split("\n").length, 22)
  })
})
