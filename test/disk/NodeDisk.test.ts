import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { DiskFault } from "../../src/disk/Disk.ts"
import { nodeDisk as disk } from "../../src/disk/NodeDisk.ts"

let root = ""
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "annals-disk-"))
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const at = (name: string) => join(root, name)
const text = (value: string) => new TextEncoder().encode(value)

/** The refusal of an operation, in short. */
const refused = (run: () => unknown): string => {
  try {
    run()
  } catch (fault) {
    if (fault instanceof DiskFault) return `${fault.operation} ${fault.code}`
    throw fault
  }
  return "not refused"
}

/** Runs a script that has `disk` and `root` in a process of its own, behind a shell prefix such as a umask. */
const inShell = (prefix: string, script: string): string => {
  const module = JSON.stringify(fileURLToPath(new URL("../../src/disk/NodeDisk.ts", import.meta.url)))
  const whole = `const { nodeDisk: disk } = await import(${module}); const root = ${JSON.stringify(root)}; ${script}`
  return execFileSync("sh", ["-c", `${prefix}; exec "$0" --input-type=module -e "$1"`, process.execPath, whole], {
    encoding: "utf8",
  })
}

describe("what can be opened", () => {
  test("a final symlink is refused, also a dangling one and one to be created", () => {
    fs.writeFileSync(at("target"), "x")
    fs.symlinkSync(at("target"), at("link"))
    fs.symlinkSync(at("nowhere"), at("dangling"))
    expect(refused(() => disk.open(at("link"), "read"))).toBe("open ELOOP")
    expect(refused(() => disk.open(at("link"), "append"))).toBe("open ELOOP")
    expect(refused(() => disk.open(at("dangling"), "append"))).toBe("open ELOOP")
    expect(refused(() => disk.open(at("dangling"), "create"))).toBe("open EEXIST")
    expect(fs.existsSync(at("nowhere"))).toBe(false)
  })

  test("a directory, a pipe, a socket and a device are no regular files, and none is waited for", async () => {
    fs.mkdirSync(at("directory"))
    execFileSync("mkfifo", [at("pipe")])
    const server = net.createServer()
    await new Promise<void>((resolve) => server.listen(at("socket"), resolve))
    try {
      for (const path of [at("directory"), at("pipe"), at("socket"), "/dev/null"]) {
        expect([path, refused(() => disk.open(path, "read"))]).toEqual([path, "open ENOTREG"])
        expect([path, refused(() => disk.open(path, "append"))]).toEqual([path, "open ENOTREG"])
      }
    } finally {
      server.close()
    }
  })

  test("a refused file leaves no descriptor open", () => {
    fs.mkdirSync(at("directory"))
    const count = () => fs.readdirSync("/proc/self/fd").length
    const before = count()
    for (let i = 0; i < 20; i++) refused(() => disk.open(at("directory"), "read"))
    expect(count()).toBe(before)
  })

  test("a missing file, and a taken name", () => {
    expect(refused(() => disk.open(at("none"), "append"))).toBe("open ENOENT")
    disk.close(disk.open(at("one"), "create"))
    expect(refused(() => disk.open(at("one"), "create"))).toBe("open EEXIST")
  })
})

describe("modes", () => {
  test.each(["000", "022", "077", "777"])("files are 0600 and directories 0700 under umask %s", (umask) => {
    inShell(`umask ${umask}`, `disk.makeDirectory(root + "/a/b/c"); disk.close(disk.open(root + "/a/b/c/f", "create"))`)
    const modes = ["a", "a/b", "a/b/c", "a/b/c/f"].map((path) => (fs.lstatSync(at(path)).mode & 0o7777).toString(8))
    expect(modes).toEqual(["700", "700", "700", "600"])
    expect(disk.lstat(at("a/b/c/f"))?.mode).toBe(0o600)
  })

  test("an existing directory keeps its mode", () => {
    fs.mkdirSync(at("open"))
    fs.chmodSync(at("open"), 0o755)
    disk.makeDirectory(at("open"))
    disk.makeDirectory(at("open/inner"))
    expect(fs.lstatSync(at("open")).mode & 0o777).toBe(0o755)
    expect(fs.lstatSync(at("open/inner")).mode & 0o777).toBe(0o700)
  })

  test("a file in the way of a directory is a refusal", () => {
    fs.writeFileSync(at("file"), "")
    expect(refused(() => disk.makeDirectory(at("file")))).toBe("makeDirectory EEXIST")
    expect(refused(() => disk.makeDirectory(at("file/inner")))).toBe("makeDirectory EEXIST")
  })
})

