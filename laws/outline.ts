/** The law of outlines: what is told of a record from its bytes alone is what the parser makes of them. */
import { Buffer } from "node:buffer"
import * as fc from "fast-check"
import { type DecodeOptions, Decoder, type DecodeSummary } from "../src/journal/Decoder.ts"
import { MAX_MEMBERS } from "../src/journal/Grammar.ts"
import type { LineItem } from "../src/journal/Line.ts"
import { Outline, type ValueKind } from "../src/journal/Outline.ts"
import type { RunTaker } from "../src/journal/Run.ts"
import { isObject, type Json, type JsonObject, own } from "../src/model/Json.ts"
import { parseJson } from "../src/model/JsonParse.ts"
import { anyRecord, bytesOf, chunkSizes, cleanJournal, concat, inChunks, smallLimits, wildBytes } from "./arbitraries/bytes.ts"
import { textOf as rawText, rawValue } from "./arbitraries/rawJson.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { check, expectEqual } from "./Trees.ts"

export const PREFIXES = ["blob:", "open"]
/** A prefix, or the part of one and an escape. */
const beginnings = PREFIXES.flatMap((prefix) => [prefix, ...[...prefix].map((_, n) => `${prefix.slice(0, n)}\\\\u`)])
/** Behind a quote that is not escaped, which in a record begins a string. */
const PREFIXED = new RegExp(`(?<!\\\\)(?:\\\\\\\\)*"(?:${beginnings.join("|")})`)
/** What strings begin with that begin with a prefix, or nearly so. */
const BEGINNINGS = ["blob:x", "open", "blob", "opén", "bl\\u006fb:", "\\u006fpen", "o\\\\u0070en", "\\nopen", "blob\\u00e9"]

/** What makes a line wrong by one byte, and what is right in an unusual way. */
const SPICES: ReadonlyArray<ReadonlyArray<number>> = [
  ...['"', "\\", "{", "}", "[", "]", ",", ":", " ", "\t", "\r", "\n", "0", "-", ".", "e", "u", "\u0001", "\u007f", "é", "😀"],
  ..."\\u00e9 \\ud800 \\x blob: 01 1. .5 -0 1e5 1e+ tru null".split(" "),
].map((text) => [...bytesOf(text)])

const spice: fc.Arbitrary<ReadonlyArray<number>> = fc.oneof(
  fc.constantFrom(...SPICES),
  fc.constantFrom(
    [0xff],
    [0xc3],
    [0xc0, 0x80],
    [0xe0, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf0, 0x9f],
    [0x00],
  ),
)

/** Bytes with some taken out and others put in, at a few places. */
export const spoilt = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(bytes, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), spice), { maxLength: 2 })).map(([given, changes]) =>
    changes.reduce((now, [place, gone, put]) => {
      const at = place % (now.length + 1)
      return concat([now.subarray(0, at), new Uint8Array(put), now.subarray(at + gone)])
    }, given),
  )

export const KEYS = ["type", "id", "a", "b", "__proto__", "constructor", ""]

