import { describe, expect, test } from "vitest"
import { bytesOf, concat, inChunks } from "../../laws/arbitraries/bytes.ts"
import { type Piece, Splitter } from "../../src/journal/Splitter.ts"

const split = (chunks: ReadonlyArray<Uint8Array>, maxLineBytes?: number): ReadonlyArray<unknown> => {
  const splitter = new Splitter({ maxLineBytes })
  const show = (piece: Piece) => {
    const { line, offset, startsLine, ended } = piece
    const what = piece._tag === "Segment" ? new TextDecoder().decode(piece.bytes) : `${piece._tag} ${piece.length}`
    return [what, line, offset, startsLine, ended]
  }
  const pieces: Array<unknown> = []
  for (const chunk of chunks) for (const piece of splitter.push(chunk)) pieces.push(show(piece))
  for (const piece of splitter.end()) pieces.push(show(piece))
  return pieces
}

const ofText = (text: string, size = 1_000, maxLineBytes?: number) => split(inChunks(bytesOf(text), [size]), maxLineBytes)

describe("Splitter", () => {
  test("nothing gives nothing", () => {
    expect(ofText("")).toEqual([])
  })

  test("only the newline byte ends a line", () => {
    const line = "a\rb\u2028c\u2029d\u0085e\u000bf\u000cg\u001ch\ufeff"
    expect(ofText(`${line}\nx\r\n\ny`)).toEqual([
      [line, 1, 0, true, "newline"],
      ["x\r", 2, 24, true, "newline"],
      ["", 3, 27, true, "newline"],
      ["y", 4, 28, true, "end"],
    ])
  })

  test.each([1, 2, 3, 5, 100])("NUL runs stand between segments, in chunks of %i", (size) => {
    expect(ofText("a\0\0b\0\nc\n\0\0\0\nd\0", size)).toEqual([
      ["a", 1, 0, true, "nul"],
      ["NulRun 2", 1, 1, false, "bytes"],
      ["b", 1, 3, false, "nul"],
      ["NulRun 1", 1, 4, false, "newline"],
      ["c", 2, 6, true, "newline"],
      ["NulRun 3", 3, 8, true, "newline"],
      ["d", 4, 12, true, "nul"],
      ["NulRun 1", 4, 13, false, "end"],
    ])
  })

  test.each([1, 3, 4, 1_000])("a line above the limit is counted and not kept, in chunks of %i", (size) => {
    expect(ofText(`1234\n12345\n${"x".repeat(50)}\0ab\n123456`, size, 4)).toEqual([
      ["1234", 1, 0, true, "newline"],
      ["Oversize 5", 2, 5, true, "newline"],
      ["Oversize 50", 3, 11, true, "nul"],
      ["NulRun 1", 3, 61, false, "bytes"],
      ["ab", 3, 62, false, "newline"],
      ["Oversize 6", 4, 65, true, "end"],
    ])
  })

  test("a segment inside a chunk is a view, one across chunks is put together", () => {
    const splitter = new Splitter()
    const chunk = bytesOf("abc\nde")
    const [first] = [...splitter.push(chunk)]
    expect(first?._tag === "Segment" && first.bytes.buffer === chunk.buffer).toBe(true)
    const [second] = [...splitter.push(bytesOf("fg\n"))]
    expect(second?._tag === "Segment" && new TextDecoder().decode(second.bytes)).toBe("defg")
  })

  test("gigabytes of NUL cost no memory, and offsets go beyond 32 bits", () => {
    const splitter = new Splitter()
    const zeros = new Uint8Array(1 << 20)
    for (let i = 0; i < 4_100; i++) expect([...splitter.push(zeros)]).toEqual([])
    const [run, segment] = [...splitter.push(bytesOf("{}\n"))]
    expect(run).toEqual({ _tag: "NulRun", line: 1, offset: 0, startsLine: true, length: 4_100 * 2 ** 20, ended: "bytes" })
    expect(segment).toMatchObject({ offset: 4_100 * 2 ** 20, startsLine: false, ended: "newline" })
  })

  test("a run of NULs that begins and ends at any alignment is counted exactly", () => {
    for (let before = 0; before < 9; before++) {
      for (let length = 1; length < 20; length++) {
        const bytes = concat([bytesOf("x".repeat(before)), new Uint8Array(length), bytesOf("y\n")])
        expect(split([bytes]).at(-2)).toEqual([`NulRun ${length}`, 1, before, before === 0, "bytes"])
      }
    }
  })

  // Looking for the newline again after each NUL would take minutes here.
  test("NULs between all bytes before a newline far away are split in linear time", () => {
    const bytes = new Uint8Array(2 << 20).map((_, i) => (i % 2 === 0 ? 0x61 : 0))
    bytes[bytes.length - 1] = 0x0a
    expect(split([bytes])).toHaveLength((2 << 20) - 1)
  })
})
