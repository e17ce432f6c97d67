/** The law of ledger sessions on a disk that fails: power cuts at every step of what a store does. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { OpenLedger } from "../src/session/LedgerRoom.ts"
import { LedgerStore } from "../src/session/LedgerStore.ts"
import { ABOUT, process, SESSIONS, say, sessionLines } from "./arbitraries/ledgerStore.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { check, expectSame } from "./Ledgers.ts"

// ── Power cuts ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const WORK = [
  { t: "2026-01-02T00:00:00.000Z", type: "user", message: { role: "user", content: [{ type: "text", text: "old words" }] } },
  { t: "2026-01-02T00:00:01.000Z", type: "reserve", requestId: "r1", tokens: 70 },
]

const P = `${SESSIONS}/p.jsonl`

/** A store with a session of which the last line is cut, with subagents, and with what was put aside; open to others. */
const store = (isTorn: boolean): SimulatedDisk => {
  const lines = sessionLines("p", ...WORK)
  const disk = new SimulatedDisk({
    [P]: isTorn ? `${lines}{"t":"2026-01-03T00:00:00.000Z","type":"us` : lines,
    [`${SESSIONS}/.p.jsonl.tmp`]: "{}",
    [`${P}.quarantine-7-9`]: "xx",
    [`${SESSIONS}/p/explore-1.jsonl`]: sessionLines("explore-1", ...WORK),
    [`${SESSIONS}/p/explore-1.jsonl.quarantine-1-3`]: "xx",
    [`${SESSIONS}/p/explore-2.jsonl`]: sessionLines("explore-2"),
    [`${SESSIONS}/p/.explore-2.jsonl.lock`]: "",
    [`${SESSIONS}/p/.explore-3.jsonl.tmp`]: "{}",
    [`${SESSIONS}/q.jsonl`]: sessionLines("q"),
  })
  for (const path of [SESSIONS, `${SESSIONS}/p`]) disk.setMode(path, 0o755)
  disk.setMode(P, 0o644)
  return disk
}

/** Says three things and tells which of them were acknowledged. */
const sayThree = (opened: Effect.Effect<OpenLedger, unknown, LedgerStore | Scope.Scope>, who: string) =>
  Effect.gen(function* () {
    const open = yield* Effect.exit(opened)
    const acknowledged: Array<string> = []
    for (const words of [`${who} 1.`, `${who} 2.`, `${who} 3.`]) {
      if (Exit.isFailure(open)) continue
      const exit = yield* Effect.exit(open.value.session.dispatch(say(words)))
      if (Exit.isSuccess(exit)) acknowledged.push(words)
    }
    return acknowledged
  })

type Done = ReadonlyArray<string>

/** Something a store does: on which disk, what of it was acknowledged, and what must be true on the disk afterwards. */
interface Deed {
  readonly on: () => SimulatedDisk
  readonly does: (who: string) => Effect.Effect<Done, never, LedgerStore | Scope.Scope>
  readonly leaves: (disk: SimulatedDisk, done: Done) => void
}

const acknowledged = (exit: Exit.Exit<unknown, unknown>, what: string): Done => (Exit.isSuccess(exit) ? [what] : [])

const linesIn = (disk: SimulatedDisk, path: string): ReadonlyArray<string> => (disk.text(path) ?? "").split("\n")

/** What was acknowledged is there once and in order, and what was there before is still there. */
const keeps = (lines: ReadonlyArray<string>, before: string, done: Done): void => {
  const old = before.split("\n").slice(0, -1)
  expectSame("what was there before", lines.slice(0, old.length), old)
  const found = done.map((words) => lines.flatMap((line, at) => (line.includes(`"${words}"`) ? [at] : [])))
  check(
    found.every((at) => at.length === 1),
    "acknowledged, and not there once",
    [done, lines],
  )
  expectSame(
    "the order",
    found.flat(),
    [...found.flat()].sort((a, b) => a - b),
  )
}

const sessionsOn = (disk: SimulatedDisk): ReadonlyArray<string> =>
  disk.paths().filter((path) => /^\/w\/\.garuda\/sessions\/[^./]+\.jsonl$/.test(path))

const goingOn = (
  isTorn: boolean,
  way: (ledgers: Effect.Success<typeof LedgerStore>) => Effect.Effect<OpenLedger, unknown, Scope.Scope>,
): Deed => ({
  on: () => store(isTorn),
  does: (who) => sayThree(Effect.flatMap(LedgerStore, way), who),
  leaves: (disk, done) => keeps(linesIn(disk, P), sessionLines("p", ...WORK), done),
})

