/** What has gone wrong for users with the file of a session while it was written, as small as it could be made. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { FOLDER, readOnly, storeOn } from "../../laws/arbitraries/store.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { planTreeRepair } from "../../src/session/RepairFile.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import type { TreeState } from "../../src/tree/State.ts"
import { codeOf } from "./LedgerCases.ts"

const PATH = `${FOLDER}/session.jsonl`
const COPY = `${FOLDER}/copy.jsonl`
const HEADER = '{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/w"}'
const OLD = HEADER.replace('"version":5', '"version":3')

const line = (id: string, parentId: string | null, content = id, timestamp = "t"): string =>
  JSON.stringify({ type: "message", id, parentId, timestamp, message: { role: "user", content } })
const file = (...raws: ReadonlyArray<string>): string => raws.map((raw) => `${raw}\n`).join("")
const chain = (...ids: ReadonlyArray<string>): ReadonlyArray<string> => ids.map((id, n) => line(id, ids[n - 1] ?? null))

const say = (content: string, role = "user"): TreeCommand => ({ do: "message", message: { role, content } })
const said = (state: TreeState, leaf?: string): ReadonlyArray<unknown> =>
  Result.getOrThrow(buildSessionContext(state, leaf)).messages.map(({ content }) => content)

const run = <A, E>(disk: Disk, body: Effect.Effect<A, E, TreeStore | Scope.Scope>) =>
  body.pipe(Effect.scoped, Effect.provide(storeOn(disk)))

const load = (disk: Disk, path = PATH) =>
  run(
    disk,
    Effect.flatMap(TreeStore, (store) => store.load(path)),
  )

const kinds = (damages: ReadonlyArray<{ readonly kind: string; readonly line: number }>) =>
  damages.map(({ kind, line }) => `${kind} ${line}`)

describe("a file that is damaged", () => {
  it.effect("was gone back in as if it were whole, and what was cut off with the bad line was not told", () => {
    const ids = Array.from({ length: 10 }, (_, n) => `m${n + 1}`)
    const raws = chain(...ids).map((raw, n) => (n === 5 ? raw.slice(0, 40) : raw))
    const disk = new SimulatedDisk({ [PATH]: file(HEADER, ...raws) })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const loaded = yield* store.load(PATH)
        assert.deepEqual(kinds(loaded.damages), ["not-json 7", "orphan 8"])
        // Places are ids, never counts, so that a line that is gone moves none of them.
        yield* store.branchOut(PATH, "m4", { path: COPY })
        const before = yield* store.load(COPY)
        assert.deepEqual([said(before.state), before.damages], [ids.slice(0, 4), []])
        assert.equal(yield* codeOf(store.branchOut(PATH, "m6", { path: `${COPY}.none` })), "Rejected")
        const behind = yield* store.branchOut(PATH, "m8", { path: `${FOLDER}/behind.jsonl` })
        const copied = yield* store.load(behind.path)
        assert.deepEqual([said(copied.state), kinds(copied.damages)], [["m7", "m8"], ["orphan 2"]])
        assert.equal(disk.text(PATH), file(HEADER, ...raws))
      }),
    )
  })

  it.effect("was no session at all, and was cut to a new header all the same", () => {
    const log = '{"type":"event","data":"not a session"}\n'
    const disk = new SimulatedDisk({ [PATH]: log })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        for (const each of [
          store.load(PATH),
          Effect.scoped(store.open(PATH, { migrate: true, start: { cwd: "/w" } })),
          store.migrate(PATH),
          store.fork(PATH),
        ])
          assert.equal(yield* codeOf(each as Effect.Effect<unknown, { _tag: string }>), "format.not_a_session")
        assert.equal(yield* codeOf(Effect.scoped(store.create({ cwd: "/w", path: PATH }))), "open.exists")
        assert.deepEqual([disk.text(PATH), disk.paths().filter((path) => path.startsWith(`${FOLDER}/`))], [log, [PATH]])
      }),
    )
  })

  it.effect("held a record that was cut and, three minutes later, the whole of it, and was not listed any more", () => {
    const whole = line("b", "a", "x".repeat(2_000))
    const disk = new SimulatedDisk({ [PATH]: file(HEADER, line("a", null), whole.slice(0, 900), whole, line("c", "b")) })
    return Effect.gen(function* () {
      const { state, damages } = yield* load(disk)
      assert.deepEqual([said(state).length, kinds(damages)], [3, ["not-json 3"]])
      assert.deepEqual(
        planTreeRepair(disk, PATH).actions.map(({ action, line, length }) => [action, line, length]),
        [["quarantine", 3, 901]],
      )
    })
  })
})

describe("a text", () => {
  it.effect("had U+0000 in it, as tools give it, and what came behind it was lost", () => {
    const disk = new SimulatedDisk({ [PATH]: file(HEADER, line("a", null, "a\u0000b")) })
    return run(
      disk,
      Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).open(PATH)
        yield* session.dispatch(say("c\u0000d"))
        const text = disk.text(PATH) ?? ""
        assert.include(text, "a\\u0000b")
        assert.include(text, "c\\u0000d")
        assert.notInclude(text, "\0")
        const { state, damages } = yield* load(disk)
        assert.deepEqual([said(state), damages], [["a\u0000b", "c\u0000d"], []])
        const copy = yield* (yield* TreeStore).fork(PATH)
        assert.deepEqual(said((yield* load(disk, copy.path)).state), said(state))
      }),
    )
  })
})

describe("a new file", () => {
  it.effect("had no bytes for a moment, and whoever read it then was told of corruption", () => {
    const disk = new SimulatedDisk()
    const seen = new Set<string | undefined>()
    disk.fail(() => {
      const text = disk.text(PATH)
      seen.add(text?.slice(0, text.indexOf("\n") + 1))
      return false
    }, "EIO")
    return Effect.gen(function* () {
      const header = yield* run(
        disk,
        Effect.gen(function* () {
          const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
          yield* session.dispatch(say("one"))
          return `${JSON.stringify((yield* session.state).header)}\n`
        }),
      )
      assert.deepEqual([...seen], [undefined, header])
      const { records, damages } = yield* load(new SimulatedDisk({ [PATH]: "" }))
      assert.deepEqual([records, damages], [0, []], "a file without bytes is one that is not begun")
    })
  })

  it.effect("had two names when its writer died between them, and was refused for that as missing", () => {
    const whole = new SimulatedDisk()
    const story = (disk: SimulatedDisk) =>
      run(
        disk,
        Effect.gen(function* () {
          const store = yield* TreeStore
          const { session } = yield* disk.lstat(PATH) === undefined ? store.create({ cwd: "/w", path: PATH }) : store.open(PATH)
          yield* session.dispatch(say("one"))
        }),
      )
    return Effect.gen(function* () {
      yield* story(whole)
      let twice = 0
      for (let step = 1; step <= whole.operations; step++) {
        const disk = new SimulatedDisk()
        disk.crashAt(step)
        yield* Effect.exit(story(disk))
        disk.kill()
        if (disk.lstat(PATH)?.links === 2) twice++
        yield* story(disk)
        assert.equal(said((yield* load(disk)).state).at(-1), "one")
        assert.deepEqual([step, disk.list(FOLDER), disk.lstat(PATH)?.links], [step, ["session.jsonl"], 1])
      }
      assert.isAbove(twice, 0)
      const disk = new SimulatedDisk({ [PATH]: file(HEADER, line("a", null)) })
      disk.link(PATH, `${FOLDER}/.session.jsonl.b0.replacement`)
      yield* story(disk)
      assert.deepEqual(said((yield* load(disk)).state), ["a", "one"])
      // What is not the session is not ours to remove, and a disk that keeps the second name keeps nobody from writing.
      disk.put(`${FOLDER}/.session.jsonl.tmp`, "somebody's")
      yield* story(disk)
      assert.equal(disk.text(`${FOLDER}/.session.jsonl.tmp`), "somebody's")
      disk.unlink(`${FOLDER}/.session.jsonl.tmp`)
      disk.link(PATH, `${FOLDER}/.session.jsonl.tmp`)
      disk.fail((call) => call.operation === "unlink", "EPERM", { sticky: true })
      yield* story(disk)
      assert.deepEqual(said((yield* load(disk)).state), ["a", "one", "one", "one"])
    })
  })
})

describe("a file that is written", () => {
  it.effect("was removed meanwhile, was made anew without its header, and the next resume refused it", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.dispatch(say("one"))
        disk.unlink(PATH)
        for (let turn = 0; turn < 10; turn++) assert.equal(yield* codeOf(session.dispatch(say("lost?"))), "write.changed")
        assert.lengthOf(yield* session.unsaved, 1, "one turn was accepted, and the others were refused with the same error")
        assert.equal(yield* codeOf(session.recover), "write.changed")
        assert.equal(yield* codeOf(session.close), "write.changed")
        assert.isUndefined(disk.lstat(PATH))
        assert.lengthOf(yield* session.unsaved, 1)
        assert.deepEqual(said(yield* session.state), ["one", "lost?"])
      }),
    )
  })

  it.effect("could not be written for two hours, and nobody was told before the end", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.dispatch(say("one"))
        disk.fail((call) => call.operation === "write", "EBADF", { sticky: true })
        const first = yield* Effect.flip(session.dispatch(say("two")))
        for (let turn = 0; turn < 10; turn++) assert.strictEqual(yield* Effect.flip(session.dispatch(say("more"))), first)
        disk.heal()
        yield* session.recover
        yield* session.dispatch(say("three"))
        const { state, damages } = yield* load(disk)
        assert.deepEqual([said(state), damages], [["one", "two", "three"], []])
      }),
    )
  })

  it.effect("had nothing of an answer that its user had read already when the program ended within it", () => {
    const disk = new SimulatedDisk()
    const partial = (words: string) => ({ role: "assistant", content: words, stopReason: "aborted" })
    return run(
      disk,
      Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: PATH })
        yield* session.dispatch(say("tell me"))
        yield* session.dispatch({ do: "message", message: partial("Once") })
        const entryId = (yield* session.state).leaf ?? ""
        for (const words of ["Once upon", "Once upon a time"])
          yield* session.dispatch({ do: "patchMessage", entryId, message: partial(words) })
        const { state } = yield* load(disk.crash(() => 0))
        assert.deepEqual(said(state), ["tell me", "Once upon a time"])
        assert.deepEqual(Result.getOrThrow(buildSessionContext(state)).messages[1], partial("Once upon a time"))
      }),
    )
  })

  it.effect("was written by two programs, neither of which knew of the other", () => {
    const disk = new SimulatedDisk({ [PATH]: file(HEADER, line("a", null)) })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const { session } = yield* store.open(PATH)
        const error = yield* Effect.flip(Effect.scoped(store.open(PATH)))
        assert.equal(error._tag, "LeaseError")
        assert.include(error.message, "in use by this process since ")
        assert.deepEqual(said((yield* store.load(PATH)).state), ["a"])
        const fork = yield* store.fork(PATH)
        yield* session.dispatch(say("one"))
        yield* (yield* store.open(fork.path)).session.dispatch(say("another"))
        assert.deepEqual(said((yield* store.load(PATH)).state), ["a", "one"])
        assert.deepEqual(said((yield* store.load(fork.path)).state), ["a", "another"])
        // What programs without a lease have done: each goes on behind its own last entry.
        const both = Array.from({ length: 100 }, (_, n) => [
          line(`x${n}`, n === 0 ? "a" : `x${n - 1}`),
          line(`y${n}`, n === 0 ? "a" : `y${n - 1}`),
        ]).flat()
        disk.put(COPY, file(HEADER, line("a", null), ...both))
        const { state, damages } = yield* store.load(COPY)
        assert.deepEqual(damages, [])
        for (const side of ["x", "y"]) assert.lengthOf(said(state, `${side}99`), 101)
      }),
    )
  })

  it.effect("was dated by a slow clock, and its turns were put in the order of their times", () => {
    const at = (minute: number): string => `2026-01-01T10:${`${minute}`.padStart(2, "0")}:00.000Z`
    const times = [10, 0, 11].map(at)
    const disk = new SimulatedDisk({
      [PATH]: file(HEADER, ...["a", "b", "c"].map((id, n) => line(id, ["a", "b"][n - 1] ?? null, id, times[n]))),
    })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const { session } = yield* store.open(PATH)
        assert.deepEqual(said(yield* session.state), ["a", "b", "c"])
        yield* session.dispatch(say("d"))
        assert.deepEqual(said((yield* store.load(PATH)).state), ["a", "b", "c", "d"])
      }),
    )
  })
})

describe("a disk that refuses", () => {
  it.effect("to rename was asked once, and afterwards there was neither the old file nor the new one", () => {
    const old = file(OLD, line("a", null))
    const disk = new SimulatedDisk({ [PATH]: old })
    disk.fail((call) => call.operation === "rename", "EPERM", { sticky: true })
    return run(
      disk,
      Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).open(PATH, { migrate: true })
        for (let turn = 0; turn < 3; turn++) {
          assert.equal(yield* codeOf(session.dispatch(say("b"))), "open.refused")
          assert.deepEqual([disk.text(PATH), disk.paths().filter((path) => path.startsWith(`${FOLDER}/`))], [old, [PATH]])
        }
      }),
    )
  })

  it.effect("to rename while another program looks at the file let go of it in the end, and the work was lost by then", () => {
    const disk = new SimulatedDisk({ [PATH]: file(OLD, line("a", null)) })
    for (let n = 1; n <= 3; n++) disk.fail((call) => call.operation === "rename", "EBUSY")
    return run(
      disk,
      Effect.gen(function* () {
        const { session } = yield* (yield* TreeStore).open(PATH, { migrate: true })
        for (let turn = 0; turn < 3; turn++) assert.equal(yield* codeOf(session.dispatch(say("b"))), "open.refused")
        yield* session.dispatch(say("b"))
        const { state, damages, version } = yield* load(disk)
        assert.deepEqual([said(state), damages, version], [["a", "b"], [], 5])
      }),
    )
  })

  it.effect("every change gave out the id of a session that never was, and what was there could not be read either", () => {
    const disk = new SimulatedDisk({ [PATH]: file(HEADER, line("a", null)) })
    const before = disk.paths()
    return run(
      readOnly(disk),
      Effect.gen(function* () {
        const store = yield* TreeStore
        const path = "/elsewhere/new.jsonl"
        const error = yield* Effect.flip(Effect.scoped(store.create({ cwd: "/w", path })))
        assert.include(error.message, path)
        assert.include(error.message, "EROFS")
        assert.deepEqual(said((yield* store.load(PATH)).state), ["a"])
        const { session } = yield* store.open(PATH)
        const refused = yield* Effect.flip(session.dispatch(say("b")))
        assert.include(refused.message, "EROFS")
        assert.deepEqual([disk.paths(), disk.text(PATH)], [before, file(HEADER, line("a", null))])
      }),
    )
  })

  it.effect("a folder that belongs to somebody else left an empty window, and said nothing", () => {
    const disk = new SimulatedDisk({ [PATH]: file(HEADER, line("a", null)) })
    disk.fail(({ operation, path }) => operation === "open" && path.startsWith(`${FOLDER}/.`), "EACCES", { sticky: true })
    disk.fail(({ operation, path }) => operation === "write" && path === PATH, "EACCES", { sticky: true })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        assert.deepEqual(said((yield* store.load(PATH)).state), ["a"])
        const { session } = yield* store.create({ cwd: "/w", path: COPY })
        const error = yield* Effect.flip(session.dispatch(say("b")))
        assert.include(error.message, COPY)
        assert.include(error.message, "EACCES")
        const open = yield* store.open(PATH)
        assert.include((yield* Effect.flip(open.session.dispatch(say("b")))).message, "EACCES")
        assert.isUndefined(disk.lstat(COPY))
      }),
    )
  })
})
