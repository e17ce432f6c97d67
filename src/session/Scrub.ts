/**
 * Secrets that lie in a session's file already, taken out in place, and out of what was put aside of the session beside it.
 *
 * What it guarantees: nobody else writes to the session meanwhile (its lease is held); each file is replaced whole or not at all, and at
 * a crash holds its old bytes or its new ones; a file without a finding is not touched; no backup is made, since it would keep the
 * secret; and when it has succeeded a search of every new file has found nothing (law SEC-12). What it does not do it says: copies that
 * it was not told to write, and blobs.
 *
 * | beside the session | what happens |
 * |---|---|
 * | backups of repairs and migrations, quarantines | written in place like the session, when `copies` says so; else told |
 * | what an attempt that was cut off has left | removed, when `copies` says so; else told |
 * | blobs that the session refers to | told: a blob is named by its bytes, and other sessions may refer to it |
 * | sessions of subagents | files of their own, to be taken through by themselves |
 */
import { basename, dirname, join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { getBlob } from "../blob/BlobFolder.ts"
import { BLOB_PREFIX, type BlobRef, parseBlobRef } from "../blob/BlobRef.ts"
import { type Disk, DiskFault } from "../disk/Disk.ts"
import { ReadError, readJournal } from "../journal/Reader.ts"
import type { Lease } from "../lease/Lease.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { LineFinding } from "../redaction/LineCleaner.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { isClean } from "./CleanBytes.ts"
import { ScrubError } from "./ScrubError.ts"
import { type FilePlan, planFile, scrubOne } from "./ScrubFile.ts"

/** A file in which something was found. Nothing of it is in here. */
export interface ScrubbedFile {
  readonly path: string
  readonly what: "session" | "copy" | "leftover"
  readonly findings: ReadonlyArray<LineFinding>
}

/** What would be done, or was. */
export interface ScrubReport {
  readonly path: string
  /** The session, and what was put aside of it, as far as anything was found in it. */
  readonly files: ReadonlyArray<ScrubbedFile>
  /** Blobs that hold a secret. They are never changed. */
  readonly blobs: ReadonlyArray<{ readonly ref: string; readonly path: string }>
}

export interface Scrubbed extends ScrubReport {
  /** The files that were written or removed. */
  readonly done: ReadonlyArray<string>
  /** Where secrets still are: copies without consent, and blobs. */
  readonly left: ReadonlyArray<string>
}

export interface ScrubOptions {
  /** Where the blobs lie that the session refers to. Without it they are not looked at. */
  readonly blobFolders?: ReadonlyArray<string> | undefined
  /** Consent to write and remove what was put aside of the session too. By default it is told and left. */
  readonly copies?: boolean | undefined
}

/** What a scrub works with. */
export interface ScrubRoom {
  readonly disk: Disk
  readonly redactor: Redactor
  readonly lease: Context.Service.Shape<typeof Lease>
}

/** Behind the name of a session: `.quarantine-FROM-TO`, `.TIME.quarantine`, `.TIME.backup`, `.vN.bak`, `.vN.M.bak`. */
const COPY = /^\.(?:quarantine-\d+-\d+|[^/]+\.(?:quarantine|backup)|v\d+(?:\.\d+)?\.bak)$/

/** Behind a dot and the name: what an attempt that was cut off has left. The lock and its evidence are none. */
const LEFTOVER = /^\.(?!lock(?:\.|$)|owner\.)(?:[^/]+\.)?tmp$/

const whatIs = (name: string, session: string): ScrubbedFile["what"] | undefined => {
  if (name.startsWith(session) && COPY.test(name.slice(session.length))) return "copy"
  return name.startsWith(`.${session}`) && LEFTOVER.test(name.slice(session.length + 1)) ? "leftover" : undefined
}

interface Target extends Pick<ScrubbedFile, "what"> {
  readonly plan: FilePlan
}

/** The session and what was put aside of it, each read to its end. Those in which nothing was found are left out, but for the session. */
const targetsOf = (disk: Disk, redactor: Redactor, path: string): ReadonlyArray<Target> => {
  const directory = dirname(path)
  const beside = disk.list(directory).flatMap((name) => {
    const what = whatIs(name, basename(path))
    return what === undefined || disk.lstat(join(directory, name))?.kind !== "file" ? [] : [{ what, path: join(directory, name) }]
  })
  const session: Target = { what: "session", plan: planFile(disk, path, redactor) }
  return [
    session,
    ...beside.map(({ what, path: copy }) => ({ what, plan: planFile(disk, copy, redactor, { isCopy: true }) })),
  ].filter(({ what, plan }) => what === "session" || plan.findings.length > 0)
}

const REFERENCES = new RegExp(`${BLOB_PREFIX}[0-9a-f]{64}`, "g")

/** Each blob that a session refers to, once. */
const referencesIn = (disk: Disk, path: string): ReadonlySet<BlobRef> => {
  const found = new Set<BlobRef>()
  for (const item of readJournal(disk, path))
    if (item._tag === "Record" && item.record.raw.includes(BLOB_PREFIX))
      for (const [text] of item.record.raw.matchAll(REFERENCES)) {
        const ref = parseBlobRef(text)
        if (ref !== undefined) found.add(ref)
      }
  return found
}

const blobsOf = (disk: Disk, redactor: Redactor, path: string, folders: ReadonlyArray<string>): ScrubReport["blobs"] =>
  folders.length === 0
    ? []
    : [...referencesIn(disk, path)].flatMap((ref) =>
        folders.flatMap((folder) => {
          const bytes = getBlob(disk, folder, ref)
          return Result.isFailure(bytes) || isClean(redactor, bytes.success)
            ? []
            : [{ ref, path: join(folder, ref.slice(BLOB_PREFIX.length)) }]
        }),
      )

/** Runs blocking work; what it throws of its own becomes typed. */
const blocking = <A>(path: string, work: () => A): Effect.Effect<A, ReadError | ScrubError> =>
  Effect.suspend((): Effect.Effect<A, ReadError | ScrubError> => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      if (cause instanceof ReadError || cause instanceof ScrubError) return Effect.fail(cause)
      if (!(cause instanceof DiskFault)) return Effect.die(cause)
      return Effect.fail(new ScrubError({ path, reason: { _tag: "Unwritten", code: "scrub.unwritten", fault: cause } }))
    }
  })

