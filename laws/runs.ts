/** The law of runs: messages that are taken many at once are those that are told one by one. */
import * as fc from "fast-check"
import type { LineItem } from "../src/journal/Line.ts"
import { Outline } from "../src/journal/Outline.ts"
import type { Run, RunTaker } from "../src/journal/Run.ts"
import { asciiText } from "../src/model/Ascii.ts"
import { own, ownString } from "../src/model/Json.ts"
import { KeyTable } from "../src/model/KeyTable.ts"
import { MAX_PLAIN_UNITS } from "../src/model/Packed.ts"
import { bytesOf, chunkSizes, smallLimits } from "./arbitraries/bytes.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { readBy, spoilt } from "./outline.ts"
import { check, expectEqual } from "./Trees.ts"

const OPTIONS = { maxDepth: smallLimits.maxDepth, prefixes: ["blob:"] }

/** One of these spellings of a value, the first ones most of the time. */
const mostly = (usual: ReadonlyArray<string>, others: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

const quoted = (text: string): string => `"${text}"`

const FEW = ["a", "b", "a1", "a2", "b1", "0a1b2c3d", "0a1b2c3e"].map(quoted)
const LONGEST = "i".repeat(MAX_PLAIN_UNITS)

const id = mostly([...FEW, quoted(LONGEST)], ['""', quoted(`${LONGEST}i`), '"é"', '"\\u0061"', "null", "7", '"\u007f"', "{}"])
const parentId = fc.oneof({ weight: 3, arbitrary: id }, { weight: 1, arbitrary: fc.constant("null") })
const type = mostly(['"message"'], ['"messages"', '"nessage"', '"Message"', '"custom"', '["message"]', "null", '"\\u006dessage"'])
const timestamp = mostly(['"2026-11-30T13:38:53.631Z"', '""'], ["7", "null"])
const message = mostly(
  ['{"role":"user","content":"hello"}', '{"content":[{"type":"text","text":"a\\n\\"b\\""}]}', "{}", '{"t":"é 𝄞"}'],
  ['"hello"', "[]", '{"data":"blob:x"}', '{"data":"b\\u006cob:x"}', '{"a":[[[[[[[[[[[[[[]]]]]]]]]]]]]]}', "null"],
)
const more = fc.oneof(
  { weight: 12, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.constantFrom('"_c":"1-ab"', '"_c":null', '"n":-0.5', '"é":1', '"\\u0069d":"x"', '"id":"again"') },
)

const member = (key: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      value,
      fc.nat({ max: 60 }).map((n) => n === 0),
      fc.constantFrom("", "", " "),
    )
    .map(([text, isAbsent, blank]) => (isAbsent ? "" : `"${key}":${blank}${text}`))

const record: fc.Arbitrary<string> = fc
  .tuple(
    fc.tuple(
      member("type", type),
      member("id", id),
      member("parentId", parentId),
      member("timestamp", timestamp),
      member("message", message),
      more,
    ),
    fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 5 })), { maxLength: 2 }),
  )
  .map(([members, swaps]) => {
    const order: Array<string> = [...members]
    for (const [a, b] of swaps) [order[a], order[b]] = [order[b] ?? "", order[a] ?? ""]
    return `{${order.filter((each) => each !== "").join(",")}}`
  })

const line = fc
  .tuple(record, mostly(["\n"], ["", " \n", "\r\n", "\n\n", "\n \n", "\0\n", "\n{}\n"]))
  .map(([text, end]) => `${text}${end}`)

const wholeFile = fc.array(line, { maxLength: 14 }).map((lines) => bytesOf(lines.join("")))
const file = fc.oneof({ weight: 3, arbitrary: wholeFile }, { weight: 1, arbitrary: spoilt(wholeFile) })

/** Whether a record of its own line is a plain message, as its outline says. */
const isPlain = (raw: string): boolean => {
  const outline = new Outline(OPTIONS)
  const bytes = bytesOf(raw)
  if (!outline.read(bytes, 0, bytes.length) || outline.hasPrefix) return false
  const isShort = (text: string | undefined): boolean => text !== undefined && text.length > 0 && text.length <= MAX_PLAIN_UNITS
  return (
    outline.says("type", "message") &&
    outline.kind("message") === "object" &&
    outline.kind("timestamp") === "string" &&
    outline.kind("_c") === undefined &&
    isShort(outline.text("id")) &&
    (outline.kind("parentId") === "null" || isShort(outline.text("parentId")))
  )
}

/** The keys of a run put in a table together, where they are new. */
const addTo = (table: KeyTable, { ids }: Run): void => {
  const from = (n: number): number => (n === 0 ? ids.from : (ids.ends[n - 1] as number))
  for (let n = 0; n < ids.count; ) {
    n += table.addNew(ids, n)
    if (n < ids.count) table.add(asciiText(ids.bytes, from(n), ids.ends[n++] as number))
  }
}

interface Taken {
  count: number
  /** The ids of what was taken, put in by the run and one by one. */
  readonly tables: readonly [KeyTable, KeyTable]
}

