/** The places a secret turns up in: each puts one into a whole record, as a session would write it. */
import type { Json, JsonObject } from "../../src/model/Json.ts"
import type { Sample, SecretClass } from "./Sample.ts"
import type { Seeded } from "./Seeded.ts"

export interface Placed {
  /** One record, or two in a row of one source. */
  readonly records: ReadonlyArray<JsonObject>
  /** What scanners of files are given: the text as a file would hold it. */
  readonly file: string
}

/** How a secret is taken apart, if it is. */
export type Cut = "whole" | "truncated" | "blocks" | "records"

export interface Context {
  readonly name: string
  readonly cut: Cut
  readonly place: (sample: Sample, kind: SecretClass, random: Seeded) => Placed
}

const message = (content: Json): JsonObject => ({
  type: "message",
  id: "0a1b2c3d",
  parentId: null,
  timestamp: "2026-01-02T03:04:05.678Z",
  message: { role: "assistant", content, stopReason: "stop", timestamp: 1_790_000_003_000 },
})

const said = (text: string): JsonObject => message([{ type: "text", text }])

const answered = (...texts: ReadonlyArray<string>): JsonObject => ({
  type: "message",
  id: "1a2b3c4d",
  parentId: "0a1b2c3d",
  timestamp: "2026-01-02T03:04:06.678Z",
  message: {
    role: "toolResult",
    toolCallId: "call_1",
    toolName: "bash",
    content: texts.map((text) => ({ type: "text", text })),
    isError: false,
  },
})

const resulted = (content: string): JsonObject => ({
  t: "2026-09-23T20:15:09.000Z",
  type: "tool_results",
  message: { role: "user", content: [{ type: "tool_result", toolUseId: "call_1", content, isError: false }] },
  calls: [{ toolUseId: "call_1", name: "read", durationMs: 31 }],
})

/** Two neighbouring blocks of one message, as tools, models and people write them. */
const inBlocks = (random: Seeded, first: string, second: string): JsonObject => {
  const blocks = [first, second].map((text) => ({ type: "text", text }))
  return random.pick([
    answered(first, second),
    message(blocks),
    { t: "2026-09-23T20:15:04.000Z", type: "assistant", step: 1, response: { content: blocks, stopReason: "end_turn" } },
    { t: "2026-09-23T20:15:01.000Z", type: "user", message: { role: "user", content: blocks } },
  ])
}

/** Two results of one call, one after the other. */
const inRecords = (random: Seeded, first: string, second: string): ReadonlyArray<JsonObject> => {
  const record = random.pick([answered, resulted])
  return [record(first), record(second)]
}

const called = (input: Json): JsonObject => message([{ type: "toolCall", id: "call_1", name: "set", arguments: input }])

/** A value that only a name gives away stands beside its name wherever the place has none. */
const withName = ({ text, name }: Sample, kind: SecretClass): string => (kind === "N" ? `${name}=${text}` : text)

/** Quotes for a shell, which a text of several lines needs. */
const quoted = (text: string): string => (/^[\w./+=:@%~,-]+$/.test(text) ? text : `'${text}'`)

const camel = (name: string): string => name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Every character as an escape of JSON, within quotes. */
const escaped = (text: string): string =>
  [...Array(text.length).keys()].map((n) => `\\u${text.charCodeAt(n).toString(16).padStart(4, "0")}`).join("")

const inText = (
  name: string,
  write: (text: string, sample: Sample, random: Seeded) => string,
  record: (text: string) => JsonObject = said,
): Context => ({
  name,
  cut: "whole",
  place: (sample, kind, random) => {
    const file = write(withName(sample, kind), sample, random)
    return { records: [record(file)], file }
  },
})

/** A place that has a name for the value. */
const named = (name: string, write: (sample: Sample) => string, record: (text: string) => JsonObject = said): Context => ({
  name,
  cut: "whole",
  place: (sample) => {
    const file = write(sample)
    return { records: [record(file)], file }
  },
})

