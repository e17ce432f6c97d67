/**
 * The laws of reading a journal: what was written is read, damage costs no more than what it hit, and nothing is read that was not
 * written.
 */
import * as fc from "fast-check"
import type { DecodeSummary } from "../src/journal/Decoder.ts"
import { type JournalRecord, readLine } from "../src/journal/Line.ts"
import { planTail } from "../src/journal/Tail.ts"
import type { JsonObject } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import {
  anyRecord,
  bytesOf,
  type CleanJournal,
  chunkSizes,
  cleanJournal,
  concat,
  inChunks,
  lifelikeRecord,
  position,
  smallLimits,
  wildBytes,
} from "./arbitraries/bytes.ts"
import { textClasses } from "./arbitraries/json.ts"
import { Coverage, type Law, parameters } from "./Law.ts"
import { demand, read, same, texts } from "./Reading.ts"

const roundTrip: Law = {
  id: "JRN-1",
  sentence:
    "What is read back is what was written, decode(encode r) = r; one record is one line; no record contains a raw newline.",
  runs: 1_000,
  deepRuns: 100_000,
  check: (budget) => {
    const coverage = new Coverage()
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 5 }), (values) => {
        const written = values.map(toText)
        for (const [name, test] of textClasses) coverage.hit(name, written.some(test))
        for (const text of written) demand(!text.includes("\n"), "a raw newline in a record")
        const { records, damages, summary } = read([bytesOf(written.map((text) => `${text}\n`).join(""))])
        const read1 = records.map(({ raw, value, line }) => ({ raw, value: toText(value), line }))
        same(
          read1,
          written.map((raw, i) => ({ raw, value: raw, line: i + 1 })),
          "records",
        )
        same(damages, [], "damages")
        same(summary.lines, values.length, "number of lines")
      }),
      parameters(budget),
    )
    const classes = textClasses.map(([name]) => name)
    coverage.demand(budget, classes, 500)
  },
}

