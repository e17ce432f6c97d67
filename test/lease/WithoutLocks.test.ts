import * as fs from "node:fs"
import * as sqlite from "node:sqlite"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { tryLocks } from "../../src/lease/KernelLock.ts"
import { Lease } from "../../src/lease/Lease.ts"
import type { LockRefusal, Locks } from "../../src/lease/Locks.ts"
import { sqliteLocks } from "../../src/lease/SqliteLocks.ts"
import { Bench, killed, withLocks, withoutLocks } from "./Bench.ts"

let bench = new Bench()
beforeEach(() => {
  bench = new Bench()
})
afterEach(() => bench.clear())

type Taken = ReturnType<Locks["take"]>

const done: Taken = Result.succeed({ close: () => {} })
const refused = (refusal: LockRefusal): Result.Result<never, LockRefusal> => Result.fail(refusal)
const busy = refused({ _tag: "Busy" })
const unsupported = refused({ _tag: "Unsupported", system: "ENOLCK" })
const unavailable = refused({ _tag: "Unavailable", system: "EMFILE" })

/** Locks that answer one after the other. */
const answering = (...answers: ReadonlyArray<Taken>): Locks => {
  let at = 0
  return { take: () => answers[at++] ?? done, isFree: () => Result.succeed(true) }
}

describe("whether locks work", () => {
  test("here they do", () => {
    expect(tryLocks(sqliteLocks(sqlite), bench.root, "t")).toEqual(Result.succeed(true))
    expect(bench.names).toEqual([])
  })

  test.each<[string, Locks, ReturnType<typeof tryLocks>]>([
    ["refused to the first", answering(unsupported), Result.succeed(false)],
    ["refused to the first as if somebody had it", answering(busy), Result.succeed(false)],
    ["granted to both", answering(done, done), Result.succeed(false)],
    ["refused to the second without being held", answering(done, unsupported), Result.succeed(false)],
    ["not given back", answering(done, busy, busy), Result.succeed(false)],
    ["out of descriptors", answering(unavailable), Result.fail({ _tag: "Unavailable", system: "EMFILE" })],
    ["out of descriptors then", answering(done, unavailable), Result.fail({ _tag: "Unavailable", system: "EMFILE" })],
  ])("a lock that is %s", (_, take, answer) => {
    expect(tryLocks(take, bench.root, "t")).toEqual(answer)
    expect(bench.names).toEqual([])
  })

  test("is asked once for a file system, and asked again when there was no answer", async () => {
    let asked = 0
    const layer = Lease.layerFile({
      clean: (text) => text,
      locks: {
        take: () => {
          asked++
          return asked === 1 ? unavailable : unsupported
        },
        isFree: () => unsupported,
      },
    })
    const story = Effect.gen(function* () {
      const lease = yield* Lease
      const first = yield* Effect.flip(lease.acquire(bench.path))
      expect(first.reason).toMatchObject({ code: "lease.unavailable", system: "EMFILE" })
      yield* (yield* lease.acquire(bench.path)).release
      yield* (yield* lease.acquire(bench.path)).release
    })
    await Effect.runPromise(Effect.scoped(story).pipe(Effect.provide(layer)))
    expect(asked).toBe(2)
  })
})

describe("without locks", () => {
  test("the evidence is the lease, and there is no lock file", async () => {
    const held = await bench.mustTake(withoutLocks)
    expect(bench.names).toEqual([".s.jsonl.owner.1.json"])
    expect(bench.evidence).toMatchObject({ attempt: held.attempt, lock: null })
    expect(await bench.take(withoutLocks)).toMatchObject({
      _tag: "Held",
      obstacle: "owner-here",
      forcible: false,
      owner: { self: true },
    })
    await Effect.runPromise(held.release)
    await bench.mustTake(withoutLocks)
    await expect(Effect.runPromise(held.verify)).rejects.toMatchObject({ reason: { _tag: "Lost", how: "released" } })
  })

  test("the evidence before the last stays, and no earlier one", async () => {
    for (let n = 0; n < 4; n++) await Effect.runPromise((await bench.mustTake(withoutLocks)).release)
    expect(bench.names).toEqual([".s.jsonl.owner.3.json", ".s.jsonl.owner.4.json"])
  })

  test("of many at once in this process exactly one gets the lease", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => bench.take(withoutLocks)))
    expect(all.filter((each) => "attempt" in each)).toHaveLength(1)
  })

  test("of many processes at once exactly one gets the lease, and it is free when that one was killed", async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => bench.another(["none"])))
    const winners = all.filter(({ said }) => said["held"] === true)
    expect(winners).toHaveLength(1)
    expect(all.filter(({ said }) => said["code"] === "lease.held")).toHaveLength(3)
    const winner = winners[0]?.child
    if (winner === undefined) throw new Error("nobody won")
    winner.kill("SIGSTOP")
    expect(await bench.take(withoutLocks)).toMatchObject({ owner: { pid: winner.pid }, forcible: false })
    expect(await bench.take(withoutLocks, { force: { reason: "it is stopped" } })).toMatchObject({ code: "lease.held" })
    await killed(winner)
    await bench.mustTake(withoutLocks)
  })

  test("whoever has locks leaves alone one that has none, and the other way round", async () => {
    const held = await bench.mustTake(withoutLocks)
    expect(await bench.take(withLocks)).toMatchObject({ _tag: "Held", obstacle: "owner-here" })
    expect((await bench.another([])).said).toMatchObject({ _tag: "Held", obstacle: "owner-running" })
    await Effect.runPromise(held.release)
    await bench.mustTake(withLocks)
    expect((await bench.another(["none"])).said).toMatchObject({ _tag: "Held", obstacle: "owner-running" })
  })
})

