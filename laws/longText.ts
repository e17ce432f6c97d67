/** The law of long texts: a line is proven without them as it is with them. */
import * as fc from "fast-check"
import type { LineItem } from "../src/journal/Line.ts"
import { Outline } from "../src/journal/Outline.ts"
import { bytesOf, concat, smallLimits } from "./arbitraries/bytes.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { checkOutline, PREFIXES, readBy, spoilt } from "./outline.ts"
import { longString } from "./scan.ts"
import { check, expectEqual } from "./Trees.ts"

const OPTIONS = { maxDepth: smallLimits.maxDepth, prefixes: PREFIXES }

/** Text that stands for itself, long enough to be left out, with what may end it or may not be cut in two here and there. */
const plain = fc
  .tuple(
    fc.constantFrom("lorem ipsum ", "nnnnnnnnnnnn", "é", "a\\n", "𝄞 ", "\\u00e9", 'say \\"so\\" '),
    fc.integer({ min: 1, max: 150 }),
  )
  .map(([text, times]) => bytesOf(text.repeat(times)))

const text: fc.Arbitrary<Uint8Array> = fc
  .array(fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: longString }), { minLength: 1, maxLength: 4 })
  .map(concat)

/** With it a string begins just before the first place at which a text may be left out. */
const AT_FIRST_PLACE = '{"type":"note","id":"a","b":"'

/** Behind it: an escape that is none, cut in two by the first place if escapes were not looked for. */
const WRONG_ESCAPE = `${"a".repeat(31)}\\x${"n".repeat(1_600)}`

/** Where long texts stand: as a value, within a value, as a key, behind a prefix, in several members. */
const record: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    text,
    text,
    fc.constantFrom(
      '{"type":"',
      '{"id":"a","b":[{"c":"',
      '{"b":{"',
      '{"',
      `{"a":"${PREFIXES[0]}`,
      '{"a":"blo',
      '{"a":',
      '{"type":"a","id":"',
      ...[PREFIXES[0], PREFIXES[1], WRONG_ESCAPE, "abc\\u12", 'a"'].map((begun) => `${AT_FIRST_PLACE}${begun}`),
    ),
    fc.constantFrom('","a":"', '"],"a":["', "", '","b":1,"a":"'),
    fc.constantFrom('"}', '"}]}', '":1}}', '":1}', '"]}', '"', '"} '),
  )
  .map(([first, second, begin, middle, end]) =>
    concat([bytesOf(begin), first, bytesOf(middle), middle === "" ? new Uint8Array(0) : second, bytesOf(end)]),
  )

const line: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: record }, { weight: 1, arbitrary: fc.constant(bytesOf('{"type":"x","id":"b"}')) }),
    fc.constantFrom("\n", "\n", "\n", "\n", "", "\r\n", "\0\n"),
  )
  .map(([bytes, end]) => concat([bytes, bytesOf(end)]))

const file = fc
  .array(line, { minLength: 1, maxLength: 4 })
  .map(concat)
  .chain((bytes) => fc.oneof({ weight: 3, arbitrary: fc.constant(bytes) }, { weight: 1, arbitrary: spoilt(fc.constant(bytes)) }))

const sizes = fc.array(fc.integer({ min: 350, max: 1_500 }), { minLength: 1, maxLength: 4 })

const longTexts = (budget: Budget): void => {
  const coverage = new Coverage()
  const scanning = new Outline(OPTIONS)
  const property = fc.property(file, sizes, (bytes, chunks) => {
    const full = readBy(bytes, chunks, () => undefined)
    const room = scanning.room(bytes.length)
    check(room !== undefined, "no room")
    let [asked, looked] = [0, 0]
    const look = (item: LineItem): void => {
      if (item._tag === "Damage" || item.record.outline === undefined) return
      const before = asked
      const { raw, value, outline } = item.record
      checkOutline(outline, value, raw)
      looked += asked - before
      coverage.hit("a record with a text left out", asked > before)
      coverage.hit("not ASCII", asked > before && /[^\0-\x7f]/.test(raw))
      coverage.hit("escapes", asked > before && raw.includes("\\"))
      coverage.hit("the prefix", asked > before && outline.hasPrefix)
      coverage.hit("over several chunks", asked > before && raw.length > 2 * Math.max(...chunks))
    }
    const again = (offset: number, length: number): Uint8Array => {
      asked++
      return bytes.slice(offset, offset + length)
    }
    const told = readBy(bytes, chunks, look, scanning, room, undefined, { again, longTextBytes: 300 })
    expectEqual("the items", told.items, full.items)
    expectEqual("the summary", told.summary, full.summary)
    coverage.hit("a line that is had again, since it is not proven", asked > looked)
    coverage.hit("damage", full.summary.damages > 0 && asked > 0)
  })
  fc.assert(property, parameters(budget))
  const left = ["a record with a text left out", "not ASCII", "escapes", "the prefix", "over several chunks"]
  coverage.demand(budget, [...left, "a line that is had again, since it is not proven", "damage"], 300)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "IDX-6",
    sentence:
      "A journal whose long texts are left in the file while their lines are proven has the same records, damages and summary as one that is parsed, and its outlines say the same.",
    runs: 500,
    deepRuns: 50_000,
    check: longTexts,
  },
]
