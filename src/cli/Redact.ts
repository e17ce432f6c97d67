/** `annals redact FILE|-`: text or JSONL in, the same without secrets out. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Disk } from "../disk/Disk.ts"
import { Files } from "../disk/Files.ts"
import { ReadError } from "../journal/Reader.ts"
import { LineCleaner, type LineFinding } from "../redaction/LineCleaner.ts"
import { Redaction } from "../redaction/Redaction.ts"
import type { Redactor } from "../redaction/Redactor.ts"
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

/** What the whole of a file teaches. */
const learned = (disk: Disk, redactor: Redactor, file: string): Effect.Effect<Redactor, ReadError> =>
  Effect.suspend(() => {
    const cleaner = new LineCleaner(redactor)
    const lines = new RawLines()
    const done = Result.try(() => {
      for (const chunk of chunksOf(disk, file)) for (const { text, bytes } of lines.push(chunk)) cleaner.push(text, bytes)
      for (const { text, bytes } of lines.end()) cleaner.push(text, bytes)
      cleaner.end()
    })
    if (Result.isSuccess(done)) return Effect.succeed(cleaner.redactor)
    return done.failure instanceof ReadError ? Effect.fail(done.failure) : Effect.die(done.failure)
  })

/**
 * Cleans chunk by chunk; each piece is written before the next is read. A file is read twice, so that what its end teaches goes from its
 * beginning; a pipe is given on as it comes.
 */
export const redact = Effect.fnUntraced(function* ({ file, json }: RedactInput) {
  const { write, note, noteStyle } = yield* Output
  const host = yield* Host
  const disk = yield* Files
  const redactor = yield* Redaction
  const cleaner = new LineCleaner(file === STDIN ? redactor : yield* learned(disk, redactor, file))
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
    yield* put(clean + cleaner.flush())
  }
  let clean = ""
  for (const { text, bytes } of lines.end()) clean += cleaner.push(text, bytes)
  yield* put(clean + cleaner.end())
  if (json) return yield* printJson({ findings })
  for (const line of findingLines(findings)) yield* note(noteStyle.dim(line))
}, Effect.provide(redaction))
