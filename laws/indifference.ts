/** Laws of what a store tells of a secret: nothing but that there was one, and that truly. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import type { LedgerCommand } from "../src/ledger/Command.ts"
import { type Json, type JsonObject, own } from "../src/model/Json.ts"
import { parseJson } from "../src/model/JsonParse.ts"
import { toText } from "../src/model/JsonText.ts"
import { FORMATS } from "../src/redaction/Formats.ts"
import { LedgerFiles } from "../src/session/LedgerFiles.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import type { TreeCommand } from "../src/tree/Command.ts"
import { isEntry } from "../src/tree/Entry.ts"
import { CURRENT_VERSION } from "../src/tree/Header.ts"
import { SESSIONS, snapshotOf } from "./arbitraries/ledgerStore.ts"
import { CONTEXTS, type Context, POSITIONS, type Position, rowSecret } from "./arbitraries/secrets.ts"
import { FOLDER } from "./arbitraries/store.ts"
import { drawnValue } from "./arbitraries/structures.ts"
import { LEDGER_COMMANDS, stringsOf, TREE_COMMANDS } from "./arbitraries/told.ts"
import { attempt, run } from "./FunnelWorld.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"

/** Two secrets that differ in nothing but themselves: form, length in every spelling and what gives them away are the same. */
interface Pair {
  readonly kind: "environment" | "format"
  readonly texts: readonly [string, string]
}

const known: fc.Arbitrary<Pair> = fc
  .integer({ min: 12, max: 40 })
  .chain((length) => fc.tuple(drawnValue(length), drawnValue(length)))
  .map((texts) => ({ kind: "environment", texts }))

/** The second one has the beginning of the first, and its length. */
const formed: fc.Arbitrary<Pair> = fc
  .constantFrom(...FORMATS)
  .chain((format) => fc.tuple(rowSecret(format), rowSecret(format)))
  .map(([{ text, open }, other]) => {
    const body = other.text.slice(other.open)
    const filled = body.repeat(Math.ceil(text.length / body.length)).slice(0, text.length - open)
    return { kind: "format", texts: [text, text.slice(0, open) + filled] }
  })

const isEven = ({ texts: [a, b] }: Pair): boolean => encodeURIComponent(a).length === encodeURIComponent(b).length

interface Given {
  readonly pair: Pair
  readonly context: Context
  readonly position: Position
}

const given: fc.Arbitrary<Given> = fc.record({
  // What is simpler than a secret is none.
  pair: fc.noShrink(fc.oneof(known, formed).filter(isEven)),
  context: fc.constantFrom(...CONTEXTS),
  position: fc.constantFrom(...POSITIONS),
})

const isImage = (command: TreeCommand | LedgerCommand): boolean =>
  /"(?:image|input_image|image_url)"/.test(JSON.stringify(command))

type Commands<C> = Readonly<Record<string, (telling: never) => ReadonlyArray<C>>>

/** Everything that can be said with a secret, without what cannot be sent to a session that has begun. */
const allOf = <C>(commands: Commands<C>, words: string, record: JsonObject): ReadonlyArray<C> =>
  Object.entries(commands).flatMap(([name, tell]) =>
    name === "start" ? [] : tell({ words, record, leaf: null, message: undefined } as never),
  )

interface Spoken {
  readonly disk: SimulatedDisk
  /** Each record as the state has it, with its line. */
  readonly records: ReadonlyArray<readonly [record: JsonObject, line: string, isMarkable: boolean]>
}

