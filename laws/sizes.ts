/** The law of what is large: cut texts, images in blobs, and a reload that shows what the live session showed. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { isObject, type Json, type JsonArray, type JsonObject, own } from "../src/model/Json.ts"
import { MAX_STRING_UNITS } from "../src/model/Limits.ts"
import { Redaction } from "../src/redaction/Redaction.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import type { TreeCommand } from "../src/tree/Command.ts"
import { imagesIn } from "../src/tree/Images.ts"
import { NOTICE } from "../src/tree/Sizes.ts"
import { isWorthABlob, type Long, long, pictured, textOf } from "./arbitraries/images.ts"
import { FOLDER, storeOn, written } from "./arbitraries/store.ts"
import { type Budget, Coverage, type Law, parameters } from "./Law.ts"
import { everythingOn } from "./store.ts"

const PATH = `${FOLDER}/session.jsonl`

/** A secret that the environment holds. */
const SECRET = ["hunter2", "correct", "horse"].join("-")

/** Something large, and where a host puts it. */
type Large =
  | { readonly as: "message" | "tool result" | "custom message"; readonly message: JsonObject }
  | { readonly as: "text" | "details" | "data"; readonly long: Long }

const large: fc.Arbitrary<Large> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      as: fc.constantFrom("message" as const, "tool result" as const, "custom message" as const),
      message: pictured,
    }),
  },
  { weight: 2, arbitrary: fc.record({ as: fc.constantFrom("text" as const, "details" as const, "data" as const), long }) },
)

const commandOf = (given: Large): TreeCommand => {
  switch (given.as) {
    case "message":
      return { do: "message", message: { ...given.message, role: "user" } }
    case "tool result":
      return { do: "message", message: { ...given.message, role: "toolResult" } }
    case "custom message":
      return { do: "customMessage", customType: "shot", content: own(given.message, "content") as JsonArray, display: true }
    case "text":
      return { do: "message", message: { role: "toolResult", content: [{ type: "text", text: textOf(given.long, SECRET) }] } }
    case "details": {
      const details = { content: textOf(given.long, SECRET), lineCount: 1, jsonlEvents: [1] }
      return { do: "message", message: { role: "toolResult", content: [], details } }
    }
    case "data":
      return { do: "custom", customType: "big", data: { list: [textOf(given.long, SECRET)] } }
  }
}

const stringsOf = (value: Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(stringsOf)
  return isObject(value) ? Object.values(value).flatMap(stringsOf) : []
}

const same = (what: string, actual: string, expected: string): void => {
  if (actual !== expected) throw new Error(`${what} differs: ${actual.slice(0, 300)} / ${expected.slice(0, 300)}`)
}

/** What a line of the file may hold. */
const judgeLine = (line: string, coverage: Coverage): void => {
  const record = JSON.parse(line) as JsonObject
  for (const text of stringsOf(record)) {
    if (text.length > MAX_STRING_UNITS) throw new Error(`a string of ${text.length} units was written`)
    if (!text.isWellFormed()) throw new Error("a string ends in half a code point")
    if (/\[REDACTED[^\]]{0,40}\n\n\[Session/.test(text.slice(-200))) throw new Error("a marker was cut in two")
    coverage.hit("a text that was cut", text.endsWith(NOTICE))
    coverage.hit("a long text that was not", text.length > MAX_STRING_UNITS - 2 && !text.endsWith(NOTICE))
  }
  for (const { form, text } of imagesIn(record)) {
    const base64 = form === "base64" ? text : text.slice(text.indexOf(",") + 1)
    if (isWorthABlob(base64)) throw new Error("an image stayed in its line")
    coverage.hit(text.startsWith("blob:") ? `a ${form} in a blob` : "an image in its line")
  }
  if (own(record, "jsonlEvents") !== undefined || line.includes('"jsonlEvents"')) throw new Error("a stream's rest was written")
}

const kept = (budget: Budget): Promise<void> => {
  const coverage = new Coverage()
  const property = fc.asyncProperty(fc.array(large, { minLength: 1, maxLength: 3 }), async (given) => {
    const disk = new SimulatedDisk()
    await Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* TreeStore
        const redactor = yield* Redaction
        const { session } = yield* store.create({ cwd: "/w", path: PATH })
        for (const each of given) {
          yield* session.dispatch(commandOf(each))
          const live = yield* session.state
          const loaded = yield* store.load(PATH)
          same("the replay", written(redactor, loaded.state), written(redactor, live))
          if (loaded.blobs.length > 0) throw new Error(`not to be had: ${JSON.stringify(loaded.blobs)}`)
        }
      }).pipe(Effect.scoped, Effect.provide(storeOn(disk, { environment: { API_TOKEN: SECRET } }))),
    )
    for (const line of (disk.text(PATH) ?? "").split("\n").slice(1, -1)) judgeLine(line, coverage)
    const half = new RegExp(`${SECRET.slice(0, 6)}|${SECRET.slice(-6)}`)
    if (half.test(everythingOn(disk))) throw new Error("a part of a secret was written")
  })
  const classes = ["a text that was cut", "a long text that was not", "an image in its line"]
  return fc
    .assert(property, parameters(budget))
    .then(() => coverage.demand(budget, [...classes, "a base64 in a blob", "a data-url in a blob"], 30))
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "RPL-4",
    sentence:
      "With texts that are too long and images that lie in blobs the replay still equals the live state; no written text is longer than the limit, none ends in half a code point or half a secret, and no image that is worth a blob stays in its line.",
    runs: 30,
    deepRuns: 500,
    check: kept,
  },
]
