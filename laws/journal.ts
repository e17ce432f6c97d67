/**
 * The laws of reading and repairing a journal: what was written is read, what was damaged costs no more than what was hit, and nothing
 * is read that was not written.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { Damage } from "../src/journal/Damage.ts"
import { type DecodeOptions, Decoder, type DecodeSummary } from "../src/journal/Decoder.ts"
import { type JournalRecord, type LineItem, readLine } from "../src/journal/Line.ts"
import { type ReadSummary, readJournal } from "../src/journal/Reader.ts"
import { applyRepair, repairNames } from "../src/journal/Repair.ts"
import { planRepair, type RepairPlan } from "../src/journal/RepairPlan.ts"
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
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

interface Reading {
  readonly items: ReadonlyArray<LineItem>
  readonly records: ReadonlyArray<JournalRecord>
  readonly damages: ReadonlyArray<Damage>
  readonly summary: DecodeSummary
}

const read = (chunks: ReadonlyArray<Uint8Array>, options: DecodeOptions = {}): Reading => {
  const decoder = new Decoder(options)
  const items: Array<LineItem> = []
  for (const chunk of chunks) {
    // The decoder may keep no view of a chunk.
    const reused = chunk.slice()
    items.push(...decoder.push(reused))
    reused.fill(0x7b)
  }
  items.push(...decoder.end())
  const records = items.flatMap((item) => (item._tag === "Record" ? [item.record] : []))
  const damages = items.flatMap((item) => (item._tag === "Damage" ? [item.damage] : []))
  return { items, records, damages, summary: decoder.summary() }
}

const expect = (condition: boolean, what: string): void => {
  if (!condition) throw new Error(what)
}

const same = (found: unknown, wanted: unknown, what: string): void => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)]
  expect(a === b, `${what}: found ${a}, wanted ${b}`)
}

const texts = (records: ReadonlyArray<{ readonly raw: string }>): ReadonlyArray<string> => records.map(({ raw }) => raw)

const roundTrip: Law = {
  id: "JRN-1",
  sentence: "decode(encode r) = r; one record is one line; no record contains a raw newline",
  runs: 1_000,
  check: (budget) => {
    const coverage = new Coverage()
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 5 }), (values) => {
        const written = values.map(toText)
        for (const [name, test] of textClasses) coverage.hit(name, written.some(test))
        for (const text of written) expect(!text.includes("\n"), "a raw newline in a record")
        const { records, damages, summary } = read([bytesOf(written.map((text) => `${text}\n`).join(""))])
        same(texts(records), written, "texts")
        same(
          records.map(({ value }) => toText(value)),
          written,
          "values",
        )
        same(
          records.map(({ line }) => line),
          values.map((_, i) => i + 1),
          "lines",
        )
        same(damages, [], "damages")
        same(summary.lines, values.length, "number of lines")
      }),
      parameters(budget),
    )
    coverage.demand(
      budget,
      textClasses.map(([name]) => name),
      500,
    )
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

/** The records that are whole before `at`, and whether bytes other than blanks stand between the last of them and `at`. */
const before = ({ bytes, records, hasBom }: CleanJournal, at: number) => {
  const whole = records.filter(({ end }) => end <= at)
  const from = whole.at(-1)?.end ?? (hasBom && at >= 3 ? 3 : 0)
  return {
    whole,
    isTorn: bytes.subarray(from, at).some((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== 0x0a),
  }
}

const checkCut = (coverage: Coverage, journal: CleanJournal, at: number, more: ReadonlyArray<string>): void => {
  const cut = journal.bytes.slice(0, at)
  const { whole, isTorn } = before(journal, at)
  const { records, damages, summary } = read([cut])
  coverage.hit("torn", isTorn)
  coverage.hit("torn in a character", isTorn && ((journal.bytes[at] ?? 0) & 0xc0) === 0x80)
  coverage.hit("torn behind a value that is whole", isTorn && cut.at(-1) === 0x7d)
  coverage.hit("newline missing", !isTorn && whole.length > 0 && whole.at(-1)?.end === at)
  coverage.hit("byte order mark", journal.hasBom && at > 3)
  coverage.hit("CRLF", journal.hasCrlf)
  coverage.hit("blank lines", journal.hasBlankLines)
  same(texts(records), texts(whole), "records before the cut")
  same(
    damages.map(({ kind }) => kind),
    isTorn ? ["torn-tail"] : [],
    "damages",
  )
  const file = appended(cut, summary, more)
  if (file === undefined) throw new Error("a journal that was cut can be appended to")
  const after = read([file])
  same(texts(after.records), [...texts(whole), ...more], "records after the append")
  same(after.damages, [], "damages after the append")
}

/** The same for a file in any state: what was read before is read after, with what was appended. */
const checkWildAppend = (coverage: Coverage, bytes: Uint8Array, more: ReadonlyArray<string>): void => {
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
    "Cutting a journal at any byte yields a prefix of the records plus at most one torn tail; appending afterwards loses nothing and never glues",
  runs: 1_200,
  check: (budget) => {
    const coverage = new Coverage()
    const line = lifelikeRecord.map(toText).filter((text) => text.length < smallLimits.maxLineBytes / 6)
    const more = fc.array(line, { minLength: 1, maxLength: 2 })
    const cut = cleanJournal(anyRecord).chain((journal) =>
      fc.record({ journal: fc.constant(journal), at: position(journal.bytes), more }),
    )
    const half = { ...budget, runs: Math.ceil(budget.runs / 2) }
    fc.assert(
      fc.property(cut, (given) => checkCut(coverage, given.journal, given.at, given.more)),
      parameters(half),
    )
    fc.assert(
      fc.property(wildBytes, more, (bytes, lines) => checkWildAppend(coverage, bytes, lines)),
      parameters(half),
    )
    const classes = ["torn", "torn in a character", "torn behind a value that is whole", "newline missing", "byte order mark"]
    coverage.demand(budget, [...classes, "CRLF", "blank lines", "cut off", "refused"], 500)
  },
}

/** The journal without the newlines (and the blanks around them) behind some of its records. */
const glue = ({ bytes, records }: CleanJournal, glued: ReadonlyArray<boolean>): Uint8Array => {
  const parts: Array<Uint8Array> = [bytes.subarray(0, records[0]?.start ?? bytes.length)]
  records.forEach(({ start, end }, i) => {
    const next = records[i + 1]?.start ?? bytes.length
    parts.push(bytes.subarray(start, glued[i] === true && i + 1 < records.length ? end : next))
  })
  return concat(parts)
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
  for (const { raw, offset } of found) expect(places.get(offset)?.raw === raw, `read, but never written: ${raw}`)
  const offsets = new Set(found.map(({ offset }) => offset))
  for (const { raw, start, isSafe } of written) expect(!isSafe || offsets.has(start), `lost: ${raw}`)
}

const overwriting: Law = {
  id: "JRN-3",
  sentence: "Overwriting any byte range with NUL, or gluing lines, loses at most the records that had bytes in the range",
  runs: 1_200,
  check: (budget) => {
    const coverage = new Coverage()
    const half = { ...budget, runs: Math.ceil(budget.runs / 2) }
    const hole = cleanJournal(anyRecord).chain((journal) =>
      fc.record({ journal: fc.constant(journal), ends: fc.tuple(position(journal.bytes), position(journal.bytes)) }),
    )
    fc.assert(
      fc.property(hole, ({ journal, ends }) => {
        const [from, to] = [Math.min(...ends), Math.max(...ends)]
        const bytes = journal.bytes.slice().fill(0, from, to)
        // Half a byte order mark is bytes before the first record on its line: it counts as that record's.
        const extent = (index: number, own: number): number => (index === 0 && journal.hasBom ? 0 : own)
        const written = journal.records.map(({ raw, start, end }, i) => ({
          raw,
          start,
          isSafe: end <= from || extent(i, start) >= to,
        }))
        const { records, damages } = read([bytes])
        coverage.hit("one record hit", written.filter(({ isSafe }) => !isSafe).length === 1)
        coverage.hit("several records hit", written.filter(({ isSafe }) => !isSafe).length > 1)
        coverage.hit("only between records", from < to && written.length > 0 && written.every(({ isSafe }) => isSafe))
        coverage.hit("to the end", from < to && to === bytes.length)
        checkRead(records, written)
        expect(from === to || damages.length > 0, "the hole is not reported")
      }),
      parameters(half),
    )
    fc.assert(
      fc.property(cleanJournal(anyRecord), fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (journal, glued) => {
        const bytes = glue(journal, glued)
        const { records, damages } = read([bytes])
        const lines = journal.records.filter((_, i) => glued[i] === true && i + 1 < journal.records.length).length
        coverage.hit("glued", lines > 0)
        same(texts(records), texts(journal.records), "glued records")
        expect(
          damages.every(({ kind }) => kind === "glued"),
          "another damage than glued",
        )
        expect(damages.length > 0 === lines > 0, "glue without damage, or damage without glue")
      }),
      parameters(half),
    )
    coverage.demand(budget, ["one record hit", "several records hit", "only between records", "to the end", "glued"], 500)
  },
}

const chunking: Law = {
  id: "JRN-4",
  sentence: "Reading the same bytes in any chunks gives the same records, damages and summary, and no bytes make it throw",
  runs: 1_500,
  check: (budget) => {
    const coverage = new Coverage()
    fc.assert(
      fc.property(wildBytes, chunkSizes, (bytes, sizes) => {
        const whole = read([bytes], smallLimits)
        const inParts = read(inChunks(bytes, sizes), smallLimits)
        same(inParts.items, whole.items, "items")
        same(inParts.summary, whole.summary, "summary")
        for (const { kind } of whole.damages) coverage.hit(kind)
        coverage.hit("byte by byte", sizes.length === 1 && sizes[0] === 1)
      }),
      parameters(budget),
    )
    const kinds = [
      "torn-tail",
      "nul-run",
      "glued",
      "not-json",
      "not-object",
      "not-utf8",
      "raw-newline",
      "utf-16",
      "oversize",
      "too-deep",
    ]
    coverage.demand(budget, [...kinds, "byte by byte"], 500)
  },
}

/** At most so many bytes are looked at for each byte of a line. */
const WORK_PER_BYTE = 12

/** Whether JSON text can go on with a value behind these bytes, which are the beginning of an object. */
const leavesRoom = (cut: string): boolean => /[:[,]\s*$/.test(cut)

interface Spliced {
  /** The record that was cut, and where. */
  readonly cut: JsonObject
  readonly at: number
  /** Records that were written whole behind it. */
  readonly whole: ReadonlyArray<JsonObject>
  readonly ended: "newline" | "end"
}

const spliced: fc.Arbitrary<Spliced> = lifelikeRecord.chain((cut) =>
  fc.record({
    cut: fc.constant(cut),
    at: position(bytesOf(toText(cut))),
    whole: fc.array(lifelikeRecord, { maxLength: 3 }),
    ended: fc.constantFrom("newline", "end"),
  }),
)

const salvaging: Law = {
  id: "JRN-5",
  sentence:
    "Behind a cut record every whole record on its line is read, but the first where the cut leaves room for a value; no value inside a record is ever read as a record; the work is linear in the line",
  runs: 2_500,
  check: (budget) => {
    const coverage = new Coverage()
    const half = { ...budget, runs: Math.ceil(budget.runs / 2) }
    fc.assert(
      fc.property(spliced, ({ cut, at, whole, ended }) => {
        const torn = bytesOf(toText(cut)).slice(0, at)
        const isWhole = at === bytesOf(toText(cut)).length
        const room = leavesRoom(new TextDecoder().decode(torn))
        const behind = whole.map((record) => bytesOf(toText(record)))
        const written: Array<Written> = [{ raw: toText(cut), start: 0, isSafe: isWhole }]
        whole.forEach((record, i) => {
          const start = concat([torn, ...behind.slice(0, i)]).length
          written.push({ raw: toText(record), start, isSafe: i > 0 || !room })
        })
        const bytes = concat([torn, ...behind, bytesOf(ended === "newline" ? "\n" : "")])
        coverage.hit("room for a value", room && whole.length > 0)
        coverage.hit("no room", !room && !isWhole && at > 0 && whole.length > 0)
        coverage.hit("a value stands whole at the end", torn.at(-1) === 0x7d && !isWhole && whole.length === 0)
        checkRead(read([bytes]).records, written)
      }),
      parameters(half),
    )
    fc.assert(
      fc.property(wildBytes, fc.boolean(), fc.constantFrom("newline", "nul", "end"), (wild, startsLine, ended) => {
        const bytes = wild.filter((byte) => byte !== 0x0a && byte !== 0)
        const { work } = readLine({ _tag: "Segment", bytes, line: 1, offset: 0, startsLine, ended }, smallLimits)
        expect(work <= WORK_PER_BYTE * bytes.length, `looked at ${work} bytes for ${bytes.length}`)
      }),
      parameters(half),
    )
    coverage.demand(budget, ["room for a value", "no room", "a value stands whole at the end"], 500)
  },
}

const path = "/home/session.jsonl"

const readFile = (disk: SimulatedDisk) => {
  const reading = readJournal(disk, path, smallLimits)
  const items: Array<LineItem> = []
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done) return { items, summary: next.value satisfies ReadSummary }
    if (next.value._tag !== "Progress") items.push(next.value)
  }
}

