/**
 * Ledger sessions in files, wherever the files lie: reading, starting, going on, resuming, copying, removing.
 *
 * What it guarantees: reading and opening change no byte. Opening for writing takes the lease first. The file changes with the first
 * command: its line boundary is proven then and a torn tail is put aside. A new session never replaces a file.
 *
 * How it fails: see {@link LedgerOpenError} and LedgerStoreError; each reason has a stable code.
 */
import { dirname, resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Files } from "../disk/Files.ts"
import type { ReadError } from "../journal/Reader.ts"
import { Lease } from "../lease/Lease.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import type { Stamp } from "../model/Stamp.ts"
import { Redaction } from "../redaction/Redaction.ts"
import type { WriteError } from "../writer/WriteError.ts"
import { Writer } from "../writer/Writer.ts"
import type { Rejected } from "./DispatchError.ts"
import { claimId, forkLedger, type LedgerStart, startChild, startLedger } from "./LedgerCreation.ts"
import { exportLedger, type LedgerExportOptions } from "./LedgerExport.ts"
import { type LedgerLoadOptions, type LoadedLedger, loadLedger } from "./LedgerLoad.ts"
import { type LedgerOpenError, loadBegun, openLedger, type ResumeOptions, resumeLedger } from "./LedgerOpening.ts"
import { planRemoval, proveRemovable, type Removal, removeLedger } from "./LedgerRemoval.ts"
import { type LedgerCreateOptions, type LedgerOpenOptions, nameOf, type OpenLedger, refuseLinks } from "./LedgerRoom.ts"
import { type Shelf, shelfOf } from "./LedgerShelf.ts"
import type { LedgerStoreError } from "./LedgerStoreError.ts"
import { retitle } from "./LedgerTitle.ts"
import type { FormatError, PrepareError } from "./OpenError.ts"
import { claim, closable, type Room } from "./Room.ts"

export interface LedgerFilesOptions {
  /** A clock reading and fresh randomness. */
  readonly stamp: Effect.Effect<Stamp>
}

/** A session that was made from another one. */
export interface ForkedLedger {
  readonly id: string
  readonly path: string
}

export interface LedgerFilesShape {
  readonly load: (path: string, options?: LedgerLoadOptions) => Effect.Effect<LoadedLedger, ReadError | FormatError>
  /** Starts a session in a file that must not exist. Its id is the name of the file. */
  readonly create: (
    path: string,
    start: LedgerStart,
    options?: Pick<LedgerCreateOptions, "integrity">,
  ) => Effect.Effect<OpenLedger, PrepareError | LeaseError | Rejected<LedgerRejection>, Scope.Scope>
  /** Starts a session in a directory, under a fresh id that is also the name of its file. */
  readonly createIn: (
    directory: string,
    start: LedgerStart,
    options?: LedgerCreateOptions,
  ) => Effect.Effect<OpenLedger, PrepareError | LeaseError | Rejected<LedgerRejection>, Scope.Scope>
  /** Starts a session for a subagent, in its parent's folder. Any id will do: what is no file name is made one. */
  readonly createChild: (
    parent: string,
    childId: string,
    start: LedgerStart,
    options?: LedgerCreateOptions,
  ) => Effect.Effect<OpenLedger, PrepareError | LeaseError | Rejected<LedgerRejection>, Scope.Scope>
  /** Goes on with a session as it is. */
  readonly open: (path: string, options?: LedgerOpenOptions) => Effect.Effect<OpenLedger, LedgerOpenError, Scope.Scope>
  /** Goes on with a session that an earlier process left: repaired, settled, its open calls closed. Says what was repaired. */
  readonly resume: (
    path: string,
    resume?: ResumeOptions,
    options?: LedgerOpenOptions,
  ) => Effect.Effect<OpenLedger, LedgerOpenError | Rejected<LedgerRejection>, Scope.Scope>
  /** Gives a session a title that nobody has open. The time of the file stays: a title is no work. Returns the title as it is kept. */
  readonly setTitle: (
    path: string,
    title: string,
    options?: LedgerOpenOptions,
  ) => Effect.Effect<string, LedgerOpenError | Rejected<LedgerRejection> | WriteError>
  /** A new session with everything that another one holds; by default beside it, under a fresh id. The source is only read. */
  readonly fork: (
    source: string,
    to?: string,
    options?: LedgerOpenOptions,
  ) => Effect.Effect<ForkedLedger, ReadError | FormatError | PrepareError | LeaseError>
  /** Writes a session out as a Markdown document and says where. Never overwrites, and never writes outside the root. */
  readonly export: (
    source: string,
    options: LedgerExportOptions,
  ) => Effect.Effect<string, ReadError | FormatError | PrepareError | LedgerStoreError>
  /** The sessions of a directory, newest work first. */
  readonly list: (directory: string) => Effect.Effect<Shelf, PrepareError>
  /** What a removal would take away. */
  readonly planRemoval: (path: string) => Effect.Effect<Removal, PrepareError | LedgerStoreError | ReadError | FormatError>
  /** Removes a session, those of its subagents, and what was put aside of them. Can be carried on when it was stopped. */
  readonly remove: (
    path: string,
    options?: LedgerOpenOptions,
  ) => Effect.Effect<Removal, PrepareError | LedgerStoreError | LeaseError | ReadError | FormatError>
}

