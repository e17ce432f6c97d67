import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { FOLDER, storeOn } from "../../laws/arbitraries/store.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import type { Stamp } from "../../src/model/Stamp.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import { makeMemoryTree } from "../../src/session/MemoryTree.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"

const PATH = `${FOLDER}/session.jsonl`

const say = (content: string): TreeCommand => ({ do: "message", message: { role: "user", content } })

let clock = 0
const stamp: Effect.Effect<Stamp> = Effect.sync(() => ({ at: ++clock, entropy: clock.toString(16).padStart(32, "0") }))

const lineCount = (disk: SimulatedDisk): number => (disk.text(PATH) ?? "").split("\n").length - 1

describe("a session", () => {
  it.effect("has written nothing before its first command", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const open = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        assert.isUndefined(disk.bytes(PATH))
        yield* open.session.dispatch(say("hello"))
        assert.equal(lineCount(disk), 2)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("is refused with a typed error when what it begins with is no header, as from a host without types", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const store = yield* TreeStore
        const error = yield* Effect.flip(store.create({ cwd: 7 as unknown as string, path: PATH }))
        assert.equal(error._tag === "Rejected" && error.rejection.code, "tree.invalid_command")
        // Its name is free again.
        yield* (yield* store.create({ cwd: "/w", path: PATH })).session.dispatch(say("hello"))
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("never replaces a file when it starts", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [PATH]: "somebody's words\n" })
      const exit = yield* Effect.flatMap(TreeStore, (store) => store.create({ cwd: "/w", path: PATH })).pipe(
        Effect.scoped,
        Effect.provide(storeOn(disk)),
        Effect.exit,
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.equal(disk.text(PATH), "somebody's words\n")
    }),
  )

  it.effect("carries commands out in the order of dispatch, from however many fibers", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        const texts = Array.from({ length: 60 }, (_, n) => `text ${n}`)
        yield* Effect.forEach(texts, (text) => session.dispatch(say(text)), { concurrency: "unbounded", discard: true })
        const state = yield* session.state
        assert.equal(state.entries.length, 60)
        const loaded = yield* (yield* TreeStore).load(PATH)
        assert.equal(loaded.state.leaf, state.leaf)
        assert.deepEqual(loaded.damages, [])
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("changes nothing when a command is rejected, nor any file", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        const error = yield* Effect.flip(session.dispatch({ do: "branch", to: "no such entry" }))
        assert.equal(error._tag, "Rejected")
        assert.isUndefined(disk.bytes(PATH))
        assert.equal((yield* session.state).entries.length, 0)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("does not rewrite an old file for a command that is rejected", () =>
    Effect.gen(function* () {
      const old = '{"type":"session","id":"s","timestamp":"t","cwd":"/w"}\n'
      const disk = new SimulatedDisk({ [PATH]: old })
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).open(PATH, { migrate: true })
        yield* Effect.flip(session.dispatch({ do: "label", target: "gone", label: "x" }))
        assert.equal(disk.text(PATH), old)
        yield* session.dispatch(say("now"))
        assert.notEqual(disk.text(PATH), old)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("gives the lease back when it is closed, before its scope is", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const store = yield* TreeStore
        const first = yield* store.create({ cwd: "/w", path: PATH })
        yield* first.session.dispatch(say("one"))
        assert.equal((yield* Effect.flip(store.open(PATH)))._tag, "LeaseError")
        yield* first.session.close
        const second = yield* store.open(PATH)
        yield* second.session.dispatch(say("two"))
        assert.equal((yield* second.session.state).entries.length, 2)
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("gives the lease back when opening fails", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [PATH]: "" })
      yield* Effect.gen(function* () {
        const store = yield* TreeStore
        assert.equal((yield* Effect.flip(store.open(PATH)))._tag, "FormatError")
        const open = yield* store.open(PATH, { start: { cwd: "/w" } })
        yield* open.session.dispatch(say("one"))
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("publishes every change with the state after it", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        const ready = yield* Deferred.make<void>()
        const seen = yield* session.changes.pipe(
          Stream.onStart(Deferred.succeed(ready, undefined)),
          Stream.take(3),
          Stream.map(({ state }) => state.entries.length),
          Stream.runCollect,
          Effect.forkChild({ startImmediately: true }),
        )
        yield* Deferred.await(ready)
        yield* Effect.yieldNow
        for (const text of ["one", "two", "three"]) yield* session.dispatch(say(text))
        assert.deepEqual(yield* Fiber.join(seen), [1, 2, 3])
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )
})

describe("the changes of a session", () => {
  it.effect("reach each subscriber from its subscription on, and end when the session is closed", () =>
    Effect.gen(function* () {
      const { session } = yield* makeMemoryTree({ cwd: "/w", stamp })
      const subscribe = Effect.gen(function* () {
        const fiber = yield* session.changes.pipe(
          Stream.map(({ state }) => state.entries.length),
          Stream.runCollect,
          Effect.forkChild({ startImmediately: true }),
        )
        yield* Effect.yieldNow
        return fiber
      })
      yield* session.dispatch(say("before anybody asks"))
      const first = yield* subscribe
      yield* session.dispatch(say("two"))
      const second = yield* subscribe
      yield* session.dispatch(say("three"))
      yield* session.close
      assert.deepEqual(yield* Fiber.join(first), [2, 3])
      assert.deepEqual(yield* Fiber.join(second), [3])
    }).pipe(Effect.scoped, Effect.provide(Redaction.layer({ environment: {} }))),
  )

  it.effect("have ended for whoever asks when it is closed, the first one or not", () =>
    Effect.gen(function* () {
      const { session } = yield* makeMemoryTree({ cwd: "/w", stamp })
      yield* session.close
      assert.deepEqual(yield* Stream.runCollect(session.changes), [])
      assert.deepEqual(yield* Stream.runCollect(session.changes), [])
    }).pipe(Effect.scoped, Effect.provide(Redaction.layer({ environment: {} }))),
  )
})

describe("a full disk", () => {
  it.effect("latches the session, keeps what was accepted, and is recovered from exactly once", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.dispatch(say("before"))
        disk.fail((call) => call.operation === "write", "ENOSPC", { sticky: true })
        const first = yield* Effect.flip(session.dispatch(say("lost?")))
        assert.equal(first._tag, "WriteError")
        const second = yield* Effect.flip(session.dispatch(say("refused")))
        assert.strictEqual(second, first, "every later dispatch fails with the same error")
        assert.lengthOf(yield* session.unsaved, 1)
        assert.equal((yield* session.state).entries.length, 2)
        disk.heal()
        yield* session.recover
        yield* session.dispatch(say("after"))
        assert.lengthOf(yield* session.unsaved, 0)
        const loaded = yield* (yield* TreeStore).load(PATH)
        assert.equal(loaded.state.entries.length, 3)
        assert.deepEqual(loaded.damages, [])
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("makes closing fail when the last records are not durable, and closes all the same", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.dispatch(say("before"))
        disk.fail((call) => call.operation === "sync", "EIO", { sticky: true })
        yield* session.dispatch(say("in the queue"), "accepted")
        assert.isTrue(Exit.isFailure(yield* Effect.exit(session.close)))
        const error = yield* Effect.flip(session.dispatch(say("too late")))
        assert.equal(error._tag === "WriteError" && error.reason._tag, "Closed")
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )
})

describe("a file that could not be made ready", () => {
  const header = '{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/w"}'

  it.effect("is not synced a second time after a failed sync: that would prove nothing", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [PATH]: header })
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).open(PATH)
        disk.fail((call) => call.operation === "sync", "EIO")
        const first = yield* Effect.flip(session.dispatch(say("one")))
        assert.equal(first._tag === "PrepareError" && first.reason._tag, "Uncertain")
        assert.strictEqual(yield* Effect.flip(session.dispatch(say("two"))), first)
        assert.notInclude(disk.text(PATH) ?? "", "two")
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  it.effect("is tried again after a refusal that changed nothing", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [PATH]: `${header}\n{"torn` })
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).open(PATH)
        disk.fail((call) => call.path.includes("quarantine"), "ENOSPC")
        const first = yield* Effect.flip(session.dispatch(say("one")))
        assert.equal(first._tag === "PrepareError" && first.reason._tag, "Refused")
        assert.equal(disk.text(PATH), `${header}\n{"torn`)
        yield* session.dispatch(say("two"))
        assert.deepEqual((yield* (yield* TreeStore).load(PATH)).damages, [])
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
    }),
  )

  for (const [name, old] of [
    [`.session.jsonl.migration.tmp`, '{"type":"session","id":"s","timestamp":"t","cwd":"/w"}\n'],
    [`.session.jsonl.tmp`, undefined],
  ] as const) {
    it.effect(`is made ready although ${name} was left behind by an attempt that was cut off`, () =>
      Effect.gen(function* () {
        const disk = new SimulatedDisk({ [`${FOLDER}/${name}`]: "half a f", ...(old === undefined ? {} : { [PATH]: old }) })
        yield* Effect.gen(function* () {
          const store = yield* TreeStore
          const { session } = yield* old === undefined
            ? store.create({ cwd: "/w", path: PATH })
            : store.open(PATH, { migrate: true })
          yield* session.dispatch(say("one"))
          assert.isUndefined(disk.bytes(`${FOLDER}/${name}`))
        }).pipe(Effect.scoped, Effect.provide(storeOn(disk)))
      }),
    )
  }
})

