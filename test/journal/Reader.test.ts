import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { bytesOf } from "../../laws/arbitraries/bytes.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { ReadError, type ReadItem, type ReadOptions, type ReadSummary, readJournal } from "../../src/journal/Reader.ts"
import { bind, virtualDisk, withEvent } from "./disks.ts"

const path = "/home/session.jsonl"

const readAll = (disk: Disk, options?: ReadOptions, name = path) => {
  const items: Array<ReadItem> = []
  const reading = readJournal(disk, name, options)
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done) return { items, summary: next.value }
    items.push(next.value)
  }
}

const rawsOf = (items: ReadonlyArray<ReadItem>) => items.flatMap((item) => (item._tag === "Record" ? [item.record.raw] : []))

/** The last record and the summary of a file too large to keep its items. */
const lastOf = (
  disk: Disk,
  options?: ReadOptions,
): { readonly raw: string; readonly offset: number; readonly summary: ReadSummary } => {
  const reading = readJournal(disk, path, options)
  let [raw, offset] = ["", -1]
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done) return { raw, offset, summary: next.value }
    if (next.value._tag === "Record") [raw, offset] = [next.value.record.raw, next.value.record.offset]
  }
}

const reasonOf = (run: () => unknown): ReadError => {
  try {
    run()
  } catch (cause) {
    if (cause instanceof ReadError) return cause
    throw cause
  }
  throw new Error("nothing was refused")
}

