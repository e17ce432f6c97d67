import { describe, expect, test } from "vitest"
import { everyChoice, seededChooser } from "../../src/disk/Chooser.ts"
import { DiskFault } from "../../src/disk/Disk.ts"
import { SimulatedCrash } from "../../src/disk/Schedule.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"

const bytes = (value: string) => new TextEncoder().encode(value)

/** A new file with some synced and some unsynced content; its name and directory are durable. */
const disk = (synced: string, unsynced = ""): SimulatedDisk => {
  const made = new SimulatedDisk({ "/d/f": synced })
  const handle = made.open("/d/f", "append")
  made.write(handle, bytes(unsynced))
  made.close(handle)
  return made
}

/** Every text that a power cut can leave under a name. */
const texts = (of: SimulatedDisk, path: string): Set<string | undefined> => {
  const found = new Set<string | undefined>()
  const { complete } = everyChoice(100_000, (choose) => found.add(of.crash(choose).text(path)))
  expect(complete).toBe(true)
  return found
}

/** Every kind of thing that a power cut can leave under a name. */
const kinds = (of: SimulatedDisk, path: string): Set<string | undefined> => {
  const found = new Set<string | undefined>()
  everyChoice(1000, (choose) => found.add(of.crash(choose).lstat(path)?.kind))
  return found
}

/** Every mode or time that a power cut can leave under a name. */
const attributes = (of: SimulatedDisk, path: string, name: "mode" | "modified"): Set<number | bigint | undefined> => {
  const found = new Set<number | bigint | undefined>()
  everyChoice(1000, (choose) => found.add(of.crash(choose).lstat(path)?.[name]))
  return found
}

const refused = (run: () => unknown): string => {
  try {
    run()
  } catch (fault) {
    if (fault instanceof DiskFault) return fault.code
    throw fault
  }
  return "not refused"
}

