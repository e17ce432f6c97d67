/** What a host does with a store beside saying things: each deed is carried out as far as the disk lets it. */
import * as Effect from "effect/Effect"
import { readToEnd } from "../src/journal/RecordStream.ts"
import { applyRepair, repairNames } from "../src/journal/Repair.ts"
import { Planner } from "../src/journal/RepairPlan.ts"
import type { JsonObject } from "../src/model/Json.ts"
import { toText } from "../src/model/JsonText.ts"
import { LedgerFiles } from "../src/session/LedgerFiles.ts"
import { LedgerStore } from "../src/session/LedgerStore.ts"
import { planTreeRepair } from "../src/session/RepairFile.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import { SESSIONS } from "./arbitraries/ledgerStore.ts"
import { FOLDER } from "./arbitraries/store.ts"
import type { Hands, Known, Services } from "./FunnelWorld.ts"

/** What a deed has to do with. */
export interface Doing {
  readonly hands: Hands
  readonly known: Known
  readonly words: string
  readonly record: JsonObject
  /** The secret by itself. */
  readonly secret: string
  /** No other deed has this number. */
  readonly number: number
}

/** Says whether anything was done: undefined when there was nothing to do it with. */
export type Deed = (doing: Doing) => Effect.Effect<unknown, unknown, Services>

const nothing = Effect.succeed(undefined)

const done = Effect.succeed(true)

const last = (paths: ReadonlyArray<string>): string | undefined => paths.at(-1)

const about = (words: string) => ({ model: `m ${words}`, version: words, executor: words, isolation: words })

const STORED = { isStored: true }

/** Closes what is open of a path, so that somebody else may work on the file. */
const release = (hands: Hands): Effect.Effect<void, unknown, Services> =>
  Effect.suspend(() => {
    const { tree, ledger } = hands
    hands.tree = undefined
    hands.ledger = undefined
    return Effect.andThen(tree?.session.close ?? Effect.void, ledger?.session.close ?? Effect.void)
  })

/** Bytes of a file changed by somebody else, as far as there are so many. */
const damage = ({ hands: { disk } }: Doing, path: string, change: (bytes: Uint8Array) => Uint8Array): boolean => {
  const bytes = disk.bytes(path)
  if (bytes === undefined || bytes.length < 200) return false
  disk.put(path, change(bytes))
  return true
}

const torn = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length - 30)

/** Zeros, and a line end lost, in the middle. */
const holed = (bytes: Uint8Array): Uint8Array => {
  const changed = bytes.slice()
  changed.fill(0, changed.length >> 1, (changed.length >> 1) + 40)
  const lineEnd = changed.lastIndexOf(0x0a, changed.length - 2)
  return lineEnd < 0 ? changed : Uint8Array.from([...changed.subarray(0, lineEnd), ...changed.subarray(lineEnd + 1)])
}

/** A session of version 3 that another program wrote: it has the secret in clear, in a title, a key and a text. */
const oldSession = ({ words, record, number }: Doing): string => {
  const time = "2026-01-02T03:04:05.678Z"
  const entry = (id: string, parentId: string | null, message: JsonObject) => ({
    type: "message",
    id,
    parentId,
    timestamp: time,
    message,
  })
  const lines: ReadonlyArray<JsonObject> = [
    { type: "session", version: 3, id: `old-${number}`, timestamp: time, cwd: `/w/${words}`, title: words },
    entry("a1b2c3d1", null, { role: "user", content: [{ type: "text", text: words }] }),
    entry("a1b2c3d2", "a1b2c3d1", { role: "assistant", content: [{ type: "text", text: "see" }, record], stopReason: "stop" }),
    { type: "custom", id: "a1b2c3d3", parentId: "a1b2c3d2", timestamp: time, customType: "x", data: { [`k ${words}`]: words } },
  ]
  return lines.map((line) => `${toText(line)}\n`).join("")
}

const plant = (doing: Doing, path: string): string => {
  doing.hands.disk.put(path, oldSession(doing))
  doing.known.foreign.add(path)
  return path
}

/** A ledger that another program wrote, the secret in clear in a root, a message and a title. */
const plantLedger = ({ hands, known, words, record, number }: Doing): string => {
  const path = `${SESSIONS}/other-${number}.jsonl`
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
  const lines: ReadonlyArray<JsonObject> = [
    { t: at(0), type: "start", sessionId: `other-${number}`, root: `/w/${words}`, model: "m1" },
    { t: at(1), type: "user", message: { role: "user", content: [{ type: "text", text: words }, record] } },
    { t: at(2), type: "title", title: words },
    { t: at(3), type: "unknown", [`k ${words}`]: words },
  ]
  hands.disk.put(path, lines.map((line) => `${toText(line)}\n`).join(""))
  known.foreign.add(path)
  return path
}

const onFiles = <A, E>(work: (files: Effect.Success<typeof LedgerFiles>) => Effect.Effect<A, E, Services>) =>
  Effect.flatMap(LedgerFiles, work)

