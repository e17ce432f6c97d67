/**
 * Blobs in a folder: one file for each, named by the SHA-256 of its bytes.
 *
 * A blob is written under a temporary name, synced, and only then given its name, which never replaces what has it. When `putBlob` has
 * returned, the bytes and the name survive a power cut (law BLB-1). A file that is there already is read and compared; one with other
 * bytes is an error and stays as it is.
 *
 * A process that dies may leave `.DIGEST.RANDOM.tmp` behind. Neither its age nor its owner proves that nobody writes to it; that the
 * folder has a file of its digest does prove that nobody needs it, since a name that is taken is never given again. So such temporaries
 * are removed: all of them with the first blob that a process puts, and those of a digest whenever that digest is put. A writer whose
 * temporary was removed under its hands finds the blob there and takes that one.
 */
import { createHash, randomBytes } from "node:crypto"
import { dirname, join } from "node:path"
import * as Result from "effect/Result"
import { createFile } from "../disk/Atomic.ts"
import { ensureDirectory } from "../disk/Directory.ts"
import { type Disk, DiskFault, type Handle } from "../disk/Disk.ts"
import { MAX_LINE_BYTES } from "../model/Limits.ts"
import { BlobError } from "./BlobError.ts"
import { type BlobRef, digestOf, formatBlobRef, parseBlobRef } from "./BlobRef.ts"

/** The reference to a blob with these bytes. */
export const refOf = (bytes: Uint8Array): BlobRef => formatBlobRef(createHash("sha256").update(bytes).digest("hex"))

const missing = (ref: string, path: string) => new BlobError({ reason: { _tag: "Missing", code: "blob.missing", ref, path } })
const corrupt = (ref: string, path: string) => new BlobError({ reason: { _tag: "Corrupt", code: "blob.corrupt", ref, path } })

const unreadable = (ref: string, path: string, { code: system, operation }: DiskFault) =>
  new BlobError({ reason: { _tag: "Unreadable", code: "blob.unreadable", ref, path, system, operation } })

const unwritten = (ref: string, path: string, { code: system, operation }: DiskFault) =>
  new BlobError({ reason: { _tag: "Unwritten", code: "blob.unwritten", ref, path, system, operation } })