const DEEDS = {
  birth: {
    on: () => new SimulatedDisk(),
    does: (who) =>
      sayThree(
        Effect.flatMap(LedgerStore, (ledgers) => ledgers.create(ABOUT)),
        who,
      ),
    leaves: (disk, done) => {
      const said = sessionsOn(disk).flatMap((path) => linesIn(disk, path))
      for (const who of new Set(done.map((words) => words.split(" ")[0])))
        keeps(
          said,
          "",
          done.filter((words) => words.startsWith(`${who} `)),
        )
    },
  },
  open: goingOn(false, (ledgers) => ledgers.open("p")),
  "open with a torn tail": goingOn(true, (ledgers) => ledgers.open("p")),
  resume: goingOn(false, (ledgers) => ledgers.resume("p")),
  "resume with a torn tail": goingOn(true, (ledgers) => ledgers.resume("p")),
  title: {
    on: () => store(true),
    does: (who) =>
      Effect.map(Effect.exit(Effect.flatMap(LedgerStore, (ledgers) => ledgers.setTitle("p", `${who} title`))), (exit) =>
        acknowledged(exit, `${who} title`),
      ),
    leaves: (disk, done) => keeps(linesIn(disk, P), sessionLines("p", ...WORK), done),
  },
  fork: {
    on: () => store(true),
    does: () =>
      Effect.map(Effect.exit(Effect.flatMap(LedgerStore, (ledgers) => ledgers.fork("p"))), (exit) =>
        Exit.isSuccess(exit) ? [exit.value.path] : [],
      ),
    leaves: (disk, done) => {
      const forks = sessionsOn(disk).filter((path) => !/\/[pq]\.jsonl$/.test(path))
      for (const path of done) check(forks.includes(path), "acknowledged, and gone", path)
      for (const path of forks)
        expectSame("the copy", linesIn(disk, path), sessionLines(path.slice(SESSIONS.length + 1, -6), ...WORK).split("\n"))
      keeps(linesIn(disk, P), sessionLines("p", ...WORK), [])
    },
  },
  remove: {
    on: () => store(true),
    does: () =>
      Effect.map(Effect.exit(Effect.flatMap(LedgerStore, (ledgers) => ledgers.remove("p"))), (exit) => acknowledged(exit, "p")),
    leaves: (disk, done) => {
      if (done.length > 0) check(disk.bytes(P) === undefined, "removed, and there again")
      const rest = disk.paths().filter((path) => path.startsWith(`${SESSIONS}/`) && path !== `${SESSIONS}/q.jsonl`)
      if (disk.bytes(P) === undefined) expectSame("what is left without its session", rest, [])
      check(disk.bytes(`${SESSIONS}/q.jsonl`) !== undefined, "another session is gone")
    },
  },
} satisfies Readonly<Record<string, Deed>>

const cut = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(
    fc.constantFrom(...(Object.keys(DEEDS) as ReadonlyArray<keyof typeof DEEDS>)),
    fc.integer({ min: 0, max: 999 }),
    fc.infiniteStream(fc.nat()),
    fc.constantFrom("before" as const, "after" as const, 3, 40),
    async (name, where, choices, when) => {
      const { on, does, leaves }: Deed = DEEDS[name]
      const rehearsal = on()
      const start = rehearsal.operations
      const all = await process(rehearsal, does("rehearsal"))
      check(all.length > 0, "the deed is never done", name)
      const disk = on()
      disk.crashAt(start + 1 + Math.floor((where * (rehearsal.operations - start)) / 1_000), when)
      const done = await process(disk, does("first"))
      const image = disk.crash((n) => choices.next().value % n)
      leaves(image, done)
      coverage.hit(`${name}, ${done.length > 0 ? "done" : "cut"}`)
      const isGone = name === "remove" && image.bytes(P) === undefined
      const next = await process(image, does("next"), { from: 100 })
      check(isGone || next.length === all.length, "the next process does not go on", [name, image.paths()])
      leaves(image, [...(name === "remove" ? [] : done), ...next])
      checkModes(name, image)
    },
  )
  // What is done in one step is acknowledged when nothing is left to be cut, but for closing.
  const classes = Object.keys(DEEDS).map((name) => `${name}, cut`)
  const more = ["birth", "open", "resume", "open with a torn tail", "resume with a torn tail"].map((name) => `${name}, done`)
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, [...classes, ...more], 200))
}

/** Whoever has written to a session has made it private. */
const checkModes = (name: string, disk: SimulatedDisk): void => {
  if (name === "remove" || name === "birth") return
  expectSame("the mode of the folder", disk.lstat(SESSIONS)?.mode, 0o700)
  if (name !== "fork") expectSame("the mode of the file", disk.lstat(P)?.mode, 0o600)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "LDS-2",
    sentence:
      "The power may be cut at any step of starting, opening, resuming, appending to, titling, copying and removing a ledger: what was acknowledged as synced is there once and in order, a copy is whole or not there, nothing is left of a removed session, and the next process goes on or carries the removal on.",
    runs: 240,
    deepRuns: 20_000,
    check: cut,
  },
]
