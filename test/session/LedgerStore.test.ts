import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { usedTokens } from "../../src/ledger/Accounting.ts"
import { type LedgerState, messages } from "../../src/ledger/State.ts"
import { LedgerStore } from "../../src/session/LedgerStore.ts"
import { answer, call, ledgersOn, ROOT, records, run, SESSIONS, START, say, session, text, typesIn } from "./Ledger.ts"

describe("a new ledger session", () => {
  it.effect("has an id made of the time, no file before its first command, and then a line for each record", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* run(
        disk,
        Effect.gen(function* () {
          const { session, id, path } = yield* (yield* LedgerStore).create(START)
          assert.match(id, /^20231120-080000-[0-9a-f]{4}$/)
          assert.equal(path, `${SESSIONS}/${id}.jsonl`)
          assert.isUndefined(disk.bytes(path))
          yield* session.dispatch(say("Find the flaky test"))
          yield* session.dispatch(answer(text("t1")))
          assert.deepEqual(typesIn(disk, path), ["start", "user", "assistant"])
          const [start] = records(disk, path)
          assert.deepEqual(Object.keys(start ?? {}).slice(0, 3), ["t", "type", "sessionId"])
          assert.equal(start?.["root"], ROOT)
          assert.equal(disk.lstat(path)?.mode, 0o600)
          const { state } = yield* (yield* LedgerStore).read(id)
          assert.deepEqual(messages(state), messages(yield* session.state))
        }),
      )
    }),
  )

  it.effect("gets an id that nobody has, although somebody took the one of its moment", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      const frozen = { at: 1_700_467_200_000, entropy: "a".repeat(32) }
      yield* Effect.gen(function* () {
        const store = yield* LedgerStore
        const [one, two] = [yield* store.create(START), yield* store.create(START)]
        assert.notEqual(one.id, two.id)
        yield* one.session.dispatch(say("one"))
        yield* two.session.dispatch(say("two"))
        const three = yield* store.create(START)
        assert.equal(new Set([one.id, two.id, three.id]).size, 3)
      }).pipe(Effect.scoped, Effect.provide(ledgersOn(disk, { stamp: Effect.succeed(frozen) })))
    }),
  )

  it.effect("makes the folder that was open to others private", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [`${SESSIONS}/old.jsonl`]: session("old") })
      disk.setMode(SESSIONS, 0o755)
      disk.setMode(`${SESSIONS}/old.jsonl`, 0o644)
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const old = yield* store.open("old")
          assert.equal(disk.lstat(SESSIONS)?.mode, 0o755)
          yield* old.session.dispatch(say("hello"))
          assert.equal(disk.lstat(SESSIONS)?.mode, 0o700)
          assert.equal(disk.lstat(`${SESSIONS}/old.jsonl`)?.mode, 0o600)
          disk.setMode(SESSIONS, 0o777)
          yield* (yield* store.create(START)).session.dispatch(say("hello"))
          assert.equal(disk.lstat(SESSIONS)?.mode, 0o700)
        }),
      )
    }),
  )
})

describe("the id of a ledger session", () => {
  for (const id of ["../x", "../../outside", "", "a/b", "a.b", "a b", "x".repeat(81), "..", "\u0000"]) {
    it.effect(`cannot be ${JSON.stringify(id.slice(0, 20))}`, () =>
      run(
        new SimulatedDisk({ "/home/dev/project/.garuda/x.jsonl": session("x") }),
        Effect.gen(function* () {
          const store = yield* LedgerStore
          for (const attempt of [
            store.open(id),
            store.read(id),
            store.resume(id),
            store.setTitle(id, "t"),
            store.remove(id),
            store.fork(id),
          ]) {
            const error = yield* Effect.flip(Effect.scoped(attempt as Effect.Effect<unknown, { _tag: string }>))
            assert.equal(error._tag, "LedgerStoreError")
          }
        }),
      ),
    )
  }

  it.effect("of a missing session is told from a wrong one", () =>
    run(
      new SimulatedDisk(),
      Effect.gen(function* () {
        const error = yield* Effect.flip((yield* LedgerStore).read("20260101-000000-abcd"))
        assert.equal(error._tag, "ReadError")
        assert.equal(error.reason.code, "read.not_found")
      }),
    ),
  )
})

