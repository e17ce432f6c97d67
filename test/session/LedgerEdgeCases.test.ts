import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Disk } from "../../src/disk/Disk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { messages } from "../../src/ledger/State.ts"
import { LedgerFiles } from "../../src/session/LedgerFiles.ts"
import { LedgerStore } from "../../src/session/LedgerStore.ts"
import { SESSIONS } from "./Ledger.ts"
import { at, codeOf, leaseAfter, lines, run, SECRET, SECRETS, START, said, say, started } from "./LedgerCases.ts"

describe("an id with a secret in it", () => {
  it.effect("is not in the name of a subagent's file, and two of them have two files", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p") })
      const ids = [SECRET, `explore-${SECRET}`, `${SECRET}/x`, `${"y".repeat(45)}-${SECRET}`]
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          for (const id of ids) yield* (yield* store.createChild("p", id, START)).session.dispatch(say("task"))
          assert.equal((yield* store.children("p")).length, ids.length)
        }),
        SECRETS,
      )
      assert.notInclude(disk.paths().join("\n"), "correct")
      for (const name of disk.list(at("p"))) assert.match(name, /^subagent-[0-9a-f]{12}\.jsonl$/)
    }),
  )
})

describe("a project whose directory bears a secret", () => {
  it.effect("goes on with its sessions, and other projects do not", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      const begun = yield* run(
        disk,
        Effect.gen(function* () {
          const { session, path } = yield* (yield* LedgerFiles).createIn(SESSIONS, { ...START, root: `/w/${SECRET}` })
          yield* session.dispatch(say("one"))
          return path
        }),
        SECRETS,
      )
      assert.notInclude(disk.text(begun) ?? "", SECRET)
      yield* run(
        disk,
        Effect.gen(function* () {
          const files = yield* LedgerFiles
          const { session } = yield* files.resume(begun, { root: `/w/${SECRET}` })
          yield* session.dispatch(say("two"))
          assert.equal((yield* session.state).start?.root, `/w/${SECRET}`)
          yield* session.close
          assert.equal(yield* codeOf(Effect.scoped(files.resume(begun, { root: "/w/other" }))), "Rejected")
        }),
        SECRETS,
      )
      assert.notInclude(disk.text(begun) ?? "", SECRET)
    }),
  )
})

describe("a title and a prompt", () => {
  it.effect("are free of secrets before they are cut, so that no half of one is left", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p") })
      const words = "open sesame and close sesame"
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          yield* store.setTitle("p", `${"x".repeat(40)} ${words}`)
          const { session } = yield* store.open("p")
          yield* session.dispatch({ do: "snapshot", tree: "t", prompt: `${"x".repeat(60)} ${words}`, durationMs: 1 })
        }),
        { environment: { MY_PASSWORD: words } },
      )
      assert.notInclude(disk.text(at("p.jsonl")) ?? "", "sesame")
    }),
  )
})

describe("a file under another name than its session", () => {
  it.effect("goes by the name of the file: title, subagents and removal are its own", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("a.jsonl")]: started("a"), [at("copy.jsonl")]: started("a") })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const open = yield* store.open("copy")
          assert.equal(open.id, "copy")
          yield* open.session.close
          yield* store.setTitle(open.id, "the copy")
          assert.equal(disk.text(at("a.jsonl")), started("a"))
          yield* store.remove(open.id)
          assert.deepEqual(disk.list(SESSIONS), ["a.jsonl"])
        }),
      )
    }),
  )
})

