/**
 * The storage operations of a tree session's host, by the names the format's description gives them.
 *
 * For hosts that bring their own session manager and want its files to be as safe as ours. One implementation over the disk port serves
 * real files and memory, so both behave alike (law STG-1). What is written is clean text or clean lines: the border stands here too.
 *
 * How it fails: {@link StorageError} for the file operations, {@link WriteError} for a writer, which then has latched.
 */
import { basename, dirname, join } from "node:path"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { replaceFile } from "../disk/Atomic.ts"
import { ensureDirectory } from "../disk/Directory.ts"
import { type Disk, DiskFault, type FileStat } from "../disk/Disk.ts"
import { Files } from "../disk/Files.ts"
import { SimulatedDisk } from "../disk/SimulatedDisk.ts"
import { readJournal } from "../journal/Reader.ts"
import { planTail } from "../journal/Tail.ts"
import { carryOutTail } from "../journal/TailWork.ts"
import { READ_CHUNK_BYTES } from "../model/Limits.ts"
import type { CleanLine, CleanText } from "../redaction/CleanLine.ts"
import type { WriteError } from "../writer/WriteError.ts"
import { Writer } from "../writer/Writer.ts"

export type StorageReason =
  | { readonly _tag: "NotFound"; readonly code: "storage.not_found" }
  /** The disk refused; `system` is its error code. The file is as it was. */
  | { readonly _tag: "Refused"; readonly code: "storage.refused"; readonly operation: string; readonly system: string }
  /** The text was written under its name, and the disk could not confirm it. */
  | { readonly _tag: "Uncertain"; readonly code: "storage.uncertain"; readonly operation: string; readonly system: string }

export class StorageError extends Data.TaggedError("StorageError")<{ readonly path: string; readonly reason: StorageReason }> {
  override get message(): string {
    const { path, reason } = this
    if (reason._tag === "NotFound") return `${path}: there is no such file`
    const what = reason._tag === "Refused" ? "refused" : "not confirmed by the disk"
    return `${path}: ${what} (${reason.operation}: ${reason.system})`
  }
}

/** What a name stands for. */
export interface StorageStat {
  readonly isFile: boolean
  /** Bytes. */
  readonly size: number
  readonly mtimeMs: number
  readonly mtimeNs: bigint
  readonly dev: bigint
  readonly ino: bigint
  readonly nlink: number
}

export interface SessionStorageWriter {
  /** Hands a line over and waits until it is in the system's hands. */
  readonly writeLine: (line: CleanLine) => Effect.Effect<void, WriteError>
  /** Waits until every line handed over is in the system's hands. */
  readonly flush: Effect.Effect<void, WriteError>
  /** Waits until every line handed over is on the disk. */
  readonly fsync: Effect.Effect<void, WriteError>
  /** Gives the file back, synced. Later lines are refused. */
  readonly close: Effect.Effect<void, WriteError>
  /** The failure after which nothing more is written, if any. */
  readonly getError: Effect.Effect<WriteError | undefined>
}

/** `a` goes on behind what is there, at a line boundary; `w` begins with an empty file. Both make the file and its directories. */
export type WriterFlags = "a" | "w"

export class SessionStorage extends Context.Service<
  SessionStorage,
  {
    /** Makes a directory and those above it, durably, mode 0700. Throws StorageError. */
    readonly ensureDirSync: (path: string) => void
    readonly existsSync: (path: string) => boolean
    /** Replaces a file's content, whole or not at all. Throws StorageError. */
    readonly writeTextSync: (path: string, text: CleanText) => void
    /** Throws StorageError, with `NotFound` for a name that stands for nothing. */
    readonly statSync: (path: string) => StorageStat
    /** Paths of the regular files in a directory, sorted, hidden ones left out; only those that end with `suffix`. Throws StorageError. */
    readonly listFilesSync: (directory: string, suffix?: string) => ReadonlyArray<string>
    readonly exists: (path: string) => Effect.Effect<boolean, StorageError>
    readonly readText: (path: string) => Effect.Effect<string, StorageError>
    /** The text of at most the first `bytes` bytes; a character that is cut there is left out. */
    readonly readTextPrefix: (path: string, bytes: number) => Effect.Effect<string, StorageError>
    readonly writeText: (path: string, text: CleanText) => Effect.Effect<void, StorageError>
    /** Gives a file another name in the same directory or another one, durably, replacing what had it. */
    readonly rename: (from: string, to: string) => Effect.Effect<void, StorageError>
    readonly unlink: (path: string) => Effect.Effect<void, StorageError>
    readonly openWriter: (path: string, flags?: WriterFlags) => Effect.Effect<SessionStorageWriter, StorageError, Scope.Scope>
  }