describe("a power cut", () => {
  test("leaves all, a part, holes, a torn page or a longer file of what was not synced, and always what was", () => {
    const found = texts(disk("AB", "cd"), "/d/f")
    const short = [...found].filter((text) => text !== undefined && text.length <= 4)
    expect(new Set(short)).toEqual(new Set(["ABcd", "AB\0\0", "ABc\0", "AB\0d", "ABc", "AB\0", "AB"]))
    const long = [...found].filter((text) => text !== undefined && text.length > 4).map((text) => text?.length)
    expect(new Set(long)).toEqual(new Set([512, 4096]))
    for (const text of found) expect(text?.startsWith("AB")).toBe(true)
  })

  test("loses nothing after a sync", () => {
    const synced = disk("AB", "cd")
    const handle = synced.open("/d/f", "append")
    synced.sync(handle)
    expect(texts(synced, "/d/f")).toEqual(new Set(["ABcd"]))
  })

  test("never gives back bytes that a failed sync has lost, whatever is synced later", () => {
    const failing = disk("AB", "cd")
    const handle = failing.open("/d/f", "append")
    failing.fail((call) => call.operation === "sync", "EIO")
    expect(refused(() => failing.sync(handle))).toBe("EIO")
    failing.write(handle, bytes("ef"))
    failing.sync(handle)
    expect(failing.text("/d/f")).toBe("ABcdef")
    const found = texts(failing, "/d/f")
    expect(found).toContain("AB\0\0ef")
    for (const text of found) expect(text).toMatch(/^AB[c\0][d\0]ef$/)
  })

  test("undoes a truncation that was not synced, or keeps it", () => {
    const cut = disk("ABCD")
    cut.truncate(cut.open("/d/f", "append"), 1)
    expect(texts(cut, "/d/f")).toEqual(new Set(["ABCD", "A"]))
  })

  test("takes a name whose directory was not synced, however often the file was", () => {
    const named = new SimulatedDisk({ "/d/other": "" })
    const handle = named.open("/d/f", "create")
    named.write(handle, bytes("x"))
    named.sync(handle)
    expect(texts(named, "/d/f")).toEqual(new Set(["x", undefined]))
    named.syncDirectory("/d")
    expect(texts(named, "/d/f")).toEqual(new Set(["x"]))
  })

  test("takes a directory whose parent was not synced, with everything in it", () => {
    const nested = new SimulatedDisk()
    nested.makeDirectory("/a/b")
    const handle = nested.open("/a/b/f", "create")
    nested.sync(handle)
    nested.syncDirectory("/a/b")
    nested.syncDirectory("/a")
    expect(texts(nested, "/a/b/f")).toEqual(new Set(["", undefined]))
    nested.syncDirectory("/")
    expect(texts(nested, "/a/b/f")).toEqual(new Set([""]))
  })

  test("keeps a rename and loses the bytes behind it", () => {
    const renamed = new SimulatedDisk({ "/d/f": "old" })
    renamed.write(renamed.open("/d/t", "create"), bytes("new"))
    renamed.rename("/d/t", "/d/f")
    renamed.syncDirectory("/d")
    expect(texts(renamed, "/d/f")).toContain("")
    expect(texts(renamed, "/d/f")).toContain("n")
    expect(texts(renamed, "/d/f")).not.toContain("old")
  })

  test("keeps the changes of a directory in order: a later one never without an earlier one", () => {
    const ordered = new SimulatedDisk({ "/d/a": "a" })
    ordered.link("/d/a", "/d/b")
    ordered.unlink("/d/a")
    const found = new Set<string>()
    everyChoice(100, (choose) => found.add(ordered.crash(choose).paths().join(" ")))
    expect(found).toEqual(new Set(["/d /d/a", "/d /d/a /d/b", "/d /d/b"]))
  })

  test("never loses a file between two directories", () => {
    const moved = new SimulatedDisk({ "/a/f": "x", "/b/other": "" })
    moved.rename("/a/f", "/b/f")
    const found = new Set<string>()
    everyChoice(100, (choose) => found.add(moved.crash(choose).paths().join(" ")))
    expect(found).toEqual(new Set(["/a /b /b/f /b/other", "/a /a/f /b /b/f /b/other", "/a /a/f /b /b/other"]))
    moved.syncDirectory("/a")
    everyChoice(100, (choose) => expect(moved.crash(choose).paths()).toEqual(["/a", "/b", "/b/f", "/b/other"]))
  })

  test("leaves a moved directory in one place", () => {
    const moved = new SimulatedDisk({ "/a/s/f": "x", "/b/other": "" })
    moved.rename("/a/s", "/b/s")
    const found = new Set<string>()
    everyChoice(100, (choose) => found.add(moved.crash(choose).paths().join(" ")))
    expect(found).toEqual(new Set(["/a /b /b/other /b/s /b/s/f", "/a /a/s /a/s/f /b /b/other"]))
    moved.syncDirectory("/b")
    everyChoice(100, (choose) => expect(moved.crash(choose).bytes("/b/s/f")).toEqual(bytes("x")))
  })

  test("keeps two names of one file one file", () => {
    const linked = new SimulatedDisk({ "/d/a": "a" })
    linked.link("/d/a", "/d/b")
    linked.syncDirectory("/d")
    const image = linked.crash(() => 0)
    expect(image.lstat("/d/a")).toEqual(image.lstat("/d/b"))
    expect(image.lstat("/d/a")?.links).toBe(2)
  })

  test("of a directory whose sync failed may take its changes for ever, but not what is stored later", () => {
    const failing = new SimulatedDisk({ "/d/other": "" })
    failing.close(failing.open("/d/a", "create"))
    failing.fail((call) => call.operation === "syncDirectory", "EIO")
    expect(refused(() => failing.syncDirectory("/d"))).toBe("EIO")
    failing.close(failing.open("/d/b", "create"))
    failing.syncDirectory("/d")
    expect(texts(failing, "/d/a")).toEqual(new Set(["", undefined]))
    expect(texts(failing, "/d/b")).toEqual(new Set([""]))
    failing.unlink("/d/a")
    failing.syncDirectory("/d")
    expect(texts(failing, "/d/a")).toEqual(new Set([undefined]))
  })

  test("takes the removal of a directory, until the one above it is synced", () => {
    const removed = new SimulatedDisk({ "/d/other": "" })
    removed.makeDirectory("/d/s")
    removed.syncDirectory("/d")
    removed.removeDirectory("/d/s")
    expect(removed.paths()).toEqual(["/d", "/d/other"])
    expect(kinds(removed, "/d/s")).toEqual(new Set(["directory", undefined]))
    removed.syncDirectory("/d")
    expect(kinds(removed, "/d/s")).toEqual(new Set([undefined]))
  })

  test("never keeps the removal of a directory without what had emptied it", () => {
    const moved = new SimulatedDisk({ "/a/s/f": "x", "/b/other": "" })
    moved.rename("/a/s/f", "/b/f")
    moved.removeDirectory("/a/s")
    const found = new Set<string>()
    everyChoice(1000, (choose) => found.add(moved.crash(choose).paths().join(" ")))
    const rest = ["/a /a/s /a/s/f /b /b/f /b/other", "/a /a/s /a/s/f /b /b/other"]
    expect(found).toEqual(new Set(["/a /b /b/f /b/other", "/a /a/s /b /b/f /b/other", ...rest]))
    moved.syncDirectory("/a")
    everyChoice(1000, (choose) => expect(moved.crash(choose).paths()).toEqual(["/a", "/b", "/b/f", "/b/other"]))
  })

  test("leaves a directory the mode and time of its last sync or a later one", () => {
    const changed = new SimulatedDisk({ "/d/f": "" })
    changed.setMode("/d", 0o755)
    changed.setMode("/d", 0o750)
    changed.setModified("/d", 7_000_000n)
    expect(attributes(changed, "/d", "mode")).toEqual(new Set([0o700, 0o755, 0o750]))
    expect(attributes(changed, "/d", "modified")).toEqual(new Set([0n, 7_000_000n]))
    changed.syncDirectory("/d")
    expect(attributes(changed, "/d", "mode")).toEqual(new Set([0o750]))
    expect(attributes(changed, "/d", "modified")).toEqual(new Set([7_000_000n]))
  })

  test("leaves a file any mode and time that it has had, whatever was synced", () => {
    const changed = disk("AB")
    const before = changed.lstat("/d/f")?.modified
    changed.setMode("/d/f", 0o644)
    changed.setModified("/d/f", 7_000_000n)
    changed.sync(changed.open("/d/f", "append"))
    changed.syncDirectory("/d")
    expect(attributes(changed, "/d/f", "mode")).toEqual(new Set([0o600, 0o644]))
    expect(attributes(changed, "/d/f", "modified")).toEqual(new Set([before, 7_000_000n]))
  })

  test("of a directory whose sync failed may take its mode for ever, until it is set anew", () => {
    const failing = new SimulatedDisk({ "/d/f": "" })
    failing.setMode("/d", 0o755)
    failing.fail((call) => call.operation === "syncDirectory", "EIO")
    expect(refused(() => failing.syncDirectory("/d"))).toBe("EIO")
    failing.syncDirectory("/d")
    expect(attributes(failing, "/d", "mode")).toEqual(new Set([0o700, 0o755]))
    failing.setMode("/d", 0o750)
    failing.syncDirectory("/d")
    expect(attributes(failing, "/d", "mode")).toEqual(new Set([0o750]))
  })

  test("changes nothing on the disk it is taken from, and is the same for the same answers", () => {
    const one = disk("A".repeat(600), "b".repeat(2000))
    const before = one.text("/d/f")
    const first = one.crash(seededChooser(3)).text("/d/f")
    expect(one.crash(seededChooser(3)).text("/d/f")).toBe(first)
    expect(one.text("/d/f")).toBe(before)
  })

  test("leaves a disk on which work goes on, and on which everything is durable", () => {
    const image = disk("AB", "cd").crash(() => 0)
    expect(texts(image, "/d/f")).toEqual(new Set([image.text("/d/f")]))
    const handle = image.open("/d/g", "create")
    image.write(handle, bytes("x"))
    expect(image.text("/d/g")).toBe("x")
    expect(image.lstat("/d/g")?.inode).not.toBe(image.lstat("/d/f")?.inode)
  })
})

