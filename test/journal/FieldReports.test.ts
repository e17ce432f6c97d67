/** What has gone wrong for users with the bytes of their files, as small as it could be made: lines that ran together, lines that others split, and sizes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { bytesOf, concat, inChunks } from "../../laws/arbitraries/bytes.ts"
import { FOLDER, storeOn } from "../../laws/arbitraries/store.ts"
import { read } from "../../laws/Reading.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { applyRepair, repairNames } from "../../src/journal/Repair.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import { planTreeRepair } from "../../src/session/RepairFile.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import { toProviderMessages } from "../../src/tree/ProviderView.ts"
import { cutText } from "../../src/tree/Sizes.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { bind } from "./disks.ts"

const PATH = `${FOLDER}/session.jsonl`
const HEADER = '{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/w"}'

const line = (id: string, parentId: string | null, content: string): string =>
  JSON.stringify({ type: "message", id, parentId, timestamp: "t", message: { role: "user", content } })

const say = (content: string): TreeCommand => ({ do: "message", message: { role: "user", content } })

const file = (...parts: ReadonlyArray<string | Uint8Array>): Uint8Array =>
  concat(parts.map((part) => (typeof part === "string" ? bytesOf(part) : part)))

const lines = (...raws: ReadonlyArray<string>): string => raws.map((raw) => `${raw}\n`).join("")

/** What is read of a file: the records' text, and the damages. */
const see = (bytes: Uint8Array) => {
  const { records, damages } = read(inChunks(bytes, [1_000]))
  return {
    raws: records.map(({ raw }) => raw),
    damages: damages.map(({ kind, line, offset, length }) => `${kind} line ${line} at ${offset}+${length}`),
  }
}

const said = (state: TreeState): ReadonlyArray<unknown> =>
  Result.getOrThrow(buildSessionContext(state)).messages.map(({ content }) => content)

const run = <A, E>(disk: Disk, body: Effect.Effect<A, E, TreeStore | Scope.Scope>) =>
  body.pipe(Effect.scoped, Effect.provide(storeOn(disk)))

const load = (disk: Disk) =>
  run(
    disk,
    Effect.flatMap(TreeStore, (store) => store.load(PATH)),
  )

/** Opens the session as another process would, and says something. */
const goOn = (disk: Disk, content: string) =>
  run(
    disk,
    Effect.flatMap(TreeStore, (store) => store.open(PATH)).pipe(
      Effect.flatMap(({ session }) => Effect.andThen(session.dispatch(say(content)), session.close)),
    ),
  )

const repair = (disk: SimulatedDisk): ReadonlyArray<JsonObject> => {
  const report = Result.getOrThrow(applyRepair(disk, planTreeRepair(disk, PATH), repairNames(PATH, 0, "once")))
  const quarantine = report.quarantine === undefined ? "" : disk.text(`${FOLDER}/${report.quarantine}`)
  return (quarantine ?? "")
    .split("\n")
    .slice(0, -1)
    .map((each) => JSON.parse(each) as JsonObject)
}

