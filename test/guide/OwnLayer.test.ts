/** The code of docs/guide/hold-your-own-layer-to-the-laws.md, run; and the faults that the laws of journals and sessions find. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import {
  dsk2,
  inMemory,
  journalOnDisk,
  jrn6,
  type Law,
  layerSubject,
  lse1,
  type OpenSession,
  rpl1,
  type SessionSubject,
  stg1,
} from "../../laws/index.ts"
import {
  BlobStore,
  type CleanLine,
  type Disk,
  DiskFault,
  Files,
  type JournalShape,
  type JsonObject,
  Lease,
  makeRedactor,
  Redaction,
  type SessionModel,
  SessionStorage,
  systemStamp,
  TreeStore,
  WriteError,
  Writer,
} from "../../src/index.ts"
import * as Memory from "../../src/memory.ts"
import { chaosDisk, nodeDisk } from "../../src/testing.ts"

/** One file, written and synced before `append` returns. */
const ownJournal = (disk: Disk, path: string): Effect.Effect<JournalShape> =>
  Effect.sync(() => {
    const file = disk.open(path, "append")
    const lines: Array<CleanLine> = []
    let durable = { count: 0, bytes: 0 }
    let failure: WriteError | undefined
    const save = (): void => {
      const bytes = new TextEncoder().encode(
        lines
          .slice(durable.count)
          .map(({ text }) => `${text}\n`)
          .join(""),
      )
      try {
        // What a write that failed has left is taken back first.
        disk.truncate(file, durable.bytes)
        for (let done = 0; done < bytes.length; ) done += disk.write(file, bytes.subarray(done))
        disk.sync(file)
        durable = { count: lines.length, bytes: durable.bytes + bytes.length }
        failure = undefined
      } catch (cause) {
        if (!(cause instanceof DiskFault)) throw cause
        const { code: system, operation } = cause
        const place = { path, offset: durable.bytes, system, operation }
        failure = new WriteError({ reason: { _tag: "Torn", code: "write.torn", ...place } })
      }
    }
    const unlessFailed = Effect.suspend(() => (failure === undefined ? Effect.void : Effect.fail(failure)))
    const append = (more: ReadonlyArray<CleanLine>) =>
      Effect.sync(() => {
        lines.push(...more)
        save()
        return lines.length
      })
    return {
      append: (more) => Effect.andThen(unlessFailed, append(more)),
      reached: (seq) => Effect.suspend(() => (seq <= durable.count ? Effect.void : unlessFailed)),
      flush: unlessFailed,
      unsaved: Effect.sync(() => lines.slice(durable.count)),
      failure: Effect.sync(() => failure),
      recover: Effect.andThen(Effect.sync(save), unlessFailed),
    }
  })

const journalLaw = jrn6(journalOnDisk(ownJournal))

/** Acknowledges a line before it is there. */
const hasty = (disk: Disk, path: string) =>
  Effect.map(ownJournal(disk, path), (journal) => ({ ...journal, reached: () => Effect.void }))

const notes: SessionModel<ReadonlyArray<string>, string, JsonObject, "empty"> = {
  initial: [],
  decide: (_, note) => (note === "" ? Result.fail("empty") : Result.succeed([{ type: "note", text: note }])),
  evolve: (state, record) => (typeof record["text"] === "string" ? [...state, record["text"]] : state),
  codec: { decode: (json) => json, encode: (record) => record },
}

const session: SessionSubject<ReadonlyArray<string>, string, JsonObject, "empty"> = {
  open: inMemory(notes),
  commands: fc.array(fc.string().map((note) => (state: ReadonlyArray<string>) => (state.includes(note) ? "" : note))),
  observe: (state) => state,
}

const sessionLaw = rpl1(session)

/** What a law says of what it judges; undefined when it holds. */
const verdict = async (law: Law, runs: number, seed?: number): Promise<string | undefined> => {
  try {
    await law.check({ runs, seed })
    return undefined
  } catch (broken) {
    return String(broken instanceof Error ? (broken.cause ?? broken) : broken)
  }
}

const folder = mkdtempSync(join(tmpdir(), "annals-own-layer-"))

let made = 0
const fresh = (): string => join(folder, `${++made}`)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const diskLaw = dsk2({ disk: nodeDisk, folder: fresh })

/** Cuts to whole blocks of four bytes. */
const rounding: Disk = {
  ...nodeDisk,
  truncate: (handle, length) => nodeDisk.truncate(handle, length - (length % 4)),
}

const storageLaw = stg1({ layer: SessionStorage.layerFile, folder: fresh })
const leaseLaw = lse1(layerSubject(Lease.layerMemory, fresh))

const storeOn = (disk: Disk) =>
  TreeStore.layer({ home: folder, environment: {}, stamp: systemStamp }).pipe(
    Layer.provide(Layer.mergeAll(Writer.layerInline(disk), Lease.layerMemory, BlobStore.layerMemory)),
    Layer.provide(Layer.mergeAll(Files.layerOf(disk), Redaction.layer({ environment: {} }))),
  )

