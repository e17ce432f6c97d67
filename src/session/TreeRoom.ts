/** What the functions of a tree store work with, and what all ways to an open session share. */
import { basename, dirname, join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { BlobStore } from "../blob/BlobStore.ts"
import { createFile } from "../disk/Atomic.ts"
import type { Disk } from "../disk/Disk.ts"
import type { Lease } from "../lease/Lease.ts"
import { own, ownObject, ownString } from "../model/Json.ts"
import { isoTime, type Stamp } from "../model/Stamp.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import type { TreeCommand } from "../tree/Command.ts"
import { CURRENT_VERSION } from "../tree/Header.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { TreeState } from "../tree/State.ts"
import { type TreeRecord, treeModel } from "../tree/TreeModel.ts"
import type { Writer } from "../writer/Writer.ts"
import { type Lookup, lookupIn, resolveState, shaping } from "./Blobs.ts"
import { type LoadedTree, type LoadOptions, loadTree } from "./Load.ts"
import type { PrepareError } from "./OpenError.ts"
import { foreignBlobs, holderOf, storeDirectory } from "./Place.ts"
import { onDisk, sweep } from "./RewriteFile.ts"
import { make as makeSession, type Opened, type Session } from "./Session.ts"

export interface TreeStoreOptions {
  readonly home: string
  /** Where other agents keep their sessions, by their variables, and where we keep ours. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A clock reading and fresh randomness. */
  readonly stamp: Effect.Effect<Stamp>
}

export interface Room extends TreeStoreOptions {
  readonly disk: Disk
  readonly writer: Context.Service.Shape<typeof Writer>
  readonly lease: Context.Service.Shape<typeof Lease>
  readonly redactor: Redactor
  readonly blobs: Context.Service.Shape<typeof BlobStore>
}

/** Finds the images of a session: in our own store, then, reading only, in that of the agent in whose directory the session lies. */
export const lookupOf = (room: Room, path: string): Lookup =>
  lookupIn(room.disk, room.blobs.get, foreignBlobs(path, room.environment))

/** Reads a session, its images resolved. */
export const loadIn = (room: Room, path: string, options: LoadOptions = {}) =>
  loadTree(room.disk, path, { lookup: lookupOf(room, path), ...options })

/** A rewritten state as the host shall see it. */
export const shown = (room: Room, path: string, state: TreeState) =>
  Effect.map(resolveState(state, lookupOf(room, path)), (found) => found.state)

/** Another agent looks for blobs in its own folder only, so a session of its own keeps its images in the lines. */
const shapeOf = (room: Room, path: string) => {
  const holder = holderOf(path, room.environment)
  const isOurs = holder === "annals" || holder === "nobody"
  return shaping(room.redactor, lookupOf(room, path), isOurs ? room.blobs.put : undefined)
}

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
  /** The session as it was read. Of a new session: undefined. */
  readonly loaded: LoadedTree | undefined
  readonly forkedFrom: string | undefined
  /** Carried out by the first command that writes. */
  readonly migration: Migration | undefined
}

/** The lease goes with the session: closing the session gives it back, without waiting for the caller's scope. */
export const closable = <E>(work: Effect.Effect<OpenTree, E, Scope.Scope>): Effect.Effect<OpenTree, E, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const release = Scope.close(scope, Exit.void)
    const open = yield* work.pipe(
      Scope.provide(scope),
      Effect.onError(() => release),
    )
    return { ...open, session: { ...open.session, close: Effect.ensuring(open.session.close, release) } }
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

export interface Preparation {
  readonly path?: string
  readonly prepare: Effect.Effect<Opened<TreeState>, PrepareError, Scope.Scope>
  readonly migration?: Migration
  readonly forkedFrom?: string
  readonly state?: TreeState
  /** For a session without a file: when it shall have one. */
  readonly persist?: Persist | undefined
}

/**
 * When a new session gets its file: with its first answer, since one without is seldom worth a file, or with its first record. Whoever
 * waits for more than `accepted` gets the file at once in either case.
 */
export type Persist = "with-answer" | "immediately"

const isAnswer = (record: TreeRecord): boolean =>
  own(record, "type") === "message" && ownString(ownObject(record, "message") ?? {}, "role") === "assistant"

/** The state as it will be once what is due has been carried out: entries and header are of the newest version in memory already. */
export const upToDate = (state: TreeState): TreeState => ({ ...state, version: CURRENT_VERSION })

/** A session over a loaded file. Its state is of the newest version from the beginning: what is due is carried out before it matters. */
export const openAs = (room: Room, loaded: LoadedTree | undefined, preparation: Preparation) => {
  const path = preparation.path ?? loaded?.path ?? ""
  return Effect.map(
    makeSession({
      model: treeModel,
      redactor: room.redactor,
      state: preparation.state ?? upToDate(loaded?.state ?? treeModel.initial),
      stamp: room.stamp,
      path,
      shape: shapeOf(room, path),
      open: onceUncertain(preparation.prepare),
      deferUntil: preparation.persist === "with-answer" ? isAnswer : undefined,
    }),
    (session): OpenTree => ({
      session,
      path,
      loaded,
      forkedFrom: preparation.forkedFrom,
      migration: preparation.migration,
    }),
  )
}

/** The writer's end of a file that is ready for the first append. */
export const journalOf = (room: Room, path: string, file: { device: bigint; inode: bigint }, length: number) =>
  room.writer.open({ path, identity: { device: file.device, inode: file.inode }, length })

/** The header record of a new session, and the state after it. */
export const started = (
  room: Room,
  stamp: Stamp,
  fields: { cwd: string; id: string; title?: string | undefined; parentSession?: string | undefined },
): Effect.Effect<{ readonly state: TreeState; readonly lines: ReadonlyArray<CleanLine> }> =>
  Effect.gen(function* () {
    const { cwd, id, title, parentSession } = fields
    const command: TreeCommand = {
      do: "start",
      cwd,
      id,
      ...(title === undefined ? {} : { title, titleSource: "user" }),
      ...(parentSession === undefined ? {} : { parentSession }),
    }
    const decided = treeModel.decide(treeModel.initial, command, stamp)
    const records = yield* Effect.orDie(Effect.fromResult(decided))
    return { state: records.reduce(treeModel.evolve, treeModel.initial), lines: yield* cleanLines(room, records) }
  })

/** The lines of records that the session itself makes; they are JSON, so anything else is a bug. */
export const cleanLines = (room: Room, records: ReadonlyArray<TreeRecord>): Effect.Effect<ReadonlyArray<CleanLine>> =>
  Effect.orDie(
    Effect.forEach(records, (record) => Effect.map(Effect.fromResult(room.redactor.cleanRecord(record)), ({ line }) => line)),
  )

/** The file name of a session: its time, with nothing in it that a file system could object to, and its id. */
const fileName = (stamp: Stamp, id: string): string => `${isoTime(stamp).replace(/[:.]/g, "-")}_${id}.jsonl`

/** Where a new session goes when nobody says where: into our own store. */
export const storePath = (room: Room, stamp: Stamp, id: string): string =>
  join(storeDirectory(room.home, room.environment), fileName(stamp, id))

/** Makes a file with its first lines, whole or not at all. The caller holds the lease of its name. */
export const publish = (room: Room, path: string, bytes: Uint8Array) => {
  const temporaryName = `.${basename(path)}.tmp`
  return onDisk(path, () => {
    sweep(room.disk, join(dirname(path), temporaryName))
    return createFile(room.disk, path, (put) => put(bytes), { temporaryName })
  })
}
