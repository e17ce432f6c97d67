/** The law that no secret reaches a disk, judged by an oracle that reads every byte and every name on it. */
import * as Effect from "effect/Effect"
import { SimulatedDisk } from "../src/disk/SimulatedDisk.ts"
import { isObject, type JsonObject, ownObject } from "../src/model/Json.ts"
import { MIN_BLOB_UNITS } from "../src/model/Limits.ts"
import { TreeStore } from "../src/session/TreeStore.ts"
import type { TreeCommand } from "../src/tree/Command.ts"
import type { Planted } from "./arbitraries/secrets.ts"
import { storeOn } from "./arbitraries/store.ts"
import type { Law } from "./Law.ts"
import { neverWritten } from "./redaction.ts"

/** Everything that is on a disk: the names, and the bytes of every file. */
export const everythingOn = (disk: SimulatedDisk): string =>
  disk
    .paths()
    .map((path) => {
      const bytes = disk.bytes(path)
      return `${path}\n${bytes === undefined ? "" : new TextDecoder().decode(bytes)}`
    })
    .join("\n")

/** All strings of a record, with what stands around them: what a host would put into commands of other kinds. */
export const stringsOf = (record: JsonObject): ReadonlyArray<string> => {
  const found: Array<string> = []
  const todo: Array<unknown> = [record]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === "string") found.push(next)
    else if (Array.isArray(next)) todo.push(...next)
    else if (isObject(next)) todo.push(...Object.keys(next), ...Object.values(next))
  }
  return found
}

/** An image that is the words, large enough for a blob: decoded, it would bring to light what base64 covers. */
const pictureOf = (words: string): JsonObject => {
  const data = Buffer.from(words.padEnd(MIN_BLOB_UNITS, " ")).toString("base64")
  return { type: "image", mimeType: "image/png", data }
}

/** Commands that carry the record, or its words, into every place of a session that a host can write to. */
const commandsWith = (record: JsonObject): ReadonlyArray<TreeCommand> => {
  const words = stringsOf(record).join("\n")
  const message = ownObject(record, "message") ?? { role: "user", content: [record] }
  return [
    { do: "message", message },
    { do: "custom", customType: "law", data: record },
    { do: "customMessage", customType: "law", content: words, display: true, details: record },
    { do: "title", title: words, source: "user" },
    { do: "mode", mode: "plan", data: { words } },
    { do: "branchWithSummary", to: null, summary: words, details: record },
    { do: "compaction", summary: words, firstKeptEntryId: "none", tokensBefore: 1, preserveData: record },
    { do: "init", systemPrompt: words, task: words, tools: [words] },
    { do: "model", model: words === "" ? "none" : words },
    { do: "message", message: { role: "user", content: [pictureOf(words), { type: "input_image", image_url: words }] } },
  ]
}

const PATH = "/store/session.jsonl"

/** A session that says the secret everywhere, its writes failing halfway, and what is then on the disk and on one that lost its power. */
const said = async ({ record, environment }: Planted): Promise<string> => {
  const disk = new SimulatedDisk()
  const words = stringsOf(record).join(" ")
  await Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* TreeStore
      const { session } = yield* store.create({ cwd: `/w/${words}`, path: PATH, title: words })
      for (const [n, command] of commandsWith(record).entries()) {
        if (n === 4) disk.fail((call) => call.operation === "write", "ENOSPC", { short: 100 })
        yield* Effect.exit(session.dispatch(command))
        yield* Effect.exit(session.recover)
      }
      const leaf = (yield* session.state).leaf
      if (leaf !== null) yield* Effect.exit(session.dispatch({ do: "label", target: leaf, label: words }))
      yield* Effect.exit(session.close)
      // A tail that is cut and put aside at the next opening.
      const torn = disk.bytes(PATH) ?? new Uint8Array()
      disk.put(PATH, torn.subarray(0, Math.max(0, torn.length - 30)))
      const again = yield* store.open(PATH)
      yield* again.session.dispatch({ do: "star", on: true })
    }).pipe(Effect.scoped, Effect.provide(storeOn(disk, { environment }))),
  )
  return `${everythingOn(disk)}\n${everythingOn(disk.crash((options) => options - 1))}`
}

export const laws: ReadonlyArray<Law> = [
  {
    id: "SEC-5",
    sentence:
      "Whatever a host says in any command of a session, through failed writes, recovery, a torn tail put aside and a power cut, no byte and no name on the disk holds a secret.",
    runs: 1_000,
    deepRuns: 12_000,
    check: neverWritten(said),
  },
]
