/** The law of the two proofs: what is passed sixteen bytes at a time is what is passed one by one. */
import * as fc from "fast-check"
import { Outline } from "../src/journal/Outline.ts"
import { bytesOf, concat, smallLimits } from "./arbitraries/bytes.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { anyFile, KEYS } from "./outline.ts"
import { check, expectEqual } from "./Trees.ts"

const OPTIONS = { maxDepth: smallLimits.maxDepth, prefixes: ["blob:", "openaiResponses"] }

/** What long strings are made of: what means something, in the company of much that does not. */
const piece: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.nat({ max: 70 }), fc.constantFrom("a", " ", "n", "u", "/", "\u007f")).map(repeated) },
  { weight: 4, arbitrary: fc.tuple(fc.nat({ max: 3 }), fc.constant("\\\\")).map(repeated) },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom('\\"', "\\n", "\\u00e9", "\\ud800", "\\/", "é", "𝄞", "\u2028", "blob:", "openaiResponses", "op\\u0065n")
      .map(bytesOf),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\\", '"', "\\x", "\\U0041", "\\u12g4", "\\u12", "\t", "\n", "\0", "\u001f").map(bytesOf),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        "80",
        "ff",
        "c3",
        "c080",
        "c1bf",
        "e08080",
        "e09fbf",
        "eda080",
        "edbfbf",
        "f0808080",
        "f08fbfbf",
        "f0909f",
        "f4908080",
      )
      .map((hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))),
  },
)

function repeated([count, text]: readonly [number, string]): Uint8Array {
  return bytesOf(text.repeat(count))
}

export const longString: fc.Arbitrary<Uint8Array> = fc.array(piece, { maxLength: 12 }).map(concat)

const withLongStrings: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    longString,
    longString,
    fc.constantFrom('{"a":"', '{"type":"x","id":["', '{"'),
    fc.constantFrom('"}', '"]}', '","id":-0}', '":1}'),
  )
  .map(([first, second, begin, end]) =>
    concat([bytesOf(begin), first, bytesOf(second.length % 2 === 1 ? '","b":"' : ""), second, bytesOf(end)]),
  )

/** Numbers, words, and what is nearly one. */
const withScalars: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.constantFrom('{"a":', '{"a":[1, ', '{"id":{"b":'),
    fc.oneof(
      fc.stringMatching(/^-?[01]{0,3}(\.[05]{0,2})?([eE][+-]?[01]{0,2})?$/),
      fc.constantFrom(
        "true",
        "false",
        "null",
        "tru",
        "fals",
        "nul",
        "True",
        "falze",
        "nulll",
        "truefalse",
        "1e999",
        "-",
        "+1",
        "0x1",
        "NaN",
      ),
    ),
    fc.constantFrom("}", "]}", "}}", " }", ",}", "\t]\r}", "]", ""),
  )
  .map((parts) => bytesOf(parts.join("")))

/** Everything that an outline says. */
const saidBy = (outline: Outline): unknown => ({
  reason: outline.reason,
  ...(outline.reason === undefined
    ? { hasPrefix: outline.hasPrefix, members: KEYS.map((key) => [key, outline.kind(key), outline.text(key)]) }
    : {}),
})

interface Place {
  /** Bytes before it in the room. */
  readonly before: number
  /** What stands behind it. */
  readonly behind: number
}

const place: fc.Arbitrary<Place> = fc.record({
  before: fc.nat({ max: 70 }),
  behind: fc.constantFrom(0x0a, 0x00, 0x22, 0x5c, 0x61, 0x7d, 0x80, 0xc3, 0xff),
})

const ROOM = 1_024

/** The room that an engine with WebAssembly has. */
const had = (room: Uint8Array | undefined): Uint8Array => {
  check(room !== undefined, "no room")
  return room ?? new Uint8Array(0)
}

const checkStretch = (scanning: Outline, bytes: Uint8Array, { before, behind }: Place, coverage: Coverage): void => {
  const plain = new Outline(OPTIONS)
  const isProven = plain.read(bytes, 0, bytes.length)
  const said = saidBy(plain)
  coverage.hit(plain.reason ?? "outline")
  coverage.hit("a long string", bytes.length > 256 && isProven)
  coverage.hit("the prefix", isProven && plain.hasPrefix)
  coverage.hit("long and not ASCII", isProven && bytes.length > 64 && bytes.some((byte) => byte > 0x7f))
  const room = had(scanning.room(Math.max(ROOM, before + bytes.length + 64)))
  room.fill(behind)
  room.set(bytes, before)
  const to = before + bytes.length
  scanning.read(room, before, to)
  expectEqual("what the scan says", saidBy(scanning), said)
  expectEqual("what stands there afterwards", room.subarray(before, to), bytes)
  check(room[to] === behind, "what stands behind it was changed")
  // Its end is found where it is not known.
  const isLine = isProven && behind === 0x0a
  expectEqual("where the line ends", scanning.ahead(room, before), isLine ? to : -1)
  if (isLine) expectEqual("what the scan says of the line", saidBy(scanning), said)
  coverage.hit("a line whose end is found", isLine)
  const aside = had(scanning.aside(bytes.length))
  aside.set(bytes)
  scanning.read(aside, 0, bytes.length)
  expectEqual("what the scan says of bytes aside", saidBy(scanning), said)
}

const proofs = (budget: Budget): void => {
  const coverage = new Coverage()
  const scanning = new Outline(OPTIONS)
  const property = fc.property(
    anyFile,
    fc.array(fc.oneof(withLongStrings, withScalars), { maxLength: 6 }),
    place,
    (bytes, long, at) => {
      const lines = bytes.length === 0 ? [] : splitAtNewlines(bytes)
      for (const stretch of [...lines, ...long]) checkStretch(scanning, stretch, at, coverage)
    },
  )
  fc.assert(property, parameters(budget))
  const reasons = ["outline", "no object", "grammar", "depth", "UTF-8", "escaped key", "members"]
  const classes = ["a long string", "the prefix", "long and not ASCII", "a line whose end is found"]
  coverage.demand(budget, [...reasons, ...classes], 1_000)
}

const splitAtNewlines = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  let from = 0
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== 0x0a) continue
    lines.push(bytes.subarray(from, at))
    from = at + 1
  }
  return lines
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "IDX-3",
    sentence:
      "The proof of a record in WebAssembly says of every stretch what the one in JavaScript says: the same members or the same reason, wherever the stretch stands and whatever stands behind it, and it finds where a line ends that is a record.",
    runs: 2_000,
    deepRuns: 200_000,
    check: proofs,
  },
]
