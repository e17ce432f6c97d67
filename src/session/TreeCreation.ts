/** New tree sessions: from nothing, or from the whole or a path of another one. */
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ensureDirectory } from "../disk/Directory.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { Edit } from "../model/Edit.ts"
import { uuidV7 } from "../model/Ids.ts"
import { type JsonObject, ownString } from "../model/Json.ts"
import { isoTime } from "../model/Stamp.ts"
import { edited } from "../tree/Members.ts"
import type { LoadedTree } from "./Load.ts"
import { PrepareError } from "./OpenError.ts"
import { forkTo, onDisk } from "./RewriteFile.ts"
import { journalOf, type OpenTree, openAs, type Preparation, publish, type Room, started, storePath } from "./TreeRoom.ts"

export interface CreateOptions {
  readonly cwd: string
  /** Where; by default in our own store, under the time and the session's id. */
  readonly path?: string | undefined
  readonly title?: string | undefined
}

/** Takes a name that nothing has, and its lease. */
const claim = Effect.fnUntraced(function* (room: Room, path: string) {
  if ((yield* onDisk(path, () => room.disk.lstat(path))) !== undefined)
    return yield* new PrepareError({ reason: { _tag: "Exists", code: "open.exists", path } })
  yield* onDisk(path, () => ensureDirectory(room.disk, dirname(path)))
  yield* room.lease.acquire(path)
})

/** A new session. Its file comes into being, whole, with the first command that writes. */
export const createTree = Effect.fnUntraced(function* (
  room: Room,
  options: CreateOptions,
): Effect.fn.Return<OpenTree, PrepareError | LeaseError, Scope.Scope> {
  const stamp = yield* room.stamp
  const id = uuidV7(stamp.at, stamp.entropy)
  const path = resolve(options.path ?? storePath(room, stamp, id))
  yield* claim(room, path)
  const { state, lines } = yield* started(room, stamp, { cwd: options.cwd, id, title: options.title })
  const bytes = new TextEncoder().encode(lines.map(({ line }) => `${line.text}\n`).join(""))
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    const file = yield* publish(room, path, bytes)
    return { journal: yield* journalOf(room, path, file, file.size) }
  })
  return yield* openAs(room, undefined, { path, prepare, state })
})

/** A new session in our own store, with everything the other agent's file holds, and that session as its parent. */
export const openFork = Effect.fnUntraced(function* (
  room: Room,
  loaded: LoadedTree,
): Effect.fn.Return<OpenTree, PrepareError | LeaseError, Scope.Scope> {
  const stamp = yield* room.stamp
  const id = uuidV7(stamp.at, stamp.entropy)
  const path = storePath(room, stamp, id)
  yield* claim(room, path)
  const header = (source: JsonObject): Edit | undefined =>
    edited(source, { id, timestamp: isoTime(stamp), parentSession: ownString(source, "id") ?? loaded.path })
  const prepare: Preparation["prepare"] = Effect.gen(function* () {
    const { state, file } = yield* forkTo(room.disk, loaded, room.redactor, { path, header })
    return { journal: yield* journalOf(room, path, file, file.size), state }
  })
  return yield* openAs(room, loaded, { path, prepare, forkedFrom: loaded.path })
})
