import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { assert } from "vitest"
import { BlobStore } from "../../src/blob/BlobStore.ts"
import { Files } from "../../src/disk/Files.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { INTEGRITY } from "../../src/journal/Integrity.ts"
import { Lease } from "../../src/lease/Lease.ts"
import { isCleanLine, withMember } from "../../src/redaction/CleanLine.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import { makeRedactor } from "../../src/redaction/Redactor.ts"
import { LedgerFiles } from "../../src/session/LedgerFiles.ts"
import { loadTree } from "../../src/session/Load.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { Writer } from "../../src/writer/Writer.ts"
import { ledgersOn, stamps } from "./Ledger.ts"

const path = "/home/me/s.jsonl"
const secret = Array.from({ length: 32 }, (_, n) => "k3Zq8Vw1"[(n * 5) % 8]).join("")

const treesOn = (disk: SimulatedDisk) =>
  TreeStore.layer({ home: "/home/me", environment: {}, stamp: stamps() }).pipe(
    Layer.provide(Layer.mergeAll(Files.layerOf(disk), Writer.layerInline(disk), Lease.layerMemory, BlobStore.layerMemory)),
    Layer.provide(Redaction.layer({ environment: { API_TOKEN: secret } })),
  )

const say = (content: string): TreeCommand => ({ do: "message", message: { role: "user", content } })

const linesOf = (disk: SimulatedDisk, of = path): ReadonlyArray<string> => (disk.text(of) ?? "").split("\n").slice(0, -1)

const isSealed = (line: string): boolean => /,"_c":"\d+-[0-9a-f]{16}-[0-9a-f]{8}"\}$/.test(line)

/** A session that was made with seals, closed, opened again and gone on with. */
const written = (disk: SimulatedDisk) =>
  Effect.gen(function* () {
    const store = yield* TreeStore
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { session } = yield* store.create({ cwd: "/w", path, integrity: INTEGRITY })
        yield* session.dispatch(say("held"), "accepted")
        yield* session.dispatch(say(`one ${secret}`))
        yield* session.dispatch({ do: "star", on: true })
        yield* session.dispatch(say("two"))
      }),
    )
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const { session } = yield* store.open(path)
        yield* session.dispatch(say("three"))
        return yield* session.state
      }),
    )
  }).pipe(Effect.provide(treesOn(disk)))

