/**
 * Records of a tree session as files hold them: every entry type, known and unknown, whole and broken, with members that nobody
 * knows at every level, and as text that `JSON.stringify` would not give back.
 */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../../src/model/Json.ts"

/** A record and the text that it was read from. */
export interface Line {
  readonly value: JsonObject
  readonly raw: string
}

export const oddString: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 6, unit: "binary" }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "\u0000",
      "a\nb\r",
      "\u2028\u2029",
      "\ud800",
      "\udc00x",
      "🌿",
      "__proto__",
      "constructor",
      '"\\',
      "null",
    ),
  },
)

/**
 * A number whose text a parser and a serialiser would change. It stands in a value as a string with a mark and is put into the text
 * bare, with digits by which it is found again.
 */
const bareNumber: fc.Arbitrary<string> = fc
  .tuple(fc.nat({ max: 99_999 }), fc.constantFrom("#.0", "-#.00", "9007199254740993#", "#e0", "0.#000", "-#E+2"))
  .map(([n, form]) => `⟨${form.replace("#", `777${n}`)}⟩`)

const BARE = /"⟨([^⟩"]*)⟩"/g
const MARKED = /-?[0-9.]*777[0-9.]*(?:[eE][+-]?[0-9]+)?/g

/** The bare numbers in a text, in order. */
export const bareNumbers = (text: string): ReadonlyArray<string> => text.match(MARKED) ?? []

const scalar: fc.Arbitrary<Json> = fc.oneof(
  oddString,
  bareNumber,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<Json>(null, true, false, 0, 2 ** 53, 1e308),
)

const key = fc.oneof(
  fc.string({ maxLength: 6 }).map((name) => `x-${name}`),
  fc.constantFrom("", "__proto__", "constructor", "toString", "x y", "日本"),
)

const objectOf = (value: fc.Arbitrary<Json>, maxLength = 3): fc.Arbitrary<JsonObject> =>
  fc.array(fc.tuple(key, value), { maxLength }).map((members) => Object.fromEntries(members))

const nested = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), objectOf(scalar))

/** Any JSON, up to three levels deep. */
export const json: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(nested, { maxLength: 3 }) },
  { weight: 1, arbitrary: objectOf(nested) },
)

/** Members that no version of the format knows. */
export const strangers: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: objectOf(json) },
)

/** Members, each of which may be absent, and now and then of another kind. */
const members = (
  known: Readonly<Record<string, fc.Arbitrary<Json>>>,
  needed: ReadonlyArray<string>,
): fc.Arbitrary<JsonObject> => {
  const parts = Object.entries(known).map(([name, arbitrary]) =>
    fc
      .oneof(
        { weight: 12, arbitrary },
        { weight: needed.includes(name) ? 0 : 8, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.oneof(json, fc.constant(undefined)) },
      )
      .map((value): ReadonlyArray<[string, Json]> => (value === undefined ? [] : [[name, value]])),
  )
  return fc.tuple(...parts).map((pairs) => Object.fromEntries(pairs.flat()))
}

const strings = fc.array(oddString, { maxLength: 3 })
const words = fc.constantFrom("alpha", "beta", "gamma")
const figures = fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat(), cacheWrite: fc.nat() })

const message: fc.Arbitrary<JsonObject> = fc
  .tuple(
    members(
      {
        role: fc.constantFrom(
          "user",
          "assistant",
          "assistant",
          "toolResult",
          "hookMessage",
          "system",
          "custom",
          "bashExecution",
          "of the future",
        ),
        content: fc.oneof(oddString, fc.array(objectOf(json), { maxLength: 2 })),
        provider: words,
        model: fc.constantFrom("m1", "m2"),
        usage: figures,
        timestamp: fc.nat(),
      },
      ["role"],
    ),
    strangers,
  )
  .map(([known, more]) => ({ ...known, ...more }))

/** A version of an id: most often one that the session has, now and then one that it has not. */
type Ids = fc.Arbitrary<string>

/** Entries that set something: labels, rules, tools, modes, models. */
const settings = (id: Ids): Readonly<Record<string, fc.Arbitrary<JsonObject>>> => ({
  label: members({ targetId: id, label: fc.constantFrom("", "L", "M", null) }, ["targetId"]),
  ttsr_injection: members(
    {
      injectedRules: fc.array(words, { maxLength: 3 }),
      injectedRuleRecords: fc.array(fc.record({ name: words, lastInjectedAt: fc.nat() }), { maxLength: 2 }),
      ttsrMessageCount: fc.nat(),
    },
    ["injectedRules"],
  ),
  mcp_tool_selection: members(
    { selectedToolNames: strings, selectedDiscoveredBuiltinToolNames: strings, mutationCorrelationId: oddString },
    ["selectedToolNames"],
  ),
  discovered_builtin_tool_selection: members({ selectedToolNames: strings, mutationCorrelationId: oddString }, [
    "selectedToolNames",
  ]),
  session_init: members({ systemPrompt: oddString, task: oddString, tools: strings, outputSchema: json }, []),
  mode_change: members({ mode: words, data: json }, ["mode"]),
  configured_model_chain: members(
    {
      role: fc.constantFrom("default", "smol", ""),
      entries: fc.array(fc.constantFrom("p/m1", "p/m2", ""), { maxLength: 2 }),
      origin: words,
      identity: json,
      explicitHead: fc.boolean(),
      cleared: fc.boolean(),
    },
    ["role", "entries"],
  ),
})

