/** Cases at the edges of what a session does to its file, each with the rule that it belongs to. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { stored } from "../../laws/arbitraries/lines.ts"
import { FOLDER, storeOn } from "../../laws/arbitraries/store.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { own } from "../../src/model/Json.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { readHeader } from "../../src/tree/Header.ts"
import { counts, title } from "../../src/tree/Overview.ts"
import type { recordAt } from "../../src/tree/State.ts"

const PATH = `${FOLDER}/session.jsonl`
const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const say = (content: string): TreeCommand => ({ do: "message", message: { role: "user", content } })
const named = (name: string): TreeCommand => ({ do: "title", title: name, source: "user" })

const on = <A, E>(disk: SimulatedDisk, body: Effect.Effect<A, E, TreeStore | Scope.Scope>) =>
  body.pipe(Effect.scoped, Effect.provide(storeOn(disk)))

const file = (version: number): string =>
  [
    { type: "session", version, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" },
    { type: "message", id: "a", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content: "1" } },
  ]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("")

const inodeOf = (disk: SimulatedDisk): bigint | undefined => disk.lstat(PATH)?.inode

describe("a title", () => {
  it.effect("is one short line behind what stood there, in the same file", () => {
    const disk = new SimulatedDisk({ [PATH]: file(5) })
    return on(
      disk,
      Effect.gen(function* () {
        const inode = inodeOf(disk)
        const { session } = yield* (yield* TreeStore).open(PATH)
        yield* session.dispatch(named("A short name"))
        assert.isTrue(stored(disk, PATH).startsWith(file(5)))
        assert.isBelow(stored(disk, PATH).length - file(5).length, 128)
        assert.equal(inodeOf(disk), inode)
      }),
    )
  })

  it.effect("that could not be written changes no byte, waits, and is written once", () => {
    const disk = new SimulatedDisk({ [PATH]: file(5) })
    return on(
      disk,
      Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).open(PATH)
        yield* session.dispatch(say("2"))
        const before = stored(disk, PATH)
        disk.fail((call) => call.operation === "write", "ENOSPC", { sticky: true })
        assert.equal((yield* Effect.flip(session.dispatch(named("Late"))))._tag, "WriteError")
        assert.equal(stored(disk, PATH), before)
        assert.lengthOf(yield* session.unsaved, 1)
        disk.heal()
        yield* session.recover
        const { state } = yield* (yield* TreeStore).load(PATH)
        assert.deepEqual(title(state), { title: "Late", source: "user" })
        assert.equal(stored(disk, PATH).split("header_patch").length - 1, 1)
      }),
    )
  })
})

describe("a title before the file", () => {
  it.effect("waits with the rest, and is in the file once there is one", () => {
    const disk = new SimulatedDisk()
    return on(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const { session } = yield* store.create({ cwd: "/w", path: PATH })
        yield* session.dispatch(named("Early"), "accepted")
        assert.isUndefined(disk.bytes(PATH))
        assert.deepEqual(title(yield* session.state), { title: "Early", source: "user" })
        yield* session.dispatch({ do: "message", message: { role: "assistant", content: "answer" } })
        assert.deepEqual(title((yield* store.load(PATH)).state), { title: "Early", source: "user" })
      }),
    )
  })
})

describe("an append", () => {
  it.effect("reads nothing of what stands there, and costs the same behind a hundred records and behind two thousand", () => {
    const disk = new SimulatedDisk()
    const called: Array<string> = []
    const watch = ({ operation }: { readonly operation: string }): boolean => {
      called.push(operation)
      return false
    }
    disk.fail(watch, "EIO")
    return on(
      disk,
      Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        const costs: Array<ReadonlyArray<string>> = []
        for (const records of [100, 2_000]) {
          for (let n = 0; n < records; n++) yield* session.dispatch(say(`${n}`), "accepted")
          yield* session.flush
          called.length = 0
          yield* session.dispatch(say("measured"))
          costs.push([...called])
        }
        const [short = [], long] = costs
        assert.include([...short], "write")
        assert.notInclude([...short], "read")
        assert.deepEqual(long, short)
      }),
    )
  })
})

describe("a file of an older version", () => {
  it.effect("is not rewritten by an opening, a flush and a closing, but by the first record, once", () => {
    const disk = new SimulatedDisk({ [PATH]: file(1) })
    return on(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const idle = yield* store.open(PATH, { migrate: true })
        yield* idle.session.flush
        yield* idle.session.close
        assert.equal(stored(disk, PATH), file(1))
        const { session } = yield* store.open(PATH, { migrate: true })
        yield* session.dispatch(named("T"))
        const inode = inodeOf(disk)
        yield* session.dispatch(say("2"))
        assert.equal(inodeOf(disk), inode, "the second one is appended")
        const [header = "", ...entries] = stored(disk, PATH).split("\n")
        assert.equal((JSON.parse(header) as { version: number }).version, 5)
        assert.isTrue(entries.filter((line) => line.includes('"message"')).every((line) => line.includes('"id":"')))
      }),
    )
  })
})

describe("a command beside a closing", () => {
  it.effect("is in the file or is refused, and never half of it", () => {
    const disk = new SimulatedDisk({ [PATH]: file(5) })
    return on(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const { session } = yield* store.open(PATH)
        yield* session.dispatch(say("before"))
        const words = ["one", "two", "three"]
        const [first, , ...rest] = yield* Effect.all(
          [
            Effect.exit(session.dispatch(say("during"), "accepted")),
            session.close,
            ...words.map((word) => Effect.exit(session.dispatch(say(word), "accepted"))),
          ] as const,
          { concurrency: "unbounded" },
        )
        assert.isTrue(Exit.isSuccess(first), "what came before the closing is carried out")
        const exits = [first, ...(rest as ReadonlyArray<Exit.Exit<unknown, unknown>>)]
        const text = stored(disk, PATH)
        for (const [n, word] of ["during", ...words].entries())
          assert.equal(text.includes(`"${word}"`), Exit.isSuccess(exits[n] ?? Exit.void), word)
        assert.deepEqual((yield* store.load(PATH)).damages, [])
      }),
    )
  })
})

describe("the id of a session", () => {
  it.effect("is a new one for each new file, and stays when the file is opened again, from wherever", () => {
    const disk = new SimulatedDisk()
    return on(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const first = yield* store.create({ cwd: "/w", path: PATH })
        yield* first.session.dispatch(say("1"))
        const leaf = (yield* first.session.state).leaf ?? ""
        yield* first.session.close
        const fork = yield* store.fork(PATH)
        const branch = yield* store.branchOut(PATH, leaf)
        const again = yield* store.open(PATH, { start: { cwd: "/elsewhere" } })
        yield* again.session.dispatch(say("2"))
        yield* again.session.close
        const sessions = disk.paths().filter((path) => path.endsWith(".jsonl"))
        assert.sameMembers([...sessions], [PATH, fork.path, branch.path], "going on makes no second file")
        const ids = []
        for (const path of sessions) ids.push(readHeader((yield* store.load(path)).state.header ?? {}).id)
        assert.equal(new Set(ids).size, 3)
        for (const id of ids) assert.match(id, V7)
        const { state } = yield* store.load(PATH)
        assert.equal(state.entries.length, 2)
        assert.deepInclude(readHeader(state.header ?? {}), { cwd: "/w" })
      }),
    )
  })

  it.effect("that a fork has as its parent is never followed: what the fork shows is in the fork", () => {
    const disk = new SimulatedDisk()
    return on(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const { session } = yield* store.create({ cwd: "/w", path: PATH })
        yield* session.dispatch(say("1"))
        const first = (yield* session.state).leaf ?? ""
        for (const summary of ["one", "two"])
          yield* session.dispatch({ do: "compaction", summary, firstKeptEntryId: first, tokensBefore: 1 })
        yield* session.close
        const fork = yield* store.fork(PATH)
        const branch = yield* store.branchOut(PATH, (yield* session.state).leaf ?? "")
        const shown = [fork.path, branch.path]
        const before = []
        for (const path of shown) before.push(counts((yield* store.load(path)).state))
        for (const each of before)
          assert.deepEqual(
            [...each],
            [
              ["message", 1],
              ["compaction", 2],
            ],
          )
        disk.unlink(PATH)
        for (const [n, path] of shown.entries()) assert.deepEqual(counts((yield* store.load(path)).state), before[n])
      }),
    )
  })
})

describe("a name in the header", () => {
  it.effect("is whole however long it is, in the state, in the file and when it is patched", () => {
    const disk = new SimulatedDisk()
    const long = `/${"a long name/".repeat(50_000)}`
    return on(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const { session } = yield* store.create({ cwd: long, path: PATH, parentSession: long, title: long })
        yield* session.dispatch(say("1"))
        const cwdOf = (state: Parameters<typeof recordAt>[0]): unknown => own(state.header ?? {}, "cwd")
        const { state } = yield* store.load(PATH)
        assert.deepEqual([cwdOf(state), own(state.header ?? {}, "parentSession")], [long, long])
        const { length = 0 } = title(state)?.title ?? []
        assert.isTrue(0 < length && length <= 1_000, `${length}`)
        assert.deepEqual(title(yield* session.state), title(state))
        yield* session.dispatch({ do: "cwd", cwd: `${long}more` })
        assert.equal(cwdOf((yield* store.load(PATH)).state), `${long}more`)
        assert.equal(cwdOf(yield* session.state), `${long}more`)
      }),
    )
  })
})
