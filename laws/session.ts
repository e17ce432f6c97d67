/** Laws of whole sessions: state against file, over everything from the command to the disk. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { toArray } from "../src/model/Sequence.ts"
import type { Redaction } from "../src/redaction/Redaction.ts"
import { makeRedactor } from "../src/redaction/Redactor.ts"
import type { LoadedTree } from "../src/session/Load.ts"
import { planTreeRepair } from "../src/session/RepairFile.ts"
import { type OpenTree, TreeStore } from "../src/session/TreeStore.ts"
import { buildSessionContext } from "../src/tree/Context.ts"
import type { TreeState } from "../src/tree/State.ts"
import { leaves } from "../src/tree/Tree.ts"
import { stored } from "./arbitraries/lines.ts"
import { FOLDER, readOnly, storeOn, written } from "./arbitraries/store.ts"
import { type Session, session, type Turn, turns } from "./arbitraries/tree.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { rpl1 } from "./sessionSubject.ts"

const PATH = `${FOLDER}/session.jsonl`

const run = <A, E>(
  disk: SimulatedDisk,
  body: Effect.Effect<A, E, TreeStore | Redaction | Scope.Scope>,
  options: Parameters<typeof storeOn>[1] = {},
): Promise<A> => Effect.runPromise(Effect.scoped(body).pipe(Effect.provide(storeOn(disk, options))))

const idsOf = (state: TreeState): ReadonlyArray<string> => toArray(state.entries).map(({ id }) => id)

const textOf = (lines: Session["lines"]): string => lines.map(({ raw }) => `${raw}\n`).join("")

/** Dispatches the turns, one by one, and says how many wrote something. */
const dispatchAll = (open: OpenTree, sequence: ReadonlyArray<Turn>, after: (seq: number) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    for (const { command } of sequence) {
      const made = command(idsOf(yield* open.session.state))
      const exit = yield* Effect.exit(open.session.dispatch(made, "synced"))
      if (Exit.isSuccess(exit)) yield* after(exit.value.seq)
    }
  })

const same = (what: string, actual: string, expected: string): void => {
  if (actual !== expected) throw new Error(`${what}\n  is     ${actual.slice(0, 4_000)}\n  not    ${expected.slice(0, 4_000)}`)
}

/** A secret that the environment holds, put where the generators put their words. */
const SECRET = ["hunter2", "correct", "horse"].join("-")

const environment = { API_TOKEN: SECRET }
const redactor = makeRedactor({ environment })

const liveAndFile = rpl1({
  open: Effect.gen(function* () {
    const services = yield* Layer.build(storeOn(new SimulatedDisk({ "/keep": "" }), { environment }))
    const store = Context.get(services, TreeStore)
    const { session } = yield* store.create({ cwd: `/w/${SECRET}`, path: PATH, title: `about ${SECRET}` })
    const replayed = Effect.map(store.load(PATH), ({ state, damages }) => {
      if (damages.length > 0) throw new Error(`the file is damaged: ${JSON.stringify(damages)}`)
      return state
    })
    return { session, replayed }
  }),
  commands: turns.map((sequence) =>
    sequence.map(
      ({ command }) =>
        (state: TreeState) =>
          command(idsOf(state)),
    ),
  ),
  observe: (state) => written(redactor, state),
  classes: (state) => (written(redactor, state).includes("[REDACTED") ? ["redacted"] : []),
  reaches: ["redacted", "refused"],
  runs: 100,
  deepRuns: 10_000,
})

/** The leaf after a branch, with and without entries behind it. */
const leafStays = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(turns, fc.nat(), (sequence, which) =>
    run(
      new SimulatedDisk(),
      Effect.gen(function* () {
        const store = yield* TreeStore
        const open = yield* store.create({ cwd: "/w", path: PATH })
        yield* dispatchAll(open, sequence, () => Effect.void)
        const before = yield* open.session.state
        const ids = idsOf(before)
        const to = ids[which % (ids.length + 1)] ?? null
        yield* open.session.dispatch({ do: "branch", to })
        yield* open.session.close
        // A session without a record has no file, and no leaf either.
        if (ids.length === 0) return
        const loaded = yield* store.load(PATH)
        same("the leaf", String(loaded.state.leaf), String(to))
        coverage.hit("no leaf", to === null)
        coverage.hit("an entry that is not the last", to !== null && to !== ids.at(-1))
        const again = yield* store.open(PATH)
        yield* again.session.dispatch({ do: "custom", customType: "behind" })
        const after = yield* again.session.state
        const last = after.entries.shared.items[after.entries.length - 1]
        same("the parent of the next entry", String(last?.parentId), String(to))
      }),
    ),
  )
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, ["no leaf", "an entry that is not the last"]))
}

const contexts = (state: TreeState): string => JSON.stringify(leaves(state).map((leaf) => buildSessionContext(state, leaf)))

