/** A session read for a command: with progress for a large file, and with a note when there is damage. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Files } from "../disk/Files.ts"
import type { ReadError } from "../journal/Reader.ts"
import { type LoadedTree, loadTree } from "../session/Load.ts"
import { FormatError } from "../session/OpenError.ts"
import { damageSentence } from "../view/DamageView.ts"
import { visible } from "../view/Escape.ts"
import { bytes } from "../view/Quantity.ts"
import { Output } from "./Output.ts"

export type Forced = Option.Option<"tree" | "ledger">

/** Bytes from which a file is worth a progress. */
const LARGE_BYTES = 16 << 20

/** Shows how far the reading of a file is. */
export const progressOf =
  (output: { readonly progress: (text: string) => void }, path: string) =>
  (done: number, total: number): void => {
    if (total < LARGE_BYTES) return
    output.progress(done >= total ? "" : `${visible(path)}: ${Math.floor((100 * done) / total)} % of ${bytes(total)}`)
  }

const isLedger = (path: string): FormatError => new FormatError({ reason: { _tag: "IsLedger", code: "format.is_ledger", path } })

/** Fails when a file is said to be a ledger session where a tree is needed. */
export const needsTree = (path: string, format: Forced): Effect.Effect<void, FormatError> =>
  Option.getOrUndefined(format) === "ledger" ? Effect.fail(isLedger(path)) : Effect.void

/** Says in a note that a session has damage. */
export const noteDamage = ({ path, damages }: Pick<LoadedTree, "path" | "damages">): Effect.Effect<void, never, Output> =>
  Effect.flatMap(Output, ({ note, noteStyle }) =>
    damages.length === 0
      ? Effect.void
      : note(`${noteStyle.yellow("!")} ${visible(path)}: ${damageSentence(damages)}; annals verify tells where`),
  )

/** Reads a tree session. Changes no byte. */
export const load = (path: string, format: Forced): Effect.Effect<LoadedTree, ReadError | FormatError, Files | Output> =>
  Effect.gen(function* () {
    yield* needsTree(path, format)
    return yield* loadTree(yield* Files, path, { onProgress: progressOf(yield* Output, path) })
  })
