/** What has gone wrong for users with the sessions of a project, as small as it could be made: lists, resumes and the order of sessions. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Disk } from "../../src/disk/Disk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { readJournal } from "../../src/journal/Reader.ts"
import { planRepair } from "../../src/journal/RepairPlan.ts"
import { Lease } from "../../src/lease/Lease.ts"
import { LeaseError } from "../../src/lease/LeaseError.ts"
import { type LedgerState, messages } from "../../src/ledger/State.ts"
import { summarise } from "../../src/ledger/Summary.ts"
import { LedgerStore } from "../../src/session/LedgerStore.ts"
import { bind } from "../journal/disks.ts"
import { ROOT } from "./Ledger.ts"
import { at, codeOf, lines, run, START, say, started } from "./LedgerCases.ts"

const P = at("p.jsonl")

const begun = (id: string, t: string) => ({ t, type: "start", sessionId: id, root: ROOT, model: "m" })
const user = (t: string, words: string) => ({
  t,
  type: "user",
  message: { role: "user", content: [{ type: "text", text: words }] },
})
const on = (day: number): string => `2026-02-${`${day}`.padStart(2, "0")}T00:00:00.000Z`

const said = (state: LedgerState): ReadonlyArray<unknown> =>
  messages(state).map(({ content }) => content.map((block) => (block.type === "text" ? block.text : block.type)).join())

const ids = (sessions: ReadonlyArray<{ readonly id: string }>) => sessions.map(({ id }) => id)
const codes = (leftOut: ReadonlyArray<{ readonly code: string }>) => leftOut.map(({ code }) => code)

describe("a file that is damaged", () => {
  it.effect("ended for its reader at the first bad line, and the list showed the date of that line", () => {
    const cut = '{"t":"2026-02-03T00:00:00.000Z","type":"title","ti\n'
    const disk = new SimulatedDisk({
      [P]: started("p", user(on(1), "1"), user(on(2), "2")) + cut + lines(...[4, 5, 6].map((day) => user(on(day), `${day}`))),
    })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        const [listed] = (yield* store.list()).sessions
        assert.deepEqual([listed?.worked, listed?.damages], [on(6), 1])
        const { state, damages } = yield* store.read("p")
        assert.deepEqual(said(state), ["1", "2", "4", "5", "6"])
        assert.deepEqual(
          damages.map(({ kind, line }) => [kind, line]),
          [["not-json", 4]],
        )
        assert.deepEqual(
          planRepair(readJournal(disk, P)).actions.map(({ action, line }) => [action, line]),
          [["quarantine", 4]],
        )
        yield* (yield* store.resume("p")).session.dispatch(say("7"))
        assert.deepEqual(said((yield* store.read("p")).state), ["1", "2", "4", "5", "6", "7"])
      }),
    )
  })

  it.effect("and held nothing but half a record, kept the agent from starting", () => {
    const disk = new SimulatedDisk({ [at("a.jsonl")]: '{"session_id": "a", "status": "runni' })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        const { sessions, leftOut } = yield* store.list()
        assert.deepEqual([sessions, leftOut], [[], [{ path: at("a.jsonl"), code: "format.not_a_session" }]])
        assert.isUndefined(yield* store.latest)
        const { session, id } = yield* store.create(START)
        yield* session.dispatch(say("hello"))
        assert.equal(yield* store.latest, id)
        assert.deepEqual(ids((yield* store.list()).sessions), [id])
      }),
    )
  })

  it.effect("was opened by the writer, which bore a torn end, and refused by every reader, which did not", () => {
    const disk = new SimulatedDisk({ [P]: `${started("p", user(on(1), "one"))}{"t":"2026-02-02T00:00:00.000Z","type":"us` })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        yield* (yield* store.open("p")).session.close
        assert.deepEqual(said((yield* store.read("p")).state), ["one"])
        assert.deepEqual(ids((yield* store.list()).sessions), ["p"])
        assert.equal(yield* store.latest, "p")
        const fork = yield* store.fork("p")
        assert.deepEqual(said((yield* store.read(fork.id)).state), ["one"])
        assert.include(disk.text(yield* store.export("p")), "one")
        const { session } = yield* store.resume("p")
        assert.deepEqual(said(yield* session.state), ["one"])
      }),
    )
  })

  it.effect("had lost its first line, which alone had said whose session it was, and vanished from the list", () => {
    const torn = '{"t":"2026-02-01T00:00:00.000Z","type":"start","sessionId":"p","ro\n'
    const disk = new SimulatedDisk({ [P]: torn + lines(user(on(2), "one"), user(on(3), "two")) })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        const [listed] = (yield* store.list()).sessions
        assert.deepEqual([listed?.id, listed?.worked, listed?.damages], ["p", on(3), 1])
        assert.deepEqual(said((yield* store.read("p")).state), ["one", "two"])
        const { session } = yield* store.resume("p", START)
        yield* session.dispatch(say("three"))
        assert.deepEqual(said((yield* store.read("p")).state), ["one", "two", "three"])
      }),
    )
  })

  it.effect("lay among empty ones and empty folders, and together they kept resume and cleaning from working", () => {
    const disk = new SimulatedDisk({
      [P]: started("p", user(on(1), "one")),
      [at("torn.jsonl")]: started("torn").slice(0, -20),
      ...Object.fromEntries(["e1", "e2", "e3"].map((name) => [at(`${name}.jsonl`), ""])),
    })
    for (const folder of ["orphan", "folder.jsonl"]) disk.makeDirectory(at(folder))
    const before = disk.paths()
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        const { sessions, leftOut } = yield* store.list()
        assert.deepEqual(ids(sessions), ["p"])
        assert.deepEqual(codes(leftOut).toSorted(), [
          ...["format.empty", "format.empty", "format.empty"],
          ...["format.not_a_session", "read.not_a_file"],
        ])
        assert.deepEqual(disk.paths(), before)
        assert.equal((yield* store.resume()).id, "p")
      }),
    )
  })

  it.effect("had a run of zeros in the middle: the model saw what was before it, and the list what came behind", () => {
    const disk = new SimulatedDisk({
      [P]: `${started("p", user(on(1), "before"))}${"\0".repeat(412)}\n${lines(user(on(2), "behind"))}`,
    })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        const { state, damages } = yield* store.read("p")
        assert.deepEqual(said(state), ["before", "behind"])
        assert.deepEqual(
          damages.map(({ kind, length }) => [kind, length]),
          [["nul-run", 412]],
        )
        const [listed] = (yield* store.list()).sessions
        assert.deepEqual([listed?.worked, listed?.summary], [on(2), summarise(state)])
        assert.deepEqual(said(yield* (yield* store.resume("p")).session.state), ["before", "behind"])
      }),
    )
  })

  it.effect("ended with zeros after a crash of the machine, and no session had that id any more", () => {
    const whole = started("p", user(on(1), "one"))
    const disk = new SimulatedDisk({ [P]: whole + "\0".repeat(1_728) })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        assert.equal(yield* store.latest, "p")
        yield* (yield* store.resume("p")).session.dispatch(say("two"))
        assert.isTrue((disk.text(P) ?? "").startsWith(whole))
        assert.notInclude(disk.text(P) ?? "", "\0")
        const { state, damages } = yield* store.read("p")
        assert.deepEqual([said(state), damages], [["one", "two"], []])
      }),
    )
  })

  it.effect("and was all zeros, hid the eighteen sessions beside it", () => {
    const good = Array.from({ length: 18 }, (_, n) => `s${n}`)
    const disk = new SimulatedDisk({
      ...Object.fromEntries(good.map((id, n) => [at(`${id}.jsonl`), started(id, user(on(n + 1), id))])),
      [at("zeros.jsonl")]: new Uint8Array(413),
    })
    return run(
      disk,
      Effect.gen(function* () {
        const { sessions, leftOut } = yield* (yield* LedgerStore).list()
        assert.deepEqual(ids(sessions), good.toReversed())
        assert.deepEqual(leftOut, [{ path: at("zeros.jsonl"), code: "format.not_a_session" }])
      }),
    )
  })

  it.effect("and had no bytes since the disk was full, kept two hundred others from being opened", () => {
    const names = Array.from({ length: 200 }, (_, n) => `s${n}`)
    const disk = new SimulatedDisk(
      Object.fromEntries(names.map((id, n) => [at(`${id}.jsonl`), n % 100 === 7 ? "" : started(id, user(on(1), id))])),
    )
    return run(
      disk,
      Effect.gen(function* () {
        const { sessions, leftOut } = yield* (yield* LedgerStore).list(200)
        assert.lengthOf(sessions, 198)
        assert.deepEqual(codes(leftOut), ["format.empty", "format.empty"])
      }),
    )
  })

  it.effect("could not be read, was called missing, and an empty session was put in its place", () => {
    const disk = new SimulatedDisk({ [P]: started("p", user(on(1), "one")) })
    const before = [disk.paths(), disk.text(P)]
    disk.fail((call) => call.operation === "read" && call.path === P, "EIO", { sticky: true })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        const tries = [
          store.read("p"),
          Effect.scoped(store.open("p")),
          Effect.scoped(store.resume("p")),
          Effect.scoped(store.resume()),
          store.fork("p"),
        ]
        for (const each of tries) assert.equal(yield* codeOf(each as Effect.Effect<unknown, { _tag: string }>), "read.unreadable")
        assert.deepEqual((yield* store.list()).leftOut, [{ path: P, code: "read.unreadable" }])
        assert.deepEqual([disk.paths(), disk.text(P)], before)
      }),
    )
  })
})

describe("other sessions of the project", () => {
  /** A disk, the files that were opened on it, the most that were open at a time, and the largest piece that was read at once. */
  const watched = (disk: SimulatedDisk) => {
    const seen = { opened: new Set<string>(), atOnce: 0, piece: 0 }
    const watching: Disk = {
      ...bind(disk),
      open: (path, mode) => {
        const handle = disk.open(path, mode)
        seen.opened.add(path)
        seen.atOnce = Math.max(seen.atOnce, disk.handles)
        return handle
      },
      read: (handle, into, position) => {
        seen.piece = Math.max(seen.piece, into.length)
        return disk.read(handle, into, position)
      },
    }
    return { seen, watching }
  }

  it.effect("were read at the start of a new one, and one that was too large for the memory ended the program", () => {
    const disk = new SimulatedDisk({ [P]: started("p", user(on(1), "x".repeat(3_000_000))) })
    const { seen, watching } = watched(disk)
    return run(
      watching,
      Effect.gen(function* () {
        const { session, path } = yield* (yield* LedgerStore).create(START)
        yield* session.dispatch(say("hello"))
        assert.isTrue(disk.bytes(path) !== undefined && !seen.opened.has(P))
      }),
    )
  })

  it.effect("were all read at once for a list, until the memory was full", () => {
    const names = Array.from({ length: 8 }, (_, n) => `s${n}`)
    const disk = new SimulatedDisk(
      Object.fromEntries(names.map((id) => [at(`${id}.jsonl`), started(id, user(on(1), "x".repeat(1_200_000)))])),
    )
    const { seen, watching } = watched(disk)
    return run(
      watching,
      Effect.gen(function* () {
        assert.lengthOf((yield* (yield* LedgerStore).list(8)).sessions, 8)
        assert.equal(seen.opened.size, 8)
        assert.equal(seen.atOnce, 1)
        assert.isAtMost(seen.piece, 2 << 20)
      }),
    )
  })

  it.effect("were live: a second terminal went on with the last one, and two agents worked against each other in it", () => {
    const disk = new SimulatedDisk({
      [P]: started("p", user(on(2), "one")),
      [at("older.jsonl")]: lines(begun("older", "2020-01-01T00:00:00.000Z"), user("2020-01-01T00:00:01.000Z", "one")),
    })
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        yield* (yield* store.resume()).session.dispatch(say("two"))
        const before = [disk.paths(), disk.text(P)]
        assert.equal(yield* codeOf(Effect.scoped(store.resume())), "lease.held")
        assert.deepEqual([disk.paths(), disk.text(P)], before)
        assert.deepEqual(said((yield* store.read("p")).state), ["one", "two"], "reading needs no lease")
      }),
    )
  })

  it.effect("could not even be read where the file system had no locks, and programs hung", () => {
    const disk = new SimulatedDisk({ [P]: started("p", user(on(1), "one")) })
    const before = [disk.paths(), disk.text(P)]
    const refusing = Layer.effect(
      Lease,
      Effect.map(Lease, (lease) => ({
        ...lease,
        acquire: (path: string) =>
          Effect.fail(new LeaseError({ reason: { _tag: "Unavailable", code: "lease.unavailable", path, system: "ENOLCK" } })),
      })),
    ).pipe(Layer.provide(Lease.layerMemory))
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        assert.deepEqual(said((yield* store.read("p")).state), ["one"])
        assert.deepEqual(ids((yield* store.list()).sessions), ["p"])
        const refused = yield* Effect.flip(Effect.scoped(store.resume()))
        assert.include(refused.message, `${P}: cannot be locked (ENOLCK)`)
        assert.deepEqual([disk.paths(), disk.text(P)], before)
      }),
      { lease: refusing },
    )
  })

  it.effect("had a prompt without an answer when the program was stopped, and were hidden with it", () => {
    const disk = new SimulatedDisk()
    return Effect.gen(function* () {
      const id = yield* run(
        disk,
        Effect.gen(function* () {
          const { session, id } = yield* (yield* LedgerStore).create(START)
          yield* session.dispatch(say("what was asked"))
          return id
        }),
      )
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const [listed] = (yield* store.list()).sessions
          assert.deepEqual([listed?.id, listed?.summary.title], [id, "what was asked"])
          assert.deepEqual(said(yield* (yield* store.resume()).session.state), ["what was asked"])
        }),
      )
    })
  })
})

