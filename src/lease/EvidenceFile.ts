import { basename, dirname, join } from "node:path"
import * as Result from "effect/Result"
import { createFile, replaceFile } from "../disk/Atomic.ts"
import { DiskFault, type Handle } from "../disk/Disk.ts"
import { nodeDisk } from "../disk/NodeDisk.ts"
import type { Evidence } from "./Evidence.ts"
import { decodeOwner, encodeOwner, type Owner } from "./Owner.ts"
import type { Numbered } from "./Site.ts"

/**
 * The evidence of a session as files beside it, `.NAME.owner.N.json`. The one with the highest number counts (see Site).
 */

/** Evidence longer than this is not ours. */
const MAX_EVIDENCE_BYTES = 16_384

/** How often evidence may vanish while it is read. */
const MAX_LOOKS = 16

const startOf = (path: string): string => `.${basename(path)}.owner.`

/** The file of the evidence with a number. */
export const evidenceFileOf = (path: string, number: number): string => join(dirname(path), `${startOf(path)}${number}.json`)

/** Several may write at once, each under its own temporary name. */
const temporaryOf = (path: string, attempt: string): string => `${startOf(path)}${attempt}.tmp`

/** What of the names in the session's directory follows the start of its evidence's names. */
const endings = (path: string): ReadonlyArray<string> => {
  const start = startOf(path)
  try {
    return nodeDisk.list(dirname(path)).flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : []))
  } catch (cause) {
    // Without a list nothing is found, neither what a taker looks for first nor its own claim afterwards: it gives way.
    if (cause instanceof DiskFault) return []
    throw cause
  }
}

/** The numbers that are taken. Names that only look alike are not counted. */
const numbers = (path: string): ReadonlyArray<number> =>
  endings(path).flatMap((ending) => (/^[1-9]\d{0,14}\.json$/.test(ending) ? [Number.parseInt(ending, 10)] : []))

/** The evidence that counts. `hasLock` says what it means that there is none. */
export const readEvidence = (path: string, hasLock: boolean): Numbered => {
  for (let looks = 1; ; looks++) {
    const number = Math.max(0, ...numbers(path))
    if (number === 0) return { number, evidence: { _tag: hasLock ? "Missing" : "None" } }
    const evidence = readFile(evidenceFileOf(path, number))
    if (evidence !== undefined) return { number, evidence }
    // A next owner has swept it since the list was read, so there is a higher one.
    if (looks === MAX_LOOKS) return { number, evidence: { _tag: "Unreadable", how: "denied" } }
  }
}

const unreadable: Readonly<Record<string, Evidence>> = {
  ELOOP: { _tag: "Unreadable", how: "not-a-file" },
  ENOTREG: { _tag: "Unreadable", how: "not-a-file" },
}

const readFile = (file: string): Evidence | undefined => {
  let handle: Handle | undefined
  try {
    handle = nodeDisk.open(file, "read")
    const into = new Uint8Array(MAX_EVIDENCE_BYTES + 1)
    const count = nodeDisk.read(handle, into, 0)
    if (count === 0) return { _tag: "Unreadable", how: "empty" }
    if (count > MAX_EVIDENCE_BYTES) return { _tag: "Unreadable", how: "oversized" }
    const owner = decodeOwner(new TextDecoder().decode(into.subarray(0, count)))
    return owner === undefined ? { _tag: "Unreadable", how: "torn" } : { _tag: "Owner", owner }
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return undefined
    return unreadable[cause.code] ?? { _tag: "Unreadable", how: "denied" }
  } finally {
    if (handle !== undefined) nodeDisk.close(handle)
  }
}

const bytesOf = (owner: Owner): Uint8Array => new TextEncoder().encode(encodeOwner(owner))

/** Removes a name that holds nothing that is needed. */
const sweep = (file: string): void => {
  try {
    nodeDisk.unlink(file)
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/** Gives a number its evidence if nobody else has, whole or not at all. Returns the system's code when it is not done. */
export const claimEvidence = (path: string, number: number, owner: Owner): string | undefined => {
  const bytes = bytesOf(owner)
  const temporaryName = temporaryOf(path, owner.attempt)
  const done = createFile(nodeDisk, evidenceFileOf(path, number), (append) => append(bytes), { temporaryName })
  if (Result.isFailure(done)) {
    const { reason } = done.failure
    return "fault" in reason ? reason.fault.code : "EEXIST"
  }
  sweepBelow(path, number, owner.lock !== null)
  return undefined
}

/**
 * Removes earlier evidence, and under the lock also what those have left who were cut off while they wrote. Without a lock the last
 * but one stays: a directory that is read while a name comes and another one goes may show neither.
 */
const sweepBelow = (path: string, number: number, isLocked: boolean): void => {
  const kept = isLocked ? number : number - 1
  for (const lower of numbers(path)) if (lower < kept) sweep(evidenceFileOf(path, lower))
  if (!isLocked) return
  for (const ending of endings(path)) if (ending.endsWith(".tmp")) sweep(join(dirname(path), startOf(path) + ending))
}

/** Writes the evidence of a number anew, whole or not at all, if it is still there and of the same attempt. */
export const replaceEvidence = (path: string, number: number, owner: Owner): string | undefined => {
  const file = evidenceFileOf(path, number)
  const before = readFile(file)
  if (before === undefined) return "ENOENT"
  if (before._tag !== "Owner" || before.owner.attempt !== owner.attempt) return "ESTALE"
  const temporaryName = temporaryOf(path, owner.attempt)
  sweep(join(dirname(path), temporaryName))
  const bytes = bytesOf(owner)
  const done = replaceFile(nodeDisk, file, (append) => append(bytes), { temporaryName })
  if (Result.isSuccess(done)) return undefined
  const { reason } = done.failure
  return "fault" in reason ? reason.fault.code : reason.code
}
