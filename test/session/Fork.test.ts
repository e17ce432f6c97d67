import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { stored } from "../../laws/arbitraries/lines.ts"
import { FOLDER, HOME, storeOn } from "../../laws/arbitraries/store.ts"
import { SimulatedDisk } from "../../src/disk/SimulatedDisk.ts"
import { TreeStore } from "../../src/session/TreeStore.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import { buildSessionContext } from "../../src/tree/Context.ts"
import { labels } from "../../src/tree/Tree.ts"

const PATH = `${FOLDER}/session.jsonl`
const say = (content: string): TreeCommand => ({ do: "message", message: { role: "user", content } })

/** root, then two branches of one entry each; the label on the root is set in the branch that is left. */
const twoBranches = Effect.gen(function* () {
  const store = yield* TreeStore
  const { session } = yield* store.create({ cwd: "/w", path: PATH, title: "Two ways" })
  yield* session.dispatch(say("root"))
  const root = (yield* session.state).leaf ?? ""
  yield* session.dispatch(say("one way"))
  yield* session.dispatch({ do: "label", target: root, label: "start" })
  yield* session.dispatch({ do: "branch", to: root })
  yield* session.dispatch(say("other way"))
  const leaf = (yield* session.state).leaf ?? ""
  yield* session.close
  return { store, root, leaf, source: yield* store.load(PATH) }
})

const run = <A, E>(disk: SimulatedDisk, body: Effect.Effect<A, E, TreeStore | import("effect/Scope").Scope>) =>
  body.pipe(Effect.scoped, Effect.provide(storeOn(disk)))

describe("a fork", () => {
  it.effect("holds every branch under another id, names its parent, and leaves the source alone", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { store, source } = yield* twoBranches
        const bytes = stored(disk, PATH)
        const forked = yield* store.fork(PATH)
        assert.equal(stored(disk, PATH), bytes)
        assert.isTrue(forked.path.startsWith(`${HOME}/.annals/sessions/`))
        const fork = yield* store.load(forked.path)
        assert.equal(fork.state.entries.length, source.state.entries.length)
        assert.equal(fork.state.leaf, source.state.leaf)
        assert.equal(fork.state.header?.["id"], forked.id)
        assert.equal(fork.state.header?.["parentSession"], source.state.header?.["id"])
        assert.equal(fork.state.header?.["title"], "Two ways")
        const open = yield* store.open(forked.path)
        yield* open.session.dispatch(say("goes on"))
      }),
    )
  })

  it.effect("never replaces a file", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { store } = yield* twoBranches
        const error = yield* Effect.flip(store.fork(PATH, { path: PATH }))
        assert.equal(error._tag === "PrepareError" && error.reason._tag, "Exists")
      }),
    )
  })
})

describe("branching out", () => {
  it.effect("takes one path, with the label that was set elsewhere", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { store, root, leaf, source } = yield* twoBranches
        const { path } = yield* store.branchOut(PATH, leaf)
        const own = yield* store.load(path)
        assert.deepEqual(own.damages, [])
        assert.equal(own.state.entries.length, 3, "root, other way, and the label")
        assert.deepEqual([...labels(own.state)], [[root, "start"]])
        assert.deepEqual(buildSessionContext(own.state, leaf), buildSessionContext(source.state, leaf))
        assert.equal(own.state.header?.["parentSession"], PATH)
      }),
    )
  })

  it.effect("is refused for a leaf that does not exist, and makes no file", () => {
    const disk = new SimulatedDisk()
    return run(
      disk,
      Effect.gen(function* () {
        const { store } = yield* twoBranches
        const names = disk.paths().join()
        const error = yield* Effect.flip(store.branchOut(PATH, "no such entry"))
        assert.equal(error._tag, "Rejected")
        assert.equal(disk.paths().join(), names)
      }),
    )
  })
})
