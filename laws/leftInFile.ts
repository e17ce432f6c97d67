/** The law of a session that is written to while its records stay in its file: nobody can tell it from one that is in memory. */
import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import { refOf } from "../src/blob/BlobFolder.ts"
import { digestOf } from "../src/blob/BlobRef.ts"
import type { Disk } from "../src/disk/Disk.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { iterate } from "../src/model/Sequence.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import { buildSessionContext, contextOf } from "../src/tree/Context.ts"
import { follow, initialLiveContext } from "../src/tree/LiveContext.ts"
import { stateJson } from "../src/tree/Overview.ts"
import type { TreeState } from "../src/tree/State.ts"
import { stored } from "./arbitraries/lines.ts"
import { BLOBS, FOLDER, storeOn } from "./arbitraries/store.ts"
import { session, type Turn, turns } from "./arbitraries/tree.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { check, expectEqual, leavesOf } from "./Trees.ts"

const PATH = `${FOLDER}/session.jsonl`

const PICTURE = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])
/** A blob that is there, and one that is not. */
const REFERENCES = [refOf(PICTURE), refOf(new Uint8Array(1))] as const

/** A disk that counts what is read of the session's file. */
const counting = (disk: Disk): { readonly disk: Disk; readonly reads: () => number } => {
  let count = 0
  return {
    disk: new Proxy(disk, {
      get: (target, key) =>
        key === "read"
          ? (...given: Parameters<Disk["read"]>) => {
              if (given[0].path === PATH) count++
              return target.read(...given)
            }
          : Reflect.get(target, key, target).bind(target),
    }),
    reads: () => count,
  }
}

/** What somebody sees who looks at a state. */
const seen = (state: TreeState): unknown => ({
  json: stateJson(state),
  contexts: leavesOf(state).map((leaf) => buildSessionContext(state, leaf)),
  entries: [...iterate(state.entries)].map(({ id, parentId, type, index, record, source }) => [
    id,
    parentId,
    type,
    index,
    record,
    source,
  ]),
  patches: [...iterate(state.patches)],
  labels: [...iterate(state.labels)],
})

interface Ending {
  /** Of every state on the way what was seen at once, and the state. */
  readonly states: ReadonlyArray<readonly [seen: unknown, state: TreeState]>
  readonly exits: ReadonlyArray<string>
  readonly reads: number
  readonly file: string
}

const idsOf = (state: TreeState): ReadonlyArray<string> => [...iterate(state.entries)].map(({ id }) => id)

/** Opens the file, carries out the turns, closes. Undefined when it is refused. */
const live = async (text: string, sequence: ReadonlyArray<Turn>, heldFileBytes: number): Promise<Ending | undefined> => {
  const simulated = new SimulatedDisk({ [PATH]: text, [`${BLOBS}/${digestOf(REFERENCES[0])}`]: PICTURE })
  const { disk, reads } = counting(simulated)
  const body = Effect.gen(function* () {
    const store = yield* TreeStore
    const open = yield* Effect.exit(store.open(PATH))
    if (Exit.isFailure(open)) return undefined
    const { session } = open.value
    const states: Array<readonly [unknown, TreeState]> = []
    const exits: Array<string> = []
    let context = initialLiveContext
    let readBehindFirst = 0
    const look = (state: TreeState) => {
      context = follow(context, state)
      states.push([{ ...(seen(state) as object), live: contextOf(context.fold) }, state])
    }
    look(yield* session.state)
    for (const { command } of sequence) {
      const made = command(idsOf(yield* session.state))
      const before = reads()
      const exit = yield* Effect.exit(session.dispatch(made))
      // The first command that writes proves the end of the file.
      if (exits.includes("Success")) readBehindFirst += reads() - before
      exits.push(exit._tag)
      look(yield* session.state)
    }
    yield* session.close
    return { states, exits, reads: readBehindFirst, file: stored(simulated, PATH) }
  })
  return Effect.runPromise(Effect.scoped(body).pipe(Effect.provide(storeOn(disk, { heldFileBytes }))))
}

const message = (id: string, members: object): string =>
  JSON.stringify({ type: "message", id, parentId: null, timestamp: "2026-01-01T00:00:00.000Z", message: members })

/** An answer that must not keep a provider's history, and a message with images. */
const EXTRA: ReadonlyArray<string> = [
  message("history", {
    role: "assistant",
    content: [{ type: "thinking", thinking: "t", thinkingSignature: "s" }],
    providerPayload: { type: "openaiResponsesHistory" },
  }),
  message("images", {
    role: "user",
    content: REFERENCES.map((data) => ({ type: "image", data, mimeType: "image/png" })),
  }),
]

const leftInFile = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(session, turns, fc.subarray([...EXTRA]), async (given, sequence, extra) => {
    const [first, ...others] = given.lines.map(({ raw }) => raw)
    const lines = first === undefined ? [] : [first, ...extra, ...others]
    const text = lines.map((line) => `${line}\n`).join("")
    const [held, left] = [await live(text, sequence, Number.POSITIVE_INFINITY), await live(text, sequence, 0)]
    coverage.hit("refused", held === undefined)
    if (held === undefined || left === undefined) return check(held === left, "one of them was refused")
    held.states.forEach(([whatWasSeen], n) => {
      const [atOnce, state] = left.states[n] as Ending["states"][number]
      expectEqual(`state ${n}`, atOnce, whatWasSeen)
      // Also once its session is closed.
      expectEqual(`state ${n}, looked at afterwards`, seen(state), seen((held.states[n] as Ending["states"][number])[1]))
    })
    expectEqual("how the commands ended", left.exits, held.exits)
    expectEqual("the file", left.file, held.file)
    check(left.reads === 0, `${left.reads} reads by commands`)
    coverage.hit("records behind", left.exits.includes("Success"))
    coverage.hit("something to lose", left.file.includes('"entryId":"history"'))
    coverage.hit("images", JSON.stringify(held.states[0]?.[0]).includes(Buffer.from(PICTURE).toString("base64")))
    coverage.hit("no command", sequence.length === 0)
  })
  await fc.assert(property, parameters(budget))
  coverage.demand(budget, ["refused", "records behind", "something to lose", "images", "no command"], 100)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "IDX-4",
    sentence:
      "A session that is open for writing with its records left in the file has the states, the contexts, the answers to commands and the file of one that holds them, its states also after it is closed, and its commands read no record.",
    runs: 100,
    deepRuns: 10_000,
    check: leftInFile,
  },
]