/** An agent that says ten things and goes on whatever it is told. Returns what was acknowledged. */
const agent = Effect.fnUntraced(function* (path: string) {
  const store = yield* TreeStore
  const { session } = yield* store.create({ cwd: "/work", path })
  const acknowledged: Array<string> = []
  for (let n = 1; n <= 10; n++) {
    const content = `message ${n}`
    const done = yield* Effect.result(session.dispatch({ do: "message", message: { role: "user", content } }))
    if (Result.isSuccess(done)) acknowledged.push(content)
    else yield* Effect.ignore(session.recover)
  }
  return acknowledged
})

/** What was acknowledged and is not in the file once, and what the disk did. */
const chaos = async (seed: number, run: typeof agent) => {
  const path = `${fresh()}.jsonl`
  let stalls = 0
  const disk = chaosDisk(nodeDisk, { seed, every: 10, stall: () => stalls++ })
  const work = Effect.scoped(run(path)).pipe(Effect.provide(storeOn(disk)))
  const acknowledged = Result.getOrElse(await Effect.runPromise(Effect.result(work)), () => [])
  const file = existsSync(path) ? readFileSync(path, "utf8") : ""
  const lost = acknowledged.filter((content) => file.split(JSON.stringify(content)).length !== 2)
  return { acknowledged, lost, stalls, log: disk.log }
}

describe("a journal", () => {
  it("of a host's own is held to the law, and found out when it acknowledges too early", async () => {
    assert.isUndefined(await verdict(journalLaw, 200))
    assert.match((await verdict(jrn6(journalOnDisk(hasty)), 200, 1)) ?? "", /were acknowledged, not all are there/)
  })

  it("in memory is held to the law", async () => {
    const world = () =>
      Effect.map(Memory.make, (journal) => ({
        journal,
        kept: () => Effect.map(journal.lines, (lines) => lines.map(({ text }) => text)),
      }))
    assert.isUndefined(await verdict(jrn6({ world }), 200))
  })

  /** A file in the care of a writer that syncs when it is asked. */
  const inCare = (disk: Disk, path: string): Effect.Effect<JournalShape, unknown, Scope.Scope> =>
    Effect.gen(function* () {
      const services = yield* Layer.build(Writer.layerInline(disk, { durability: "written" }))
      const stat = disk.lstat(path) ?? assert.fail("no file")
      return yield* Context.get(services, Writer).open({ path, identity: stat, length: stat.size })
    })

  const faults: ReadonlyArray<readonly [what: string, change: (journal: JournalShape) => Partial<JournalShape>, RegExp]> = [
    ["calls written what it was only given", () => ({ reached: () => Effect.void }), /not all are there/],
    [
      "calls synced what is only written",
      ({ reached }) => ({ reached: (seq) => reached(seq, "written") }),
      /as synced: \d+ lines/,
    ],
    ["calls flushed what is only written", () => ({ flush: Effect.void }), /as synced: \d+ lines/],
    [
      "reorders",
      ({ append }) => ({ append: (lines) => append(lines.toReversed()) }),
      /not the end of what was accepted|never handed over/,
    ],
    ["repeats", ({ append }) => ({ append: (lines) => Effect.andThen(append(lines), append(lines)) }), /accepted as number 2/],
    ["leaves one out", ({ append }) => ({ append: (lines) => append(lines.slice(1)) }), /accepted as number/],
    [
      "counts each time anew",
      ({ append }) => ({ append: (lines) => Effect.as(append(lines), lines.length) }),
      /accepted as number/,
    ],
    [
      "swallows a failure",
      ({ reached }) => ({ reached: (seq, level) => Effect.ignore(reached(seq, level)) }),
      /not all are there/,
    ],
    ["tells no failure", () => ({ failure: Effect.succeed(undefined) }), /no failure/],
    [
      "goes on behind a failure",
      ({ append, recover }) => ({
        append: (lines) => Effect.catch(append(lines), () => Effect.andThen(recover, append(lines))),
      }),
      /took lines behind a failure|the first failure was/,
    ],
    ["forgets what is unsaved", () => ({ unsaved: Effect.succeed([]) }), /as synced: \d+ lines|among the unsaved/],
    [
      "shows what is unsaved in another order",
      ({ unsaved }) => ({ unsaved: Effect.map(unsaved, (lines) => lines.toReversed()) }),
      /not the end of what was accepted/,
    ],
    [
      "writes twice when it recovers",
      ({ append, recover, unsaved }) => ({
        recover: Effect.flatMap(unsaved, (lines) => Effect.andThen(recover, Effect.asVoid(append(lines)))),
      }),
      /never handed over|number/,
    ],
    ["never acknowledges", () => ({ reached: () => Effect.never }), /no answer within/],
    ["does not recover", () => ({ recover: Effect.void }), /still latched/],
  ]

  for (const [what, change, complaint] of faults) {
    it(`that ${what} breaks the law`, async () => {
      const faulty = (disk: Disk, path: string) =>
        Effect.map(inCare(disk, path), (journal) => ({ ...journal, ...change(journal) }))
      assert.match((await verdict(jrn6(journalOnDisk(faulty, { patience: 5_000 })), 300, 1)) ?? "it holds", complaint)
    })
  }
})