/** What a first append does to any file of any version: nothing before it, and nothing lost by it. */
const firstAppend = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(session, async (given) => {
    const before = textOf(given.lines)
    const disk = new SimulatedDisk({ [PATH]: before })
    const bytes = stored(disk, PATH)
    const { loaded, again } = await run(
      disk,
      Effect.gen(function* () {
        const store = yield* TreeStore
        const loaded = yield* Effect.exit(store.load(PATH))
        const open = yield* Effect.exit(store.open(PATH, { migrate: true }))
        same("the file after opening", stored(disk, PATH), bytes)
        if (Exit.isFailure(open) || Exit.isFailure(loaded)) return { loaded: undefined, again: undefined }
        yield* open.value.session.dispatch({ do: "message", message: { role: "user", content: "one more" } })
        return { loaded: loaded.value, again: yield* store.load(PATH) }
      }),
    )
    coverage.hit("refused", loaded === undefined)
    if (loaded === undefined) return same("the file that was refused", stored(disk, PATH), bytes)
    coverage.hit(loaded.version === 5 ? "appended" : "migrated")
    checkKept(disk, bytes, loaded, again)
  })
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, ["refused", "appended", "migrated"], 100))
}

const checkKept = (disk: SimulatedDisk, bytes: string, loaded: LoadedTree, again: LoadedTree): void => {
  const kept = again.state.entries.length - 1
  const [old, now] = [idsOf(loaded.state), idsOf(again.state)]
  same("the ids", now.slice(0, kept).join(), old.join())
  for (const leaf of leaves(loaded.state)) {
    const of = (state: TreeState) => JSON.stringify(buildSessionContext(state, leaf))
    same(`the context at ${leaf}`, of(again.state), of(loaded.state))
  }
  if (loaded.version === 5) {
    const now = stored(disk, PATH)
    if (!now.startsWith(bytes)) throw new Error("the old bytes are not the beginning of the new file")
    return
  }
  same("the backup", stored(disk, `${PATH}.v${loaded.version}.bak`), bytes)
  if (again.version !== 5) throw new Error("the file was not migrated")
}

/** Opening, listing, showing and verifying, on a disk that refuses every change. */
const reading = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(
    session,
    fc.nat(),
    fc.oneof(fc.constant(0), fc.nat({ max: 60 })),
    async (given, from, nuls) => {
      const disk = new SimulatedDisk({ [PATH]: textOf(given.lines) })
      const bytes = new TextEncoder().encode(textOf(given.lines))
      const at = bytes.length === 0 ? 0 : from % bytes.length
      bytes.fill(0, at, at + nuls)
      disk.put(PATH, bytes)
      const guarded = readOnly(disk)
      const [before, names] = [disk.lstat(PATH), disk.paths().join()]
      await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* TreeStore
            const exit = yield* Effect.exit(store.load(PATH))
            if (Exit.isSuccess(exit)) {
              contexts(exit.value.state)
              planTreeRepair(guarded, PATH)
              coverage.hit("damaged", exit.value.damages.length > 0)
              coverage.hit("clean", exit.value.damages.length === 0)
              const open = yield* Effect.exit(store.open(PATH, { migrate: true }))
              if (Exit.isSuccess(open)) yield* open.value.session.close
              coverage.hit("opened and closed", Exit.isSuccess(open))
            }
          }),
        ).pipe(Effect.provide(storeOn(guarded))),
      )
      same("the file", JSON.stringify(disk.lstat(PATH), json), JSON.stringify(before, json))
      same("the names", disk.paths().join(), names)
      same("the bytes", stored(disk, PATH), Buffer.from(bytes).toString("latin1"))
    },
  )
  return fc
    .assert(property, parameters(budget))
    .then(() => coverage.demand(budget, ["damaged", "clean", "opened and closed"], 100))
}

const json = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)

/** The power is cut at any step of opening, migrating and appending; the next process goes on. */
const cut = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(
    session,
    fc.integer({ min: 0, max: 999 }),
    fc.infiniteStream(fc.nat()),
    fc.constantFrom("before" as const, "after" as const, 3, 40),
    async (given, where, choices, when) => {
      const bytes = textOf(given.lines)
      const rehearsal = new SimulatedDisk({ [PATH]: bytes })
      if (!(await appendThree(rehearsal, "rehearsal")).opened) return
      const disk = new SimulatedDisk({ [PATH]: bytes })
      disk.crashAt(1 + Math.floor((where * rehearsal.operations) / 1_000), when)
      const { names: acknowledged } = await appendThree(disk, "first")
      const image = disk.crash((n) => choices.next().value % n)
      const next = await appendThree(image, "next")
      coverage.hit("acknowledged before the cut", acknowledged.length > 0)
      coverage.hit("cut before anything was acknowledged", acknowledged.length === 0)
      if (next.names.length !== 3)
        throw new Error(`the file cannot be appended to after the cut: ${stored(image, PATH).slice(-300)}`)
      checkAfterCut(stored(image, PATH), acknowledged)
      const loaded = await run(
        image,
        Effect.flatMap(TreeStore, (store) => store.load(PATH)),
      )
      const before = await run(
        new SimulatedDisk({ [PATH]: bytes }),
        Effect.flatMap(TreeStore, (store) => store.load(PATH)),
      )
      same(
        "the entries that were there",
        idsOf(loaded.state).slice(0, before.state.entries.length).join(),
        idsOf(before.state).join(),
      )
    },
  )
  return fc
    .assert(property, parameters(budget))
    .then(() => coverage.demand(budget, ["acknowledged before the cut", "cut before anything was acknowledged"], 100))
}

