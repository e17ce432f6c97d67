/**
 * The complete rewrite of a session file to version 5, and a fork into a new one: streaming, through the redactor, whole or not at all.
 *
 * Every line crosses the redactor again, so a rewrite of an old file also takes out the secrets that its own agent wrote, those that it
 * cut over two records of one source included (law SEC-11). For that the records are read twice: what the last of them teaches goes from
 * the first. What is not a finding and not migrated keeps its bytes. Memory: one chunk and one line, besides the state that the caller has.
 */
import { dirname, join } from "node:path"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createFile, replaceFile } from "../disk/Atomic.ts"
import type { Disk, FileStat } from "../disk/Disk.ts"
import { type ChainState, INTEGRITY } from "../journal/Integrity.ts"
import { readJournal } from "../journal/Reader.ts"
import type { Edit } from "../model/Edit.ts"
import type { JsonObject } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { begin, rewriteLines, type SourceRecord } from "../tree/Rewrite.ts"
import { initial, type TreeState } from "../tree/State.ts"
import { evolve } from "../tree/TreeModel.ts"
import { edited } from "./EditedLine.ts"
import type { LoadedTree } from "./Load.ts"
import { onDisk, sweep, temporaryNameOf, unchangedSource } from "./OnDisk.ts"
import type { PrepareError } from "./OpenError.ts"
import { type Integrity, Sealer } from "./Sealing.ts"

export interface Rewritten {
  /** The state that the new file replays to, its references unresolved. */
  readonly state: TreeState
  readonly file: FileStat
  /** Where the chain of its seals has come to; undefined for a file without. */
  readonly chain: ChainState | undefined
  /** Followed the records of the new file: for who goes on with it. */
  readonly redactor: Redactor
}

const encoder = new TextEncoder()

/** The lines of a rewrite are JSON: what they were made from was parsed, and an edit keeps it so. Anything else is a bug. */
const cleaned = (redactor: Redactor, line: string): CleanLine => Result.getOrThrow(redactor.cleanRaw(line)).line

/** The records of the loaded file, read again: their text is not held in memory. */
function* sourceRecords(disk: Disk, { path }: LoadedTree): Generator<SourceRecord> {
  for (const item of readJournal(disk, path)) if (item._tag === "Record") yield item.record
}

/** A redactor that has learned from all records of the source and follows the new file from its beginning. */
const following = (disk: Disk, loaded: LoadedTree, redactor: Redactor): Redactor => {
  const reader = redactor.follow()
  for (const { value } of sourceRecords(disk, loaded)) reader.redactValue(value)
  return reader.follow()
}

/** What is done to the header of a new session. */
export type HeaderEdit = (source: JsonObject) => Edit | undefined

/** Writes lines through the redactor and gives the state that they replay to. */
const writeLines = (
  redactor: Redactor,
  sealer: Sealer,
  lines: Iterable<string>,
  header: HeaderEdit | undefined,
  put: (bytes: Uint8Array) => void,
): TreeState => {
  let state: TreeState = initial
  let isFirst = true
  for (const line of lines) {
    const change = isFirst ? header?.(parseJson(line) as JsonObject) : undefined
    isFirst = false
    const clean = cleaned(redactor, change === undefined ? line : edited(line, change))
    put(encoder.encode(`${sealer.seal(clean).text}\n`))
    state = evolve(state, parseJson(clean.text) as JsonObject)
  }
  return state
}

/** The lines of the whole session in version 5. A version that cannot be read was refused when the session was loaded. */
const wholeSession = (disk: Disk, loaded: LoadedTree): Iterable<string> =>
  rewriteLines(Result.getOrThrow(begin(loaded.stored)), sourceRecords(disk, loaded))

/**
 * Rewrites the file in place, to version 5, with seals made anew if it had them. The file as it was stays under the backup's name, byte for byte. The caller holds the
 * lease. Fails without a change when the file is not the one that was loaded.
 */
export const rewriteInPlace = (
  disk: Disk,
  loaded: LoadedTree,
  redactor: Redactor,
  names: { readonly backup: string; readonly temporary: string },
): Effect.Effect<Rewritten, PrepareError> =>
  onDisk(loaded.path, () => {
    const expect = unchangedSource(disk, loaded.path, loaded.summary.identity)
    sweep(disk, join(dirname(loaded.path), names.temporary))
    let state: TreeState = initial
    const known = following(disk, loaded, redactor)
    const sealer = Sealer.of(loaded.summary.chain === undefined ? undefined : INTEGRITY)
    const done = replaceFile(
      disk,
      loaded.path,
      (put) => {
        state = writeLines(known, sealer, wholeSession(disk, loaded), undefined, put)
      },
      { expect, backupName: names.backup, temporaryName: names.temporary },
    )
    return Result.map(done, (file) => ({ state, file, chain: sealer.chain, redactor: known }))
  })

/** Where a new session goes, which seals it has, what becomes of its header, and, unless it is the whole session, which lines it has. */
export interface ForkTarget {
  readonly path: string
  readonly integrity: Integrity | undefined
  readonly header: HeaderEdit
  readonly lines?: ((source: Iterable<SourceRecord>) => Iterable<string>) | undefined
}

/** Writes a session, whole or a part of it, to a new file of version 5 under another id. The source is only read. */
export const forkTo = (
  disk: Disk,
  loaded: LoadedTree,
  redactor: Redactor,
  { path, integrity, header, lines }: ForkTarget,
): Effect.Effect<Rewritten, PrepareError> =>
  onDisk(path, () => {
    unchangedSource(disk, loaded.path, loaded.summary.identity)
    const temporaryName = temporaryNameOf(path)
    sweep(disk, join(dirname(path), temporaryName))
    let state: TreeState = initial
    const known = following(disk, loaded, redactor)
    const sealer = Sealer.of(integrity)
    const done = createFile(
      disk,
      path,
      (put) => {
        state = writeLines(known, sealer, lines?.(sourceRecords(disk, loaded)) ?? wholeSession(disk, loaded), header, put)
      },
      { temporaryName },
    )
    return Result.map(done, (file) => ({ state, file, chain: sealer.chain, redactor: known }))
  })
