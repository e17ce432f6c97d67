/**
 * Conversations with tool calls: batches whose results come in order, out of order, twice, late or never, one behind the other or side by
 * side; and among them what changes a context: compactions, edits, resets, branches.
 */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../../src/model/Json.ts"
import { lineOf } from "./records.ts"
import type { Session } from "./tree.ts"

/** An entry that an id field names: its place among those before, from the last one backwards. */
const back = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 4 }) }, { weight: 1, arbitrary: fc.nat({ max: 40 }) })

const text = (value: string): JsonObject => ({ type: "text", text: value })

const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "c") },
  { weight: 1, arbitrary: fc.constantFrom("", " \n") },
  { weight: 1, arbitrary: fc.constantFrom("cut \ud83d", "\udc00") },
)

const blocks: fc.Arbitrary<ReadonlyArray<Json>> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: words.map(text) },
    { weight: 1, arbitrary: fc.constantFrom<Json>({ type: "image", data: "AA==" }, null, { type: "text" }) },
  ),
  { maxLength: 2 },
)

const content: fc.Arbitrary<Json> = fc.oneof(words, blocks)

const edit = fc.record({
  do: fc.constant("edit" as const),
  target: back,
  replacement: fc.oneof(fc.constant(null), fc.record({ content })),
})

const reset = fc.record({ do: fc.constant("reset" as const) })

/** Something among the entries of a turn. */
const aside = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ do: "nothing" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("compaction" as const),
      first: fc.nat({ max: 10 }),
      system: fc.boolean(),
      /** What stands directly before it, so that it is often among what is kept. */
      lead: fc.constantFrom("nothing" as const, "edit" as const, "reset" as const),
      edit,
    }),
  },
  { weight: 2, arbitrary: edit },
  fc.record({ do: fc.constant("say" as const), message: fc.record({ role: fc.constantFrom("user", "system"), content }) }),
  fc.record({
    do: fc.constant("say" as const),
    message: fc.record({
      role: fc.constant("bashExecution"),
      command: words,
      output: words,
      excludeFromContext: fc.boolean(),
    }),
  }),
  fc.record({ do: fc.constant("tell" as const), content }),
  reset,
)

type Aside = typeof aside extends fc.Arbitrary<infer A> ? A : never

const turn = fc.record({
  ask: content,
  head: blocks,
  thinking: fc.constantFrom("none" as const, "signed" as const, "unsigned" as const),
  model: fc.constantFrom("m", "n"),
  calls: fc.nat({ max: 3 }),
  /** How the calls of the turn are named: anew, as in other turns, twice the same, or not at all. */
  naming: fc.oneof(
    { weight: 8, arbitrary: fc.constant("anew" as const) },
    { weight: 1, arbitrary: fc.constantFrom("again" as const, "twice" as const, "nameless" as const) },
  ),
  /** The calls that are answered, in the order of the answers; or all of them in call order, or so and the first one again. */
  answers: fc.oneof(
    { weight: 3, arbitrary: fc.constant("all" as const) },
    { weight: 1, arbitrary: fc.constant("again" as const) },
    { weight: 3, arbitrary: fc.array(fc.nat({ max: 3 }), { maxLength: 4 }) },
  ),
  siblings: fc.boolean(),
  output: content,
  between: aside,
  after: aside,
  /** Where the next turn goes on, when it is not at the end of this one. */
  branch: fc.option(back, { freq: 4, nil: undefined }).map((place) => (place === undefined || place > 6 ? undefined : place)),
})

type Turn = typeof turn extends fc.Arbitrary<infer A> ? A : never

/** The entries made so far, each attached to the one before unless it says otherwise. */
class Script {
  readonly records: Array<JsonObject> = []
  leaf: string | null = null

  /** The id of the entry so many places back, or of none. */
  named(place: number): string {
    return String(this.records.at(-1 - place)?.["id"] ?? "gone")
  }

  add(members: JsonObject, parentId: string | null = this.leaf): string {
    const id = `e${this.records.length}`
    this.records.push({ id, parentId, timestamp: "2026-01-01T00:00:00.000Z", ...members })
    this.leaf = id
    return id
  }

  say(message: JsonObject, parentId?: string | null): string {
    return this.add({ type: "message", message }, parentId)
  }

  aside(given: Aside): void {
    if (given.do === "say") this.say(given.message)
    if (given.do === "tell") this.add({ type: "custom_message", customType: "x", content: given.content, display: true })
    if (given.do === "reset") this.add({ type: "reset_boundary" })
    if (given.do === "edit")
      this.add({ type: "context_edit", targetId: this.named(given.target), replacement: given.replacement as Json })
    if (given.do !== "compaction") return
    if (given.lead !== "nothing") this.aside(given.lead === "edit" ? given.edit : { do: "reset" })
    const system = given.system ? { systemMessage: { role: "system", content: "" } } : {}
    this.add({ type: "compaction", summary: "S", firstKeptEntryId: this.named(given.first), tokensBefore: 1, ...system })
  }
}

const callIds = ({ calls, naming }: Turn, n: number): ReadonlyArray<string | undefined> =>
  Array.from({ length: calls }, (_, call) => {
    if (naming === "nameless" && call === 0) return undefined
    if (naming === "twice" && call === 1) return `t${n}.0`
    return naming === "again" ? `c${call}` : `t${n}.${call}`
  })

const play = (script: Script, given: Turn, n: number): void => {
  script.say({ role: "user", content: given.ask })
  const ids = callIds(given, n)
  const calls = ids.map(
    (id): JsonObject => ({ type: "toolCall", ...(id === undefined ? {} : { id }), name: "bash", arguments: {} }),
  )
  const thoughts: ReadonlyArray<Json> = {
    none: [],
    signed: [{ type: "thinking", thinking: "", thinkingSignature: "s" }],
    unsigned: [{ type: "thinking", thinking: "t" }],
  }[given.thinking]
  const content = [...thoughts, ...given.head, ...calls]
  const caller = script.say({ role: "assistant", provider: "p", model: given.model, content })
  const all = [...ids.keys()]
  const answers = given.answers === "all" ? all : given.answers === "again" ? [...all, 0] : given.answers
  answers.forEach((call, place) => {
    const toolCallId = ids[call] ?? `stray${call}`
    const message = { role: "toolResult", toolCallId, toolName: "bash", content: given.output, isError: false, place }
    script.say(message, given.siblings ? caller : undefined)
    if (place === 0) script.aside(given.between)
  })
  script.aside(given.after)
  if (given.branch !== undefined) script.leaf = script.named(given.branch)
}

/** A conversation as a session of version 3 or 5. */
export const conversation: fc.Arbitrary<Session> = fc
  .tuple(fc.array(turn, { minLength: 1, maxLength: 5, size: "large" }), fc.constantFrom(3, 5))
  .map(([turns, version]) => {
    const script = new Script()
    turns.forEach((given, n) => {
      play(script, given, n)
    })
    const header: JsonObject = { type: "session", version, id: "S", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" }
    const lines = [header, ...script.records].map((record) => lineOf(record, false))
    return { version, form: "bushy", headless: false, lines }
  })