describe("receipts", () => {
  it.effect("come back at the level that was asked for", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.dispatch(say("opens the file"))
        const written = yield* session.dispatch(say("two"), "written")
        assert.equal(lineCount(disk), 3)
        assert.equal(
          disk
            .crash((options) => options - 1)
            .text(PATH)
            ?.split("\n").length,
          3,
          "written is not synced",
        )
        yield* written.reached("synced")
        assert.equal(
          disk
            .crash((options) => options - 1)
            .text(PATH)
            ?.split("\n").length,
          4,
        )
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk, { durability: "written" })))
    }),
  )

  it.effect("of a command that writes nothing are complete at once", () =>
    Effect.gen(function* () {
      const { session, journal } = yield* makeMemoryTree({ cwd: "/w", stamp })
      yield* session.dispatch({ do: "star", on: true })
      const { seq, records } = yield* session.dispatch({ do: "star", on: true })
      assert.deepEqual([seq, records], [0, []])
      assert.lengthOf(yield* journal.lines, 2)
    }).pipe(Effect.scoped, Effect.provide(Redaction.layer({ environment: {} }))),
  )
})

describe("the border", () => {
  const secret = ["correct", "horse", "battery"].join("-")

  it.effect("keeps the clear text in the state and lets only the redacted one out", () =>
    Effect.gen(function* () {
      const { session, journal } = yield* makeMemoryTree({ cwd: `/home/${secret}`, stamp, title: secret })
      yield* session.dispatch(say(`my token is ${secret}`))
      assert.include(JSON.stringify((yield* session.state).entries.shared.items), secret)
      const text = (yield* journal.lines).map((line) => line.text).join("\n")
      assert.notInclude(text, secret)
      assert.include(text, "[REDACTED")
    }).pipe(Effect.scoped, Effect.provide(Redaction.layer({ environment: { DEPLOY_TOKEN: secret } }))),
  )

  it.effect("refuses what JSON cannot hold, and says where", () =>
    Effect.gen(function* () {
      const { session, journal } = yield* makeMemoryTree({ cwd: "/w", stamp })
      const bad = { do: "message", message: { role: "user", content: [{ n: Number.NaN }] } } as unknown as TreeCommand
      assert.isTrue(Exit.isFailure(yield* Effect.exit(session.dispatch(bad))))
      assert.lengthOf(yield* journal.lines, 1)
      assert.equal((yield* session.state).entries.length, 0)
    }).pipe(Effect.scoped, Effect.provide(Redaction.layer({ environment: {} }))),
  )
})
