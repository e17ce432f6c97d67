/** `annals show FILE` */
import * as Effect from "effect/Effect"
import { summarise } from "../view/Summary.ts"
import { summaryLines } from "../view/SummaryView.ts"
import { type Forced, load, noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"

export interface ShowInput {
  readonly file: string
  readonly json: boolean
  readonly format: Forced
}

export const show = Effect.fnUntraced(function* ({ file, json, format }: ShowInput) {
  const { style, columns } = yield* Output
  const loaded = yield* load(file, format)
  if (json) yield* noteDamage(loaded)
  const summary = summarise(loaded)
  yield* json ? printJson(summary) : printLines(summaryLines(summary, { style, columns }))
})
