/**
 * Tree sessions in files: loading, opening for writing, creating, migrating.
 *
 * What it guarantees: loading and opening change no byte of a session. Opening for writing takes the lease first. The file changes with
 * the first command: its line boundary is proven then, a torn tail is put aside, and a due migration is carried out, with a backup and
 * with the caller's consent only. A file whose header cannot be read is never written to, and a new session never replaces a file.
 *
 * How it fails: see {@link OpenError}; each reason has a stable code.
 */
import { basename, dirname, join, resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createFile } from "../disk/Atomic.ts"
import { ensureDirectory } from "../disk/Directory.ts"
import type { Disk } from "../disk/Disk.ts"
import { Files } from "../disk/Files.ts"
import type { ReadError } from "../journal/Reader.ts"
import { planTail } from "../journal/Tail.ts"
import { Lease } from "../lease/Lease.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { Edit } from "../model/Edit.ts"
import { uuidV7 } from "../model/Ids.ts"
import { type JsonObject, ownString } from "../model/Json.ts"
import { isoTime, type Stamp } from "../model/Stamp.ts"
import { Redaction } from "../redaction/Redaction.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import type { TreeCommand } from "../tree/Command.ts"
import { CURRENT_VERSION } from "../tree/Header.ts"
import { edited } from "../tree/Members.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { TreeState } from "../tree/State.ts"
import { type TreeRecord, treeModel } from "../tree/TreeModel.ts"
import { Writer } from "../writer/Writer.ts"
import { type LoadedTree, type LoadOptions, loadTree } from "./Load.ts"
import { ConsentError, FormatError, PrepareError } from "./OpenError.ts"
import { holderOf, storeDirectory } from "./Place.ts"
import { forkTo, onDisk, putInOrder, rewriteInPlace, sweep } from "./RewriteFile.ts"
import { make as makeSession, type Opened, type Session } from "./Session.ts"

export type OpenError = ReadError | FormatError | ConsentError | LeaseError | PrepareError

export type TreeSession = Session<TreeState, TreeCommand, TreeRecord, TreeRejection, PrepareError>

export interface Migration {
  readonly from: number
  readonly to: number
  /** Where the file as it was is kept. */
  readonly backup: string
}

export interface OpenTree {
  readonly session: TreeSession
  /** Where the records go: another path than the one asked for when a fork is made in our own store. */
  readonly path: string
  /** The session as it was read. Of a new session: without records. */
  readonly loaded: LoadedTree | undefined
  readonly forkedFrom: string | undefined
  /** Carried out by the first command that writes. */
  readonly migration: Migration | undefined
}

export interface OpenOptions {
  /** Consent to rewrite a file of an older version, or of another agent. On by default in our own store only. */
  readonly migrate?: boolean | undefined
  /** For a file without a record: what its session begins with. */
  readonly start?: { readonly cwd: string } | undefined
}

export interface CreateOptions {
  readonly cwd: string
  /** Where; by default in our own store, under the time and the session's id. */
  readonly path?: string | undefined
  readonly title?: string | undefined
}

export interface Migrated {
  readonly path: string
  readonly from: number
  readonly to: number
  readonly records: number
  /** False when the file was of the newest version already. */
  readonly applied: boolean
  readonly backup: string | undefined
}

export interface TreeStoreOptions {
  readonly home: string
  /** Where other agents keep their sessions, by their variables, and where we keep ours. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A clock reading and fresh randomness. */
  readonly stamp: Effect.Effect<Stamp>
}

export class TreeStore extends Context.Service<
  TreeStore,
  {
    readonly load: (path: string, options?: LoadOptions) => Effect.Effect<LoadedTree, ReadError | FormatError>
    readonly open: (path: string, options?: OpenOptions) => Effect.Effect<OpenTree, OpenError, Scope.Scope>
    readonly create: (options: CreateOptions) => Effect.Effect<OpenTree, OpenError, Scope.Scope>
    /** What `open` with consent would rewrite, carried out at once. */
    readonly migrate: (path: string) => Effect.Effect<Migrated, OpenError>
  }
