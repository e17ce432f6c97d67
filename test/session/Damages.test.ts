/**
 * Files as field reports describe them. Each is read with all its good records, is never overwritten, can be repaired, and takes an
 * append afterwards that reads back.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { FOLDER, storeOn } from "../../laws/arbitraries/store.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import type { DamageKind } from "../../src/journal/Damage.ts"
import { applyRepair, repairNames } from "../../src/journal/Repair.ts"
import { planTreeRepair } from "../../src/session/RepairFile.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"

const PATH = `${FOLDER}/session.jsonl`

const header = '{"type":"session","version":5,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}'

const message = (n: number, content = `text ${n}`): string =>
  JSON.stringify({
    type: "message",
    id: n.toString(16).padStart(8, "0"),
    parentId: n === 1 ? null : (n - 1).toString(16).padStart(8, "0"),
    timestamp: "2026-01-01T00:00:01.000Z",
    message: { role: "user", content },
  })

const lines = (...texts: ReadonlyArray<string>): string => texts.map((text) => `${text}\n`).join("")
const nul = (count: number): string => "\0".repeat(count)

/** Text is written as UTF-8; parts of bytes go in as they are. */
const bytesOf = (...parts: ReadonlyArray<string | Uint8Array>): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : part)))

interface Case {
  readonly name: string
  readonly bytes: Uint8Array
  /** Records that must be read, the header included. */
  readonly records: number
  readonly damage: ReadonlyArray<DamageKind>
  /** What a first append says without a repair. */
  readonly append: "takes" | string
  /** What stands in the way of a repair, if anything. */
  readonly repair?: "refused"
}

const cutUtf8 = (missing: number): Uint8Array => {
  const whole = bytesOf(message(2, "🌿"))
  const at = whole.indexOf(0xf0)
  return whole.subarray(0, at + 4 - missing)
}

const good = lines(header, message(1))
const unicode = message(2, "a\u2028b\u2029c")

