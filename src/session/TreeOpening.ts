/** Opening a tree session's file for writing: what has to be done first, whether it may be done, and when it is done. */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Disk } from "../disk/Disk.ts"
import { CHAIN_START } from "../journal/Integrity.ts"
import type { ReadError } from "../journal/Reader.ts"
import { planTail } from "../journal/Tail.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import { uuidV7 } from "../model/Ids.ts"
import { CURRENT_VERSION } from "../tree/Header.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import { sanitised } from "../tree/Sanitising.ts"
import { treeModel } from "../tree/TreeModel.ts"
import type { Rejected } from "./DispatchError.ts"
import { type FoundTree, readToWrite } from "./LeftInFile.ts"
import type { LoadedTree } from "./Load.ts"
import { putInOrder } from "./OnDisk.ts"
import { ConsentError, FormatError, PrepareError } from "./OpenError.ts"
import { holderOf } from "./Place.ts"
import { rewriteInPlace } from "./RewriteFile.ts"
import { cleanLines, isUnchanged } from "./Room.ts"
import { journalAfter, newJournal } from "./SealedJournal.ts"
import { type IntegrityChoice, integrityFor } from "./Sealing.ts"
import { openFork } from "./TreeCreation.ts"
import {
  loadIn,
  type OpenTree,
  openAs,
  type Persist,
  type Preparation,
  shown,
  started,
  type TreeRoom,
  upToDate,
} from "./TreeRoom.ts"

export type OpenError = ReadError | FormatError | ConsentError | LeaseError | PrepareError | Rejected<TreeRejection>

export interface OpenOptions {
  /** Consent to rewrite a file of an older version, or of another agent. On by default in our own store only. */
  readonly migrate?: boolean | undefined
  /** For a file without a record: what its session begins with. */
  readonly start?: StartOptions | undefined
  /** The attempt of an offer: takes over the lease that another writer has promised. */
  readonly offer?: string | undefined
}

export interface StartOptions {
  readonly cwd: string
  /** When the first record is written. By default `with-answer`. */
  readonly persist?: Persist | undefined
  /** As of a new session. */
  readonly integrity?: IntegrityChoice | undefined
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

type Way = "append" | "start" | "rewrite" | "fork"

/** What has to be done before the first record can be appended, or why it may not be. */
const wayOf = (room: TreeRoom, loaded: LoadedTree, options: OpenOptions): Effect.Effect<Way, FormatError | ConsentError> => {
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
const underLease = Effect.fnUntraced(function* (
  room: TreeRoom,
  found: FoundTree,
  offer?: string | undefined,
): Effect.fn.Return<FoundTree, OpenError, Scope.Scope> {
  yield* room.lease.acquire(found.path, { offer })
  return (yield* isUnchanged(room, found.path, found.summary.identity)) ? found : yield* readToWrite(room, found.path)
})

/** Opens a file for writing. Takes the lease; changes no byte before the first command. */
export const openTree = Effect.fnUntraced(function* (
  room: TreeRoom,
  path: string,
  options: OpenOptions,
): Effect.fn.Return<OpenTree, OpenError, Scope.Scope> {
  const found = yield* readToWrite(room, path)
  const way = yield* wayOf(room, found, options)
  if (way === "fork") return yield* openFork(room, found)
  const loaded = yield* underLease(room, found, options.offer)
  // The file may have become another one before the lease was taken.
  if ((yield* wayOf(room, loaded, options)) !== way)
    return yield* new PrepareError({ reason: { _tag: "Changed", code: "open.changed", path } })
  if (way === "start") return yield* openEmpty(room, loaded, options.start ?? { cwd: "" })
  if (way === "append") return yield* openAs(room, loaded, sanitising(room, loaded, { prepare: atLineBoundary(room, loaded) }))
  const migration = { from: loaded.version, to: CURRENT_VERSION, backup: freeBackup(room.disk, loaded) }
  return yield* openAs(room, loaded, sanitising(room, loaded, { prepare: rewritten(room, loaded, migration.backup), migration }))
})

/**
 * A preparation that also takes out what must not outlive the process that wrote it, as patches in front of the first record. The state
 * has them from the beginning.
 */
const sanitising = (room: TreeRoom, found: FoundTree, preparation: Preparation): Preparation => {
  const state = upToDate(found.state)
  const patches = sanitised(state, found.losing)
  if (patches.length === 0) return preparation
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    const opened = yield* preparation.prepare
    const lines = yield* cleanLines(room, patches)
    yield* Effect.orDie(opened.journal.append(lines))
    return { ...opened, ...(opened.state === undefined ? {} : { state: patches.reduce(treeModel.evolve, opened.state) }) }
  })
  return { ...preparation, prepare, state: patches.reduce(treeModel.evolve, state) }
}

const atLineBoundary = (room: TreeRoom, loaded: LoadedTree, chain = loaded.summary.chain): Preparation["prepare"] =>
  Effect.gen(function* () {
    const { path, summary } = loaded
    const { length } = yield* putInOrder(room.disk, path, summary.identity, planTail(summary, true))
    return { journal: yield* journalAfter(room, path, { ...summary, chain }, length) }
  })

const rewritten = (room: TreeRoom, loaded: LoadedTree, backup: string): Preparation["prepare"] =>
  Effect.gen(function* () {
    const { path } = loaded
    const names = { backup: basename(backup), temporary: `.${basename(path)}.migration.tmp` }
    const made = yield* rewriteInPlace(room.disk, loaded, room.redactor, names)
    const journal = yield* newJournal(room, path, made.file, made.chain)
    return { journal, state: yield* shown(room, path, made.state), redactor: made.redactor }
  })

/** The first free name for a backup of this version. */
const freeBackup = (disk: Disk, { path, version }: LoadedTree): string => {
  for (let n = 1; ; n++) {
    const name = `${path}.v${version}${n === 1 ? "" : `.${n}`}.bak`
    if (disk.lstat(name) === undefined) return name
  }
}

const openEmpty = Effect.fnUntraced(function* (room: TreeRoom, loaded: LoadedTree, options: StartOptions) {
  const { cwd, persist } = options
  const stamp = yield* room.stamp
  const integrity = integrityFor(holderOf(loaded.path, room.environment), options.integrity)
  const { state, lines } = yield* started(room, stamp, { cwd, id: uuidV7(stamp.at, stamp.entropy), integrity })
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    const opened = yield* atLineBoundary(room, loaded, integrity === undefined ? undefined : CHAIN_START)
    yield* Effect.orDie(opened.journal.append(lines))
    return opened
  })
  return yield* openAs(room, loaded, { prepare, state, persist: persist ?? "with-answer" })
})

/** What opening with consent would rewrite, carried out at once. */
export const migrateTree = Effect.fnUntraced(function* (
  room: TreeRoom,
  path: string,
): Effect.fn.Return<Migrated, OpenError, Scope.Scope> {
  const found = yield* loadIn(room, path)
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
