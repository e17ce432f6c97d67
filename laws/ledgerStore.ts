/** Laws of ledger sessions in files: live state against file, reading that only reads, secrets, and the order of a list. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { LedgerState } from "../src/ledger/State.ts"
import { Redaction } from "../src/redaction/Redaction.ts"
import { LedgerFiles } from "../src/session/LedgerFiles.ts"
import type { OpenLedger } from "../src/session/LedgerRoom.ts"
import { LedgerStore } from "../src/session/LedgerStore.ts"
import { commandsOf, rawRecords, SECRET, type Step, steps } from "./arbitraries/ledger.ts"
import { ABOUT, process, SESSIONS, say, sessionLines, snapshotOf } from "./arbitraries/ledgerStore.ts"
import { readOnly } from "./arbitraries/store.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { check, expectSame, throughRedaction } from "./Ledgers.ts"

// ── Live state and file ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** How a process ends and the next one goes on. */
interface Change {
  readonly ends: "closed" | "killed"
  readonly goesOn: "open" | "resume" | "resume with m2"
  /** Resumed and closed again before, without a command. */
  readonly tries: boolean
}

interface Part {
  readonly change: Change
  readonly steps: ReadonlyArray<Step>
}

const change: fc.Arbitrary<Change> = fc.record({
  ends: fc.constantFrom("closed", "killed"),
  goesOn: fc.constantFrom("open", "resume", "resume", "resume with m2"),
  tries: fc.boolean(),
})

/** A resume among the steps is one in the same process, whose state has the words that its file lacks. */
const parts: fc.Arbitrary<ReadonlyArray<Part>> = fc.array(
  fc.record({
    change,
    steps: steps.map((given) => given.slice(0, 12)),
  }),
  { minLength: 1, maxLength: 4 },
)

/** A project whose directory bears the name of a secret: redaction takes it out of every start and resume record. */
const SECRET_ROOT = `/w/${SECRET}`
const OPTIONS = { environment: { API_TOKEN: SECRET }, root: SECRET_ROOT }

const resumeOptions = ({ goesOn }: Change) => (goesOn === "resume with m2" ? { model: "m2" } : {})

/** What a resume gives, but for its moment. */
const resumed = ({ repairs }: OpenLedger, state: LedgerState): string =>
  JSON.stringify([repairs, state.conversation.length, state.nextId, state.undo, [...state.accounting.reservations]])

const startOf = (store: Effect.Success<typeof LedgerStore>, id: string | undefined, of: Change, coverage: Coverage) =>
  Effect.gen(function* () {
    if (id === undefined) return yield* store.create(ABOUT)
    if (of.goesOn === "open") return yield* store.open(id)
    const before = of.tries ? yield* store.resume(id, resumeOptions(of)) : undefined
    const told = before === undefined ? undefined : resumed(before, yield* before.session.state)
    if (before !== undefined) yield* before.session.close
    const open = yield* store.resume(id, resumeOptions(of))
    coverage.hit("repaired", open.repairs.length > 0)
    if (told !== undefined) expectSame("what a second resume gives", resumed(open, yield* open.session.state), told)
    return open
  })

/** A process: goes on, carries out steps, compares after each command that wrote, and ends. Gives the session's id once it has a file. */
const lived = (disk: SimulatedDisk, id: string | undefined, { change: of, steps: given }: Part, n: number, coverage: Coverage) =>
  Effect.gen(function* () {
    const store = yield* LedgerStore
    const redactor = yield* Redaction
    const open = yield* startOf(store, id, of, coverage)
    let hasFile = id !== undefined
    for (const [at, step] of given.entries()) {
      for (const make of commandsOf(n + at, step)) {
        const command = make(yield* open.session.state)
        const exit = command === undefined ? undefined : yield* Effect.exit(open.session.dispatch(command))
        if (exit === undefined || Exit.isFailure(exit) || exit.value.records.length === 0) continue
        hasFile = true
        const { state, damages, records } = yield* store.read(open.id)
        const live = yield* open.session.state
        expectSame("the replay of the file", throughRedaction(redactor, state), throughRedaction(redactor, live))
        check(damages.length === 0, "the file is damaged", damages)
        expectSame("the number of records", live.count, records)
        coverage.hit("compared")
        coverage.hit("compared after a resume", id !== undefined && of.goesOn !== "open")
        coverage.hit("redacted", (disk.text(open.path) ?? "").includes("[REDACTED:"))
      }
    }
    return hasFile ? open.id : undefined
  })

