/** `annals context FILE` */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { buildSessionContext } from "../tree/Context.ts"
import { contextLines } from "../view/ContextView.ts"
import { entryIdOf } from "./EntryId.ts"
import { type Forced, load, noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"

export interface ContextInput {
  readonly file: string
  readonly leaf: Option.Option<string>
  readonly full: boolean
  readonly json: boolean
  readonly jsonl: boolean
  readonly format: Forced
}

function* jsonLines(values: Iterable<unknown>): Generator<string> {
  for (const value of values) yield JSON.stringify(value)
}

export const context = Effect.fnUntraced(function* ({ file, leaf, full, json, jsonl, format }: ContextInput) {
  const { style, columns } = yield* Output
  const loaded = yield* load(file, format)
  yield* noteDamage(loaded)
  const { state } = loaded
  const given = Option.getOrUndefined(leaf)
  const at =
    given === undefined
      ? state.leaf
      : given === "none"
        ? null
        : yield* entryIdOf(state, given, { path: file, unknown: "tree.unknown_leaf" })
  const built = yield* Effect.fromResult(buildSessionContext(state, at))
  if (jsonl) return yield* printLines(jsonLines(built.messages))
  yield* json ? printJson(built) : printLines(contextLines(built, { style, columns, full }))
})
