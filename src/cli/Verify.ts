/** `annals verify FILE…` */
import * as Effect from "effect/Effect"
import { damageLines, isMendable } from "../view/DamageView.ts"
import { visible } from "../view/Escape.ts"
import { failureLines } from "../view/FailureView.ts"
import { bytes, count, integer } from "../view/Quantity.ts"
import { shellWord } from "../view/ShellWord.ts"
import type { Style } from "../view/Style.ts"
import { fill, fillLeft, width } from "../view/Width.ts"
import { Ended } from "./Ended.ts"
import type { Forced } from "./Kind.ts"
import { noteBlobs } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { errorJson, type Report, reportOf } from "./Report.ts"
import { type Verification, verifyFile } from "./Verification.ts"

export interface VerifyInput {
  readonly files: ReadonlyArray<string>
  readonly json: boolean
  readonly jsonl: boolean
  readonly format: Forced
}

/** A file that was verified, or why it could not be. */
interface Verified {
  readonly path: string
  readonly found: Verification | undefined
  readonly report: Report | undefined
}

const INTEGRITY = 5

const verified = (path: string, format: Forced) =>
  verifyFile(path, format).pipe(
    Effect.map((found): Verified => {
      return { path, found, report: found.refusal === undefined ? undefined : reportOf(found.refusal) }
    }),
    Effect.catch((error) => Effect.succeed<Verified>({ path, found: undefined, report: reportOf(error) })),
  )

const jsonOf = ({ path, found, report }: Verified): object => {
  const error = report === undefined ? {} : { error: errorJson(report) }
  if (found === undefined) return { path, ok: false, ...error }
  const { refusal: _, ...rest } = found
  return { ...rest, ...error }
}

const kindOf = ({ format, dialect, version }: Verification): string => {
  if (format === "ledger") return "ledger"
  return format === "unknown" ? "no session" : `${dialect ?? "tree"} ${JSON.stringify(version).slice(0, 12)}`
}

/** The columns of the paths, so that what is said of each file stands under what is said of the one before. */
const MAX_PATH_COLUMNS = 70

const fileLines = ({ path, found, report }: Verified, pathColumns: number, style: Style): ReadonlyArray<string> => {
  const name = fill(visible(path), pathColumns)
  if (found === undefined) return [`${style.red("✗")} ${name}  ${style.red(report?.code ?? "")}`]
  const facts = `${fill(kindOf(found), 12)}  ${fillLeft(count(found.records, "record"), 14)}  ${fillLeft(bytes(found.bytes), 8)}`
  const damage = found.damage.length === 0 ? "" : `  ${style.red(count(found.damage.length, "damage"))}`
  const refusal = report === undefined ? "" : `  ${style.red(report.code)}`
  return [
    `${found.ok ? style.green("✓") : style.red("✗")} ${name}  ${style.dim(facts)}${damage}${refusal}`,
    ...damageLines(found.damage, style).map((line) => `    ${line}`),
    ...missingLines(found, style),
  ]
}

/** What the mark beside a session tells. Nobody can bring it back, so it says what else there may be. */
const missingLines = ({ missing }: Verification, style: Style): ReadonlyArray<string> =>
  missing === undefined
    ? []
    : [
        `    ${style.red(count(missing.records, "acknowledged record"))} ${missing.records === 1 ? "is" : "are"} missing at the end: the file was ${bytes(missing.bytes)} longer when the disk confirmed it`,
      ]

const isDamaged = ({ found }: Verified): boolean => (found?.damage.length ?? 0) > 0 || found?.missing !== undefined

const closing = (all: ReadonlyArray<Verified>): string => {
  const damaged = all.filter(isDamaged).length
  const failed = all.filter(({ report }) => report !== undefined).length
  const parts = [
    count(all.length, "file"),
    ...(damaged === 0 ? [] : [`${integer(damaged)} with damage`]),
    ...(failed === 0 ? [] : [`${integer(failed)} not usable`]),
  ]
  return damaged + failed === 0 ? `${parts.join(", ")}, no damage` : parts.join(", ")
}

/** What is told beside the result: why files could not be used, and how the first damaged one is mended. */
const notes = (all: ReadonlyArray<Verified>, style: Style): ReadonlyArray<string> => {
  const failures = all.flatMap(({ report }) => (report === undefined ? [] : failureLines(report, style)))
  const mendable = all.find(({ found }) => found?.damage.some(({ kind }) => isMendable(kind, found.format)) === true)
  const path = shellWord(mendable?.path ?? "")
  return [
    ...failures,
    ...(mendable === undefined ? [] : [style.dim(`next: annals repair ${path}   (shows a plan, changes nothing)`)]),
  ]
}

/** The exit code of a run: that of the first file that could not be used, else 5 for damage. */
const exitOf = (all: ReadonlyArray<Verified>): number =>
  all.find(({ report }) => report !== undefined)?.report?.exit ?? (all.some(isDamaged) ? INTEGRITY : 0)

export const verify = Effect.fnUntraced(function* ({ files, json, jsonl, format }: VerifyInput) {
  const { style, noteStyle, note } = yield* Output
  const isText = !json && !jsonl
  const pathColumns = Math.min(Math.max(...files.map((path) => width(visible(path)))), MAX_PATH_COLUMNS)
  const all: Array<Verified> = []
  for (const path of files) {
    const one = yield* verified(path, format)
    all.push(one)
    if (jsonl) yield* printLines([JSON.stringify({ schemaVersion: 1, ...jsonOf(one) })])
    else if (isText) yield* printLines(fileLines(one, pathColumns, style))
  }
  const failed = all.find(({ report }) => report !== undefined)?.report
  if (json) yield* printJson({ files: all.map(jsonOf), ...(failed === undefined ? {} : { error: errorJson(failed) }) })
  if (isText && files.length > 1) yield* printLines(["", closing(all)])
  for (const { path, found } of all) yield* noteBlobs({ path, blobs: found?.blobs ?? [] })
  if (isText) yield* Effect.forEach(notes(all, noteStyle), note, { discard: true })
  const exit = exitOf(all)
  if (exit !== 0) return yield* new Ended({ exit })
})
