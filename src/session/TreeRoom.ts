/** What the functions of a tree store work with, and what all ways to an open tree session share. */
import { join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { BlobStore } from "../blob/BlobStore.ts"
import { own, ownObject, ownString } from "../model/Json.ts"
import { isoTime, type Stamp } from "../model/Stamp.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import { withMarks } from "../redaction/Provenance.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import type { TreeCommand } from "../tree/Command.ts"
import { isEntry } from "../tree/Entry.ts"
import { CURRENT_VERSION } from "../tree/Header.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { TreeState } from "../tree/State.ts"
import { type TreeRecord, treeModel } from "../tree/TreeModel.ts"
import { type Lookup, lookupIn, resolveState } from "./BlobReferences.ts"
import { shaping } from "./Blobs.ts"
import { Rejected } from "./DispatchError.ts"
import type { Mark } from "./Encoding.ts"
import { type LoadedTree, type LoadOptions, loadTree } from "./Load.ts"
import type { PrepareError } from "./OpenError.ts"
import { foreignBlobs, holderOf, storeDirectory } from "./Place.ts"
import { cleanLines, onceUncertain, type Room, whileHeld } from "./Room.ts"
import { declaring, type Integrity } from "./Sealing.ts"
import { make as makeSession, type Opened, type Session } from "./Session.ts"

export interface TreeStoreOptions {
  readonly home: string
  /** Where other agents keep their sessions, by their variables, and where we keep ours. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A clock reading and fresh randomness. */
  readonly stamp: Effect.Effect<Stamp>
  /**
   * Bytes of the largest file whose records an open session holds in memory; by default 4 MiB, `Infinity` for every file. Those of a
   * larger one are read from it when they are asked for: see {@link OpenTree.session}.
   */
  readonly heldFileBytes?: number | undefined
}

export interface TreeRoom extends Room, TreeStoreOptions {
  readonly blobs: Context.Service.Shape<typeof BlobStore>
}

/** Finds the images of a session: in our own store, then, reading only, in that of the agent in whose directory the session lies. */
export const lookupOf = (room: TreeRoom, path: string): Lookup =>
  lookupIn(room.disk, room.blobs.get, foreignBlobs(path, room.environment))

/** Reads a session, its images resolved. */
export const loadIn = (room: TreeRoom, path: string, options: LoadOptions = {}) =>
  loadTree(room.disk, path, { lookup: lookupOf(room, path), ...options })

/**
 * Marks an entry with what redaction took out of it. Headers and patches are never marked: a strict reader drops a patch, and with it the
 * change, when it has a member that it does not know.
 */
export const markEntry: Mark = (record, findings) =>
  isEntry(record, CURRENT_VERSION) && own(record, "redacted") === undefined ? withMarks(record, findings) : record

/** A rewritten state as the host shall see it. */
export const shown = (room: TreeRoom, path: string, state: TreeState) =>
  Effect.map(resolveState(state, lookupOf(room, path)), (found) => found.state)

/** Another agent looks for blobs in its own folder only, so a session of its own keeps its images in the lines. */
const shapeOf = (room: TreeRoom, path: string) => {
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
  /**
   * Of a large file (`heldFileBytes`) the states leave the records where they are. Looking at one reads it, also after the session is
   * closed; that throws a ReadError when the disk refuses or the file has become another one. Commands and receipts read none.
   */
  readonly session: TreeSession
  /** Where the records go: another path than the one asked for when a fork is made in our own store. */
  readonly path: string
  /** The session as it was read. Of a new session: undefined. */
  readonly loaded: LoadedTree | undefined
  readonly forkedFrom: string | undefined
  /** Carried out by the first command that writes. */
  readonly migration: Migration | undefined
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

/** The command without secrets in a title: it is made one line and cut, and redaction would not know them any more. */
const withCleanTitle = (redactor: Redactor, command: TreeCommand): TreeCommand =>
  (command.do === "title" || command.do === "start") && typeof command.title === "string"
    ? { ...command, title: redactor.redactText(command.title).text }
    : command

/** A session over a loaded file. Its state is of the newest version from the beginning: what is due is carried out before it matters. */
export const openAs = (room: TreeRoom, loaded: LoadedTree | undefined, preparation: Preparation) => {
  const path = preparation.path ?? loaded?.path ?? ""
  return Effect.andThen(
    room.writer.expect,
    Effect.map(
      makeSession({
        model: treeModel,
        redactor: room.redactor,
        state: preparation.state ?? upToDate(loaded?.state ?? treeModel.initial),
        stamp: room.stamp,
        path,
        shape: shapeOf(room, path),
        mark: markEntry,
        open: onceUncertain(whileHeld(room, path, preparation.prepare)),
        deferUntil: preparation.persist === "with-answer" ? isAnswer : undefined,
      }),
      (session): OpenTree => ({
        session: { ...session, dispatch: (command, level) => session.dispatch(withCleanTitle(room.redactor, command), level) },
        path,
        loaded,
        forkedFrom: preparation.forkedFrom,
        migration: preparation.migration,
      }),
    ),
  )
}

/** The header record of a new session, and the state after it. */
export const started = (
  room: TreeRoom,
  stamp: Stamp,
  fields: {
    cwd: string
    id: string
    title?: string | undefined
    parentSession?: string | undefined
    integrity?: Integrity | undefined
  },
): Effect.Effect<{ readonly state: TreeState; readonly lines: ReadonlyArray<CleanLine> }, Rejected<TreeRejection>> =>
  Effect.gen(function* () {
    const { cwd, id, title, parentSession } = fields
    const command: TreeCommand = {
      do: "start",
      cwd,
      id,
      ...(title === undefined ? {} : { title, titleSource: "user" }),
      ...(parentSession === undefined ? {} : { parentSession }),
    }
    const decided = treeModel.decide(treeModel.initial, withCleanTitle(room.redactor, command), stamp)
    if (Result.isFailure(decided)) return yield* new Rejected({ rejection: decided.failure })
    const records = declaring(decided.success, fields.integrity)
    return { state: records.reduce(treeModel.evolve, treeModel.initial), lines: yield* cleanLines(room, records) }
  })

/** The file name of a session: its time, with nothing in it that a file system could object to, and its id. */
const fileName = (stamp: Stamp, id: string): string => `${isoTime(stamp).replace(/[:.]/g, "-")}_${id}.jsonl`

/** Where a new session goes when nobody says where: into our own store. */
export const storePath = (room: TreeRoom, stamp: Stamp, id: string): string =>
  join(storeDirectory(room.home, room.environment), fileName(stamp, id))
