import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { expect } from "vitest"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { items, readToEnd, records } from "../../src/journal/RecordStream.ts"
import { bind } from "./disks.ts"

const path = "/home/session.jsonl"
const text = `${Array.from({ length: 40 }, (_, n) => `{"n":${n}}\n`).join("")}oops\n`
const options = { chunkBytes: 16 }

describe("a journal as an effect and as a stream", () => {
  it.effect("readToEnd hands over each item in order and gives the summary", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [path]: text })
      const seen: Array<string> = []
      const summary = yield* readToEnd(disk, path, (item) => seen.push(item._tag), options)
      expect(seen).toEqual([...Array<string>(40).fill("Record"), "Damage"])
      expect(summary).toMatchObject({ records: 40, damages: 1, bytes: text.length })
      expect(disk.handles).toBe(0)
    }),
  )

  it.effect("the streams give items, or records only", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [path]: text })
      expect(yield* Stream.runCollect(items(disk, path, options))).toHaveLength(41)
      const found = yield* Stream.runCollect(records(disk, path, options))
      expect(found.map(({ value }) => value["n"])).toEqual(Array.from({ length: 40 }, (_, n) => n))
      expect(disk.handles).toBe(0)
    }),
  )

  it.effect("who takes no more closes the file, and reads no further", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [path]: text })
      const before = disk.operations
      expect(yield* Stream.runCollect(Stream.take(records(disk, path, options), 1))).toHaveLength(1)
      expect(disk.handles).toBe(0)
      expect(disk.operations - before).toBeLessThan(6)
    }),
  )

  it.live("between two chunks other fibers run, and an interruption closes the file", () =>
    Effect.gen(function* () {
      const inner = new SimulatedDisk({ [path]: text })
      let reads = 0
      const disk = { ...bind(inner), read: (...args: Parameters<typeof inner.read>) => inner.read(...args) + 0 * reads++ }
      const reading = yield* Effect.forkChild(readToEnd(disk, path, () => {}, { chunkBytes: 1 }))
      while (reads < 3) yield* Effect.yieldNow
      const seen = reads
      expect(seen).toBeLessThan(text.length)
      yield* Fiber.interrupt(reading)
      expect(inner.handles).toBe(0)
      expect(reads - seen).toBeLessThan(3)
    }),
  )

  it.effect("a refusal is a typed failure", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      const error = yield* Effect.flip(readToEnd(disk, path, () => {}))
      expect(error.code).toBe("read.not_found")
      const found = yield* Stream.runCollect(records(disk, path)).pipe(
        Effect.catchReason("ReadError", "NotFound", () => Effect.succeed("not found")),
      )
      expect(found).toBe("not found")
    }),
  )
})
