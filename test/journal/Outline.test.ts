/** Outlines of large files, whose bytes are read into the scanner's memory: lines over several chunks, long lines, damage between them. */
import { assert, describe, it } from "vitest"
import type { Disk } from "../../src/disk/Disk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { digests } from "../../src/journal/Digests.ts"
import { CHAIN_START, sealOf } from "../../src/journal/Integrity.ts"
import { Outline } from "../../src/journal/Outline.ts"
import { type ReadOptions, readJournal } from "../../src/journal/Reader.ts"
import { SCAN_FROM_BYTES } from "../../src/model/Limits.ts"

const PATH = "/s/large.jsonl"

const line = (n: number, text: string): string => `${JSON.stringify({ type: "note", id: `n${n}`, text, n: -0.5 })}\n`

/** Some five megabytes: short lines, long ones, one over two chunks and a half, damage, and a last line without its newline. */
const large = (): string => {
  const lines: Array<string> = []
  let bytes = 0
  for (let n = 0; bytes <= SCAN_FROM_BYTES; n++) {
    const text = `line ${n}\n"quoted" \\ é 𝄞 blob:x `.repeat(1 + (n % 97))
    const made = n === 40 ? line(n, text.repeat(1_500)) : line(n, text)
    bytes += made.length
    lines.push(made)
    if (n % 211 === 7) lines.push("not a record\n", '{"a":1} {"b":2}\n', "\0\0\0\n", '  {"blanks":1} \r\n', '{"\\u0061":1}\n')
  }
  return `${lines.join("")}{"id":"last"}`
}

const read = (text: string, options: ReadOptions = {}): { readonly items: ReadonlyArray<unknown>; readonly outlined: number } => {
  const reading = readJournal(new SimulatedDisk({ [PATH]: text }), PATH, options)
  const items: Array<unknown> = []
  let outlined = 0
  for (;;) {
    const next = reading.next()
    if (next.done) return { items: [...items, next.value], outlined }
    if (next.value._tag === "Progress") continue
    if (next.value._tag === "Damage") items.push(next.value)
    else {
      const { value, raw, offset, length, line: at, outline } = next.value.record
      if (outline !== undefined) outlined++
      items.push({ value, raw, offset, length, at, id: outline?.text("id") ?? value["id"] })
    }
  }
}

describe("a file with seals told by outlines", () => {
  it("has the same records and damages: sealed, without a seal, edited and lost", () => {
    let chain = CHAIN_START
    const texts = Array.from({ length: 40 }, (_, n) => line(n, `text ${n}`).trimEnd()).map((text, n) => {
      const { member, state } = sealOf(digests, chain, text)
      chain = state
      return member === undefined || n % 7 === 3 ? text : `${text.slice(0, -1)}${member}}`
    })
    const spoilt = texts.map((text, n) => (n === 12 ? text.replace("text 12", "test 12") : text)).filter((_, n) => n !== 20)
    const text = `${spoilt.join("\n")}\n`
    const told = read(text, { outline: new Outline() })
    assert.deepEqual(told.items, read(text).items)
    assert.include(JSON.stringify(told.items.slice(0, -1)), "edited")
    assert.include(JSON.stringify(told.items.slice(0, -1)), "lost-records")
    assert.isAbove(told.outlined, 3)
  })
})

describe("a large file told by outlines", () => {
  const text = large()
  const full = read(text)

  it("has the records and damages of one that is parsed, whatever the chunks", () => {
    for (const chunkBytes of [undefined, 70_001, 300_000]) {
      const outline = new Outline({ prefixes: ["blob:", "openai"] })
      const told = read(text, { outline, chunkBytes })
      assert.deepEqual(told.items, full.items)
      assert.isAbove(told.outlined, 1_000)
    }
  })

  it("is told as well without a room: for a prefix or a depth that the scanner does not take", () => {
    for (const options of [{ prefixes: ["longer than sixteen bytes"] }, { prefixes: ["a", "b", "c"] }, { maxDepth: 5_000 }]) {
      const outline = new Outline(options)
      assert.isUndefined(outline.room(1_024))
      const told = read(text, { outline, maxDepth: options.maxDepth })
      assert.deepEqual(told.items, full.items)
      assert.isAbove(told.outlined, 1_000)
    }
  })

  it("leaves a long text in the file until its record is asked for", () => {
    const before = line(1, "short").repeat(70_000)
    const long = line(2, 'x\n"é" '.repeat(600_000))
    const disk = new SimulatedDisk({ [PATH]: `${before}${long}${line(3, "behind")}` })
    const reads: Array<readonly [position: number, length: number]> = []
    const watched: Disk = {
      ...disk,
      open: (path, mode) => disk.open(path, mode),
      stat: (handle) => disk.stat(handle),
      close: (handle) => disk.close(handle),
      read: (handle, into, position) => {
        reads.push([position, into.length])
        return disk.read(handle, into, position)
      },
    }
    const outline = new Outline()
    const found: Array<{ readonly id: string | undefined; readonly length: number; readonly raw: string | undefined }> = []
    for (const item of readJournal(watched, PATH, { outline })) {
      if (item._tag !== "Record" || item.record.offset < before.length) continue
      const { record } = item
      const [id, known] = [record.outline?.text("id"), reads.length]
      const raw = id === "n2" ? record.raw : undefined
      found.push({ id, length: record.length, raw })
      if (raw !== undefined) assert.deepEqual(reads.slice(known), [[record.offset, record.length]])
    }
    const bytes = Buffer.byteLength(long) - 1
    assert.deepEqual(
      found.map(({ id, length }) => [id, length]),
      [
        ["n2", bytes],
        ["n3", line(3, "behind").length - 1],
      ],
    )
    assert.equal(found[0]?.raw, long.trimEnd())
    // What was kept of it to prove it.
    assert.isUndefined(reads.find(([, length]) => length > 1 << 20 && length !== bytes))
    assert.isBelow(outline.aside(0)?.buffer.byteLength ?? Number.POSITIVE_INFINITY, 1 << 20)
  })

  it("keeps what a longer line began with when its memory grows", () => {
    const outline = new Outline()
    assert.isDefined(outline.room(1_024))
    outline.aside(8)?.set([1, 2, 3, 4, 5, 6, 7, 8])
    const grown = outline.aside(1 << 20)
    assert.deepEqual([...(grown ?? []).slice(0, 8)], [1, 2, 3, 4, 5, 6, 7, 8])
    assert.isUndefined(outline.aside(64 << 20))
  })
})