/** What a compaction of pi carries along, mostly of a wrong kind: with a right one nothing else is kept. */
const retainedTail: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Json>(null, "x", {}) },
  { weight: 1, arbitrary: fc.array(fc.oneof(message, json), { maxLength: 3 }) },
)

const compaction = (id: Ids): fc.Arbitrary<JsonObject> =>
  members(
    {
      summary: oddString,
      shortSummary: oddString,
      firstKeptEntryId: id,
      firstKeptEntryIndex: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) },
        { weight: 1, arbitrary: fc.integer({ min: -1, max: 40 }) },
      ),
      tokensBefore: fc.nat(),
      details: json,
      preserveData: fc.oneof(
        json,
        fc.record({
          openaiRemoteCompaction: fc.record({ provider: words, replacementHistory: fc.array(json, { maxLength: 2 }) }),
        }),
      ),
      fromExtension: fc.boolean(),
      systemMessage: fc.record({ role: fc.constantFrom("system", "user"), content: oddString }),
      retainedTail,
    },
    ["summary"],
  )

const bodies = (id: Ids): Readonly<Record<string, fc.Arbitrary<JsonObject>>> => ({
  message: members({ message }, ["message"]),
  model_change: fc.oneof(
    members({ model: fc.constantFrom("p/m1", "p/m2", ""), role: fc.constantFrom("default", "smol", "__proto__") }, ["model"]),
    members({ provider: words, modelId: words, model: fc.constantFrom("p/m3", "") }, ["provider", "modelId"]),
  ),
  thinking_level_change: members({ thinkingLevel: fc.constantFrom("off", "high", null) }, []),
  service_tier_change: members({ serviceTier: fc.constantFrom<Json>("flex", null, { openai: "priority" }) }, []),
  compaction: compaction(id),
  branch_summary: members({ fromId: id, summary: oddString, details: json, fromExtension: fc.boolean() }, ["summary"]),
  custom: members({ customType: oddString, data: json }, []),
  custom_message: members(
    {
      customType: oddString,
      content: fc.oneof(oddString, fc.array(objectOf(json), { maxLength: 2 })),
      display: fc.boolean(),
      details: json,
      attribution: fc.constantFrom("user", "agent"),
    },
    ["content"],
  ),
  ...settings(id),
  session_info: members({ name: oddString }, ["name"]),
  title_change: members({ title: oddString, source: fc.constantFrom("auto", "user") }, ["title"]),
  model_usage: members({ purpose: words, usage: json }, []),
  usage: members({ kind: words, usage: figures }, []),
  context_edit: members(
    {
      targetId: id,
      replacement: fc.oneof(
        fc.constant(null),
        json,
        fc.record({ content: fc.oneof(oddString, fc.array(objectOf(json), { maxLength: 2 })) }),
      ),
    },
    ["targetId", "replacement"],
  ),
  reset_boundary: members({}, []),
  "of the future": members({ payload: json }, []),
})

/** Every entry type that the generator makes. */
export const entryTypes: ReadonlyArray<string> = Object.keys(bodies(fc.constant("")))

/** How often a type is made beside the others, for those whose effects depend on each other. */
const WEIGHTS: Readonly<Record<string, number>> = {
  message: 8,
  compaction: 3,
  model_change: 4,
  context_edit: 3,
  configured_model_chain: 2,
}

/** The members of an entry beyond its base: of any type, with members that nobody knows. */
export const entryBody = (id: Ids): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      fc.oneof(
        ...Object.entries(bodies(id)).map(([type, body]) => ({
          weight: WEIGHTS[type] ?? 1,
          arbitrary: body.map((known): JsonObject => ({ type, ...known })),
        })),
      ),
      strangers,
    )
    .map(([known, more]) => ({ ...more, ...known }))

/** A patch: most are valid, some have a member too many or of the wrong kind. */
export const patch = (id: Ids): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant("entry_patch"), entryId: id, patch: fc.record({ message }) }),
    },
    {
      weight: 3,
      arbitrary: members(
        {
          title: oddString,
          titleSource: fc.constantFrom("auto", "user"),
          cwd: oddString,
          starred: fc.boolean(),
        },
        [],
      ).map((members): JsonObject => ({ type: "header_patch", patch: members })),
    },
    {
      weight: 5,
      arbitrary: fc.oneof(id, fc.constant(null)).map((leafId): JsonObject => ({ type: "header_patch", patch: { leafId } })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("header_patch", "entry_patch"), id, json, strangers)
        .map(([type, entryId, value, more]): JsonObject => ({ type, entryId, patch: value, ...more })),
    },
  )

/** The text of a record, with the bare numbers in it, and with or without space around its members; and the value that it reads as. */
export const lineOf = (record: JsonObject, spaced: boolean): Line => {
  const text = spaced ? JSON.stringify(record, null, 1).replace(/\n */g, " ") : JSON.stringify(record)
  const raw = text.replace(BARE, "$1")
  return { raw, value: JSON.parse(raw) }
}
