/**
 * A ledger session written out as a Markdown document beside the code it is about.
 *
 * Its records pass redaction again, and the document as well, because the file may be older than a rule, or another agent's. The document
 * is new: nothing is ever overwritten, and nothing is written outside the root, also not through a link.
 */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import * as Effect from "effect/Effect"
import { createFile } from "../disk/Atomic.ts"
import { ensureDirectory } from "../disk/Directory.ts"
import type { Disk } from "../disk/Disk.ts"
import type { ReadError } from "../journal/Reader.ts"
import { exportMarkdown } from "../ledger/Export.ts"
import type { LedgerRecord } from "../ledger/Record.ts"
import { loadLedger } from "./LedgerLoad.ts"
import { nameOf } from "./LedgerRoom.ts"
import { LedgerStoreError } from "./LedgerStoreError.ts"
import { onDisk } from "./OnDisk.ts"
import type { FormatError, PrepareError } from "./OpenError.ts"
import type { Room } from "./Room.ts"

export interface LedgerExportOptions {
  /** The directory that the document may lie in, or in a folder of. */
  readonly root: string
  /** Where in the root; by default `garuda-ID.md`. Folders that are missing are made. */
  readonly to?: string | undefined
  /** An IANA name, such as `Europe/Berlin`. UTC by default. */
  readonly timeZone?: string | undefined
}

/** Whether a folder between the root and the document is a link, or the document's name is one. */
const leadsOut = (disk: Disk, root: string, path: string): boolean => {
  const parts = relative(root, path).split(sep)
  return parts.some((_, at) => disk.lstat(join(root, ...parts.slice(0, at + 1)))?.kind === "symlink")
}

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const outside = (path: string, root: string): LedgerStoreError =>
  new LedgerStoreError({ reason: { _tag: "OutsideRoot", code: "ledger.outside_root", path, root } })

/** Writes the document and says where. Fails, with nothing written, when there is nothing to export or the name is taken. */
export const exportLedger = Effect.fnUntraced(function* (
  room: Room,
  source: string,
  options: LedgerExportOptions,
): Effect.fn.Return<string, ReadError | FormatError | PrepareError | LedgerStoreError> {
  const { timeZone } = options
  if (timeZone !== undefined && !isTimeZone(timeZone))
    return yield* new LedgerStoreError({ reason: { _tag: "UnknownTimeZone", code: "ledger.unknown_time_zone", timeZone } })
  const root = resolve(options.root)
  const path = resolve(root, options.to ?? `garuda-${nameOf(source)}.md`)
  const inside = relative(root, path)
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return yield* outside(path, root)
  if (yield* onDisk(path, () => leadsOut(room.disk, root, path))) return yield* outside(path, root)
  const records: Array<LedgerRecord> = []
  const redactor = room.redactor.follow()
  // Quoted, cut and put together a secret would not be known any more.
  const take = (record: LedgerRecord) => records.push(redactor.redactValue(record).value as LedgerRecord)
  yield* loadLedger(room.disk, source, { onRecord: take })
  const document = exportMarkdown(records, { timeZone })
  if (document === undefined)
    return yield* new LedgerStoreError({ reason: { _tag: "NothingToExport", code: "ledger.nothing_to_export", path: source } })
  const bytes = new TextEncoder().encode(redactor.cleanText(document).text.text)
  // A name that nobody else has: the directory is the user's, and what lies in it is not ours to sweep.
  const temporaryName = `.${basename(path)}.${(yield* room.stamp).entropy.slice(0, 16)}.tmp`
  yield* onDisk(path, () => {
    ensureDirectory(room.disk, dirname(path))
    return createFile(room.disk, path, (put) => put(bytes), { temporaryName })
  })
  return path
})
