import { describe, expect, test } from "vitest"
import { bytesOf, concat } from "../../laws/arbitraries/bytes.ts"
import { read } from "../../laws/Reading.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import type { DecodeOptions } from "../../src/journal/Decoder.ts"
import { digests } from "../../src/journal/Digests.ts"
import { CHAIN_START, sealOf } from "../../src/journal/Integrity.ts"
import { readJournal } from "../../src/journal/Reader.ts"
import { READ_CHUNK_BYTES } from "../../src/model/Limits.ts"

/** Files as disks, editors and other programs have left them, and what is read of each. */

const header = '{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/"}'
const one = '{"type":"message","id":"a1","parentId":null,"timestamp":"t","message":{"role":"user","content":"é🌿"}}'
const two = '{"type":"message","id":"b2","parentId":"a1","timestamp":"t","message":{"role":"user","content":"}{"}}'
const nul = (length: number): Uint8Array => new Uint8Array(length)

const file = (...parts: ReadonlyArray<string | Uint8Array>): Uint8Array =>
  concat(parts.map((part) => (typeof part === "string" ? bytesOf(part) : part)))

const see = (bytes: Uint8Array, options?: DecodeOptions) => {
  const { records, damages, summary } = read([bytes], options)
  return {
    raws: records.map(({ raw }) => raw),
    damages: damages.map(({ kind, line, offset, length }) => `${kind} line ${line} at ${offset}+${length}`),
    summary,
  }
}

const clean = (...raws: ReadonlyArray<string>) => ({ raws, damages: [] })

describe("ends of files", () => {
  test("an empty file is new, not damaged", () => {
    expect(see(file())).toMatchObject({ ...clean(), summary: { bytes: 0, lines: 0, endsWithNewline: true, tail: undefined } })
  })

  test("a file of one newline is empty", () => {
    expect(see(file("\n"))).toMatchObject({ ...clean(), summary: { lines: 1 } })
  })

  test("a header alone, without its newline, is read", () => {
    expect(see(file(header))).toMatchObject({ ...clean(header), summary: { endsWithNewline: false, tail: undefined } })
  })

  test("a last line that was cut inside a string is torn, and so is one behind a byte order mark", () => {
    expect(see(file(header, "\n", one.slice(0, 70)))).toMatchObject({
      raws: [header],
      damages: ["torn-tail line 2 at 66+70"],
      summary: { tail: { offset: 66, length: 70, startsLine: true } },
    })
    expect(see(file("\ufeff", header.slice(0, 9))).damages).toEqual(["torn-tail line 1 at 3+9"])
  })

  test("a cut inside a character leaves no half of it in any record", () => {
    const bytes = file(header, "\n", one)
    const at = bytes.indexOf(0xf0)
    for (let cut = at - 1; cut <= at + 3; cut++) {
      const { raws, damages } = see(bytes.slice(0, cut))
      expect(raws).toEqual([header])
      expect(damages).toEqual([`torn-tail line 2 at 66+${cut - 66}`])
    }
  })

  test("so does a cut inside an escaped pair of surrogates", () => {
    const pair = '{"type":"x","t":"\\ud83d\\udca9"}'
    for (let cut = 17; cut < pair.length; cut++) expect(see(file(header, "\n", pair.slice(0, cut))).raws).toEqual([header])
  })

  test("a last line that is complete and lacks only its newline is kept", () => {
    expect(see(file(header, "\n", one))).toMatchObject({ ...clean(header, one), summary: { endsWithNewline: false } })
  })

  test("a torn line with its newline is damage in the middle, whatever blank lines follow", () => {
    for (const blanks of ["\n", "\n\n", "\n \n\r\n"]) {
      const found = see(file(header, "\n", one.slice(0, 40), blanks))
      expect(found).toMatchObject({ raws: [header], damages: ["not-json line 2 at 66+40"], summary: { tail: undefined } })
    }
  })

  test("a file that holds nothing but a torn record gives a damage and no exception", () => {
    expect(see(file('{"session_id": "a", "status": "runni'))).toMatchObject({ raws: [], damages: ["torn-tail line 1 at 0+36"] })
  })
})

