/** The laws of reading with the records left in the file: what is held of each says the same as the record would. */
import * as fc from "fast-check"
import { Decoder } from "../src/journal/Decoder.ts"
import { digests } from "../src/journal/Digests.ts"
import { CHAIN_START, type ChainState, SealReader, sealOf } from "../src/journal/Integrity.ts"
import type { LineItem } from "../src/journal/Line.ts"
import { recordIn } from "../src/journal/PlaceReader.ts"
import type { RunTaker } from "../src/journal/Run.ts"
import type { JsonObject } from "../src/model/Json.ts"
import { iterate, lastPosition, positions, toArray } from "../src/model/Sequence.ts"
import { FORMAT_RECORDS } from "../src/session/Load.ts"
import { TreeReading } from "../src/session/TreeReading.ts"
import { buildSessionContext } from "../src/tree/Context.ts"
import { referencesIn } from "../src/tree/Images.ts"
import { stateJson } from "../src/tree/Overview.ts"
import { inspect } from "../src/tree/Reading.ts"
import { sanitised } from "../src/tree/Sanitising.ts"
import { initial, type TreeState } from "../src/tree/State.ts"
import { evolve } from "../src/tree/TreeModel.ts"
import { bytesOf, chunkSizes, concat, inChunks } from "./arbitraries/bytes.ts"
import { cover, session } from "./arbitraries/tree.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { check, expectEqual, leavesOf } from "./Trees.ts"

/** How the lines of a session stand in its file. */
interface Layout {
  /** Whether the records carry seals. */
  readonly sealed: boolean
  /** What is done to a line: nothing, most of the time. */
  readonly hits: ReadonlyArray<readonly [line: number, hit: Hit]>
  readonly sizes: ReadonlyArray<number>
  /** Whether so many notes stand behind the first line that what comes then is taken by the run. */
  readonly padded: boolean
}

type Hit = "glued" | "cut" | "not UTF-8" | "raw newline" | "blanks" | "reference" | "long id" | "again" | "history"

const layout: fc.Arbitrary<Layout> = fc.record({
  sealed: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  hits: fc.array(
    fc.tuple(
      fc.nat({ max: 20 }),
      fc.constantFrom<Hit>("glued", "cut", "not UTF-8", "raw newline", "blanks", "reference", "long id", "again", "history"),
    ),
    { maxLength: 4 },
  ),
  sizes: chunkSizes,
  padded: fc.boolean(),
})

const REFERENCE = `{"type":"image","data":"blob:sha256:${"ab".repeat(32)}","mimeType":"image/png"}`

const HISTORIES = ["openaiResponsesHistory", "openaiResponsesHistorY", "openai\\u0052esponsesHistory"]

/** An answer that must not keep what it has, or one that nearly so. */
const historyLine = (n: number): string =>
  `{"type":"message","id":"h${n % 3}","parentId":null,"timestamp":"t","message":{"role":"assistant","providerPayload":{"type":"${HISTORIES[n % 3]}"},"content":[{"type":"thinking","thinkingSignature":"s"}]}}`

/** A line as a hit leaves it, its newline with it. */
const hitLine = (raw: string, hit: Hit | undefined): Uint8Array => {
  const line = bytesOf(`${raw}\n`)
  const inString = `{"s":"x`.length
  switch (hit) {
    case "glued":
      return bytesOf(raw)
    case "cut":
      return line.slice(0, Math.floor(line.length / 2))
    case "not UTF-8":
      return concat([bytesOf('{"s":"x'), new Uint8Array([0xff]), bytesOf(`${line.length}",${raw.slice(1)}\n`)])
    case "raw newline":
      return bytesOf(`${'{"s":"x'.slice(0, inString)}\n",${raw.slice(1)}\n`)
    case "history":
      return bytesOf(`${historyLine(raw.length)}\n${raw}\n`)
    case "blanks":
      return bytesOf(`  \t${raw} \r\n`)
    case "reference":
      return bytesOf(`{"content":[${REFERENCE}],${raw.slice(1)}\n`)
    case "long id":
      return bytesOf(`{"id":"${"i".repeat(70)}","type":"note","parentId":null,"timestamp":"t","n":${raw.length}}\n${raw}\n`)
    case "again":
      return bytesOf(`${raw}\n${raw}\n`)
    case undefined:
      return line
  }
}

const NOTES = bytesOf('{"type":"x-note"}\n'.repeat(FORMAT_RECORDS))

const fileOf = (lines: ReadonlyArray<string>, { sealed, hits, padded }: Layout): Uint8Array => {
  let state: ChainState = CHAIN_START
  const sealedLine = (text: string): string => {
    const made = sealOf(digests, state, text)
    state = made.state
    return made.member === undefined ? text : `${text.slice(0, -1)}${made.member}}`
  }
  const byLine = new Map(hits)
  const parts = lines.map((raw, n) => hitLine(sealed && raw.startsWith('{"') ? sealedLine(raw) : raw, byLine.get(n)))
  return concat(padded ? [...parts.slice(0, 1), NOTES, ...parts.slice(1)] : parts)
}