const planFor = (disk: SimulatedDisk): RepairPlan => planRepair(readJournal(disk, path, smallLimits))

interface Kept {
  readonly offset: number
  readonly length: number
  readonly text?: string
  readonly base64?: string
}

const bytesOfKept = ({ length, text, base64 }: Kept): Uint8Array =>
  text !== undefined
    ? bytesOf(text)
    : base64 !== undefined
      ? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
      : new Uint8Array(length)

/** The damaged file again, from the repaired file, the quarantine and the plan. */
const restore = (repaired: Uint8Array, quarantine: ReadonlyArray<Kept>, plan: RepairPlan): Uint8Array => {
  const kept = new Map(quarantine.map((piece) => [piece.offset, piece]))
  const parts: Array<Uint8Array> = []
  let original = 0
  let at = 0
  const copyTo = (offset: number): void => {
    parts.push(repaired.subarray(at, at + offset - original))
    at += offset - original
    original = offset
  }
  for (const { action, offset, length } of plan.actions) {
    copyTo(offset)
    if (action === "split" || action === "add-newline") {
      expect(repaired[at] === 0x0a, "an inserted newline")
      at++
      continue
    }
    const pieces: Array<Uint8Array> = []
    for (let piece = kept.get(original); original < offset + length; piece = kept.get(original)) {
      if (piece === undefined) throw new Error(`byte ${original} is in neither file`)
      pieces.push(bytesOfKept(piece))
      original += piece.length
    }
    parts.push(...pieces)
    if (action === "replace") at += bytesOf(replacedText(concat(pieces))).length
  }
  copyTo(plan.identity.size)
  expect(at === repaired.length, "bytes in the repaired file that were not there before")
  return concat(parts)
}