>()("annals/session/TreeStore") {
  static readonly layer = (options: TreeStoreOptions): Layer.Layer<TreeStore, never, Files | Writer | Lease | Redaction> =>
    Layer.effect(
      TreeStore,
      Effect.gen(function* () {
        const room: Room = {
          ...options,
          disk: yield* Files,
          writer: yield* Writer,
          lease: yield* Lease,
          redactor: yield* Redaction,
        }
        return TreeStore.of({
          load: (path, loading) => loadTree(room.disk, resolve(path), loading),
          open: (path, opening) => closable(open(room, resolve(path), opening ?? {})),
          create: (creating) => closable(create(room, creating)),
          migrate: (path) => Effect.scoped(migrate(room, resolve(path))),
        })
      }),
    )
}

/** The lease goes with the session: closing the session gives it back, without waiting for the caller's scope. */
const closable = <E>(work: Effect.Effect<OpenTree, E, Scope.Scope>): Effect.Effect<OpenTree, E, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const release = Scope.close(scope, Exit.void)
    const open = yield* work.pipe(
      Scope.provide(scope),
      Effect.onError(() => release),
    )
    return { ...open, session: { ...open.session, close: Effect.ensuring(open.session.close, release) } }
  })

/** What the functions below work with. */
interface Room extends TreeStoreOptions {
  readonly disk: Disk
  readonly writer: Context.Service.Shape<typeof Writer>
  readonly lease: Context.Service.Shape<typeof Lease>
  readonly redactor: Redactor
}

type Way = "append" | "start" | "rewrite" | "fork"

/** What has to be done before the first record can be appended, or why it may not be. */
const wayOf = (room: Room, loaded: LoadedTree, options: OpenOptions): Effect.Effect<Way, FormatError | ConsentError> => {
  const { path, state, version, dialect } = loaded
  if (loaded.records === 0 && loaded.damages.length === 0)
    return options.start === undefined
      ? Effect.fail(new FormatError({ reason: { _tag: "Empty", code: "format.empty", path } }))
      : Effect.succeed("start")
  if (state.header === undefined || state.headerMadeUp)
    return Effect.fail(new FormatError({ reason: { _tag: "BadHeader", code: "format.bad_header", path, line: 1, offset: 0 } }))
  if (version === CURRENT_VERSION) return Effect.succeed("append")
  const holder = holderOf(path, room.environment)
  if (!(options.migrate ?? holder === "annals"))
    return Effect.fail(
      new ConsentError({ reason: { _tag: "MigrationNeeded", code: "consent.migration_needed", path, dialect, version } }),
    )
  return Effect.succeed(holder === "annals" || holder === "nobody" ? "rewrite" : "fork")
}

/** The loaded session, read again if it has changed before the lease was taken. */
const underLease = Effect.fnUntraced(function* (room: Room, loaded: LoadedTree) {
  yield* room.lease.acquire(loaded.path)
  const { identity } = loaded.summary
  const now = yield* onDisk(loaded.path, () => room.disk.lstat(loaded.path))
  const isSame = now?.inode === identity.inode && now.size === identity.size && now.modified === identity.modified
  return isSame ? loaded : yield* loadTree(room.disk, loaded.path)
})

const open = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  options: OpenOptions,
): Effect.fn.Return<OpenTree, OpenError, Scope.Scope> {
  const found = yield* loadTree(room.disk, path)
  const way = yield* wayOf(room, found, options)
  if (way === "fork") return yield* openFork(room, found)
  const loaded = yield* underLease(room, found)
  // The file may have become another one before the lease was taken.
  if ((yield* wayOf(room, loaded, options)) !== way)
    return yield* new PrepareError({ reason: { _tag: "Changed", code: "open.changed", path } })
  if (way === "start") return yield* openEmpty(room, loaded, options.start ?? { cwd: "" })
  if (way === "append") return yield* openAs(room, loaded, { prepare: atLineBoundary(room, loaded) })
  const migration = { from: loaded.version, to: CURRENT_VERSION, backup: freeBackup(room.disk, loaded) }
  return yield* openAs(room, loaded, { prepare: rewritten(room, loaded, migration.backup), migration })
})