const onTrees = <A, E>(work: (trees: Effect.Success<typeof TreeStore>) => Effect.Effect<A, E, Services>) =>
  Effect.flatMap(TreeStore, work)

const repairTree: Deed = (doing) =>
  Effect.gen(function* () {
    const { hands, known, number } = doing
    const path = last(known.trees)
    yield* release(hands)
    if (path === undefined || !damage(doing, path, holed)) return undefined
    const plan = planTreeRepair(hands.disk, path)
    return yield* Effect.fromResult(applyRepair(hands.disk, plan, repairNames(path, 1_800_000_000_000 + number, `${number}`)))
  })

const repairLedger: Deed = (doing) =>
  Effect.gen(function* () {
    const { hands, known, number } = doing
    const path = last(known.ledgers)
    yield* release(hands)
    if (path === undefined || !damage(doing, path, holed)) return undefined
    const planner = new Planner()
    const summary = yield* readToEnd(hands.disk, path, (item) => planner.take(item))
    const names = repairNames(path, 1_800_000_000_000 + number, `${number}`)
    return yield* Effect.fromResult(applyRepair(hands.disk, planner.finish(summary), names))
  })

const migrate: Deed = (doing) =>
  Effect.gen(function* () {
    const path = plant(doing, `${FOLDER}/old-${doing.number}.jsonl`)
    doing.known.foreign.add(`${path}.v3.bak`)
    const { backup } = yield* onTrees((trees) => trees.migrate(path))
    if (backup !== undefined) doing.known.foreign.add(backup)
    doing.known.foreign.delete(path)
    doing.known.trees.push(path)
    return done
  })

/** Another agent's file is copied, and its owner's is left alone. */
const fork = (doing: Doing, source: string | undefined): Effect.Effect<unknown, unknown, Services> =>
  source === undefined
    ? nothing
    : Effect.map(
        onTrees((trees) => trees.fork(source)),
        ({ path }) => doing.known.trees.push(path),
      )

/** Names come from ids: of a whole secret, of one that is cleaned, and of one that is cut. */
const children: Deed = ({ hands: { ledger }, words, secret }) =>
  ledger === undefined
    ? nothing
    : Effect.gen(function* () {
        const files = yield* LedgerFiles
        for (const id of [words, secret, `explore-${secret}`, `${"y".repeat(45)}-${secret}`]) {
          const made = yield* Effect.option(files.createChild(ledger.path, id, { ...about(words), root: `/w/${words}` }, STORED))
          if (made._tag === "None") continue
          yield* made.value.session.dispatch({ do: "title", title: `t ${words}` })
          yield* made.value.session.close
        }
        return done
      })

