import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import { hostname, tmpdir } from "node:os"
import { basename, join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Lease } from "../../src/lease/Lease.ts"
import type { LeaseReason } from "../../src/lease/LeaseError.ts"
import type { LeaseHeld } from "../../src/lease/Taking.ts"

let root = ""
let path = ""
const children: Array<ChildProcess> = []
const scopes: Array<Scope.Closeable> = []

beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "annals-lease-"))
  path = join(root, "session.jsonl")
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
  for (const scope of scopes.splice(0)) await Effect.runPromise(Scope.close(scope, Exit.void))
  fs.rmSync(root, { recursive: true, force: true })
})

type Taken = { readonly held: LeaseHeld; readonly scope: Scope.Closeable } | LeaseReason

const files = Lease.layerFile({ clean: (text) => text.replaceAll(hostname(), "<host>") })

const take = async (which: string, layer = files): Promise<Taken> => {
  const scope = Scope.makeUnsafe()
  scopes.push(scope)
  const acquire = Lease.use((lease) => lease.acquire(which)).pipe(Scope.provide(scope), Effect.provide(layer), Effect.result)
  const result = await Effect.runPromise(acquire)
  return Result.isSuccess(result) ? { held: result.success, scope } : result.failure.reason
}

const mustTake = async (which: string): Promise<{ readonly held: LeaseHeld; readonly scope: Scope.Closeable }> => {
  const taken = await take(which)
  if ("held" in taken) return taken
  throw new Error(`not taken: ${JSON.stringify(taken)}`)
}

/** Starts another process that takes the lease, and says what became of it. */
const another = async (): Promise<{ readonly child: ChildProcess; readonly said: Record<string, unknown> }> => {
  const script = fileURLToPath(new URL("./holder.ts", import.meta.url))
  const child = spawn(process.execPath, [script, path], { stdio: ["pipe", "pipe", "inherit"] })
  children.push(child)
  if (child.stdout === null) throw new Error("no output")
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  return { child, said: JSON.parse(String(line.value)) }
}

const killed = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })

/** The names of the evidence beside the session, and what the last one says. */
const evidenceNames = () => fs.readdirSync(root).filter((name) => name.startsWith(".session.jsonl.owner."))
const evidence = () => JSON.parse(fs.readFileSync(join(root, evidenceNames().at(-1) ?? "none"), "utf8"))

describe("within one process", () => {
  test("a second opening is refused, told that it is this process, and possible again after the release", async () => {
    const first = await mustTake(path)
    expect(await take(path)).toEqual({
      _tag: "Held",
      code: "lease.held",
      path,
      owner: { pid: process.pid, since: evidence().since, host: "<host>", self: true },
      obstacle: "locked",
      forcible: false,
    })
    await Effect.runPromise(first.held.release)
    await mustTake(path)
  })

  test("a refused opening does not weaken the lease that stands", async () => {
    await mustTake(path)
    for (let i = 0; i < 5; i++) expect(await take(path)).toMatchObject({ code: "lease.held" })
    expect((await another()).said).toMatchObject({ code: "lease.held", owner: { self: false } })
  })

  test("other spellings of the path are the same session", async () => {
    await mustTake(path)
    fs.mkdirSync(join(root, "below"))
    fs.symlinkSync(root, join(root, "below", "back"))
    expect(await take(join(root, "below", "back", "session.jsonl"))).toMatchObject({ code: "lease.held" })
    expect(await take(join(root, "other.jsonl"))).toHaveProperty("held")
  })

  test("the end of the scope is a release", async () => {
    const first = await mustTake(path)
    await Effect.runPromise(Scope.close(first.scope, Exit.void))
    expect(evidence().released).toBeDefined()
    await mustTake(path)
  })

  test("a release says so in the evidence, and a second one does nothing to the next owner", async () => {
    const first = await mustTake(path)
    await Effect.runPromise(first.held.release)
    expect(evidence()).toMatchObject({ attempt: first.held.attempt, released: expect.any(String) })
    const second = await mustTake(path)
    await Effect.runPromise(first.held.release)
    await Effect.runPromise(Scope.close(first.scope, Exit.void))
    expect(evidence()).toMatchObject({ attempt: second.held.attempt })
    expect(evidence().released).toBeUndefined()
    expect((await another()).said).toMatchObject({ code: "lease.held" })
  })
})

