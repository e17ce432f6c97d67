/** New tree sessions: from nothing, or from the whole or a path of another one. */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { INTEGRITY } from "../journal/Integrity.ts"
import type { ReadError } from "../journal/Reader.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { Edit } from "../model/Edit.ts"
import { uuidV7 } from "../model/Ids.ts"
import { type JsonObject, ownString } from "../model/Json.ts"
import { edited } from "../model/Members.ts"
import { isoTime } from "../model/Stamp.ts"
import { branchOutLines } from "../tree/BranchOut.ts"
import type { TreeRejection } from "../tree/Rejection.ts"
import type { WriteError } from "../writer/WriteError.ts"
import { referencesOf } from "./BlobReferences.ts"
import { copyBlobs } from "./Blobs.ts"
import { Rejected } from "./DispatchError.ts"
import type { LoadedTree } from "./Load.ts"
import { FormatError, PrepareError } from "./OpenError.ts"
import { foreignBlobs, holderOf } from "./Place.ts"
import { type ForkTarget, forkTo } from "./RewriteFile.ts"
import { claim, publish } from "./Room.ts"
import { newJournal } from "./SealedJournal.ts"
import { firstLines, type Integrity, type IntegrityChoice, integrityFor } from "./Sealing.ts"
import {
  loadIn,
  lookupOf,
  type OpenTree,
  openAs,
  type Persist,
  type Preparation,
  shown,
  started,
  storePath,
  type TreeRoom,
} from "./TreeRoom.ts"

export interface CreateOptions {
  readonly cwd: string
  /** Where; by default in our own store, under the time and the session's id. */
  readonly path?: string | undefined
  readonly title?: string | undefined
  /** The session that this one comes from: an id or a path, kept as it is. */
  readonly parentSession?: string | undefined
  /** When the file comes into being. By default `with-answer`. */
  readonly persist?: Persist | undefined
  /** Whether its records carry seals, by which a reader tells edits and losses. By default they do in our own store, and nowhere else. */
  readonly integrity?: IntegrityChoice | undefined
}

/** What differs from the session before; by default the working directory is the same, and the parent is its id. */
export type NewOptions = Partial<CreateOptions>

export interface ForkOptions {
  /** Where; by default in our own store, under the time and the session's id. */
  readonly path?: string | undefined
  /** Puts seals on its records wherever it lies. By default they have them in our own store, and when those of the source do. */
  readonly integrity?: Integrity | undefined
}

export interface Forked {
  readonly id: string
  readonly path: string
}

/** A new session. Its file comes into being whole, when `persist` says so. */
export const createTree = Effect.fnUntraced(function* (
  room: TreeRoom,
  options: CreateOptions,
): Effect.fn.Return<OpenTree, PrepareError | LeaseError | Rejected<TreeRejection>, Scope.Scope> {
  const stamp = yield* room.stamp
  const id = uuidV7(stamp.at, stamp.entropy)
  const path = resolve(options.path ?? storePath(room, stamp, id))
  yield* claim(room, path)
  const { cwd, title, parentSession } = options
  const integrity = integrityFor(holderOf(path, room.environment), options.integrity)
  const { state, lines: records } = yield* started(room, stamp, { cwd, id, title, parentSession, integrity })
  const { lines, chain } = firstLines(records, integrity)
  const bytes = new TextEncoder().encode(lines.map(({ text }) => `${text}\n`).join(""))
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    const file = yield* publish(room, path, bytes)
    return { journal: yield* newJournal(room, path, file, chain) }
  })
  return yield* openAs(room, undefined, { path, prepare, state, persist: options.persist ?? "with-answer" })
})

/**
 * Goes on in a new session, with the one before as its parent, and closes that one. When the new one cannot be begun, the one before stays
 * open; when the last records of the one before cannot be made durable, the error says so and nothing new is begun.
 */
export const newTree = Effect.fnUntraced(function* (
  room: TreeRoom,
  before: OpenTree,
  options: NewOptions,
): Effect.fn.Return<OpenTree, PrepareError | LeaseError | WriteError | Rejected<TreeRejection>, Scope.Scope> {
  const { header } = yield* before.session.state
  const cwd = ownString(header ?? {}, "cwd") ?? ""
  const next = yield* createTree(room, { cwd, parentSession: ownString(header ?? {}, "id"), ...options })
  yield* before.session.close
  return next
})

