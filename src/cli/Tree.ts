/** `annals tree FILE` */
import * as Effect from "effect/Effect"
import { treeJson, treeJsonLines } from "../view/TreeJson.ts"
import { treeLines } from "../view/TreeView.ts"
import { type Forced, needsTree } from "./Kind.ts"
import { load, noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printLines, printPieces } from "./Print.ts"

export interface TreeInput {
  readonly file: string
  readonly all: boolean
  readonly json: boolean
  readonly jsonl: boolean
  readonly format: Forced
}

function* endedByNewline(pieces: Iterable<string>): Generator<string> {
  yield* pieces
  yield "\n"
}

export const tree = Effect.fnUntraced(function* ({ file, all, json, jsonl, format }: TreeInput) {
  const { style, columns, note } = yield* Output
  yield* needsTree(file, format, "See its conversation with annals context FILE, or its state with annals replay FILE")
  const loaded = yield* load(file)
  yield* noteDamage(loaded)
  const { state } = loaded
  if (jsonl) return yield* printLines(treeJsonLines(state))
  if (json) return yield* printPieces(endedByNewline(treeJson(state, { schemaVersion: 1 })))
  if (state.entries.length === 0) return yield* note("The session has no entries.")
  yield* printLines(treeLines(state, { style, columns, all }))
})
