import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { everyChoice } from "../../src/disk/Chooser.ts"
import { ensureDirectory, ensurePrivateDirectory, ensurePrivateFile } from "../../src/disk/Directory.ts"
import { type Disk, DiskFault } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"

let root = ""
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "annals-directory-"))
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const refused = (run: () => unknown): string => {
  try {
    run()
  } catch (fault) {
    if (fault instanceof DiskFault) return `${fault.operation} ${fault.code}`
    throw fault
  }
  return "not refused"
}

const disks: ReadonlyArray<readonly [string, () => { readonly disk: Disk; readonly base: string }]> = [
  ["the machine's disk", () => ({ disk: nodeDisk, base: root })],
  ["the simulated disk", () => ({ disk: new SimulatedDisk({ "/base/kept": "" }), base: "/base" })],
]

describe.each(disks)("on %s", (_, make) => {
  test("a private directory is made with the missing ones above it", () => {
    const { disk, base } = make()
    ensurePrivateDirectory(disk, `${base}/a/b`)
    expect([`${base}/a`, `${base}/a/b`].map((path) => disk.lstat(path)?.mode)).toEqual([0o700, 0o700])
  })

  test.each([
    [0o755, 0o700],
    [0o710, 0o700],
    [0o1700, 0o700],
    [0o700, 0o700],
    [0o500, 0o500],
  ])("a directory of the mode %o has then the mode %o, those above it keep theirs", (before, after) => {
    const { disk, base } = make()
    disk.makeDirectory(`${base}/a/b`)
    disk.setMode(`${base}/a`, 0o755)
    disk.setMode(`${base}/a/b`, before)
    ensurePrivateDirectory(disk, `${base}/a/b`)
    expect([`${base}/a`, `${base}/a/b`].map((path) => disk.lstat(path)?.mode)).toEqual([0o755, after])
  })

  test.each([
    [0o644, 0o600],
    [0o700, 0o600],
    [0o600, 0o600],
    [0o400, 0o400],
  ])("a file of the mode %o has then the mode %o and its bytes", (before, after) => {
    const { disk, base } = make()
    const handle = disk.open(`${base}/f`, "create")
    disk.write(handle, Uint8Array.of(1, 2, 3))
    disk.setMode(`${base}/f`, before)
    ensurePrivateFile(disk, `${base}/f`)
    expect(disk.lstat(`${base}/f`)).toMatchObject({ mode: after, size: 3 })
    disk.close(handle)
  })

  test("what is no directory, or no file, keeps its mode", () => {
    const { disk, base } = make()
    disk.makeDirectory(`${base}/d`)
    disk.setMode(`${base}/d`, 0o755)
    disk.close(disk.open(`${base}/f`, "create"))
    disk.setMode(`${base}/f`, 0o644)
    expect(refused(() => ensurePrivateDirectory(disk, `${base}/f`))).toBe("setMode ENOTDIR")
    expect(refused(() => ensurePrivateFile(disk, `${base}/d`))).toBe("setMode ENOTREG")
    expect([disk.lstat(`${base}/d`)?.mode, disk.lstat(`${base}/f`)?.mode]).toEqual([0o755, 0o644])
  })

  test("a missing file is not made", () => {
    const { disk, base } = make()
    expect(refused(() => ensurePrivateFile(disk, `${base}/f`))).toBe("setMode ENOENT")
    expect(disk.lstat(`${base}/f`)).toBeUndefined()
  })
})

test("a link to a directory or to a file is refused, and what it points at keeps its mode", () => {
  fs.mkdirSync(join(root, "d"))
  fs.chmodSync(join(root, "d"), 0o755)
  fs.writeFileSync(join(root, "f"), "")
  fs.chmodSync(join(root, "f"), 0o644)
  fs.symlinkSync(join(root, "d"), join(root, "way"))
  fs.symlinkSync(join(root, "f"), join(root, "link"))
  expect(refused(() => ensurePrivateDirectory(nodeDisk, join(root, "way")))).toBe("setMode ELOOP")
  expect(refused(() => ensurePrivateFile(nodeDisk, join(root, "link")))).toBe("setMode ELOOP")
  expect(["d", "f"].map((name) => fs.statSync(join(root, name)).mode & 0o777)).toEqual([0o755, 0o644])
})

test("the directory of another user is a refusal that is told", () => {
  const disk = new SimulatedDisk({ "/d/f": "" })
  disk.setMode("/d", 0o755)
  disk.fail((call) => call.operation === "setMode", "EPERM")
  expect(refused(() => ensurePrivateDirectory(disk, "/d"))).toBe("setMode EPERM")
})

test("what is private is looked at and not written to", () => {
  const disk = new SimulatedDisk({ "/d/f": "" })
  disk.fail((call) => call.operation !== "lstat", "EROFS", { sticky: true })
  ensurePrivateDirectory(disk, "/d")
  ensurePrivateFile(disk, "/d/f")
  ensureDirectory(disk, "/d")
  expect(disk.operations).toBeGreaterThan(0)
})

test("a directory that was made stays after a power cut, with its mode", () => {
  const disk = new SimulatedDisk()
  ensurePrivateDirectory(disk, "/a/b")
  everyChoice(100, (choose) => expect(disk.crash(choose).lstat("/a/b")?.mode).toBe(0o700))
})