describe("the last session", () => {
  const clock = (hour: number, minute = 0): string =>
    `2026-02-01T${`${hour}`.padStart(2, "0")}:${`${minute}`.padStart(2, "0")}:00.000Z`
  const file = (id: string, from: string, to: string) => ({ [at(`${id}.jsonl`)]: lines(begun(id, from), user(to, id)) })
  const latestOn = (disk: SimulatedDisk) =>
    run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        assert.equal((yield* store.list()).sessions[0]?.id, yield* store.latest, "the list and the default agree")
        return yield* store.latest
      }),
    )

  it.effect("was the one that some other program had touched", () => {
    const disk = new SimulatedDisk({ ...file("new", clock(12), clock(13)), ...file("old", clock(1), clock(2)) })
    disk.setModified(at("new.jsonl"), 1_000_000_000n)
    disk.setModified(at("old.jsonl"), 1_900_000_000_000_000_000n)
    return Effect.gen(function* () {
      assert.equal(yield* latestOn(disk), "new")
    })
  })

  it.effect("was the one that was begun last, and the one of the whole day lost to a spike at noon", () => {
    const disk = new SimulatedDisk({ ...file("day", clock(9), clock(17)), ...file("spike", clock(12), clock(12, 5)) })
    return Effect.gen(function* () {
      assert.equal(yield* latestOn(disk), "day")
    })
  })

  it.effect("was the first by the order of ids, in which the oldest stood first", () => {
    const disk = new SimulatedDisk(Object.assign({}, ...["a", "b", "c"].map((id, n) => file(id, clock(12 - n), clock(13 - n)))))
    return Effect.gen(function* () {
      assert.equal(yield* latestOn(disk), "a")
      const reversed = new SimulatedDisk(Object.assign({}, ...["a", "b", "c"].map((id, n) => file(id, clock(n), clock(n + 1)))))
      assert.equal(yield* latestOn(reversed), "c")
    })
  })

  it.effect("had its turns in the order of the clocks, one of which was slow, and the agent seemed not to answer", () => {
    const disk = new SimulatedDisk({
      [P]: lines(begun("p", clock(10)), user(clock(10, 10), "1"), user(clock(10), "2"), user(clock(10, 11), "3")),
    })
    let minutes = 30
    const stamp = Effect.sync(() => ({ at: Date.parse(clock(10, minutes--)), entropy: `${minutes}`.padStart(32, "0") }))
    return run(
      disk,
      Effect.gen(function* () {
        const store = yield* LedgerStore
        assert.deepEqual(said((yield* store.read("p")).state), ["1", "2", "3"])
        const { session } = yield* store.resume("p")
        for (const words of ["4", "5", "6"]) yield* session.dispatch(say(words))
        assert.deepEqual(said((yield* store.read("p")).state), ["1", "2", "3", "4", "5", "6"])
      }),
      { stamp },
    )
  })
})
