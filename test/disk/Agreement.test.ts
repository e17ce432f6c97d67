import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterAll, expect, test } from "vitest"
import type { Disk, FileStat, Handle, OpenMode } from "../../src/disk/Disk.ts"
import { DiskFault } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"

const base = fs.mkdtempSync(join(tmpdir(), "annals-agreement-"))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

type Step =
  | { readonly do: "open"; readonly path: string; readonly mode: OpenMode }
  | { readonly do: "close" | "stat" | "sync"; readonly nth: number }
  | { readonly do: "write"; readonly nth: number; readonly size: number }
  | { readonly do: "read"; readonly nth: number; readonly size: number; readonly position: number }
  | { readonly do: "truncate"; readonly nth: number; readonly length: number }
  | { readonly do: "lstat" | "list" | "makeDirectory" | "unlink" | "syncDirectory"; readonly path: string }
  | { readonly do: "link" | "rename"; readonly path: string; readonly to: string }

const path = fc.constantFrom("/a", "/b", "/d", "/d/a", "/d/b", "/d/e", "/d/e/f", "/none/x")
const nth = fc.nat({ max: 5 })
const small = fc.nat({ max: 20 })

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("open"),
      path,
      mode: fc.constantFrom<OpenMode>("read", "append", "create", "create"),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("close", "stat", "sync"), nth }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("write"), nth, size: small }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read"), nth, size: small, position: small }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("truncate"), nth, length: small }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("lstat", "list", "makeDirectory", "unlink", "syncDirectory"), path }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("link", "rename"), path, to: path }) },
)

/** What both disks must say of a file. Inodes and times differ, and so does what a directory calls its size and its links. */
const told = (stat: FileStat | undefined) =>
  stat === undefined ? undefined : stat.kind === "file" ? [stat.kind, stat.size, stat.links, stat.mode] : [stat.kind, stat.mode]

class Player {
  readonly #disk: Disk
  readonly #root: string
  readonly #handles: Array<Handle> = []

  constructor(disk: Disk, root: string) {
    this.#disk = disk
    this.#root = root
    disk.makeDirectory(root)
  }

  play(step: Step): unknown {
    try {
      return this.#perform(step)
    } catch (fault) {
      if (fault instanceof DiskFault) return `${fault.operation} ${fault.code}`
      throw fault
    }
  }

  end(): void {
    for (const handle of this.#handles.splice(0)) this.#disk.close(handle)
  }

  #perform(step: Step): unknown {
    const disk = this.#disk
    switch (step.do) {
      case "open":
        return this.#handles.push(disk.open(this.#root + step.path, step.mode))
      case "lstat":
        return told(disk.lstat(this.#root + step.path))
      case "list":
      case "makeDirectory":
      case "unlink":
      case "syncDirectory":
        return disk[step.do](this.#root + step.path)
      case "link":
      case "rename":
        return disk[step.do](this.#root + step.path, this.#root + step.to)
      default:
        return this.#onHandle(step)
    }
  }

  #onHandle(step: Step & { readonly nth: number }): unknown {
    const handle = this.#handles[step.nth % Math.max(1, this.#handles.length)]
    if (handle === undefined) return "no handle"
    const disk = this.#disk
    switch (step.do) {
      case "close":
        this.#handles.splice(this.#handles.indexOf(handle), 1)
        return disk.close(handle)
      case "write":
        return disk.write(
          handle,
          Uint8Array.from({ length: step.size }, (_, at) => 65 + at),
        )
      case "read": {
        const into = new Uint8Array(step.size)
        return [disk.read(handle, into, step.position), [...into]]
      }
      case "truncate":
        return disk.truncate(handle, step.length)
      case "stat":
        return told(disk.stat(handle))
      default:
        return disk.sync(handle)
    }
  }
}

let round = 0

test("the simulated disk says and does what the real one does, refusals included", () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
      const real = new Player(nodeDisk, join(base, `${round++}`))
      const simulated = new Player(new SimulatedDisk(), "/root")
      try {
        for (const step of steps) {
          const answer = real.play(step)
          if (typeof answer === "string") seen.set(answer, (seen.get(answer) ?? 0) + 1)
          expect([step, simulated.play(step)]).toEqual([step, answer])
        }
      } finally {
        real.end()
      }
    }),
    { numRuns: 600 },
  )
  for (const refusal of [
    "open ENOENT",
    "open EEXIST",
    "open ENOTREG",
    "write EBADF",
    "truncate EINVAL",
    "link EEXIST",
    "unlink EISDIR",
  ]) {
    expect([refusal, (seen.get(refusal) ?? 0) > 0]).toEqual([refusal, true])
  }
})