describe("between processes", () => {
  test("the other process is refused and told who holds the lease", async () => {
    await mustTake(path)
    const { said } = await another()
    expect(said).toMatchObject({ _tag: "Held", code: "lease.held", path, owner: { pid: process.pid, self: false } })
  })

  test("the lease of a process that was killed is free at once", async () => {
    const { child, said } = await another()
    expect(said).toEqual({ held: true })
    expect(await take(path)).toMatchObject({ code: "lease.held", owner: { pid: child.pid, self: false } })
    await killed(child)
    const taken = await mustTake(path)
    expect(evidence()).toMatchObject({ attempt: taken.held.attempt, pid: process.pid })
  })

  test("a stopped process keeps its lease", async () => {
    const { child } = await another()
    child.kill("SIGSTOP")
    expect(await take(path)).toMatchObject({ code: "lease.held", owner: { pid: child.pid } })
  })

  test("of many processes that start at once exactly one gets the lease", async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => another()))
    expect(all.filter(({ said }) => said["held"] === true)).toHaveLength(1)
    expect(all.filter(({ said }) => said["code"] === "lease.held")).toHaveLength(3)
  })
})

describe("the files beside the session", () => {
  test("are the lock and the evidence, readable by the owner alone, and nothing else", async () => {
    const { held } = await mustTake(path)
    const names = [".session.jsonl.lock", ".session.jsonl.owner.1.json"]
    expect(fs.readdirSync(root).sort()).toEqual(names)
    expect(names.map((name) => fs.statSync(join(root, name)).mode & 0o777)).toEqual([0o600, 0o600])
    await Effect.runPromise(held.release)
    expect(fs.readdirSync(root).sort()).toEqual(names)
  })

  test("hold the identity of the process and no uncleaned host", async () => {
    const { held } = await mustTake(path)
    expect(evidence()).toEqual({
      v: 1,
      attempt: held.attempt,
      pid: process.pid,
      startTicks: expect.stringMatching(/^\d+$/),
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      pidNs: expect.stringMatching(/^pid:\[\d+\]$/),
      timeNs: expect.stringMatching(/^time:\[\d+\]$/),
      machine: expect.toSatisfy((it) => it === null || /^[0-9a-f]{32}$/.test(it)),
      host: "<host>",
      isolate: expect.stringMatching(/^[0-9a-f-]{36}$/),
      since: expect.stringMatching(/^\d{4}-.*Z$/),
      lock: `${fs.statSync(join(root, ".session.jsonl.lock")).ino}`,
    })
  })

  test("the lock file stays the same file for ever", async () => {
    const inode = () => fs.statSync(join(root, ".session.jsonl.lock")).ino
    const first = await mustTake(path)
    const before = inode()
    await Effect.runPromise(first.held.release)
    await mustTake(path)
    expect(inode()).toBe(before)
  })

  test("what dead owners left half-written and what earlier owners left is swept, and unreadable evidence hinders nobody", async () => {
    fs.writeFileSync(join(root, ".session.jsonl.owner.x.tmp"), '{"v":1,')
    fs.writeFileSync(join(root, ".session.jsonl.owner.2.json"), "earlier")
    fs.writeFileSync(join(root, ".session.jsonl.owner.3.json"), "x".repeat(100_000))
    await mustTake(path)
    expect(fs.readdirSync(root).sort()).toEqual([".session.jsonl.lock", ".session.jsonl.owner.4.json"])
    fs.writeFileSync(join(root, ".session.jsonl.owner.4.json"), '{"v":1,"pid"')
    expect(await take(path)).toMatchObject({ code: "lease.held", owner: undefined })
  })

  test.each([
    ["a link", (file: string) => fs.symlinkSync(join(root, "precious"), file)],
    ["a dangling link", (file: string) => fs.symlinkSync(join(root, "none"), file)],
    ["a directory", (file: string) => fs.mkdirSync(file)],
    ["a pipe", (file: string) => void execFileSync("mkfifo", [file])],
    ["an empty file", (file: string) => fs.writeFileSync(file, "")],
    ["a gigabyte", (file: string) => void execFileSync("truncate", ["-s", "1G", file])],
  ])("evidence that is %s is not followed, not read and no obstacle under the lock", async (_, put) => {
    fs.writeFileSync(join(root, "precious"), "kept")
    put(join(root, ".session.jsonl.owner.1.json"))
    await mustTake(path)
    expect(fs.readFileSync(join(root, "precious"), "utf8")).toBe("kept")
    expect(fs.readFileSync(join(root, ".session.jsonl.owner.2.json"), "utf8")).toContain(`"pid":${process.pid},`)
  })
})

