/**
 * One change to a session, for the commands that append one record: opened, carried out, on the disk, closed, told.
 *
 * What is so already is not written again, and then neither a migration nor anything else that opening would do takes place.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { JsonObject } from "../model/Json.ts"
import { Redaction } from "../redaction/Redaction.ts"
import { told } from "../session/TreeFile.ts"
import { TreeStore } from "../session/TreeStore.ts"
import type { TreeCommand } from "../tree/Command.ts"
import { readHeader } from "../tree/Header.ts"
import type { TreeState } from "../tree/State.ts"
import { visible } from "../view/Escape.ts"
import { idsOf } from "./Acknowledgement.ts"
import type { Forced } from "./Kind.ts"
import { after } from "./Opening.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { redaction, sessions } from "./Sessions.ts"

export interface ChangeInput {
  readonly file: string
  readonly migrate: boolean
  readonly json: boolean
  readonly format: Forced
}

export interface Change {
  /** Absent when the session is so already. */
  readonly command: TreeCommand | undefined
  /** How it is afterwards, for a program. */
  readonly members: JsonObject
  /** How it is afterwards, for a person: the end of a sentence about the session, safe to show. */
  readonly words: string
}

/** Carries out the change that follows from the state. `clean` takes out of a text what no session may hold. */
export const change = <E>(
  input: ChangeInput,
  plan: (state: TreeState, clean: (text: string) => string) => Effect.Effect<Change, E>,
) =>
  Effect.gen(function* () {
    const { file, migrate, json } = input
    const { style, note, noteStyle } = yield* Output
    const { redactText } = yield* Redaction
    const opened = yield* (yield* TreeStore).open(file, { migrate: migrate || undefined })
    const { session, forkedFrom, migration } = opened
    const { command, members, words } = yield* Effect.catchDefect(
      plan(yield* session.state, (text) => redactText(text).text),
      told,
    )
    const records = command === undefined ? [] : (yield* session.dispatch(command)).records
    const { id } = readHeader((yield* session.state).header ?? {})
    yield* session.close
    const changed = records.length > 0
    const path = changed && forkedFrom !== undefined ? opened.path : file
    if (json) {
      const beside = changed ? { forkedFrom, backup: migration?.backup } : {}
      return yield* printJson({ id, path, changed, ids: idsOf(records), ...members, ...beside })
    }
    const end = changed ? "" : ", as before; nothing was written"
    yield* printLines([`${style.green("✓")} ${style.bold(visible(path))}: ${words}${end}`])
    if (changed) yield* Effect.forEach(after(opened), (line) => note(noteStyle.dim(line)), { discard: true })
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(sessions("synced"), redaction)))
