import { describe, expect, test } from "vitest"
import { bytesOf, concat } from "../../laws/arbitraries/bytes.ts"
import { type LineOptions, looksLikeRecord, readLine } from "../../src/journal/Line.ts"
import type { Segment } from "../../src/journal/Splitter.ts"

const at = "2026-11-30T13:38:53.631Z"
const entry = (id: string, parentId: string | null, more = ""): string =>
  `{"type":"message","id":"${id}","parentId":${JSON.stringify(parentId)},"timestamp":"${at}"${more}}`

const segmentOf = (line: string | Uint8Array, place: Partial<Segment> = {}): Segment => ({
  _tag: "Segment",
  bytes: typeof line === "string" ? bytesOf(line) : line,
  line: 7,
  offset: 100,
  startsLine: true,
  ended: "newline",
  ...place,
})

const readAt = (line: string | Uint8Array, place: Partial<Segment> = {}, options?: LineOptions) => {
  const { items } = readLine(segmentOf(line, place), options)
  return {
    records: items.flatMap((item) => (item._tag === "Record" ? [item.record.raw] : [])),
    damages: items.flatMap((item) =>
      item._tag === "Damage" ? [`${item.damage.kind} ${item.damage.offset - 100} ${item.damage.length}`] : [],
    ),
  }
}

describe("a whole line", () => {
  test("a record says what it is, where it stands and how long it is, in bytes", () => {
    const { items } = readLine(segmentOf(' {"a":"é"}\t\r'))
    expect(items).toEqual([
      { _tag: "Record", record: { value: { a: "é" }, raw: '{"a":"é"}', line: 7, offset: 101, length: 10 }, startsLine: false },
    ])
  })

  test.each(["", " ", "\t \r"])("blanks are nothing: %j", (line) => {
    expect(readAt(line)).toEqual({ records: [], damages: [] })
  })

  test.each(["null", "42", '"text"', "[{}]", "true"])("%s is JSON, but no object", (line) => {
    expect(readAt(line)).toEqual({ records: [], damages: [`not-object 0 ${line.length}`] })
  })

  test.each(["oops", '{"a":1', "{'a':1}", '{"a":1,}', '{"a":"\t"}', "\u00a0{}"])("%j is no JSON", (line) => {
    expect(readAt(line)).toEqual({ records: [], damages: [`not-json 0 ${bytesOf(line).length}`] })
  })

  test("blanks before the newline are no damage, blanks at the end of the file are", () => {
    expect(readAt(" oops \t\r").damages).toEqual(["not-json 0 5"])
    expect(readAt(" oops \t\r", { ended: "end" }).damages).toEqual(["torn-tail 0 8"])
    expect(readAt(" oops \t\r", { ended: "nul" }).damages).toEqual(["not-json 0 8"])
  })

  test("a byte order mark is skipped at the beginning of the file and nowhere else", () => {
    expect(readAt("\ufeff{}", { offset: 0 }).records).toEqual(["{}"])
    expect(readAt("\ufeff{}").damages).toEqual(["not-json 0 5"])
    expect(readAt(`\ufeff${entry("a", null)}`)).toEqual({ records: [entry("a", null)], damages: ["not-json 0 3"] })
  })

  test("a record that is not UTF-8 is read with replacement characters; the damage goes from the first bad byte to the last", () => {
    const line = concat([bytesOf('{"a":"'), new Uint8Array([0xff, 0x61, 0xc3]), bytesOf('é"}')])
    expect(readAt(line)).toEqual({ records: ['{"a":"\ufffda\ufffdé"}'], damages: ["not-utf8 6 3"] })
  })

  test("the end of the file without a newline: a record is whole, anything else is torn", () => {
    expect(readAt("{}", { ended: "end" })).toEqual({ records: ["{}"], damages: [] })
    expect(readAt('{"a":1', { ended: "end" }).damages).toEqual(["torn-tail 0 6"])
    expect(readAt("42 ", { ended: "end" }).damages).toEqual(["torn-tail 0 3"])
  })
})