/** The bytes of an open file. One that is longer than a line could have held was never made from a record. */
const readAll = (disk: Disk, handle: Handle): Uint8Array => {
  const { size } = disk.stat(handle)
  if (size > MAX_LINE_BYTES) throw new DiskFault("read", handle.path, "EFBIG")
  const bytes = new Uint8Array(size)
  let length = 0
  while (length < size) {
    const count = disk.read(handle, bytes.subarray(length), length)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}

const readFile = (disk: Disk, path: string): Uint8Array => {
  const handle = disk.open(path, "read")
  try {
    return readAll(disk, handle)
  } finally {
    disk.close(handle)
  }
}

const ABSENT: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"])

/** The bytes of a blob in a folder, its digest proven. Changes nothing. Cost: the file once, in memory. */
export const getBlob = (disk: Disk, directory: string, ref: BlobRef): Result.Result<Uint8Array, BlobError> => {
  // The type promises it, but a reference may have come through a cast.
  if (parseBlobRef(ref) === undefined) return Result.fail(missing(ref, directory))
  const path = join(directory, digestOf(ref))
  try {
    const bytes = readFile(disk, path)
    return refOf(bytes) === ref ? Result.succeed(bytes) : Result.fail(corrupt(ref, path))
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
    return Result.fail(ABSENT.has(cause.code) ? missing(ref, path) : unreadable(ref, path, cause))
  }
}

/** A temporary name that `create` gives, and nothing else. */
const TEMPORARY = /^\.([0-9a-f]{64})\.[0-9a-f]{16}\.tmp$/

const OURS = 0o700

/** A directory that may not be opened was not made here: those have all rights for their owner. */
const NOT_OURS: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"])

/**
 * Makes the folder's own name durable, and those of the directories above it that this library may have made: an earlier process may
 * have died between making and syncing them.
 */
const settleAbove = (disk: Disk, directory: string): void => {
  for (let level = directory; dirname(level) !== level && disk.lstat(level)?.mode === OURS; level = dirname(level)) {
    try {
      disk.syncDirectory(dirname(level))
    } catch (cause) {
      if (!(cause instanceof DiskFault && NOT_OURS.has(cause.code))) throw cause
    }
  }
}

/** A folder that is written to. One for each process: it remembers what was proven about the folder, and a sync that failed. */
export class BlobFolder {
  readonly #disk: Disk
  readonly #directory: string
  #isSettled = false
  /** The first sync of a directory that failed. A later success would prove nothing about what was lost then. */
  #latch: DiskFault | undefined
  /** The temporaries of others that were there at first, by digest. Undefined before the first blob was put. */
  #leftovers: Map<string, ReadonlyArray<string>> | undefined

  constructor(disk: Disk, directory: string) {
    this.#disk = disk
    this.#directory = directory
  }

  get(ref: BlobRef): Result.Result<Uint8Array, BlobError> {
    return getBlob(this.#disk, this.#directory, ref)
  }

  /** Keeps bytes. When it succeeds they survive a power cut. Cost: two syncs; for a blob that is there one, and reading it. */
  put(bytes: Uint8Array): Result.Result<BlobRef, BlobError> {
    const ref = refOf(bytes)
    const path = join(this.#directory, digestOf(ref))
    if (this.#latch !== undefined) return Result.fail(unwritten(ref, path, this.#latch))
    try {
      ensureDirectory(this.#disk, this.#directory)
      if (!this.#isSettled) settleAbove(this.#disk, this.#directory)
      this.#isSettled = true
      if (this.#disk.lstat(path) === undefined) {
        const made = this.#create(ref, path, bytes)
        if (made !== undefined) return this.#swept(made)
      }
      return this.#swept(this.#adopt(ref))
    } catch (cause) {
      return Result.fail(this.#refusal(ref, path, cause))
    }
  }

  /** Makes the file. Undefined when it is there, because another writer was faster. */
  #create(ref: BlobRef, path: string, bytes: Uint8Array): Result.Result<BlobRef, BlobError> | undefined {
    const temporaryName = `.${digestOf(ref)}.${randomBytes(8).toString("hex")}.tmp`
    const made = createFile(this.#disk, path, (append) => append(bytes), { temporaryName })
    if (Result.isSuccess(made)) return Result.succeed(ref)
    const { reason } = made.failure
    if ("fault" in reason && this.#wasSwept(reason.fault, path)) return undefined
    if (reason._tag === "Unwritten") return Result.fail(unwritten(ref, path, reason.fault))
    if (reason._tag === "Uncertain") {
      this.#latch = reason.fault
      return Result.fail(unwritten(ref, path, reason.fault))
    }
    return undefined
  }

  /** A file that has the name already: proven, and its name made durable, since whoever made it may not have come so far. */
  #adopt(ref: BlobRef): Result.Result<BlobRef, BlobError> {
    const found = this.get(ref)
    if (Result.isFailure(found)) return Result.fail(found.failure)
    this.#disk.syncDirectory(this.#directory)
    return Result.succeed(ref)
  }

  /** Whether a fault says no more than that another process has removed our temporary, which it does when the blob is there. */
  #wasSwept({ operation, code }: DiskFault, path: string): boolean {
    return code === "ENOENT" && (operation === "link" || operation === "unlink") && this.#disk.lstat(path) !== undefined
  }

  /** Removes the temporaries that nobody needs once a blob is kept. */
  #swept(kept: Result.Result<BlobRef, BlobError>): Result.Result<BlobRef, BlobError> {
    if (Result.isFailure(kept)) return kept
    const digest = digestOf(kept.success)
    this.#leftovers ??= this.#temporaries()
    for (const name of this.#leftovers.get(digest) ?? []) this.#discard(name)
    this.#leftovers.delete(digest)
    return kept
  }

  /** The temporaries in the folder whose blob is not there. Those whose blob is there are removed. Cost: one listing. */
  #temporaries(): Map<string, ReadonlyArray<string>> {
    const names = this.#names()
    const left = new Map<string, ReadonlyArray<string>>()
    for (const name of names) {
      const digest = TEMPORARY.exec(name)?.[1]
      if (digest === undefined) continue
      if (names.has(digest)) this.#discard(name)
      else left.set(digest, [...(left.get(digest) ?? []), name])
    }
    return left
  }

  /** The names in the folder. None when the disk does not tell: nothing depends on what is swept. */
  #names(): ReadonlySet<string> {
    try {
      return new Set(this.#disk.list(this.#directory))
    } catch (cause) {
      if (!(cause instanceof DiskFault)) throw cause
      return new Set()
    }
  }

  /** Removes a name of the folder. What the disk refuses to remove stays. */
  #discard(name: string): void {
    try {
      this.#disk.unlink(join(this.#directory, name))
    } catch (cause) {
      if (!(cause instanceof DiskFault)) throw cause
    }
  }

  #refusal(ref: BlobRef, path: string, cause: unknown): BlobError {
    if (!(cause instanceof DiskFault)) throw cause
    if (cause.operation === "syncDirectory") this.#latch = cause
    return unwritten(ref, path, cause)
  }
}