describe("the death of a process", () => {
  test("keeps every byte that was written, and no handle", () => {
    const killed = disk("AB")
    const handle = killed.open("/d/f", "append")
    killed.write(handle, bytes("cd"))
    killed.kill()
    expect(killed.text("/d/f")).toBe("ABcd")
    expect(killed.handles).toBe(0)
    expect(refused(() => killed.write(handle, bytes("e")))).toBe("EBADF")
    expect(texts(killed, "/d/f").size).toBeGreaterThan(1)
  })

  test.each([
    ["before", "AB"],
    ["after", "ABcd"],
    [1, "ABc"],
  ] as const)("%s a write stops everything after it, clean-up included", (when, left) => {
    const stopped = disk("AB")
    const handle = stopped.open("/d/f", "append")
    stopped.crashAt(stopped.operations + 1, when)
    expect(() => stopped.write(handle, bytes("cd"))).toThrow(SimulatedCrash)
    expect(() => stopped.unlink("/d/f")).toThrow(SimulatedCrash)
    expect(() => stopped.close(handle)).toThrow(SimulatedCrash)
    expect(stopped.text("/d/f")).toBe(left)
    stopped.kill()
    stopped.unlink("/d/f")
    expect(stopped.paths()).toEqual(["/d"])
  })
})

