/**
 * The bytes of journals: written well, in all the ways that are still valid, and damaged in all the ways that have been seen.
 */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { toText } from "../../src/model/JsonText.ts"
import { jsonKey, jsonObject, jsonValue, objectOf } from "./json.ts"

const encoder = new TextEncoder()

export const bytesOf = (text: string): Uint8Array => encoder.encode(text)

export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** A record of a session, by its members: a tree entry, an entry without ids, or a record of a ledger. */
const sessionRecord = (id: fc.Arbitrary<string>, payload: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> => {
  const timestamp = fc.constantFrom("2026-11-30T13:38:53.631Z", "2025-12-17T20:52:31.250Z")
  const type = fc.constantFrom("message", "custom", "x-unknown", "user")
  return fc.oneof(
    fc.record({ type, id, parentId: fc.option(id), timestamp, data: payload }),
    fc.record({ type, timestamp, message: payload }),
    fc.record({ t: timestamp, type, message: payload }),
    fc.record({ type, data: payload, id, parentId: fc.option(id), timestamp }),
  )
}

/** Ids of records, and ids of records that stand as values inside others: copies of another session's, as tools leave them. */
const outerId = fc.nat({ max: 0xffff }).map((n) => `a${n.toString(16).padStart(7, "0")}`)
const innerId = fc.nat({ max: 0xffff }).map((n) => `b${n.toString(16).padStart(7, "0")}`)

const inner: fc.Arbitrary<Json> = fc.oneof(
  { weight: 2, arbitrary: sessionRecord(innerId, jsonValue) },
  { weight: 1, arbitrary: fc.array(sessionRecord(innerId, jsonValue), { minLength: 1, maxLength: 3 }) },
)

/** Records that look like records, with values that look like records in them at any depth. */
export const lifelikeRecord: fc.Arbitrary<JsonObject> = sessionRecord(
  outerId,
  fc.oneof(
    { weight: 2, arbitrary: inner },
    { weight: 2, arbitrary: jsonValue },
    { weight: 1, arbitrary: objectOf(jsonKey, inner, 3) },
  ),
)

/** Any object at all as a record. */
export const anyRecord: fc.Arbitrary<JsonObject> = fc.oneof(lifelikeRecord, jsonObject)

/** A record in its place: its text, its bytes from `start` to `end` without blanks and newline. */
export interface Placed {
  readonly raw: string
  readonly start: number
  readonly end: number
}

/** A journal without damage. */
export interface CleanJournal {
  readonly bytes: Uint8Array
  readonly records: ReadonlyArray<Placed>
  readonly hasBom: boolean
  readonly hasCrlf: boolean
  readonly hasBlankLines: boolean
}

/** Journals that end with a newline: LF or CRLF or mixed, with blanks around records, blank lines, or a byte order mark. */
export const cleanJournal = (record: fc.Arbitrary<JsonObject>, maxRecords = 6): fc.Arbitrary<CleanJournal> =>
  fc
    .record({
      lines: fc.array(
        fc.record({
          value: record,
          before: fc.constantFrom("", "", "", " ", "\n", "\r\n", "\n \n"),
          after: fc.constantFrom("", "", "", "\r", " \t"),
        }),
        { maxLength: maxRecords },
      ),
      hasBom: fc.boolean(),
    })
    .map(({ lines, hasBom }) => {
      const parts: Array<Uint8Array> = hasBom ? [new Uint8Array([0xef, 0xbb, 0xbf])] : []
      let length = hasBom ? 3 : 0
      const records = lines.map(({ value, before, after }) => {
        const raw = toText(value)
        const text = bytesOf(raw)
        const start = length + before.length
        parts.push(bytesOf(before), text, bytesOf(`${after}\n`))
        length = start + text.length + after.length + 1
        return { raw, start, end: start + text.length }
      })
      const hasCrlf = lines.some(({ after }) => after === "\r")
      return { bytes: concat(parts), records, hasBom, hasCrlf, hasBlankLines: lines.some(({ before }) => before.includes("\n")) }
    })

/** Positions in bytes: anywhere, or where it hurts: behind a brace, inside a character, before and behind a newline. */
export const position = (bytes: Uint8Array): fc.Arbitrary<number> => {
  const sore = [...bytes.keys()].filter((at) => {
    const [before, byte] = [bytes[at - 1], bytes[at] ?? 0]
    return before === 0x7d || before === 0x3a || before === 0x0a || byte === 0x0a || (byte & 0xc0) === 0x80
  })
  const anywhere = fc.integer({ min: 0, max: bytes.length })
  return sore.length === 0
    ? anywhere
    : fc.oneof(
        anywhere,
        fc.nat({ max: sore.length - 1 }).map((i) => sore[i] as number),
      )
}

/** The bytes cut at the given sizes, over and over. */
export const inChunks = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? bytes.length)
    chunks.push(bytes.slice(at, at + size))
    at += size
  }
  return chunks
}

