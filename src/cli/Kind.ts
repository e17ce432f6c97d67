/** Which kind of session a file holds: told by its first records, or by the person who asks. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Files } from "../disk/Files.ts"
import type { ReadError } from "../journal/Reader.ts"
import { records } from "../journal/RecordStream.ts"
import { FORMAT_RECORDS } from "../session/Load.ts"
import { detectFormat } from "../tree/Format.ts"

export type Kind = "tree" | "ledger"

export type Forced = Option.Option<Kind>

/** A command that makes no sense for the kind of session that the file holds. */
export class WrongKind extends Data.TaggedError("WrongKind")<{
  readonly path: string
  readonly code: "format.is_ledger" | "format.is_tree"
  readonly message: string
  /** What to do in its place; `FILE` stands for the file. */
  readonly instead: string
}> {}

const KINDS = { Tree: "tree", Ledger: "ledger", Unknown: undefined } as const

/** What somebody says, else what the first records say; undefined for a file that is neither. */
const foundKind = (path: string, format: Forced): Effect.Effect<Kind | undefined, ReadError, Files> =>
  Option.match(format, {
    onSome: Effect.succeed,
    onNone: () =>
      Effect.gen(function* () {
        const first = yield* Stream.runCollect(Stream.take(records(yield* Files, path), FORMAT_RECORDS))
        return KINDS[detectFormat(first.map(({ value }) => value))._tag]
      }),
  })

/**
 * The kind of session that a file is read as. One that is neither is left to the tree's reader, which says why. Cost: its first records,
 * when nobody says.
 */
export const kindOf = (path: string, format: Forced): Effect.Effect<Kind, ReadError, Files> =>
  Effect.map(foundKind(path, format), (kind) => kind ?? "tree")

/** Fails for a ledger session, with what to do in place of a command that is for tree sessions. */
export const needsTree = (path: string, format: Forced, instead: string): Effect.Effect<void, ReadError | WrongKind, Files> =>
  Effect.flatMap(foundKind(path, format), (kind) =>
    kind !== "ledger"
      ? Effect.void
      : Effect.fail(
          new WrongKind({
            path,
            code: "format.is_ledger",
            message: `${path}: a ledger session; this needs a tree session`,
            instead,
          }),
        ),
  )

/** Fails for a tree session, with what to do in place of a command that is for ledger sessions. */
export const needsLedger = (path: string, format: Forced, instead: string): Effect.Effect<void, ReadError | WrongKind, Files> =>
  Effect.flatMap(foundKind(path, format), (kind) =>
    kind !== "tree"
      ? Effect.void
      : Effect.fail(
          new WrongKind({
            path,
            code: "format.is_tree",
            message: `${path}: a tree session; this needs a ledger session`,
            instead,
          }),
        ),
  )