describe("several records on a line", () => {
  test("whole ones are all read, of whatever shape", () => {
    expect(readAt('{"a":1}{"b":2} {"c":"}{"}')).toEqual({
      records: ['{"a":1}', '{"b":2}', '{"c":"}{"}'],
      damages: ["glued 0 25"],
    })
  })

  test("what follows a whole record and is none is damage; at the end of the file it is the torn tail", () => {
    expect(readAt('{"a":1}{"b":')).toEqual({ records: ['{"a":1}'], damages: ["not-json 7 5"] })
    expect(readAt('{"a":1} oops', { ended: "end" })).toEqual({ records: ['{"a":1}'], damages: ["torn-tail 8 4"] })
    expect(readAt('{"a":1}}')).toEqual({ records: ['{"a":1}'], damages: ["not-json 7 1"] })
  })

  test("a brace between braces inside a string is text", () => {
    expect(readAt('{"a":"}{"}')).toEqual({ records: ['{"a":"}{"}'], damages: [] })
  })

  test("a record that is JSON only to the eye does not stop the one behind it", () => {
    const bad = `{"type":"message","timestamp":"${at}","a":"\t"}`
    expect(readAt(bad + entry("b", "a"))).toEqual({ records: [entry("b", "a")], damages: [`glued 0 ${bad.length}`] })
  })
})

describe("a record behind a record that was cut", () => {
  const whole = entry("b2", "a1", ',"message":{"content":"x } { \\" y"}')
  const cuts = [
    '{"type":"pr-link","sessionId":"s","prNu',
    '{"type":"message","message":{"content":"hel',
    '{"type":"message","message":{"content":"he said \\"',
    '{"type":"message","message":{"content":"back\\',
    '{"type":"message","message":{"content":"back\\\\',
    '{"type":"message","message":{"content":"\\u00',
    '{"type":"message","n":12',
    '{"type":"message","n":tru',
    '{"type":"message"',
    '{"type":"message",',
    "{",
    '{"a":"x"} {"type":"message","b":"',
    '{"type":"message","message":{"content":"code { [ {',
    '{"type":"message","list":[1,2',
    '{"type":"message","list":[{"type":"x","timestamp":"t"}',
    "oops ",
    'end of a lost record","n":1}',
  ]
  test.each(cuts)("%s", (cut) => {
    expect(readAt(cut + whole).records.at(-1)).toBe(whole)
    expect(readAt(`${cut}${whole}${whole}`).records.slice(-2)).toEqual([whole, whole])
    expect(readAt(cut + whole, { ended: "end" }).records.at(-1)).toBe(whole)
  })

  test("the damage says where the cut record stands", () => {
    const cut = '{"a":1} {"type":"message","text":"hel'
    expect(readAt(cut + whole)).toEqual({ records: ['{"a":1}', whole], damages: ["glued 8 29"] })
    expect(readAt(`oops ${whole}`).damages).toEqual(["not-json 0 5"])
  })

  test("the same record, cut and then written again, is read once", () => {
    const record = '{"type":"assistant.message","id":"e7","t":"x","data":{"content":"hello"}}'
    expect(readAt(record.slice(0, 67) + record).records).toEqual([record])
  })

  test("it must look like a record, by default or as the caller says", () => {
    const cut = '{"type":"message","text":"hel'
    expect(readAt(`${cut}{"a":1}`).records).toEqual([])
    expect(readAt(`${cut}{"a":1}`, {}, { looksLikeRecord: (value) => value["a"] === 1 }).records).toEqual(['{"a":1}'])
    expect(readAt(`${cut}{"b":1}{"a":1}`, {}, { looksLikeRecord: (value) => value["a"] === 1 }).records).toEqual(['{"a":1}'])
  })

  test("with unreadable bytes on both sides it is not read", () => {
    expect(readAt(`{"a":"x${whole} oops`).records).toEqual([])
  })
})