interface Survey extends ScrubReport {
  readonly targets: ReadonlyArray<Target>
}

const survey = ({ disk, redactor }: ScrubRoom, path: string, options: ScrubOptions): Survey => {
  const targets = targetsOf(disk, redactor, path)
  const files = targets
    .filter(({ plan }) => plan.findings.length > 0)
    .map(({ what, plan }) => ({ path: plan.path, what, findings: plan.findings }))
  return { path, files, blobs: blobsOf(disk, redactor, path, options.blobFolders ?? []), targets }
}

const reportOf = ({ path, files, blobs }: Survey): ScrubReport => ({ path, files, blobs })

/** What {@link scrub} would find, and where. Changes no byte, and needs no lease. */
export const planScrub = (
  room: ScrubRoom,
  path: string,
  options: ScrubOptions = {},
): Effect.Effect<ScrubReport, ReadError | ScrubError> => blocking(path, () => reportOf(survey(room, path, options)))

/** Writes one file, or removes a leftover, and searches what it wrote. */
const carryOut = ({ disk, redactor }: ScrubRoom, { what, plan }: Target): void => {
  if (what === "leftover") {
    disk.unlink(plan.path)
    disk.syncDirectory(dirname(plan.path))
    return
  }
  const done = scrubOne(disk, plan, redactor)
  if (Result.isFailure(done)) throw done.failure
  const { findings } = planFile(disk, plan.path, redactor, { isCopy: what === "copy" })
  if (findings.length > 0)
    throw new ScrubError({ path: plan.path, reason: { _tag: "Left", code: "scrub.left", findings: findings.length } })
}

/**
 * Takes the secrets out of a session's file, by the rules and the known values of today. Takes the lease for as long as it works. Copies
 * are written first, so that the session says until the end that there is something to do.
 */
export const scrub = Effect.fnUntraced(function* (
  room: ScrubRoom,
  path: string,
  options: ScrubOptions = {},
): Effect.fn.Return<Scrubbed, ReadError | ScrubError | LeaseError, Scope.Scope> {
  yield* room.lease.acquire(path)
  const found = yield* blocking(path, () => survey(room, path, options))
  const isWanted = ({ what }: Pick<ScrubbedFile, "what">): boolean => what === "session" || options.copies === true
  const wanted = found.targets.filter(isWanted).toReversed()
  const changing = wanted.filter(({ plan }) => plan.findings.length > 0)
  for (const target of changing) yield* blocking(target.plan.path, () => carryOut(room, target))
  const left = [...found.files.filter((file) => !isWanted(file)), ...found.blobs].map((file) => file.path)
  return { ...reportOf(found), done: changing.map(({ plan }) => plan.path), left }
})