describe("a resume", () => {
  it.effect("goes on in the same file, with a resume record and the calls closed that a crash left open", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      const id = yield* run(
        disk,
        Effect.gen(function* () {
          const { session, id } = yield* (yield* LedgerStore).create(START)
          yield* session.dispatch(say("look"))
          yield* session.dispatch({ do: "reserve", requestId: "r1", tokens: 300 })
          yield* session.dispatch(answer(text("Looking."), call("c1")))
          return id
        }),
      )
      const path = `${SESSIONS}/${id}.jsonl`
      const before = disk.text(path) ?? ""
      yield* run(
        disk,
        Effect.gen(function* () {
          const { session, repairs } = yield* (yield* LedgerStore).resume()
          assert.deepEqual(repairs, [
            { kind: "reservation-charged", count: 300 },
            { kind: "open-call-closed", count: 1 },
          ])
          assert.equal(disk.text(path), before)
          const state = yield* session.state
          assert.equal(messages(state).length, 3)
          assert.equal(usedTokens(state.accounting), 315)
          yield* session.dispatch(say("go on"))
          assert.isTrue((disk.text(path) ?? "").startsWith(before))
          assert.deepEqual(typesIn(disk, path).slice(4), ["resume", "unreported", "tool_results", "user"])
          const { state: replayed } = yield* (yield* LedgerStore).read(id)
          assert.deepEqual(messages(replayed), messages(yield* session.state))
        }),
      )
    }),
  )

  it.effect("is refused in another directory, with both named", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [`${SESSIONS}/s.jsonl`]: session("s").replaceAll(ROOT, "/elsewhere") })
      yield* run(
        disk,
        Effect.gen(function* () {
          const error = yield* Effect.flip((yield* LedgerStore).resume("s"))
          assert.equal(error._tag, "Rejected")
          const message = error._tag === "Rejected" ? error.rejection.message : ""
          assert.include(message, "/elsewhere")
          assert.include(message, ROOT)
          // It has given the lease back.
          yield* (yield* LedgerStore).open("s")
        }),
      )
    }),
  )

  it.effect("of nothing says so", () =>
    run(
      new SimulatedDisk(),
      Effect.gen(function* () {
        const error = yield* Effect.flip((yield* LedgerStore).resume())
        assert.equal(error._tag === "LedgerStoreError" && error.reason.code, "ledger.no_session")
      }),
    ),
  )

  it.effect("puts a torn tail aside and goes on at a line of its own", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [`${SESSIONS}/s.jsonl`]: `${session("s")}{"t":"2026-01-01T00:00:01.000Z","type":"us` })
      yield* run(
        disk,
        Effect.gen(function* () {
          const { session } = yield* (yield* LedgerStore).resume("s")
          yield* session.dispatch(say("hello"))
        }),
      )
      assert.deepEqual(typesIn(disk, `${SESSIONS}/s.jsonl`), ["start", "resume", "user"])
    }),
  )
})

describe("what an agent knows of files", () => {
  it.effect("is forgotten when calls are closed and when a turn is undone, but not what it has seen", () =>
    run(
      new SimulatedDisk(),
      Effect.gen(function* () {
        const { session, files } = yield* (yield* LedgerStore).create(START)
        yield* session.dispatch({ do: "snapshot", tree: "t", prompt: "p", durationMs: 1 })
        yield* session.dispatch(say("p"))
        assert.isFalse(yield* files.noteRead("a.ts", "x", 0, 10))
        assert.isTrue(yield* files.noteRead("a.ts", "x", 0, 10))
        yield* files.record("a.ts", "x")
        yield* session.dispatch({ do: "undo", after: "u" })
        assert.isFalse(yield* files.noteRead("a.ts", "x", 0, 10))
        assert.equal(yield* files.status("a.ts", "x"), "current")
        assert.equal(yield* files.status("a.ts", "y"), "changed")
        assert.equal(yield* files.status("b.ts", "y"), "unread")
      }),
    ),
  )
})

describe("secrets", () => {
  const SECRET = ["correct", "horse", "battery"].join("-")

  it.effect("stay in the state and out of the file, which says what is missing where", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* run(
        disk,
        Effect.gen(function* () {
          const { session, path } = yield* (yield* LedgerStore).create(START)
          yield* session.dispatch(say(`the key is ${SECRET}`))
          yield* session.dispatch({ do: "title", title: `about ${SECRET}` })
          assert.include(JSON.stringify(messages(yield* session.state)), SECRET)
          assert.notInclude(disk.text(path) ?? "", SECRET)
          const [, user] = records(disk, path)
          const marks = (user?.["redacted"] ?? []) as ReadonlyArray<{ at: string }>
          assert.deepEqual(
            marks.map(({ at }) => at),
            ["/message/content/0/text"],
          )
        }),
        { API_TOKEN: SECRET },
      )
    }),
  )

  it.effect("are known to the live state too: a resume in the same process does what the replay of the file does", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const { session, id } = yield* store.create(START)
          const thought = { type: "thinking", text: "hm", wire: { type: "thinking", thinking: "hm", signature: "s" } }
          yield* session.dispatch(answer(thought, text("first")))
          yield* session.dispatch(say(`the key is ${SECRET}`))
          yield* session.dispatch(answer(thought, text("second")))
          yield* session.dispatch({ do: "resume" })
          const contents = (state: LedgerState) => messages(state).map(({ content }) => content.map(({ type }) => type))
          const live = yield* session.state
          assert.deepEqual(contents(live), [["thinking", "text"], ["text"], ["text"]])
          assert.deepEqual(contents((yield* store.read(id)).state), contents(live))
        }),
        { API_TOKEN: SECRET },
      )
    }),
  )

  it.effect("are known block by block: what is left of an answer without its thoughts is as redacted live as in the file", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const { session, id } = yield* store.create(START)
          const thought = { type: "thinking", text: "hm", wire: { type: "thinking", thinking: "hm", signature: "s" } }
          const cited = { ...text(`the key is ${SECRET}`), citations: [{ url: "https://a.example", title: "a" }] }
          yield* session.dispatch(say("what is the key?"))
          yield* session.dispatch(answer(thought, cited))
          yield* session.dispatch({ do: "model", model: "m2" })
          yield* session.dispatch({ do: "resume" })
          const blocks = (state: LedgerState) => messages(state)[1]?.content.map((block) => Object.keys(block))
          const live = yield* session.state
          assert.deepEqual(blocks(live), [["type", "text"]])
          assert.deepEqual(blocks((yield* store.read(id)).state), blocks(live))
        }),
        { API_TOKEN: SECRET },
      )
    }),
  )
})
