/**
 * Tree sessions as files hold them: of every version and agent, deep, wide, with several roots, duplicates, cycles, orphans, patches
 * before and after what they patch, with and without a header. And commands, and sequences of them.
 */
import * as fc from "fast-check"
import type { JsonObject } from "../../src/model/Json.ts"
import type { Stamp } from "../../src/model/Stamp.ts"
import type { TreeCommand } from "../../src/tree/Command.ts"
import type { Coverage } from "../Law.ts"
import { entryBody, type Line, lineOf, oddString, patch, strangers } from "./records.ts"

/** How the entries of a session hang together. */
type Form = "deep" | "wide" | "bushy" | "odd"

/** Ids that a careless look-up trips over, by the entries of an odd session that have them. */
const ODD_IDS: Readonly<Record<number, string>> = { 1: "__proto__", 3: "", 4: "constructor", 6: "\ud800" }

const idOf = (n: number, isOdd: boolean): string => (isOdd ? ODD_IDS[n] : undefined) ?? `e${n}`

/** An id: one of the session's, and for an odd session now and then one that it has not. */
const anyId = (count: number, isOdd: boolean): fc.Arbitrary<string> => {
  const own = fc.nat({ max: Math.max(count, 1) - 1 }).map((n) => idOf(n, isOdd))
  return isOdd ? fc.oneof({ weight: 6, arbitrary: own }, { weight: 1, arbitrary: fc.constant("gone") }) : own
}

/** Makes what depends on the ids alone once for all sessions of a size: making generators would cost more than generating. */
const bySize = <A>(make: (count: number, isOdd: boolean) => A): ((count: number, isOdd: boolean) => A) => {
  const made = new Map<number, A>()
  return (count, isOdd) => {
    const key = 2 * count + (isOdd ? 1 : 0)
    const known = made.get(key) ?? make(count, isOdd)
    made.set(key, known)
    return known
  }
}

const parentOf = (n: number, count: number, form: Form): fc.Arbitrary<string | null> => {
  const isOdd = form === "odd"
  const before = n === 0 ? fc.constant(null) : fc.constant(idOf(n - 1, isOdd))
  const earlier = n === 0 ? fc.constant(null) : fc.nat({ max: n - 1 }).map((m) => idOf(m, isOdd))
  switch (form) {
    case "deep":
      return before
    case "wide":
      return n === 0 ? fc.constant(null) : fc.constantFrom("e0", null)
    case "bushy":
      return fc.oneof(
        { weight: 3, arbitrary: before },
        { weight: 2, arbitrary: earlier },
        { weight: 1, arbitrary: fc.constant(null) },
      )
    case "odd":
      return fc.oneof(
        { weight: 4, arbitrary: before },
        { weight: 2, arbitrary: earlier },
        { weight: 2, arbitrary: anyId(count, true) },
      )
  }
}

const TIMES = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z", "2025-12-31T23:59:59.999Z", "2026-01-02T10:00:00.000Z"]

/** The base of an entry. An odd session's may lack members, or have one of the wrong kind. */
const base = (n: number, count: number, version: number, form: Form): fc.Arbitrary<JsonObject> => {
  const whole = fc.record({
    id:
      form === "odd"
        ? fc.oneof({ weight: 8, arbitrary: fc.constant(idOf(n, true)) }, { weight: 1, arbitrary: anyId(count, true) })
        : fc.constant(`e${n}`),
    parentId: parentOf(n, count, form),
    timestamp: fc.constantFrom(...TIMES),
  })
  const bare = fc.constantFrom(...TIMES).map((timestamp): JsonObject => ({ timestamp }))
  if (version === 1) return fc.oneof({ weight: 5, arbitrary: bare }, { weight: 1, arbitrary: whole })
  if (form !== "odd") return whole
  const flawed = fc.constantFrom<JsonObject>({ timestamp: "never" }, { id: 5, parentId: 6, timestamp: 7 }, { id: idOf(n, true) })
  return fc.oneof({ weight: 12, arbitrary: whole }, { weight: 1, arbitrary: flawed })
}

const bodyOf = bySize((count, isOdd) => entryBody(anyId(count, isOdd)))

