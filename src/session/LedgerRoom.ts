/** What the functions of a ledger store work with, and what all ways to an open ledger session share. */
import { basename, dirname, sep } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { ensurePrivateDirectory, ensurePrivateFile } from "../disk/Directory.ts"
import { DiskFault } from "../disk/Disk.ts"
import { planTail } from "../journal/Tail.ts"
import type { LedgerCommand } from "../ledger/Command.ts"
import { ledgerModel } from "../ledger/LedgerModel.ts"
import type { LedgerRecord } from "../ledger/Record.ts"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import type { Repair } from "../ledger/Repair.ts"
import type { LedgerState } from "../ledger/State.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import { withMarks } from "../redaction/Provenance.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { encode, marked } from "./Encoding.ts"
import { type KnownFiles, makeKnownFiles } from "./KnownFiles.ts"
import type { LoadedLedger } from "./LedgerLoad.ts"
import { onDisk, putInOrder } from "./OnDisk.ts"
import type { PrepareError } from "./OpenError.ts"
import { onceUncertain, type Room, whileHeld } from "./Room.ts"
import { journalAfter } from "./SealedJournal.ts"
import type { Integrity } from "./Sealing.ts"
import { make as makeSession, type Opened, type Session } from "./Session.ts"

export type LedgerSession = Session<LedgerState, LedgerCommand, LedgerRecord, LedgerRejection, PrepareError>

export interface OpenLedger {
  readonly session: LedgerSession
  /** The name of its file without the ending, by which a store knows it. What the session calls itself is in its state. */
  readonly id: string
  readonly path: string
  /** What its agent knows of the files. Nothing at first. */
  readonly files: KnownFiles
  /** The session as it was read. Of a new session: undefined. */
  readonly loaded: LoadedLedger | undefined
  /** What a resume repaired, each kind once. Empty when it found nothing, and when this is no resume. */
  readonly repairs: ReadonlyArray<Repair>
}

/** The ending of every session file. */
export const ENDING = ".jsonl"

/** The name of a session's file without its ending. */
export const nameOf = (path: string): string => basename(path).replace(/\.jsonl$/, "")

/** The folder of a session's subagents: beside its file, under its name. */
export const childFolder = (path: string): string => path.replace(/\.jsonl$/, "")

/** Records that the session itself makes, as its state has them, and their lines. They are JSON, so anything else is a bug. */
export const ownRecords = (
  room: Room,
  records: ReadonlyArray<LedgerRecord>,
): { readonly records: ReadonlyArray<LedgerRecord>; readonly lines: ReadonlyArray<CleanLine> } => {
  const encoder = { codec: ledgerModel.codec, redactor: room.redactor, mark: withMarks }
  const encoded = Result.getOrThrow(encode(encoder, records))
  return { records: marked(encoder, records, encoded), lines: encoded.map(({ line }) => line) }
}

export interface LedgerOpenOptions {
  /** Whether the file lies in a store, where nobody but its owner may read it. */
  readonly isStored?: boolean | undefined
  /** The attempt of an offer: takes over the lease that another writer has promised. */
  readonly offer?: string | undefined
}

export interface LedgerCreateOptions extends LedgerOpenOptions {
  /** Whether its records carry seals, by which a reader tells edits and losses. By default they do not: other programs go on with it. */
  readonly integrity?: Integrity | undefined
}

/** The name of the directory in which a project keeps its sessions, and more. */
export const STORE = ".garuda"

/** The folders of a store that a directory of sessions lies in, that one included. */
const storeFolders = (directory: string): ReadonlyArray<string> => {
  const folders = [directory]
  while (directory.includes(`${sep}${STORE}${sep}`) && basename(folders.at(-1) ?? "") !== STORE)
    folders.push(dirname(folders.at(-1) ?? ""))
  return folders
}

/** Refuses a store that lies behind a link: a project that was brought from elsewhere could lead our files out of it by one. */
export const refuseLinks = (room: Room, directory: string, { isStored }: LedgerOpenOptions): Effect.Effect<void, PrepareError> =>
  isStored === true
    ? onDisk(directory, () => {
        for (const folder of storeFolders(directory))
          if (room.disk.lstat(folder)?.kind === "symlink") throw new DiskFault("open", folder, "ELOOP")
      })
    : Effect.void

/** Sets the modes of a session that lies in a store: nobody but its owner reads it, whoever made the folder. */
export const keepPrivate = (room: Room, path: string): Effect.Effect<void, PrepareError> =>
  onDisk(path, () => {
    ensurePrivateDirectory(room.disk, dirname(path))
    ensurePrivateFile(room.disk, path)
  })

/** Opens the file at a line boundary, and puts lines in front of the first record of a command. */
export const atLineBoundary = (
  room: Room,
  loaded: LoadedLedger,
  before: ReadonlyArray<CleanLine>,
): Effect.Effect<Opened<LedgerState>, PrepareError, Scope.Scope> =>
  Effect.gen(function* () {
    const { path, summary } = loaded
    const { length } = yield* putInOrder(room.disk, path, summary.identity, planTail(summary, true))
    const journal = yield* journalAfter(room, path, summary, length)
    if (before.length > 0) yield* Effect.orDie(journal.append(before))
    return { journal }
  })

export interface Preparation {
  readonly path: string
  readonly state: LedgerState
  readonly prepare: Effect.Effect<Opened<LedgerState>, PrepareError, Scope.Scope>
  readonly loaded?: LoadedLedger
  readonly repairs?: ReadonlyArray<Repair>
}

/** The command without secrets in what it makes shorter: by its half redaction would not know one. */
const shortened = (redactor: Redactor, command: LedgerCommand): LedgerCommand => {
  if (command.do === "title" && typeof command.title === "string")
    return { ...command, title: redactor.redactText(command.title).text }
  if (command.do === "snapshot" && typeof command.prompt === "string")
    return { ...command, prompt: redactor.redactText(command.prompt).text }
  return command
}

/** A session over a file that is prepared with the first command. */
export const openAs = (
  room: Room,
  { path, state, prepare, loaded, repairs }: Preparation,
): Effect.Effect<OpenLedger, never, Scope.Scope> =>
  Effect.andThen(
    room.writer.expect,
    Effect.map(
      makeSession({
        model: ledgerModel,
        redactor: room.redactor,
        state,
        stamp: room.stamp,
        path,
        mark: withMarks,
        open: onceUncertain(whileHeld(room, path, prepare)),
      }),
      (session): OpenLedger => ({
        session: { ...session, dispatch: (command, level) => session.dispatch(shortened(room.redactor, command), level) },
        files: makeKnownFiles(session.state),
        id: nameOf(path),
        path,
        loaded,
        repairs: repairs ?? [],
      }),
    ),
  )
