import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { dsk2 } from "../../laws/port.ts"
import { type ChaosCall, type ChaosFault, chaosDisk } from "../../src/disk/ChaosDisk.ts"
import { type Disk, DiskFault } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { writeAll } from "../../src/disk/WriteAll.ts"

const root = mkdtempSync(join(tmpdir(), "annals-chaos-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let made = 0
const folder = (): string => join(root, `${made++}`)

const bytes = (size: number) => new Uint8Array(size).fill(65)

/** The refusal of an operation, in short. */
const refused = (run: () => unknown): string | undefined => {
  try {
    run()
    return undefined
  } catch (fault) {
    if (fault instanceof DiskFault) return `${fault.operation} ${fault.code}`
    throw fault
  }
}

const over = (plan: ReadonlyArray<ChaosFault>) => {
  const below = new SimulatedDisk({ "/f": "" })
  const disk = chaosDisk(below, { plan })
  return { below, disk, handle: disk.open("/f", "append") }
}

/** A run of a host that goes on whatever it is told. */
const work = (disk: Disk, at: string): void => {
  const careless = (run: () => void): void => void refused(run)
  careless(() => disk.makeDirectory(at))
  for (let n = 0; n < 30; n++) {
    careless(() => {
      const handle = disk.open(join(at, `${n}`), "create")
      try {
        writeAll(disk, handle, bytes(n * 3))
        disk.sync(handle)
      } finally {
        disk.close(handle)
      }
      disk.rename(join(at, `${n}`), join(at, "last"))
    })
  }
}

describe("a plan", () => {
  test("refuses one operation, or all from one on, and leaves the disk below alone", () => {
    const { below, disk, handle } = over([
      { does: "fail", at: 2 },
      { does: "fail", at: 4, code: "EROFS", sticky: true },
    ])
    const answers = [1, 2, 3, 4].map(() => refused(() => disk.write(handle, bytes(1))))
    expect(answers).toEqual(["write EIO", undefined, "write EROFS", "write EROFS"])
    expect(below.text("/f")).toBe("A")
    disk.heal()
    expect(refused(() => disk.write(handle, bytes(1)))).toBe(undefined)
    expect(disk.log).toEqual(
      [2, 4, 5].map((step) => ({ step, did: "refused", operation: "write", path: "/f", code: step === 2 ? "EIO" : "EROFS" })),
    )
  })

  test("tears the first write from a step on, and refuses the next one to its handle", () => {
    const { below, disk, handle } = over([{ does: "tear", at: 2, bytes: 3 }])
    disk.sync(handle)
    expect(refused(() => writeAll(disk, handle, bytes(10)))).toBe("write EIO")
    expect(below.text("/f")).toBe("AAA")
    expect(refused(() => writeAll(disk, handle, bytes(10)))).toBe(undefined)
    expect(disk.log.map(({ step, did, bytes }) => [step, did, bytes])).toEqual([
      [3, "tore", 3],
      [4, "refused", undefined],
    ])
  })

  test("a write that is torn is never whole", () => {
    const { below, disk, handle } = over([{ does: "tear", at: 1, bytes: 3 }])
    expect(refused(() => writeAll(disk, handle, bytes(3)))).toBe("write EIO")
    expect(below.text("/f")).toBe("AA")
    expect(refused(() => writeAll(over([{ does: "tear", at: 1, bytes: 3 }]).disk, handle, bytes(1)))).toBe("write EIO")
  })

  test("fills the disk, but for what still fits, until there is room again", () => {
    const { below, disk, handle } = over([{ does: "fill", at: 2, room: 4, until: 8 }])
    expect(refused(() => writeAll(disk, handle, bytes(10)))).toBe("write ENOSPC")
    expect(refused(() => disk.makeDirectory("/d"))).toBe("makeDirectory ENOSPC")
    expect(refused(() => disk.open("/g", "create"))).toBe("open ENOSPC")
    expect(refused(() => disk.open("/f", "append"))).toBe(undefined)
    expect(refused(() => disk.truncate(handle, 1))).toBe(undefined)
    expect(refused(() => disk.makeDirectory("/d"))).toBe(undefined)
    expect(below.text("/f")).toBe("A")
  })

  test("holds an operation up: the hook is called before it takes effect", () => {
    const below = new SimulatedDisk({ "/f": "" })
    const stalls: Array<ChaosCall> = []
    const disk = chaosDisk(below, {
      plan: [{ does: "stall", at: 2 }],
      stall: (call) => {
        stalls.push(call)
        expect(below.text("/f")).toBe("")
      },
    })
    expect(disk.write(disk.open("/f", "append"), bytes(2))).toBe(2)
    expect(stalls).toEqual([{ step: 2, operation: "write", path: "/f" }])
    expect(disk.log).toEqual([{ step: 2, operation: "write", path: "/f", did: "stalled" }])
  })

  test("a refused close gives the handle back", () => {
    const { below, disk, handle } = over([{ does: "fail", at: 2 }])
    expect(refused(() => disk.close(handle))).toBe("close EIO")
    expect(below.handles).toBe(0)
  })
})

describe("a seed", () => {
  const logOf = (seed: number, below: Disk, at: string) => {
    const disk = chaosDisk(below, { seed, every: 5 })
    work(disk, at)
    return disk.log.map(({ step, did, operation, code, bytes }) => ({ step, did, operation, code, bytes }))
  }

  test("does the same to the same calls, on any disk, and another one something else", () => {
    for (let seed = 0; seed < 10; seed++) {
      const log = logOf(seed, new SimulatedDisk(), "/w")
      expect(log).toEqual(logOf(seed, nodeDisk, folder()))
      expect(log).not.toEqual(logOf(seed + 1, new SimulatedDisk(), "/w"))
    }
  })

  test("does everything that can be done, and nothing after it has been healed", () => {
    const logs = Array.from({ length: 20 }, (_, seed) => logOf(seed, new SimulatedDisk(), "/w")).flat()
    expect(new Set(logs.map(({ did }) => did))).toEqual(new Set(["refused", "tore", "stalled"]))
    expect(new Set(logs.map(({ code }) => code))).toContain("ENOSPC")
    const disk = chaosDisk(new SimulatedDisk(), { seed: 1, every: 1 })
    disk.heal()
    work(disk, "/w")
    expect(disk.log).toEqual([])
  })
})

test("without faults it answers as any disk does", async () => {
  await dsk2({ disk: chaosDisk(nodeDisk, { plan: [] }), folder, runs: 60 }).check({ runs: 60 })
})

test.each<[string, Partial<Disk>, RegExp]>([
  [
    "rounds what it truncates to",
    {
      truncate: (handle, length) =>
        nodeDisk.truncate(handle, length > nodeDisk.stat(handle).size ? length : length - (length % 4)),
    },
    /\((stat|read|lstat)\)/,
  ],
  [
    "renames over nothing only",
    { rename: (from, to) => (nodeDisk.lstat(to) === undefined ? nodeDisk.rename(from, to) : undefined) },
    /step \d+/,
  ],
  [
    "makes a file that is there",
    {
      open: (path, mode) => nodeDisk.open(path, mode === "create" && nodeDisk.lstat(path)?.kind === "file" ? "append" : mode),
    },
    /\(open\) .* the simulated disk says "open EEXIST"/,
  ],
  [
    "says that it wrote more than it did",
    { write: (handle, bytes) => nodeDisk.write(handle, bytes.subarray(0, 9)) && bytes.length },
    /\((stat|read|lstat)\)/,
  ],
  ["lists in no order", { list: (path) => nodeDisk.list(path).toReversed() }, /\(list\)/],
])("the law of disks is broken by a disk that %s", async (_, change, complaint) => {
  const law = dsk2({ disk: { ...nodeDisk, ...change }, folder })
  const failure = await (async () => law.check({ runs: 400, seed: 1 }))().then(
    () => undefined,
    (error: Error) => error.cause,
  )
  expect(String(failure)).toMatch(complaint)
})
