/** The law of scrubbing: secrets that lie in a session's file and beside it already are gone, and nothing else is. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import { seededChooser } from "../src/disk/Chooser.ts"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { digests } from "../src/journal/Digests.ts"
import { CHAIN_START, INTEGRITY, sealOf } from "../src/journal/Integrity.ts"
import type { LineItem } from "../src/journal/Line.ts"
import { readJournal } from "../src/journal/Reader.ts"
import { Lease } from "../src/lease/Lease.ts"
import type { JsonObject } from "../src/model/Json.ts"
import { makeRedactor, type Redactor } from "../src/redaction/Redactor.ts"
import { planScrub, type Scrubbed, scrub } from "../src/session/Scrub.ts"
import { environmentSecret, formatSecret, leakOf, type Secret } from "./arbitraries/secrets.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { damagesOf, demand, recordsOf, same } from "./Reading.ts"

const FOLDER = "/home"
const PATH = `${FOLDER}/20261101-080000-0001.jsonl`
const NEIGHBOUR = `${FOLDER}/20261101-080000-0002.jsonl`

/** Files beside the session, by what they are. */
const BESIDE = {
  backup: `${PATH}.2026-11-02T08-00-00-000Z.backup`,
  migration: `${PATH}.v3.bak`,
  quarantine: `${PATH}.2026-11-02T08-00-00-000Z.quarantine`,
  tail: `${PATH}.quarantine-10-90`,
  leftover: `${FOLDER}/.20261101-080000-0001.jsonl.scrub.tmp`,
} as const

type Beside = keyof typeof BESIDE

/** Where in a file a secret stands, or that none does. */
type Place = "value" | "key" | "broken line" | "torn tail" | "not utf-8" | "member twice" | "nowhere"

type Mishap = { readonly what: "none" } | { readonly what: "power cut" | "refusal"; readonly at: number; readonly seed: number }

interface Case {
  readonly kind: "tree" | "ledger"
  readonly sealed: boolean
  readonly secret: Secret & { readonly name?: string }
  readonly places: ReadonlyArray<Place>
  readonly beside: ReadonlyArray<Beside>
  readonly copies: boolean
  readonly mishap: Mishap
  readonly redactor: Redactor
}

const PLACES: ReadonlyArray<Place> = ["value", "key", "broken line", "torn tail", "not utf-8", "member twice", "nowhere"]
const NAMES = Object.keys(BESIDE) as ReadonlyArray<Beside>

const redactorOf = ({ secret }: Pick<Case, "secret">): Redactor =>
  makeRedactor({ environment: secret.name === undefined ? {} : { [secret.name]: secret.text } })

const parts: fc.Arbitrary<Omit<Case, "redactor">> = fc.record({
  kind: fc.constantFrom("tree", "ledger"),
  sealed: fc.boolean(),
  secret: fc.oneof(formatSecret, environmentSecret).filter(({ text }) => JSON.stringify(text) === `"${text}"`),
  places: fc.uniqueArray(fc.constantFrom(...PLACES), { minLength: 1, maxLength: 3 }),
  beside: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }),
  copies: fc.boolean(),
  mishap: fc.oneof(
    fc.record({ what: fc.constant("none" as const) }),
    fc.record({
      what: fc.constantFrom("power cut" as const, "refusal" as const),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      seed: fc.nat(),
    }),
  ),
})

const cases: fc.Arbitrary<Case> = parts.map((given) => ({ ...given, redactor: redactorOf(given) }))

const TIME = "2026-11-01T08:00:00.000Z"

const recordsFor = ({ kind, sealed, secret, places }: Case): ReadonlyArray<JsonObject> => {
  const declares = sealed ? { integrity: INTEGRITY } : {}
  const says = places.includes("value") ? `see ${secret.text}\nthere` : "nothing to see"
  const input = places.includes("key") ? { [`a ${secret.text} b`]: 1.5 } : { path: "a.txt" }
  const messages = [
    { role: "user", content: says },
    { role: "assistant", content: [{ type: "toolCall", id: "c1", name: "read", arguments: input }] },
    { role: "user", content: "Thank you." },
  ]
  return kind === "tree"
    ? [
        { type: "session", version: 5, id: "s1", timestamp: TIME, cwd: "/w", ...declares },
        ...messages.map((message, i) => ({
          type: "message",
          id: `${i + 1}`.padStart(8, "a"),
          parentId: i === 0 ? null : `${i}`.padStart(8, "a"),
          timestamp: TIME,
          message,
        })),
      ]
    : [
        {
          t: TIME,
          type: "start",
          sessionId: "20261101-080000-0001",
          root: "/w",
          model: "m",
          version: "1",
          limits: {},
          ...declares,
        },
        ...messages.map((message) => ({ t: TIME, type: "user", message })),
      ]
}

