import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as sqlite from "node:sqlite"
import { fileURLToPath } from "node:url"
import * as Result from "effect/Result"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { loadNative } from "../../src/disk/KoffiPort.ts"
import type { Locks } from "../../src/lease/Locks.ts"
import { nativeLocks } from "../../src/lease/NativeLocks.ts"
import { sqliteLocks } from "../../src/lease/SqliteLocks.ts"
import { killed } from "./Bench.ts"

let root = ""
let path = ""
const children: Array<ChildProcess> = []
const open: Array<{ readonly close: () => void }> = []
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "annals-locks-"))
  path = join(root, "lock")
  fs.writeFileSync(path, "", { mode: 0o600 })
})
afterEach(() => {
  for (const lock of open.splice(0)) lock.close()
  for (const child of children.splice(0)) child.kill("SIGKILL")
  fs.rmSync(root, { recursive: true, force: true })
})

const ways = { sqlite: sqliteLocks(sqlite), native: nativeLocks(await loadNative()) }
type Name = keyof typeof ways
const pairs: ReadonlyArray<readonly [Name, Name]> = [
  ["sqlite", "sqlite"],
  ["native", "native"],
  ["sqlite", "native"],
  ["native", "sqlite"],
]

const busy = Result.fail({ _tag: "Busy" })
const mustTake = (locks: Locks): { readonly close: () => void } => {
  const lock = Result.getOrThrow(locks.take(path))
  open.push(lock)
  return lock
}
const release = (lock: { readonly close: () => void }): void => {
  open.splice(open.indexOf(lock), 1)
  lock.close()
}

/** A process that holds the lock. */
const holder = async (way: Name): Promise<ChildProcess> => {
  const script = fileURLToPath(new URL("./lockHolder.ts", import.meta.url))
  const child = spawn(process.execPath, [script, way, path], { stdio: ["pipe", "pipe", "inherit"] })
  children.push(child)
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  expect(line.value).toBe("held")
  return child
}

describe.each(pairs)("one with %s and one with %s", (first, second) => {
  const one = ways[first]
  const other = ways[second]

  test("exclude each other in one process, until the lock is given back", () => {
    const lock = mustTake(one)
    expect(other.take(path)).toEqual(busy)
    expect(other.isFree(path)).toEqual(Result.succeed(false))
    release(lock)
    expect(other.isFree(path)).toEqual(Result.succeed(true))
    release(mustTake(other))
  })

  test("leave the lock where it is, however often the other asks for it and looks at it", async () => {
    mustTake(one)
    for (let n = 0; n < 3; n++) {
      expect(other.take(path)).toEqual(busy)
      expect(other.isFree(path)).toEqual(Result.succeed(false))
    }
    // Another process would get a lock that was lost meanwhile; this one might still refuse it to itself.
    const script = fileURLToPath(new URL("./lockHolder.ts", import.meta.url))
    const child = spawn(process.execPath, [script, second, path], { stdio: ["pipe", "pipe", "inherit"] })
    children.push(child)
    const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    expect(line.value).toBe("Busy")
  })

  test("exclude each other between processes, and the lock of a killed one is free", async () => {
    const child = await holder(first)
    expect(other.take(path)).toEqual(busy)
    expect(other.isFree(path)).toEqual(Result.succeed(false))
    await killed(child)
    expect(other.isFree(path)).toEqual(Result.succeed(true))
    mustTake(other)
    expect(one.take(path)).toEqual(busy)
  })

  test("a process that looks does not keep the other from taking", () => {
    expect(one.isFree(path)).toEqual(Result.succeed(true))
    release(mustTake(other))
    expect(fs.statSync(path).size).toBe(0)
    expect(fs.readdirSync(root)).toEqual(["lock"])
  })
})

test("a native lock outlives the closing of another descriptor of its file, which one of SQLite does not", async () => {
  for (const way of ["native", "sqlite"] as const) {
    const lock = mustTake(ways[way])
    fs.closeSync(fs.openSync(path, "r"))
    const script = fileURLToPath(new URL("./lockHolder.ts", import.meta.url))
    const child = spawn(process.execPath, [script, "native", path], { stdio: ["pipe", "pipe", "inherit"] })
    children.push(child)
    const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    expect(line.value).toBe(way === "native" ? "Busy" : "held")
    await killed(child)
    release(lock)
  }
})

test.each(Object.entries(ways))("what is no file has no lock, %s", (_, locks) => {
  expect(Result.isFailure(locks.take(join(root, "none", "lock")))).toBe(true)
  fs.symlinkSync(path, join(root, "link"))
  if (_ === "native") expect(locks.take(join(root, "link"))).toEqual(Result.fail({ _tag: "Unavailable", system: "ELOOP" }))
})

describe("locks of SQLite that share connections", () => {
  const files = (count: number): ReadonlyArray<string> =>
    Array.from({ length: count }, (_, n) => {
      const file = join(root, `it's ${n}`)
      fs.writeFileSync(file, "", { mode: 0o600 })
      return file
    })

  /** Which files are locked, as the other way to lock sees it from another process's point of view. */
  const lockedOf = (all: ReadonlyArray<string>): ReadonlyArray<string> =>
    all.filter((file) => !Result.getOrThrow(ways.native.isFree(file)))

  test("are held and given back each for itself, and leave their files empty", () => {
    const all = files(25)
    const locks = all.map((file) => Result.getOrThrow(ways.sqlite.take(file)))
    expect(lockedOf(all)).toEqual(all)
    for (const [n, lock] of locks.entries()) {
      lock.close()
      expect(lockedOf(all)).toEqual(all.slice(n + 1))
    }
    expect(all.map((file) => fs.statSync(file).size)).toEqual(all.map(() => 0))
    expect(fs.readdirSync(root).toSorted()).toEqual(["lock", ...all.map((file) => file.slice(root.length + 1))].toSorted())
  })

  test("are not touched by one that is refused beside them, or that cannot be had at all", () => {
    const all = files(3)
    const [first = "", second = "", third = ""] = all
    const native = Result.getOrThrow(ways.native.take(second))
    open.push(native, Result.getOrThrow(ways.sqlite.take(first)))
    expect(ways.sqlite.take(second)).toEqual(busy)
    expect(ways.sqlite.take(first)).toEqual(busy)
    expect(ways.sqlite.take(join(root, "missing", "lock"))).toMatchObject({ failure: { _tag: "Unavailable" } })
    fs.mkdirSync(join(root, "folder"))
    expect(ways.sqlite.take(join(root, "folder"))).toMatchObject({ failure: { _tag: "Unavailable" } })
    open.push(Result.getOrThrow(ways.sqlite.take(third)))
    expect(lockedOf(all)).toEqual(all)
    release(native)
    open.push(Result.getOrThrow(ways.sqlite.take(second)))
    expect(lockedOf(all)).toEqual(all)
  })

  test("leave nothing of one that was refused because somebody reads", () => {
    const [beside = "", file = ""] = files(2)
    open.push(Result.getOrThrow(ways.sqlite.take(beside)))
    const reader = new sqlite.DatabaseSync(file, { readOnly: true })
    reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema")
    expect(ways.sqlite.take(file)).toEqual(busy)
    reader.close()
    expect(lockedOf([beside, file])).toEqual([beside])
  })

  test("are given again to others, more often than there is room", () => {
    const all = files(12)
    for (const file of [...all, ...all]) Result.getOrThrow(ways.sqlite.take(file)).close()
    for (const file of all) open.push(Result.getOrThrow(ways.sqlite.take(file)))
    expect(lockedOf(all)).toEqual(all)
  })
})
