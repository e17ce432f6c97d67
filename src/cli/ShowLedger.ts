/** `annals show FILE` of a ledger session. */
import * as Effect from "effect/Effect"
import { ownString } from "../model/Json.ts"
import { nameOf } from "../session/LedgerRoom.ts"
import { summariseLedger } from "../view/LedgerSummary.ts"
import { ledgerSummaryLines } from "../view/LedgerSummaryView.ts"
import { childrenOf } from "./Children.ts"
import type { Forced } from "./Kind.ts"
import { loadLedgerFile } from "./LedgerLoading.ts"
import { noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { ledgersAtRest } from "./Sessions.ts"

interface Input {
  readonly file: string
  readonly json: boolean
  readonly format: Forced
}

export const showLedger = Effect.fnUntraced(function* ({ file, json, format }: Input) {
  const { style, columns } = yield* Output
  const byType = new Map<string, number>()
  const loaded = yield* loadLedgerFile(file, format, (record) => {
    const type = ownString(record, "type") ?? ""
    byType.set(type, (byType.get(type) ?? 0) + 1)
  })
  if (json) yield* noteDamage(loaded)
  const children = yield* childrenOf(file)
  const shown = summariseLedger({ ...loaded, name: nameOf(file), byType, children })
  yield* json ? printJson(shown) : printLines(ledgerSummaryLines(shown, { style, columns }))
}, Effect.provide(ledgersAtRest))