>()("annals/session/SessionStorage") {
  /** Over the disk and the writer that are provided: real files, or memory. */
  static readonly layer: Layer.Layer<SessionStorage, never, Files | Writer> = Layer.effect(
    SessionStorage,
    Effect.gen(function* () {
      return SessionStorage.of(operations(yield* Files, yield* Writer))
    }),
  )

  /** Real files, written by a thread of its own. */
  static readonly layerFile: Layer.Layer<SessionStorage> = SessionStorage.layer.pipe(
    Layer.provide(Layer.suspend(() => Layer.mergeAll(Files.layer, Writer.layer()))),
  )

  /** Files in memory, which end with the layer. */
  static readonly layerMemory: Layer.Layer<SessionStorage> = SessionStorage.layer.pipe(
    Layer.provide(
      Layer.suspend(() => {
        const disk = new SimulatedDisk()
        return Layer.mergeAll(Files.layerOf(disk), Writer.layerInline(disk))
      }),
    ),
  )
}

const fail = (path: string, cause: unknown): StorageError => {
  if (!(cause instanceof DiskFault)) throw cause
  const { operation, code: system } = cause
  const missing = system === "ENOENT" || system === "ENOTDIR"
  return new StorageError({
    path,
    reason: missing
      ? { _tag: "NotFound", code: "storage.not_found" }
      : { _tag: "Refused", code: "storage.refused", operation, system },
  })
}

/** Runs disk work and throws its refusal as a StorageError. */
const now = <A>(path: string, work: () => A): A => {
  try {
    return work()
  } catch (cause) {
    throw fail(path, cause)
  }
}

/** The same as an effect. */
const later = <A>(path: string, work: () => A): Effect.Effect<A, StorageError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      return Effect.fail(cause instanceof StorageError ? cause : fail(path, cause))
    }
  })

const statOf = (found: FileStat): StorageStat => ({
  isFile: found.kind === "file",
  size: found.size,
  mtimeMs: Number(found.modified / 1_000_000n),
  mtimeNs: found.modified,
  dev: found.device,
  ino: found.inode,
  nlink: found.links,
})

const missing = (path: string): StorageError =>
  new StorageError({ path, reason: { _tag: "NotFound", code: "storage.not_found" } })

const read = (disk: Disk, path: string, most: number): Uint8Array => {
  const handle = disk.open(path, "read")
  try {
    const bytes = new Uint8Array(Math.min(most, disk.stat(handle).size))
    let done = 0
    while (done < bytes.length) {
      const count = disk.read(handle, bytes.subarray(done, done + READ_CHUNK_BYTES), done)
      if (count === 0) break
      done += count
    }
    return bytes.subarray(0, done)
  } finally {
    disk.close(handle)
  }
}

/** Bytes without the beginning of a character whose rest is cut off. */
const wholeCharacters = (bytes: Uint8Array): Uint8Array => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

const replace = (disk: Disk, path: string, text: string): void => {
  const temporaryName = `.${basename(path)}.tmp`
  const leftover = join(dirname(path), temporaryName)
  if (disk.lstat(leftover) !== undefined) disk.unlink(leftover)
  const done = replaceFile(disk, path, (put) => put(new TextEncoder().encode(text)), { temporaryName })
  if (Result.isSuccess(done)) return
  const { reason } = done.failure
  const fault = "fault" in reason ? reason.fault : new DiskFault("rename", path, reason._tag === "Taken" ? "EEXIST" : "ECHANGED")
  if (reason._tag !== "Uncertain") throw fault
  const { operation, code: system } = fault
  throw new StorageError({ path, reason: { _tag: "Uncertain", code: "storage.uncertain", operation, system } })
}