describe("reading and writing", () => {
  test("a write goes to the end, also when another program has written in between", () => {
    const handle = disk.open(at("f"), "create")
    expect(disk.write(handle, text("one "))).toBe(4)
    fs.appendFileSync(at("f"), "two ")
    expect(disk.write(handle, text("three"))).toBe(5)
    expect(disk.write(handle, text(""))).toBe(0)
    disk.sync(handle)
    expect(fs.readFileSync(at("f"), "utf8")).toBe("one two three")
    disk.close(handle)
  })

  test("a read has a place of its own and ends with 0", () => {
    fs.writeFileSync(at("f"), "0123456789")
    const handle = disk.open(at("f"), "read")
    const into = new Uint8Array(4)
    expect([disk.read(handle, into, 2), new TextDecoder().decode(into)]).toEqual([4, "2345"])
    expect([disk.read(handle, into, 8), new TextDecoder().decode(into.subarray(0, 2))]).toEqual([2, "89"])
    expect(disk.read(handle, into, 10)).toBe(0)
    expect(refused(() => disk.write(handle, text("x")))).toBe("write EBADF")
    disk.close(handle)
  })

  test("a file is cut, never lengthened", () => {
    fs.writeFileSync(at("f"), "0123456789")
    const handle = disk.open(at("f"), "append")
    disk.truncate(handle, 4)
    expect(refused(() => disk.truncate(handle, 5))).toBe("truncate EINVAL")
    disk.write(handle, text("x"))
    expect(fs.readFileSync(at("f"), "utf8")).toBe("0123x")
    disk.close(handle)
  })

  test("a closed handle, and a handle of another disk, are refused", () => {
    const handle = disk.open(at("f"), "create")
    disk.close(handle)
    expect(refused(() => disk.close(handle))).toBe("close EBADF")
    expect(refused(() => disk.write(handle, text("x")))).toBe("write EBADF")
    expect(refused(() => disk.sync({ path: at("f") }))).toBe("sync EBADF")
  })

  test("a full quota gives first the count that went in, then the reason", () => {
    const script = `const h = disk.open(root + "/f", "create"); const big = new Uint8Array(10000);
      const first = disk.write(h, big); let code = "none"; try { disk.write(h, big) } catch (fault) { code = fault.code }
      console.log(first, code)`
    expect(inShell("ulimit -f 8", script).trim()).toBe(`${8 * 512} EFBIG`)
  })
})

