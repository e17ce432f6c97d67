/** The law of copies: what a migration, a fork and a branch-out make of a session in which somebody else cut a secret. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { JsonObject } from "../src/model/Json.ts"
import { FORMATS } from "../src/redaction/Formats.ts"
import { readsLikeWords } from "../src/redaction/Windows.ts"

import { LedgerFiles } from "../src/session/LedgerFiles.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import { process, SESSIONS } from "./arbitraries/ledgerStore.ts"
import { leakOf, rowSecret, type Secret } from "./arbitraries/secrets.ts"
import { FOLDER, storeOn } from "./arbitraries/store.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

type Way = "fork" | "branch out" | "migrate" | "open" | "fork of a ledger"

const WAYS: ReadonlyArray<Way> = ["fork", "branch out", "migrate", "open", "fork of a ledger"]

/** Makes the message of a record of one source, of each kind that is followed. */
const SOURCES: ReadonlyArray<readonly [name: string, make: (text: string) => JsonObject]> = [
  [
    "results of a call",
    (text) => ({ role: "toolResult", toolCallId: "c1", toolName: "read", content: [{ type: "text", text }] }),
  ],
  ["output of commands", (output) => ({ role: "bashExecution", command: "x", output })],
]

interface Case {
  readonly secret: Secret
  readonly parts: ReadonlyArray<string>
  readonly way: Way
  readonly source: (typeof SOURCES)[number]
  /** A record of another source between the parts. */
  readonly isApart: boolean
}

/** Characters of a body of which a copy that is made before the rest comes may show so many that are no secret yet. */
const SHOWN = 12

const ROWS = FORMATS.filter(({ weak = false, keeps = false }) => !weak && !keeps)

/** Whole ones, and none that the ids of the session could hold by chance. */
const secretOf = (rows: typeof ROWS) =>
  fc
    .constantFrom(...rows)
    .chain((row) => rowSecret({ ...row, minimum: row.full }))
    .filter(({ text }) => !text.includes("0000"))

const splitOn = (way: Way): fc.Arbitrary<Case> =>
  fc
    .record({
      secret: secretOf(way === "open" ? ROWS.filter(({ minimum }) => minimum <= SHOWN) : ROWS),
      places: fc.array(fc.nat(), { minLength: 1, maxLength: 2 }),
      way: fc.constant(way),
      source: fc.constantFrom(...SOURCES),
      isApart: fc.boolean(),
    })
    .map(({ places, ...given }) => {
      const { text } = given.secret
      const cuts = [...new Set(places.map((place) => 1 + (place % (text.length - 1))))].toSorted((a, b) => a - b)
      return { ...given, parts: [0, ...cuts].map((from, i) => text.slice(from, cuts[i])) }
    })

const split: fc.Arbitrary<Case> = fc
  .constantFrom(...WAYS)
  .chain(splitOn)
  // What goes on with words is not taken for a part of a token, and stays; so only a few letters at the end may read like them.
  .filter(({ parts }) => parts.slice(1).every((part, i) => !readsLikeWords(part) || (i === parts.length - 2 && part.length < 4)))

const TIME = "2026-11-01T08:00:00.000Z"

const lines = (records: ReadonlyArray<JsonObject>): string => records.map((record) => `${JSON.stringify(record)}\n`).join("")

/** What is said in turn: the first part behind words, the last one before words. */
const said = ({ parts }: Case): ReadonlyArray<string> =>
  parts.map((part, i) => (i === 0 ? `see ${part}` : i === parts.length - 1 ? `${part}\nand on` : part))

const between: JsonObject = { role: "user", content: "Go on with it, please." }

const messagesOf = (given: Case, texts: ReadonlyArray<string>): ReadonlyArray<JsonObject> =>
  texts.flatMap((text) => [given.source[1](text), ...(given.isApart ? [between] : [])])