describe("lines that ran together", () => {
  test("two whole records on a line are both read", () => {
    expect(see(file(header, "\n", one, two, "\n"))).toMatchObject({
      raws: [header, one, two],
      damages: [`glued line 2 at 66+${bytesOf(one + two).length}`],
    })
  })

  test("a torn record and a whole one: the second is read", () => {
    expect(see(file(header, "\n", one.slice(0, 90), two, "\n", one, "\n"))).toMatchObject({
      raws: [header, two, one],
      damages: ["glued line 2 at 66+90"],
    })
  })

  test("a lost stretch in the middle leaves two halves of records on one line, which are reported", () => {
    expect(see(file(header, "\n", one.slice(0, 90), two.slice(20), "\n", one, "\n"))).toMatchObject({
      raws: [header, one],
      damages: [`not-json line 2 at 66+${90 + two.length - 20}`],
    })
  })

  test("a lost stretch with newlines in it leaves two lines", () => {
    expect(see(file(header, "\n", one.slice(0, 30), "\n", two.slice(20), "\n", one, "\n"))).toMatchObject({
      raws: [header, one],
      damages: ["not-json line 2 at 66+30", `not-json line 3 at 97+${two.length - 20}`],
    })
  })

  test("a lost stretch between lines cannot be seen here: what is left is read", () => {
    expect(see(file(header, "\n", two, "\n"))).toMatchObject(clean(header, two))
  })
})

describe("NUL bytes", () => {
  test.each([1, 511, 512, 4_096, 1 << 20])("a run of %i at the end", (length) => {
    const bytes = file(header, "\n", one, "\n", nul(length))
    const start = bytes.length - length
    expect(see(bytes)).toMatchObject({
      raws: [header, one],
      damages: [`nul-run line 3 at ${start}+${length}`],
      summary: { tail: { offset: start, length, startsLine: true } },
    })
  })

  test("behind a torn record both are the tail", () => {
    expect(see(file(header, "\n", one.slice(0, 40), nul(10)))).toMatchObject({
      damages: ["torn-tail line 2 at 66+40", "nul-run line 2 at 106+10"],
      summary: { tail: { offset: 66, length: 50, kind: "torn-tail", startsLine: true } },
    })
  })

  test("behind a whole record on the same line only the run is", () => {
    const start = 66 + bytesOf(one).length
    expect(see(file(header, "\n", one, nul(412)))).toMatchObject({
      raws: [header, one],
      damages: [`nul-run line 2 at ${start}+412`],
      summary: { tail: { offset: start, length: 412, startsLine: false }, lastGoodEnd: start },
    })
  })

  test("in the middle, with a line of its own or on the line of a record", () => {
    expect(see(file(header, "\n", nul(412), "\n", one, "\n"))).toMatchObject({
      raws: [header, one],
      damages: ["nul-run line 2 at 66+412"],
      summary: { tail: undefined },
    })
    expect(see(file(header, "\n", nul(412), one, "\n")).raws).toEqual([header, one])
    expect(see(file(header, nul(3), "\n", one, "\n")).raws).toEqual([header, one])
    expect(see(file(header, nul(3), one, "\n")).raws).toEqual([header, one])
  })

  test("over a part of a record and its neighbours", () => {
    const bytes = file(header, "\n", one, "\n", two, "\n", one, "\n")
    bytes.fill(0, 100, 66 + bytesOf(one).length + 30)
    expect(see(bytes)).toMatchObject({ raws: [header, one] })
    expect(see(bytes).damages).toHaveLength(3)
  })

  test("a file of nothing else holds bytes and no record", () => {
    expect(see(nul(413))).toMatchObject({
      raws: [],
      damages: ["nul-run line 1 at 0+413"],
      summary: { bytes: 413, tail: { offset: 0, length: 413 } },
    })
  })
})

