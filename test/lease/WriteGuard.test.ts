/** A session on real files whose right to write is lost while it is open: nothing more is written, and nothing that was said is lost. */
import * as fs from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { BlobStore } from "../../src/blob/BlobStore.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { Files } from "../../src/disk/Files.ts"
import { nodeDisk } from "../../src/disk/NodeDisk.ts"
import type { Lease } from "../../src/lease/Lease.ts"
import { Redaction } from "../../src/redaction/Redaction.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { Writer } from "../../src/writer/Writer.ts"
import { stamps } from "../session/Ledger.ts"
import { Bench, withLocks, withoutLocks } from "./Bench.ts"

let bench: Bench

beforeEach(() => {
  bench = new Bench()
})

afterEach(() => bench.clear())

/** The disk of the machine, which notes what is looked at. */
const looking = (): { readonly disk: Disk; readonly looks: Array<string> } => {
  const looks: Array<string> = []
  return {
    looks,
    disk: {
      ...nodeDisk,
      lstat: (path) => {
        looks.push(path)
        return nodeDisk.lstat(path)
      },
    },
  }
}

const store = (lease: Layer.Layer<Lease>, disk: Disk = nodeDisk) =>
  TreeStore.layer({ home: bench.root, environment: {}, stamp: stamps() }).pipe(
    Layer.provide(Layer.mergeAll(Files.layerOf(disk), Writer.layerInline(disk), lease, BlobStore.layerMemory)),
    Layer.provide(Redaction.layer({ environment: {} })),
  )

const say = (content: string): TreeCommand => ({ do: "message", message: { role: "user", content } })

/** What is done to the lock or the evidence of a session that is open. */
const losses = [
  ["whose lock file is removed", withLocks, () => fs.rmSync(bench.lock)],
  [
    "whose lock file is replaced by a directory",
    withLocks,
    () => {
      fs.rmSync(bench.lock)
      fs.mkdirSync(bench.lock)
    },
  ],
  [
    "whose lock file is replaced by another file",
    withLocks,
    () => {
      fs.renameSync(bench.lock, join(bench.root, "aside"))
      fs.writeFileSync(bench.lock, "")
    },
  ],
  [
    "whose lock file is replaced by a link",
    withLocks,
    () => {
      fs.renameSync(bench.lock, join(bench.root, "aside"))
      fs.symlinkSync("aside", bench.lock)
    },
  ],
  [
    "whose evidence is removed where there are no locks",
    withoutLocks,
    () => fs.rmSync(join(bench.root, ".s.jsonl.owner.1.json")),
  ],
  [
    "that somebody takes where there are no locks",
    withoutLocks,
    () => bench.putEvidence(2, JSON.stringify({ ...bench.evidence, attempt: "another" })),
  ],
] as const

describe("a session", () => {
  test.each(losses)("%s writes nothing more, and keeps what it could not write", async (_, lease, lose) => {
    const story = Effect.gen(function* () {
      const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: bench.path })
      yield* session.dispatch(say("before"))
      const before = fs.readFileSync(bench.path, "utf8")
      lose()
      const failed = yield* Effect.flip(session.dispatch(say("after")))
      expect(failed).toMatchObject({ reason: { code: "write.lease_lost" } })
      expect(yield* Effect.flip(session.recover)).toMatchObject({ reason: { code: "write.lease_lost" } })
      expect((yield* session.unsaved).map(({ text }) => JSON.parse(text).message.content)).toEqual(["after"])
      expect(fs.readFileSync(bench.path, "utf8")).toBe(before)
    })
    await Effect.runPromise(Effect.scoped(story).pipe(Effect.provide(store(lease))))
  })

  test.each(losses)("%s before its first command changes no byte", async (_, lease, lose) => {
    const torn = '{"type":"session","version":5,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n{"type":"mess'
    fs.writeFileSync(bench.path, torn)
    const story = Effect.gen(function* () {
      const { session } = yield* (yield* TreeStore).open(bench.path)
      lose()
      expect(yield* Effect.flip(session.dispatch(say("never")))).toMatchObject({ reason: { code: "open.lease_lost" } })
      expect(fs.readFileSync(bench.path, "utf8")).toBe(torn)
      expect(bench.names.filter((name) => name.includes("quarantine"))).toEqual([])
    })
    await Effect.runPromise(Effect.scoped(story).pipe(Effect.provide(store(lease))))
  })

  test("goes on once the lock file that was moved away is back", async () => {
    const story = Effect.gen(function* () {
      const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: bench.path })
      yield* session.dispatch(say("before"))
      fs.renameSync(bench.lock, join(bench.root, "aside"))
      yield* Effect.flip(session.dispatch(say("after")))
      fs.renameSync(join(bench.root, "aside"), bench.lock)
      yield* session.recover
      expect(fs.readFileSync(bench.path, "utf8")).toMatch(/before.*\n.*after/)
    })
    await Effect.runPromise(Effect.scoped(story).pipe(Effect.provide(store(withLocks))))
  })

  test("is looked after once for each batch, not for each record", async () => {
    const { disk, looks } = looking()
    const story = Effect.gen(function* () {
      const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path: bench.path })
      yield* session.dispatch(say("first"))
      looks.length = 0
      for (let n = 0; n < 200; n++) yield* session.dispatch(say(`${n}`), "accepted")
      yield* session.flush
      const batches = looks.filter((path) => path === bench.path).length
      expect(batches).toBeGreaterThan(0)
      expect(batches).toBeLessThan(200)
      expect(looks.filter((path) => path === bench.lock).length).toBe(batches)
    })
    await Effect.runPromise(Effect.scoped(story).pipe(Effect.provide(store(withLocks, disk))))
  })
})
