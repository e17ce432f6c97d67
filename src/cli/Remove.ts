/** `annals rm FILE` */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { Files } from "../disk/Files.ts"
import { summarise } from "../ledger/Summary.ts"
import { LedgerFiles } from "../session/LedgerFiles.ts"
import type { Removal } from "../session/LedgerRemoval.ts"
import type { PrepareError } from "../session/OpenError.ts"
import { removalLines } from "../view/RemovalView.ts"
import { Host } from "./Host.ts"
import { type Forced, needsLedger } from "./Kind.ts"
import { loadLedgerFile } from "./LedgerLoading.ts"
import { noteDamage } from "./Loading.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { isStored, ledgersAtRest } from "./Sessions.ts"
import { typedPath } from "./TypedPath.ts"

export interface RemoveInput {
  readonly file: string
  readonly yes: boolean
  readonly json: boolean
  readonly format: Forced
}

/** A removal that was stopped when something was gone already. */
export class RemovalPartial extends Data.TaggedError("RemovalPartial")<{
  readonly path: string
  readonly message: string
  /** What is still there, the session's own file the last. */
  readonly left: ReadonlyArray<string>
}> {
  readonly code = "remove.partial"
}

const INSTEAD = "A tree session has nothing beside it that belongs to it: remove the file itself, with rm FILE"

/** Every file that a removal takes away, the session's own the last. */
const filesOf = ({ path, children, aside }: Removal): ReadonlyArray<string> => [...children, ...aside, path]

/** Removes what is planned. Stopped in the middle, it says what is left. */
const carriedOut = Effect.fnUntraced(function* (file: string, planned: Removal) {
  const disk = yield* Files
  const files = yield* LedgerFiles
  return yield* files.remove(file, { isStored: isStored(file) }).pipe(
    Effect.catchTag("PrepareError", (error): Effect.Effect<never, PrepareError | RemovalPartial> => {
      const all = filesOf(planned)
      const left = all.filter((one) => disk.lstat(one) !== undefined)
      if (left.length === all.length || left.length === 0) return Effect.fail(error)
      const gone = `${all.length - left.length} of ${all.length} files removed`
      return Effect.fail(new RemovalPartial({ path: file, left, message: `${file}: ${gone}, then the disk refused` }))
    }),
  )
})

export const remove = Effect.fnUntraced(function* ({ file, yes, json, format }: RemoveInput) {
  yield* needsLedger(file, format, INSTEAD)
  const { style, columns } = yield* Output
  const loaded = yield* loadLedgerFile(file, format)
  yield* noteDamage(loaded)
  const planned = yield* (yield* LedgerFiles).planRemoval(file)
  const { children, aside } = yes ? yield* carriedOut(file, planned) : planned
  const removal = { path: file, state: yes ? ("removed" as const) : ("planned" as const), children, aside }
  if (json) return yield* printJson(removal)
  const { directory } = yield* Host
  const { title, turns } = summarise(loaded.state)
  const beside = {
    children: children.map((one) => typedPath(directory, one)),
    aside: aside.map((one) => typedPath(directory, one)),
  }
  yield* printLines(removalLines({ ...removal, ...beside, title, turns, bytes: loaded.bytes }, { style, columns }))
}, Effect.provide(ledgersAtRest))
