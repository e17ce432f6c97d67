/** How fast texts and records pass the redactor, beside writing the same as JSON. */
import { readFileSync } from "node:fs"
import * as Result from "effect/Result"
import { makeRedactor } from "../../../src/redaction/Redactor.ts"
import { draw } from "../Draw.ts"
import { secretsOfHost } from "../Host.ts"
import { computed, runTask } from "../Task.ts"
import { wording } from "../Wording.ts"

export interface RedactInput {
  /** A JSON list of texts of source code. */
  readonly sources: string
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

/** Milliseconds of computing of one pass, over as many as take half a second: it is counted in steps of some milliseconds. */
const pass = (work: () => void): number => {
  // For the compiler.
  work()
  work()
  const since = computed()
  for (let passes = 1; ; passes++) {
    work()
    if (computed() - since >= 500) return (computed() - since) / passes
  }
}

const speed = (texts: ReadonlyArray<string>, work: (text: string) => unknown): number =>
  (megabytes(texts) / pass(() => texts.forEach((text) => void work(text)))) * 1_000

const lower = "abcdefghijklmnopqrstuvwxyz"

/** Lower-case words: nothing in them begins like a secret. */
const withoutCandidates = (length: number): string => {
  const { below } = draw("plain")
  const words = Array.from({ length: 400 }, () => Array.from({ length: 2 + below(6) }, () => lower.charAt(below(26))).join(""))
  let text = ""
  while (text.length < length) text += `${words[below(words.length)]} `
  return text
}

/** Microseconds of one call. */
const each = <A>(records: ReadonlyArray<A>, work: (record: A) => unknown): number =>
  (pass(() => records.forEach((record) => void work(record))) / records.length) * 1_000

await runTask<RedactInput, RedactOutput>(({ sources }) => {
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
    source: speed(texts, (text) => redactor.redactText(text)),
    plain: speed(plain, (text) => redactor.redactText(text)),
    json: speed(texts, (text) => JSON.stringify(text)),
    record: each(records, (record) => Result.getOrThrow(redactor.cleanRecord(record))),
    recordJson: each(records, (record) => JSON.stringify(record)),
  }
})
