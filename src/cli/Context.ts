/** `annals context FILE` */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Files } from "../disk/Files.ts"
import { readContext } from "../session/ContextReading.ts"
import { contextLines } from "../view/ContextView.ts"
import type { ContextInput } from "./ContextOfLedger.ts"
import { entryIdOf } from "./EntryId.ts"
import { kindOf } from "./Kind.ts"
import { lazily } from "./Lazily.ts"
import { lookupOf, noteBlobs, noteDamage, progressOf } from "./Loading.ts"
import { Output } from "./Output.ts"
import { jsonLines, printJson, printLines } from "./Print.ts"

const contextOfTree = Effect.fnUntraced(function* ({ file, leaf, full, json, jsonl }: ContextInput) {
  const { style, columns } = yield* Output
  const options = { lookup: yield* lookupOf(file), onProgress: progressOf(yield* Output, file) }
  const given = Option.getOrUndefined(leaf)
  const found = yield* readContext(yield* Files, file, options, (state) =>
    given === undefined
      ? Effect.succeed(state.leaf)
      : given === "none"
        ? Effect.succeed(null)
        : entryIdOf(state, given, { path: file, unknown: "tree.unknown_leaf" }),
  )
  yield* noteBlobs(found)
  yield* noteDamage(found)
  const { context: built } = found
  if (jsonl) return yield* printLines(jsonLines(built.messages))
  yield* json ? printJson(built) : printLines(contextLines(built, { style, columns, full }))
})

export const context = Effect.fnUntraced(function* (input: ContextInput) {
  if ((yield* kindOf(input.file, input.format)) !== "ledger") return yield* contextOfTree(input)
  yield* lazily(
    () => import("./ContextOfLedger.ts"),
    ({ contextOfLedger }) => contextOfLedger(input),
  )
})