describe("names", () => {
  test("a stat of the name and of the handle agree, and see links", () => {
    const handle = disk.open(at("f"), "create")
    disk.write(handle, text("four"))
    disk.link(at("f"), at("g"))
    const stat = disk.stat(handle)
    expect(disk.lstat(at("g"))).toEqual(stat)
    expect(stat).toMatchObject({ kind: "file", size: 4, links: 2, uid: process.getuid?.(), mode: 0o600 })
    expect(refused(() => disk.link(at("f"), at("g")))).toBe("link EEXIST")
    disk.close(handle)
  })

  test("a missing name is no failure, and a link is seen as one", () => {
    fs.writeFileSync(at("f"), "")
    fs.symlinkSync(at("f"), at("link"))
    expect(disk.lstat(at("none"))).toBeUndefined()
    expect(disk.lstat(at("f/below-a-file"))).toBeUndefined()
    expect(disk.lstat(at("link"))?.kind).toBe("symlink")
    expect(disk.lstat(root)?.kind).toBe("directory")
  })

  test("a rename replaces, a list is sorted, a removal removes", () => {
    for (const name of ["b", "a", "B", "ä"]) fs.writeFileSync(at(name), name)
    expect(disk.list(root)).toEqual(["B", "a", "b", "ä"])
    disk.rename(at("a"), at("b"))
    disk.syncDirectory(root)
    expect(fs.readFileSync(at("b"), "utf8")).toBe("a")
    disk.unlink(at("B"))
    expect(disk.list(root)).toEqual(["b", "ä"])
    expect(refused(() => disk.unlink(at("B")))).toBe("unlink ENOENT")
    expect(refused(() => disk.rename(at("B"), at("C")))).toBe("rename ENOENT")
    expect(refused(() => disk.list(at("none")))).toBe("list ENOENT")
    expect(refused(() => disk.syncDirectory(at("none")))).toBe("syncDirectory ENOENT")
    expect(refused(() => disk.syncDirectory(at("b")))).toBe("syncDirectory ENOTDIR")
  })

  test("what is not a refusal of the system is not made to look like one", () => {
    expect(() => disk.open(Symbol("path") as unknown as string, "read")).toThrow(TypeError)
  })
})

const modeOf = (name: string) => fs.lstatSync(at(name)).mode & 0o7777
const micro = (time: bigint | undefined) => (time === undefined ? undefined : time / 1_000n)

describe("a mode that is set", () => {
  test("is that of the file or the directory, whatever the umask", () => {
    inShell(
      "umask 777",
      `disk.makeDirectory(root + "/d"); disk.close(disk.open(root + "/d/f", "create"));
       disk.setMode(root + "/d", 0o1755); disk.setMode(root + "/d/f", 0o640)`,
    )
    expect([modeOf("d"), modeOf("d/f")]).toEqual([0o1755, 0o640])
  })

  test("changes neither what a final link points at nor the link", () => {
    fs.writeFileSync(at("target"), "", { mode: 0o600 })
    fs.mkdirSync(at("directory"), 0o700)
    fs.symlinkSync(at("target"), at("link"))
    fs.symlinkSync(at("directory"), at("way"))
    expect(refused(() => disk.setMode(at("link"), 0o640))).toBe("setMode ELOOP")
    expect(refused(() => disk.setMode(at("way"), 0o750))).toBe("setMode ELOOP")
    expect([modeOf("target"), modeOf("directory")]).toEqual([0o600, 0o700])
  })

  test("is refused for a pipe, a socket and what is no mode, and leaves no descriptor open", async () => {
    execFileSync("mkfifo", [at("pipe")])
    fs.writeFileSync(at("f"), "", { mode: 0o600 })
    const server = net.createServer()
    await new Promise<void>((resolve) => server.listen(at("socket"), resolve))
    const before = fs.readdirSync("/proc/self/fd").length
    try {
      for (const name of ["pipe", "socket"]) {
        expect([name, refused(() => disk.setMode(at(name), 0o600))]).toEqual([name, "setMode ENOTREG"])
        expect([name, refused(() => disk.setModified(at(name), 0n))]).toEqual([name, "setModified ENOTREG"])
      }
      for (const mode of [0o10000, -1, 0.5, Number.NaN]) {
        expect(refused(() => disk.setMode(at("f"), mode))).toBe("setMode EINVAL")
      }
      expect(refused(() => disk.setMode(at("none"), 0o600))).toBe("setMode ENOENT")
      expect(fs.readdirSync("/proc/self/fd").length).toBe(before)
      expect(modeOf("f")).toBe(0o600)
    } finally {
      server.close()
    }
  })
})

