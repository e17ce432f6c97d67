/** `annals context FILE` */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { buildSessionContext } from "../tree/Context.ts"
import { contextLines } from "../view/ContextView.ts"
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

/** The session has no such entry. */
class UnknownLeaf extends Data.TaggedError("UnknownLeaf")<{ readonly path: string; readonly message: string }> {
  readonly code = "tree.unknown_leaf"
}

export const context = Effect.fnUntraced(function* ({ file, leaf, full, json, jsonl, format }: ContextInput) {
  const { style, columns } = yield* Output
  const loaded = yield* load(file, format)
  yield* noteDamage(loaded)
  const { state } = loaded
  const at = Option.match(leaf, { onNone: () => state.leaf, onSome: (id) => (id === "none" ? null : id) })
  const built = buildSessionContext(state, at)
  if (Result.isFailure(built)) return yield* new UnknownLeaf({ path: file, message: built.failure.message })
  if (jsonl) return yield* printLines(jsonLines(built.success.messages))
  yield* json ? printJson(built.success) : printLines(contextLines(built.success, { style, columns, full }))
})