/** What the file holds once the plan for its end is carried out and lines are appended; undefined when the plan refuses. */
const appended = (bytes: Uint8Array, summary: DecodeSummary, lines: ReadonlyArray<string>): Uint8Array | undefined => {
  const plan = planTail(summary, true)
  if (plan._tag === "Refuse") return undefined
  const kept = plan._tag === "CutTail" ? bytes.subarray(0, plan.from) : bytes
  const newline = plan._tag === "AddNewline" || (plan._tag === "CutTail" && plan.addNewline) ? "\n" : ""
  return concat([kept, bytesOf(newline), ...lines.map((line) => bytesOf(`${line}\n`))])
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a

/** A clean journal, cut; or a file in any state. In both cases lines are appended afterwards. */
type CutCase =
  | { readonly _tag: "Clean"; readonly journal: CleanJournal; readonly at: number; readonly more: ReadonlyArray<string> }
  | { readonly _tag: "Wild"; readonly bytes: Uint8Array; readonly more: ReadonlyArray<string> }

const cutCase: fc.Arbitrary<CutCase> = (() => {
  const line = lifelikeRecord.map(toText).filter((text) => text.length < smallLimits.maxLineBytes / 6)
  const more = fc.array(line, { minLength: 1, maxLength: 2 })
  const clean = cleanJournal(anyRecord).chain((journal) =>
    fc.record({ _tag: fc.constant("Clean"), journal: fc.constant(journal), at: position(journal.bytes), more }),
  )
  return fc.oneof(clean, fc.record({ _tag: fc.constant("Wild"), bytes: wildBytes, more }))
})()

const checkCut = (coverage: Coverage, { journal, at, more }: CutCase & { readonly _tag: "Clean" }): void => {
  const cut = journal.bytes.slice(0, at)
  const whole = journal.records.filter(({ end }) => end <= at)
  const isTorn = !cut.subarray(whole.at(-1)?.end ?? (journal.hasBom && at >= 3 ? 3 : 0)).every(isBlank)
  const { records, damages, summary } = read([cut])
  coverage.hit("torn", isTorn)
  coverage.hit("torn in a character", isTorn && ((journal.bytes[at] ?? 0) & 0xc0) === 0x80)
  coverage.hit("torn behind a value that is whole", isTorn && cut.at(-1) === 0x7d)
  coverage.hit("newline missing", !isTorn && whole.length > 0 && whole.at(-1)?.end === at)
  coverage.hit("byte order mark", journal.hasBom && at > 3)
  coverage.hit("CRLF", journal.hasCrlf)
  coverage.hit("blank lines", journal.hasBlankLines)
  const kinds = damages.map(({ kind }) => kind)
  same(texts(records), texts(whole), "records before the cut")
  same(kinds, isTorn ? ["torn-tail"] : [], "damages")
  const file = appended(cut, summary, more)
  if (file === undefined) throw new Error("a journal that was cut can be appended to")
  const after = read([file])
  same(texts(after.records), [...texts(whole), ...more], "records after the append")
  same(after.damages, [], "damages after the append")
}

const checkAppend = (coverage: Coverage, { bytes, more }: CutCase & { readonly _tag: "Wild" }): void => {
  const first = read([bytes], smallLimits)
  const file = appended(bytes, first.summary, more)
  coverage.hit("refused", file === undefined)
  if (file === undefined) return
  coverage.hit("cut off", first.summary.tail !== undefined)
  const after = read([file], smallLimits)
  same(texts(after.records), [...texts(first.records), ...more], "records after the append")
  same(after.summary.endsWithNewline, true, "newline at the end")
}

const cutting: Law = {
  id: "JRN-2",
  sentence:
    "Cutting a journal at any byte yields a prefix of the records plus at most one torn tail; appending afterwards loses nothing and never glues.",
  runs: 1_200,
  deepRuns: 60_000,
  check: (budget) => {
    const coverage = new Coverage()
    const property = fc.property(cutCase, (given) => {
      if (given._tag === "Clean") checkCut(coverage, given)
      else checkAppend(coverage, given)
    })
    fc.assert(property, parameters(budget))
    const classes = ["torn", "torn in a character", "torn behind a value that is whole", "newline missing", "byte order mark"]
    coverage.demand(budget, [...classes, "CRLF", "blank lines", "cut off", "refused"], 500)
  },
}

/** A record that was written, where it stands, and whether it must be read. */
interface Written {
  readonly raw: string
  readonly start: number
  readonly isSafe: boolean
}

/** Each record read is one that was written, in its place, and none is missing that must be there. */
const checkRead = (found: ReadonlyArray<JournalRecord>, written: ReadonlyArray<Written>): void => {
  const places = new Map(written.map((record) => [record.start, record]))
  for (const { raw, offset } of found) demand(places.get(offset)?.raw === raw, `read, but never written: ${raw}`)
  const offsets = new Set(found.map(({ offset }) => offset))
  for (const { raw, start, isSafe } of written) demand(!isSafe || offsets.has(start), `lost: ${raw}`)
}

/** A clean journal with NULs over some of its bytes, or without the newlines behind some of its records. */
type HitCase =
  | { readonly _tag: "Nul"; readonly journal: CleanJournal; readonly from: number; readonly to: number }
  | { readonly _tag: "Glue"; readonly journal: CleanJournal; readonly glued: ReadonlyArray<boolean> }

const hitCase: fc.Arbitrary<HitCase> = cleanJournal(anyRecord).chain((journal) => {
  const { bytes, records } = journal
  const gap = fc.nat({ max: records.length }).chain((i) => {
    const place = fc.integer({ min: records[i - 1]?.end ?? 0, max: records[i]?.start ?? bytes.length })
    return fc.tuple(place, place)
  })
  const hole = fc
    .oneof({ weight: 4, arbitrary: fc.tuple(position(bytes), position(bytes)) }, { weight: 1, arbitrary: gap })
    .map((ends) => {
      return { _tag: "Nul" as const, journal, from: Math.min(...ends), to: Math.max(...ends) }
    })
  const glued = fc.array(fc.boolean(), { minLength: records.length, maxLength: records.length })
  return fc.oneof(hole, fc.record({ _tag: fc.constant("Glue"), journal: fc.constant(journal), glued }))
})

const checkHole = (coverage: Coverage, { journal, from, to }: HitCase & { readonly _tag: "Nul" }): void => {
  // Half a byte order mark is bytes before the first record on its line: it counts as that record's.
  const extent = (index: number, own: number): number => (index === 0 && journal.hasBom ? 0 : own)
  const isSafe = (index: number, start: number, end: number): boolean => end <= from || extent(index, start) >= to
  const written = journal.records.map(({ raw, start, end }, i) => ({ raw, start, isSafe: isSafe(i, start, end) }))
  const hit = written.filter((record) => !record.isSafe).length
  coverage.hit("one record hit", hit === 1)
  coverage.hit("several records hit", hit > 1)
  coverage.hit("only between records", from < to && written.length > 0 && hit === 0)
  coverage.hit("to the end", from < to && to === journal.bytes.length)
  const { records, damages } = read([journal.bytes.slice().fill(0, from, to)])
  checkRead(records, written)
  demand(from === to || damages.length > 0, "the hole is not reported")
}

const checkGlue = (coverage: Coverage, { journal, glued }: HitCase & { readonly _tag: "Glue" }): void => {
  const { bytes, records } = journal
  const isGlued = (index: number): boolean => glued[index] === true && index + 1 < records.length
  const parts = records.map(({ start, end }, i) => bytes.subarray(start, isGlued(i) ? end : records[i + 1]?.start))
  const found = read([concat([bytes.subarray(0, records[0]?.start), ...parts])])
  const some = records.some((_, i) => isGlued(i))
  coverage.hit("glued", some)
  same(texts(found.records), texts(records), "glued records")
  demand(found.damages.length > 0 === some, "glue without damage, or damage without glue")
  for (const { kind } of found.damages) same(kind, "glued", "the damage")
}

const overwriting: Law = {
  id: "JRN-3",
  sentence: "Overwriting any byte range with NUL, or gluing lines, loses at most the records that had bytes in the range.",
  runs: 1_200,
  deepRuns: 40_000,
  check: (budget) => {
    const coverage = new Coverage()
    const property = fc.property(hitCase, (given) => {
      if (given._tag === "Nul") checkHole(coverage, given)
      else checkGlue(coverage, given)
    })
    fc.assert(property, parameters(budget))
    coverage.demand(budget, ["one record hit", "several records hit", "only between records", "to the end", "glued"], 500)
  },
}

const chunking: Law = {
  id: "JRN-4",
  sentence: "Reading the same bytes in any chunks gives the same records, damages and summary, and no bytes make it throw.",
  runs: 1_000,
  deepRuns: 40_000,
  check: (budget) => {
    const coverage = new Coverage()
    const property = fc.property(wildBytes, chunkSizes, (bytes, sizes) => {
      const whole = read([bytes], smallLimits)
      const inParts = read(inChunks(bytes, sizes), smallLimits)
      same(inParts.items, whole.items, "items")
      same(inParts.summary, whole.summary, "summary")
      for (const { kind } of whole.damages) coverage.hit(kind)
      coverage.hit("byte by byte", sizes.length === 1 && sizes[0] === 1)
    })
    fc.assert(property, parameters(budget))
    const kinds = ["torn-tail", "nul-run", "glued", "not-json", "not-object", "not-utf8", "raw-newline", "utf-16"]
    coverage.demand(budget, [...kinds, "oversize", "too-deep", "byte by byte"], 500)
  },
}

/** At most so many bytes are looked at for each byte of a line. */
const WORK_PER_BYTE = 12

/** A record cut at a byte with whole ones right behind it; or any bytes at all on one line. */
type LineCase =
  | {
      readonly _tag: "Spliced"
      readonly cut: JsonObject
      readonly at: number
      readonly whole: ReadonlyArray<JsonObject>
      readonly ended: "newline" | "end"
    }
  | { readonly _tag: "Wild"; readonly bytes: Uint8Array; readonly startsLine: boolean; readonly ended: "newline" | "nul" | "end" }

const lineCase: fc.Arbitrary<LineCase> = fc.oneof(
  lifelikeRecord.chain((cut) =>
    fc.record({
      _tag: fc.constant("Spliced"),
      cut: fc.constant(cut),
      at: position(bytesOf(toText(cut))),
      whole: fc.array(lifelikeRecord, { maxLength: 3 }),
      ended: fc.constantFrom("newline", "end"),
    }),
  ),
  fc.record({
    _tag: fc.constant("Wild"),
    bytes: wildBytes.map((bytes) => bytes.filter((byte) => byte !== 0x0a && byte !== 0)),
    startsLine: fc.boolean(),
    ended: fc.constantFrom("newline", "nul", "end"),
  }),
)

const checkSpliced = (coverage: Coverage, { cut, at, whole, ended }: LineCase & { readonly _tag: "Spliced" }): void => {
  const bytes = bytesOf(toText(cut))
  const torn = bytes.slice(0, at)
  const isWhole = at === bytes.length
  // Where JSON text can go on with a value. A string may end so as well; that it is told from a place for a value is left open.
  const hasRoom = /[:[,]\s*$/.test(new TextDecoder().decode(torn))
  const written: Array<Written> = [{ raw: toText(cut), start: 0, isSafe: isWhole }]
  const parts: Array<Uint8Array> = [torn]
  let start = at
  whole.forEach((record, i) => {
    const raw = toText(record)
    written.push({ raw, start, isSafe: i > 0 || !hasRoom })
    parts.push(bytesOf(raw))
    start += bytesOf(raw).length
  })
  coverage.hit("room for a value", hasRoom && whole.length > 0)
  coverage.hit("no room", !hasRoom && !isWhole && at > 0 && whole.length > 0)
  coverage.hit("a value stands whole at the end", torn.at(-1) === 0x7d && !isWhole && whole.length === 0)
  checkRead(read([concat([...parts, bytesOf(ended === "newline" ? "\n" : "")])]).records, written)
}

const salvaging: Law = {
  id: "JRN-5",
  sentence:
    "Behind a cut record every whole record on its line is read, but the first where the cut leaves room for a value; no value inside a record is ever read as a record; the work is linear in the line.",
  runs: 2_500,
  deepRuns: 50_000,
  check: (budget) => {
    const coverage = new Coverage()
    const property = fc.property(lineCase, (given) => {
      if (given._tag === "Spliced") return checkSpliced(coverage, given)
      const { bytes, startsLine, ended } = given
      const { work } = readLine({ _tag: "Segment", bytes, line: 1, offset: 0, startsLine, ended }, smallLimits)
      demand(work <= WORK_PER_BYTE * bytes.length, `looked at ${work} bytes for ${bytes.length}`)
    })
    fc.assert(property, parameters(budget))
    coverage.demand(budget, ["room for a value", "no room", "a value stands whole at the end"], 500)
  },
}

export const laws: ReadonlyArray<Law> = [roundTrip, cutting, overwriting, chunking, salvaging]