describe("a time that is set", () => {
  const times: ReadonlyArray<bigint> = [
    ...[0n, 1n, 999n, 1_000n, 1_700_000_000_000_000_000n, 1_700_000_000_000_000_999n, 1_700_000_000_123_456_000n],
    ...[1_700_000_000_999_999_999n, 1_764_532_182_000_001_001n, 2_147_483_646_999_999_001n],
    ...Array.from({ length: 200 }, (_, at) => 1_700_000_000_000_000_000n + BigInt(at) * 7_919_000_123_457n),
  ]

  test("keeps its microsecond, on a file and on a directory", () => {
    fs.writeFileSync(at("f"), "")
    for (const path of [at("f"), root]) {
      for (const time of times) {
        disk.setModified(path, time)
        expect([time, micro(disk.lstat(path)?.modified)]).toEqual([time, micro(time)])
      }
    }
  })

  test("may lie before the epoch", () => {
    fs.writeFileSync(at("f"), "")
    disk.setModified(at("f"), -1_500_000_000n)
    expect(disk.lstat(at("f"))?.modified).toBe(-1_500_000_000n)
    disk.setModified(at("f"), -1n)
    const found = disk.lstat(at("f"))?.modified ?? 0n
    expect(found).toBeGreaterThanOrEqual(-1_000n)
    expect(found).toBeLessThan(0n)
  })

  test("is exact where the system call can be, and leaves the access time and the bytes alone", () => {
    fs.writeFileSync(at("f"), "bytes")
    fs.utimesSync(at("f"), 1_600_000_000.25, 1)
    for (const time of [1_700_000_000_000_000_000n, 1_700_000_000_500_000_000n, 1_700_000_000_123_456_789n]) {
      disk.setModified(at("f"), time)
      const stat = fs.lstatSync(at("f"), { bigint: true })
      expect(stat.atimeNs).toBe(1_600_000_000_250_000_000n)
      if (time % 500_000_000n === 0n) expect(stat.mtimeNs).toBe(time)
    }
    disk.setMode(at("f"), 0o640)
    expect(disk.lstat(at("f"))?.modified).toBeGreaterThan(1_700_000_000_000_000_000n)
    expect(fs.readFileSync(at("f"), "utf8")).toBe("bytes")
  })

  test("does not wander when it is read and set again, and neither does the access time", () => {
    fs.writeFileSync(at("f"), "")
    fs.utimesSync(at("f"), 1_600_000_000.123_456, 1)
    const first = fs.lstatSync(at("f"), { bigint: true }).atimeNs
    for (const time of times) {
      disk.setModified(at("f"), time)
      const found = fs.lstatSync(at("f"), { bigint: true })
      disk.setModified(at("f"), found.mtimeNs)
      const again = fs.lstatSync(at("f"), { bigint: true })
      expect([time, again.mtimeNs, again.atimeNs]).toEqual([time, found.mtimeNs, first])
    }
  })

  test("is refused for a link and for what is missing", () => {
    fs.writeFileSync(at("f"), "")
    fs.symlinkSync(at("f"), at("link"))
    const before = disk.lstat(at("f"))?.modified
    expect(refused(() => disk.setModified(at("link"), 0n))).toBe("setModified ELOOP")
    expect(refused(() => disk.setModified(at("none"), 0n))).toBe("setModified ENOENT")
    expect(disk.lstat(at("f"))?.modified).toBe(before)
  })
})

describe("the removal of a directory", () => {
  test("removes an empty one and nothing else", () => {
    disk.makeDirectory(at("d/inner"))
    fs.writeFileSync(at("f"), "")
    fs.symlinkSync(at("d"), at("way"))
    expect(refused(() => disk.removeDirectory(at("d")))).toBe("removeDirectory ENOTEMPTY")
    expect(refused(() => disk.removeDirectory(at("f")))).toBe("removeDirectory ENOTDIR")
    expect(refused(() => disk.removeDirectory(at("way")))).toBe("removeDirectory ENOTDIR")
    expect(refused(() => disk.removeDirectory(at("none")))).toBe("removeDirectory ENOENT")
    disk.removeDirectory(at("d/inner"))
    disk.removeDirectory(at("d"))
    expect(disk.list(root)).toEqual(["f", "way"])
  })
})