const entry = (n: number, count: number, version: number, form: Form): fc.Arbitrary<JsonObject> =>
  fc.tuple(base(n, count, version, form), bodyOf(count, form === "odd")).map(([known, body]) => {
    const { type, firstKeptEntryId, ...rest } = body
    // Where no entry has an id, a file names what a compaction keeps by its index alone.
    const isNamed = firstKeptEntryId !== undefined && (version > 1 || form === "odd" || rest["firstKeptEntryIndex"] === undefined)
    return { type: type ?? "message", ...known, ...rest, ...(isNamed ? { firstKeptEntryId } : {}) }
  })

const header = (version: number): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      fc.record(
        {
          id: fc.constantFrom("S", "01a22cae-0c3f-7715-80d4-85e8d8ed3089", ""),
          timestamp: fc.constantFrom(...TIMES),
          cwd: oddString,
          title: oddString,
          titleSource: fc.constantFrom("auto", "user"),
          starred: fc.boolean(),
          starredPatchVersion: fc.constant(1),
          parentSession: oddString,
        },
        { requiredKeys: ["id", "timestamp", "cwd"] },
      ),
      strangers,
      fc.boolean(),
    )
    .map(([known, more, declared]) => ({ type: "session", ...(version === 1 && declared ? {} : { version }), ...more, ...known }))

const titleSlot = fc
  .tuple(oddString, fc.constantFrom("auto", "user"))
  .map(([title, source]): JsonObject => ({ type: "title", v: 1, title, source, updatedAt: TIMES[0] ?? "", pad: "   " }))

/** Records of any kind among the entries: patches, repetitions, notes, second headers. */
const between = bySize(
  (count, isOdd): fc.Arbitrary<JsonObject | "again"> =>
    fc.oneof(
      { weight: 6, arbitrary: patch(anyId(count, isOdd)) },
      { weight: isOdd ? 2 : 0, arbitrary: fc.constant("again" as const) },
      { weight: isOdd ? 1 : 0, arbitrary: header(5) },
      { weight: isOdd ? 1 : 0, arbitrary: strangers.map((more): JsonObject => ({ ...more, type: "a note" })) },
    ),
)

export interface Session {
  readonly version: number
  readonly form: Form
  readonly headless: boolean
  readonly lines: ReadonlyArray<Line>
}

const placed = (
  entries: ReadonlyArray<JsonObject>,
  extras: ReadonlyArray<readonly [number, JsonObject | "again"]>,
): Array<JsonObject> => {
  const found: Array<JsonObject> = []
  entries.forEach((record, n) => {
    found.push(record)
    for (const [place, extra] of extras) if (place === n) found.push(extra === "again" ? (found.at(-1) ?? record) : extra)
  })
  for (const [place, extra] of extras) if (place === -1 && extra !== "again") found.unshift(extra)
  return found
}

const shape = fc.record({
  version: fc.constantFrom(1, 1, 2, 3, 4, 4, 5, 5, 5),
  form: fc.constantFrom<Form>("deep", "wide", "bushy", "bushy", "odd", "odd"),
  count: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 14 }) },
    { weight: 1, arbitrary: fc.integer({ min: 15, max: 40 }) },
  ),
})

/** A whole session. */
export const session: fc.Arbitrary<Session> = shape.chain(({ version, form, count }) =>
  fc
    .record({
      top: header(version),
      slot: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: titleSlot }),
      headless: form === "odd" ? fc.integer({ min: 0, max: 5 }).map((n) => n === 0) : fc.constant(false),
      entries: fc.tuple(...Array.from({ length: count }, (_, n) => entry(n, count, version, form))),
      extras: fc.array(fc.tuple(fc.integer({ min: -1, max: Math.max(count - 1, 0) }), between(count, form === "odd")), {
        maxLength: 8,
      }),
      spaced: fc.boolean(),
    })
    .map(({ top, slot, headless, entries, extras, spaced }) => ({
      version,
      form,
      headless,
      lines: [...(slot === null ? [] : [slot]), ...(headless ? [] : [top]), ...placed(entries, extras)].map((record) =>
        lineOf(record, spaced),
      ),
    })),
)

