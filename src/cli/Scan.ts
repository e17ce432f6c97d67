/** `annals scan PATH…`: which secrets lie in files that are there already. Changes nothing, and prints nothing of what it finds. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Disk } from "../disk/Disk.ts"
import { Files } from "../disk/Files.ts"
import { attempt, ReadError } from "../journal/Reader.ts"
import { LineCleaner, type LineFinding } from "../redaction/LineCleaner.ts"
import { Redaction } from "../redaction/Redaction.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { visible } from "../view/Escape.ts"
import { findingLines, findingSentence } from "../view/FindingView.ts"
import { count, integer } from "../view/Quantity.ts"
import { Ended } from "./Ended.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { chunksOf, RawLines } from "./RawLines.ts"
import { redaction } from "./Sessions.ts"

export interface ScanInput {
  readonly paths: ReadonlyArray<string>
  readonly json: boolean
}

const INTEGRITY = 5

/** Directories that hold no transcripts, and very many files. */
const PASSED: ReadonlySet<string> = new Set([".git", "node_modules"])

interface Scanned {
  readonly path: string
  readonly findings: ReadonlyArray<LineFinding>
}

interface Omitted {
  readonly path: string
  readonly code: string
}

/** Bytes that are looked at to tell a file of text from another one. */
const LOOKED_AT = 8_192

/** Zero bytes tell that a file is no text; but in a journal they are damage. */
const isText = (path: string, first: Uint8Array): boolean => path.endsWith(".jsonl") || !first.subarray(0, LOOKED_AT).includes(0)

const blocking = <A>(work: () => A): Effect.Effect<A, ReadError> =>
  Effect.suspend(() => {
    const done = Result.try(work)
    if (Result.isSuccess(done)) return Effect.succeed(done.success)
    return done.failure instanceof ReadError ? Effect.fail(done.failure) : Effect.die(done.failure)
  })

/** The findings of a file; undefined for one that holds no text. Between two chunks it can be interrupted. */
const scanFile = Effect.fnUntraced(function* (disk: Disk, redactor: Redactor, path: string) {
  const cleaner = new LineCleaner(redactor)
  const lines = new RawLines()
  const chunks = chunksOf(disk, path)
  const read = Effect.gen(function* () {
    for (let isFirst = true; ; isFirst = false) {
      const next = yield* blocking(() => chunks.next())
      if (next.done === true) break
      if (isFirst && !isText(path, next.value)) return undefined
      for (const { text, bytes } of lines.push(next.value)) cleaner.push(text, bytes)
      yield* Effect.yieldNow
    }
    for (const { text, bytes } of lines.end()) cleaner.push(text, bytes)
    cleaner.end()
    return cleaner.takeFindings()
  })
  return yield* Effect.ensuring(
    read,
    Effect.sync(() => chunks.return(undefined)),
  )
})

/** The files at a path, those below it when it is a directory. Links below it are passed over, and so are pipes and devices. */
function* filesAt(disk: Disk, path: string): Generator<string> {
  const stat = attempt(path, () => disk.lstat(path))
  if (stat?.kind !== "directory") {
    yield path
    return
  }
  for (const name of attempt(path, () => disk.list(path))) {
    const below = join(path, name)
    const kind = attempt(below, () => disk.lstat(below))?.kind
    if (kind === "file" || (kind === "directory" && !PASSED.has(name))) yield* filesAt(disk, below)
  }
}

const scanAll = Effect.fnUntraced(function* (disk: Disk, redactor: Redactor, paths: ReadonlyArray<string>) {
  const scanned: Array<Scanned> = []
  const omitted: Array<Omitted> = []
  let count = 0
  for (const path of paths) {
    const files = filesAt(disk, path)
    for (let next = yield* blocking(() => files.next()); next.done !== true; next = yield* blocking(() => files.next())) {
      const file = next.value
      const found = yield* Effect.result(scanFile(disk, redactor, file))
      if (Result.isFailure(found)) {
        // A file that was named must be read; one below a directory may be left out, and is told.
        if (paths.includes(file)) return yield* found.failure
        omitted.push({ path: file, code: found.failure.reason.code })
      } else if (found.success !== undefined) {
        count++
        if (found.success.length > 0) scanned.push({ path: file, findings: found.success })
      }
    }
  }
  return { scanned, omitted, count }
})

export const scan = Effect.fnUntraced(function* ({ paths, json }: ScanInput) {
  const { style, note, noteStyle } = yield* Output
  const redactor = yield* Redaction
  const disk = yield* Files
  const { scanned, omitted, count: files } = yield* scanAll(disk, redactor, paths)
  const safe = (path: string): string => visible(redactor.redactText(path).text)
  if (json) {
    const shown = scanned.map(({ path, findings }) => ({ path: redactor.redactText(path).text, findings }))
    yield* printJson({ files: shown, scanned: files, omitted })
  } else {
    for (const { path, findings } of scanned)
      yield* printLines([
        `${style.red("✗")} ${style.bold(safe(path))}  ${findingSentence(findings)}`,
        ...findingLines(findings).map((line) => `    ${line}`),
      ])
    const sum = scanned.reduce((total, { findings }) => total + findings.length, 0)
    yield* printLines([
      sum === 0
        ? `${style.green("✓")} ${count(files, "file")}, no secret found`
        : `${count(files, "file")}, ${count(sum, "secret")} in ${integer(scanned.length)} of them`,
    ])
    for (const { path, code } of omitted) yield* note(`${noteStyle.yellow("!")} ${safe(path)}: ${code}`)
    if (sum > 0)
      yield* note(
        noteStyle.dim(
          "Take back what was found at whoever gave it out. annals redact FILE prints a file without it, and with --write takes it out of a session; a fork is without it too.",
        ),
      )
  }
  if (scanned.length > 0) return yield* new Ended({ exit: INTEGRITY })
}, Effect.provide(redaction))