export const DEEDS = {
  "begin a tree": ({ hands, known, words, number }) =>
    onTrees((trees) =>
      Effect.map(
        trees.create({ cwd: `/w/${words}`, title: words, path: `${FOLDER}/${number}.jsonl`, parentSession: words }),
        (open) => {
          hands.tree = open
          known.trees.push(open.path)
          return done
        },
      ),
    ),
  "begin a tree in our store": ({ hands, known, words }) =>
    onTrees((trees) =>
      Effect.map(trees.create({ cwd: `/w/${words}`, title: words, persist: "immediately" }), (open) => {
        hands.tree = open
        known.trees.push(open.path)
        return done
      }),
    ),
  "begin a sealed tree": ({ hands, known, words, number }) =>
    onTrees((trees) =>
      Effect.map(
        trees.create({
          cwd: words,
          title: words,
          path: `${FOLDER}/${number}.jsonl`,
          persist: "immediately",
          integrity: "crc32+chain",
        }),
        (open) => {
          hands.tree = open
          known.trees.push(open.path)
          return done
        },
      ),
    ),
  "go on in a new tree": ({ hands, known, words }) =>
    hands.tree === undefined
      ? nothing
      : onTrees((trees) =>
          Effect.map(trees.newSession(hands.tree as NonNullable<Hands["tree"]>, { title: words }), (open) => {
            hands.tree = open
            known.trees.push(open.path)
            return done
          }),
        ),
  "open a tree again": ({ hands, known }) =>
    Effect.gen(function* () {
      const path = last(known.trees)
      yield* release(hands)
      if (path === undefined) return undefined
      hands.tree = yield* onTrees((trees) => trees.open(path))
      return hands.tree
    }),
  "cut a tree's tail": (doing) =>
    Effect.gen(function* () {
      const path = last(doing.known.trees)
      yield* release(doing.hands)
      if (path === undefined || !damage(doing, path, torn)) return undefined
      doing.hands.tree = yield* onTrees((trees) => trees.open(path))
      return yield* doing.hands.tree.session.dispatch({ do: "star", on: true })
    }),
  "repair a tree": repairTree,
  "fork a tree": (doing) => fork(doing, last(doing.known.trees)),
  "fork another agent's tree": (doing) =>
    Effect.suspend(() => fork(doing, plant(doing, `/home/law/.pi/agent/sessions/${doing.number}.jsonl`))),
  "branch out": ({ hands: { tree }, known }) =>
    tree === undefined
      ? nothing
      : Effect.gen(function* () {
          const { leaf } = yield* tree.session.state
          if (leaf === null) return undefined
          yield* tree.session.flush
          const { path } = yield* onTrees((trees) => trees.branchOut(tree.path, leaf))
          return known.trees.push(path)
        }),
  "migrate an old tree": migrate,
  "go on with another agent's tree": (doing) =>
    Effect.gen(function* () {
      const path = plant(doing, `/home/law/.pi/agent/sessions/${doing.number}.jsonl`)
      yield* release(doing.hands)
      doing.hands.tree = yield* onTrees((trees) => trees.open(path, { migrate: true }))
      yield* doing.hands.tree.session.dispatch({ do: "title", title: doing.words, source: "user" })
      doing.known.trees.push(doing.hands.tree.path)
      return done
    }),
  "begin a ledger": ({ hands, known, words }) =>
    onFiles((files) =>
      Effect.map(files.createIn(SESSIONS, { ...about(words), root: `/w/${words}` }, STORED), (open) => {
        hands.ledger = open
        known.ledgers.push(open.path)
        return done
      }),
    ),
  "resume a ledger": ({ hands, known, words }) =>
    Effect.gen(function* () {
      const path = last(known.ledgers)
      yield* release(hands)
      if (path === undefined) return undefined
      hands.ledger = yield* onFiles((files) => files.resume(path, { ...about(words), root: `/w/${words}` }, STORED))
      return done
    }),
  "cut a ledger's tail": (doing) =>
    Effect.gen(function* () {
      const path = last(doing.known.ledgers)
      yield* release(doing.hands)
      if (path === undefined || !damage(doing, path, torn)) return undefined
      doing.hands.ledger = yield* onFiles((files) => files.open(path, STORED))
      return yield* doing.hands.ledger.session.dispatch({ do: "title", title: `t ${doing.words}` })
    }),
  "repair a ledger": repairLedger,
  "title a ledger that nobody has open": ({ hands, known, words }) =>
    Effect.gen(function* () {
      const path = last(known.ledgers)
      yield* release(hands)
      if (path === undefined) return undefined
      return yield* onFiles((files) => files.setTitle(path, `${"x".repeat(50)} ${words}`, STORED))
    }),
  "begin ledgers of subagents": children,
  "fork a ledger": ({ known }) =>
    Effect.suspend(() => {
      const path = last(known.ledgers)
      return path === undefined
        ? nothing
        : Effect.map(
            onFiles((files) => files.fork(path, undefined, STORED)),
            (forked) => known.ledgers.push(forked.path),
          )
    }),
  "export a ledger": ({ known, number }) =>
    Effect.suspend(() => {
      const path = last(known.ledgers)
      return path === undefined ? nothing : onFiles((files) => files.export(path, { root: "/w", to: `export-${number}.md` }))
    }),
  "fork another agent's ledger": (doing) =>
    Effect.suspend(() => {
      const path = plantLedger(doing)
      return Effect.map(
        onFiles((files) => files.fork(path, undefined, STORED)),
        (forked) => doing.known.ledgers.push(forked.path),
      )
    }),
  "export another agent's ledger": (doing) =>
    Effect.suspend(() => {
      const path = plantLedger(doing)
      return onFiles((files) => files.export(path, { root: "/w", to: `export-${doing.number}.md` }))
    }),
  "remove a ledger": ({ hands, known }) =>
    Effect.gen(function* () {
      const path = known.ledgers[0]
      yield* release(hands)
      if (path === undefined) return undefined
      yield* onFiles((files) => files.remove(path, STORED))
      return known.ledgers.shift()
    }),
  "list and read": ({ known }) =>
    Effect.gen(function* () {
      for (const path of known.trees) yield* Effect.exit(onTrees((trees) => trees.load(path)))
      return yield* Effect.flatMap(LedgerStore, (ledgers) => ledgers.list())
    }),
  "have a write fail": ({ hands: { disk }, number }) =>
    Effect.sync(() => {
      disk.fail((call) => call.operation === "write", "ENOSPC", { short: number % 150 })
      return true
    }),
  "have a sync fail": ({ hands: { disk } }) =>
    Effect.sync(() => {
      disk.fail((call) => call.operation === "sync", "EIO")
      return true
    }),
  recover: ({ hands: { disk, tree, ledger } }) =>
    Effect.suspend(() => {
      disk.heal()
      return Effect.andThen(tree?.session.recover ?? Effect.void, ledger?.session.recover ?? Effect.void)
    }).pipe(Effect.as(true)),
} as const satisfies Readonly<Record<string, Deed>>

export type DeedName = keyof typeof DEEDS

export const DEED_NAMES = Object.keys(DEEDS) as ReadonlyArray<DeedName>
