import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { LedgerFiles } from "../../src/session/LedgerFiles.ts"
import { LedgerStore } from "../../src/session/LedgerStore.ts"
import { records, run, SESSIONS, START, say, session, text, typesIn } from "./Ledger.ts"

describe("the sessions of a project", () => {
  const work = (t: string) => ({ t, type: "user", message: { role: "user", content: [text("hi")] } })

  it.effect("are listed by their last work, not by the times of their files, and titles are no work", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({
        [`${SESSIONS}/b.jsonl`]: session("b", work("2026-03-01T00:00:00.000Z")),
        [`${SESSIONS}/a.jsonl`]: session("a", work("2026-01-05T00:00:00.000Z"), {
          t: "2026-09-01T00:00:00.000Z",
          type: "title",
          title: "late",
        }),
        [`${SESSIONS}/c.jsonl`]: "no session\n",
        [`${SESSIONS}/bad name.jsonl`]: session("bad name"),
        [`${SESSIONS}/b/explore-1.jsonl`]: session("explore-1", work("2027-01-01T00:00:00.000Z")),
        [`${SESSIONS}/notes.txt`]: "x",
      })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const { sessions, leftOut, more } = yield* store.list()
          assert.deepEqual(
            sessions.map(({ id }) => id),
            ["b", "a"],
          )
          assert.deepEqual(
            sessions.map(({ summary }) => summary.title),
            ["hi", "late"],
          )
          assert.deepEqual(
            leftOut.map(({ code }) => code),
            ["ledger.bad_id", "format.not_a_session"],
          )
          assert.equal(more, 0)
          assert.equal(yield* store.latest, "b")
          assert.equal((yield* store.list(1)).more, 2)
          assert.deepEqual(
            (yield* store.children("b")).map(({ id }) => id),
            ["explore-1"],
          )
        }),
      )
    }),
  )

  it.effect("are found by their last work, however long the lines behind it are", () =>
    Effect.gen(function* () {
      const long = { t: "2026-04-01T00:00:00.000Z", type: "title", title: "x".repeat(200_000) }
      const disk = new SimulatedDisk({
        [`${SESSIONS}/b.jsonl`]: session("b", work("2026-03-01T00:00:00.000Z"), long),
        [`${SESSIONS}/a.jsonl`]: session("a", work("2026-02-01T00:00:00.000Z")),
      })
      yield* run(
        disk,
        Effect.gen(function* () {
          assert.equal(yield* (yield* LedgerStore).latest, "b")
        }),
      )
    }),
  )

  it.effect("are none where there is no directory", () =>
    run(
      new SimulatedDisk(),
      Effect.gen(function* () {
        const store = yield* LedgerStore
        assert.isUndefined(yield* store.latest)
        assert.deepEqual(yield* store.list(), { sessions: [], leftOut: [], more: 0 })
      }),
    ),
  )

  it.effect("keep their place and the time of their file when they get a title", () =>
    Effect.gen(function* () {
      const path = `${SESSIONS}/a.jsonl`
      const disk = new SimulatedDisk({ [path]: session("a", work("2026-01-05T00:00:00.000Z")) })
      disk.setModified(path, 1_700_000_000_123_456_000n)
      const { modified } = disk.lstat(path) ?? {}
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          assert.equal(yield* store.setTitle("a", " two\n lines "), "two lines")
          assert.equal(disk.lstat(path)?.modified, modified)
          assert.deepEqual(typesIn(disk, path), ["start", "user", "title"])
          assert.equal((yield* store.list()).sessions[0]?.summary.title, "two lines")
        }),
      )
    }),
  )
})