const checkAfterCut = (content: string, acknowledged: ReadonlyArray<string>): void => {
  for (const name of acknowledged) {
    const times = content.split(`"${name}"`).length - 1
    if (times !== 1) throw new Error(`${name} was acknowledged and is there ${times} times`)
  }
}

/** A new session in a store that does not exist yet: its directories are as mortal as its file. */
const birth = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(
    fc.integer({ min: 0, max: 999 }),
    fc.infiniteStream(fc.nat()),
    fc.constantFrom("before" as const, "after" as const, 3, 40),
    async (where, choices, when) => {
      const rehearsal = new SimulatedDisk()
      await createThree(rehearsal)
      const disk = new SimulatedDisk()
      disk.crashAt(1 + Math.floor((where * rehearsal.operations) / 1_000), when)
      const acknowledged = await createThree(disk)
      const image = disk.crash((n) => choices.next().value % n)
      coverage.hit("acknowledged before the cut", acknowledged.length > 0)
      coverage.hit("cut before anything was acknowledged", acknowledged.length === 0)
      if (acknowledged.length > 0) checkAfterCut(stored(image, PATH), acknowledged)
    },
  )
  return fc
    .assert(property, parameters(budget))
    .then(() => coverage.demand(budget, ["acknowledged before the cut", "cut before anything was acknowledged"], 100))
}

const createThree = (disk: SimulatedDisk): Promise<ReadonlyArray<string>> =>
  run(
    disk,
    Effect.gen(function* () {
      const open = yield* Effect.exit(Effect.flatMap(TreeStore, (store) => store.create({ cwd: "/w", path: PATH })))
      return Exit.isFailure(open) ? [] : yield* sayThree(open.value, "born")
    }),
  )

/** Appends three records and says which were acknowledged as synced. */
const sayThree = (open: OpenTree, process: string) =>
  Effect.gen(function* () {
    const names: Array<string> = []
    for (let n = 1; n <= 3; n++) {
      const name = `${process} ${n}`
      const exit = yield* Effect.exit(open.session.dispatch({ do: "custom", customType: name }))
      if (Exit.isSuccess(exit)) names.push(name)
    }
    return names
  })

/** Opens with consent and appends three records. */
const appendThree = (
  disk: SimulatedDisk,
  process: string,
): Promise<{ readonly opened: boolean; readonly names: ReadonlyArray<string> }> =>
  run(
    disk,
    Effect.gen(function* () {
      const open = yield* Effect.exit(Effect.flatMap(TreeStore, (store) => store.open(PATH, { migrate: true })))
      if (Exit.isFailure(open)) return { opened: false, names: [] }
      return { opened: true, names: yield* sayThree(open.value, process) }
    }),
  )

export const laws: ReadonlyArray<Law> = [
  liveAndFile,
  {
    id: "TRE-2",
    sentence: "The live leaf survives closing and opening again, also after a branch with no entry behind it.",
    runs: 100,
    deepRuns: 10_000,
    check: leafStays,
  },
  {
    id: "MIG-3",
    sentence: "Loading, showing, planning a repair, and opening without a command change no byte, no time and no name.",
    runs: 200,
    deepRuns: 5_000,
    check: reading,
  },
  {
    id: "MIG-4",
    sentence:
      "The first append to a file of any version keeps every entry and the context at every leaf; the old bytes are its beginning, or after a migration its backup.",
    runs: 200,
    deepRuns: 5_000,
    check: firstAppend,
  },
  {
    id: "DUR-5",
    sentence:
      "The power may be cut at any step of opening, migrating and appending: what was acknowledged as synced is there once, no earlier entry is gone, and the next process goes on.",
    runs: 200,
    deepRuns: 5_000,
    check: cut,
  },
  {
    id: "DUR-6",
    sentence:
      "The power may be cut at any step of starting a session in a new store: what was acknowledged as synced is there once.",
    runs: 300,
    deepRuns: 15_000,
    check: birth,
  },
]
