/** `annals export FILE`: a ledger session as a Markdown document in the current directory, or in a folder of it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LedgerFiles } from "../session/LedgerFiles.ts"
import { visible } from "../view/Escape.ts"
import { Host } from "./Host.ts"
import { type Forced, needsLedger } from "./Kind.ts"
import { loadLedgerFile } from "./LedgerLoading.ts"
import { noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { ledgersAtRest } from "./Sessions.ts"
import { typedPath } from "./TypedPath.ts"

export interface ExportInput {
  readonly file: string
  readonly to: Option.Option<string>
  readonly timeZone: Option.Option<string>
  readonly json: boolean
  readonly format: Forced
}

const INSTEAD = "A tree session is read with annals show FILE and annals context FILE --full"

export const exportSession = Effect.fnUntraced(function* ({ file, to, timeZone, json, format }: ExportInput) {
  yield* needsLedger(file, format, INSTEAD)
  const { style } = yield* Output
  const { directory } = yield* Host
  yield* noteDamage(yield* loadLedgerFile(file, format))
  const path = yield* (yield* LedgerFiles).export(file, {
    root: directory,
    to: Option.getOrUndefined(to),
    timeZone: Option.getOrUndefined(timeZone),
  })
  if (json) return yield* printJson({ path })
  yield* printLines([`${style.green("✓")} ${style.bold(visible(typedPath(directory, path)))}`])
}, Effect.provide(ledgersAtRest))