describe("faults", () => {
  test("refuse one operation, by its step or by what it is", () => {
    const failing = disk("AB")
    failing.fail(failing.operations + 2, "EMFILE")
    failing.fail((call) => call.operation === "open" && call.path === "/d/f" && call.nth === 4, "EIO")
    const open = () => refused(() => failing.open("/d/f", "read"))
    expect([open(), open(), open(), open()]).toEqual(["not refused", "EMFILE", "EIO", "not refused"])
  })

  test("stay when they are sticky, until the device has healed", () => {
    const failing = disk("AB")
    const handle = failing.open("/d/f", "append")
    failing.fail((call) => call.operation === "write", "ENOSPC", { sticky: true })
    expect(refused(() => failing.write(handle, bytes("x")))).toBe("ENOSPC")
    expect(refused(() => failing.write(handle, bytes("x")))).toBe("ENOSPC")
    failing.heal()
    expect(failing.write(handle, bytes("x"))).toBe(1)
    expect(failing.text("/d/f")).toBe("ABx")
  })

  test("let a write be short first and say why at the next one", () => {
    const failing = disk("AB")
    const handle = failing.open("/d/f", "append")
    failing.fail((call) => call.operation === "write", "EFBIG", { short: 2 })
    expect(failing.write(handle, bytes("cdef"))).toBe(2)
    expect(refused(() => failing.write(handle, bytes("ef")))).toBe("EFBIG")
    expect(failing.write(handle, bytes("ef"))).toBe(2)
    expect(failing.text("/d/f")).toBe("ABcdef")
  })

  test("of a close give the handle back all the same", () => {
    const failing = disk("AB")
    const handle = failing.open("/d/f", "append")
    failing.fail((call) => call.operation === "close", "EIO")
    expect(refused(() => failing.close(handle))).toBe("EIO")
    expect(failing.handles).toBe(0)
  })
})

describe("modes, times and the removal of directories", () => {
  test("are refused without an effect", () => {
    const made = disk("AB")
    expect(refused(() => made.removeDirectory("/d"))).toBe("ENOTEMPTY")
    expect(refused(() => made.removeDirectory("/d/f"))).toBe("ENOTDIR")
    expect(refused(() => made.removeDirectory("/none"))).toBe("ENOENT")
    expect(refused(() => made.removeDirectory("/"))).toBe("EBUSY")
    expect(refused(() => made.setMode("/d/f", 0o10000))).toBe("EINVAL")
    expect(refused(() => made.setMode("/d/f", 0.5))).toBe("EINVAL")
    expect(refused(() => made.setMode("/none", 0o600))).toBe("ENOENT")
    expect(refused(() => made.setModified("/d/f/below", 0n))).toBe("ENOTDIR")
    made.fail((call) => call.operation === "setMode", "EPERM")
    expect(refused(() => made.setMode("/d/f", 0o644))).toBe("EPERM")
    expect(made.lstat("/d/f")?.mode).toBe(0o600)
    expect(made.paths()).toEqual(["/d", "/d/f"])
  })

  test("a time keeps its microsecond and no more, also before the epoch", () => {
    const made = disk("AB")
    made.setModified("/d/f", 1_999n)
    expect(made.lstat("/d/f")?.modified).toBe(1_000n)
    made.setModified("/d/f", -1n)
    expect(made.lstat("/d/f")?.modified).toBe(-1_000n)
    const handle = made.open("/d/f", "append")
    made.write(handle, bytes("c"))
    expect(made.stat(handle).modified).toBeGreaterThan(0n)
  })
})