/** A tree, a ledger and subagents in which a secret is said everywhere, and what is then on the disk. */
const spoken = async ({ pair, context, position }: Given, which: 0 | 1, withImages: boolean): Promise<Spoken> => {
  const disk = new SimulatedDisk()
  const secret = pair.texts[which]
  const text = context.wrap(secret)
  const record = position.put(text)
  const environment: Record<string, string> = pair.kind === "environment" ? { API_TOKEN: secret } : {}
  const records: Array<Spoken["records"][number]> = []
  const wanted = (command: TreeCommand | LedgerCommand) => withImages || !isImage(command)
  const lastLines = (path: string, count: number): ReadonlyArray<string> =>
    (disk.text(path) ?? "").split("\n").slice(-1 - count, -1)
  await run(disk, { environment, from: 0 }, () =>
    Effect.gen(function* () {
      const note = (path: string, written: ReadonlyArray<JsonObject>, isMarkable: (record: JsonObject) => boolean) => {
        const lines = lastLines(path, written.length)
        for (const [i, one] of written.entries()) records.push([one, lines[i] ?? "", isMarkable(one)])
      }
      const trees = yield* TreeStore
      const tree = yield* trees.create({ cwd: `/w/${text}`, title: text, path: `${FOLDER}/s.jsonl`, persist: "immediately" })
      for (const command of allOf(TREE_COMMANDS, stringsOf(record).join("\n"), record).filter(wanted)) {
        const receipt = yield* attempt(tree.session.dispatch(command))
        if (receipt !== undefined) note(tree.path, receipt.records, (one) => isEntry(one, CURRENT_VERSION))
      }
      const files = yield* LedgerFiles
      const about = { root: `/w/${text}`, model: `m ${text}` }
      const ledger = yield* files.createIn(SESSIONS, about, { isStored: true })
      for (const command of allOf(LEDGER_COMMANDS, text, record).filter(wanted)) {
        const receipt = yield* attempt(ledger.session.dispatch(command))
        if (receipt !== undefined) note(ledger.path, receipt.records, () => true)
      }
      const child = yield* files.createChild(ledger.path, `explore-${secret}`, about, { isStored: true })
      yield* child.session.dispatch({ do: "title", title: `t ${text}` })
      yield* attempt(files.export(ledger.path, { root: "/w", to: "export.md" }))
    }),
  )
  return { disk, records }
}

const classes = ["environment", "format", ...CONTEXTS.map(({ name }) => name), ...POSITIONS.map(({ name }) => name)]

const judged = (budget: Budget, judge: (given: Given) => Promise<void>): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(given, async (one) => {
    await judge(one)
    for (const name of [one.pair.kind, one.context.name, one.position.name]) coverage.hit(name)
  })
  return fc.assert(property, parameters(budget)).then(() => coverage.demand(budget, classes, 100))
}

/** The first place where two texts part, for a report. */
const parting = (a: string, b: string): string => {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return `${a.slice(Math.max(0, at - 120), at + 120)} / ${b.slice(Math.max(0, at - 120), at + 120)}`
}

const tellsNothing = (budget: Budget): Promise<void> =>
  judged(budget, async (one) => {
    const [first, second] = await Promise.all([spoken(one, 0, true), spoken(one, 1, true)])
    const readable = ({ disk }: Spoken) => disk.paths().map((path) => `${path}\n${disk.text(path) ?? ""}`)
    const [a, b] = [readable(first).join("\n"), readable(second).join("\n")]
    if (a !== b) throw new Error(`two secrets are told apart: ${parting(a, b)}`)
    if (snapshotOf(first.disk) !== snapshotOf(second.disk)) throw new Error("two secrets are told apart by bytes, modes or times")
  })

const withoutMarks = ({ redacted: _, ...record }: JsonObject): Json => record

const marksWhatChanged = (budget: Budget): Promise<void> =>
  judged(budget, async (one) => {
    const { records } = await spoken(one, 0, false)
    if (records.length < 10) throw new Error("hardly anything was said")
    for (const [record, line, isMarkable] of records) {
      const written = parseJson(line) as JsonObject
      const hasChanged = toText(withoutMarks(written)) !== toText(withoutMarks(record))
      const isMarked = own(written, "redacted") !== undefined
      if (isMarked !== (hasChanged && isMarkable)) throw new Error(`marked ${isMarked}, changed ${hasChanged}: ${line}`)
    }
  })

export const laws: ReadonlyArray<Law> = [
  {
    id: "SEC-14",
    sentence:
      "Two sessions in which everything is the same but the secret, which has the same form and length, leave the same disk: the same names, blobs and subagents' files among them, the same bytes, the same times.",
    runs: 100,
    deepRuns: 5_000,
    check: tellsNothing,
  },
  {
    id: "SEC-15",
    sentence:
      "A record of a ledger, and an entry of a tree, is marked as redacted if and only if its line is not what the state holds.",
    runs: 100,
    deepRuns: 5_000,
    check: marksWhatChanged,
  },
]