/** A session of version 3 as its own agent wrote it, with its secrets. */
const tree = (given: Case, texts: ReadonlyArray<string>): string =>
  lines([
    { type: "session", version: 3, id: "0198c000-0000-7000-8000-000000000001", timestamp: TIME, cwd: "/w" },
    ...messagesOf(given, texts).map((message, i) => ({
      type: "message",
      id: (i + 1).toString(16).padStart(8, "0"),
      parentId: i === 0 ? null : i.toString(16).padStart(8, "0"),
      timestamp: TIME,
      message,
    })),
  ])

const ledger = (texts: ReadonlyArray<string>): string =>
  lines([
    { t: TIME, type: "start", sessionId: "20261101-080000-0001", root: "/w", model: "m", version: "1", limits: {} },
    ...texts.map((content) => ({
      t: TIME,
      type: "tool_results",
      message: { role: "user", content: [{ type: "tool_result", toolUseId: "c1", content }] },
    })),
  ])

const copyTree = (disk: SimulatedDisk, given: Case): Promise<string> =>
  Effect.gen(function* () {
    const store = yield* TreeStore
    const path = `${FOLDER}/session.jsonl`
    // What is still to come when the session is opened goes into the same file.
    const texts = said(given)
    const before = given.way === "open" ? texts.slice(0, -1) : texts
    disk.put(path, tree(given, before))
    switch (given.way) {
      case "fork":
        return (yield* store.fork(path)).path
      case "branch out": {
        const { state } = yield* store.load(path)
        return (yield* store.branchOut(path, state.leaf ?? "")).path
      }
      case "migrate":
        return (yield* store.migrate(path)).path
      default: {
        const open = yield* store.open(path, { migrate: true })
        for (const text of texts.slice(-1)) yield* open.session.dispatch({ do: "message", message: given.source[1](text) })
        yield* open.session.close
        return open.path
      }
    }
  }).pipe(Effect.scoped, Effect.provide(storeOn(disk)), Effect.runPromise)

const copyLedger = (disk: SimulatedDisk, given: Case): Promise<string> => {
  const path = `${SESSIONS}/20261101-080000-0001.jsonl`
  disk.put(path, ledger(said(given)))
  return process(
    disk,
    Effect.flatMap(LedgerFiles, (files) => Effect.map(files.fork(path), (forked) => forked.path)),
  )
}

const check = async (given: Case, coverage: Coverage): Promise<void> => {
  const disk = new SimulatedDisk()
  const copy = await (given.way === "fork of a ledger" ? copyLedger(disk, given) : copyTree(disk, given))
  const text = disk.text(copy) ?? ""
  if (text === "") throw new Error(`nothing was copied to ${copy}`)
  const leak = leakOf(text, given.secret) ?? leakOf(JSON.stringify(joined(text)), given.secret)
  if (leak !== undefined) throw new Error(`${leak} of ${given.secret.text} is in the copy:\n${text}`)
  coverage.hit(given.way)
  coverage.hit(given.source[0])
  coverage.hit("three parts", given.parts.length > 2)
  coverage.hit("a first part that shows nothing", (given.parts[0] ?? "").length < given.secret.open + 8)
  coverage.hit("a last part that shows nothing", (given.parts.at(-1) ?? "").length < 12)
}

/** The longest text that the parts could be put together to again. */
const joined = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => stringsIn(JSON.parse(line)))
    .filter((found) => found !== between["content"])
    .join("")

const stringsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === "content" || key === "text" || key === "output" || key === "message" ? stringsIn(member) : [],
  )
}

const copying = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  await fc.assert(
    fc.asyncProperty(split, (given) => check(given, coverage)),
    parameters(budget),
  )
  const names = [...WAYS, ...SOURCES.map(([name]) => name)]
  coverage.demand(budget, [...names, "three parts", "a first part that shows nothing", "a last part that shows nothing"], 150)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "SEC-11",
    sentence:
      "A secret that another agent cut over records of one source, wherever it cut so that no part reads like words, is not in the copy that a migration, a fork or a branch-out makes, nor in what a session that goes on with the copy adds to it: neither whole, nor its parts put together, nor 12 characters of it.",
    runs: 250,
    deepRuns: 5_000,
    check: copying,
  },
]