const nameless = (state: LedgerState): LedgerState =>
  state.start === undefined ? state : { ...state, start: { ...state.start, sessionId: "" } }

/** A copy replays to the same, but for its id. */
const copied = (id: string) =>
  Effect.gen(function* () {
    const store = yield* LedgerStore
    const redactor = yield* Redaction
    const [source, copy] = [yield* store.read(id), yield* store.read((yield* store.fork(id)).id)]
    const seen = ({ state }: typeof source) => throughRedaction(redactor, nameless(state))
    expectSame("the copy", seen(copy), seen(source))
  })

const liveAndFile = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(parts, async (given) => {
    const disk = new SimulatedDisk()
    let id: string | undefined
    for (const [n, part] of given.entries()) {
      const body = Effect.tap(lived(disk, id, part, 100 * n, coverage), () =>
        Effect.sync(() => {
          coverage.hit(part.change.ends)
          // Nothing that the end of a scope does reaches the disk any more.
          if (part.change.ends === "killed") disk.crashAt(disk.operations + 1)
        }),
      )
      id = await process(disk, body, { ...OPTIONS, from: 1_000 * n })
      disk.kill()
    }
    if (id !== undefined) await process(disk, copied(id), { ...OPTIONS, from: 9_000 })
  })
  const classes = ["compared", "compared after a resume", "redacted", "repaired", "closed", "killed"]
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, classes))
}

// ── Reading ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lines with a stretch of zero bytes, and cut at the end. */
const harmed = (text: string, at: number, nuls: number, cut: number): Uint8Array => {
  const bytes = new TextEncoder().encode(text)
  const from = bytes.length === 0 ? 0 : at % bytes.length
  bytes.fill(0, from, from + nuls)
  return bytes.subarray(0, Math.max(0, bytes.length - cut))
}

const rarely = (max: number) => fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max }))

const reading = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(rawRecords, fc.nat(), rarely(60), rarely(60), async (records, at, nuls, cut) => {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join("")
    const disk = new SimulatedDisk({
      [`${SESSIONS}/a.jsonl`]: harmed(text, at, nuls, cut),
      [`${SESSIONS}/a/explore-1.jsonl`]: sessionLines("explore-1"),
      [`${SESSIONS}/b.jsonl`]: sessionLines("b"),
      [`${SESSIONS}/c.jsonl`]: "",
    })
    disk.setMode(SESSIONS, 0o755)
    disk.setMode(`${SESSIONS}/a.jsonl`, 0o644)
    const before = snapshotOf(disk)
    const body = Effect.gen(function* () {
      const store = yield* LedgerStore
      const files = yield* LedgerFiles
      yield* store.list()
      yield* store.latest
      yield* store.children("a")
      yield* Effect.exit(files.planRemoval(`${SESSIONS}/a.jsonl`))
      const read = yield* Effect.exit(store.read("a"))
      coverage.hit("damaged", Exit.isSuccess(read) && read.value.damages.length > 0)
      coverage.hit("clean", Exit.isSuccess(read) && read.value.damages.length === 0)
      const about = { sessionId: "a", model: "m1" }
      for (const id of ["a", "b", "c"]) {
        for (const way of [store.open(id), store.resume(id), store.resume(id, about)]) {
          const open = yield* Effect.exit(way)
          if (Exit.isSuccess(open)) yield* open.value.session.close
          coverage.hit("opened", Exit.isSuccess(open))
          coverage.hit("refused", Exit.isFailure(open))
        }
      }
    })
    await process(readOnly(disk), body)
    expectSame("the disk", snapshotOf(disk), before)
  })
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, ["damaged", "clean", "opened", "refused"]))
}

