/**
 * The law of the disk port, for any disk: a host can hold its own to it.
 *
 * A function of what is to be judged; `laws/disk.ts` lists it for the disk of the machine.
 */
import * as fc from "fast-check"
import type { Disk, FileStat, Handle, OpenMode } from "../src/disk/Disk.ts"
import { DiskFault } from "../src/disk/Disk.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { Law } from "./Law.ts"
import { Coverage, parameters } from "./Law.ts"

/** A disk, and folders on it in which the law may do as it likes. */
export interface DiskSubject {
  readonly disk: Disk
  /** A folder that does not exist yet, another one each time. */
  readonly folder: () => string
  /** Called when the law is done with the folders. */
  readonly clean?: (() => void) | undefined
  readonly runs?: number | undefined
  /** Of a deep run. Twenty times `runs` when absent. */
  readonly deepRuns?: number | undefined
}

const onPath = ["lstat", "list", "makeDirectory", "unlink", "removeDirectory", "syncDirectory"] as const

type Step =
  | { readonly do: "open"; readonly path: string; readonly mode: OpenMode }
  | { readonly do: "close" | "stat" | "sync"; readonly nth: number }
  | { readonly do: "write"; readonly nth: number; readonly size: number }
  | { readonly do: "read"; readonly nth: number; readonly size: number; readonly position: number }
  | { readonly do: "truncate"; readonly nth: number; readonly length: number }
  | { readonly do: (typeof onPath)[number]; readonly path: string }
  | { readonly do: "setMode"; readonly path: string; readonly mode: number }
  | { readonly do: "setModified"; readonly path: string; readonly modified: bigint }
  | { readonly do: "link" | "rename"; readonly path: string; readonly to: string }

const path = fc.constantFrom("/a", "/b", "/d", "/d/a", "/d/b", "/d/e", "/d/e/f", "/none/x")
const nth = fc.nat({ max: 5 })
const small = fc.nat({ max: 20 })

/** The owner keeps every right: without them a disk answers root and other users differently. And two that are no modes. */
const mode = fc.constantFrom(0o700, 0o750, 0o755, 0o777, 0o1700, 0o10000, -1)

/** Decades around the epoch and around today, and the edges of a microsecond and of a second. */
const modified = fc.oneof(
  fc.bigInt({ min: -(10n ** 18n), max: 2n * 10n ** 18n }),
  fc.bigInt({ min: -2001n, max: 2001n }),
  fc
    .tuple(fc.bigInt({ min: -2n, max: 2_000_000_000n }), fc.constantFrom(-1n, 0n, 1n, 999n, 1000n))
    .map(([seconds, rest]) => seconds * 1_000_000_000n + rest),
)

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
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom(...onPath), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("setMode"), path, mode }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("setModified"), path, modified }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("link", "rename"), path, to: path }) },
)

/** The microsecond of a time. */
const microsecond = (time: bigint | undefined): string | undefined =>
  time === undefined ? undefined : `${(time - (((time % 1_000n) + 1_000n) % 1_000n)) / 1_000n}`

/** What both disks must say of a file. Inodes differ, and times that nobody set, and so does what a directory calls its size and its links. */
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
      case "removeDirectory":
      case "syncDirectory":
        return disk[step.do](this.#root + step.path)
      case "setMode":
        disk.setMode(this.#root + step.path, step.mode)
        return told(disk.lstat(this.#root + step.path))
      case "setModified":
        disk.setModified(this.#root + step.path, step.modified)
        return microsecond(disk.lstat(this.#root + step.path)?.modified)
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

const refusals = [
  "open ENOENT",
  "open EEXIST",
  "open ENOTREG",
  "write EBADF",
  "truncate EINVAL",
  "link EEXIST",
  "unlink EISDIR",
  "removeDirectory ENOENT",
  "removeDirectory ENOTDIR",
  "removeDirectory ENOTEMPTY",
  "setMode EINVAL",
  "setMode ENOENT",
  "setModified ENOENT",
  "rename ENOENT",
]

/** Law DSK-2 for a disk with the error codes of Linux. */
export const dsk2 = (subject: DiskSubject): Law => ({
  id: "DSK-2",
  sentence: "A disk and the simulated disk answer every operation alike, refusals included.",
  runs: subject.runs ?? 200,
  deepRuns: subject.deepRuns,
  check: (budget) => {
    const coverage = new Coverage()
    const agree = (steps: ReadonlyArray<Step>): void => {
      const judged = new Player(subject.disk, subject.folder())
      const simulated = new Player(new SimulatedDisk(), "/root")
      try {
        for (const [at, step] of steps.entries()) {
          const [answer, expected] = [judged, simulated].map((player) => JSON.stringify(player.play(step)))
          coverage.hit(answer === undefined ? "done" : answer.replaceAll('"', ""))
          coverage.hit("a mode set", step.do === "setMode" && answer?.startsWith("[") === true)
          coverage.hit("a time set", step.do === "setModified" && /^"-?\d+"$/.test(answer ?? ""))
          coverage.hit("a directory removed", step.do === "removeDirectory" && answer === undefined)
          if (answer !== expected)
            throw new Error(`step ${at} (${step.do}) was answered with ${answer}, the simulated disk says ${expected}`)
        }
      } finally {
        judged.end()
      }
    }
    try {
      fc.assert(fc.property(fc.array(step, { maxLength: 40, size: "max" }), agree), parameters(budget))
    } finally {
      subject.clean?.()
    }
    coverage.demand(budget, ["done", "a mode set", "a time set", "a directory removed", ...refusals], 200)
  },
})
