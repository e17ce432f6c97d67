import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Result from "effect/Result"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { ReplaceOptions } from "../../src/disk/Atomic.ts"
import { createFile, replaceFile } from "../../src/disk/Atomic.ts"
import { everyChoice } from "../../src/disk/Chooser.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { SimulatedCrash } from "../../src/disk/Schedule.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"

const bytes = (value: string) => new TextEncoder().encode(value)
const temporaryName = ".temporary"

const replace = (disk: Disk, path: string, content: string, options: Partial<ReplaceOptions> = {}): string => {
  const result = replaceFile(disk, path, (append) => append(bytes(content)), { temporaryName, ...options })
  return Result.isSuccess(result) ? "done" : result.failure.reason.code
}

const create = (disk: Disk, path: string, content: string): string => {
  const result = createFile(disk, path, (append) => append(bytes(content)), { temporaryName })
  return Result.isSuccess(result) ? "done" : result.failure.reason.code
}

/** Lets another program act on the disk just before an operation of ours. */
const meanwhile = (disk: SimulatedDisk, operation: keyof Disk, act: () => void): void => {
  let done = false
  disk.fail((call) => {
    if (call.operation === operation && !done) {
      done = true
      act()
    }
    return false
  }, "EIO")
}

describe("a replacement", () => {
  test("gives the name the new bytes and returns what the name then holds", () => {
    const disk = new SimulatedDisk({ "/d/f": "old" })
    const result = replaceFile(disk, "/d/f", (append) => ["ne", "w", ""].map(bytes).forEach(append), { temporaryName })
    expect(Result.getOrThrow(result)).toEqual(disk.lstat("/d/f"))
    expect(disk.text("/d/f")).toBe("new")
    expect(disk.paths()).toEqual(["/d", "/d/f"])
  })

  test("keeps the old file as a backup, byte for byte, and accepts one from an attempt that did not come to its end", () => {
    const disk = new SimulatedDisk({ "/d/f": "old" })
    disk.link("/d/f", "/d/backup")
    expect(replace(disk, "/d/f", "new", { backupName: "backup" })).toBe("done")
    expect([disk.text("/d/f"), disk.text("/d/backup")]).toEqual(["new", "old"])
  })

  test("never touches a backup that holds something else", () => {
    const disk = new SimulatedDisk({ "/d/f": "old", "/d/backup": "older" })
    expect(replace(disk, "/d/f", "new", { backupName: "backup" })).toBe("atomic.taken")
    expect([disk.text("/d/f"), disk.text("/d/backup")]).toEqual(["old", "older"])
    expect(disk.paths()).toEqual(["/d", "/d/backup", "/d/f"])
  })

  test("never touches a temporary name that another attempt uses", () => {
    const disk = new SimulatedDisk({ "/d/f": "old", "/d/.temporary": "theirs" })
    expect(replace(disk, "/d/f", "new")).toBe("atomic.taken")
    expect([disk.text("/d/f"), disk.text("/d/.temporary")]).toEqual(["old", "theirs"])
  })

  test.each([
    ["appended to", (disk: SimulatedDisk) => disk.write(disk.open("/d/f", "append"), bytes("!")), "old!"],
    ["replaced by a file of the same size", (disk: SimulatedDisk) => disk.put("/d/f", "OLD"), "OLD"],
    ["removed", (disk: SimulatedDisk) => disk.unlink("/d/f"), undefined],
  ])("is given up when the file was %s while the new one was written", (_, act, left) => {
    for (const operation of ["open", "sync"] as const) {
      const disk = new SimulatedDisk({ "/d/f": "old" })
      const expected = disk.lstat("/d/f")
      meanwhile(disk, operation, () => void act(disk))
      expect(replace(disk, "/d/f", "new", { expect: expected, backupName: "backup" })).toMatch(
        left === undefined ? /atomic\.(changed|unwritten)/ : "atomic.changed",
      )
      expect(disk.text("/d/f")).toBe(left)
      expect(disk.paths()).toEqual(left === undefined ? ["/d"] : ["/d", "/d/f"])
    }
  })

  test("does not call a name its own that another program took right after, and keeps the backup", () => {
    const disk = new SimulatedDisk({ "/d/f": "old" })
    let syncs = 0
    disk.fail((call) => {
      if (call.operation === "syncDirectory" && ++syncs === 2) disk.put("/d/f", "theirs")
      return false
    }, "EIO")
    expect(replace(disk, "/d/f", "new", { backupName: "backup" })).toBe("atomic.changed")
    expect([disk.text("/d/f"), disk.text("/d/backup")]).toEqual(["theirs", "old"])
  })

  test("says that it is uncertain when the directory could not be synced after the rename", () => {
    const disk = new SimulatedDisk({ "/d/f": "old" })
    disk.fail((call) => call.operation === "syncDirectory", "EIO")
    expect(replace(disk, "/d/f", "new")).toBe("atomic.uncertain")
    expect(disk.text("/d/f")).toBe("new")
  })

  test("passes on what the writer of the content throws, and leaves nothing", () => {
    const disk = new SimulatedDisk({ "/d/f": "old" })
    const bug = new Error("bug")
    const write = (append: (bytes: Uint8Array) => void) => {
      append(bytes("half"))
      throw bug
    }
    expect(() => replaceFile(disk, "/d/f", write, { temporaryName })).toThrow(bug)
    expect([disk.paths(), disk.handles]).toEqual([["/d", "/d/f"], 0])
  })

  test("is whole after every stop and every legal power cut (law DUR-4)", () => {
    let images = 0
    const seen = new Set<string>()
    for (let step = 1, reached = true; reached; step++) {
      for (const when of ["before", "after", 1] as const) {
        const disk = new SimulatedDisk({ "/d/f": "old" })
        disk.crashAt(step, when)
        try {
          replace(disk, "/d/f", "new!", { backupName: "backup" })
          reached = false
          break
        } catch (stop) {
          if (!(stop instanceof SimulatedCrash)) throw stop
        }
        const { visits, complete } = everyChoice(5000, (choose) => {
          const image = disk.crash(choose, "edge")
          seen.add(`${image.text("/d/f")}`)
          expect(image.text("/d/backup") ?? "old").toBe("old")
        })
        expect(complete).toBe(true)
        images += visits
      }
    }
    expect([...seen].sort()).toEqual(["new!", "old"])
    expect(images).toBeGreaterThan(100)
  })
})