const checkRun = (run: Run, coverage: Coverage): void => {
  for (let n = 0; n < run.count; n++) {
    const { value, raw } = run.record(n)
    check(isPlain(raw), `no plain message in a run: ${raw}`)
    expectEqual("the parent's id", run.parentId(n), own(value, "parentId"))
    coverage.hit("a parent that is the message before", n > 0 && own(value, "parentId") === own(run.record(n - 1).value, "id"))
    coverage.hit("no parent", run.parentId(n) === null)
    coverage.hit("an id of the longest", own(value, "id") === LONGEST)
    coverage.hit("not ASCII", /[^\0-\x7f]/.test(raw))
  }
}

/** Takes runs as items in their place. `ready`: whether it takes the next one, over and over; without any it takes all. */
const taker =
  (ready: ReadonlyArray<boolean>, taken: Taken, coverage: Coverage) =>
  (items: Array<unknown>): RunTaker => {
    let asked = 0
    return {
      isReady: () => ready.length === 0 || ready[asked++ % ready.length] === true,
      take: (run) => {
        checkRun(run, coverage)
        addTo(taken.tables[0], run)
        taken.count += run.count
        for (let n = 0; n < run.count; n++) {
          const { value, ...rest } = run.record(n)
          taken.tables[1].add(ownString(value, "id") ?? "")
          items.push({ value, ...rest, startsLine: true })
        }
        check(run.length === run.placeOf(run.count - 1).offset + run.placeOf(run.count - 1).length + 1 - run.offset, "a length")
        coverage.hit("a run of several", run.count > 1)
      },
    }
  }

const checkTables = ([together, single]: Taken["tables"]): void => {
  check(together.length === single.length, "the number of keys")
  for (let position = 0; position < single.length; position++) {
    const key = single.key(position)
    expectEqual(`the key at ${position}`, together.key(position), key)
    expectEqual(`where ${key} stands last`, together.lastPosition(key), single.lastPosition(key))
    expectEqual(`where ${key} stood before`, together.before(position), single.before(position))
  }
}

interface Told {
  readonly raw?: string
  readonly offset?: number
  readonly length?: number
  readonly startsLine?: boolean
}

/** The records that one run after the other must have taken, where nothing is damaged and all stand in one chunk. */
const plainIn = (bytes: Uint8Array, items: ReadonlyArray<unknown>): number =>
  (items as ReadonlyArray<Told>).filter(
    ({ raw, offset = 0, length = 0, startsLine }) =>
      raw !== undefined && startsLine === true && bytes[offset + length] === 0x0a && isPlain(raw),
  ).length

const runs = (budget: Budget): void => {
  const coverage = new Coverage()
  const scanning = new Outline(OPTIONS)
  const property = fc.property(file, chunkSizes, fc.array(fc.boolean(), { maxLength: 4 }), (bytes, sizes, ready) => {
    const full = readBy(bytes, sizes, () => undefined)
    const room = scanning.room(bytes.length)
    check(room !== undefined, "no room")
    const read = (each: ReadonlyArray<number>, pattern: ReadonlyArray<boolean>): Taken => {
      const taken: Taken = { count: 0, tables: [new KeyTable(), new KeyTable()] }
      const look = (item: LineItem): void => {
        coverage.hit("a record beside runs", item._tag === "Record" && taken.count > 0)
        coverage.hit("damage beside runs", item._tag === "Damage" && taken.count > 0)
        const outline = item._tag === "Record" ? item.record.outline : undefined
        coverage.hit("an outline behind a run", outline !== undefined && taken.count > 0)
      }
      const told = readBy(bytes, each, look, scanning, room, taker(pattern, taken, coverage))
      expectEqual("the items", told.items, full.items)
      expectEqual("the summary", told.summary, full.summary)
      checkTables(taken.tables)
      coverage.hit("an id that comes again", taken.tables[1].before(taken.tables[1].length - 1) >= 0)
      return taken
    }
    coverage.hit("runs that are refused", read(sizes, ready).count > 0 && ready.includes(false))
    const { count } = read([Math.max(bytes.length, 1)], [])
    const isWhole = full.summary.damages === 0 && !full.summary.hasBom
    if (isWhole) expectEqual("how many were taken", count, plainIn(bytes, full.items))
    coverage.hit("a whole file with other records", isWhole && count > 0 && count < full.items.length)
  })
  fc.assert(property, parameters(budget))
  const messages = ["a parent that is the message before", "no parent", "an id of the longest", "not ASCII", "a run of several"]
  const beside = ["a record beside runs", "damage beside runs", "an outline behind a run", "an id that comes again"]
  coverage.demand(budget, [...messages, ...beside, "runs that are refused", "a whole file with other records"], 500)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "IDX-5",
    sentence:
      "A journal whose plain messages are taken by the run has the same records, damages and summary as one that is parsed; a run holds plain messages and no others, leaves out none in a file without damage, and says of each its place, its id and its parent.",
    runs: 700,
    deepRuns: 70_000,
    check: runs,
  },
]
