/** How fast texts and records pass the redactor, beside writing the same as JSON. */
import { readFileSync } from "node:fs"
import * as Result from "effect/Result"
import { makeRedactor } from "../../../src/redaction/Redactor.ts"
import { draw } from "../Draw.ts"
import { secretsOfHost } from "../Host.ts"
import { median } from "../Statistics.ts"
import { computed, runTask } from "../Task.ts"
import { wording } from "../Wording.ts"

export interface RedactInput {
  /** A JSON list of texts of source code. */
  readonly sources: string
  readonly repeats: number
}

export interface RedactOutput {
  /** Megabytes a second of computing. */
  readonly source: number
  readonly plain: number
  readonly json: number
  /** Microseconds of one record of 2 KB. */
  readonly record: number
  readonly recordJson: number
}

const megabytes = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6

/** The median speed of several passes over all texts; the first one is for the compiler. */
const speed = (texts: ReadonlyArray<string>, repeats: number, work: (text: string) => unknown): number => {
  const size = megabytes(texts)
  const speeds: Array<number> = []
  for (let n = 0; n <= repeats; n++) {
    const since = computed()
    for (const text of texts) work(text)
    speeds.push((size / (computed() - since)) * 1_000)
  }
  return median(speeds.slice(1))
}

const lower = "abcdefghijklmnopqrstuvwxyz"

/** Lower-case words: nothing in them begins like a secret. */
const withoutCandidates = (length: number): string => {
  const { below } = draw("plain")
  const words = Array.from({ length: 400 }, () => Array.from({ length: 2 + below(6) }, () => lower.charAt(below(26))).join(""))
  let text = ""
  while (text.length < length) text += `${words[below(words.length)]} `
  return text
}

/** Microseconds of one call, the median over groups of a thousand. */
const each = (records: ReadonlyArray<object>, repeats: number, work: (record: never) => unknown): number => {
  const times: Array<number> = []
  for (let n = 0; n <= repeats * 4; n++) {
    const since = computed()
    for (const record of records) work(record as never)
    times.push(((computed() - since) / records.length) * 1_000)
  }
  return median(times.slice(repeats))
}

await runTask<RedactInput, RedactOutput>(({ sources, repeats }) => {
  const redactor = makeRedactor({ environment: secretsOfHost() })
  const texts = JSON.parse(readFileSync(sources, "utf8")) as ReadonlyArray<string>
  const plain = Array.from({ length: 40 }, () => withoutCandidates(100_000))
  if (plain.some((text) => redactor.redactText(text).findings.length > 0)) throw new Error("the plain text holds a candidate")
  const { code } = wording(draw("records"))
  const records = Array.from({ length: 1_000 }, (_, n) => ({
    type: "message",
    id: String(n),
    parentId: null,
    message: { role: "toolResult", content: [{ type: "text", text: code(1_850) }], isError: false },
  }))
  return {
    source: speed(texts, repeats, (text) => redactor.redactText(text)),
    plain: speed(plain, repeats, (text) => redactor.redactText(text)),
    json: speed(texts, repeats, (text) => JSON.stringify(text)),
    record: each(records, repeats, (record) => Result.getOrThrow(redactor.cleanRecord(record))),
    recordJson: each(records, repeats, (record) => JSON.stringify(record)),
  }
})