describe("where no lock can be made", () => {
  test("a missing directory", async () => {
    expect(await take(join(root, "none", "session.jsonl"))).toMatchObject({
      _tag: "Unavailable",
      code: "lease.unavailable",
      system: "ENOENT",
    })
  })

  test.each([
    ["a link", (lock: string) => fs.symlinkSync("/dev/null", lock), "ENOTREG"],
    ["a directory", (lock: string) => fs.mkdirSync(lock), "ENOTREG"],
    ["a pipe", (lock: string) => void execFileSync("mkfifo", [lock]), "ENOTREG"],
    ["another program's file", (lock: string) => fs.writeFileSync(lock, "theirs ".repeat(1000)), "file is not a database"],
  ])("%s in the place of the lock, which is left alone", async (_, put, system) => {
    const lock = join(root, ".session.jsonl.lock")
    put(lock)
    const before = fs.lstatSync(lock, { bigint: true })
    expect(await take(path)).toEqual({ _tag: "Unavailable", code: "lease.unavailable", path, system })
    expect(fs.lstatSync(lock, { bigint: true })).toMatchObject({ ino: before.ino, size: before.size, mtimeNs: before.mtimeNs })
  })

  test("evidence that cannot be written gives the lock back", async () => {
    // The longest name for which the lock's temporary name fits into 255 bytes: that of the evidence does not.
    const long = join(root, "s".repeat(255 - "..lock.".length - 36 - ".tmp".length))
    expect(await take(long)).toMatchObject({ code: "lease.unavailable", system: "ENAMETOOLONG" })
    const database = new DatabaseSync(join(root, `.${basename(long)}.lock`))
    database.exec("BEGIN EXCLUSIVE")
    database.close()
  })

  test("a read-only directory", async () => {
    const userless = process.getuid?.() === 0
    fs.chmodSync(root, 0o500)
    const taken = await take(path)
    fs.chmodSync(root, 0o700)
    // The superuser may write everywhere.
    if (userless) expect(taken).toHaveProperty("held")
    else expect(taken).toMatchObject({ code: "lease.unavailable", system: "EACCES" })
  })
})

describe("in memory", () => {
  test("a second opening is refused until the first ends, and two layers know nothing of each other", async () => {
    const scope = Scope.makeUnsafe()
    scopes.push(scope)
    const story = Effect.gen(function* () {
      const lease = yield* Lease
      const first = yield* lease.acquire("/s/one")
      const refused = yield* Effect.flip(lease.acquire("/s/../s/one"))
      expect(refused.reason).toMatchObject({ code: "lease.held", owner: { pid: process.pid, self: true } })
      yield* lease.acquire("/s/two")
      yield* first.release
      const second = yield* lease.acquire("/s/one")
      yield* first.release
      expect((yield* Effect.flip(lease.acquire("/s/one"))).reason._tag).toBe("Held")
      return second.attempt !== first.attempt
    })
    expect(await Effect.runPromise(story.pipe(Scope.provide(scope), Effect.provide(Lease.layerMemory)))).toBe(true)
    expect(await take("/s/one", Lease.layerMemory)).toHaveProperty("held")
  })
})
