import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FOLDER, storeOn } from "../../laws/arbitraries/store.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { make as makeJournal } from "../../src/journal/MemoryJournal.ts"
import { ownString } from "../../src/model/Json.ts"
import { toArray } from "../../src/model/Sequence.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { make as makeSession } from "../../src/session/Session.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { treeModel } from "../../src/tree/TreeModel.ts"

const PATH = `${FOLDER}/session.jsonl`
const NEXT = `${FOLDER}/next.jsonl`

const say = (content: unknown, role = "user"): TreeCommand => ({ do: "message", message: { role, content } as never })

const image = { type: "image", mimeType: "image/png", data: Buffer.alloc(3_000, 7).toString("base64") }

const lines = (disk: SimulatedDisk, path = PATH): ReadonlyArray<string> => (disk.text(path) ?? "").split("\n").slice(0, -1)

const files = (disk: SimulatedDisk): ReadonlyArray<string> => disk.paths().filter((path) => disk.bytes(path) !== undefined)

describe("a session without an answer", () => {
  it.effect("has no file, and its images have none either, until the answer comes", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.dispatch(say([image]), "accepted")
        yield* session.dispatch({ do: "thinking", level: "high" }, "accepted")
        assert.deepEqual(files(disk), [])
        assert.equal((yield* session.unsaved).length, 2)
        const receipt = yield* session.dispatch(say("here", "assistant"), "accepted")
        assert.equal(receipt.seq, 3)
        yield* receipt.reached("synced")
        assert.equal(lines(disk).length, 4)
        assert.match(lines(disk)[1] ?? "", /blob:sha256:/)
        assert.deepEqual(yield* session.unsaved, [])
        const { state } = yield* (yield* TreeStore).load(PATH)
        const records = (of: typeof state) => toArray(of.entries).map(({ record }) => record)
        assert.isTrue(isDeepStrictEqual(records(state), records(yield* session.state)))
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("leaves nothing behind when it is closed", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        const receipt = yield* session.dispatch(say("never mind"), "accepted")
        yield* session.close
        assert.deepEqual(files(disk), [])
        assert.equal((yield* session.unsaved).length, 1)
        assert.equal((yield* Effect.flip(receipt.reached("synced")))._tag, "WriteError")
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("whose first records cannot be written yet keeps them before those that come later", () =>
    Effect.gen(function* () {
      const journal = yield* makeJournal
      let refusals = 1
      const stamp = { at: 1, entropy: "0".repeat(32) }
      const started = Result.getOrThrow(treeModel.decide(treeModel.initial, { do: "start", cwd: "/w" }, stamp))
      const session = yield* makeSession({
        model: treeModel,
        redactor: makeRedactor({ environment: {} }),
        state: started.reduce(treeModel.evolve, treeModel.initial),
        stamp: Effect.succeed(stamp),
        open: Effect.succeed({ journal }),
        deferUntil: (record) => record["type"] === "message",
        // As when an image of a record that is held cannot be kept elsewhere.
        shape: (record) =>
          Effect.succeed({
            kept: record,
            written: Effect.suspend(() =>
              record["type"] === "thinking_level_change" && refusals-- > 0
                ? Effect.fail("not yet" as const)
                : Effect.succeed(record),
            ),
          }),
      })
      yield* session.dispatch({ do: "thinking", level: "high" }, "accepted")
      assert.equal(yield* Effect.flip(session.dispatch(say("one"))), "not yet")
      yield* session.dispatch(say("two"))
      const types = (yield* journal.lines).map(({ text }) => JSON.parse(text).type)
      assert.deepEqual(types, ["thinking_level_change", "message"])
    }).pipe(Effect.scoped),
  )

  it.effect("whose file cannot be made when it is asked for is recovered once the disk takes it, and only then", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.recover
        const receipt = yield* session.dispatch(say("one"), "accepted")
        yield* session.recover
        assert.deepEqual(files(disk), [], "a recovery without a failure makes no file")
        disk.fail((call) => call.operation === "link", "ENOSPC", { sticky: true })
        assert.equal((yield* Effect.flip(receipt.reached("synced"))).reason.code, "open.refused")
        assert.equal((yield* Effect.flip(session.recover)).reason.code, "open.refused")
        assert.equal((yield* session.unsaved).length, 1)
        disk.heal()
        yield* session.recover
        assert.deepEqual(yield* session.unsaved, [])
        assert.equal(lines(disk).length, 2)
        yield* receipt.reached("synced")
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("whose file the disk does not confirm is not recovered: a second sync proves nothing", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        const receipt = yield* session.dispatch(say("one"), "accepted")
        disk.fail((call) => call.operation === "syncDirectory", "EIO")
        assert.equal((yield* Effect.flip(receipt.reached("synced"))).reason.code, "open.uncertain")
        assert.equal((yield* Effect.flip(session.recover)).reason.code, "open.uncertain")
        assert.equal((yield* session.unsaved).length, 1)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("is written when a receipt is waited for, so that nobody waits for ever", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        const first = yield* session.dispatch(say("one"), "accepted")
        yield* session.dispatch(say("two"), "accepted")
        yield* first.reached("written")
        assert.equal(lines(disk).length, 3)
        yield* session.dispatch(say("three"), "accepted")
        yield* session.flush
        assert.equal(lines(disk).length, 4)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("has a file at once when the host says so", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH, persist: "immediately" })
        yield* session.dispatch(say("one"), "accepted")
        yield* session.flush
        assert.equal(lines(disk).length, 2)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("has a file with its header alone when the host makes sure of one", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.ensureOnDisk
        assert.equal(lines(disk).length, 1)
        const receipt = yield* session.dispatch(say("one"), "accepted")
        assert.equal(receipt.seq, 1)
        yield* receipt.reached("synced")
        assert.equal(lines(disk).length, 2)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("holds what it has when the file cannot be made, and writes all of it when it can", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        const first = yield* session.dispatch(say("one"), "accepted")
        disk.fail((call) => call.operation === "write", "ENOSPC")
        assert.equal((yield* Effect.flip(session.dispatch(say("two", "assistant"))))._tag, "PrepareError")
        assert.equal((yield* session.state).entries.length, 1)
        assert.equal((yield* session.unsaved).length, 1)
        yield* session.dispatch(say("two", "assistant"))
        yield* first.reached("synced")
        assert.equal(lines(disk).length, 3)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("begins in an empty file that stood there in the same way", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [PATH]: "" })
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).open(PATH, { start: { cwd: "/w" } })
        const first = yield* session.dispatch(say("one"), "accepted")
        assert.equal(disk.text(PATH), "")
        // The header is the first line of this opening, and is no record of a command.
        yield* first.reached("synced")
        assert.equal(first.seq, 1)
        assert.equal(lines(disk).length, 2)
        const second = yield* session.dispatch(say("two"), "accepted")
        yield* second.reached("synced")
        assert.equal(lines(disk).length, 3)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )
})

describe("a new session after another one", () => {
  it.effect("has it as its parent, and closes it", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const store = yield* TreeStore
        const before = yield* store.create({ cwd: "/w", path: PATH })
        yield* before.session.dispatch(say("one"))
        const next = yield* store.newSession(before, { path: NEXT })
        const { header } = yield* next.session.state
        assert.equal(ownString(header ?? {}, "cwd"), "/w")
        assert.equal(ownString(header ?? {}, "parentSession"), ownString((yield* before.session.state).header ?? {}, "id"))
        assert.equal((yield* Effect.flip(before.session.dispatch(say("late"))))._tag, "WriteError")
        yield* (yield* store.open(PATH)).session.dispatch(say("two"))
        yield* next.session.dispatch(say("anew"))
        assert.equal(lines(disk, NEXT).length, 2)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("leaves it open when there is no place for a new one", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [NEXT]: "somebody's words\n" })
      yield* Effect.gen(function* () {
        const store = yield* TreeStore
        const before = yield* store.create({ cwd: "/w", path: PATH })
        assert.equal((yield* Effect.flip(store.newSession(before, { path: NEXT })))._tag, "PrepareError")
        yield* before.session.dispatch(say("one"))
        assert.equal(lines(disk).length, 2)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("is not begun when the last records of the one before are not durable", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const store = yield* TreeStore
        const before = yield* store.create({ cwd: "/w", path: PATH })
        yield* before.session.dispatch(say("one"))
        disk.fail((call) => call.operation === "write", "ENOSPC", { sticky: true })
        yield* before.session.dispatch(say("two"), "accepted")
        assert.equal((yield* Effect.flip(store.newSession(before, { path: NEXT })))._tag, "WriteError")
        assert.equal((yield* before.session.unsaved).length, 1)
        assert.isUndefined(disk.bytes(NEXT))
        // Its name is free again.
        yield* store.create({ cwd: "/w", path: NEXT })
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )
})
