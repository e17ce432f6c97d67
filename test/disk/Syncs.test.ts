import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { DiskFault, type Handle } from "../../src/disk/Disk.ts"
import { nodeDisk, nodeSyncs } from "../../src/disk/NodeDisk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { blockingSyncs, boundedSyncs, type SyncDone, type Syncs } from "../../src/disk/Syncs.ts"

const handle = (path: string): Handle => ({ path })

/** Syncs that end when they are told to, and what was started so far. */
const manual = () => {
  const started: Array<string> = []
  const ends: Array<SyncDone> = []
  const syncs: Syncs = {
    start: ({ path }, done) => {
      started.push(path)
      ends.push(done)
    },
  }
  return { started, syncs, end: (nth: number, fault?: unknown) => ends[nth]?.(fault) }
}

describe("bounded syncs", () => {
  it("start no more than so many at once, and the others in the order in which they came", () => {
    const { started, syncs, end } = manual()
    const bounded = boundedSyncs(syncs, 2)
    const ended: Array<string> = []
    for (const path of ["a", "b", "c", "d"]) bounded.start(handle(path), () => ended.push(path))
    assert.deepEqual(started, ["a", "b"])
    end(1)
    assert.deepEqual([started, ended], [["a", "b", "c"], ["b"]])
    end(2)
    end(0)
    end(3)
    assert.deepEqual(
      [started, ended],
      [
        ["a", "b", "c", "d"],
        ["b", "c", "a", "d"],
      ],
    )
  })

  it("give a place back although the sync failed, and hand the fault on", () => {
    const { started, syncs, end } = manual()
    const bounded = boundedSyncs(syncs, 1)
    const faults: Array<unknown> = []
    bounded.start(handle("a"), (fault) => faults.push(fault))
    end(0, "refused")
    bounded.start(handle("b"), (fault) => faults.push(fault))
    end(1)
    assert.deepEqual(
      [started, faults],
      [
        ["a", "b"],
        ["refused", undefined],
      ],
    )
  })

  it("give a waiting one the place before whoever hears of the end can take it", () => {
    const { started, syncs, end } = manual()
    const bounded = boundedSyncs(syncs, 1)
    bounded.start(handle("a"), () => bounded.start(handle("c"), () => undefined))
    bounded.start(handle("b"), () => undefined)
    end(0)
    end(1)
    assert.deepEqual(started, ["a", "b", "c"])
  })
})

describe("spare lanes", () => {
  it("are as many as syncs are stuck, up to their bound, so that as many as before go on", () => {
    const { started, syncs } = manual()
    const lanes: Array<string> = []
    const later: Array<() => void> = []
    let time = 0
    const bounded = boundedSyncs(syncs, 3, {
      most: 5,
      make: () => ({ start: ({ path }) => void lanes.push(path), close: () => assert.fail("a lane that works was closed") }),
      now: () => time,
      later: (_, run) => void later.push(run),
    })
    const pass = (): void => {
      time += 1_000
      for (const run of later.splice(0)) run()
    }
    for (const path of ["a", "b", "c", "d", "e", "f"]) bounded.start(handle(path), () => undefined)
    assert.deepEqual([started, lanes], [["a", "b", "c"], []])
    pass()
    assert.deepEqual(lanes, ["d", "e", "f"])
    for (const path of ["g", "h", "i"]) bounded.start(handle(path), () => undefined)
    for (let n = 0; n < 4; n++) pass()
    assert.deepEqual(
      [started, lanes],
      [
        ["a", "b", "c"],
        ["d", "e", "f", "g", "h"],
      ],
    )
  })
})

describe("blocking syncs", () => {
  it("have ended, or failed, when they were started", () => {
    const disk = new SimulatedDisk({ "/a": "" })
    const file = disk.open("/a", "append")
    disk.write(file, new TextEncoder().encode("x"))
    const heard: Array<unknown> = []
    blockingSyncs(disk).start(file, (fault) => heard.push(fault))
    assert.equal(disk.crash((n) => n - 1).text("/a"), "x")
    disk.fail((call) => call.operation === "sync", "EIO")
    blockingSyncs(disk).start(file, (fault) => heard.push(fault))
    assert.isUndefined(heard[0])
    assert.instanceOf(heard[1], DiskFault)
  })
})

describe("syncs of the machine's disk", () => {
  it("end later, and tell a refusal as the disk does", async () => {
    const folder = mkdtempSync(join(tmpdir(), "annals-syncs-"))
    try {
      const file = nodeDisk.open(join(folder, "a"), "create")
      const sync = (): Promise<unknown> => new Promise((done) => nodeSyncs.start(file, done))
      let hasEnded = false
      const ending = sync().then((fault) => {
        hasEnded = true
        return fault
      })
      assert.isFalse(hasEnded)
      assert.isUndefined(await ending)
      nodeDisk.close(file)
      const fault = await sync()
      if (!(fault instanceof DiskFault)) throw new Error("no fault was told")
      assert.deepEqual([fault.operation, fault.code, fault.path], ["sync", "EBADF", join(folder, "a")])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