/** A preparation that has left the file uncertain is not tried again: the same error is told each time. */
const onceUncertain = <A, R>(prepare: Effect.Effect<A, PrepareError, R>): Effect.Effect<A, PrepareError, R> => {
  let told: PrepareError | undefined
  return Effect.suspend(() =>
    told !== undefined
      ? Effect.fail(told)
      : Effect.tapError(prepare, (error) =>
          Effect.sync(() => {
            if (error.reason._tag === "Uncertain") told = error
          }),
        ),
  )
}

interface Preparation {
  readonly path?: string
  readonly prepare: Effect.Effect<Opened<TreeState>, PrepareError, Scope.Scope>
  readonly migration?: Migration
  readonly forkedFrom?: string
  readonly state?: TreeState
}

/** The state as it will be once what is due has been carried out: entries and header are of the newest version in memory already. */
const upToDate = (state: TreeState): TreeState => ({ ...state, version: CURRENT_VERSION })

/** A session over a loaded file. Its state is of the newest version from the beginning: what is due is carried out before it matters. */
const openAs = (room: Room, loaded: LoadedTree | undefined, preparation: Preparation) =>
  Effect.map(
    makeSession({
      model: treeModel,
      redactor: room.redactor,
      state: preparation.state ?? upToDate(loaded?.state ?? treeModel.initial),
      stamp: room.stamp,
      path: preparation.path ?? loaded?.path ?? "",
      open: onceUncertain(preparation.prepare),
    }),
    (session): OpenTree => ({
      session,
      path: preparation.path ?? loaded?.path ?? "",
      loaded,
      forkedFrom: preparation.forkedFrom,
      migration: preparation.migration,
    }),
  )

const journalOf = (room: Room, path: string, file: { device: bigint; inode: bigint }, length: number) =>
  room.writer.open({ path, identity: { device: file.device, inode: file.inode }, length })

const atLineBoundary = (room: Room, loaded: LoadedTree): Preparation["prepare"] =>
  Effect.gen(function* () {
    const { path, summary } = loaded
    const { length } = yield* putInOrder(room.disk, path, summary.identity, planTail(summary, true))
    return { journal: yield* journalOf(room, path, summary.identity, length) }
  })

const rewritten = (room: Room, loaded: LoadedTree, backup: string): Preparation["prepare"] =>
  Effect.gen(function* () {
    const { path } = loaded
    const names = { backup: basename(backup), temporary: `.${basename(path)}.migration.tmp` }
    const { state, file } = yield* rewriteInPlace(room.disk, loaded, room.redactor, names)
    return { journal: yield* journalOf(room, path, file, file.size), state }
  })

/** The first free name for a backup of this version. */
const freeBackup = (disk: Disk, { path, version }: LoadedTree): string => {
  for (let n = 1; ; n++) {
    const name = `${path}.v${version}${n === 1 ? "" : `.${n}`}.bak`
    if (disk.lstat(name) === undefined) return name
  }
}

/** The header record of a new session, and the state after it. */
const started = (room: Room, stamp: Stamp, fields: { cwd: string; id: string; title?: string | undefined }) =>
  Effect.gen(function* () {
    const { title, ...given } = fields
    const command: TreeCommand = { do: "start", ...given, ...(title === undefined ? {} : { title, titleSource: "user" }) }
    const decided = treeModel.decide(treeModel.initial, command, stamp)
    const records = yield* Effect.orDie(Effect.fromResult(decided))
    const state = records.reduce(treeModel.evolve, treeModel.initial)
    const lines = records.map((record) => room.redactor.cleanRecord(record))
    return { state, lines: yield* Effect.orDie(Effect.all(lines.map((line) => Effect.fromResult(line)))) }
  })

