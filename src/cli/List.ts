/** `annals list` */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ledgerDirectory } from "../session/LedgerStore.ts"
import { storeDirectory } from "../session/Place.ts"
import { visible } from "../view/Escape.ts"
import { listLines, omittedLines } from "../view/ListView.ts"
import { Host } from "./Host.ts"
import { listing } from "./Listing.ts"
import { Output } from "./Output.ts"
import { printJson, printLines } from "./Print.ts"
import { typedPath } from "./TypedPath.ts"
import { UsageError } from "./Usage.ts"

export interface ListInput {
  readonly dir: Option.Option<string>
  readonly cwd: Option.Option<string>
  readonly all: boolean
  readonly limit: number
  readonly json: boolean
}

const usage = (message: string): UsageError => new UsageError({ message, command: "annals list" })

/** Where to look: in one directory, or where a project keeps its ledgers, and in our own store when everything is asked for. */
const directoriesOf = Effect.fnUntraced(function* ({ dir, cwd, all }: ListInput) {
  const { directory, home, environment } = yield* Host
  if (Option.isSome(dir)) return [resolve(directory, dir.value)]
  const project = ledgerDirectory(
    resolve(
      directory,
      Option.getOrElse(cwd, () => directory),
    ),
  )
  return all ? [project, storeDirectory(home, environment)] : [project]
})

export const list = Effect.fnUntraced(function* (input: ListInput) {
  const { dir, cwd, all, limit, json } = input
  if (limit < 1) return yield* usage("--limit is a number of sessions: 1 or more.")
  if (all && Option.isSome(dir)) return yield* usage("--all and --dir do not go together: --dir lists one directory.")
  const { directory } = yield* Host
  const { style, columns, note, noteStyle } = yield* Output
  const about = Option.getOrUndefined(Option.map(cwd, (path) => resolve(directory, path)))
  const directories = yield* directoriesOf(input)
  const found = yield* listing({ directories, cwd: about, limit })
  if (json) return yield* printJson(found)
  const source = { ...found, shown: (path: string) => typedPath(directory, path) }
  yield* printLines(listLines(source, { style, columns }))
  if (found.sessions.length === 0)
    yield* note(`No session in ${directories.map((path) => visible(typedPath(directory, path))).join(" or ")}.`)
  for (const line of omittedLines(source, noteStyle)) yield* note(line)
})
