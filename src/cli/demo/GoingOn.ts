/** The steps in which this process goes on with the session and no other one may. */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import { Files } from "../../disk/Files.ts"
import { Redaction } from "../../redaction/Redaction.ts"
import { loadTree } from "../../session/Load.ts"
import { type OpenTree, TreeStore } from "../../session/TreeStore.ts"
import { stateJson } from "../../tree/Overview.ts"
import type { TreeState } from "../../tree/State.ts"
import { count } from "../../view/Quantity.ts"
import { runChild } from "./Child.ts"
import { conversation, numbered } from "./Conversation.ts"
import { canonical, digestOf, type Stage, type StepResult } from "./Stage.ts"

/** Opens the session for writing, with consent to migrate it. */
export const open = (stage: Stage) => Effect.flatMap(TreeStore, (store) => store.open(stage.file, { migrate: true }))

/** Carries out the conversation, each command synced, after a migration with a backup. */
export const goOn = Effect.fnUntraced(function* (stage: Stage, { session, migration }: OpenTree) {
  const { secrets } = stage
  let records = 0
  for (const command of conversation(secrets)) records += (yield* session.dispatch(command, "synced")).records.length
  const backup = migration?.backup
  const isBackup = backup !== undefined && digestOf(backup) === stage.digest
  const kinds = Object.values(secrets).map(({ kind }) => kind)
  const result: StepResult = {
    ok: isBackup && records > 0,
    detail: [
      `migrated from version ${migration?.from} to ${migration?.to} with consent; ${isBackup ? "the backup" : "NOT the backup"} ${basename(backup ?? "")} has every byte of the old file`,
      `${count(records, "record")} went through redaction to the writer thread, each one synced to the disk`,
      `in them ${count(kinds.length, "secret")} made a moment ago: ${kinds.join(", ")}`,
    ],
  }
  return result
})

/** Notes the live state beside what the file replays to, both seen through one redaction that knows what the live state has shown it. */
export const compare = Effect.fnUntraced(function* (stage: Stage, live: TreeState, when: string) {
  const { redactValue } = (yield* Redaction).follow()
  const replayed = yield* loadTree(yield* Files, stage.file)
  stage.comparisons.push({
    when,
    live: canonical(redactValue(stateJson(live)).value),
    replayed: canonical(redactValue(stateJson(replayed.state)).value),
  })
})

/** While the session is open here, a second process tries to write to it. Then it is closed. */
export const refuseOther = Effect.fnUntraced(function* (stage: Stage, { session }: OpenTree) {
  let error: { readonly code?: string; readonly owner?: { readonly pid?: number } } = {}
  const end = yield* runChild({
    arguments: ["append", stage.file, "--json"],
    input: [JSON.stringify(numbered(0, stage.secrets))],
    onLine: (line) => {
      error = (JSON.parse(line) as { readonly error?: typeof error }).error ?? {}
      return false
    },
  })
  const live = yield* session.state
  yield* session.close
  yield* compare(stage, live, "before the crash")
  const owner = error.owner?.pid
  const result: StepResult = {
    ok: end.exit === 4 && error.code === "lease.held" && owner === stage.self,
    detail: [
      `a second process that wants to append ends at once with exit code ${end.exit} and ${error.code ?? "no error"}`,
      `it names the owner: process ${owner ?? "unknown"}${owner === stage.self ? ", which is this one" : ""}`,
    ],
  }
  return result
})
