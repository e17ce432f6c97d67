/**
 * The ledger sessions of a project: `.garuda/sessions/ID.jsonl` under its root, those of subagents in `.garuda/sessions/ID/`.
 *
 * What it guarantees, beside what LedgerFiles does: an id that could name anything but a file of this directory is refused; folders are
 * 0700 and files 0600, also those that were there before, and nothing is written through a link; a fresh id is nobody else's, also when
 * two processes start at the same moment.
 */
import { join, resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { ReadError } from "../journal/Reader.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import { isSessionId } from "../ledger/SessionId.ts"
import { type LedgerSummary, summarise } from "../ledger/Summary.ts"
import type { WriteError } from "../writer/WriteError.ts"
import type { Rejected } from "./DispatchError.ts"
import type { LedgerStart } from "./LedgerCreation.ts"
import type { LedgerExportOptions } from "./LedgerExport.ts"
import { type ForkedLedger, LedgerFiles, type LedgerFilesShape } from "./LedgerFiles.ts"
import type { LoadedLedger } from "./LedgerLoad.ts"
import type { LedgerOpenError, ResumeOptions } from "./LedgerOpening.ts"
import type { Removal } from "./LedgerRemoval.ts"
import { childFolder, ENDING, type LedgerCreateOptions, type LedgerOpenOptions, type OpenLedger, STORE } from "./LedgerRoom.ts"
import type { LeftOut, Shelved } from "./LedgerShelf.ts"
import { LedgerStoreError } from "./LedgerStoreError.ts"
import type { FormatError, PrepareError } from "./OpenError.ts"

export interface LedgerStoreOptions {
  /** The directory of the project. */
  readonly root: string
}

/** A session of the list. */
export interface ListedLedger extends Shelved {
  readonly summary: LedgerSummary
  /** How many stretches of the file are damaged. */
  readonly damages: number
}

export interface LedgerList {
  /** Newest work first. */
  readonly sessions: ReadonlyArray<ListedLedger>
  /** Files that are no session that can be read, and why. */
  readonly leftOut: ReadonlyArray<LeftOut>
  /** How many sessions there are beyond those listed. */
  readonly more: number
}

/** Sessions that a list reads unless it is told another number: each is read as a whole. */
const LISTED = 20

/** The code of a file that the disk does not give. */
const UNREADABLE = "read.unreadable"

const STORED = { isStored: true }

type Start = Omit<LedgerStart, "root">

/** Whether the records of a new session carry seals. */
export type LedgerSealOptions = Pick<LedgerCreateOptions, "integrity">

/** How the right to write is taken. */
export type LedgerTakeOptions = Pick<LedgerOpenOptions, "offer">

export class LedgerStore extends Context.Service<
  LedgerStore,
  {
    /** The file of a session. Fails for what is no id. */
    readonly pathOf: (id: string) => Effect.Effect<string, LedgerStoreError>
    readonly create: (
      start: Start,
      options?: LedgerSealOptions,
    ) => Effect.Effect<OpenLedger, PrepareError | LeaseError | Rejected<LedgerRejection>, Scope.Scope>
    /** A session for a subagent of a session. Any text can be its id. */
    readonly createChild: (
      parentId: string,
      childId: string,
      start: Start,
      options?: LedgerSealOptions,
    ) => Effect.Effect<OpenLedger, LedgerStoreError | PrepareError | LeaseError | Rejected<LedgerRejection>, Scope.Scope>
    /** The sessions of a session's subagents, by the names of their files. */
    readonly children: (id: string) => Effect.Effect<ReadonlyArray<Shelved>, LedgerStoreError | PrepareError>
    /** Goes on with a session as it is. */
    readonly open: (
      id: string,
      options?: LedgerTakeOptions,
    ) => Effect.Effect<OpenLedger, LedgerStoreError | LedgerOpenError, Scope.Scope>
    /** Goes on with what an earlier process left; without an id with the session that was worked on last. */
    readonly resume: (
      id?: string,
      resume?: Omit<ResumeOptions, "root">,
      options?: LedgerTakeOptions,
    ) => Effect.Effect<OpenLedger, LedgerStoreError | LedgerOpenError | Rejected<LedgerRejection>, Scope.Scope>
    readonly read: (id: string) => Effect.Effect<LoadedLedger, LedgerStoreError | ReadError | FormatError>
    /** The session that was worked on last; undefined when there is none. Subagents' sessions do not count. */
    readonly latest: Effect.Effect<string | undefined, PrepareError>
    readonly list: (limit?: number) => Effect.Effect<LedgerList, PrepareError>
    readonly setTitle: (
      id: string,
      title: string,
    ) => Effect.Effect<string, LedgerStoreError | LedgerOpenError | Rejected<LedgerRejection> | WriteError>
    readonly fork: (
      id: string,
    ) => Effect.Effect<ForkedLedger, LedgerStoreError | ReadError | FormatError | PrepareError | LeaseError>
    /** Writes a session out as a Markdown document in the root, by default `garuda-ID.md`, and says where. Never overwrites. */
    readonly export: (
      id: string,
      options?: Omit<LedgerExportOptions, "root">,
    ) => Effect.Effect<string, LedgerStoreError | ReadError | FormatError | PrepareError>
    /** Removes a session, those of its subagents, and what was put aside of them. */
    readonly remove: (
      id: string,
    ) => Effect.Effect<Removal, LedgerStoreError | PrepareError | LeaseError | ReadError | FormatError>
  }
>()("annals/session/LedgerStore") {
  static readonly layer = ({ root }: LedgerStoreOptions): Layer.Layer<LedgerStore, never, LedgerFiles> =>
    Layer.effect(
      LedgerStore,
      Effect.map(LedgerFiles, (files) => storeOf(files, resolve(root))),
    )
}

/** The directory of a project's sessions. */
export const ledgerDirectory = (root: string): string => join(root, STORE, "sessions")

const listed = (files: LedgerFilesShape, found: Shelved): Effect.Effect<ListedLedger | LeftOut> =>
  Effect.match(files.load(found.path), {
    onFailure: ({ reason }): LeftOut => ({ path: found.path, code: reason.code }),
    onSuccess: ({ state, damages, records, bytes }): ListedLedger | LeftOut =>
      records === 0
        ? { path: found.path, code: bytes === 0 ? "format.empty" : "format.not_a_session" }
        : { ...found, summary: summarise(state), damages: damages.length },
  })

const list = (files: LedgerFilesShape, directory: string, limit: number): Effect.Effect<LedgerList, PrepareError> =>
  Effect.gen(function* () {
    const { sessions, leftOut } = yield* files.list(directory)
    const read = yield* Effect.forEach(sessions.slice(0, limit), (found) => listed(files, found))
    return {
      sessions: read.filter((one) => "summary" in one),
      leftOut: [...leftOut, ...read.filter((one) => "code" in one)],
      more: Math.max(0, sessions.length - limit),
    }
  })

const storeOf = (files: LedgerFilesShape, root: string): Context.Service.Shape<typeof LedgerStore> => {
  const directory = ledgerDirectory(root)
  const pathOf = (id: string): Effect.Effect<string, LedgerStoreError> =>
    isSessionId(id)
      ? Effect.succeed(join(directory, `${id}${ENDING}`))
      : Effect.fail(new LedgerStoreError({ reason: { _tag: "BadId", code: "ledger.bad_id", id } }))
  const latest = Effect.map(files.list(directory), ({ sessions }) => sessions.find(({ worked }) => worked !== undefined)?.id)
  const toResume = (id: string | undefined) =>
    id !== undefined
      ? pathOf(id)
      : Effect.flatMap(files.list(directory), ({ sessions, leftOut }) => {
          // Where all that there is cannot be read, opening it says why: that there is nothing would be wrong.
          const found = sessions.find(({ worked }) => worked !== undefined) ?? leftOut.find(({ code }) => code === UNREADABLE)
          return found !== undefined
            ? Effect.succeed(found.path)
            : Effect.fail(new LedgerStoreError({ reason: { _tag: "NoSession", code: "ledger.no_session", path: directory } }))
        })
  return LedgerStore.of({
    pathOf,
    create: (start, options) => files.createIn(directory, { ...start, root }, { ...options, ...STORED }),
    createChild: (parent, child, start, options) =>
      Effect.flatMap(pathOf(parent), (path) => files.createChild(path, child, { ...start, root }, { ...options, ...STORED })),
    children: (id) =>
      Effect.map(
        Effect.flatMap(pathOf(id), (path) => files.list(childFolder(path))),
        ({ sessions }) => sessions,
      ),
    open: (id, options) => Effect.flatMap(pathOf(id), (path) => files.open(path, { ...options, ...STORED })),
    resume: (id, resume, options) =>
      Effect.flatMap(toResume(id), (path) => files.resume(path, { ...resume, root }, { ...options, ...STORED })),
    read: (id) => Effect.flatMap(pathOf(id), (path) => files.load(path)),
    latest,
    list: (limit) => list(files, directory, limit ?? LISTED),
    setTitle: (id, title) => Effect.flatMap(pathOf(id), (path) => files.setTitle(path, title, STORED)),
    export: (id, options) => Effect.flatMap(pathOf(id), (path) => files.export(path, { ...options, root })),
    fork: (id) => Effect.flatMap(pathOf(id), (path) => files.fork(path, undefined, STORED)),
    remove: (id) => Effect.flatMap(pathOf(id), (path) => files.remove(path, STORED)),
  })
}
