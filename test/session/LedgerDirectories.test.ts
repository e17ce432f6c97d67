import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { Lease } from "../../src/lease/Lease.ts"
import { LedgerStore } from "../../src/session/LedgerStore.ts"
import { ledgersOn, SESSIONS } from "./Ledger.ts"
import { codeOf, run, START, say, started } from "./LedgerCases.ts"

describe("with real files and locks", () => {
  it.effect("a removal leaves the lock of the session and nothing else", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "ledger-"))),
      (root) =>
        Effect.gen(function* () {
          const store = yield* LedgerStore
          const parent = yield* store.create(START)
          yield* parent.session.dispatch(say("one"))
          const child = yield* store.createChild(parent.id, "explore-1", START)
          yield* child.session.dispatch(say("task"))
          assert.equal(yield* codeOf(store.remove(parent.id)), "lease.held")
          yield* child.session.close
          yield* parent.session.close
          assert.equal((yield* store.remove(parent.id)).children.length, 1)
          for (const name of readdirSync(join(root, ".garuda", "sessions")))
            assert.match(name, /^\.[\w-]+\.jsonl\.(lock|owner.*)$/)
          assert.deepEqual(yield* store.list(), { sessions: [], leftOut: [], more: 0 })
        }).pipe(
          Effect.scoped,
          Effect.provide(LedgerStore.layer({ root })),
          Effect.provide(ledgersOn(nodeDisk, { lease: Lease.layerFile({ clean: (text) => text }) })),
        ),
      (root) => Effect.sync(() => rmSync(root, { recursive: true })),
    ),
  )
})

describe("a directory of sessions", () => {
  it.effect("that is a file is told, and left as it is", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ [SESSIONS]: "mine" })
      yield* run(
        disk,
        Effect.gen(function* () {
          const store = yield* LedgerStore
          assert.equal(yield* codeOf(store.list()), "open.refused")
          const { session } = yield* store.create(START)
          assert.equal(yield* codeOf(session.dispatch(say("x"))), "open.refused")
        }),
      )
      assert.equal(disk.text(SESSIONS), "mine")
    }),
  )

  it.effect("has no session where there is a link to one", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "ledger-"))),
      (root) =>
        Effect.gen(function* () {
          const sessions = join(root, ".garuda", "sessions")
          mkdirSync(sessions, { recursive: true })
          writeFileSync(join(root, "theirs.jsonl"), started("theirs"))
          symlinkSync(join(root, "theirs.jsonl"), join(sessions, "p.jsonl"))
          const store = yield* LedgerStore
          assert.deepEqual((yield* store.list()).leftOut, [{ path: join(sessions, "p.jsonl"), code: "read.not_a_file" }])
          for (const attempt of [store.setTitle("p", "t"), store.fork("p"), store.remove("p"), Effect.scoped(store.open("p"))])
            assert.equal(yield* codeOf(attempt as ReturnType<typeof store.fork>), "read.not_a_file")
          assert.equal(readFileSync(join(root, "theirs.jsonl"), "utf8"), started("theirs"))
        }).pipe(Effect.provide(LedgerStore.layer({ root })), Effect.provide(ledgersOn(nodeDisk))),
      (root) => Effect.sync(() => rmSync(root, { recursive: true })),
    ),
  )

  for (const link of [".garuda", ".garuda/sessions", ".garuda/sessions/p"]) {
    it.effect(`is not written to through a link in place of ${link}`, () =>
      Effect.acquireUseRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "ledger-"))),
        (home) =>
          Effect.gen(function* () {
            const outside = join(home, "outside")
            const at = join(home, "project", link)
            mkdirSync(join(outside, "sessions"), { recursive: true })
            mkdirSync(join(at, ".."), { recursive: true })
            symlinkSync(outside, at)
            const sessions = join(home, "project", ".garuda", "sessions")
            writeFileSync(join(sessions, "p.jsonl"), started("p"))
            const before = readdirSync(outside, { recursive: true })
            yield* Effect.gen(function* () {
              const store = yield* LedgerStore
              const child = Effect.scoped(store.createChild("p", "explore-1", START))
              assert.equal(yield* codeOf(child), "open.refused")
              if (link.endsWith("/p")) return void (yield* store.remove("p"))
              for (const attempt of [
                Effect.scoped(store.create(START)),
                Effect.scoped(store.open("p")),
                Effect.scoped(store.resume("p")),
                store.setTitle("p", "t"),
                store.fork("p"),
                store.remove("p"),
              ])
                assert.equal(yield* codeOf(attempt as typeof child), "open.refused")
            }).pipe(Effect.provide(LedgerStore.layer({ root: join(home, "project") })), Effect.provide(ledgersOn(nodeDisk)))
            assert.deepEqual(readdirSync(outside, { recursive: true }), before)
          }),
        (home) => Effect.sync(() => rmSync(home, { recursive: true })),
      ),
    )
  }
})