describe("subagents", () => {
  it.effect("have a file of their own beside their parent, whatever their ids are, and never the same", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [`${SESSIONS}/p.jsonl`]: session("p") })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const ids = ["explore-call_1", "agent-a/b-c1", "agent-a_b-c1", "../../x", "", "y".repeat(200), `${"y".repeat(199)}z`]
          const paths: Array<string> = []
          for (const id of ids) {
            const child = yield* store.createChild("p", id, START)
            yield* child.session.dispatch(say("task"))
            paths.push(child.path)
          }
          assert.equal(new Set(paths).size, ids.length)
          assert.equal(paths[0], `${SESSIONS}/p/explore-call_1.jsonl`)
          for (const path of paths) assert.match(path, new RegExp(`^${SESSIONS}/p/[A-Za-z0-9_-]{1,80}\\.jsonl$`))
          assert.equal(yield* store.latest, "p")
          assert.equal(records(disk, paths[3] ?? "")[0]?.["sessionId"], "../../x")
        }),
      )
    }),
  )

  it.effect("go with their parent when it is removed, and nothing else does", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({
        [`${SESSIONS}/p.jsonl`]: session("p"),
        [`${SESSIONS}/p/explore-1.jsonl`]: session("explore-1"),
        [`${SESSIONS}/q.jsonl`]: session("q"),
      })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          assert.equal((yield* store.remove("p")).children.length, 1)
          assert.deepEqual(
            disk.paths().filter((path) => path.startsWith(`${SESSIONS}/`)),
            [`${SESSIONS}/q.jsonl`],
          )
          assert.equal((yield* Effect.flip(store.remove("p")))._tag, "ReadError")
        }),
      )
    }),
  )

  it.effect("keep their parent from being removed when somebody put something else beside them", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({
        [`${SESSIONS}/p.jsonl`]: session("p"),
        [`${SESSIONS}/p/explore-1.jsonl`]: session("explore-1"),
        [`${SESSIONS}/p/notes.txt`]: "mine",
      })
      const before = disk.paths()
      yield* run(
        disk,
        Effect.gen(function* () {
          const error = yield* Effect.flip((yield* LedgerStore).remove("p"))
          assert.equal(error.reason.code, "ledger.unexpected")
        }),
      )
      assert.deepEqual(disk.paths(), before)
    }),
  )

  it.effect("keep their parent from being removed while one of them is at work", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [`${SESSIONS}/p.jsonl`]: session("p") })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const child = yield* store.createChild("p", "explore-1", START)
          yield* child.session.dispatch(say("task"))
          assert.equal((yield* Effect.flip(store.remove("p")))._tag, "LeaseError")
          yield* child.session.close
          yield* store.remove("p")
        }),
      )
    }),
  )

  it.effect("can be removed however a removal was cut before", () =>
    Effect.gen(function* () {
      const made = () =>
        new SimulatedDisk({
          [`${SESSIONS}/p.jsonl`]: session("p"),
          [`${SESSIONS}/p/explore-1.jsonl`]: session("explore-1"),
          [`${SESSIONS}/p/explore-2.jsonl`]: session("explore-2"),
        })
      const rehearsal = made()
      yield* run(
        rehearsal,
        Effect.flatMap(LedgerStore, (store) => store.remove("p")),
      )
      for (let step = 1; step <= rehearsal.operations; step++) {
        const disk = made()
        disk.crashAt(step)
        yield* Effect.exit(
          run(
            disk,
            Effect.flatMap(LedgerStore, (store) => store.remove("p")),
          ),
        )
        for (const image of [disk.crash((options) => options - 1), disk.crash(() => 0)]) {
          yield* Effect.exit(
            run(
              image,
              Effect.flatMap(LedgerStore, (store) => store.remove("p")),
            ),
          )
          assert.isUndefined(image.bytes(`${SESSIONS}/p.jsonl`))
          assert.isUndefined(image.bytes(`${SESSIONS}/p/explore-1.jsonl`))
          assert.isUndefined(image.bytes(`${SESSIONS}/p/explore-2.jsonl`))
        }
      }
    }),
  )
})

describe("a fork", () => {
  it.effect("has the same history under an id of its own, and leaves the source as it was", () =>
    Effect.gen(function* () {
      const raw = session("a", { t: "2026-01-01T00:00:01.000Z", type: "thinking", choice: "high", odd: 1 }).replace(
        '"odd":1',
        '"odd":1.0',
      )
      const disk = new SimulatedDisk({ [`${SESSIONS}/a.jsonl`]: raw })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const { id, path } = yield* store.fork("a")
          assert.equal(disk.text(`${SESSIONS}/a.jsonl`), raw)
          assert.equal(disk.text(path), raw.replace('"sessionId":"a"', `"sessionId":"${id}"`))
          yield* (yield* store.resume(id)).session.dispatch(say("on"))
        }),
      )
    }),
  )
})

describe("a file that is no ledger", () => {
  it.effect("is told by what it holds", () =>
    run(
      new SimulatedDisk({
        "/x/tree.jsonl": '{"type":"session","version":5,"id":"s","timestamp":"t","cwd":"/"}\n',
        "/x/words.jsonl": "words\n",
        "/x/empty.jsonl": "",
      }),
      Effect.gen(function* () {
        const files = yield* LedgerFiles
        const code = (path: string) => Effect.map(Effect.flip(files.open(path)), ({ reason }) => reason.code)
        assert.equal(yield* code("/x/tree.jsonl"), "format.is_tree")
        assert.equal(yield* code("/x/words.jsonl"), "format.not_a_session")
        assert.equal(yield* code("/x/empty.jsonl"), "format.empty")
      }),
    ),
  )
})