describe("a value inside a record", () => {
  const inside = entry("b2", "a1")

  test.each([
    `{"type":"custom","data":${inside}`,
    `{"type":"custom","data":[${inside}`,
    `{"type":"custom","data":[${inside},${inside}`,
    `{"type":"custom","data":[${inside}]`,
    `{"type":"custom","data":{"deep":[1,{"x":${inside}`,
    `{"type":"custom","a":{"type":"x","timestamp":"t"},"data":${inside}`,
    `{"type":"custom","parentId":null,"5":${inside}`,
    `{"type":"custom","x\\"type":${inside}`,
  ])("is no record when the record was cut behind it: %s", (line) => {
    for (const ended of ["newline", "end", "nul"] as const) expect(readAt(line, { ended }).records).toEqual([])
    expect(readAt(`{"lost":"x${line}`).records).toEqual([])
  })

  test("but where only a string can stand it is a record of its own", () => {
    for (const key of ["type", "id", "parentId", "timestamp", "t"]) {
      expect(readAt(`{"x":1,"${key}":${inside}`).records).toEqual([inside])
      expect(readAt(`{"x":1,"${key}":${inside}`, { ended: "end" }).records).toEqual([])
      expect(readAt(`{"x":{"${key}":${inside}`).records).toEqual([])
    }
  })

  test("and when it goes on from where the cut record did", () => {
    const cut = (id: string, parent: string) => `{"type":"message","id":"${id}","parentId":${parent},"timestamp":"t","message":`
    expect(readAt(cut("zz", '"a1"') + inside).records).toEqual([inside])
    expect(readAt(cut("b2", '"other"') + inside).records).toEqual([inside])
    expect(readAt(cut("zz", '"other"') + inside).records).toEqual([])
    expect(readAt(cut("zz", "null") + entry("b2", null)).records).toEqual([])
    expect(readAt(cut("zz", '"a1"') + inside, { ended: "end" }).records).toEqual([])
    expect(readAt(`${cut("zz", '"a1"')}${inside},"more":1`).records).toEqual([])
    expect(readAt(`${cut("zz", '"a1"')}${inside},"more":{}`).records).toEqual([])
    // A newline that an append puts behind the last record must not bring the first one to light.
    for (const ended of ["newline", "end", "nul"] as const) {
      expect(readAt(`{"type":${inside}${entry("c3", null)}`, { ended }).records).toEqual([inside, entry("c3", null)])
    }
    const later = entry("c3", "b2")
    expect(readAt(cut("zz", '"other"') + inside + later).records).toEqual([later])
  })
})

describe("behind NUL bytes", () => {
  const record = entry("b2", "a1")
  const behind = { startsLine: false } as const

  test("what fills the rest of the line is read, of whatever shape", () => {
    expect(readAt("{}", behind)).toEqual({ records: ["{}"], damages: [] })
    expect(readAt("{}{}", behind)).toEqual({ records: ["{}", "{}"], damages: ["glued 0 4"] })
    expect(readAt('{}{"a":"\t"}', behind).records).toEqual([])
    expect(readAt(`lost"}${record}`, behind)).toEqual({ records: [record], damages: ["not-json 0 6"] })
  })

  test("without the newline nothing is certain", () => {
    expect(readAt(record, { ...behind, ended: "nul" })).toEqual({ records: [], damages: [`not-json 0 ${record.length}`] })
    expect(readAt(record, { ...behind, ended: "end" })).toEqual({ records: [], damages: [`torn-tail 0 ${record.length}`] })
  })

  test("the first object of what is left of a record is none", () => {
    expect(readAt(`${record},"more":1}`, behind).records).toEqual([])
    expect(readAt(`${record}]}`, behind).records).toEqual([])
  })

  test("in front of them, a line begins as ever", () => {
    expect(readAt(record, { ended: "nul" }).records).toEqual([record])
    expect(readAt(`${record}${record.slice(0, 9)}`, { ended: "nul" })).toEqual({
      records: [record],
      damages: [`not-json ${record.length} 9`],
    })
  })
})