const cases: ReadonlyArray<Case> = [
  { name: "1: an empty file", bytes: bytesOf(), records: 0, damage: [], append: "format.empty" },
  { name: "2: one newline", bytes: bytesOf("\n"), records: 0, damage: [], append: "format.empty" },
  { name: "3: a header without its newline", bytes: bytesOf(header), records: 1, damage: [], append: "takes" },
  {
    name: "4: the last line cut inside a string",
    bytes: bytesOf(good, message(2).slice(0, -20)),
    records: 2,
    damage: ["torn-tail"],
    append: "takes",
  },
  ...[1, 2, 3].map(
    (missing): Case => ({
      name: `5: cut inside a UTF-8 sequence, ${missing} bytes missing`,
      bytes: bytesOf(good, cutUtf8(missing)),
      records: 2,
      damage: ["torn-tail"],
      append: "takes",
    }),
  ),
  {
    name: "6: cut inside an escaped surrogate pair",
    bytes: bytesOf(good, message(2, "x").replace("x", "\\ud83d\\ude").slice(0, -4)),
    records: 2,
    damage: ["torn-tail"],
    append: "takes",
  },
  { name: "7: a whole last line without newline", bytes: bytesOf(good, message(2)), records: 3, damage: [], append: "takes" },
  {
    name: "8: two objects on one line",
    bytes: bytesOf(good, lines(message(2) + message(3))),
    records: 4,
    damage: ["glued"],
    append: "takes",
  },
  {
    name: "9: a torn object glued to a whole one",
    bytes: bytesOf(good, lines(message(2, "one that is cut in the middle").slice(0, -15) + message(2))),
    records: 3,
    damage: ["glued"],
    append: "takes",
  },
  ...[1, 511, 512, 4_096, 1 << 20].map(
    (count): Case => ({
      name: `10: ${count} NUL bytes at the end`,
      bytes: bytesOf(good, nul(count)),
      records: 2,
      damage: ["nul-run"],
      append: "takes",
    }),
  ),
  {
    name: "11: NUL bytes in the middle, good lines after them",
    bytes: bytesOf(good, lines(nul(412), message(2))),
    records: 3,
    damage: ["nul-run"],
    append: "takes",
  },
  {
    name: "12: a record followed by NUL bytes on its line",
    bytes: bytesOf(good, message(2), nul(100)),
    records: 3,
    damage: ["nul-run"],
    append: "takes",
  },
  { name: "13: NUL bytes only", bytes: bytesOf(nul(413)), records: 0, damage: ["nul-run"], append: "format.bad_header" },
  {
    name: "14: a lost middle, both sides cut",
    bytes: bytesOf(good, message(2).slice(0, 40), "x".repeat(9), lines(message(3).slice(90)), lines(message(4))),
    records: 3,
    damage: ["not-json", "orphan"],
    append: "takes",
  },
  {
    name: "15: a lost middle at the borders of lines",
    bytes: bytesOf(good, lines(message(3))),
    records: 3,
    damage: ["orphan"],
    append: "takes",
  },
  {
    name: "18: the last record twice, as a retry leaves it",
    bytes: bytesOf(good, lines(message(2), message(2))),
    records: 4,
    damage: ["duplicate-record"],
    append: "takes",
  },
  {
    name: "19: one id, two bodies",
    bytes: bytesOf(good, lines(message(2), message(2, "another"))),
    records: 4,
    damage: ["duplicate-id"],
    append: "takes",
  },
  {
    name: "20: records out of order",
    bytes: bytesOf(lines(header, message(2), message(1), message(3))),
    records: 4,
    damage: ["orphan"],
    append: "takes",
  },
  {
    name: "21: CRLF and LF mixed",
    bytes: bytesOf(`${header}\r\n${message(1)}\n${message(2)}\r\n`),
    records: 3,
    damage: [],
    append: "takes",
  },
  { name: "22: a byte order mark", bytes: bytesOf("\ufeff", good), records: 2, damage: [], append: "takes" },
  {
    name: "22: UTF-16",
    bytes: bytesOf(Buffer.from(`\ufeff${good}`, "utf16le")),
    records: 0,
    damage: ["utf-16"],
    append: "format.bad_header",
    repair: "refused",
  },
  { name: "23: line separators inside strings", bytes: bytesOf(good, lines(unicode)), records: 3, damage: [], append: "takes" },
  {
    name: "25: nesting 100,000 deep",
    bytes: bytesOf(good, lines(`{"type":"custom","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, message(2))),
    records: 3,
    damage: ["too-deep"],
    append: "takes",
  },
  {
    name: "26: __proto__, repeated keys, numbers that JavaScript cannot hold",
    bytes: bytesOf(
      good,
      lines(
        '{"type":"custom","customType":"c","id":"0000000a","parentId":"00000001","timestamp":"t","__proto__":{"a":1},"n":1e999,"n":-0,"m":9007199254740993}',
      ),
    ),
    records: 3,
    damage: [],
    append: "takes",
  },
  ...["999", '"5"', "4.5", "0", "-1", "null"].map(
    (version): Case => ({
      name: `27: version ${version}`,
      bytes: bytesOf(lines(header.replace('"version":5', `"version":${version}`), message(1))),
      records: 2,
      damage: [],
      append: "format.unsupported_version",
      repair: "refused",
    }),
  ),
  {
    name: "28: the header is missing, the records are good",
    bytes: bytesOf(lines(message(1), message(2))),
    records: 2,
    damage: ["bad-header"],
    append: "format.bad_header",
  },
  {
    name: "28: the header is torn, the records are good",
    bytes: bytesOf(lines(header.slice(0, 30), message(1), message(2))),
    records: 2,
    damage: ["not-json", "bad-header"],
    append: "format.bad_header",
  },
]

const codeOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "takes"
  const error = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error as { reason?: { code?: string } } | undefined
  return error?.reason?.code ?? "no code"
}

const tryAppend = (disk: SimulatedDisk, options: { readonly cwd?: string } = {}) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const store = yield* TreeStore
        const open = yield* Effect.exit(store.open(PATH, options.cwd === undefined ? {} : { start: { cwd: options.cwd } }))
        if (Exit.isFailure(open)) return codeOf(open)
        return codeOf(yield* Effect.exit(open.value.session.dispatch({ do: "custom", customType: "appended" })))
      }),
    ).pipe(Effect.provide(storeOn(disk))),
  )

const load = (disk: SimulatedDisk) =>
  Effect.runPromiseExit(Effect.flatMap(TreeStore, (store) => store.load(PATH)).pipe(Effect.provide(storeOn(disk))))

const contains = (bytes: Uint8Array | undefined, part: Uint8Array): boolean =>
  Buffer.from(bytes ?? []).includes(Buffer.from(part))

describe("a damaged file", () => {
  for (const given of cases) {
    it(`${given.name}: is read and named`, async () => {
      const disk = new SimulatedDisk({ [PATH]: given.bytes })
      const loaded = await load(disk)
      if (given.append === "format.unsupported_version") return assert.equal(codeOf(loaded), given.append)
      assert.isTrue(Exit.isSuccess(loaded), codeOf(loaded))
      if (!Exit.isSuccess(loaded)) return
      assert.equal(loaded.value.records, given.records)
      assert.deepEqual([...new Set(loaded.value.damages.map(({ kind }) => kind))].sort(), [...given.damage].sort())
      assert.deepEqual(disk.bytes(PATH), Uint8Array.from(given.bytes))
    })

    it(`${given.name}: is appended to, or refused with a code and left alone`, async () => {
      const disk = new SimulatedDisk({ [PATH]: given.bytes })
      assert.equal(await tryAppend(disk), given.append)
      if (given.append !== "takes") return assert.deepEqual(disk.bytes(PATH), Uint8Array.from(given.bytes))
      const loaded = await load(disk)
      assert.isTrue(Exit.isSuccess(loaded))
      if (!Exit.isSuccess(loaded)) return
      assert.equal(loaded.value.records, given.records + 1)
    })

    it(`${given.name}: is repaired, loses no byte, and takes an append`, async () => {
      const disk = new SimulatedDisk({ [PATH]: given.bytes })
      const names = repairNames(PATH, 0, "law")
      const done = applyRepair(disk, planTreeRepair(disk, PATH), names)
      if (given.repair === "refused") {
        if (Result.isFailure(done)) assert.equal(done.failure.reason.code, "repair.refused")
        return assert.deepEqual(disk.bytes(PATH), Uint8Array.from(given.bytes))
      }
      assert.isTrue(Result.isSuccess(done), String(Result.isFailure(done) ? done.failure.message : ""))
      if (!Result.isSuccess(done)) return
      if (done.success.applied) assert.isTrue(contains(disk.bytes(`${FOLDER}/${names.backup}`), given.bytes))
      assert.deepEqual(planTreeRepair(disk, PATH).actions, [], "a second repair finds something to do")
      assert.equal(await tryAppend(disk, { cwd: "/w" }), "takes")
      const loaded = await load(disk)
      assert.isTrue(Exit.isSuccess(loaded))
      if (!Exit.isSuccess(loaded)) return
      const left = loaded.value.damages.map(({ kind }) => kind).filter((kind) => kind !== "orphan" && kind !== "duplicate-id")
      assert.deepEqual(left, [])
    })
  }
})
