/** The sessions of a ledger session's subagents, which lie in a folder beside it. */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { Files } from "../disk/Files.ts"
import { LedgerFiles } from "../session/LedgerFiles.ts"
import { childFolder } from "../session/LedgerRoom.ts"
import { visible } from "../view/Escape.ts"
import type { Child } from "../view/LedgerSummary.ts"
import { Output } from "./Output.ts"

/** Newest work first. A folder that cannot be looked into is told in a note: the session can be read all the same. */
export const childrenOf = Effect.fnUntraced(function* (
  file: string,
): Effect.fn.Return<ReadonlyArray<Child>, never, Files | LedgerFiles | Output> {
  const disk = yield* Files
  const { note, noteStyle } = yield* Output
  const folder = childFolder(resolve(file))
  if (disk.lstat(folder)?.kind !== "directory") return []
  return yield* Effect.map((yield* LedgerFiles).list(folder), ({ sessions }) =>
    sessions.map(({ id, path, size }): Child => ({ id, path, size })),
  ).pipe(
    Effect.catch(() =>
      Effect.as(note(`${noteStyle.yellow("!")} ${visible(folder)}: the sessions of its subagents cannot be listed`), []),
    ),
  )
})