/** All that is read of a file, the records without their seals. What is left to a reading is good until the next item, or taken by it. */
const itemsOf = function* (
  bytes: Uint8Array,
  sizes: ReadonlyArray<number>,
  { outline, runs }: Partial<TreeReading> = {},
): Generator<LineItem> {
  const seals = new SealReader(digests)
  const decoder = new Decoder({ outline, runs: runs && seals.behind(runs) })
  const room = outline?.room(bytes.length)
  for (const chunk of inChunks(bytes, sizes)) {
    room?.set(chunk)
    for (const item of decoder.push(room?.subarray(0, chunk.length) ?? chunk)) yield* seals.read(item)
  }
  for (const item of decoder.end()) yield* seals.read(item)
}

interface Full {
  readonly state: TreeState
  readonly damages: ReadonlyArray<unknown>
}

/** The full reading, up to a version that is refused. */
const fullOf = (items: ReadonlyArray<LineItem>): Full => {
  const damages: Array<unknown> = []
  let state = initial
  for (const item of items) {
    if (item._tag === "Damage") damages.push(item.damage)
    else if (state.unsupported === undefined) {
      const { value, line, offset, length } = item.record
      for (const kind of inspect(state, value)) damages.push({ line, offset, length, kind })
      state = evolve(state, value)
    }
  }
  return { state, damages }
}

const plainEntries = (state: TreeState): ReadonlyArray<unknown> =>
  [...iterate(state.entries)].map(({ id, parentId, type, index, parent, stop, record, source }) => ({
    id,
    parentId,
    type,
    index,
    parent,
    stop,
    record,
    source,
  }))

const rest = ({ entries: _, patches, labels, ...plain }: TreeState): unknown => ({
  ...plain,
  patches: toArray(patches),
  labels: toArray(labels),
})

const referencesOf = (state: TreeState): ReadonlyArray<unknown> => [
  ...toArray(state.entries).flatMap(({ id, record }, position) =>
    referencesIn(record).map((image) => ({ image, entryId: id, within: "entries", position })),
  ),
  ...toArray(state.patches).flatMap(({ position: patched, message }, position) => {
    const entryId = toArray(state.entries)[patched]?.id ?? ""
    return referencesIn({ message }).map((image) => ({ image, entryId, within: "patches", position }))
  }),
]

/** The state in the middle of a reading, and how many items had been taken by then. */
interface Early {
  readonly state: TreeState
  readonly taken: number
}

/** Has a reading take a whole file. Gives its state when half of the items were taken, or as soon as it may be asked then. */
const readAll = (
  reading: TreeReading,
  bytes: Uint8Array,
  sizes: ReadonlyArray<number>,
  half: number,
  coverage: Coverage,
): Early => {
  let taken = 0
  let early: Early | undefined
  const runs: RunTaker = {
    isReady: () => reading.runs.isReady(),
    take: (run) => {
      const known = reading.damages.length
      reading.runs.take(run)
      taken += run.count
      coverage.hit("messages taken by the run")
      for (const { kind } of reading.damages.slice(known)) coverage.hit(`${kind} in a run`)
    },
  }
  for (const item of itemsOf(bytes, sizes, { outline: reading.outline, runs })) {
    reading.take(item)
    if (++taken >= half) early ??= { state: reading.state, taken }
    // More than there is room for at first, and fewer than there are.
    if (taken === half) reading.expectLike(1, bytes.length % 400)
  }
  return early ?? { state: reading.state, taken }
}

/** A state that was had before more was read is what it was. */
const checkBetween = (between: TreeState, before: TreeState): void => {
  expectEqual("the entries of the state half-way", plainEntries(between), plainEntries(before))
  for (const leaf of leavesOf(before)) {
    if (leaf === null) continue
    expectEqual(`where ${leaf} stood half-way`, positions(between.entries, leaf), positions(before.entries, leaf))
    expectEqual(`where ${leaf} stood last half-way`, lastPosition(between.entries, leaf), lastPosition(before.entries, leaf))
  }
}

