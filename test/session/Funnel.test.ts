/** Every way to the disk, by example: a real folder with everything that a store leaves in it, and what law SEC-5 once found. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ROOT, SESSIONS } from "../../laws/arbitraries/ledgerStore.ts"
import { FOLDER } from "../../laws/arbitraries/store.ts"
import { run } from "../../laws/FunnelWorld.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { Lease } from "../../src/lease/Lease.ts"
import { layer } from "../../src/node.ts"
import { LedgerFiles } from "../../src/session/LedgerFiles.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import { filesBelow, nodeDisk, Oracle } from "../../src/testing.ts"

const SECRET = ["swordfish", "4711", "and", "more"].join("-")
const oracle = new Oracle([{ name: "secret", text: SECRET }])

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "annals-funnel-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

/** Evidence of an owner on another machine: only force takes its lease. */
const FOREIGN = {
  v: 1,
  attempt: "theirs",
  pid: 1,
  startTicks: "1",
  bootId: "00000000-0000-4000-8000-000000000001",
  pidNs: "pid:[1]",
  timeNs: "time:[1]",
  machine: "0".repeat(32),
  host: "nas",
  isolate: "00000000-0000-4000-8000-000000000002",
  since: "2026-01-01T00:00:00.000Z",
  lock: null,
}

/** A photograph with the secret in its description, large enough for a blob. */
const photograph = Buffer.concat([Buffer.alloc(900, 0x81), Buffer.from(`by ${SECRET}`), Buffer.alloc(900, 0x82)]).toString(
  "base64",
)

const talk = (home: string) =>
  Effect.gen(function* () {
    const store = yield* TreeStore
    const { session, path } = yield* store.create({ cwd: `/w/${SECRET}`, title: SECRET, path: join(home, "store", "s.jsonl") })
    const content = [
      { type: "text", text: `it is ${SECRET}` },
      { type: "image", mimeType: "image/png", data: photograph },
    ]
    yield* session.dispatch({ do: "message", message: { role: "user", content } })
    yield* session.dispatch({ do: "message", message: { role: "assistant", content: [{ type: "text", text: SECRET }] } })
    yield* session.close
    truncateSync(path, readFileSync(path).length - 20)
    const again = yield* store.open(path)
    yield* again.session.dispatch({ do: "star", on: true })
    const copy = yield* store.fork(path)
    const open = yield* store.open(copy.path)
    yield* open.session.dispatch({ do: "title", title: SECRET, source: "user" })
  })

const ledger = (home: string) =>
  Effect.gen(function* () {
    const files = yield* LedgerFiles
    const about = { root: join(home, SECRET), model: SECRET }
    const { session, path } = yield* files.createIn(join(home, ".garuda", "sessions"), about, { isStored: true })
    yield* session.dispatch({ do: "user", text: `use ${SECRET}` })
    yield* (yield* files.createChild(path, SECRET, about, { isStored: true })).session.dispatch({ do: "title", title: SECRET })
    yield* session.close
    yield* files.export(path, { root: home })
  })

const taken = (home: string) =>
  Effect.gen(function* () {
    const path = join(home, "store", "forced.jsonl")
    mkdirSync(join(home, "store"), { recursive: true, mode: 0o700 })
    writeFileSync(join(home, "store", ".forced.jsonl.owner.3.json"), JSON.stringify(FOREIGN))
    yield* (yield* Lease).acquire(path, { force: { reason: `ask ${SECRET}`, by: SECRET } })
    const evidence = readFileSync(join(home, "store", ".forced.jsonl.owner.4.json"), "utf8")
    assert.include(evidence, "ask [REDACTED:environment]")
  })

