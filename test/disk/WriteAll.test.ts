import { expect, test } from "vitest"
import { DiskFault } from "../../src/disk/Disk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { writeAll } from "../../src/disk/WriteAll.ts"

/** A disk that takes at most so many bytes a write and refuses none. */
const slow = (most: number) => {
  const disk = new SimulatedDisk()
  const calls: Array<number> = []
  const write: SimulatedDisk["write"] = (handle, bytes) => {
    calls.push(bytes.length)
    return most === 0 ? 0 : disk.write(handle, bytes.subarray(0, most))
  }
  return { disk, calls, port: Object.assign(Object.create(disk), { write }) as SimulatedDisk }
}

const text = (value: string) => new TextEncoder().encode(value)

test("bytes that fit go in with one write", () => {
  const { disk, calls, port } = slow(100)
  writeAll(port, disk.open("/f", "create"), text("hello"))
  expect(calls).toEqual([5])
  expect(disk.text("/f")).toBe("hello")
})

test("a short write is continued where it ended", () => {
  const { disk, calls, port } = slow(2)
  writeAll(port, disk.open("/f", "create"), text("hello"))
  expect(calls).toEqual([5, 3, 1])
  expect(disk.text("/f")).toBe("hello")
})

test("no bytes need no write", () => {
  const { disk, calls, port } = slow(2)
  writeAll(port, disk.open("/f", "create"), text(""))
  expect(calls).toEqual([])
})

test("a disk that takes nothing and gives no reason is refused instead of asked for ever", () => {
  const { disk, port } = slow(0)
  expect(() => writeAll(port, disk.open("/f", "create"), text("hello"))).toThrow(new DiskFault("write", "/f", "EIO"))
})

test("a refusal after a short write passes with its code, and what went in is in the file", () => {
  const disk = new SimulatedDisk()
  disk.fail((call) => call.operation === "write", "ENOSPC", { short: 3 })
  expect(() => writeAll(disk, disk.open("/f", "create"), text("hello"))).toThrow("ENOSPC")
  expect(disk.text("/f")).toBe("hel")
})