describe("records that are odd and whole", () => {
  test("a checksum member, right or wrong, is a member like any other", () => {
    const checked = '{"type":"x","t":"t","_c":"00000000"}'
    expect(see(file(checked, "\n"))).toMatchObject(clean(checked))
    expect(see(file('{"type":"x","t":,"_c":"00000000"}\n')).damages).toEqual(["not-json line 1 at 0+33"])
  })

  test("a record twice, an id twice, and records out of order are given as they stand", () => {
    const other = two.replace("}{", "other")
    expect(see(file(two, "\n", two, "\n", other, "\n", one, "\n"))).toMatchObject(clean(two, two, other, one))
  })

  test("CRLF and mixed line ends, with a record longer than a chunk, keep their offsets in bytes", () => {
    const long = `{"type":"x","t":"${"é🌿\u2028".repeat(9_000)}"}`
    const bytes = file(header, "\r\n", long, "\r\n", one, "\n", two.slice(0, 20))
    const { records, damages } = read(
      Array.from({ length: Math.ceil(bytes.length / 4_096) }, (_, i) => bytes.slice(4_096 * i, 4_096 * (i + 1))),
    )
    expect(records.map(({ raw }) => raw)).toEqual([header, long, one])
    expect(records.map(({ offset, length }) => new TextDecoder().decode(bytes.subarray(offset, offset + length)))).toEqual([
      header,
      long,
      one,
    ])
    expect(damages).toMatchObject([{ kind: "torn-tail", line: 4, offset: bytes.length - 20, length: 20 }])
  })

  test("a byte order mark is skipped; UTF-16 is named and not read", () => {
    expect(see(file("\ufeff", header, "\n"))).toMatchObject({ ...clean(header), summary: { hasBom: true } })
    const utf16 = new Uint8Array(Buffer.from(`${header}\n`, "utf16le"))
    const swapped = new Uint8Array(Buffer.from(`${header}\n`, "utf16le").swap16())
    const marked = [file(new Uint8Array([0xff, 0xfe]), utf16), file(new Uint8Array([0xfe, 0xff]), swapped)]
    for (const bytes of [utf16, swapped, ...marked]) {
      const found = see(bytes)
      expect(found).toMatchObject({
        raws: [],
        damages: [`utf-16 line 1 at 0+${bytes.length}`],
        summary: { isUtf16: true, tail: undefined },
      })
    }
  })

  test("every separator of Unicode and every escaped control is text inside a string", () => {
    const odd = '{"type":"x","t":"\u2028\u2029\u0085\u00a0\\u000b\\f\\u001c\\u0000\\r\\n\u007f\ufeff"}'
    expect(see(file(odd, "\n"))).toMatchObject(clean(odd))
  })

  test("an escaped NUL and a lone surrogate survive in text and value", () => {
    const raw = '{"type":"x","t":"a\\u0000b \\ud83d"}'
    const [record] = read([file(raw, "\n")]).records
    expect(record).toMatchObject({ raw, value: { t: "a\u0000b \ud83d" } })
  })

  test("a long line among short ones is read; one above the limit is passed over and reported", () => {
    const long = `{"type":"x","t":"${"x".repeat(100_000)}"}`
    expect(see(file(one, "\n", long, "\n", two, "\n"))).toMatchObject(clean(one, long, two))
    expect(see(file(one, "\n", long, "\n", two, "\n"), { maxLineBytes: 1_000 })).toMatchObject({
      raws: [one, two],
      damages: [`oversize line 2 at ${bytesOf(one).length + 1}+${long.length}`],
    })
  })

  test("depth beyond the limit costs that line alone", () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`
    expect(see(file(one, "\n", deep, "\n", two, "\n"))).toMatchObject({
      raws: [one, two],
      damages: [`too-deep line 2 at ${bytesOf(one).length + 1}+${deep.length}`],
    })
  })

  test("keys of the prototype, double keys and numbers beyond a double keep their text and pollute nothing", () => {
    const raw = '{"__proto__":{"polluted":1},"constructor":{"prototype":2},"a":1,"a":2,"n":9007199254740993,"m":1e999,"z":-0}'
    const [record] = read([file(raw, "\n")]).records
    expect(record?.raw).toBe(raw)
    expect(Object.keys(record?.value ?? {})).toEqual(["__proto__", "constructor", "a", "n", "m", "z"])
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
    expect(record?.value["a"]).toBe(2)
  })

  test("a header of another version, a broken header and a missing one leave the other records readable", () => {
    const other = header.replace('"version":5', '"version":"999"')
    expect(see(file(other, "\n", one, "\n"))).toMatchObject(clean(other, one))
    expect(see(file("{broken header\n", one, "\n"))).toMatchObject({ raws: [one], damages: ["not-json line 1 at 0+14"] })
    expect(see(file(one, "\n", two, "\n"))).toMatchObject(clean(one, two))
  })

  test("values that are no objects are reported one by one", () => {
    expect(see(file("null\n", one, "\n42\n[]\n"))).toMatchObject({
      raws: [one],
      damages: [
        "not-object line 1 at 0+4",
        `not-object line 3 at ${bytesOf(one).length + 6}+2`,
        `not-object line 4 at ${bytesOf(one).length + 9}+2`,
      ],
    })
  })

  test("all damages of a file are found in one pass", () => {
    const bytes = file(`${one}oops\n`, "null\n", nul(3), "\n", `${one}${two}\n`, '{"cut":"x\n', `${two}\n`, '{"torn')
    expect(read([bytes]).damages.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
      "not-json 1",
      "not-object 2",
      "nul-run 3",
      "glued 4",
      "not-json 5",
      "torn-tail 7",
    ])
    expect(see(bytes).raws).toEqual([one, one, two, two])
  })
})

describe("a record spread over lines by newlines that were not escaped", () => {
  const spread =
    '{"type":"tool.execution_complete","t":"t","result":{"content":"Contents:\nrow 1\r\n\n  row \\"2\\"","b":"x\ny"}}'
  const joined = spread.replace("\r\n", "\\r\\n").replaceAll("\n", "\\n")

  test("is read as one, where it stands", () => {
    const { records, damages, summary } = read([file(one, "\n", spread, "\n", two, "\n")])
    const offset = bytesOf(one).length + 1
    expect(records).toMatchObject([{ raw: one }, { raw: joined, line: 2, offset, length: spread.length }, { raw: two, line: 7 }])
    expect(records[1]?.value["result"]).toEqual({ content: 'Contents:\nrow 1\r\n\n  row "2"', b: "x\ny" })
    expect(damages).toEqual([{ line: 2, offset, length: spread.length, kind: "raw-newline" }])
    expect(summary.lastGoodEnd).toBe(summary.bytes)
  })

  test("at the end of the file, with or without its newline", () => {
    for (const end of ["", "\n", " \r\n"])
      expect(see(file("\ufeff", spread, end))).toMatchObject({ raws: [joined], summary: { tail: undefined } })
  })

  test("cut in its last line it is damage, line by line, and the last is the torn tail", () => {
    expect(see(file('{"type":"x","t":"a\n  b\nc'))).toMatchObject({
      raws: [],
      damages: ["not-json line 1 at 0+18", "not-json line 2 at 19+3", "torn-tail line 3 at 23+1"],
    })
  })

  test("two cut records are never joined, and a whole one is never taken for text", () => {
    const cut = one.slice(0, one.indexOf("é"))
    expect(see(file(cut, "\n", cut, "\n", one, "\n")).raws).toEqual([one])
    expect(see(file(cut, "\n", "{}\n", '"}}\n')).raws).toEqual(["{}"])
    expect(see(file(cut, "\n", two.slice(60), "\n")).raws).toEqual([])
    expect(see(file(one.slice(0, 30), "\n", two.slice(20), "\n")).raws).toEqual([])
    expect(see(file('{"type":"x","t":"a","id":"m1","content":"abc\n', 'def","id":"m9"}\n')).raws).toEqual([])
    expect(see(file(cut, nul(3), "\n", 'x"}}\n')).raws).toEqual([])
    expect(see(file(cut, "\n", nul(3), 'x"}}\n')).raws).toEqual([])
  })

  test("NULs behind its last line are damage of their own, and NULs between its lines break it", () => {
    expect(see(file('{"type":"x","t":"a\nb"}', nul(3), "\n")).raws).toEqual(['{"type":"x","t":"a\\nb"}'])
    expect(see(file('{"type":"x","t":"a\n', nul(3))).damages).toEqual(["not-json line 1 at 0+18", "nul-run line 2 at 19+3"])
    expect(see(file('{"type":"x","t":"a\nb', nul(3))).damages).toEqual([
      "not-json line 1 at 0+18",
      "torn-tail line 2 at 19+1",
      "nul-run line 2 at 20+3",
    ])
  })

  test("a line that ends with a backslash has escaped its newline away", () => {
    expect(see(file('{"type":"x","t":"a\\\nb"}\n')).raws).toEqual([])
    expect(see(file('{"type":"x","t":"a\\\r\nb"}\n')).raws).toEqual([])
    expect(see(file('{"type":"x","t":"a\\\\\nb"}\n')).raws).toEqual(['{"type":"x","t":"a\\\\\\nb"}'])
  })

  test("what does not look like a record, or is too long for one line, is left alone", () => {
    expect(see(file('{"a":"x\ny"}\n')).raws).toEqual([])
    expect(see(file('{"type":"x","t":"a\nb"}\n'), { maxLineBytes: 23 }).raws).toHaveLength(1)
    expect(see(file('{"type":"x","t":"a\nb"}\n'), { maxLineBytes: 22 }).raws).toHaveLength(0)
  })

  test("lines without end are not held without end", () => {
    const lines = `{"type":"x","t":"a\n${"b\n".repeat(10_500)}c"}\n`
    expect(see(file(lines, one, "\n")).raws).toEqual([one])
    expect(see(file(lines, one, "\n")).damages).toHaveLength(10_502)
  })
})

const path = "/home/s.jsonl"

const readAll = (disk: Disk, chunkBytes?: number) => {
  const records: Array<string> = []
  const kinds: Array<string> = []
  const reading = readJournal(disk, path, { chunkBytes })
  for (;;) {
    const next = reading.next()
    if (next.done) return { records, kinds }
    if (next.value._tag === "Record") records.push(next.value.record.raw)
    if (next.value._tag === "Damage") kinds.push(next.value.damage.kind)
  }
}

describe("chunks", () => {
  test.each([1 << 16, READ_CHUNK_BYTES])("a character, an escape and a pair of surrogates over the border at %i", (border) => {
    const odds = border === READ_CHUNK_BYTES ? ["🌿"] : ["🌿", "é", "\\u0000", "\\ud83d", "\\ud83d\\udca9"]
    for (const odd of odds) {
      const size = bytesOf(odd).length
      for (let before = 0; before <= size; before++) {
        const begun = '{"type":"x","t":"'
        const raw = `${begun}${"x".repeat(border - begun.length - before)}${odd}"}`
        const disk = new SimulatedDisk({ [path]: `${raw}\n${one}\n` })
        expect(readAll(disk, border)).toEqual({ records: [raw, one], kinds: [] })
      }
    }
  })
})