/** The lines of the session as its writers left them: records, what is broken between them, and a cut end. */
const sessionOf = (given: Case): Uint8Array => {
  const { secret, places, sealed } = given
  let chain = CHAIN_START
  const lines = recordsFor(given).map((record) => {
    const text = JSON.stringify(record)
    const { member, state } = sealOf(digests, chain, text)
    chain = state
    return sealed && member !== undefined ? `${text.slice(0, -1)}${member}}` : text
  })
  if (places.includes("member twice")) lines.push(`{"type":"custom","data":"see ${secret.text} there","data":1}`)
  if (places.includes("broken line")) lines.splice(2, 0, `{"type":"message","text":"see ${secret.text} there`)
  const parts = lines.map((line) => Buffer.from(`${line}\n`))
  if (places.includes("not utf-8"))
    parts.push(
      Buffer.concat([
        Buffer.from('{"type":"custom","data":"'),
        Buffer.from([0xff]),
        Buffer.from(` see ${secret.text} there"}\n`),
      ]),
    )
  if (places.includes("torn tail")) parts.push(Buffer.from(`{"type":"message","text":"see ${secret.text} th`))
  return Buffer.concat(parts)
}

const besideOf = (given: Case, name: Beside): string => {
  const { text } = given.secret
  if (name === "quarantine")
    return `${JSON.stringify({ action: "quarantine", offset: 1, length: 2, line: 1, kind: "not-json", text: `see ${text}` })}\n`
  return name === "tail" || name === "leftover"
    ? `{"type":"message","text":"see ${text} th`
    : `${JSON.stringify({ type: "session", version: 3, note: `see ${text} there` })}\n`
}

const diskOf = (given: Case): SimulatedDisk => {
  const disk = new SimulatedDisk({
    [PATH]: sessionOf(given),
    [NEIGHBOUR]: `${JSON.stringify({ type: "session", note: given.secret.text })}\n`,
  })
  for (const name of given.beside) disk.put(BESIDE[name], besideOf(given, name))
  return disk
}

const run = (disk: SimulatedDisk, given: Case): Promise<Exit.Exit<Scrubbed, unknown>> =>
  Effect.gen(function* () {
    return yield* scrub({ disk, redactor: given.redactor, lease: yield* Lease }, PATH, { copies: given.copies })
  }).pipe(Effect.scoped, Effect.provide(Lease.layerMemory), Effect.runPromiseExit)

const plan = (disk: SimulatedDisk, given: Case) =>
  Effect.gen(function* () {
    return yield* planScrub({ disk, redactor: given.redactor, lease: yield* Lease }, PATH)
  }).pipe(Effect.provide(Lease.layerMemory), Effect.runPromise)

const textIn = (disk: SimulatedDisk, path: string): string => Buffer.from(disk.bytes(path) ?? []).toString("utf8")

const leaksIn = (text: string, secret: Secret): boolean => text.includes(secret.text) || leakOf(text, secret) !== undefined