describe("a folder of the machine", () => {
  it.live("holds no secret in journals, quarantine, blobs, locks, evidence, documents and names", () =>
    Effect.gen(function* () {
      const home = yield* folder
      yield* Effect.all([taken(home), talk(home), ledger(home)]).pipe(
        Effect.scoped,
        Effect.provide(layer({ environment: { API_TOKEN: SECRET }, home })),
      )
      const { sightings, unread, files } = oracle.searchDisk(nodeDisk, home)
      assert.deepEqual([sightings, unread], [[], []])
      const names = Array.from(filesBelow(nodeDisk, home), ({ path }) => path)
      for (const kind of [/\.jsonl$/, /\.lock$/, /\.owner\.\d+\.json$/, /quarantine/, /blobs\/[0-9a-f]{64}$/, /garuda-.*\.md$/])
        assert.isTrue(
          names.some((name) => kind.test(name)),
          `no file like ${kind}`,
        )
      assert.isAtLeast(files, 12)
    }),
  )
})

describe("what is made one line, quoted or cut", () => {
  const MANIFEST = "kind: Secret\nstringData:\n  config: ab1Cd2Ef3Gh4Ij5Kl6\n"
  const manifest = new Oracle([{ name: "config", text: "ab1Cd2Ef3Gh4Ij5Kl6" }])

  it.effect("a title of many lines: a secret that only its lines give away goes before they become one", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk()
      yield* Effect.promise(() =>
        run(disk, { environment: {}, from: 0 }, () =>
          Effect.gen(function* () {
            const store = yield* TreeStore
            const { session } = yield* store.create({
              cwd: "/w",
              title: MANIFEST,
              path: `${FOLDER}/s.jsonl`,
              persist: "immediately",
            })
            yield* session.dispatch({ do: "title", title: `again\n${MANIFEST}`, source: "user" })
          }),
        ),
      )
      assert.include(disk.text(`${FOLDER}/s.jsonl`), "[REDACTED:kubernetes-secret]")
      assert.deepEqual(manifest.searchDisk(disk, "/").sightings, [])
    }),
  )

  it.effect("a document of another agent's ledger: a secret goes before it is quoted", () =>
    Effect.gen(function* () {
      const records = [
        { t: "2026-01-01T00:00:00.000Z", type: "start", sessionId: "x", root: ROOT, model: "m" },
        { t: "2026-01-01T00:00:01.000Z", type: "user", message: { role: "user", content: [{ type: "text", text: MANIFEST }] } },
      ]
      const source = `${SESSIONS}/x.jsonl`
      const disk = new SimulatedDisk({ [source]: records.map((record) => `${JSON.stringify(record)}\n`).join("") })
      yield* Effect.promise(() =>
        run(disk, { environment: {}, from: 0 }, () =>
          Effect.flatMap(LedgerFiles, (files) => files.export(source, { root: ROOT, to: "x.md" })),
        ),
      )
      assert.include(disk.text(`${ROOT}/x.md`), "config: [REDACTED:kubernetes-secret]")
      assert.deepEqual(
        manifest.searchDisk(disk, ROOT).sightings.map(({ path }) => path),
        [source],
      )
    }),
  )

  it.effect("the name of a subagent's file: it is the same for all secrets", () =>
    Effect.gen(function* () {
      const names = yield* Effect.forEach([SECRET, "another-8642-and-more"], (secret) => {
        const disk = new SimulatedDisk()
        return Effect.as(
          Effect.promise(() =>
            run(disk, { environment: { API_TOKEN: secret }, from: 0 }, () =>
              Effect.gen(function* () {
                const files = yield* LedgerFiles
                const { path } = yield* files.createIn(SESSIONS, { root: ROOT, model: "m" }, { isStored: true })
                const child = yield* files.createChild(path, `explore ${secret}`, { root: ROOT, model: "m" }, { isStored: true })
                yield* child.session.dispatch({ do: "title", title: "t" })
              }),
            ),
          ),
          disk,
        )
      })
      const [first, second] = names.map((disk) => disk.paths().filter((path) => path.includes("subagent-")))
      assert.lengthOf(first ?? [], 1)
      assert.deepEqual(first, second)
    }),
  )
})
