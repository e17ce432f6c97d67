import { assert, describe, it } from "vitest"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import type { Part, PartMode } from "../../src/writer/Protocol.ts"
import { makeWriterCore } from "../../src/writer/WriterCore.ts"

const PATH = "/s.jsonl"
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const setUp = (content: string) => {
  const disk = new SimulatedDisk({ [PATH]: content })
  const stat = disk.lstat(PATH)
  if (stat === undefined) throw new Error("missing")
  const identity = { device: stat.device, inode: stat.inode }
  const run = (text: string, at: number, mode: PartMode) => {
    const part: Part = { file: 1, path: PATH, identity, at, bytes: bytes(text), mode, sync: true }
    return makeWriterCore(disk).run({ kind: "commit", parts: [part] }).outcomes[0]
  }
  return { disk, run }
}

describe("a part that is carried out again", () => {
  it("writes what is missing and nothing twice, wherever the first attempt stopped", () => {
    const text = "one\ntwo\n"
    for (let there = 0; there <= text.length; there++) {
      const { disk, run } = setUp(`h\n${text.slice(0, there)}`)
      assert.include(run(text, 2, "resume"), { ok: true, length: 2 + text.length })
      assert.equal(disk.text(PATH), `h\n${text}`)
    }
  })

  it("stops at bytes that are not its own, and leaves them", () => {
    for (const other of ["onx", "one\ntwX\n", "one\ntwo\nthree\n"]) {
      const { disk, run } = setUp(`h\n${other}`)
      assert.include(run("one\ntwo\n", 2, "resume"), { ok: false, certainty: "torn", code: "ECHANGED" })
      assert.equal(disk.text(PATH), `h\n${other}`)
    }
  })

  it("is not carried out at all behind bytes that it does not expect, unless it says so", () => {
    const { disk, run } = setUp("h\none\n")
    assert.include(run("one\ntwo\n", 2, "append"), { ok: false, certainty: "not-written", code: "ECHANGED" })
    assert.equal(disk.text(PATH), "h\none\n")
  })
})

describe("a replacement after a failed sync", () => {
  it("is the synced beginning and the records in memory, in a new file", () => {
    const { disk, run } = setUp("h\nuncertain bytes")
    const before = disk.lstat(PATH)?.inode
    assert.include(run("one\n", 2, "replace"), { ok: true, length: 6, synced: true })
    assert.equal(disk.text(PATH), "h\none\n")
    assert.notEqual(disk.lstat(PATH)?.inode, before)
  })

  it("is taken over when an attempt that was cut off has finished it, and only then", () => {
    const finished = setUp("h\none\n")
    finished.disk.put(PATH, "h\none\n")
    assert.include(finished.run("one\n", 2, "replace"), { ok: true, length: 6 })
    const foreign = setUp("h\none\n")
    foreign.disk.put(PATH, "h\ntwo\n")
    assert.include(foreign.run("one\n", 2, "replace"), { ok: false, code: "ECHANGED" })
    assert.equal(foreign.disk.text(PATH), "h\ntwo\n")
  })
})
