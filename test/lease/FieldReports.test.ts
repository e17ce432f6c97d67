import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { readToEnd } from "../../src/journal/RecordStream.ts"
import { Bench, killed, withLocks, withoutLocks } from "./Bench.ts"

/** What has gone wrong for users with lock files that name a process, as small as it could be made. */

let bench = new Bench()
const programs: Array<ChildProcess> = []
beforeEach(() => {
  bench = new Bench()
})
afterEach(async () => {
  for (const program of programs.splice(0)) program.kill("SIGKILL")
  await bench.clear()
})

/** Evidence as this process leaves it, taken back, so that a test can write it anew with what differs. */
const evidence = async (): Promise<Record<string, unknown>> => {
  const held = await bench.mustTake(withoutLocks)
  const found = bench.evidence
  await Effect.runPromise(held.release)
  return found
}

const startOf = (pid: number | undefined): string | undefined => {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
}

describe.each([
  ["with locks", withLocks],
  ["without locks", withoutLocks],
])("%s", (_, layer) => {
  test("the number in a stale lock was given to another program, and the session was blocked until somebody removed the file", async () => {
    const program = spawn("sleep", ["1000"], { stdio: "ignore" })
    programs.push(program)
    const left = { ...(await evidence()), attempt: "theirs", isolate: "theirs", pid: program.pid }
    bench.putEvidence(2, JSON.stringify({ ...left, startTicks: "7", since: "2020-01-01T00:00:00.000Z" }))
    await Effect.runPromise((await bench.mustTake(layer)).release)
    bench.putEvidence(4, JSON.stringify({ ...left, startTicks: startOf(program.pid) }))
    expect(await bench.take(layer)).toMatchObject({ code: "lease.held", obstacle: "owner-running", owner: { pid: program.pid } })
  })

  test("the program had the same number at every start, took its predecessor for itself, and no restart freed the lock", async () => {
    const mine = { ...(await evidence()), attempt: "theirs", since: "2020-01-01T00:00:00.000Z" }
    expect(mine).toMatchObject({ pid: process.pid })
    // An earlier process of this number, then this very one, which knows that it holds nothing.
    for (const [number, differs] of [
      [2, { isolate: "theirs", startTicks: "7" }],
      [4, {}],
    ] as const) {
      bench.putEvidence(number, JSON.stringify({ ...mine, ...differs }))
      await Effect.runPromise((await bench.mustTake(layer)).release)
    }
  })

  test("the first process of each container has the number 1, and the lock of the other one was stolen", async () => {
    const one = { ...(await evidence()), attempt: "theirs", isolate: "theirs", pid: 1 }
    const other = [
      ["owner-other-host", { host: "a", machine: null, bootId: "elsewhere", pidNs: "pid:[2]" }],
      ["owner-other-space", { pidNs: "pid:[2]" }],
    ] as const
    for (const [at, [obstacle, differs]] of other.entries()) {
      bench.putEvidence(2 + at, JSON.stringify({ ...one, ...differs }))
      expect(await bench.take(layer)).toMatchObject({ code: "lease.held", obstacle, forcible: true, owner: { pid: 1 } })
    }
  })
})

test("a machine was switched off: zeros in the session, zeros beside it, a lock of nobody, and mending one of them did not help", async () => {
  const header = '{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/w"}\n'
  const dead = await bench.another()
  expect(dead.said).toEqual({ held: true })
  await killed(dead.child)
  fs.writeFileSync(bench.path, Buffer.concat([Buffer.from(header), Buffer.alloc(1_206)]))
  for (const name of bench.names.filter((each) => each.includes(".owner.")))
    fs.writeFileSync(`${bench.root}/${name}`, Buffer.alloc(300))
  expect(bench.names).toContain(".s.jsonl.lock")
  await bench.mustTake(withLocks)
  const summary = await Effect.runPromise(readToEnd(nodeDisk, bench.path, () => {}))
  expect(summary).toMatchObject({ records: 1, damages: 1, lastGoodEnd: header.length })
})