/** Brings what a session refers to in another agent's folder of blobs into our own, where a copy of the session looks. */
const bringBlobs = (room: TreeRoom, { path, stored }: LoadedTree): Effect.Effect<void, PrepareError> =>
  foreignBlobs(path, room.environment).length === 0
    ? Effect.void
    : Effect.mapError(copyBlobs(room.redactor, referencesOf(stored), lookupOf(room, path), room.blobs.put), ({ reason }) => {
        const { system, operation } = "system" in reason ? reason : { system: reason.code, operation: "read" }
        return new PrepareError({ reason: { _tag: "Refused", code: "open.refused", path: reason.path, system, operation } })
      })

/** The seals of a copy: those of what it is copied from, else those of a new session at its place. */
const integrityOfCopy = (room: TreeRoom, loaded: LoadedTree, path: string, asked?: Integrity): Integrity | undefined =>
  loaded.summary.chain === undefined ? integrityFor(holderOf(path, room.environment), asked) : INTEGRITY

const declared = (integrity: Integrity | undefined) => (integrity === undefined ? {} : { integrity })

/** A new session in our own store, with everything the other agent's file holds, and that session as its parent. */
export const openFork = Effect.fnUntraced(function* (
  room: TreeRoom,
  loaded: LoadedTree,
): Effect.fn.Return<OpenTree, PrepareError | LeaseError, Scope.Scope> {
  const stamp = yield* room.stamp
  const id = uuidV7(stamp.at, stamp.entropy)
  const path = storePath(room, stamp, id)
  yield* claim(room, path)
  const integrity = integrityOfCopy(room, loaded, path)
  const header = (source: JsonObject): Edit | undefined =>
    edited(source, {
      id,
      timestamp: isoTime(stamp),
      parentSession: ownString(source, "id") ?? loaded.path,
      ...declared(integrity),
    })
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    yield* bringBlobs(room, loaded)
    const made = yield* forkTo(room.disk, loaded, room.redactor, { path, integrity, header })
    const journal = yield* newJournal(room, path, made.file, made.chain)
    return { journal, state: yield* shown(room, path, made.state), redactor: made.redactor }
  })
  return yield* openAs(room, loaded, { path, prepare, forkedFrom: loaded.path })
})

/** A new session with everything that another one holds, all its branches, in a file of its own. The source is only read. */
export const forkTree = Effect.fnUntraced(function* (
  room: TreeRoom,
  source: string,
  options: ForkOptions,
): Effect.fn.Return<Forked, ReadError | FormatError | PrepareError | LeaseError, Scope.Scope> {
  const loaded = yield* loadForCopy(room, source)
  return yield* copyOut(room, loaded, options, (header) => ownString(header, "id") ?? source)
})

/** A new session with one path of another one: from the root to the leaf. Its parent is the file of that session. */
export const branchOutTree = Effect.fnUntraced(function* (
  room: TreeRoom,
  source: string,
  leaf: string,
  options: ForkOptions,
): Effect.fn.Return<Forked, ReadError | FormatError | PrepareError | LeaseError | Rejected<TreeRejection>, Scope.Scope> {
  const loaded = yield* loadForCopy(room, source)
  const lines = branchOutLines(loaded.stored, leaf, yield* room.stamp)
  if (Result.isFailure(lines)) return yield* new Rejected({ rejection: lines.failure })
  return yield* copyOut(room, loaded, options, () => source, lines.success)
})

/** A session that can be copied: one with a header. What else is damaged in it stays behind. */
const loadForCopy = Effect.fnUntraced(function* (room: TreeRoom, path: string) {
  const loaded = yield* loadIn(room, path)
  if (loaded.state.header !== undefined) return loaded
  return yield* new FormatError({
    reason:
      loaded.bytes === 0
        ? { _tag: "Empty", code: "format.empty", path }
        : { _tag: "NotASession", code: "format.not_a_session", path },
  })
})

const copyOut = Effect.fnUntraced(function* (
  room: TreeRoom,
  loaded: LoadedTree,
  options: ForkOptions,
  parentOf: (header: JsonObject) => string,
  lines?: ForkTarget["lines"],
) {
  const stamp = yield* room.stamp
  const id = uuidV7(stamp.at, stamp.entropy)
  const path = resolve(options.path ?? storePath(room, stamp, id))
  yield* claim(room, path)
  const integrity = integrityOfCopy(room, loaded, path, options.integrity)
  const header = (source: JsonObject): Edit | undefined =>
    edited(source, { id, timestamp: isoTime(stamp), parentSession: parentOf(source), ...declared(integrity) })
  yield* bringBlobs(room, loaded)
  yield* forkTo(room.disk, loaded, room.redactor, { path, integrity, header, lines })
  return { id, path }
})
