/** `annals append FILE` */
import { realpath, stat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { INTEGRITY } from "../journal/Integrity.ts"
import { parseCommand as parseLedgerCommand } from "../ledger/Command.ts"
import { isSessionId } from "../ledger/SessionId.ts"
import { LedgerFiles } from "../session/LedgerFiles.ts"
import type { ReceiptLevel } from "../session/Receipt.ts"
import type { Integrity } from "../session/Sealing.ts"
import { TreeStore } from "../session/TreeStore.ts"
import { parseCommand as parseTreeCommand } from "../tree/Command.ts"
import { visible } from "../view/Escape.ts"
import { repairWords } from "../view/LedgerContextView.ts"
import { count, integer } from "../view/Quantity.ts"
import { writtenInLedger, writtenInTree } from "./Acknowledgement.ts"
import { Host } from "./Host.ts"
import { type Forced, type Kind, kindOf } from "./Kind.ts"
import { after, before } from "./Opening.ts"
import { Output } from "./Output.ts"
import { type PipeOptions, pipe } from "./Pipe.ts"
import { isStored, ledgers, sessions } from "./Sessions.ts"
import { UsageError } from "./Usage.ts"

export interface AppendInput {
  readonly file: string
  readonly create: boolean
  /** Seals on the records of a new session, wherever it lies. */
  readonly sealed: boolean
  readonly cwd: Option.Option<string>
  /** The model of a new ledger session, or the one that goes on with a resumed one. */
  readonly model: Option.Option<string>
  readonly resume: boolean
  readonly migrate: boolean
  readonly level: ReceiptLevel
  readonly format: Forced
}

const usage = (message: string): UsageError => new UsageError({ message, command: "annals append" })

/** What does not go together, whatever the file holds. */
const flawIn = ({ create, sealed, cwd, migrate, resume, model }: AppendInput): string | undefined => {
  if (create && Option.isNone(cwd)) return "--create needs --cwd: the working directory that the session is about."
  if (!create && Option.isSome(cwd)) return "--cwd belongs to --create: a session that exists has its working directory."
  if (!create && sealed) return "--sealed belongs to --create: a session that exists has seals or has none."
  if (create && migrate) return "--create and --migrate do not go together: a new session needs no migration."
  if (create && resume) return "--create and --resume do not go together: a new session has nothing to resume."
  if (!create && !resume && Option.isSome(model)) return "--model belongs to --create and --resume; else send a model command."
  return undefined
}

const ID_FILE = /\.jsonl$/

/** What does not go together with the kind of session. */
const flawOf = (kind: Kind, { file, create, resume, model }: AppendInput): string | undefined => {
  if (kind === "tree") {
    if (resume) return "--resume is for ledger sessions: a tree session is gone on with as it is."
    return Option.isSome(model) ? "--model is for ledger sessions; send a model command to a tree session." : undefined
  }
  if (!create) return undefined
  if (Option.isNone(model)) return "A new ledger session needs --model: the model that it begins with."
  return ID_FILE.test(file) && isSessionId(basename(file, ".jsonl"))
    ? undefined
    : "The file of a ledger session is named by its id: at most 80 letters, digits, dashes and underscores, then .jsonl."
}

/** The kind of the session: of a new one what is asked for, a tree by default. */
const kindFor = ({ file, create, format }: AppendInput) =>
  create ? Effect.succeed(Option.getOrElse(format, (): Kind => "tree")) : kindOf(file, format)

const isEmpty = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(path).then(
      (found) => found.isFile() && found.size === 0,
      () => false,
    ),
  )

const seals = (sealed: boolean): { readonly integrity?: Integrity } => (sealed ? { integrity: INTEGRITY } : {})

