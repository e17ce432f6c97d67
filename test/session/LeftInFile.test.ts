/** Sessions that are open for writing while their records lie in the file: what is read, kept, and told when the file is another one. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { assert, describe, it } from "vitest"
import { FOLDER, storeOn } from "../../laws/arbitraries/store.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { RecordCache } from "../../src/journal/RecordCache.ts"
import type { JsonObject } from "../../src/model/Json.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import { recordOf, type TreeState } from "../../src/tree/State.ts"

const PATH = `${FOLDER}/session.jsonl`
const TIME = "2026-01-01T00:00:00.000Z"

const header = { type: "session", version: 5, id: "s", timestamp: TIME, cwd: "/w" }
const said = (n: number): JsonObject => ({
  type: "message",
  id: `m${n}`,
  parentId: n === 1 ? null : `m${n - 1}`,
  timestamp: TIME,
  message: { role: "user", content: `text ${n}` },
})
const fileOf = (...records: ReadonlyArray<object>): string => records.map((record) => `${JSON.stringify(record)}\n`).join("")

const TEXT = fileOf(header, said(1), said(2), said(3))

/** Opens the file, has the state, closes the session, and looks into the state then. */
const afterwards = <A>(disk: SimulatedDisk, between: () => void, look: (state: TreeState) => A, heldFileBytes = 0): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* TreeStore
      const scope = yield* Scope.make()
      const { session } = yield* Scope.provide(store.open(PATH), scope)
      const state = yield* session.state
      yield* Scope.close(scope, Exit.void)
      between()
      return yield* Effect.try({ try: () => look(state), catch: (cause) => cause })
    }).pipe(Effect.provide(storeOn(disk, { heldFileBytes }))),
  )

const codeOf = async (found: Promise<unknown>): Promise<unknown> =>
  found.then(
    (value) => value,
    (cause: { readonly code?: string }) => cause.code,
  )

describe("a state that is kept when its session is closed", () => {
  it("has its records from the file, also behind what was appended since", async () => {
    const disk = new SimulatedDisk({ [PATH]: TEXT })
    const append = (): void => {
      const handle = disk.open(PATH, "append")
      disk.write(handle, new TextEncoder().encode(fileOf(said(4))))
      disk.close(handle)
    }
    assert.deepEqual(await afterwards(disk, append, (state) => recordOf(state, "m2")), said(2))
  })

  it("tells when the file is gone, is another one, or was cut or rewritten in place", async () => {
    const put = (text: string) => (disk: SimulatedDisk) => {
      const handle = disk.open(PATH, "append")
      disk.truncate(handle, 0)
      disk.write(handle, new TextEncoder().encode(text))
      disk.close(handle)
    }
    const cases: ReadonlyArray<readonly [string, (disk: SimulatedDisk) => void]> = [
      ["read.not_found", (disk) => disk.unlink(PATH)],
      ["read.changed", (disk) => disk.rename("/other", PATH)],
      ["read.changed", put(TEXT.slice(0, 200))],
      // Another record of the same length in its place.
      ["read.changed", put(TEXT.replace('"id":"m2"', '"id":"m9"'))],
    ]
    for (const [code, change] of cases) {
      const disk = new SimulatedDisk({ [PATH]: TEXT, "/other": TEXT })
      const found = afterwards(
        disk,
        () => change(disk),
        (state) => recordOf(state, "m2"),
      )
      assert.equal(await codeOf(found), code)
    }
  })

  it("needs no file when the session was asked to hold it", async () => {
    const disk = new SimulatedDisk({ [PATH]: TEXT })
    const found = afterwards(
      disk,
      () => disk.unlink(PATH),
      (state) => recordOf(state, "m2"),
      TEXT.length,
    )
    assert.deepEqual(await found, said(2))
  })
})

describe("an open session whose records are left in its file", () => {
  it("keeps its file when the name is given to another one", async () => {
    const disk = new SimulatedDisk({ [PATH]: TEXT, "/other": fileOf(header) })
    const found = Effect.gen(function* () {
      const { session } = yield* (yield* TreeStore).open(PATH)
      disk.rename("/other", PATH)
      return recordOf(yield* session.state, "m3")
    })
    const store = storeOn(disk, { heldFileBytes: 0 })
    assert.deepEqual(await Effect.runPromise(Effect.scoped(found).pipe(Effect.provide(store))), said(3))
  })

  it("is read into memory when it has to be rewritten first", async () => {
    const disk = new SimulatedDisk({ [PATH]: fileOf({ ...header, version: 3 }, said(1), said(2)) })
    const found = Effect.gen(function* () {
      const { session, migration } = yield* (yield* TreeStore).open(PATH, { migrate: true })
      yield* session.dispatch({ do: "message", message: { role: "user", content: "more" } })
      return { migration, record: recordOf(yield* session.state, "m2") }
    })
    const store = storeOn(disk, { heldFileBytes: 0 })
    const { migration, record } = await Effect.runPromise(Effect.scoped(found).pipe(Effect.provide(store)))
    assert.equal(migration?.from, 3)
    assert.deepEqual(record, said(2))
  })
})

describe("the records that were read last", () => {
  it("are kept up to twice a number of bytes, those that are asked for longest", () => {
    const cache = new RecordCache(10)
    const reads: Array<number> = []
    const get = (offset: number, length = 4): void => {
      cache.get(offset, length, () => {
        reads.push(offset)
        return { offset }
      })
    }
    for (const offset of [1, 2, 1, 2]) get(offset)
    assert.deepEqual(reads, [1, 2])
    // The third begins a generation, and 2 goes over into it.
    for (const offset of [3, 2, 4, 2, 3]) get(offset)
    assert.deepEqual(reads, [1, 2, 3, 4])
    for (const offset of [1, 2]) get(offset)
    assert.deepEqual(reads, [1, 2, 3, 4, 1])
  })

  it("are none that are larger than all that is kept", () => {
    const cache = new RecordCache(10)
    let reads = 0
    for (const _ of [1, 2]) cache.get(0, 11, () => ({ n: ++reads }))
    assert.equal(reads, 2)
  })
})