const rawObject: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...KEYS, "\\u0061", "é"),
      fc.oneof({ weight: 9, arbitrary: rawValue.map(rawText) }, fc.constantFrom(...BEGINNINGS.map((text) => `"${text}"`))),
    ),
    {
      maxLength: 5,
    },
  )
  .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(", ")}}`)

const deep = fc.integer({ min: smallLimits.maxDepth - 3, max: smallLimits.maxDepth + 1 }).map((depth) => {
  return `${'{"a":'.repeat(depth)}[]${"}".repeat(depth)}`
})

const many = fc
  .integer({ min: MAX_MEMBERS - 1, max: MAX_MEMBERS + 1 })
  .map((count) => `{${Array.from({ length: count }, (_, n) => `"k${n}":${n}`).join(",")}}`)

/** Lines of every kind, whole, odd, and spoilt by a byte or two. */
export const anyFile: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: spoilt(cleanJournal(anyRecord).map(({ bytes }) => bytes)) },
  { weight: 4, arbitrary: spoilt(fc.array(rawObject, { maxLength: 3 }).map((texts) => bytesOf(texts.join("\n")))) },
  { weight: 1, arbitrary: spoilt(fc.oneof(deep, many).map(bytesOf)) },
  { weight: 3, arbitrary: wildBytes },
)

const kindOf = (value: Json | undefined): ValueKind | undefined => {
  if (value === undefined || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value === undefined ? undefined : (typeof value as ValueKind)
  return value === null ? "null" : Array.isArray(value) ? "list" : "object"
}

const PLAIN_TEXT = /^[ !#-[\]-\x7f]{0,256}$/

/** Whether a string of a value, a key or another, begins with a prefix. */
const beginsSo = (value: Json): boolean => {
  if (typeof value === "string") return PREFIXES.some((prefix) => value.startsWith(prefix))
  if (Array.isArray(value)) return value.some(beginsSo)
  return isObject(value) && Object.entries(value).some(([key, member]) => beginsSo(key) || beginsSo(member))
}

/** An outline says of every member what the value says, and nothing of what is not there. */
export const checkOutline = (outline: Outline, value: JsonObject, raw: string): void => {
  for (const key of [...Object.keys(value), ...KEYS, "absent"]) {
    const member = own(value, key)
    // A key that is not ASCII is never asked for.
    if (/[^\0-\x7f]/.test(key)) continue
    expectEqual(`the kind of ${key}`, outline.kind(key), kindOf(member))
    const text = outline.text(key)
    check(text === undefined || text === member, `the text of ${key} is ${text}`)
    if (text !== undefined) check(outline.says(key, text), `${key} does not say ${text}`)
    for (const other of [typeof member === "string" ? member : "null", `${text}x`, "\\n", "Ã©"])
      check(!outline.says(key, other) || other === member, `${key} says ${other}`)
    if (typeof member === "string" && PLAIN_TEXT.test(member) && !raw.includes("\\")) check(text === member, `no text of ${key}`)
  }
  check(outline.hasPrefix === PREFIXED.test(raw), `whether a string may begin with one of ${PREFIXES}`)
  check(outline.hasPrefix || !beginsSo(value), `${raw} has a prefix`)
}

/** An item as it is, in plain members: what is made when it is asked for, too. */
export const plain = (item: LineItem): unknown => {
  if (item._tag === "Damage") return item
  const { record, startsLine } = item
  const { value, raw, line, offset, length } = record
  return { value, raw, line, offset, length, startsLine }
}

interface Told {
  readonly items: ReadonlyArray<unknown>
  readonly summary: DecodeSummary
}

/** Reads as a reader does: each chunk is overwritten as soon as it was taken, and each item is looked at before the next. */
export const readBy = (
  bytes: Uint8Array,
  sizes: ReadonlyArray<number>,
  look: (item: LineItem) => void,
  outline?: Outline,
  room?: Uint8Array,
  runs?: (items: Array<unknown>) => RunTaker,
  texts?: Pick<DecodeOptions, "again" | "longTextBytes">,
): Told => {
  const items: Array<unknown> = []
  const decoder = new Decoder({ ...smallLimits, ...texts, outline, runs: runs?.(items) })
  const take = (item: LineItem): void => {
    look(item)
    items.push(plain(item))
  }
  for (const chunk of inChunks(bytes, sizes)) {
    const reused = room?.subarray(0, chunk.length) ?? Buffer.from(chunk)
    reused.set(chunk)
    for (const item of decoder.push(reused)) take(item)
    reused.fill(0x7b)
  }
  for (const item of decoder.end()) take(item)
  return { items, summary: decoder.summary() }
}

/** A stretch has an outline if and only if it is a record that has one. */
const checkStretch = (bytes: Uint8Array, coverage: Coverage): void => {
  const outline = new Outline({ maxDepth: smallLimits.maxDepth, prefixes: PREFIXES })
  const has = outline.read(bytes, 0, bytes.length)
  coverage.hit(outline.reason ?? "outline")
  const raw = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  let value: Json | undefined
  try {
    value = parseJson(raw)
  } catch {
    value = undefined
  }
  const isRecord = isObject(value) && Buffer.from(raw).equals(bytes) && bytes[0] === 0x7b && bytes.at(-1) === 0x7d
  if (has) check(isRecord, "an outline of what is no record")
  else if (isRecord)
    check(outline.reason !== "grammar" && outline.reason !== "UTF-8", `no outline of a record: ${outline.reason}`)
  if (has) checkOutline(outline, value as JsonObject, raw)
}

const outlines = (budget: Budget): void => {
  const coverage = new Coverage()
  const scanning = new Outline({ maxDepth: smallLimits.maxDepth, prefixes: PREFIXES })
  const property = fc.property(anyFile, chunkSizes, (bytes, sizes) => {
    const outline = new Outline({ maxDepth: smallLimits.maxDepth, prefixes: PREFIXES })
    const full = readBy(bytes, sizes, () => undefined)
    const told = readBy(
      bytes,
      sizes,
      (item) => {
        if (item._tag === "Damage") return
        const { record } = item
        coverage.hit("a record told by its outline", record.outline !== undefined)
        coverage.hit("a record that is parsed", record.outline === undefined)
        coverage.hit("damage on the line before an outline", record.outline !== undefined && record.line > 1)
        if (record.outline === undefined) return
        checkOutline(record.outline, record.value, record.raw)
        coverage.hit("a key twice", (record.raw.match(/"type":/g) ?? []).length > 1)
        coverage.hit("__proto__", Object.hasOwn(record.value, "__proto__"))
        coverage.hit("the prefix", record.outline.hasPrefix)
        coverage.hit("not ASCII", /[^\0-\x7f]/.test(record.raw))
        coverage.hit("blanks around", !item.startsLine)
      },
      outline,
    )
    expectEqual("the items", told.items, full.items)
    expectEqual("the summary", told.summary, full.summary)
    const room = scanning.room(bytes.length)
    check(room !== undefined, "no room")
    const scanned = readBy(
      bytes,
      sizes,
      (item) => coverage.hit("a record told in a room", item._tag === "Record" && item.record.outline !== undefined),
      scanning,
      room,
    )
    expectEqual("the items in a room", scanned.items, full.items)
    expectEqual("the summary in a room", scanned.summary, full.summary)
    for (const line of Buffer.from(bytes).toString("latin1").split("\n")) checkStretch(Buffer.from(line, "latin1"), coverage)
  })
  fc.assert(property, parameters(budget))
  const reasons = ["outline", "no object", "grammar", "depth", "UTF-8", "escaped key", "members"]
  const records = [
    "a record told by its outline",
    "a record told in a room",
    "a record that is parsed",
    "a key twice",
    "__proto__",
    "the prefix",
    "not ASCII",
  ]
  coverage.demand(budget, [...reasons, ...records, "damage on the line before an outline", "blanks around"], 1_000)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "IDX-1",
    sentence:
      "A journal that is told by outlines has the same records, damages and summary as one that is parsed, whatever its bytes; an outline says of each member what the parser makes of it, and every reason to have none occurs.",
    runs: 2_000,
    deepRuns: 200_000,
    check: outlines,
  },
]