describe("records with seals", () => {
  const sealed = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
    let state = CHAIN_START
    return texts.map((text) => {
      const made = sealOf(digests, state, text)
      state = made.state
      return `${text.slice(0, -1)}${made.member}}`
    })
  }
  const [first = "", second = "", third = ""] = sealed([header, one, two])
  const on = (...parts: ReadonlyArray<string | Uint8Array>) => readAll(new SimulatedDisk({ [path]: file(...parts) }))

  test("before NULs on their line are read, and told as what they are", () => {
    expect(on(first, "\n", second, nul(9), "\n", third, "\n")).toEqual({ records: [header, one, two], kinds: ["nul-run"] })
  })

  test("a lost stretch is told also when it ends where lines end", () => {
    expect(on(first, "\n", third, "\n")).toEqual({ records: [header, two], kinds: ["lost-records"] })
  })

  test("glued they are read, one and all", () => {
    expect(on(first, second, "\n", third, "\n")).toEqual({ records: [header, one, two], kinds: ["glued"] })
  })

  test("a checksum that is wrong is told, and the record is used", () => {
    const edited = second.replace("🌿", "🌱")
    expect(on(first, "\n", edited, "\n", third, "\n")).toEqual({
      records: [header, one.replace("🌿", "🌱"), two],
      kinds: ["edited"],
    })
  })

  test("a retried write leaves a line twice, which is told; the session reads it once", () => {
    expect(on(first, "\n", second, "\n", second, "\n", third, "\n")).toEqual({
      records: [header, one, one, two],
      kinds: ["repeated-line"],
    })
  })
})