/** Written down again, not taken from the code under judgement. */
const replacedText = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\r\n").join("\\r\\n").split("\n").join("\\n")

const checkRepair = (coverage: Coverage, bytes: Uint8Array): void => {
  const disk = new SimulatedDisk({ [path]: bytes })
  const first = readFile(disk)
  const plan = planFor(disk)
  const names = repairNames(path, 0, "one")
  const result = applyRepair(disk, plan, names)
  coverage.hit("refused", plan.refusal !== undefined)
  if (Result.isFailure(result)) {
    expect(plan.refusal !== undefined, String(result.failure))
    expect(first.summary.isUtf16 || first.summary.records === 0, "refused a file with records")
    same([...(disk.bytes(path) ?? [])], [...bytes], "a refused file")
    return
  }
  for (const { action, kind } of plan.actions) coverage.hit(`${action} ${kind}`)
  const repaired = disk.bytes(path) as Uint8Array
  const after = readFile(disk)
  const found = (items: ReadonlyArray<LineItem>) => items.flatMap((item) => (item._tag === "Record" ? [item.record.raw] : []))
  same(found(after.items), found(first.items), "records after the repair")
  same(
    after.items.flatMap((item) => (item._tag === "Damage" ? [item.damage] : [])),
    [],
    "damages after the repair",
  )
  expect(after.summary.endsWithNewline, "no newline at the end")
  same(planFor(disk).actions, [], "a second plan")
  if (!result.success.applied) return
  const quarantine = new TextDecoder().decode(disk.bytes(`/home/${names.quarantine}`) ?? new Uint8Array())
  const pieces = quarantine.split("\n").filter((line) => line !== "")
  same(
    [
      ...restore(
        repaired,
        pieces.map((line) => JSON.parse(line) as Kept),
        plan,
      ),
    ],
    [...bytes],
    "the file put together again",
  )
  same([...(disk.bytes(`/home/${names.backup}`) ?? [])], [...bytes], "the backup")
}

const repairing: Law = {
  id: "RPR-1",
  sentence:
    "Repair loses no byte (what is not in the repaired file is in the quarantine), is idempotent, and the repaired file verifies clean",
  runs: 700,
  check: (budget: Budget) => {
    const coverage = new Coverage()
    fc.assert(
      fc.property(wildBytes, (bytes) => checkRepair(coverage, bytes)),
      parameters(budget),
    )
    const kinds = ["torn-tail", "nul-run", "glued", "not-json", "not-object", "oversize", "too-deep"].map(
      (kind) => `quarantine ${kind}`,
    )
    const others = ["replace not-utf8", "replace raw-newline", "split glued", "add-newline no-newline", "refused"]
    coverage.demand(budget, [...kinds, ...others], 500)
  },
}

export const laws: ReadonlyArray<Law> = [roundTrip, cutting, overwriting, chunking, salvaging, repairing]
