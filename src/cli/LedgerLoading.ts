/** A ledger session read for a command, with progress for a large file. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Files } from "../disk/Files.ts"
import type { ReadError } from "../journal/Reader.ts"
import { type LedgerLoadOptions, type LoadedLedger, loadLedger } from "../session/LedgerLoad.ts"
import type { FormatError } from "../session/OpenError.ts"
import type { Forced } from "./Kind.ts"
import { progressOf } from "./Loading.ts"
import { Output } from "./Output.ts"

/** Reads a ledger session; when it is said to be one, whatever its records look like. Changes no byte. */
export const loadLedgerFile = (
  path: string,
  format: Forced,
  onRecord?: LedgerLoadOptions["onRecord"],
): Effect.Effect<LoadedLedger, ReadError | FormatError, Files | Output> =>
  Effect.gen(function* () {
    const onProgress = progressOf(yield* Output, path)
    return yield* loadLedger(yield* Files, path, { forced: Option.isSome(format), onProgress, onRecord })
  })