const operations = (disk: Disk, writer: Context.Service.Shape<typeof Writer>): Context.Service.Shape<typeof SessionStorage> => {
  const decoder = new TextDecoder()
  const stat = (path: string): StorageStat => {
    const found = disk.lstat(path)
    if (found === undefined) throw missing(path)
    return statOf(found)
  }
  const list = (directory: string, suffix = ""): ReadonlyArray<string> =>
    disk
      .list(directory)
      .filter((name) => !name.startsWith(".") && name.endsWith(suffix))
      .map((name) => join(directory, name))
      .filter((path) => disk.lstat(path)?.kind === "file")
  return {
    ensureDirSync: (path) => now(path, () => ensureDirectory(disk, path)),
    existsSync: (path) => now(path, () => disk.lstat(path) !== undefined),
    writeTextSync: (path, text) => now(path, () => replace(disk, path, text.text)),
    statSync: (path) => now(path, () => stat(path)),
    listFilesSync: (directory, suffix) => now(directory, () => list(directory, suffix)),
    exists: (path) => later(path, () => disk.lstat(path) !== undefined),
    readText: (path) => later(path, () => decoder.decode(read(disk, path, Number.POSITIVE_INFINITY))),
    readTextPrefix: (path, bytes) => later(path, () => decoder.decode(wholeCharacters(read(disk, path, bytes)))),
    writeText: (path, text) => later(path, () => replace(disk, path, text.text)),
    rename: (from, to) =>
      later(from, () => {
        disk.rename(from, to)
        disk.syncDirectory(dirname(to))
        if (dirname(from) !== dirname(to)) disk.syncDirectory(dirname(from))
      }),
    unlink: (path) =>
      later(path, () => {
        disk.unlink(path)
        disk.syncDirectory(dirname(path))
      }),
    openWriter: (path, flags = "a") => openWriter(disk, writer, path, flags),
  }
}

/** The file's length at a line boundary; the file is there afterwards. */
const ready = (disk: Disk, path: string, flags: WriterFlags): number => {
  ensureDirectory(disk, dirname(path))
  if (flags === "w" || disk.lstat(path) === undefined) {
    replace(disk, path, "")
    return 0
  }
  const reading = readJournal(disk, path)
  for (;;) {
    const next = reading.next()
    if (next.done) return carryOutTail(disk, path, next.value.identity, planTail(next.value, true)).length
  }
}

const openWriter = Effect.fnUntraced(function* (
  disk: Disk,
  writer: Context.Service.Shape<typeof Writer>,
  path: string,
  flags: WriterFlags,
): Effect.fn.Return<SessionStorageWriter, StorageError, Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const length = yield* later(path, () => ready(disk, path, flags))
  // The writer opens the file with the first line. Until then this handle keeps its number from being given to another file.
  const handle = yield* Effect.acquireRelease(
    later(path, () => disk.open(path, "read")),
    // Nothing was written through it, so nothing is lost when the disk refuses.
    (opened) => Effect.ignore(later(path, () => disk.close(opened))),
  ).pipe(Scope.provide(scope))
  const start = yield* later(path, () => {
    const { device, inode } = disk.stat(handle)
    return { path, identity: { device, inode }, length }
  })
  const file = yield* Scope.provide(writer.open(start), scope)
  let last = 0
  return {
    writeLine: (line) =>
      Effect.flatMap(file.append([line]), (seq) => {
        last = seq
        return file.reached(seq, "written")
      }),
    flush: Effect.suspend(() => file.reached(last, "written")),
    fsync: file.flush,
    close: Effect.ensuring(file.flush, Scope.close(scope, Exit.void)),
    getError: file.failure,
  }
})
