import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { assert } from "vitest"
import { BlobStore } from "../../src/blob/BlobStore.ts"
import { Files } from "../../src/disk/Files.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { highWaterPath } from "../../src/journal/HighWater.ts"
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

  it.effect("is copied with seals of the copy's own, whole or one path of it", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      const live = yield* written(disk)
      const store = yield* TreeStore
      const whole = yield* store.fork(path, { path: "/home/me/fork.jsonl" })
      const branch = yield* store.branchOut(path, live.leaf ?? "", { path: "/home/me/branch.jsonl" })
      for (const copy of [whole, branch]) {
        const lines = linesOf(disk, copy.path)
        assert.isTrue(lines.every((line) => isSealed(line) || line.includes("_patch")))
        assert.notInclude(linesOf(disk), lines[0])
        yield* Effect.scoped(Effect.flatMap(store.open(copy.path), ({ session }) => session.dispatch(say("four"))))
        const loaded = yield* loadTree(disk, copy.path)
        assert.deepEqual(loaded.damages, [])
        assert.equal(loaded.summary.chain?.records, lines.length + 1)
      }
      disk.put(whole.path, linesOf(disk, whole.path).join("\n").replace("held", "gone"))
      assert.deepEqual(
        (yield* loadTree(disk, whole.path)).damages.map(({ kind }) => kind),
        ["edited"],
      )
    }).pipe(Effect.provide(treesOn(disk)))
  })

  it.effect("is migrated with seals made anew, and goes on with them", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","integrity":"${INTEGRITY}"}`
      const entry = `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"old"}}`
      disk.put(path, `${header}\n${entry}\n`)
      const store = yield* TreeStore
      yield* Effect.scoped(Effect.flatMap(store.open(path, { migrate: true }), ({ session }) => session.dispatch(say("new"))))
      assert.isTrue(linesOf(disk).every(isSealed))
      const loaded = yield* loadTree(disk, path)
      assert.deepEqual([loaded.version, loaded.damages, loaded.summary.chain?.records], [5, [], 3])
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

describe("a session in our own store", () => {
  const own = (integrity?: "none") =>
    Effect.gen(function* () {
      const store = yield* TreeStore
      return yield* Effect.scoped(
        Effect.flatMap(store.create({ cwd: "/w", ...(integrity === undefined ? {} : { integrity }) }), (open) =>
          Effect.as(open.session.dispatch(say("one")), open.path),
        ),
      )
    })

  it.effect("has them without being asked, and so has a copy that comes into it", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      const made = yield* own()
      assert.include(made, "/.annals/")
      assert.isTrue(linesOf(disk, made).every(isSealed))
      const store = yield* TreeStore
      disk.put("/home/me/.pi/s.jsonl", linesOf(disk, made)[0]?.replace(/,"integrity".*/, "}\n") ?? "")
      const fork = yield* store.fork("/home/me/.pi/s.jsonl")
      assert.isTrue(linesOf(disk, fork.path).every(isSealed))
      assert.deepEqual((yield* loadTree(disk, fork.path)).damages, [])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const before = yield* store.open(made)
          const next = yield* store.newSession(before)
          yield* next.session.dispatch(say("two"))
          assert.isTrue(linesOf(disk, next.path).every(isSealed))
        }),
      )
    }).pipe(Effect.provide(treesOn(disk)))
  })

  it.effect("has none when its host wants none", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      const made = yield* own("none")
      assert.notInclude(disk.text(made) ?? "", "_c")
      assert.notInclude(disk.text(made) ?? "", "integrity")
      assert.isUndefined(disk.text(highWaterPath(made)))
    }).pipe(Effect.provide(treesOn(disk)))
  })

  it.effect("has them when it begins in an empty file", () => {
    const disk = new SimulatedDisk({ "/home/me/.annals/sessions/empty.jsonl": "" })
    const file = "/home/me/.annals/sessions/empty.jsonl"
    return Effect.gen(function* () {
      const store = yield* TreeStore
      yield* Effect.scoped(
        Effect.flatMap(store.open(file, { start: { cwd: "/w" } }), ({ session }) => session.dispatch(say("one"))),
      )
      assert.lengthOf(linesOf(disk, file), 2)
      assert.isTrue(linesOf(disk, file).every(isSealed))
    }).pipe(Effect.provide(treesOn(disk)))
  })
})

describe("a session at a place that its host has chosen", () => {
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