describe("depth", () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`

  test("is read up to the limit and reported above it", () => {
    expect(readAt(nested(2_000)).records).toHaveLength(1)
    expect(readAt(nested(2_001))).toEqual({ records: [], damages: [`too-deep 0 ${nested(2_001).length}`] })
    expect(readAt(nested(100_000)).damages).toEqual([`too-deep 0 ${nested(100_000).length}`])
    expect(readAt(nested(5), {}, { maxDepth: 4 }).damages).toEqual(["too-deep 0 26"])
  })

  test("brackets in strings, and many that do not nest, are not depth", () => {
    expect(readAt(`{"a":"${"[{".repeat(9_000)}"}`).records).toHaveLength(1)
    expect(readAt(`{"a":[${"{},".repeat(9_000)}1]}`).records).toHaveLength(1)
    expect(readAt(`{"a":"${'\\"['.repeat(9_000)}"}`).records).toHaveLength(1)
  })

  test("a deep record costs its line nothing else", () => {
    const deep = nested(3_000)
    const found = readAt(`{"x":1}${deep}${entry("b2", null)}`)
    expect(found.records).toEqual(['{"x":1}', entry("b2", null)])
    expect(found.damages).toEqual([`glued 0 ${7 + deep.length + entry("b2", null).length}`, `too-deep 7 ${deep.length}`])
  })

  test("at the end of the file it is not torn", () => {
    expect(readAt(nested(3_000), { ended: "end" }).damages).toEqual([`too-deep 0 ${nested(3_000).length}`])
    expect(readAt(nested(3_000).slice(0, -1), { ended: "end" }).damages).toEqual([`torn-tail 0 ${nested(3_000).length - 1}`])
  })
})

describe("hostile lines", () => {
  const megabytes = (unit: string, count = 3): string => unit.repeat(Math.ceil((count << 20) / unit.length))
  const record = `{"type":"x","t":"${at}"}`
  const lines: ReadonlyArray<readonly [name: string, line: string]> = [
    ["opening braces", megabytes("{")],
    ["objects in objects", megabytes('{"a":')],
    ["arrays in objects", `{"a":${megabytes("[")}`],
    ["pairs of braces", megabytes("{}")],
    ["pairs of braces behind a quote", `"${megabytes("{}")}`],
    ["quotes", megabytes('"')],
    ["braces and quotes", megabytes('{"')],
    ["backslashes", megabytes("\\")],
    ["escaped quotes", megabytes('\\"')],
    ["records behind a cut one", `{"a":"x${megabytes(record)}`],
    ["records in an array that is cut", `{"a":[${megabytes(`${record},`)}${record}`],
    ["cut records", megabytes(record.slice(0, -1))],
    ["one deep record", `${megabytes('{"a":')}{}${megabytes("}", 1)}`],
    ["deep objects that break off", megabytes(`${'{"a":'.repeat(1_990)}{}`)],
    ["deep objects that break off below the limit", megabytes(`${'{"a":['.repeat(3_000)}\\"`)],
    ["numbers", `{"a":${megabytes("1")}`],
    ["blanks", `{"a":1${megabytes(" ")}x`],
    ["objects closed too often", megabytes(`${record}}`)],
    ["not UTF-8", `{"a":"${megabytes("\udc00")}"`],
  ]
  test.each(lines)("%s: the work is linear", (_, line) => {
    const bytes = bytesOf(line)
    for (const place of [{}, { ended: "end" }, { startsLine: false }] as const) {
      expect(readLine(segmentOf(bytes, place)).work).toBeLessThan(12 * bytes.length)
    }
  })
})

describe("records without end on one line", () => {
  test("are read up to the limit and reported above it", () => {
    expect(readAt("{}".repeat(65_536)).records).toHaveLength(65_536)
    expect(readAt("{}".repeat(65_537))).toEqual({ records: [], damages: ["oversize 0 131074"] })
    const record = `{"type":"x","t":"${at}"}`
    const behind = `{"a":"x${record.repeat(65_537)}`
    expect(readAt(`{}${behind}`)).toEqual({ records: [], damages: [`oversize 0 ${behind.length + 2}`] })
  })
})

describe("looksLikeRecord", () => {
  test.each([
    { type: "message", timestamp: "t" },
    { t: "t", type: "user" },
    { type: "header_patch", patch: {} },
    { type: "entry_patch", entryId: "a", patch: {} },
    { type: "title", title: "x", updatedAt: "t" },
  ])("%j does", (value) => expect(looksLikeRecord(value)).toBe(true))

  test.each([
    {},
    { type: "text", text: "x" },
    { role: "user", timestamp: "t" },
    { type: 1, timestamp: "t" },
    { type: "message", timestamp: 1_790_000_000_000 },
    { type: "header_patch" },
    { type: "entry_patch", patch: {} },
    { type: "title", title: "x" },
  ])("%j does not", (value) => expect(looksLikeRecord(value)).toBe(false))

  test("does not look through the prototype", () => {
    expect(looksLikeRecord(JSON.parse('{"__proto__":{"type":"message","timestamp":"t"}}'))).toBe(false)
    expect(looksLikeRecord({ type: "constructor" })).toBe(false)
  })
})