export const chunkSizes: fc.Arbitrary<ReadonlyArray<number>> = fc.oneof(
  fc.constant([1]),
  fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
  fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 6 }),
)

/** Limits small enough that ordinary cases pass them. */
export const smallLimits = { maxDepth: 12, maxLineBytes: 6_000 }

const cutRecord: fc.Arbitrary<Uint8Array> = anyRecord.chain((record) => {
  const bytes = bytesOf(toText(record))
  return position(bytes).map((at) => bytes.slice(0, at))
})

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

const fragment: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 5, arbitrary: anyRecord.map((record) => bytesOf(`${toText(record)}\n`)) },
  { weight: 3, arbitrary: lifelikeRecord.map((record) => bytesOf(toText(record))) },
  { weight: 3, arbitrary: cutRecord },
  { weight: 2, arbitrary: fc.constantFrom(1, 2, 7, 511).map((length) => new Uint8Array(length)) },
  { weight: 3, arbitrary: fc.constantFrom("\n", "\r\n", " ", "\n\n").map(bytesOf) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        "null\n",
        "42",
        "[1]\n",
        '"text"\n',
        "oops",
        "}",
        "]}\n",
        "{{{{",
        '{"a":{"a":',
        "\\",
        '"',
        '{"type":"x","t":"lost',
      )
      .map(bytesOf),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom([0xff], [0xc3], [0xe2, 0x80], [0xef, 0xbb, 0xbf], [0xff, 0xfe])
      .map((bytes) => new Uint8Array(bytes)),
  },
  {
    weight: 1,
    arbitrary: fc.constant(concat([bytesOf('{"type":"x","t":"'), new Uint8Array([0x61, 0xff, 0xc3]), bytesOf('b"}\n')])),
  },
  { weight: 1, arbitrary: fc.constantFrom('{"type":"x","t":"one\ntwo\r\n\nthree"}\n', '{"type":"x","t":"one\ntwo').map(bytesOf) },
  { weight: 1, arbitrary: fc.constantFrom(11, 12, 13, 60).map((depth) => bytesOf(`${nested(depth)}\n`)) },
  { weight: 1, arbitrary: fc.constantFrom(5_999, 6_001, 20_000).map((length) => bytesOf(`${"x".repeat(length)}\n`)) },
)

const utf16: fc.Arbitrary<Uint8Array> = anyRecord.map((record) => {
  const text = `${toText(record)}\n`
  const bytes = new Uint8Array(2 * text.length)
  for (let i = 0; i < text.length; i++) {
    bytes[2 * i] = text.charCodeAt(i) & 0xff
    bytes[2 * i + 1] = text.charCodeAt(i) >> 8
  }
  return bytes
})

/** Files as they come: records, cut records, NULs, garbage, in any order, on as many lines as it happens. */
export const wildBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 30, arbitrary: fc.array(fragment, { maxLength: 9 }).map(concat) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  { weight: 1, arbitrary: utf16 },
)
