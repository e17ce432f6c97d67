import * as fs from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Lease } from "../../src/lease/Lease.ts"
import { Bench, killed, withLocks, withoutLocks } from "./Bench.ts"

let bench = new Bench()
beforeEach(() => {
  bench = new Bench()
})
afterEach(() => bench.clear())

const reasonOf = async (effect: Effect.Effect<unknown, unknown>): Promise<unknown> => {
  const error = await Effect.runPromise(Effect.flip(effect))
  return typeof error === "object" && error !== null && "reason" in error ? error.reason : error
}

/** Everything in the folder: names, inodes, sizes, times and bytes. */
const image = () =>
  fs.readdirSync(bench.root).map((name) => {
    const { ino, size, mtimeNs, ctimeNs } = fs.lstatSync(join(bench.root, name), { bigint: true })
    // The bytes of a lock are not read: closing its descriptor would free it.
    return [name, ino, size, mtimeNs, ctimeNs, name.endsWith(".lock") ? "" : fs.readFileSync(join(bench.root, name), "utf8")]
  })

describe.each([
  ["with locks", withLocks, []],
  ["without locks", withoutLocks, ["none"]],
])("handing over, %s", (_, layer, args) => {
  test("the other process gets it once it is released, and nobody else in between", async () => {
    const held = await bench.mustTake(layer)
    const { attempt, until } = await Effect.runPromise(held.offer())
    expect((await bench.another([args[0] ?? "locks", attempt])).said).toMatchObject({ code: "lease.held" })
    await Effect.runPromise(held.release)
    expect(await bench.take(layer)).toEqual({ _tag: "Offered", code: "lease.offered", path: bench.path, until })
    expect(await bench.inspect(layer)).toMatchObject({ decision: { obstacle: "offered-elsewhere" }, offeredUntil: until })
    const next = await bench.another([args[0] ?? "locks", attempt])
    expect(next.said).toEqual({ held: true })
    expect(bench.evidence).toMatchObject({ attempt, pid: next.child.pid })
    expect(bench.evidence).not.toHaveProperty("offer")
    await killed(next.child)
    expect(await bench.take(layer, { offer: attempt })).toMatchObject({ code: "lease.not_offered" })
    await bench.mustTake(layer)
  })

  test("an offer that has passed keeps nobody away", async () => {
    const held = await bench.mustTake(layer)
    const { attempt } = await Effect.runPromise(held.offer({ millis: 0 }))
    await Effect.runPromise(held.release)
    expect((await bench.mustTake(layer)).attempt).not.toBe(attempt)
  })

  test("a person may set an offer aside", async () => {
    const held = await bench.mustTake(layer)
    const { attempt } = await Effect.runPromise(held.offer())
    await Effect.runPromise(held.release)
    await bench.mustTake(layer, { force: { reason: "it never came" } })
    expect(bench.evidence).toMatchObject({ forced: { why: "offered-elsewhere", from: { attempt: held.attempt } } })
    expect(await bench.take(layer, { offer: attempt })).toMatchObject({
      code: expect.stringMatching(/^lease\.(held|not_offered)$/),
    })
  })

  test("the name of an acquisition that a child inherits gives it nothing", async () => {
    const held = await bench.mustTake(layer)
    expect((await bench.another([args[0] ?? "locks", held.attempt])).said).toMatchObject({ code: "lease.held" })
    await Effect.runPromise(held.release)
    expect((await bench.another([args[0] ?? "locks", held.attempt])).said).toMatchObject({ code: "lease.not_offered" })
    await Effect.runPromise((await bench.mustTake(layer)).verify)
  })
})

test("in memory a lease is handed over as well", async () => {
  const story = Effect.gen(function* () {
    const lease = yield* Lease
    const first = yield* lease.acquire("/s")
    const { attempt } = yield* first.offer()
    yield* first.release
    expect((yield* Effect.flip(lease.acquire("/s"))).reason.code).toBe("lease.offered")
    const second = yield* lease.acquire("/s", { offer: attempt })
    yield* second.verify
    expect((yield* lease.inspect("/s")).decision).toEqual({ may: false, obstacle: "locked", forcible: false })
    expect((yield* Effect.flip(first.verify)).reason.code).toBe("lease.lost")
  })
  await Effect.runPromise(Effect.scoped(story).pipe(Effect.provide(Lease.layerMemory)))
})

describe("a lock file that somebody removes or replaces", () => {
  test.each([
    ["removed", () => {}],
    ["replaced by a directory", (lock: string) => fs.mkdirSync(lock)],
    ["replaced by another file", (lock: string) => fs.writeFileSync(lock, "")],
    ["replaced by a link", (lock: string) => fs.symlinkSync("/dev/null", lock)],
  ])("%s: its owner is told, and nobody else gets the lease while the owner lives", async (_, put) => {
    const held = await bench.mustTake(withLocks)
    await Effect.runPromise(held.verify)
    fs.renameSync(bench.lock, join(bench.root, "aside"))
    put(bench.lock)
    expect(await reasonOf(held.verify)).toMatchObject({ code: "lease.lost", how: "lock-replaced" })
    expect((await bench.another()).said).toMatchObject({ code: expect.stringMatching(/^lease\.(held|unavailable)$/) })
    await Effect.runPromise(held.release)
    fs.rmSync(bench.lock, { recursive: true, force: true })
    expect((await bench.another()).said).toEqual({ held: true })
  })

  test("evidence that is torn or gone under a lock that stands harms nobody", async () => {
    const held = await bench.mustTake(withLocks)
    bench.putEvidence(1, '{"v":1,')
    await Effect.runPromise(held.verify)
    expect((await bench.another()).said).toMatchObject({ code: "lease.held", obstacle: "locked" })
    fs.rmSync(join(bench.root, ".s.jsonl.owner.1.json"))
    await Effect.runPromise(held.verify)
    await Effect.runPromise(held.release)
    expect((await bench.another()).said).toEqual({ held: true })
  })
})

describe("looking", () => {
  test("changes nothing and tells who holds a session, or that it is free", async () => {
    expect(await bench.inspect(withLocks)).toEqual({
      ...{ path: bench.path, decision: { may: true, ground: "unclaimed" }, owner: undefined, offeredUntil: undefined },
    })
    expect(bench.names).toEqual([])
    const { child } = await bench.another()
    const before = image()
    expect(await bench.inspect(withLocks)).toMatchObject({
      decision: { may: false, obstacle: "locked", forcible: false },
      owner: { pid: child.pid, self: false },
    })
    expect(image()).toEqual(before)
    await killed(child)
    expect(await bench.inspect(withLocks)).toMatchObject({
      decision: { may: true, ground: "lock-freed" },
      owner: { pid: child.pid },
    })
    expect(image()).toEqual(before)
  })

  test("does not weaken the lease of this process", async () => {
    const held = await bench.mustTake(withLocks)
    for (let n = 0; n < 3; n++)
      expect(await bench.inspect(withLocks)).toMatchObject({ decision: { obstacle: "locked" }, owner: { self: true } })
    expect((await bench.another()).said).toMatchObject({ code: "lease.held" })
    await Effect.runPromise(held.release)
    expect(await bench.inspect(withLocks)).toMatchObject({
      decision: { ground: "released" },
      owner: { released: expect.any(String) },
    })
  })

  test("a file in the place of the lock is told as such", async () => {
    fs.mkdirSync(bench.lock)
    const asked = Lease.use((lease) => lease.inspect(bench.path)).pipe(Effect.provide(withLocks))
    expect(await reasonOf(asked)).toMatchObject({ code: "lease.unavailable", system: "ENOTREG" })
  })
})