export class LedgerFiles extends Context.Service<LedgerFiles, LedgerFilesShape>()("annals/session/LedgerFiles") {
  static readonly layer = (options: LedgerFilesOptions): Layer.Layer<LedgerFiles, never, Files | Writer | Lease | Redaction> =>
    Layer.effect(
      LedgerFiles,
      Effect.gen(function* () {
        return LedgerFiles.of(
          shapeOf({
            ...options,
            disk: yield* Files,
            writer: yield* Writer,
            lease: yield* Lease,
            redactor: yield* Redaction,
          }),
        )
      }),
    )
}

const fork = Effect.fnUntraced(function* (room: Room, source: string, to: string | undefined, options: LedgerOpenOptions) {
  // What cannot be copied is told before a name is taken for the copy.
  const loaded = yield* loadBegun(room, source)
  if (to !== undefined) {
    yield* refuseLinks(room, dirname(to), options)
    yield* claim(room, to)
  }
  const target = to === undefined ? yield* claimId(room, dirname(source), options) : { id: nameOf(to), path: to }
  yield* forkLedger(room, loaded, target, options)
  return target
})

const shapeOf = (room: Room): LedgerFilesShape => ({
  load: (path, options) => loadLedger(room.disk, resolve(path), options),
  create: (path, start, options) =>
    closable(
      Effect.andThen(
        claim(room, resolve(path)),
        Effect.suspend(() => startLedger(room, resolve(path), nameOf(path), start, options ?? {})),
      ),
    ),
  createIn: (directory, start, options) =>
    closable(
      Effect.flatMap(claimId(room, resolve(directory), options ?? {}), ({ id, path }) =>
        startLedger(room, path, id, start, options ?? {}),
      ),
    ),
  createChild: (parent, id, start, options) => closable(startChild(room, resolve(parent), id, start, options ?? {})),
  open: (path, options) => closable(openLedger(room, resolve(path), options ?? {})),
  resume: (path, resume, options) => closable(resumeLedger(room, resolve(path), resume ?? {}, options ?? {})),
  setTitle: (path, title, options) => Effect.scoped(retitle(room, resolve(path), title, options ?? {})),
  fork: (source, to, options) =>
    Effect.scoped(fork(room, resolve(source), to === undefined ? undefined : resolve(to), options ?? {})),
  export: (source, options) => exportLedger(room, resolve(source), options),
  list: (directory) => shelfOf(room, resolve(directory)),
  planRemoval: (path) =>
    Effect.andThen(
      proveRemovable(room, resolve(path)),
      Effect.suspend(() => planRemoval(room, resolve(path))),
    ),
  remove: (path, options) =>
    refuseLinks(room, dirname(resolve(path)), options ?? {}).pipe(
      Effect.andThen(proveRemovable(room, resolve(path))),
      Effect.andThen(Effect.scoped(removeLedger(room, resolve(path)))),
    ),
})