/** Counts the classes that a session belongs to. */
export const cover = (coverage: Coverage, { version, form, headless, lines }: Session): void => {
  coverage.hit(`version ${version}`)
  coverage.hit(`form ${form}`)
  coverage.hit("no header", headless)
  for (const { value } of lines) coverage.hit(`type ${String(value["type"])}`)
}

const stamp: fc.Arbitrary<Stamp> = fc.record({
  at: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  entropy: fc.stringMatching(/^[0-9a-f]{32}$/),
})

/** Fields that name an entry stand as a number: the place of the entry among those of the state at the time. */
const command = (id: fc.Arbitrary<string>, leaf: fc.Arbitrary<string | null>): fc.Arbitrary<TreeCommand> => {
  const text = fc.string({ maxLength: 8 })
  const tools = fc.array(text, { maxLength: 2 })
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant("message" as const),
        message: fc.record({ role: fc.constantFrom("user", "assistant"), content: text }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("branch" as const), to: leaf }) },
    fc.record({ do: fc.constant("branchWithSummary" as const), to: leaf, summary: text }),
    fc.record({ do: fc.constant("compaction" as const), summary: text, firstKeptEntryId: id, tokensBefore: fc.nat() }),
    fc.record({ do: fc.constant("model" as const), model: fc.constantFrom("p/m1", "p/m2") }),
    fc.record({ do: fc.constant("thinking" as const), level: fc.constantFrom("high", null) }),
    fc.record({ do: fc.constant("serviceTier" as const), tier: fc.constantFrom("flex", null) }),
    fc.record({ do: fc.constant("label" as const), target: id, label: fc.constantFrom("", "L") }),
    fc.record({ do: fc.constant("title" as const), title: text, source: fc.constantFrom("auto" as const, "user" as const) }),
    fc.record({ do: fc.constant("star" as const), on: fc.boolean() }),
    fc.record({ do: fc.constant("cwd" as const), cwd: fc.constantFrom("/w", "/w/한글", "/other place") }),
    fc.record({
      do: fc.constant("modelChain" as const),
      role: fc.constantFrom("default", "plan"),
      entries: fc.array(fc.constantFrom("p/m1", "p/m2"), { minLength: 1, maxLength: 2 }),
      cleared: fc.boolean(),
    }),
    fc.record({ do: fc.constant("custom" as const), customType: text }),
    fc.record({ do: fc.constant("customMessage" as const), customType: text, content: text, display: fc.boolean() }),
    fc.record({ do: fc.constant("mode" as const), mode: text }),
    fc.record({ do: fc.constant("mcpTools" as const), names: tools }),
    fc.record({ do: fc.constant("builtinTools" as const), names: tools }),
    fc.record({ do: fc.constant("tools" as const), mcp: tools, builtin: tools }),
    fc.record({ do: fc.constant("ttsr" as const), rules: tools }),
    fc.record({ do: fc.constant("init" as const), systemPrompt: text, task: text, tools }),
    fc.record({
      do: fc.constant("patchMessage" as const),
      entryId: id,
      message: fc.record({ role: fc.constant("assistant"), content: text }),
    }),
  )
}

/** A command whose ids are made of the state's own when its turn comes. */
export interface Turn {
  readonly stamp: Stamp
  readonly command: (ids: ReadonlyArray<string>) => TreeCommand
}

const PLACE = /^place (\d+)$/

/** An id field holds the place of an entry; it becomes that entry's id, or one that no entry has. */
const resolved = (value: unknown, ids: ReadonlyArray<string>): unknown => {
  const place = typeof value === "string" ? PLACE.exec(value) : null
  return place === null ? value : (ids[Number(place[1]) % (ids.length + 1)] ?? "gone")
}

const place = fc.nat({ max: 1_000 }).map((n) => `place ${n}`)

/** A sequence of commands, ids resolved as the session grows. */
export const turns: fc.Arbitrary<ReadonlyArray<Turn>> = fc.array(
  fc
    .tuple(command(place, fc.oneof({ weight: 4, arbitrary: place }, { weight: 1, arbitrary: fc.constant(null) })), stamp)
    .map(([template, stamp]) => ({
      stamp,
      command: (ids: ReadonlyArray<string>) =>
        Object.fromEntries(Object.entries(template).map(([key, value]) => [key, resolved(value, ids)])) as unknown as TreeCommand,
    })),
  { maxLength: 25 },
)