const openEmpty = Effect.fnUntraced(function* (room: Room, loaded: LoadedTree, { cwd }: { readonly cwd: string }) {
  const stamp = yield* room.stamp
  const { state, lines } = yield* started(room, stamp, { cwd, id: uuidV7(stamp.at, stamp.entropy) })
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    const opened = yield* atLineBoundary(room, loaded)
    yield* Effect.orDie(opened.journal.append(lines.map(({ line }) => line)))
    return opened
  })
  return yield* openAs(room, loaded, { prepare, state })
})

/** The file name of a session: its time, with nothing in it that a file system could object to, and its id. */
const fileName = (stamp: Stamp, id: string): string => `${isoTime(stamp).replace(/[:.]/g, "-")}_${id}.jsonl`

const create = Effect.fnUntraced(function* (
  room: Room,
  options: CreateOptions,
): Effect.fn.Return<OpenTree, OpenError, Scope.Scope> {
  const stamp = yield* room.stamp
  const id = uuidV7(stamp.at, stamp.entropy)
  const path = resolve(options.path ?? join(storeDirectory(room.home, room.environment), fileName(stamp, id)))
  const exists = new PrepareError({ reason: { _tag: "Exists", code: "open.exists", path } })
  if ((yield* onDisk(path, () => room.disk.lstat(path))) !== undefined) return yield* exists
  yield* onDisk(path, () => ensureDirectory(room.disk, dirname(path)))
  yield* room.lease.acquire(path)
  const { state, lines } = yield* started(room, stamp, { cwd: options.cwd, id, title: options.title })
  const bytes = new TextEncoder().encode(lines.map(({ line }) => `${line.text}\n`).join(""))
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    const temporaryName = `.${basename(path)}.tmp`
    const file = yield* onDisk(path, () => {
      sweep(room.disk, join(dirname(path), temporaryName))
      return createFile(room.disk, path, (put) => put(bytes), { temporaryName })
    })
    return { journal: yield* journalOf(room, path, file, file.size) }
  })
  return yield* openAs(room, undefined, { path, prepare, state })
})

/** A new session in our own store, with everything the other agent's file holds, and that session as its parent. */
const openFork = Effect.fnUntraced(function* (
  room: Room,
  loaded: LoadedTree,
): Effect.fn.Return<OpenTree, OpenError, Scope.Scope> {
  const stamp = yield* room.stamp
  const id = uuidV7(stamp.at, stamp.entropy)
  const directory = storeDirectory(room.home, room.environment)
  const path = join(directory, fileName(stamp, id))
  yield* onDisk(path, () => ensureDirectory(room.disk, directory))
  yield* room.lease.acquire(path)
  const header = (source: JsonObject): Edit | undefined =>
    edited(source, { id, timestamp: isoTime(stamp), parentSession: ownString(source, "id") ?? loaded.path })
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    const { state, file } = yield* forkTo(room.disk, loaded, room.redactor, { path, header })
    return { journal: yield* journalOf(room, path, file, file.size), state }
  })
  return yield* openAs(room, loaded, { path, prepare, forkedFrom: loaded.path })
})

const migrate = Effect.fnUntraced(function* (room: Room, path: string): Effect.fn.Return<Migrated, OpenError, Scope.Scope> {
  const found = yield* loadTree(room.disk, path)
  const way = yield* wayOf(room, found, { migrate: true })
  const holder = holderOf(path, room.environment)
  if (way === "fork")
    return yield* new ConsentError({ reason: { _tag: "ForeignDirectory", code: "consent.foreign_directory", path, holder } })
  const loaded = way === "rewrite" ? yield* underLease(room, found) : found
  const backup = way === "rewrite" ? freeBackup(room.disk, loaded) : undefined
  if (backup !== undefined) yield* rewritten(room, loaded, backup)
  const { version: from, records } = loaded
  return { path, from, to: CURRENT_VERSION, records, applied: backup !== undefined, backup }
})