describe("a session", () => {
  it("of a host's own model is held to the law", async () => {
    assert.isUndefined(await verdict(sessionLaw, 100))
  })

  type Open = OpenSession<ReadonlyArray<string>, string, JsonObject, "empty">
  const opened = (change: (open: Open) => Partial<Open>): typeof session.open =>
    Effect.map(inMemory(notes), (open) => ({ ...open, ...change(open) }))
  const withModel = (change: Partial<typeof notes>): typeof session.open => inMemory({ ...notes, ...change })
  const differs = /the replay of the journal is not the live state/

  const faults: ReadonlyArray<readonly [what: string, open: () => typeof session.open, RegExp]> = [
    [
      "whose codec drops a member",
      () => withModel({ codec: { ...notes.codec, encode: ({ type = "" }) => ({ type }) } }),
      differs,
    ],
    [
      "whose codec reads something else",
      () => withModel({ codec: { ...notes.codec, decode: (json) => ({ ...json, text: String(json["text"]).trim() }) } }),
      differs,
    ],
    [
      "whose model remembers outside its state",
      () => {
        let seen = 0
        return withModel({ evolve: (state, record) => [...notes.evolve(state, record), String(seen++)] })
      },
      differs,
    ],
    [
      "whose model does not read a record that it has written",
      () => {
        const known = new WeakSet<JsonObject>()
        return withModel({
          decide: (state, note, stamp) =>
            Result.map(notes.decide(state, note, stamp), (records) => {
              for (const record of records) known.add(record)
              return records
            }),
          evolve: (state, record) => (known.has(record) ? notes.evolve(state, record) : state),
        })
      },
      differs,
    ],
    [
      "that loses the last record",
      () => opened(({ replayed }) => ({ replayed: Effect.map(replayed, (state) => state.slice(0, -1)) })),
      differs,
    ],
    [
      "whose state shows a secret that the journal does not",
      () => {
        const redactor = makeRedactor({ environment: {}, secrets: ["hunter2-hunter2"] })
        return Effect.map(inMemory(notes, redactor), ({ session, replayed }) => ({
          replayed,
          session: { ...session, dispatch: (note, level) => session.dispatch(`${note} hunter2-hunter2`, level) },
        }))
      },
      differs,
    ],
    [
      "that a refused command changes",
      () =>
        opened(({ session }) => {
          let refused = 0
          const dispatch: Open["session"]["dispatch"] = (note, level) =>
            Effect.tapError(session.dispatch(note, level), () => Effect.sync(() => refused++))
          return {
            session: { ...session, dispatch, state: Effect.map(session.state, (state) => (refused > 0 ? [...state] : state)) },
          }
        }),
      /a command that wrote nothing changed the state/,
    ],
  ]

  for (const [what, open, complaint] of faults) {
    it(`${what} breaks the law`, async () => {
      assert.match((await verdict(rpl1({ ...session, open: open() }), 200, 1)) ?? "it holds", complaint)
    })
  }
})

describe("a disk", () => {
  it("is held to the law, and found out when it rounds", async () => {
    assert.isUndefined(await verdict(diskLaw, 50))
    assert.match((await verdict(dsk2({ disk: rounding, folder: fresh }), 400, 1)) ?? "it holds", /\((truncate|stat|lstat|read)\)/)
  })
})

describe("a storage and a lease", () => {
  it("are held to their laws", async () => {
    assert.isUndefined(await verdict(storageLaw, 5))
    assert.isUndefined(await verdict(leaseLaw, 50))
  })
})

describe("an agent on the chaos disk", () => {
  const seeds = Array.from({ length: 25 }, (_, seed) => seed)

  it("has everything that it was told is kept, once", async () => {
    const runs = []
    for (const seed of seeds) runs.push(await chaos(seed, agent))
    assert.deepEqual(
      runs.flatMap(({ lost }) => lost),
      [],
    )
    assert.isAbove(runs.flatMap(({ acknowledged }) => acknowledged).length, 50)
    assert.includeMembers(
      runs.flatMap(({ log }) => log.map(({ did }) => did)),
      ["refused", "tore", "stalled"],
    )
    assert.isAbove(Math.max(...runs.map(({ stalls }) => stalls)), 0)
  })

  it("is found out when it takes a refusal for an acknowledgement", async () => {
    const careless: typeof agent = Effect.fnUntraced(function* (path: string) {
      const store = yield* TreeStore
      const { session } = yield* store.create({ cwd: "/work", path })
      const said = Array.from({ length: 10 }, (_, n) => `message ${n}`)
      for (const content of said) yield* Effect.ignore(session.dispatch({ do: "message", message: { role: "user", content } }))
      return said
    })
    const lost = []
    for (const seed of seeds) lost.push(...(await chaos(seed, careless)).lost)
    assert.isNotEmpty(lost)
  })

  it("meets the same faults with the same seed", async () => {
    const [one, other] = [await chaos(3, agent), await chaos(3, agent)]
    const faults = ({ log }: typeof one) => log.map(({ step, operation, did }) => [step, operation, did])
    assert.deepEqual(faults(one), faults(other))
  })
})
