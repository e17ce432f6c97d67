/** `annals show FILE` */
import * as Effect from "effect/Effect"
import { summarise } from "../view/Summary.ts"
import { summaryLines } from "../view/SummaryView.ts"
import { type Forced, kindOf } from "./Kind.ts"
import { lazily } from "./Lazily.ts"
import { load, noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"

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

export const show = Effect.fnUntraced(function* (input: ShowInput) {
  if ((yield* kindOf(input.file, input.format)) !== "ledger") return yield* showTree(input)
  yield* lazily(
    () => import("./ShowLedger.ts"),
    ({ showLedger }) => showLedger(input),
  )
})