/** Everything that can be told of a file without reading it as a session. */
const factsOf = (disk: SimulatedDisk, path: string): string =>
  JSON.stringify([disk.lstat(path), textIn(disk, path)], (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  )

const isOneOf = (found: string, allowed: ReadonlyArray<string>): boolean => allowed.includes(found)

/** The disk after a first attempt that did not come to its end. */
const interrupted = async (given: Case, wanted: SimulatedDisk): Promise<SimulatedDisk> => {
  const { mishap } = given
  if (mishap.what === "none") return diskOf(given)
  const count = diskOf(given)
  await run(count, given)
  const step = 1 + Math.floor(mishap.at * count.operations)
  const disk = diskOf(given)
  if (mishap.what === "refusal") disk.fail(step, "EIO")
  else disk.crashAt(step)
  await run(disk, given)
  if (mishap.what === "refusal") disk.heal()
  const after = mishap.what === "refusal" ? disk : disk.crash(seededChooser(mishap.seed))
  const before = diskOf(given)
  for (const path of [PATH, ...given.beside.map((name) => BESIDE[name])])
    demand(
      isOneOf(textIn(after, path), [textIn(before, path), textIn(wanted, path)]),
      `${path} is neither the old file nor the new one`,
    )
  return after
}

const readItems = (disk: SimulatedDisk, path: string): ReadonlyArray<LineItem> =>
  [...readJournal(disk, path)].flatMap((item) => (item._tag === "Progress" ? [] : [item]))

/** What seals say that were not in order before: they stay, and tell of the lines that changed under them. */
const OF_SEALS: ReadonlySet<string> = new Set(["edited", "chain-broken"])

const kindsIn = (items: ReadonlyArray<LineItem>, given: Case): ReadonlyArray<string> => {
  const hasHole = given.places.includes("broken line") || given.places.includes("not utf-8")
  // A line in which bytes were replaced that are not UTF-8 is UTF-8.
  return damagesOf(items)
    .map(({ kind }) => kind)
    .filter((kind) => kind !== "not-utf8" && !(given.sealed && hasHole && OF_SEALS.has(kind)))
}

const checkFiles = (disk: SimulatedDisk, given: Case, before: SimulatedDisk): void => {
  const { secret, copies, beside } = given
  demand(!leaksIn(textIn(disk, PATH), secret), "a secret is left in the session")
  const [old, now] = [readItems(before, PATH), readItems(disk, PATH)]
  demand(recordsOf(now).length === recordsOf(old).length, "another number of records")
  same(kindsIn(now, given), kindsIn(old, given), "other damages than before")
  for (const name of beside) {
    const path = BESIDE[name]
    if (!copies && name !== "leftover")
      demand(factsOf(disk, path) === factsOf(before, path), `${name} was written without consent`)
    else if (copies) demand(!leaksIn(textIn(disk, path), secret), `a secret is left in the ${name}`)
  }
  demand(textIn(disk, NEIGHBOUR) === textIn(before, NEIGHBOUR), "another session was written")
}

const check = async (given: Case, coverage: Coverage): Promise<void> => {
  const before = diskOf(given)
  if (!leaksIn(textIn(before, PATH), given.secret) && !given.places.every((place) => place === "nowhere")) return
  const wanted = diskOf(given)
  const first = await run(wanted, given)
  if (Exit.isFailure(first)) throw new Error(`refused: ${JSON.stringify(first.cause)}`)
  const disk = await interrupted(given, wanted)
  const second = await run(disk, given)
  if (Exit.isFailure(second)) throw new Error(`refused the second time: ${JSON.stringify(second.cause)}`)
  checkFiles(disk, given, before)
  const left = await plan(disk, given)
  demand(
    left.files.every(({ what }) => what !== "session" && !given.copies),
    "a second plan finds something",
  )
  if (given.places.every((place) => place === "nowhere")) {
    demand(factsOf(wanted, PATH) === factsOf(before, PATH), "a clean file was touched")
    coverage.hit("clean")
  }
  for (const place of given.places) coverage.hit(place)
  for (const name of given.beside) coverage.hit(name)
  coverage.hit(given.mishap.what)
  coverage.hit(`${given.kind} ${given.sealed ? "with" : "without"} seals`)
  coverage.hit("left", given.beside.some((name) => name !== "leftover") && !given.copies && second.value.left.length > 0)
}

const scrubbing = async (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  await fc.assert(
    fc.asyncProperty(cases, (given) => check(given, coverage)),
    parameters(budget),
  )
  const kinds = ["tree with seals", "tree without seals", "ledger with seals", "ledger without seals"]
  coverage.demand(budget, [...PLACES, ...NAMES, ...kinds, "none", "power cut", "refusal", "clean", "left"], 120)
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "SEC-12",
    sentence:
      "After a scrub no secret is in the session's file, in records, broken lines, a torn tail or hidden members, nor, with consent, in what was put aside of it; every record and every damage stays, seals that fitted fit, and a file without a finding is not touched; after a refusal or a power cut at any step each file is the old one or the new one, whole, and another scrub completes it.",
    runs: 120,
    deepRuns: 4_000,
    check: scrubbing,
  },
]