describe("a session that is made with seals", () => {
  it.effect("has them on every record but the patches, over what redaction left, and reads without damage", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      const live = yield* written(disk)
      const lines = linesOf(disk)
      assert.deepEqual(lines.map(isSealed), [true, true, true, false, true, true])
      assert.notInclude(lines.join(), secret)
      assert.equal(JSON.parse(lines[0] ?? "").integrity, INTEGRITY)
      const loaded = yield* loadTree(disk, path)
      assert.deepEqual(loaded.damages, [])
      assert.deepEqual(loaded.state, live)
      assert.notInclude(JSON.stringify(loaded.state), "_c")
    }),
  )

  it.effect("tells an edit and a loss, and is gone on with all the same", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* written(disk)
      const lines = linesOf(disk)
      disk.put(path, `${lines.toSpliced(4, 1).join("\n").replace("one", "eins")}\n`)
      const kinds = (yield* loadTree(disk, path)).damages.map(({ kind }) => kind)
      assert.deepEqual(kinds, ["edited", "lost-records", "orphan"])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { session } = yield* (yield* TreeStore).open(path)
          yield* session.dispatch(say("four"))
        }),
      ).pipe(Effect.provide(treesOn(disk)))
      assert.isTrue(isSealed(linesOf(disk).at(-1) ?? ""))
      assert.deepEqual(
        (yield* loadTree(disk, path)).damages.map(({ kind }) => kind),
        kinds,
      )
    }),
  )

  it.effect("keeps the chain over a failed write and its recovery", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path, integrity: INTEGRITY, persist: "immediately" })
          yield* session.dispatch(say("one"))
          disk.fail((call) => call.operation === "write", "ENOSPC", { sticky: true })
          yield* Effect.flip(session.dispatch(say("two")))
          yield* Effect.flip(session.dispatch(say("refused")))
          disk.heal()
          yield* session.recover
          yield* session.dispatch(say("three"))
        }),
      ).pipe(Effect.provide(treesOn(disk)))
      const loaded = yield* loadTree(disk, path)
      assert.deepEqual(loaded.damages, [])
      assert.equal(loaded.summary.chain?.records, 4)
      assert.isTrue(linesOf(disk).every(isSealed))
    }),
  )

  it.effect("is copied without them, and the copy has them from where it goes on", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      yield* written(disk)
      const store = yield* TreeStore
      const fork = yield* store.fork(path)
      assert.isFalse(linesOf(disk, fork.path).some(isSealed))
      assert.deepEqual((yield* loadTree(disk, fork.path)).damages, [])
      yield* Effect.scoped(Effect.flatMap(store.open(fork.path), ({ session }) => session.dispatch(say("four"))))
      assert.deepEqual(linesOf(disk, fork.path).map(isSealed), [false, false, false, false, false, true])
      const loaded = yield* loadTree(disk, fork.path)
      assert.deepEqual(loaded.damages, [])
      disk.put(fork.path, linesOf(disk, fork.path).join("\n").replace("held", "gone"))
      assert.deepEqual(
        (yield* loadTree(disk, fork.path)).damages.map(({ kind }) => kind),
        ["chain-broken"],
      )
    }).pipe(Effect.provide(treesOn(disk)))
  })

  it.effect("may be a ledger", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      const file = "/home/me/ledger.jsonl"
      const going = Effect.gen(function* () {
        const files = yield* LedgerFiles
        const start = { root: "/w", model: "m" }
        yield* Effect.scoped(
          Effect.flatMap(files.create(file, start, { integrity: INTEGRITY }), ({ session }) =>
            session.dispatch({ do: "title", title: "one" }),
          ),
        )
        yield* Effect.scoped(Effect.flatMap(files.resume(file), ({ session }) => session.dispatch({ do: "title", title: "two" })))
        return yield* files.load(file)
      })
      const loaded = yield* going.pipe(Effect.provide(ledgersOn(disk)))
      assert.deepEqual(loaded.damages, [])
      assert.isAbove(linesOf(disk, file).length, 2)
      assert.isTrue(linesOf(disk, file).every(isSealed))
    }),
  )
})

describe("a session that is made without", () => {
  it.effect("has none, and neither has what is appended to it", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      const store = yield* TreeStore
      yield* Effect.scoped(Effect.flatMap(store.create({ cwd: "/w", path }), ({ session }) => session.dispatch(say("one"))))
      yield* Effect.scoped(Effect.flatMap(store.open(path), ({ session }) => session.dispatch(say("two"))))
      assert.isAbove(linesOf(disk).length, 2)
      assert.notInclude(disk.text(path) ?? "", "_c")
    }).pipe(Effect.provide(treesOn(disk)))
  })
})

describe("a clean line", () => {
  const { line } = Result.getOrThrow(makeRedactor({ environment: {} }).cleanRecord({ a: 1 }))

  it("takes a seal and nothing else", () => {
    const sealed = withMember(line, ',"_c":"1-0123456789abcdef-01234567"')
    assert.isTrue(isCleanLine(sealed))
    assert.equal(sealed.text, '{"a":1,"_c":"1-0123456789abcdef-01234567"}')
    for (const other of ["", ',"_c":"x"', `,"_c":"1-0123456789abcdef-01234567","b":"${secret}"`])
      assert.throws(() => withMember(line, other), TypeError)
    assert.throws(() => withMember({ text: "{}", bytes: 2 } as never, ',"_c":"1-0123456789abcdef-01234567"'), TypeError)
  })
})
