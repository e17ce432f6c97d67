import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import type { Handle } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { follow } from "../../src/journal/Follow.ts"
import { Follower, type FollowerOptions, type FollowItem, type ReadingDisk } from "../../src/journal/Follower.ts"
import { Seen } from "../../src/journal/Seen.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { loadTree } from "../../src/session/Load.ts"
import { rewriteInPlace } from "../../src/session/RewriteFile.ts"
import { bind, virtualDisk } from "./disks.ts"

const path = "/home/session.jsonl"
const record = (id: string, more = ""): string => `{"type":"x","id":"${id}","timestamp":"t"${more}}`
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const word = (item: FollowItem): string => {
  if (item._tag === "Record") return String(item.record.value["id"] ?? item.record.raw)
  if (item._tag === "Damage") return `${item.damage.kind} ${item.damage.offset}`
  return item._tag === "Removed" ? "removed" : item.how
}

/** A disk with the file, one handle to write to it, and a follower with what it is given at each look. */
const begin = (text: string, options?: FollowerOptions) => {
  const disk = new SimulatedDisk({ [path]: text })
  const handle = disk.open(path, "append")
  const follower = new Follower(disk, path, options)
  const look = (isLast = false): ReadonlyArray<string> => {
    const words: Array<string> = []
    for (;;) {
      const { items, state } = follower.step(isLast)
      words.push(...items.map(word))
      if (state !== "more") return words
    }
  }
  return { disk, look, follower, handle, write: (more: string) => void disk.write(handle, bytes(more)) }
}

const replaceWith = (disk: SimulatedDisk, text: string): void => {
  disk.put("/home/other", text)
  disk.rename("/home/other", path)
}