/** A place in the record itself, so that scanners of files get the record's line. */
const inRecord = (name: string, make: (text: string, sample: Sample) => JsonObject): Context => ({
  name,
  cut: "whole",
  place: (sample, kind) => {
    const record = make(withName(sample, kind), sample)
    return { records: [record], file: JSON.stringify(record) }
  },
})

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const PLAIN: ReadonlyArray<Context> = [
  inText("bare line", (text) => `before\n${text}\nafter`, resulted),
  named("export", ({ name, text }) => `export ${name}=${quoted(text)}\n`),
  named("json value", ({ name, text }) => JSON.stringify({ id: 7, [camel(name)]: text, region: "eu" }, null, 2), resulted),
  named(
    "tool result",
    ({ name, text }) => `{\n  "output": ${JSON.stringify(`$ env\n${name}=${text}\nHOME=/home/dev\n`)}\n}`,
    resulted,
  ),
  inText(
    "path",
    (text) => (text.includes("\n") ? `/home/dev/keys/${text}` : `/home/dev/keys/${text}/file.ts`),
    (path) => called({ path }),
  ),
  inText(
    "error",
    (text) => `Error: ENOENT: no such file or directory, open '${text}'\n    at open (node:internal/fs:1:2)`,
    resulted,
  ),
  named("yaml block", ({ name, text }) => `${name.toLowerCase()}: |\n${text.replace(/^/gm, "  ")}\nnext: 1\n`, resulted),
  named("ini", ({ name, text }) => `[service]\n${name.toLowerCase()} = ${text}\nretries = 3\n`, resulted),
  named("shell history", ({ name, text }) => `: 1790000000:0;export ${name}=${quoted(text)} && ./deploy.sh\n`, resulted),
  inText("diff", (text) => `@@ -1,2 +1,2 @@\n-old\n${text.replace(/^/gm, "+")}\n unchanged\n`, resulted),
  inText("markdown fence", (text) => `Use this:\n\`\`\`\n${text}\n\`\`\`\nand nothing else.`),
  inText("ansi colour", (text) => `\u001b[1m>\u001b[0m \u001b[31m${text}\u001b[0m done`, resulted),
  named("crlf", ({ name, text }) => `A=1\r\n${name}=${text.replaceAll("\n", "\r\n")}\r\nB=2\r\n`, resulted),
  inText("utf-16", (text) => Buffer.from(`${text}\n`, "utf16le").toString("latin1"), resulted),
]

const ENCODED: ReadonlyArray<Context> = [
  inText("url query", (text) => `GET https://example.com/?a=1&q=${encodeURIComponent(text)}&b=2`),
  inText(
    "url in json",
    (text) => JSON.stringify({ request: { url: `https://example.com/?q=${encodeURIComponent(text)}#top` } }),
    resulted,
  ),
  inText("base64 of user", (text) => `auth: ${base64(`user:${text}`)}`),
  named("base64 file", ({ name, text }) => base64(`# settings\nREGION=eu\n${name}=${text}\nDEBUG=0\n`), resulted),
  named(
    "base64 lines",
    ({ name, text }) => (base64(`REGION=eu\n${name}=${text}\nDEBUG=0\n`).match(/.{1,76}/g) ?? []).join("\n"),
    resulted,
  ),
  inText("unicode escapes", (text) => `{"value":"${escaped(text)}"}`, resulted),
]

const STRUCTURED: ReadonlyArray<Context> = [
  inRecord("nested arguments", (text, { name }) =>
    called({ payload: JSON.stringify({ body: JSON.stringify({ [name.toLowerCase()]: text }) }) }),
  ),
  inRecord("object key", (text) => called({ [text]: { seen: true }, other: 2 })),
  inRecord("key name", (text) => ({ type: "custom", customType: "cache", data: { deep: [{ [text]: 1 }] } })),
  inRecord("title", (text) => ({ type: "title", title: `Rotate ${text} today` })),
]

const cutInto = (text: string, at: number): readonly [string, string] => [text.slice(0, at), text.slice(at)]

const CUT: ReadonlyArray<Context> = [
  {
    name: "truncated to 60 %",
    cut: "truncated",
    place: (sample, kind) => {
      const text = withName(sample, kind)
      const file = `$ cat notes\n${text.slice(0, Math.ceil(text.length * 0.6))}`
      return { records: [resulted(file)], file }
    },
  },
  {
    name: "split inside one message",
    cut: "blocks",
    place: (sample, kind, random) => {
      const text = `see ${withName(sample, kind)}\nend`
      const [first, second] = cutInto(text, Math.floor((text.length * random.between(20, 80)) / 100))
      return { records: [inBlocks(random, first, second)], file: `${first}\n${second}` }
    },
  },
  {
    name: "split over two records",
    cut: "records",
    place: (sample, kind, random) => {
      const text = withName(sample, kind)
      const [first, second] = cutInto(`line 1\n${text}\nline 3`, 7 + Math.floor((text.length * random.between(20, 80)) / 100))
      return { records: inRecords(random, first, second), file: `${first}\n${second}` }
    },
  },
]

export const CONTEXTS: ReadonlyArray<Context> = [...PLAIN, ...ENCODED, ...STRUCTURED, ...CUT]
