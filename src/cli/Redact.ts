/** `annals redact FILE|-`: text or JSONL in, the same without secrets out. */
import * as Effect from "effect/Effect"
import { Files } from "../disk/Files.ts"
import { ReadError } from "../journal/Reader.ts"
import { LineCleaner, type LineFinding } from "../redaction/LineCleaner.ts"
import { Redaction } from "../redaction/Redaction.ts"
import { findingLines } from "../view/FindingView.ts"
import { Host } from "./Host.ts"
import { InputError } from "./InputLines.ts"
import { Output } from "./Output.ts"
import { printJson } from "./Print.ts"
import { chunksOf, RawLines } from "./RawLines.ts"
import { redaction } from "./Sessions.ts"

export interface RedactInput {
  readonly file: string
  readonly json: boolean
}

const STDIN = "-"

async function* asAsync(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Cleans chunk by chunk; each piece is written before the next is read. */
export const redact = Effect.fnUntraced(function* ({ file, json }: RedactInput) {
  const { write, note, noteStyle } = yield* Output
  const host = yield* Host
  const disk = yield* Files
  const cleaner = new LineCleaner(yield* Redaction)
  const lines = new RawLines()
  const findings: Array<LineFinding> = []
  const put = Effect.fnUntraced(function* (clean: string) {
    findings.push(...cleaner.takeFindings())
    if (!json && clean !== "") yield* write(clean)
  })
  const chunks = (file === STDIN ? host.input() : asAsync(chunksOf(disk, file)))[Symbol.asyncIterator]()
  const next = Effect.tryPromise({
    try: () => chunks.next(),
    catch: (cause) => (cause instanceof ReadError ? cause : new InputError({ message: "The standard input cannot be read" })),
  })
  for (let chunk = yield* next; chunk.done !== true; chunk = yield* next) {
    let clean = ""
    for (const { text, bytes } of lines.push(chunk.value)) clean += cleaner.push(text, bytes)
    yield* put(clean)
  }
  let clean = ""
  for (const { text, bytes } of lines.end()) clean += cleaner.push(text, bytes)
  yield* put(clean + cleaner.end())
  if (json) return yield* printJson({ findings })
  for (const line of findingLines(findings)) yield* note(noteStyle.dim(line))
}, Effect.provide(redaction))