describe("lines that ran together", () => {
  const whole = line("b", "a", "whole")

  it.effect("a write that was killed left a stub, the next one went right behind it, and neither could be read", () => {
    const stub = '{"type":"pr-link","sessionId":"s","prNu'
    const disk = new SimulatedDisk({ [PATH]: lines(HEADER, line("a", null, "one"), `${stub}${whole}`, line("c", "b", "last")) })
    return Effect.gen(function* () {
      const { state, damages } = yield* load(disk)
      assert.deepEqual(said(state), ["one", "whole", "last"])
      assert.deepEqual(
        damages.map(({ kind, line, length }) => [kind, line, length]),
        [["glued", 3, stub.length]],
      )
      const quarantined = repair(disk)
      assert.lengthOf(quarantined, 1)
      assert.include(JSON.stringify(quarantined), "prNu")
      assert.equal(disk.text(PATH), lines(HEADER, line("a", null, "one"), whole, line("c", "b", "last")))
    })
  })

  it("records were cut in the middle, ran into the next one, or stood behind a run of zeros: each lost two", () => {
    const cut = line("a", null, "cut in the middle").slice(0, -12)
    assert.deepEqual(see(file(cut, whole, "\n")).raws, [whole])
    const other = line("c", "b", 'a string with }{ and \\" in it')
    assert.deepEqual(see(file(other, whole, "\n")).raws, [other, whole])
    assert.deepEqual(see(file(new Uint8Array(4_096), whole, "\n")).raws, [whole])
    assert.deepEqual(see(file(other, "\n")).damages, [], "braces in a string join nothing")
  })

  it("a resume left the beginning of an event and the whole event on one line, and the next resume refused", () => {
    const event = line("e7", null, "hello")
    const disk = new SimulatedDisk({ [PATH]: lines(HEADER, `${event.slice(0, event.indexOf("lo"))}${event}`) })
    assert.deepEqual(see(disk.bytes(PATH) ?? new Uint8Array()).raws, [HEADER, event])
    repair(disk)
    assert.equal(disk.text(PATH), lines(HEADER, event))
  })

  it.effect("two records on a line were passed over, and all that followed hung on parents that were gone", () => {
    const turns = [1, 2, 3, 4].map((n) => line(`u${n}`, n === 1 ? null : `u${n - 1}`, `${n}`)) as [string, string, string, string]
    const disk = new SimulatedDisk({ [PATH]: lines(HEADER, turns[0], turns[1] + turns[2], turns[3]) })
    return Effect.gen(function* () {
      const { state, damages } = yield* load(disk)
      assert.deepEqual(said(state), ["1", "2", "3", "4"])
      assert.deepEqual(
        damages.map(({ kind }) => kind),
        ["glued"],
      )
      assert.deepEqual(repair(disk), [])
      assert.equal(disk.text(PATH), lines(HEADER, ...turns))
    })
  })

  it.effect("a disk was full in the middle of a record, and a day later the next one was written behind the half", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      yield* run(
        disk,
        Effect.gen(function* () {
          const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
          yield* session.dispatch(say("before"))
          const length = disk.bytes(PATH)?.length
          disk.fail((call) => call.operation === "write" && call.path === PATH, "ENOSPC", { short: 8_192 })
          assert.equal((yield* Effect.flip(session.dispatch(say("x".repeat(12_000)))))._tag, "WriteError")
          assert.equal(disk.bytes(PATH)?.length, length)
          assert.lengthOf(yield* session.unsaved, 1)
        }),
      )
      disk.heal()
      yield* goOn(disk, "after")
      const { state, damages } = yield* load(disk)
      assert.deepEqual([said(state), damages], [["before", "after"], []])
    })
  })

  it.effect("the same, by a writer that left the half there: it was passed over in silence, and the next record with it", () => {
    const half = line("b", "a", "x".repeat(12_000)).slice(0, 8_192)
    const disk = new SimulatedDisk({ [PATH]: lines(HEADER, line("a", null, "before")) + half })
    return Effect.gen(function* () {
      const { damages } = yield* load(disk)
      assert.deepEqual(
        damages.map(({ kind, length }) => [kind, length]),
        [["torn-tail", 8_192]],
      )
      yield* goOn(disk, "after")
      const { state, damages: after } = yield* load(disk)
      assert.deepEqual([said(state), after], [["before", "after"], []])
      const aside = disk.paths().filter((path) => (disk.text(path) ?? "").includes(half) && path !== PATH)
      assert.lengthOf(aside, 1, "the half is put aside, and not lost")
    })
  })

  it.effect("a record and its newline went out in two writes, so those of two processes were welded together", () => {
    const disk = new SimulatedDisk()
    const writes: Array<Uint8Array> = []
    const bound = bind(disk)
    const watched: Disk = {
      ...bound,
      write: (handle, bytes) => {
        if (handle.path.startsWith(FOLDER)) writes.push(bytes.slice())
        return bound.write(handle, bytes)
      },
    }
    const large = "x".repeat(200_000)
    return Effect.gen(function* () {
      yield* run(
        watched,
        Effect.gen(function* () {
          const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
          for (let n = 0; n < 3; n++) yield* session.dispatch(say(large))
        }),
      )
      assert.isAtLeast(writes.length, 3)
      for (const bytes of writes) assert.equal(bytes.at(-1), 0x0a)
      const [first, second] = [line("a", null, large), line("b", "a", large)]
      assert.deepEqual(see(file(first, second, "\n\n")).raws, [first, second])
    })
  })
})