describe("a follower", () => {
  it("gives a record when its newline is there, and not before", () => {
    const { look, write } = begin(`${record("a")}\n`)
    expect(look()).toEqual(["a"])
    expect(look()).toEqual([])
    const line = `${record("b")}\n`
    for (const character of line.slice(0, -1)) {
      write(character)
      expect(look()).toEqual([])
    }
    write("\n")
    expect(look()).toEqual(["b"])
  })

  it("never sees a torn tail that its writer cuts off", () => {
    const { disk, handle, look, write } = begin(`${record("a")}\n`)
    look()
    write(record("b").slice(0, 20))
    expect(look()).toEqual([])
    disk.truncate(handle, record("a").length + 1)
    expect(look()).toEqual([])
    write(`${record("c")}\n`)
    expect(look()).toEqual(["c"])
  })

  it("takes what stands behind the last newline for what it is, once the writer has closed", () => {
    const whole = begin(record("a"))
    expect(whole.look()).toEqual([])
    expect(whole.look(true)).toEqual(["a"])
    expect(whole.look(true)).toEqual([])
    const torn = begin(`${record("a")}\n${record("b").slice(0, 9)}`)
    expect(torn.look(true)).toEqual(["a", "torn-tail 38"])
    torn.disk.close(torn.handle)
    expect(torn.disk.handles).toBe(0)
  })

  it("tells of lines that were taken back, and does not give them again when they come again", () => {
    const { disk, handle, look, write } = begin(`${record("a")}\n${record("b")}\n`)
    expect(look()).toEqual(["a", "b"])
    disk.truncate(handle, record("a").length + 1)
    expect(look()).toEqual(["cut"])
    write(`${record("b")}\n${record("c")}\n`)
    expect(look()).toEqual(["c"])
  })

  it("sees by the bytes before its place that lines were taken back and others written", () => {
    const { disk, handle, look, write } = begin(`${record("a")}\n${record("b")}\n`)
    expect(look()).toEqual(["a", "b"])
    disk.truncate(handle, record("a").length + 1)
    write(`${record("c")}\n${record("d")}\n`)
    expect(look()).toEqual(["rewritten", "c", "d"])
  })

  it("goes on in another file under the name: what was rewritten under its id is not given again", () => {
    const { disk, look, write } = begin(`${record("a")}\n{"type":"x","n":1}\n`)
    expect(look()).toEqual(["a", '{"type":"x","n":1}'])
    write(`${record("b")}\n`)
    const others = [record("a", ',"v":5'), '{"type":"x","n":1}', '{"type":"x","n":2}', record("b"), record("c")]
    replaceWith(disk, `${others.join("\n")}\n`)
    expect(look()).toEqual(["b", "other-file", '{"type":"x","n":2}', "c"])
  })

  it("gives all of the other file to who wants to begin anew", () => {
    const { disk, look } = begin(`${record("a")}\n`, { replaced: "all" })
    expect(look()).toEqual(["a"])
    replaceWith(disk, `${record("a")}\n${record("b")}\n`)
    expect(look()).toEqual(["other-file", "a", "b"])
  })

  it.each(["pi/v3-all-records.jsonl", "pi/v3-fork.jsonl", "omp/v3-title-slot.jsonl"])(
    "tells no entry of %s again when it is migrated",
    async (fixture) => {
      const { disk, look } = begin(readFileSync(new URL(`../fixtures/${fixture}`, import.meta.url), "utf8"))
      const before = look()
      const loaded = await Effect.runPromise(loadTree(disk, path))
      const names = { backup: "s.bak", temporary: ".s.tmp" }
      await Effect.runPromise(rewriteInPlace(disk, loaded, makeRedactor({ environment: {} }), names))
      const [replaced, ...again] = look()
      expect(replaced).toBe("other-file")
      expect(again.filter((entry) => before.includes(entry))).toEqual([])
      expect(before.length).toBeGreaterThan(again.length + 5)
    },
  )

  it("gives a record as often as it stands in a file", () => {
    const { disk, look } = begin(`${record("a")}\n${record("a")}\n`)
    expect(look()).toEqual(["a", "a"])
    replaceWith(disk, `${`${record("a")}\n`.repeat(3)}`)
    expect(look()).toEqual(["other-file", "a"])
  })

  it("waits for a file that does not exist yet, or not any more", () => {
    const disk = new SimulatedDisk({ "/home/other": "" })
    const follower = new Follower(disk, path, { from: "end" })
    const look = () => {
      const { items, state } = follower.step()
      return [...items.map(word), state]
    }
    expect(look()).toEqual(["waiting"])
    disk.put(path, `${record("a")}\n`)
    expect(look()).toEqual(["a", "more"])
    expect(look()).toEqual(["waiting"])
    disk.unlink(path)
    expect(look()).toEqual(["removed", "waiting"])
    expect(disk.handles).toBe(0)
    expect(look()).toEqual(["waiting"])
    disk.put(path, `${record("a")}\n${record("b")}\n`)
    expect(look()).toEqual(["other-file", "b", "more"])
    expect(follower.step(true).state).toBe("done")
  })

  it("begins at the end, or behind a place, and counts lines from the beginning all the same", () => {
    const text = `${record("a")}\n${record("b")}\n`
    for (const from of ["end", text.length] as const) {
      const { follower, look, write } = begin(text, { from, chunkBytes: 8 })
      expect(look()).toEqual([])
      write(`${record("c")}\n`)
      const items: Array<FollowItem> = []
      for (let step = follower.step(); ; step = follower.step()) {
        items.push(...step.items)
        if (step.state === "waiting") break
      }
      expect(items).toMatchObject([{ record: { line: 3, offset: text.length } }])
    }
    expect(begin(text, { from: 1 }).look()).toEqual(["b"])
  })

  it("that began at the end does not give the past when another file brings it", () => {
    const { disk, look } = begin(`${record("a")}\n`, { from: "end" })
    expect(look()).toEqual([])
    replaceWith(disk, `${record("a", ',"v":5')}\n${record("b")}\n`)
    expect(look()).toEqual(["other-file", "b"])
  })

  it("reads a long line once its newline is there, and looks for it again only when the file has changed", () => {
    const inner = new SimulatedDisk({ [path]: "" })
    let read = 0
    const disk: ReadingDisk = {
      ...bind(inner),
      read: (handle, into, position) => {
        read += into.length
        return inner.read(handle, into, position)
      },
    }
    const follower = new Follower(disk, path, { chunkBytes: 64 })
    const handle: Handle = inner.open(path, "append")
    const line = record("a", `,"n":"${"é".repeat(5_000)}"`)
    inner.write(handle, bytes(line))
    expect(follower.step()).toEqual({ items: [], state: "waiting" })
    const before = read
    expect(follower.step()).toEqual({ items: [], state: "waiting" })
    expect(read - before).toBeLessThan(100)
    inner.write(handle, bytes("\n"))
    const words: Array<string> = []
    for (let step = follower.step(); step.state === "more"; step = follower.step()) words.push(...step.items.map(word))
    expect(words).toEqual(["a"])
  })

  it("holds one chunk of a file however large it is", () => {
    const line = bytes(`${record("a", `,"n":"${"x".repeat(1_000)}"`)}\n`)
    const lines = 30_000
    const disk = virtualDisk(line.length * lines, (into, position) => {
      for (let i = 0; i < into.length; ) {
        const at = (position + i) % line.length
        const part = line.subarray(at, Math.min(line.length, at + into.length - i))
        into.set(part, i)
        i += part.length
      }
    })
    const follower = new Follower(disk, path, { replaced: "all" })
    let records = 0
    let most = 0
    for (let step = follower.step(); step.state === "more"; step = follower.step()) {
      records += step.items.length
      most = Math.max(most, step.items.length)
    }
    expect(records).toBe(lines)
    expect(most).toBeLessThanOrEqual((1 << 20) / line.length + 1)
    follower.close()
    expect(disk.handles()).toBe(0)
  })

  it("fails with a reason, and closes the file, when the disk refuses or the name is no file", () => {
    const { disk, follower, handle } = begin(`${record("a")}\n`)
    follower.step()
    disk.close(handle)
    disk.fail(disk.operations + 1, "EIO")
    expect(() => follower.step()).toThrowError(expect.objectContaining({ code: "read.unreadable" }))
    expect(disk.handles).toBe(0)
    expect(follower.step()).toEqual({ items: [], state: "done" })
    const folder = mkdtempSync(join(tmpdir(), "annals-follow-"))
    writeFileSync(join(folder, "file"), `${record("a")}\n`)
    symlinkSync("file", join(folder, "link"))
    for (const name of ["link", "."]) {
      const other = new Follower(nodeDisk, join(folder, name))
      expect(() => other.step()).toThrowError(expect.objectContaining({ code: "read.not_a_file" }))
    }
    rmSync(folder, { recursive: true })
  })
})