const temporary = (): string => {
  const folder = fs.mkdtempSync(join(tmpdir(), "annals-reader-"))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe("readJournal", () => {
  test("gives records, damages and progress in file order, then the summary", () => {
    const disk = new SimulatedDisk({ [path]: '{"a":1}\noops\n{"b":2}' })
    const { items, summary } = readAll(disk, { chunkBytes: 8 })
    expect(items.map((item) => (item._tag === "Progress" ? `${item.done}/${item.total}` : item._tag))).toEqual([
      "Record",
      "8/20",
      "Damage",
      "16/20",
      "20/20",
      "Record",
    ])
    expect(summary).toMatchObject({
      path,
      bytes: 20,
      lines: 3,
      records: 2,
      damages: 1,
      endsWithNewline: false,
      lastGoodEnd: 20,
      hasBom: false,
      isUtf16: false,
      tail: undefined,
    })
    const { device, inode, size, modified } = disk.lstat(path) ?? {}
    expect(summary.identity).toEqual({ device, inode, size, modified })
  })

  test("lastGoodEnd is behind the newline of the last record, when that follows it", () => {
    const endOf = (text: string): number => readAll(new SimulatedDisk({ [path]: text })).summary.lastGoodEnd
    expect(endOf("")).toBe(0)
    expect(endOf("oops\n")).toBe(0)
    expect(endOf("{}\n")).toBe(3)
    expect(endOf("{}")).toBe(2)
    expect(endOf("{} \r\n\n\n")).toBe(5)
    expect(endOf("{}\n{}\noops\n{")).toBe(6)
    expect(endOf("{}oops\n")).toBe(2)
    expect(endOf("{}\0\n")).toBe(2)
    expect(endOf('{"type":"x","t":"a\nb"}\n{')).toBe(23)
  })

  test("changes nothing and leaves no handle open, also when it is left in the middle", () => {
    const disk = new SimulatedDisk({ [path]: "{}\n".repeat(50) })
    const before = disk.lstat(path)
    for (const item of readJournal(disk, path, { chunkBytes: 10 })) if (item._tag === "Progress") break
    expect(disk.handles).toBe(0)
    readAll(disk)
    expect(disk.handles).toBe(0)
    expect(disk.lstat(path)).toEqual(before)
    expect(disk.text(path)).toBe("{}\n".repeat(50))
  })

  test("a disk that gives fewer bytes than asked for is asked again", () => {
    const text = '{"a":"é"}\n{"b":2}\n'
    const disk = new SimulatedDisk({ [path]: text })
    const slow: Disk = { ...bind(disk), read: (handle, into, at) => disk.read(handle, into.subarray(0, 1), at) }
    expect(rawsOf(readAll(slow).items)).toEqual(['{"a":"é"}', '{"b":2}'])
  })
})

describe("a file that changes while it is read", () => {
  const text = `${"x".repeat(9_000)}\n{"a":1}\n`
  const options = { chunkBytes: 4_096 }

  test("what is appended is not seen", () => {
    const disk = new SimulatedDisk({ [path]: text })
    const growing = withEvent(disk, 2, () => {
      const handle = disk.open(path, "append")
      disk.write(handle, bytesOf('{"late":1}\n'))
      disk.close(handle)
    })
    const { items, summary } = readAll(growing, options)
    expect(rawsOf(items)).toEqual(['{"a":1}'])
    expect(summary.bytes).toBe(text.length)
  })

  test.each([1, 2, 3])("a file that got shorter before read %i has changed", (nth) => {
    const disk = new SimulatedDisk({ [path]: text })
    const shrinking = withEvent(disk, nth, () => {
      const handle = disk.open(path, "append")
      disk.truncate(handle, 100)
      disk.close(handle)
    })
    expect(reasonOf(() => readAll(shrinking, options)).code).toBe("read.changed")
    expect(disk.handles).toBe(0)
  })

  test("no record is made of bytes that were not there any more", () => {
    const disk = new SimulatedDisk({ [path]: `${'{"a":1}\n'.repeat(4)}` })
    const shrinking = withEvent(disk, 2, () => {
      const handle = disk.open(path, "append")
      disk.truncate(handle, 16)
      disk.close(handle)
    })
    const seen: Array<ReadItem> = []
    const read = () => {
      for (const item of readJournal(shrinking, path, { chunkBytes: 16 })) seen.push(item)
    }
    expect(reasonOf(read).code).toBe("read.changed")
    expect(rawsOf(seen)).toHaveLength(2)
  })

  test("a file that got shorter behind what was read, its time set back, has changed", () => {
    const disk = new SimulatedDisk({ [path]: text })
    let stats = 0
    const setBack: Disk = { ...bind(disk), stat: (handle) => ({ ...disk.stat(handle), size: text.length - stats++ }) }
    expect(reasonOf(() => readAll(setBack)).code).toBe("read.changed")
  })

  test("so has one that was cut and written again to the same length or more", () => {
    for (const more of ["", "more\n"]) {
      const disk = new SimulatedDisk({ [path]: text })
      const rewriting = withEvent(disk, 2, () => {
        const handle = disk.open(path, "append")
        disk.truncate(handle, 0)
        disk.write(handle, bytesOf("y".repeat(text.length) + more))
        disk.close(handle)
      })
      expect(reasonOf(() => readAll(rewriting, options)).code).toBe("read.changed")
    }
  })

  test("a name that is given to another file does no harm", () => {
    const disk = new SimulatedDisk({ [path]: text, "/home/other": "{}\n" })
    const replaced = withEvent(disk, 2, () => disk.rename("/home/other", path))
    expect(rawsOf(readAll(replaced, options).items)).toEqual(['{"a":1}'])
  })
})

describe("what is no file to read", () => {
  test("a name without a file", () => {
    const error = reasonOf(() => readAll(new SimulatedDisk(), {}, "/nowhere"))
    expect(error).toMatchObject({ _tag: "ReadError", path: "/nowhere", reason: { _tag: "NotFound", code: "read.not_found" } })
    expect(error.message).toBe("/nowhere: there is no such file")
    const folder = temporary()
    fs.writeFileSync(join(folder, "file"), "")
    expect(reasonOf(() => readAll(nodeDisk, {}, join(folder, "file", "below"))).code).toBe("read.not_found")
  })

  test("links, directories, pipes, sockets and devices are refused without waiting", async () => {
    const folder = temporary()
    const place = (name: string): string => join(folder, name)
    fs.writeFileSync(place("file"), "{}\n")
    fs.symlinkSync(place("file"), place("link"))
    fs.symlinkSync(place("nowhere"), place("dangling"))
    fs.mkdirSync(place("directory"))
    execFileSync("mkfifo", [place("pipe")])
    const server = net.createServer()
    await new Promise<void>((resolve) => server.listen(place("socket"), resolve))
    onTestFinished(() => void server.close())
    const names = [...["link", "dangling", "directory", "pipe", "socket"].map(place), "/dev/full", "/dev/null"]
    for (const name of names) expect([name, reasonOf(() => readAll(nodeDisk, {}, name)).code]).toEqual([name, "read.not_a_file"])
    expect(rawsOf(readAll(nodeDisk, {}, place("file")).items)).toEqual(["{}"])
  })

  test("a refusal of the disk keeps its code, and the handle is given back", () => {
    for (const operation of ["open", "stat", "read"] as const) {
      const disk = new SimulatedDisk({ [path]: "{}\n" })
      disk.fail((call) => call.operation === operation, "EIO")
      expect(reasonOf(() => readAll(disk)).reason).toEqual({ _tag: "Unreadable", code: "read.unreadable", system: "EIO" })
      expect(disk.handles).toBe(0)
    }
  })

  test("a refusal to close says nothing about what was read", () => {
    const disk = new SimulatedDisk({ [path]: "{}\n" })
    disk.fail((call) => call.operation === "close", "EIO")
    expect(rawsOf(readAll(disk).items)).toEqual(["{}"])
  })
})

describe("sizes", () => {
  const record = bytesOf('{"type":"end","t":"x"}\n')

  test("a hole of gigabytes with one record at the end: one damage, one record, in one buffer", () => {
    const size = 5 * 2 ** 30
    const at = size - record.length
    const disk = virtualDisk(size, (into, position) => {
      into.fill(0)
      if (position + into.length > at) into.set(record.subarray(Math.max(0, position - at)), Math.max(0, at - position))
    })
    const { raw, offset, summary } = lastOf(disk)
    expect([raw, offset]).toEqual(['{"type":"end","t":"x"}', at])
    expect(summary).toMatchObject({ bytes: size, records: 1, damages: 1, lines: 1, endsWithNewline: true })
    expect(disk.handles()).toBe(0)
  })

  test("a line of hundreds of megabytes is passed over, the one behind it is read", () => {
    const size = 600 << 20
    const at = size - record.length
    const disk = virtualDisk(size, (into, position) => {
      into.fill(0x78)
      if (position <= at - 1 && at - 1 < position + into.length) into[at - 1 - position] = 0x0a
      if (position + into.length > at) into.set(record.subarray(Math.max(0, position - at)), Math.max(0, at - position))
    })
    const { offset, summary } = lastOf(disk, { maxLineBytes: 1 << 20 })
    expect(offset).toBe(at)
    expect(summary).toMatchObject({ records: 1, damages: 1, lines: 2 })
  })

  test("a million short lines", () => {
    const lines = 1_000_000
    const disk = virtualDisk(3 * lines, (into, position) => {
      for (let i = 0; i < into.length; i++) into[i] = [0x7b, 0x7d, 0x0a][(position + i) % 3] as number
    })
    const { offset, summary } = lastOf(disk)
    expect(offset).toBe(3 * lines - 3)
    expect(summary).toMatchObject({ records: lines, damages: 0, lines })
  })
})