describe("a removal", () => {
  const beside = [
    "p.jsonl.quarantine-3-9",
    "p.jsonl.2026-01-01T00-00-00-000Z.quarantine",
    "p.jsonl.2026-01-01T00-00-00-000Z.backup",
    ".p.jsonl.tmp",
    "p/c.jsonl.quarantine-3-9",
    "p/.c.jsonl.quarantine-3-9.tmp",
    "p/.gone.jsonl.tmp",
  ]

  it.effect("takes along what was put aside, and what attempts that were cut off have left", () =>
    Effect.gen(function* () {
      const kept = ["pp.jsonl", "pp.jsonl.quarantine-1-2", "q.jsonl", ".p.jsonl.lock"]
      const names = [
        ...beside,
        ...kept,
        "p.jsonl",
        "p/c.jsonl",
        "p/.c.jsonl.lock",
        "p/.c.jsonl.owner.json",
        "p/.c.jsonl.owner.tmp",
      ]
      const disk = new SimulatedDisk(Object.fromEntries(names.map((name) => [at(name), started("p")])))
      yield* run(
        disk,
        Effect.gen(function* () {
          const plan = yield* (yield* LedgerFiles).planRemoval(at("p.jsonl"))
          assert.deepEqual([...plan.aside].sort(), beside.map(at).sort())
          assert.deepEqual(yield* (yield* LedgerStore).remove("p"), plan)
        }),
      )
      assert.deepEqual(disk.list(SESSIONS), [...kept].sort())
    }),
  )

  it.effect("that was cut behind the last subagent clears the folder when it is carried on", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p"), [at("p/.c.jsonl.lock")]: "" })
      yield* run(
        disk,
        Effect.flatMap(LedgerStore, (store) => store.remove("p")),
      )
      assert.deepEqual(disk.list(SESSIONS), [])
    }),
  )

  it.effect("takes the subagents of a session whose file somebody has removed before them", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p/c.jsonl")]: started("c"), [at("q.jsonl")]: started("q") })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          assert.deepEqual((yield* store.remove("p")).children, [at("p/c.jsonl")])
          assert.equal(yield* codeOf(store.remove("p")), "read.not_found")
        }),
      )
      assert.deepEqual(disk.list(SESSIONS), ["q.jsonl"])
    }),
  )

  it.effect("waits for nobody: while the session is open it is refused, and so is a title", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p") })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          yield* store.open("p")
          assert.equal(yield* codeOf(store.remove("p")), "lease.held")
          assert.equal(yield* codeOf(store.setTitle("p", "t")), "lease.held")
          assert.equal(yield* codeOf(Effect.scoped(store.resume("p"))), "lease.held")
        }),
      )
      assert.equal(disk.text(at("p.jsonl")), started("p"))
    }),
  )
})

describe("the time of a file", () => {
  it.effect("stays what it was when a title could not be written", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p") })
      disk.setModified(at("p.jsonl"), 1_700_000_000_000_000_000n)
      const before = disk.lstat(at("p.jsonl"))?.modified
      disk.fail((call) => call.operation === "write", "ENOSPC", { short: 10 })
      yield* run(
        disk,
        Effect.gen(function* () {
          assert.equal(yield* codeOf((yield* LedgerStore).setTitle("p", "t")), "write.not_written")
        }),
      )
      assert.equal(disk.text(at("p.jsonl")), started("p"))
      assert.equal(disk.lstat(at("p.jsonl"))?.modified, before)
    }),
  )

  it.effect("does not hide that the end of the file is another one", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: `${started("p")}{"t":"x` })
      const before = disk.lstat(at("p.jsonl"))?.modified
      yield* run(
        disk,
        Effect.flatMap(LedgerStore, (store) => store.setTitle("p", "t")),
      )
      assert.notEqual(disk.lstat(at("p.jsonl"))?.modified, before)
    }),
  )
})

describe("a copy", () => {
  it.effect("keeps the marks of what was redacted before, and numbers as they were written", () =>
    Effect.gen(function* () {
      const mark = '"redacted":[{"kind":"github-token","at":"/message/content/1/text"}]'
      const text = lines(said(`it is ${SECRET}`)).replace('"type":"user"', `"type":"user","n":1.0,${mark}`)
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p") + text })
      yield* run(
        disk,
        Effect.gen(function* () {
          const { path } = yield* (yield* LedgerStore).fork("p")
          const copy = disk.text(path) ?? ""
          assert.include(copy, '"n":1.0')
          assert.deepEqual(
            (JSON.parse(copy.split("\n")[1] ?? "") as { redacted: ReadonlyArray<{ at: string }> }).redacted.map((one) => one.at),
            ["/message/content/1/text", "/message/content/0/text"],
          )
          assert.notInclude(copy, SECRET)
        }),
        SECRETS,
      )
    }),
  )

  it.effect("of a file without a session takes no name", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("empty.jsonl")]: "" })
      yield* run(
        disk,
        Effect.gen(function* () {
          const files = yield* LedgerFiles
          assert.equal(yield* codeOf(files.fork(at("empty.jsonl"))), "format.empty")
          assert.equal(yield* codeOf(files.fork(at("empty.jsonl"), "/elsewhere/x.jsonl")), "format.empty")
        }),
      )
      assert.deepEqual(disk.list(SESSIONS), ["empty.jsonl"])
      assert.isUndefined(disk.lstat("/elsewhere"))
    }),
  )
})

