/** The code of docs/guide/bring-your-own-model.md, run. */
import { randomUUID } from "node:crypto"
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import { expectOpenCodec, rpl2, type Subject } from "../../laws/index.ts"
import {
  applyRepair,
  type Disk,
  Files,
  type JsonObject,
  Lease,
  makeRedactor,
  makeSession,
  planRepair,
  Redaction,
  readJournal,
  records,
  repairNames,
  replay,
  type SessionModel,
  systemStamp,
  Writer,
} from "../../src/index.ts"
import * as Memory from "../../src/memory.ts"
import * as Node from "../../src/node.ts"

interface Item {
  readonly id: string
  readonly text: string
  readonly isDone: boolean
}

type State = ReadonlyArray<Item>
type Command = { readonly do: "add"; readonly text: string } | { readonly do: "tick"; readonly id: string }
type Rejection = { readonly code: "empty_text" } | { readonly code: "unknown_item"; readonly id: string }

const decide: SessionModel<State, Command, JsonObject, Rejection>["decide"] = (state, command, stamp) => {
  const timestamp = new Date(stamp.at).toISOString()
  if (command.do === "add") {
    if (command.text === "") return Result.fail({ code: "empty_text" })
    return Result.succeed([{ type: "item_added", id: stamp.entropy.slice(0, 8), timestamp, text: command.text }])
  }
  const item = state.find(({ id }) => id === command.id)
  if (item === undefined) return Result.fail({ code: "unknown_item", id: command.id })
  return Result.succeed(item.isDone ? [] : [{ type: "item_ticked", id: item.id, timestamp }])
}

const evolve = (state: State, record: JsonObject): State => {
  const { type, id, text } = record
  if (type === "item_added" && typeof id === "string" && typeof text === "string") {
    return [...state, { id, text, isDone: false }]
  }
  if (type === "item_ticked") return state.map((item) => (item.id === id ? { ...item, isDone: true } : item))
  return state
}

const checklist: SessionModel<State, Command, JsonObject, Rejection> = {
  initial: [],
  decide,
  evolve,
  codec: { decode: (json) => json, encode: (record) => record },
}

const subject: Subject<State, Command, JsonObject, Rejection> = {
  name: "checklist",
  model: checklist,
  records: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("item_added"), id: fc.constantFrom("a", "b", "c"), text: fc.string() }),
      fc.record({ type: fc.constant("item_ticked"), id: fc.constantFrom("a", "b", "c") }),
      fc.dictionary(fc.constantFrom("type", "id", "text", "__proto__"), fc.oneof(fc.constant("item_added"), fc.integer())),
    ),
  ),
  observe: (state) => state.map(({ id, text, isDone }) => ({ id, text, isDone })),
}

const law = rpl2(subject)

const inMemory = Effect.gen(function* () {
  const journal = yield* Memory.make
  const session = yield* makeSession({
    model: checklist,
    redactor: makeRedactor({ environment: {} }),
    state: checklist.initial,
    stamp: systemStamp,
    open: Effect.succeed({ journal }),
  })
  yield* session.dispatch({ do: "add", text: "write the guide" })
  return yield* journal.lines
})

class NotReady extends Data.TaggedError("NotReady")<{ readonly cause: unknown }> {}

/** What the writer must know of a file: durable, at a line boundary, and which one it is. */
const ready = (disk: Disk, path: string) => {
  if (disk.lstat(path) === undefined) {
    disk.close(disk.open(path, "create"))
    disk.syncDirectory(dirname(path))
  }
  const plan = planRepair(readJournal(disk, path))
  Result.getOrThrow(applyRepair(disk, plan, repairNames(path, Date.now(), randomUUID())))
  const file = disk.open(path, "append")
  try {
    disk.sync(file)
    const { device, inode, size } = disk.stat(file)
    return { path, identity: { device, inode }, length: size }
  } finally {
    disk.close(file)
  }
}

const openFile = Effect.fnUntraced(function* (path: string) {
  const disk = yield* Files
  const writer = yield* Writer
  const lease = yield* Lease
  yield* lease.acquire(path)
  const isNew = disk.lstat(path) === undefined
  const found = isNew ? [] : yield* Stream.runCollect(records(disk, path))
  return yield* makeSession({
    model: checklist,
    redactor: yield* Redaction,
    state: replay(
      checklist,
      found.map(({ value }) => checklist.codec.decode(value)),
    ),
    stamp: systemStamp,
    open: Effect.gen(function* () {
      const start = yield* Effect.try({ try: () => ready(disk, path), catch: (cause) => new NotReady({ cause }) })
      return { journal: yield* writer.open(start) }
    }),
  })
})

const folder = mkdtempSync(join(tmpdir(), "annals-guide-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a model of one's own", () => {
  it("keeps the law of the fold", async () => {
    await law.check({ runs: law.runs })
  })

  it("has an open codec", () => {
    expectOpenCodec(checklist, { type: "item_moved", id: "a", to: 3, __note: { kept: true } })
  })

  it("is found out by the law when it changes the state that it was given", () => {
    const careless: typeof checklist = {
      ...checklist,
      evolve: (state, record) => {
        const next = evolve(state, record)
        return next === state ? state : (state as Array<Item>).splice(0, state.length, ...next) && state
      },
    }
    const broken = rpl2({ ...subject, model: careless })
    assert.throws(() => void broken.check({ runs: 300 }))
  })

  it("runs over a journal in memory", async () => {
    const lines = await Effect.runPromise(Effect.scoped(inMemory))
    assert.lengthOf(lines, 1)
    assert.include(JSON.parse(lines[0]?.text ?? ""), { type: "item_added", text: "write the guide" })
  })

  it("runs over a file, also after a crash has left a torn line", async () => {
    const path = join(folder, "checklist.jsonl")
    const runtime = Node.layer({ home: folder, environment: {} })
    const first = Effect.gen(function* () {
      const session = yield* openFile(path)
      yield* session.dispatch({ do: "add", text: "one" })
    })
    await Effect.runPromise(Effect.scoped(first).pipe(Effect.provide(runtime)))
    appendFileSync(path, '{"type":"item_added","id":"torn')
    const second = Effect.gen(function* () {
      const session = yield* openFile(path)
      const [item] = yield* session.state
      yield* session.dispatch({ do: "tick", id: item?.id ?? "" })
      const rejected = yield* Effect.flip(session.dispatch({ do: "tick", id: "nothing" }))
      assert.deepEqual(rejected._tag === "Rejected" && rejected.rejection, { code: "unknown_item", id: "nothing" })
      return yield* session.state
    })
    const state = await Effect.runPromise(Effect.scoped(second).pipe(Effect.provide(runtime)))
    assert.deepEqual(
      state.map(({ text, isDone }) => ({ text, isDone })),
      [{ text: "one", isDone: true }],
    )
    assert.lengthOf(readFileSync(path, "utf8").split("\n"), 3)
    assert.lengthOf(
      readdirSync(folder).filter((name) => name.endsWith(".quarantine")),
      1,
    )
  })
})
