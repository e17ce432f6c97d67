import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { ensurePrivateFile } from "../../src/disk/Directory.ts"
import { loadNative } from "../../src/disk/KoffiPort.ts"
import { type NamePort, plainPort } from "../../src/disk/NativePort.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { grantTo } from "./accessList.ts"

let root = ""
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "annals-native-"))
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const file = (name: string, text: string): string => {
  const path = join(root, name)
  fs.writeFileSync(path, text, { mode: 0o600 })
  return path
}
const at = (name: string): string => join(root, name)
const texts = (): Record<string, string> =>
  Object.fromEntries(fs.readdirSync(root).map((name) => [name, fs.readFileSync(at(name), "utf8")]))

const native = await loadNative()
const ports: ReadonlyArray<readonly [string, NamePort]> = [
  ["native", native],
  ["plain", plainPort(nodeDisk)],
]

describe.each(ports)("names and rights, %s", (name, port) => {
  test("a free name is given, and the first one is gone", () => {
    port.renameNew(file("a", "one"), at("b"))
    expect(texts()).toEqual({ b: "one" })
    expect(fs.statSync(at("b")).nlink).toBe(1)
  })

  test("a name that is taken keeps what it has, also when that is a link to nothing", () => {
    const from = file("a", "one")
    file("b", "two")
    fs.symlinkSync(at("nowhere"), at("c"))
    for (const to of ["b", "c"])
      expect(() => port.renameNew(from, at(to))).toThrow(expect.objectContaining({ name: "DiskFault", code: "EEXIST" }))
    fs.unlinkSync(at("c"))
    expect(texts()).toEqual({ a: "one", b: "two" })
  })

  test("what is not there is told by the system's code", () => {
    const missing = expect.objectContaining({ name: "DiskFault", code: "ENOENT" })
    expect(() => port.renameNew(at("a"), at("b"))).toThrow(missing)
    expect(() => port.renameNew(file("a", ""), at("none/b"))).toThrow(missing)
    expect(() => port.accessList(at("z"))).toThrow(missing)
  })

  test("two names are swapped in one step or not at all", () => {
    const one = file("a", "one")
    const two = file("b", "two")
    if (name === "native") {
      port.exchange(one, two)
      expect(texts()).toEqual({ a: "two", b: "one" })
      expect(() => port.exchange(one, at("z"))).toThrow(expect.objectContaining({ code: "ENOENT", operation: "exchange" }))
    } else {
      expect(() => port.exchange(one, two)).toThrow(expect.objectContaining({ code: "ENOTSUP" }))
      expect(texts()).toEqual({ a: "one", b: "two" })
    }
  })

  test("a file that only its owner may read has no list that lets others in", () => {
    expect(port.accessList(file("a", ""))).toBe("none")
  })

  test("a list that lets somebody in is not overlooked, and a private mode takes its effect away", async ({ annotate }) => {
    const path = file("a", "")
    if (!grantTo(path, 12_345)) return void (await annotate("left out: no access lists on this file system"))
    expect(port.accessList(path)).toBe(name === "native" ? "extended" : "unknown")
    // The group's bits are the mask of the list: without them nobody in it has a right.
    expect(fs.statSync(path).mode & 0o070).not.toBe(0)
    ensurePrivateFile(nodeDisk, path)
    expect(fs.statSync(path).mode & 0o777).toBe(0o600)
    if (name === "plain") expect(port.accessList(path)).toBe("none")
  })
})

test("a file system without such lists says so instead of none", () => {
  expect(native.accessList("/proc/version")).toBe("unknown")
})
