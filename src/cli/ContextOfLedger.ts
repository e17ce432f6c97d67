/** `annals context FILE` of a ledger session. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { ledgerModel } from "../ledger/LedgerModel.ts"
import { resumeReport } from "../ledger/Resume.ts"
import { type LedgerState, messages } from "../ledger/State.ts"
import { systemStamp } from "../session/SystemStamp.ts"
import { visible } from "../view/Escape.ts"
import { ledgerContextLines, repairWords } from "../view/LedgerContextView.ts"
import type { Forced } from "./Kind.ts"
import { loadLedgerFile } from "./LedgerLoading.ts"
import { noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { jsonLines, printJson, printLines } from "./Print.ts"
import { UsageError } from "./Usage.ts"

/** What `annals context` is asked. */
export interface ContextInput {
  readonly file: string
  readonly leaf: Option.Option<string>
  readonly full: boolean
  readonly json: boolean
  readonly jsonl: boolean
  readonly format: Forced
}

/** What stands for the start of a session that has no start record: a resume needs one, and nothing of it is shown. */
const NO_START = { sessionId: "unknown", root: "unknown", model: "unknown" }

/** The state as a resume would make it, and what it would repair. Writes nothing. */
const resumed = Effect.fnUntraced(function* (state: LedgerState) {
  const about = state.start === undefined ? NO_START : {}
  const decided = ledgerModel.decide(state, { do: "resume", ...about }, yield* systemStamp)
  // A session without any record cannot be resumed and needs no repair.
  const records = Result.getOrElse(decided, () => [])
  const after = records.reduce(ledgerModel.evolve, state)
  return { state: { ...after, start: state.start }, repairs: resumeReport(state, records) }
})

export const contextOfLedger = Effect.fnUntraced(function* ({ file, leaf, full, json, jsonl, format }: ContextInput) {
  if (Option.isSome(leaf))
    return yield* new UsageError({
      message: "--leaf belongs to tree sessions: a ledger session has one conversation.",
      command: "annals context",
    })
  const { style, columns, note, noteStyle } = yield* Output
  const loaded = yield* loadLedgerFile(file, format)
  yield* noteDamage(loaded)
  const { state, repairs } = yield* resumed(loaded.state)
  const built = messages(state)
  if (jsonl) yield* printLines(jsonLines(built))
  else if (json) yield* printJson({ messages: built, repairs })
  else yield* printLines(ledgerContextLines(state, { style, columns, full }))
  for (const repair of repairs) yield* note(noteStyle.dim(`${visible(file)}: a resume repairs this: ${repairWords(repair)}`))
})