describe("what other readers took for the end of a line", () => {
  const cutMessage = {
    role: "assistant",
    content: [{ type: "toolCall", id: "x", name: "bash", arguments: { "key\udca9": "(\ud83d…) errored" } }],
  }

  it.effect("U+2028 in the output of a tool made a session corrupt, although it was valid", () => {
    const output = "left\u2028right"
    const disk = new SimulatedDisk({ [PATH]: lines(HEADER, line("a", null, output)) })
    assert.include(disk.text(PATH), output)
    return Effect.gen(function* () {
      const before = yield* load(disk)
      assert.deepEqual([said(before.state), before.damages], [[output], []])
      yield* goOn(disk, output)
      assert.deepEqual(said((yield* load(disk)).state), [output, output])
      const last = (disk.text(PATH) ?? "").split("\n").at(-2)
      assert.include(last, "left\\u2028right", "what is written anew hurts no other reader")
    })
  })

  it.effect("every separator of Unicode broke a record in two, and then nothing could be appended", () => {
    const disk = new SimulatedDisk({ [PATH]: lines(HEADER) })
    // JSON allows the first three of them raw.
    const signs = ["\u2028", "\u2029", "\u0085", "\u000b", "\u000c", "\u001c", "\u001d", "\u001e"]
    const raws = signs.map((sign, n) => line(`e${n}`, n === 0 ? null : `e${n - 1}`, `a${sign}b`))
    assert.include(raws[2], "\u0085")
    disk.put(PATH, lines(HEADER, ...raws))
    return Effect.gen(function* () {
      const { state, damages } = yield* load(disk)
      assert.deepEqual([said(state), damages], [signs.map((sign) => `a${sign}b`), []])
      yield* goOn(disk, `on${signs.join("")}`)
      assert.equal(said((yield* load(disk)).state).at(-1), `on${signs.join("")}`)
      const last = (disk.text(PATH) ?? "").slice(lines(HEADER, ...raws).length, -1)
      assert.notMatch(last, /[\u0000-\u001f\u0085\u2028\u2029]/)
    })
  })

  it("newlines were stored as they came from a tool, and the record that lay over three lines was refused", () => {
    const [before, after] = [line("a", null, "before"), line("b", "a", "after")]
    const spread = '{"type":"tool.execution_complete","timestamp":"t","result":{"content":"Contents:\nrow 1\nrow 2"}}'
    const joined = spread.replaceAll("\n", "\\n")
    const bytes = file(lines(before, spread, after))
    assert.deepEqual(see(bytes), {
      raws: [before, joined, after],
      damages: [`raw-newline line 2 at ${before.length + 1}+${spread.length}`],
    })
    const disk = new SimulatedDisk({ [PATH]: lines(HEADER, spread, after) })
    repair(disk)
    assert.equal(disk.text(PATH), lines(HEADER, joined, after))
    const torn = ['{"type":"x","t":"t","content":"one', '{"type":"x","t":"t","content":"two']
    assert.deepEqual(see(file(lines(...torn, after))).raws, [after], "two cut records are not one")
  })

  it("a file had two faults, and when the first was mended the same message came again", () => {
    const many = Array.from({ length: 2_000 }, (_, n) => line(`e${n}`, n === 0 ? null : `e${n - 1}`, "x".repeat(200)))
    const parts = [...many.slice(0, 1_000), line("s", "e999", "a\u2028b"), '{"cut":"', ...many.slice(1_000)]
    const bytes = file(lines(...parts), '{"torn')
    const at = bytesOf(lines(...parts.slice(0, 1_001))).length
    const { raws, damages } = see(bytes)
    assert.lengthOf(raws, 2_001)
    assert.deepEqual(damages, [`not-json line 1002 at ${at}+8`, `torn-tail line 2003 at ${bytes.length - 6}+6`])
  })

  it.effect("a text was cut through an emoji, and every later request was refused", () => {
    const half = JSON.stringify({ type: "message", id: "a", parentId: null, timestamp: "t", message: cutMessage })
    assert.include(half, "\\ud83d…) errored")
    const disk = new SimulatedDisk({ [PATH]: lines(HEADER, half) })
    return Effect.gen(function* () {
      const { state, damages } = yield* load(disk)
      assert.deepEqual(damages, [])
      const { messages } = Result.getOrThrow(buildSessionContext(state))
      assert.deepEqual(messages, [cutMessage])
      const view = toProviderMessages(messages)
      assert.deepEqual(view.repairs, [
        { _tag: "IllFormed", at: 0 },
        { _tag: "Interrupted", callId: "x" },
      ])
      assert.isTrue(JSON.stringify(view.messages).includes("(\ufffd…) errored"))
      assert.notMatch(JSON.stringify(view.messages), /\\ud[89a-f]/)
      yield* goOn(disk, "on")
      assert.isTrue((disk.text(PATH) ?? "").startsWith(lines(HEADER, half)), "what was written stays")
      for (const lead of ["", "a"]) assert.isTrue(cutText(`${lead}${"😀".repeat(100)}`, 101).isWellFormed())
    })
  })
  it.effect("a byte order mark hid the first record, and a second one was written", () => {
    const bytes = `\ufeff${lines(HEADER, line("a", null, "\ufeffone"))}`
    const disk = new SimulatedDisk({ [PATH]: bytes })
    return Effect.gen(function* () {
      const { state, damages } = yield* load(disk)
      assert.deepEqual([state.header?.["id"], said(state), damages], ["s", ["\ufeffone"], []])
      yield* goOn(disk, "two")
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(disk.bytes(PATH))
      assert.isTrue(text.startsWith(bytes))
      assert.notInclude(text.slice(bytes.length), "\ufeff")
      const later = line("a", null, "one")
      assert.deepEqual(see(file(lines(HEADER), "\ufeff", lines(later))), {
        raws: [HEADER, later],
        damages: [`not-json line 2 at ${HEADER.length + 1}+3`],
      })
    })
  })

  it.effect("CRLF, a record larger than a chunk, emoji and a torn tail together gave offsets that were wrong", () => {
    const large = line("a", null, "🌿".repeat(50_000))
    const torn = '{"emoji":"🌿'
    const disk = new SimulatedDisk({ [PATH]: `${HEADER}\r\n${large}\r\n${torn}` })
    const bytes = disk.bytes(PATH) ?? new Uint8Array()
    const tail = bytesOf(torn).length
    assert.isAbove(bytesOf(large).length, 200_000)
    assert.deepEqual(see(bytes), {
      raws: [HEADER, large],
      damages: [`torn-tail line 3 at ${bytes.length - tail}+${tail}`],
    })
    return Effect.gen(function* () {
      yield* goOn(disk, "on")
      const text = disk.text(PATH) ?? ""
      assert.isTrue(text.startsWith(`${HEADER}\r\n${large}\r\n{`), "the line ends of others stay")
      assert.notInclude(text.slice(text.lastIndexOf("\r") + 1), "\r")
      assert.deepEqual((yield* load(disk)).damages, [])
    })
  })
})

describe("sizes", () => {
  it("one line of sixteen megabytes broke every reader with a limit, and the whole session was invisible", () => {
    const [before, large, after] = [line("a", null, "before"), line("b", "a", "x".repeat(16 << 20)), line("c", "b", "after")]
    const { raws, damages } = see(file(lines(before, large, after)))
    assert.deepEqual(damages, [])
    assert.isTrue(raws.length === 3 && raws[1] === large && raws[2] === after)
  })

  it("a session of thousands of whole events was called corrupt, and nobody could say where", () => {
    const many = Array.from({ length: 20_000 }, (_, n) => line(`e${n}`, n === 0 ? null : `e${n - 1}`, `${n}`))
    const bytes = file(lines(HEADER, ...many))
    const whole = see(bytes)
    assert.deepEqual([whole.raws.length, whole.damages], [20_001, []])
    const at = bytesOf(lines(HEADER, ...many.slice(0, 12_345))).length
    bytes[at] = 0x5b
    const { raws, damages } = see(bytes)
    assert.deepEqual([raws.length, damages], [20_000, [`not-json line 12347 at ${at}+${many[12_345]?.length}`]])
  })
})
