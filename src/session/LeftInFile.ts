/**
 * A tree session read to be written to, its records left in its file when that is large.
 *
 * The state is that of the loaded session (law IDX-2), and so is what is built on it by commands (law IDX-4). Its file stays open until the
 * scope closes, so a name that is given to another file meanwhile does no harm. Behind that a record is read from the file of the name,
 * as long as it is the one that was read.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DiskFault } from "../disk/Disk.ts"
import { PlaceReader } from "../journal/PlaceReader.ts"
import type { ReadError } from "../journal/Reader.ts"
import { HELD_FILE_BYTES } from "../model/Limits.ts"
import { CURRENT_VERSION } from "../tree/Header.ts"
import { resolveState } from "./BlobReferences.ts"
import { dialectOf, type LoadedTree } from "./Load.ts"
import type { FormatError } from "./OpenError.ts"
import { looking, readThrough } from "./TreeFile.ts"
import { loadIn, lookupOf, type TreeRoom } from "./TreeRoom.ts"

/** A session that was read to be written to. */
export interface FoundTree extends LoadedTree {
  /** The positions of the entries that must lose something when it is opened, where they are known without looking at all. */
  readonly losing?: ReadonlyArray<number> | undefined
}

/** The bytes of a file; zero for one that is not to be had, which its reading will tell. */
const sizeOf = ({ disk }: TreeRoom, path: string): number => {
  try {
    return disk.lstat(path)?.size ?? 0
  } catch (cause) {
    if (cause instanceof DiskFault) return 0
    throw cause
  }
}

const left = Effect.fnUntraced(function* (
  room: TreeRoom,
  path: string,
): Effect.fn.Return<FoundTree, ReadError | FormatError, Scope.Scope> {
  const places = yield* Effect.acquireRelease(
    looking(() => new PlaceReader(room.disk, path)),
    (open) => Effect.sync(() => open.close()),
  )
  const { reading, summary } = yield* readThrough(room.disk, path, places, {})
  const { state: stored, references, first, damages, losing } = reading
  const { state, problems } = yield* resolveState(stored, lookupOf(room, path), references)
  const { records, bytes } = summary
  return {
    path,
    dialect: dialectOf(first),
    version: state.version,
    state,
    stored,
    blobs: problems,
    damages,
    records,
    bytes,
    summary,
    losing,
  }
})

/** Reads a session to write to it. One that has to be rewritten first is read into memory: its rewrite goes over every record. */
export const readToWrite = Effect.fnUntraced(function* (
  room: TreeRoom,
  path: string,
): Effect.fn.Return<FoundTree, ReadError | FormatError, Scope.Scope> {
  if (sizeOf(room, path) <= (room.heldFileBytes ?? HELD_FILE_BYTES)) return yield* loadIn(room, path)
  const found = yield* left(room, path)
  const { header, headerMadeUp } = found.state
  const isCurrent = found.version === CURRENT_VERSION && header !== undefined && !headerMadeUp
  return isCurrent ? found : yield* loadIn(room, path)
})