const checkStored = (bytes: Uint8Array, { sizes }: Layout, coverage: Coverage): void => {
  const items = [...itemsOf(bytes, sizes)]
  const half = Math.ceil(items.length / 2)
  const full = fullOf(items)
  const read = (onlyJudges: boolean): TreeReading => {
    const reading = new TreeReading({
      read: ({ offset, length }): JsonObject => {
        const found = recordIn(bytes.subarray(offset, offset + length))
        if (found === undefined) throw new Error(`no record at ${offset}`)
        return found
      },
      onlyJudges,
    })
    return reading
  }
  const [kept, judged] = [read(false), read(true)]
  const early = readAll(kept, bytes, sizes, half, coverage)
  const before = fullOf(items.slice(0, early.taken)).state
  for (const item of itemsOf(bytes, sizes, judged)) judged.take(item)
  expectEqual("the damages", kept.damages, full.damages)
  expectEqual("the damages, by what judges alone", judged.damages, full.damages)
  expectEqual("the number of entries, by what judges alone", judged.state.entries.length, full.state.entries.length)
  expectEqual("the references", kept.references, referencesOf(full.state))
  expectEqual("what it must lose", sanitised(kept.state, kept.losing), sanitised(full.state))
  expectEqual("the entries", plainEntries(kept.state), plainEntries(full.state))
  expectEqual("the state", rest(kept.state), rest(full.state))
  expectEqual("the state as JSON", stateJson(kept.state), stateJson(full.state))
  for (const leaf of [...leavesOf(full.state), full.state.leaf, "no such entry"]) {
    expectEqual(`the context at ${leaf}`, buildSessionContext(kept.state, leaf), buildSessionContext(full.state, leaf))
    if (leaf === null) continue
    expectEqual(`where ${leaf} stands`, positions(kept.state.entries, leaf), positions(full.state.entries, leaf))
    expectEqual(`where ${leaf} stands last`, lastPosition(kept.state.entries, leaf), lastPosition(full.state.entries, leaf))
  }
  checkBetween(early.state, before)
  for (const { kind } of full.damages as ReadonlyArray<{ readonly kind: string }>) coverage.hit(kind)
  coverage.hit("references", kept.references.length > 0)
  coverage.hit("something that it must lose", kept.losing.length > 0)
  coverage.hit("a patched message", full.state.patches.length > 0)
  coverage.hit(
    "an entry that was migrated",
    plainEntries(full.state).some((entry) => isMigrated(entry as Sources)),
  )
  coverage.hit(
    "an id that is not ASCII",
    leavesOf(full.state).some((id) => id !== null && /[^\0-\x7f]/.test(id)),
  )
}

interface Sources {
  readonly record: JsonObject
  readonly source: JsonObject
}

const isMigrated = ({ record, source }: Sources): boolean => record !== source

const CLASSES = [
  ...["orphan", "duplicate-id", "duplicate-record", "unusable-entry", "unusable-patch", "bad-header", "extra-header"],
  ...["glued", "not-utf8", "raw-newline", "not-json", "torn-tail", "edited"],
  ...[
    "references",
    "something that it must lose",
    "a patched message",
    "an entry that was migrated",
    "an id that is not ASCII",
    "seals",
    "more entries behind",
  ],
]

/** What comes behind entries that are left in the file stands with them as with entries in memory. */
const checkBehind = (state: TreeState, full: TreeState, lines: ReadonlyArray<JsonObject>): void => {
  const half = Math.ceil(lines.length / 2)
  const grow = (from: TreeState, records: ReadonlyArray<JsonObject>) => records.reduce(evolve, from)
  const one = { stored: grow(state, lines.slice(0, half)), full: grow(full, lines.slice(0, half)) }
  // Two that grow out of one know nothing of each other.
  const [left, right] = [grow(one.stored, lines.slice(half)), grow(one.stored, lines.slice(0, half))]
  expectEqual("the entries after more", plainEntries(left), plainEntries(grow(one.full, lines.slice(half))))
  expectEqual("the entries after others", plainEntries(right), plainEntries(grow(one.full, lines.slice(0, half))))
  expectEqual("the entries before", plainEntries(one.stored), plainEntries(one.full))
  check(state.entries.length === full.entries.length, "more entries came into the state before")
  for (const leaf of leavesOf(left)) {
    if (leaf === null) continue
    expectEqual(`where ${leaf} stands`, positions(left.entries, leaf), positions(grow(one.full, lines.slice(half)).entries, leaf))
  }
}

const stored = (budget: Budget): void => {
  const coverage = new Coverage()
  const property = fc.property(session, layout, session, (given, placed, more) => {
    cover(coverage, given)
    const bytes = fileOf(
      given.lines.map(({ raw }) => raw),
      placed,
    )
    coverage.hit("seals", placed.sealed && given.lines.length > 3)
    checkStored(bytes, placed, coverage)
    const reading = new TreeReading({
      read: ({ offset, length }) => recordIn(bytes.subarray(offset, offset + length)) ?? {},
    })
    for (const item of itemsOf(bytes, placed.sizes, reading)) reading.take(item)
    const { state } = reading
    if (state.unsupported !== undefined) return
    coverage.hit("more entries behind", more.lines.length > 2)
    checkBehind(
      state,
      fullOf([...itemsOf(bytes, placed.sizes)]).state,
      more.lines.map(({ value }) => value),
    )
  })
  fc.assert(property, parameters(budget))
  coverage.demand(budget, CLASSES, 200)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "IDX-2",
    sentence:
      "A tree session read with its entries left in the file has the same damages, the same state and the same context at every leaf as one read into memory, whatever the file holds and whatever comes behind.",
    runs: 200,
    deepRuns: 20_000,
    check: stored,
  },
]
