/** The code of docs/guide/embed-with-effect.md, run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { afterAll, assert, describe, it } from "vitest"
import {
  BlobStore,
  Files,
  follow,
  Lease,
  type OpenTree,
  Redaction,
  systemStamp,
  type TreeSession,
  TreeStore,
  Writer,
} from "../../src/index.ts"
import { loadNative } from "../../src/native.ts"
import * as Node from "../../src/node.ts"
import * as Plain from "../../src/promise.ts"
import { SimulatedDisk } from "../../src/testing.ts"
import { buildSessionContext, type TreeCommand } from "../../src/tree.ts"

const home = mkdtempSync(join(tmpdir(), "annals-guide-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

// Drawn, not written down: a literal that looks like a credential has no place in a source file.
const token = Array.from({ length: 32 }, (_, n) => "k3Zq8Vw1"[(n * 5) % 8]).join("")
const environment = {}

const say = (content: string): TreeCommand => ({ do: "message", message: { role: "user", content } })

const begin = Effect.gen(function* () {
  const store = yield* TreeStore
  const { session, path } = yield* store.create({ cwd: "/home/me/project", title: "first steps" })
  yield* session.dispatch(say(`my token is ${token}`))
  return path
})

const goOn = (path: string) =>
  Effect.gen(function* () {
    const store = yield* TreeStore
    const { session } = yield* store.open(path)
    yield* session.dispatch(say("and now?"))
    const context = yield* Effect.fromResult(buildSessionContext(yield* session.state))
    return context.messages
  })

const levels = (session: TreeSession) =>
  Effect.gen(function* () {
    const receipt = yield* session.dispatch(say("one"), "accepted")
    yield* receipt.reached("written")
    yield* receipt.reached("synced")
    return receipt.records
  })

const watch = (session: TreeSession, show: (line: string) => void) =>
  session.changes.pipe(
    Stream.runForEach(({ records, state }) =>
      Effect.sync(() => show(`${records.length} record(s), ${state.entries.length} entries`)),
    ),
    Effect.forkScoped({ startImmediately: true }),
  )

const tail = (path: string, writerIsGone: Effect.Effect<void>, show: (line: string) => void) =>
  Effect.flatMap(Files, (disk) =>
    follow(disk, path, { from: "start", until: writerIsGone }).pipe(
      Stream.runForEach((item) => Effect.sync(() => show(item._tag === "Record" ? item.record.raw : item._tag))),
    ),
  )

const watchPlainly = async (path: string, signal: AbortSignal, show: (item: Plain.FollowItem) => void): Promise<void> => {
  const { follow } = Plain
  for await (const item of follow(path, { signal })) show(item)
}

const passOn = (open: OpenTree, send: (attempt: string) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lease = yield* Lease
    const offer = yield* lease.held(open.path)?.offer({ millis: 30_000 }) ?? Effect.die("not open here")
    yield* send(offer.attempt)
    yield* open.session.close
  })

const takeOver = (path: string, attempt: string) =>
  Effect.gen(function* () {
    const store = yield* TreeStore
    return yield* store.open(path, { offer: attempt }).pipe(
      Effect.retry({
        while: (error) => error._tag === "LeaseError" && error.reason._tag === "Held",
        schedule: Schedule.spaced("20 millis"),
      }),
    )
  })

const durably = (session: TreeSession, command: TreeCommand) =>
  Effect.gen(function* () {
    const receipt = yield* session.dispatch(command, "accepted")
    const again = Effect.andThen(session.recover, receipt.reached("synced"))
    yield* receipt.reached("synced").pipe(Effect.catchTag("WriteError", () => again))
    return receipt
  })

const storeOn = (disk: SimulatedDisk) =>
  TreeStore.layer({ home: "/home/me", environment: {}, stamp: systemStamp }).pipe(
    Layer.provide(Layer.mergeAll(Files.layerOf(disk), Writer.layerInline(disk), Lease.layerMemory, BlobStore.layerMemory)),
    Layer.provide(Redaction.layer({ environment: {} })),
  )

describe("a host through layers", () => {
  it("starts a session, goes on with it, and writes no secret", async () => {
    const runtime = ManagedRuntime.make(Node.layer({ home, environment, secrets: [token] }))
    const path = await runtime.runPromise(Effect.scoped(begin))
    const messages = await runtime.runPromise(Effect.scoped(goOn(path)))
    await runtime.dispose()

    assert.deepEqual(
      messages.map(({ content }) => content),
      ["my token is [REDACTED:registered]", "and now?"],
    )
    const lines = readFileSync(path, "utf8").split("\n")
    assert.lengthOf(lines, 4)
    assert.notInclude(lines.join("\n"), token)
  })

  it("locks by the native port, and keeps out one that locks by SQLite", async () => {
    const runtime = ManagedRuntime.make(Node.layer({ native: await loadNative() }))
    const path = join(home, "native.jsonl")
    const story = Effect.gen(function* () {
      const { session } = yield* (yield* TreeStore).create({ cwd: "/w", path })
      yield* session.dispatch(say("mine"))
      const other = Effect.flatMap(TreeStore, (store) => store.open(path)).pipe(Effect.scoped, Effect.flip)
      return yield* other.pipe(Effect.provide(Node.layer({ home, environment })))
    })
    const refused = await runtime.runPromise(Effect.scoped(story))
    await runtime.dispose()
    assert.nestedPropertyVal(refused, "reason.code", "lease.held")
  })

  it("waits for levels and watches changes", async () => {
    const seen: Array<string> = []
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* TreeStore
          const { session } = yield* store.create({ cwd: "/w", path: join(home, "levels.jsonl") })
          const watching = yield* watch(session, (line) => seen.push(line))
          assert.lengthOf(yield* levels(session), 1)
          yield* session.dispatch({ do: "star", on: true })
          yield* session.close
          yield* Fiber.await(watching)
        }),
      ).pipe(Effect.provide(Node.layer({ home, environment }))),
    )
    assert.deepEqual(seen, ["1 record(s), 1 entries", "1 record(s), 1 entries"])
  })

  it("follows a session that another runtime writes", async () => {
    const path = join(home, "followed.jsonl")
    const shown: Array<string> = []
    const writing = Effect.gen(function* () {
      const store = yield* TreeStore
      const { session } = yield* store.create({ cwd: "/w", path })
      for (const text of ["one", "two", "three"]) yield* session.dispatch(say(text))
      yield* session.close
    }).pipe(Effect.scoped, Effect.provide(Node.layer({ home, environment })))
    await Effect.runPromise(
      Effect.gen(function* () {
        const gone = yield* Deferred.make<void>()
        const following = yield* Effect.forkChild(tail(path, Deferred.await(gone), (line) => shown.push(line)))
        yield* writing
        yield* Deferred.succeed(gone, undefined)
        yield* Fiber.join(following)
      }).pipe(Effect.provide(Node.layer({ home, environment }))),
    )
    assert.deepEqual(shown, readFileSync(path, "utf8").split("\n").slice(0, -1))
  })

  it("follows a session by a plain iteration, until it is told to end", async () => {
    const path = join(home, "plain.jsonl")
    const controller = new AbortController()
    const shown: Array<string> = []
    const following = watchPlainly(path, controller.signal, ({ _tag }) => {
      if (shown.push(_tag) === 2) controller.abort()
    })
    writeFileSync(path, '{"a":1}\n{"b":2}\n')
    await following
    assert.deepEqual(shown, ["Record", "Record"])
  })

  it("passes a session on, and nobody gets in between", async () => {
    const path = join(home, "passed.jsonl")
    const other = () => Node.layer({ home, environment })
    const stranger = TreeStore.use((store) => Effect.scoped(store.open(path)).pipe(Effect.provide(other(), { local: true })))
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const open = yield* (yield* TreeStore).create({ cwd: "/w", path })
          yield* open.session.dispatch(say("one"))
          const given = yield* Deferred.make<string>()
          const taking = yield* Effect.forkChild(
            Deferred.await(given).pipe(
              Effect.flatMap((attempt) => takeOver(path, attempt)),
              Effect.flatMap(({ session }) => Effect.andThen(session.dispatch(say("two")), session.state)),
              Effect.scoped,
              Effect.provide(other(), { local: true }),
            ),
          )
          yield* passOn(open, (attempt) => Deferred.succeed(given, attempt))
          assert.equal((yield* Fiber.join(taking)).entries.length, 2)

          const again = yield* (yield* TreeStore).open(path)
          yield* passOn(again, () => Effect.void)
          const refused = yield* Effect.flip(stranger)
          assert.equal(refused._tag === "LeaseError" && refused.reason.code, "lease.offered")
        }),
      ).pipe(Effect.provide(other())),
    )
  })

  it("latches on a full disk and is recovered from", async () => {
    const disk = new SimulatedDisk()
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* TreeStore
          const { session } = yield* store.create({ cwd: "/w", path: "/sessions/one.jsonl" })
          yield* session.dispatch(say("before"))

          disk.fail((call) => call.operation === "write", "ENOSPC", { sticky: true })
          const failure = yield* Effect.flip(durably(session, say("kept")))
          assert.equal(failure._tag === "WriteError" && failure.reason.code, "write.not_written")
          const lines = yield* session.unsaved
          assert.lengthOf(lines, 1)

          disk.heal()
          yield* session.recover
          yield* durably(session, say("after"))
          assert.lengthOf(yield* session.unsaved, 0)
        }),
      ).pipe(Effect.provide(storeOn(disk))),
    )
    assert.lengthOf((disk.text("/sessions/one.jsonl") ?? "").split("\n"), 5)
  })
})
