/** `annals list` */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ledgerDirectory } from "../session/LedgerStore.ts"
import { storeDirectory } from "../session/Place.ts"
import { visible } from "../view/Escape.ts"
import { listLines, omittedLines } from "../view/ListView.ts"
import { Host } from "./Host.ts"
import { listing, type Place } from "./Listing.ts"
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

/**
 * Where to look: in one directory, or where a project keeps its ledgers, and in our own store when everything is asked for. A project's own
 * directory holds its sessions, whatever they say they are about: the project may have moved.
 */
const placesOf = Effect.fnUntraced(function* ({ dir, cwd, all }: ListInput): Effect.fn.Return<ReadonlyArray<Place>, never, Host> {
  const { directory, home, environment } = yield* Host
  const about = Option.getOrUndefined(Option.map(cwd, (path) => resolve(directory, path)))
  if (Option.isSome(dir)) return [{ directory: resolve(directory, dir.value), cwd: about }]
  const project = { directory: ledgerDirectory(about ?? directory), cwd: undefined }
  return all ? [project, { directory: storeDirectory(home, environment), cwd: about }] : [project]
})

export const list = Effect.fnUntraced(function* (input: ListInput) {
  const { dir, all, limit, json } = input
  if (limit < 1) return yield* usage("--limit is a number of sessions: 1 or more.")
  if (all && Option.isSome(dir)) return yield* usage("--all and --dir do not go together: --dir lists one directory.")
  const { directory } = yield* Host
  const { style, columns, note, noteStyle } = yield* Output
  const places = yield* placesOf(input)
  const found = yield* listing({ places, limit })
  if (json) return yield* printJson(found)
  const source = { ...found, shown: (path: string) => typedPath(directory, path) }
  yield* printLines(listLines(source, { style, columns }))
  if (found.sessions.length === 0)
    yield* note(`No session in ${places.map((place) => visible(source.shown(place.directory))).join(" or ")}.`)
  for (const line of omittedLines(source, noteStyle)) yield* note(line)
})