describe("somebody who comes in between", () => {
  it.effect("and empties the file before the lease is taken is noticed", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p") })
      yield* run(
        disk,
        Effect.gen(function* () {
          assert.equal(yield* codeOf(Effect.scoped((yield* LedgerStore).open("p"))), "format.empty")
        }),
        { lease: leaseAfter((path) => disk.put(path, "")) },
      )
    }),
  )

  it.effect("and goes on with the session before the lease is taken is read", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p") })
      yield* run(
        disk,
        Effect.gen(function* () {
          const { session } = yield* (yield* LedgerStore).resume("p")
          assert.equal(messages(yield* session.state).length, 1)
        }),
        { lease: leaseAfter((path) => disk.put(path, started("p", said("meanwhile")))) },
      )
    }),
  )

  it.effect("and writes without a lease is never written over", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: started("p") })
      const others = started("p", said("meanwhile"))
      yield* run(
        disk,
        Effect.gen(function* () {
          const { session } = yield* (yield* LedgerStore).resume("p")
          disk.put(at("p.jsonl"), others)
          assert.equal(yield* codeOf(session.dispatch(say("mine"))), "open.changed")
        }),
      )
      assert.equal(disk.text(at("p.jsonl")), others)
    }),
  )

  it.effect("and makes the file of a fresh id before its lease is taken keeps it, and the lease is free", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      let theirs: string | undefined
      const lease = leaseAfter((path) => {
        if (theirs !== undefined) return
        theirs = path
        disk.put(path, started("theirs"))
      })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const { session, path } = yield* store.create(START)
          yield* session.dispatch(say("mine"))
          assert.notEqual(path, theirs)
          assert.equal(disk.text(theirs ?? ""), started("theirs"))
          yield* (yield* LedgerFiles).open(theirs ?? "")
        }),
        { lease },
      )
    }),
  )
})

describe("a file without a usable record", () => {
  it.effect("is resumed when it is told its model, and goes by its name then", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [at("p.jsonl")]: lines({ t: "2026-01-01T00:00:00.000Z", type: "of the future" }) })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          assert.isUndefined(yield* store.latest)
          assert.equal(yield* codeOf(Effect.scoped(store.resume("p"))), "Rejected")
          const { session } = yield* store.resume("p", START)
          yield* session.dispatch(say("hello"))
          assert.equal((yield* store.read("p")).state.start?.sessionId, "p")
          assert.equal(yield* store.latest, "p")
        }),
      )
    }),
  )
})

describe("a session of another program, which marks nothing", () => {
  const thinking = { type: "thinking", text: "hm", wire: { type: "thinking", thinking: "hm", signature: "c2ln" } }
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
  const response = { content: [thinking, { type: "text", text: "a" }], stopReason: "end_turn", usage }
  const talk = [said("the key is [REDACTED]"), { t: "2026-01-03T00:00:00.000Z", type: "assistant", step: 1, response }]

  for (const [name, isMarked, blocks] of [
    ["is searched for the marker", false, 1],
    ["is not searched once it says that it has marks", true, 2],
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const text = started("p", ...talk)
        const disk = new SimulatedDisk({
          [at("p.jsonl")]: isMarked ? text.replace('"model":"m"', '"model":"m","redactionMarks":true') : text,
        })
        yield* run(
          disk,
          Effect.gen(function* () {
            const { session } = yield* (yield* LedgerStore).resume("p")
            assert.equal(messages(yield* session.state)[1]?.content.length, blocks)
          }),
        )
      }),
    )
  }
})

describe("a list", () => {
  it.effect("reads the ends of files and no more", () =>
    Effect.gen(function* () {
      const long = started("s", said("x".repeat(400_000)), said("late"))
      const disk = new SimulatedDisk(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [at(`s${n}.jsonl`), long])))
      let bytes = 0
      const counted: Disk = {
        ...disk,
        read: (handle, into, position) => {
          const count = disk.read(handle, into, position)
          bytes += count
          return count
        },
      }
      yield* run(
        counted,
        Effect.gen(function* () {
          assert.equal(yield* (yield* LedgerStore).latest, "s9")
          assert.equal((yield* (yield* LedgerFiles).list(SESSIONS)).sessions.length, 40)
        }),
      )
      assert.isAtMost(bytes, 2 * 40 * 65_536)
    }),
  )

  it.effect("knows that a time with milliseconds may be later than one without", () =>
    run(
      new SimulatedDisk({
        [at("a.jsonl")]: started("a", { ...said("x"), t: "2026-01-02T00:00:00.500Z" }),
        [at("b.jsonl")]: started("b", { ...said("x"), t: "2026-01-02T00:00:00Z" }),
      }),
      Effect.gen(function* () {
        assert.equal(yield* (yield* LedgerStore).latest, "a")
      }),
    ),
  )
})