describe("an owner that cannot be seen", () => {
  const foreign = {
    ...{ v: 1, attempt: "theirs", pid: 1, startTicks: "7", bootId: "elsewhere", pidNs: "pid:[1]", host: "nas" },
    ...{ isolate: "other", since: "2020-01-01T00:00:00.000Z", lock: null },
  }

  test("keeps its lease, until a person takes it by force, which is written down without secrets and goes on", async () => {
    bench.putEvidence(3, JSON.stringify(foreign))
    const expected = {
      code: "lease.held",
      obstacle: "owner-other-host",
      forcible: true,
      owner: { pid: 1, host: "nas", self: false },
    }
    expect(await bench.take(withoutLocks)).toMatchObject(expected)
    expect(await bench.take(withLocks)).toMatchObject(expected)
    const held = await bench.mustTake(withoutLocks, { force: { reason: "the nas is off, password hunter2", by: "ada" } })
    const forced = {
      ...{ at: expect.stringMatching(/Z$/), by: "ada", reason: "the nas is off, password <secret>", why: "owner-other-host" },
      from: { attempt: "theirs", pid: 1, host: "nas", since: foreign.since },
    }
    expect(bench.evidence).toMatchObject({ attempt: held.attempt, forced })
    expect((await bench.inspect(withoutLocks)).owner).toMatchObject({ self: true, forced })
    await Effect.runPromise(held.release)
    await bench.mustTake(withoutLocks)
    expect(bench.evidence).toMatchObject({ forced })
  })

  test("nothing is called forced that was free", async () => {
    await bench.mustTake(withoutLocks, { force: { reason: "to be sure" } })
    expect(bench.evidence).not.toHaveProperty("forced")
  })

  test("who has lost the lease to force is told so, and its release changes nothing", async () => {
    const mine = await bench.mustTake(withoutLocks)
    bench.putEvidence(2, JSON.stringify(foreign))
    await expect(Effect.runPromise(mine.verify)).rejects.toMatchObject({ reason: { code: "lease.lost", how: "taken" } })
    await expect(Effect.runPromise(mine.offer())).rejects.toMatchObject({ reason: { code: "lease.lost" } })
    await Effect.runPromise(mine.release)
    expect(bench.evidence).toEqual(foreign)
  })

  test.each([
    ["torn", '{"v":1,"pid"'],
    ["empty", ""],
    ["of a later version", JSON.stringify({ ...foreign, v: 2 })],
    ["too long", JSON.stringify({ ...foreign, more: "x".repeat(20_000) })],
  ])("evidence that is %s could be of one that lives", async (_, text) => {
    bench.putEvidence(1, text)
    expect(await bench.take(withoutLocks)).toMatchObject({ obstacle: "evidence-unreadable", forcible: true, owner: undefined })
    await bench.mustTake(withoutLocks, { force: { reason: "I know" } })
    expect(bench.evidence).toMatchObject({ forced: { from: null, why: "evidence-unreadable" } })
  })

  test("evidence that was removed under the hands of its owner is missed by it", async () => {
    const held = await bench.mustTake(withoutLocks)
    fs.rmSync(`${bench.root}/.s.jsonl.owner.1.json`)
    await expect(Effect.runPromise(held.verify)).rejects.toMatchObject({ reason: { how: "evidence-gone" } })
    await Effect.runPromise(held.release)
    expect(bench.names).toEqual([])
  })

  test("a lock without evidence could be of one that is about to say who it is", async () => {
    new DatabaseSync(bench.lock).close()
    fs.writeFileSync(bench.lock, "")
    expect(await bench.take(withoutLocks)).toMatchObject({ obstacle: "evidence-missing", forcible: true })
  })
})