const openTree = Effect.fnUntraced(function* ({ file, cwd, migrate, sealed }: AppendInput) {
  const store = yield* TreeStore
  const { directory } = yield* Host
  if (Option.isNone(cwd)) return yield* store.open(file, { migrate: migrate || undefined })
  // Whoever pipes commands in has asked for a file.
  const start = { cwd: resolve(directory, cwd.value), persist: "immediately" as const, ...seals(sealed) }
  return (yield* isEmpty(file)) ? yield* store.open(file, { start }) : yield* store.create({ ...start, path: file })
})

const tell = (lines: ReadonlyArray<string>) =>
  Effect.flatMap(Output, ({ note, noteStyle }) => Effect.forEach(lines, (line) => note(noteStyle.dim(line)), { discard: true }))

/** The directory without links in its path, as far as there is one: a session is known by it. */
const realDirectory = (path: string): Effect.Effect<string> =>
  Effect.promise(() =>
    realpath(path).then(
      (real) => real,
      () => path,
    ),
  )

const openLedger = Effect.fnUntraced(function* ({ file, cwd, model, resume, sealed }: AppendInput) {
  const files = yield* LedgerFiles
  const { directory } = yield* Host
  if (Option.isSome(cwd)) {
    const root = yield* realDirectory(resolve(directory, cwd.value))
    return yield* files.create(file, { root, model: Option.getOrElse(model, () => "") }, seals(sealed))
  }
  const options = { isStored: isStored(file) }
  if (!resume) return yield* files.open(file, options)
  const opened = yield* files.resume(
    file,
    Option.match(model, { onNone: () => ({}), onSome: (name) => ({ model: name }) }),
    options,
  )
  yield* opened.session.ensureOnDisk
  yield* tell([
    ...after(opened),
    `${visible(file)} is resumed`,
    ...opened.repairs.map((repair) => `repaired: ${repairWords(repair)}`),
  ])
  return opened
})

type Piped<C, R> = Pick<PipeOptions<C, R>, "path" | "session" | "parse" | "written">

/** Reads commands from the standard input and acknowledges them. */
const piped = Effect.fnUntraced(function* <C, R>(input: AppendInput, given: Piped<C, R>) {
  const { write, note, noteStyle } = yield* Output
  const host = yield* Host
  if (host.isInputTerminal) yield* note(noteStyle.dim("Type one JSON command a line; Ctrl-D ends."))
  return yield* pipe({ ...given, level: input.level, input: host.input(), write })
})

const durability = ({ level }: AppendInput) => (level === "synced" ? "synced" : "written")

const appendToTree = (input: AppendInput) =>
  Effect.gen(function* () {
    const { path, session, ...opened } = yield* openTree(input)
    yield* tell(before({ path, ...opened }))
    const totals = yield* piped(input, { path, session, parse: parseTreeCommand, written: writtenInTree })
    yield* session.close
    return totals
  }).pipe(Effect.scoped, Effect.provide(sessions(durability(input))))

const appendToLedger = (input: AppendInput) =>
  Effect.gen(function* () {
    const { path, session, loaded } = yield* openLedger(input)
    if (!input.resume) yield* tell(before({ path, loaded }))
    const totals = yield* piped(input, { path, session, parse: parseLedgerCommand, written: writtenInLedger })
    yield* session.close
    return totals
  }).pipe(Effect.scoped, Effect.provide(ledgers(durability(input))))

export const append = Effect.fnUntraced(function* (input: AppendInput) {
  const flaw = flawIn(input)
  if (flaw !== undefined) return yield* usage(flaw)
  const kind = yield* kindFor(input)
  const misfit = flawOf(kind, input)
  if (misfit !== undefined) return yield* usage(misfit)
  const { note } = yield* Output
  const { carriedOut, rejected } = yield* kind === "ledger" ? appendToLedger(input) : appendToTree(input)
  if (rejected > 0) yield* note(`${count(rejected, "command")} rejected, ${integer(carriedOut)} carried out`)
  if (input.create && carriedOut === 0) yield* note("No command was carried out, so no session was begun.")
})