describe("a creation", () => {
  test("gives a free name its content", () => {
    const disk = new SimulatedDisk({ "/d/other": "" })
    expect(create(disk, "/d/f", "new")).toBe("done")
    expect([disk.text("/d/f"), disk.lstat("/d/f")?.links, disk.paths()]).toEqual(["new", 1, ["/d", "/d/f", "/d/other"]])
  })

  test("never replaces what has the name, also when it was taken while the content was written", () => {
    const taken = new SimulatedDisk({ "/d/f": "theirs" })
    expect(create(taken, "/d/f", "new")).toBe("atomic.taken")
    const raced = new SimulatedDisk({ "/d/other": "" })
    meanwhile(raced, "link", () => raced.put("/d/f", "theirs"))
    expect(create(raced, "/d/f", "new")).toBe("atomic.taken")
    for (const disk of [taken, raced]) expect([disk.text("/d/f"), disk.text("/d/.temporary")]).toEqual(["theirs", undefined])
  })

  test("in a directory that does not exist is refused", () => {
    expect(create(new SimulatedDisk(), "/none/f", "new")).toBe("atomic.unwritten")
  })
})

describe("on real files", () => {
  let root = ""
  beforeEach(() => {
    root = fs.mkdtempSync(join(tmpdir(), "annals-atomic-"))
  })
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

  test("creates, replaces, backs up and leaves no temporary file", () => {
    const path = join(root, "f")
    expect(create(nodeDisk, path, "one")).toBe("done")
    expect(create(nodeDisk, path, "two")).toBe("atomic.taken")
    const expected = nodeDisk.lstat(path)
    expect(replace(nodeDisk, path, "three", { expect: expected, backupName: "f.backup" })).toBe("done")
    expect(replace(nodeDisk, path, "four", { expect: expected })).toBe("atomic.changed")
    expect(fs.readFileSync(path, "utf8")).toBe("three")
    expect(fs.readFileSync(join(root, "f.backup"), "utf8")).toBe("one")
    expect(fs.readdirSync(root).sort()).toEqual(["f", "f.backup"])
    expect(fs.lstatSync(path).mode & 0o777).toBe(0o600)
  })
})
