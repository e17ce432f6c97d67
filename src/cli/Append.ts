/** `annals append FILE` */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ReceiptLevel } from "../session/Receipt.ts"
import { TreeStore } from "../session/TreeStore.ts"
import { count, integer } from "../view/Quantity.ts"
import { Host } from "./Host.ts"
import { type Forced, needsTree } from "./Loading.ts"
import { before } from "./Opening.ts"
import { Output } from "./Output.ts"
import { pipe } from "./Pipe.ts"
import { sessions } from "./Sessions.ts"
import { UsageError } from "./Usage.ts"

export interface AppendInput {
  readonly file: string
  readonly create: boolean
  readonly cwd: Option.Option<string>
  readonly migrate: boolean
  readonly level: ReceiptLevel
  readonly format: Forced
}

const usage = (message: string): UsageError => new UsageError({ message, command: "annals append" })

/** What does not go together. */
const flawIn = ({ create, cwd, migrate }: AppendInput): UsageError | undefined => {
  if (create && Option.isNone(cwd)) return usage("--create needs --cwd: the working directory that the session is about.")
  if (!create && Option.isSome(cwd)) return usage("--cwd belongs to --create: a session that exists has its working directory.")
  return create && migrate ? usage("--create and --migrate do not go together: a new session needs no migration.") : undefined
}

const isEmpty = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(path).then(
      (found) => found.isFile() && found.size === 0,
      () => false,
    ),
  )

const open = Effect.fnUntraced(function* ({ file, cwd, migrate }: AppendInput) {
  const store = yield* TreeStore
  const { directory } = yield* Host
  if (Option.isNone(cwd)) return yield* store.open(file, { migrate: migrate || undefined })
  // Whoever pipes commands in has asked for a file.
  const start = { cwd: resolve(directory, cwd.value), persist: "immediately" as const }
  return (yield* isEmpty(file)) ? yield* store.open(file, { start }) : yield* store.create({ ...start, path: file })
})

/** Reads commands from the standard input and acknowledges them. */
export const append = (input: AppendInput) =>
  Effect.gen(function* () {
    const flaw = flawIn(input)
    if (flaw !== undefined) return yield* flaw
    yield* needsTree(input.file, input.format)
    const { write, note, noteStyle } = yield* Output
    const host = yield* Host
    const opened = yield* open(input)
    yield* Effect.forEach(before(opened), (line) => note(noteStyle.dim(line)), { discard: true })
    if (host.isInputTerminal) yield* note(noteStyle.dim("Type one JSON command a line; Ctrl-D ends."))
    const { session } = opened
    const { carriedOut, rejected } = yield* pipe({ path: opened.path, session, level: input.level, input: host.input(), write })
    yield* session.close
    if (rejected > 0) yield* note(`${count(rejected, "command")} rejected, ${integer(carriedOut)} carried out`)
    if (input.create && carriedOut === 0) yield* note("No command was carried out, so no session was begun.")
  }).pipe(Effect.scoped, Effect.provide(sessions(input.level === "synced" ? "synced" : "written")))
