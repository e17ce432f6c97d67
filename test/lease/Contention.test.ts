import { execFileSync, spawnSync } from "node:child_process"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Bench, killed, withLocks, withoutLocks } from "./Bench.ts"
import { contend } from "./contention.ts"
import { layerFor } from "./Ways.ts"

let bench = new Bench()
const threads: Array<Worker> = []
beforeEach(() => {
  bench = new Bench()
})
afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()))
  await bench.clear()
})

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

test("eight processes lock, append and unlock by turns, and no number is lost or written twice", async () => {
  expect(await contend(8, 6, ["locks"])).toEqual(numbers(48))
})

test("so do processes with the native locks beside some with those of SQLite", async () => {
  expect(await contend(6, 6, ["native", "locks"])).toEqual(numbers(36))
})

test("so do three without locks", async () => {
  expect(await contend(3, 6, ["none"])).toEqual(numbers(18))
})

const isolate = async (locks: string): Promise<{ readonly thread: Worker; readonly said: unknown }> => {
  const thread = new Worker(new URL("./isolate.ts", import.meta.url), { workerData: { path: bench.path, locks } })
  threads.push(thread)
  return { thread, said: await new Promise((resolve) => thread.once("message", resolve)) }
}

describe.each([
  ["locks", "locks", "locked"],
  ["native", "native", "locked"],
  ["native", "locks", "locked"],
  ["locks", "native", "locked"],
  ["none", "none", "owner-running"],
])("two isolates of one process, one with %s and one with %s", (locks, ours, obstacle) => {
  test("exclude each other, both ways, however often they ask", async () => {
    const layer = await layerFor(ours)
    const { thread, said } = await isolate(locks)
    expect(await bench.take(layer)).toMatchObject({ code: "lease.held", obstacle })
    expect(await bench.inspect(layer)).toMatchObject({ decision: { obstacle } })
    expect(said).toEqual({ held: true })
    expect(await bench.take(layer)).toMatchObject({ code: "lease.held", obstacle, owner: { self: true } })
    const released = new Promise((resolve) => thread.once("message", resolve))
    thread.postMessage("release")
    expect(await released).toBe("released")
    const held = await bench.mustTake(layer)
    expect((await isolate(locks)).said).toMatchObject({ code: "lease.held", obstacle })
    await Effect.runPromise(held.verify)
  })
})

describe("a space of process numbers of its own", () => {
  const inside = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
  const isAllowed = spawnSync(inside[0] ?? "", [...inside.slice(1), "true"]).status === 0

  test("excludes and is excluded by the lock, and is left alone without one", async ({ annotate }) => {
    if (!isAllowed) return void (await annotate("left out: no such space can be made here"))
    const one = await bench.another(["locks"], inside)
    expect(one.said).toEqual({ held: true })
    expect(bench.evidence["pid"]).toBe(1)
    expect(await bench.take(withLocks)).toMatchObject({ obstacle: "locked", owner: { pid: 1, self: false } })
    expect(await bench.take(withoutLocks)).toMatchObject({ obstacle: "owner-other-space", forcible: true })
    // The first process of the space ends after the one that made it, and nobody here is told.
    await killed(one.child)
    while (!("attempt" in (await bench.take(withLocks)))) await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await bench.another(["locks"], inside)).said).toMatchObject({ code: "lease.held", obstacle: "locked" })
    expect((await bench.another(["none"], inside)).said).toMatchObject({ code: "lease.held", obstacle: "owner-other-space" })
  })

  test("whose /proc is that of another space can see nobody, not even itself", async ({ annotate }) => {
    if (!isAllowed) return void (await annotate("left out: no such space can be made here"))
    const { said } = await bench.another(["none"], inside.slice(0, -1))
    expect(said).toEqual({ held: true })
    expect(bench.evidence).toMatchObject({ pid: 1, startTicks: null })
    expect(await bench.take(withoutLocks)).toMatchObject({ obstacle: "owner-other-space", forcible: true })
  })

  test("on a machine of another name the lock holds, and the evidence is of another host", async ({ annotate }) => {
    if (!isAllowed) return void (await annotate("left out: no such space can be made here"))
    await bench.mustTake(withLocks)
    const named = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere && exec "$0" "$@"']
    expect((await bench.another(["locks"], named)).said).toMatchObject({ code: "lease.held", obstacle: "locked" })
    expect((await bench.another(["none"], named)).said).toMatchObject({ code: "lease.held", obstacle: "owner-other-host" })
    expect(execFileSync("hostname", { encoding: "utf8" }).trim()).not.toBe("elsewhere")
  })
})