// ── Order and names ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const TIMES = [
  "2026-03-01T00:00:00.500Z",
  "2026-03-01T00:00:00Z",
  "2026-03-01T02:00:00.250+02:00",
  "2026-02-01T00:00:00.000Z",
  "no time",
]

/** A file of the list: when it was worked on, what stands behind that, and what its own time says. */
const file = fc.record({
  works: fc.array(fc.constantFrom(...TIMES), { maxLength: 3 }),
  behind: fc.constantFrom("nothing", "title", "a long title", "a torn tail", "zero bytes", "a title on the same line"),
  modified: fc.bigInt({ min: 1n, max: 1_000n }),
})

const title = (words: string) => ({ t: "2027-01-01T00:00:00.000Z", type: "title", title: words })

const textOf = ({ works, behind }: { readonly works: ReadonlyArray<string>; readonly behind: string }): string => {
  const records = works.map((t) => ({ t, type: "thinking", choice: t }))
  const text = [{ t: "2026-01-01T00:00:00.000Z", type: "title", title: "first" }, ...records]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("")
  switch (behind) {
    case "title":
      return `${text}${JSON.stringify(title("late"))}\n`
    case "a long title":
      return `${text}${JSON.stringify(title("long ".repeat(20_000)))}\n`
    case "a torn tail":
      return `${text}{"t":"2028-01-01T00:00:00.000Z","type":"thinking","cho`
    case "zero bytes":
      return `${text}${"\0".repeat(100)}`
    case "a title on the same line":
      return `${text.slice(0, -1)}${JSON.stringify(title("glued"))}\n`
    default:
      return text
  }
}

const order = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(fc.array(file, { maxLength: 5 }), async (given) => {
    const disk = new SimulatedDisk(Object.fromEntries(given.map((each, n) => [`${SESSIONS}/s${n}.jsonl`, textOf(each)])))
    for (const [n, { modified }] of given.entries()) disk.setModified(`${SESSIONS}/s${n}.jsonl`, modified * 1_000_000n)
    const body = Effect.gen(function* () {
      const store = yield* LedgerStore
      const read = yield* Effect.forEach(given.keys(), (n) => store.read(`s${n}`))
      const { sessions } = yield* store.list()
      const worked = read.map(({ state }) => state.worked)
      expectSame(
        "when they were worked on",
        sessions.map(({ worked }) => worked ?? null),
        sessions.map(({ id }) => worked[Number(id.slice(1))] ?? null),
      )
      expectSame("how many", sessions.length, given.length)
      const keys = sessions.map(({ worked, id }) => {
        const instant = worked === undefined ? Number.NaN : Date.parse(worked)
        return [worked === undefined ? 0 : 1, Number.isNaN(instant) ? 0 : instant, Number(id.slice(1))] as const
      })
      for (const [at, key] of keys.entries()) {
        const next = keys[at + 1]
        if (next === undefined) continue
        const differs = key.findIndex((value, part) => value !== next[part])
        check((key[differs] ?? 0) > (next[differs] ?? 0), "the order", [sessions[at]?.worked, sessions[at + 1]?.worked])
        coverage.hit("by time", differs === 1)
        coverage.hit("by id", differs === 2)
      }
      expectSame("the latest", (yield* store.latest) ?? null, sessions.find(({ worked }) => worked !== undefined)?.id ?? null)
      coverage.hit("none", sessions.length > 0 && (yield* store.latest) === undefined)
    })
    for (const { behind } of given) coverage.hit(behind)
    await process(disk, body)
  })
  const classes = ["by time", "by id", "none", "a long title", "a torn tail", "zero bytes", "a title on the same line"]
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, classes))
}