describe("what was handed over", () => {
  const item = (id: string, offset = 0) =>
    ({ _tag: "Record", startsLine: true, record: { value: { id, t: "t" }, raw: id, line: 1, offset, length: 1 } }) as const

  it("is remembered up to a limit; of what was before, the number counts", () => {
    const seen = new Seen(2)
    for (const id of ["a", "b", "c"]) expect(seen.isNew(item(id))).toBe(true)
    seen.again()
    expect(["a", "b", "c", "d"].map((id) => seen.isNew(item(id)))).toEqual([false, false, false, true])
    seen.again()
    expect(["a2", "b2", "c", "d", "e"].map((id) => seen.isNew(item(id)))).toEqual([false, false, false, false, true])
  })
})

describe("a journal followed as a stream", () => {
  it.effect("looks at the file every so often, and ends when the writer has closed it", () =>
    Effect.gen(function* () {
      const { disk, handle, write } = begin(`${record("a")}\n`)
      const closed = yield* Deferred.make<void>()
      const words: Array<string> = []
      let looks = 0
      const lstat: typeof disk.lstat = (name) => {
        looks++
        return disk.lstat(name)
      }
      const following = yield* follow({ ...bind(disk), lstat }, path, { every: "1 second", until: Deferred.await(closed) }).pipe(
        Stream.runForEach((item) => Effect.sync(() => words.push(word(item)))),
        Effect.forkChild,
      )
      yield* TestClock.adjust("3 seconds")
      expect(words).toEqual(["a"])
      looks = 0
      yield* TestClock.adjust("10 seconds")
      expect(looks).toBeGreaterThanOrEqual(8)
      expect(looks).toBeLessThanOrEqual(12)
      write(`${record("b")}\n`)
      yield* TestClock.adjust("3 seconds")
      expect(words).toEqual(["a", "b"])
      write(record("c"))
      yield* TestClock.adjust("1 hour")
      expect(words).toEqual(["a", "b"])
      disk.close(handle)
      yield* Deferred.succeed(closed, undefined)
      yield* Fiber.join(following)
      expect(words).toEqual(["a", "b", "c"])
      expect(disk.handles).toBe(0)
    }),
  )

  it.effect("gives the last of what is there at first, however many chunks that is, and all that comes", () =>
    Effect.gen(function* () {
      const text = ["a", "b", "c"].map((id) => `${record(id)}\n`).join("")
      const wanted = { 0: [], 2: ["b", "c"], 9: ["a", "b", "c"] }
      for (const [last, words] of Object.entries(wanted)) {
        const { disk } = begin(text)
        const options = { last: Number(last), chunkBytes: 50, until: Effect.void }
        expect((yield* Stream.runCollect(follow(disk, path, options))).map(word)).toEqual(words)
      }
      const { disk, write } = begin(text)
      const words: Array<string> = []
      const following = yield* follow(disk, path, { last: 1, chunkBytes: 50, hint: Effect.yieldNow }).pipe(
        Stream.tap((item) => Effect.sync(() => words.push(word(item)) === 1 && write(`${record("d")}\n${record("e")}\n`))),
        Stream.take(3),
        Stream.runDrain,
        Effect.forkChild,
      )
      yield* Fiber.join(following)
      expect(words).toEqual(["c", "d", "e"])
    }),
  )

  it.effect("looks at once when it is told to", () =>
    Effect.gen(function* () {
      const { disk, write } = begin("")
      let told = yield* Deferred.make<void>()
      const hint = Effect.suspend(() => Deferred.await(told))
      const words: Array<string> = []
      yield* follow(disk, path, { every: "1 hour", hint }).pipe(
        Stream.runForEach((item) => Effect.sync(() => words.push(word(item)))),
        Effect.forkChild,
      )
      yield* TestClock.adjust("1 second")
      write(`${record("a")}\n`)
      const before = told
      told = yield* Deferred.make<void>()
      yield* Deferred.succeed(before, undefined)
      yield* TestClock.adjust("1 second")
      expect(words).toEqual(["a"])
    }),
  )

  it.effect("is left by who takes no more or is interrupted, and the file is closed", () =>
    Effect.gen(function* () {
      const { disk, handle } = begin(`${record("a")}\n${record("b")}\n`)
      disk.close(handle)
      const [first] = yield* Stream.runCollect(Stream.take(follow(disk, path), 1))
      expect(first && word(first)).toBe("a")
      expect(disk.handles).toBe(0)
      const following = yield* Effect.forkChild(Stream.runDrain(follow(disk, path)))
      yield* TestClock.adjust("1 second")
      expect(disk.handles).toBe(1)
      yield* Fiber.interrupt(following)
      expect(disk.handles).toBe(0)
    }),
  )

  it.effect("may be followed by any number of readers", () =>
    Effect.gen(function* () {
      const { disk, write } = begin("")
      const readers = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.forkChild(Stream.runCollect(Stream.take(follow(disk, path), 3))),
      )
      yield* TestClock.adjust("1 second")
      for (const id of ["a", "b", "c"]) {
        write(`${record(id)}\n`)
        yield* TestClock.adjust("1 second")
      }
      const seen = yield* Effect.forEach(readers, Fiber.join)
      for (const items of seen) expect(items.map(word)).toEqual(["a", "b", "c"])
    }),
  )

  it.effect("fails with a typed reason", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [`${path}/x`]: "" })
      const error = yield* Effect.flip(Stream.runDrain(follow(disk, path)))
      expect(error.code).toBe("read.not_a_file")
    }),
  )
})
