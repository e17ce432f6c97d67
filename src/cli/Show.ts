/** `annals show FILE` */
import * as Effect from "effect/Effect"
import { ownString } from "../model/Json.ts"
import { nameOf } from "../session/LedgerRoom.ts"
import { summariseLedger } from "../view/LedgerSummary.ts"
import { ledgerSummaryLines } from "../view/LedgerSummaryView.ts"
import { summarise } from "../view/Summary.ts"
import { summaryLines } from "../view/SummaryView.ts"
import { childrenOf } from "./Children.ts"
import { type Forced, kindOf } from "./Kind.ts"
import { load, loadLedgerFile, noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { ledgersAtRest } from "./Sessions.ts"

export interface ShowInput {
  readonly file: string
  readonly json: boolean
  readonly format: Forced
}

const showTree = Effect.fnUntraced(function* ({ file, json }: ShowInput) {
  const { style, columns } = yield* Output
  const loaded = yield* load(file)
  if (json) yield* noteDamage(loaded)
  const summary = summarise(loaded)
  yield* json ? printJson(summary) : printLines(summaryLines(summary, { style, columns }))
})

const showLedger = Effect.fnUntraced(function* ({ file, json, format }: ShowInput) {
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

export const show = Effect.fnUntraced(function* (input: ShowInput) {
  yield* (yield* kindOf(input.file, input.format)) === "ledger" ? showLedger(input) : showTree(input)
})