/** Two moments, so that processes meet. */
const moments = fc.array(fc.nat({ max: 1 }), { minLength: 2, maxLength: 4 })

const childIds = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom("", "_", "a/b", "a_b", "a.b", "..", "subagent-0123456789ab", SECRET, `x-${SECRET}`, `${SECRET}/`),
    fc.string({ unit: fc.constantFrom("a", "_", "/", "-", "é"), maxLength: 3 }),
    fc.string({ unit: fc.constantFrom("a", "/"), minLength: 59, maxLength: 90 }),
  ),
  { minLength: 2, maxLength: 6 },
)

const names = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(moments, childIds, async (at, ids) => {
    const disk = new SimulatedDisk()
    const stampOf = (n: number) => Effect.succeed({ at: 1_800_000_000_000, entropy: String(n).repeat(32) })
    const written = new Map<string, string>()
    const refused = new Set<string>()
    // Each process starts while those before it have not said a word, and no lock keeps them apart.
    const inside = (n: number): Promise<void> => {
      const moment = at[n]
      if (moment === undefined) return Promise.resolve()
      const body = Effect.gen(function* () {
        const { session, id } = yield* (yield* LedgerStore).create(ABOUT)
        yield* Effect.promise(() => inside(n + 1))
        const exit = yield* Effect.exit(session.dispatch(say(`said by ${n}`)))
        coverage.hit("met", Exit.isFailure(exit))
        if (Exit.isFailure(exit)) return void refused.add(id)
        check(!written.has(id), "two have one id", id)
        written.set(id, `said by ${n}`)
      })
      return process(disk, body, { stamp: stampOf(moment) })
    }
    await inside(0)
    for (const [id, words] of written) {
      const text = disk.text(`${SESSIONS}/${id}.jsonl`) ?? ""
      check(text.includes(words) && text.split("\n").length === 3, "what somebody else wrote", text)
    }
    for (const id of refused) check(written.has(id), "refused without a reason", id)
    const [parent = ""] = written.keys()
    const children = Effect.gen(function* () {
      const store = yield* LedgerStore
      return yield* Effect.forEach(ids, (id) => Effect.map(store.createChild(parent, id, ABOUT), ({ path }) => path))
    })
    const paths = await process(disk, children, { environment: { API_TOKEN: SECRET } })
    expectSame("how many names", new Set(paths).size, ids.length)
    for (const path of paths) check(/^\/w\/\.garuda\/sessions\/[\w-]+\/[\w-]{1,80}\.jsonl$/.test(path), "the name", path)
    check(!paths.some((path) => path.includes(SECRET)), "a secret in a name", paths)
  })
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, ["met"]))
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "LDS-1",
    sentence:
      "For any sequence of commands the replay of a ledger's file equals the live state seen through redaction, after every command that wrote, however often the session was closed, killed, opened and resumed before; resuming again without a command gives the same, and so does the replay of a copy.",
    runs: 50,
    deepRuns: 2_500,
    check: liveAndFile,
  },
  {
    id: "LDS-3",
    sentence:
      "Listing and reading ledgers, planning a removal, and opening or resuming without a command change no byte, no name, no mode and no time.",
    runs: 100,
    deepRuns: 4_000,
    check: reading,
  },
  {
    id: "LDS-5",
    sentence:
      "Ledgers are listed by the time of the last work in them, as a reader of the whole file finds it, and by their ids where that is equal, whatever the times of the files.",
    runs: 200,
    deepRuns: 8_000,
    check: order,
  },
  {
    id: "LDS-6",
    sentence:
      "Processes that start at one moment never write to one ledger, and subagents with different ids never have one file, whatever the ids are.",
    runs: 100,
    deepRuns: 4_000,
    check: names,
  },
]
