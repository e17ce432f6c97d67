/**
 * Carries out a repair plan without losing a byte.
 *
 * The quarantine file is written and synced first, beside the journal. Then the repaired file is written beside it, the old file
 * keeps its bytes under the backup's name, and the repaired one takes its name, whole or not at all (law DUR-4). A file that
 * changed since it was read is not touched. A crash leaves the old file or the repaired one; plan and apply again with another
 * attempt then: what the first attempt has finished is found and used.
 *
 * The quarantine file: one JSON object a line, `{"action", "offset", "length", "line", "kind"}` and the bytes that stood there, as
 * `text`, or as `base64` when they are not UTF-8. Without either, all of them were NUL. A long stretch takes several lines.
 *
 * Synchronous, and as long as a copy of the file takes. Memory does not grow with the file.
 */
import { basename, dirname, join } from "node:path"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { type AtomicReason, createFile, replaceFile } from "../disk/Atomic.ts"
import { type Disk, DiskFault, type FileStat, type Handle } from "../disk/Disk.ts"
import { READ_CHUNK_BYTES } from "../model/Limits.ts"
import { decode, decodeStrictly } from "./Encoding.ts"
import { escapeNewlines } from "./Joiner.ts"
import type { Identity } from "./Reader.ts"
import type { RepairAction, RepairPlan } from "./RepairPlan.ts"
import { endOfZeros } from "./Splitter.ts"

export type RepairReason =
  /** The plan says that the file is not to be repaired. */
  | { readonly _tag: "Refused"; readonly code: "repair.refused"; readonly why: NonNullable<RepairPlan["refusal"]> }
  /** The file is not the one that was read. It is as its other writer left it. */
  | { readonly _tag: "Changed"; readonly code: "repair.changed" }
  /** A name that the repair needs belongs to something else. */
  | { readonly _tag: "Taken"; readonly code: "repair.taken"; readonly name: string }
  /** The disk refused. The file is as it was. */
  | { readonly _tag: "Unwritten"; readonly code: "repair.unwritten"; readonly fault: DiskFault }
  /** The file is repaired, but the disk could not promise to keep it so: a power cut may bring back the old one. */
  | { readonly _tag: "Uncertain"; readonly code: "repair.uncertain"; readonly fault: DiskFault }

export class RepairError extends Data.TaggedError("RepairError")<{ readonly path: string; readonly reason: RepairReason }> {
  get code(): RepairReason["code"] {
    return this.reason.code
  }

  override get message(): string {
    return `${this.path}: ${describe(this.reason)}`
  }
}

const describe = (reason: RepairReason): string => {
  switch (reason._tag) {
    case "Refused":
      return reason.why === "utf-16" ? "is UTF-16 and not repaired" : "holds nothing that can be read and is not repaired"
    case "Changed":
      return "changed since it was read; nothing was done"
    case "Taken":
      return `the name ${reason.name} is taken; nothing was done`
    case "Unwritten":
      return `not repaired (${reason.fault.message}); the file is as it was`
    case "Uncertain":
      return `repaired, but perhaps not for good (${reason.fault.message})`
  }
}

/** Names in the journal's directory. None of them ends like a journal, so that no listing takes one for a session. */
export interface RepairNames {
  readonly backup: string
  readonly quarantine: string
  /** A name that no other attempt uses. */
  readonly temporary: string
}

/** The names for a repair of a file: `at` is its time, in milliseconds since the epoch; `attempt` tells it from every other attempt. */
export const repairNames = (path: string, at: number, attempt: string): RepairNames => {
  const time = new Date(at).toISOString().replaceAll(/[:.]/g, "-")
  const name = basename(path)
  return { backup: `${name}.${time}.backup`, quarantine: `${name}.${time}.quarantine`, temporary: `.${name}.${attempt}.tmp` }
}

export interface RepairReport {
  /** False when there was nothing to do; then no file was made. */
  readonly applied: boolean
  /** The name under which the old file stays. */
  readonly backup: string | undefined
  /** The name of the quarantine file; undefined when no byte was taken out. */
  readonly quarantine: string | undefined
}

/** Bytes of the journal in one line of the quarantine. */
export const QUARANTINE_PIECE_BYTES = 192 << 10

const NEWLINE = new Uint8Array([0x0a])
const encoder = new TextEncoder()

/** The journal's bytes, read in order through one window. */
class Source {
  readonly #disk: Disk
  readonly #handle: Handle
  readonly #window: Uint8Array
  #start = 0
  #end = 0

  constructor(disk: Disk, handle: Handle, size: number) {
    this.#disk = disk
    this.#handle = handle
    this.#window = new Uint8Array(Math.min(READ_CHUNK_BYTES, size))
  }

  /** The bytes of a stretch in views that are valid until the next is asked for. Throws DiskFault, also when the file is too short. */
  *views(from: number, to: number, longest: number = READ_CHUNK_BYTES): Generator<Uint8Array, void> {
    for (let at = from; at < to; ) {
      if (at < this.#start || at >= this.#end) this.#load(at)
      const end = Math.min(to, this.#end, at + longest)
      yield this.#window.subarray(at - this.#start, end - this.#start)
      at = end
    }
  }

  /** The bytes of a stretch in one piece. */
  bytes(from: number, to: number): Uint8Array {
    const all = new Uint8Array(to - from)
    let at = 0
    for (const view of this.views(from, to)) {
      all.set(view, at)
      at += view.length
    }
    return all
  }

  #load(at: number): void {
    const count = this.#disk.read(this.#handle, this.#window, at)
    if (count <= 0) throw new DiskFault("read", this.#handle.path, "EIO")
    this.#start = at
    this.#end = at + count
  }
}

/** Appends of fewer bytes are gathered. */
const GATHERED_BYTES = 64 << 10

/** Gathers small appends into large ones. */
class Output {
  readonly #append: (bytes: Uint8Array) => void
  readonly #buffer = new Uint8Array(GATHERED_BYTES)
  #length = 0

  constructor(append: (bytes: Uint8Array) => void) {
    this.#append = append
  }

  write(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#buffer.length) this.flush()
    if (bytes.length > this.#buffer.length) this.#append(bytes)
    else {
      this.#buffer.set(bytes, this.#length)
      this.#length += bytes.length
    }
  }

  flush(): void {
    if (this.#length > 0) this.#append(this.#buffer.subarray(0, this.#length))
    this.#length = 0
  }
}

/** The text that a reader saw in a stretch that is replaced. */
const replacement = (action: RepairAction, bytes: Uint8Array): Uint8Array => {
  const text = decode(bytes)
  return encoder.encode(action.kind === "raw-newline" ? escapeNewlines(text) : text)
}

/** The bytes of the repaired file, in views that are valid until the next is asked for. */
function* repaired(source: Source, { actions, identity }: RepairPlan): Generator<Uint8Array, void> {
  let at = 0
  for (const action of actions) {
    yield* source.views(at, action.offset)
    at = action.offset + action.length
    if (action.action === "replace") yield replacement(action, source.bytes(action.offset, at))
    else if (action.action === "add-header") yield encoder.encode(`${action.text}\n`)
    else if (action.action !== "quarantine") yield NEWLINE
  }
  yield* source.views(at, identity.size)
}

const toBase64 = (bytes: Uint8Array): string => {
  let binary = ""
  for (let at = 0; at < bytes.length; at += 4_096) binary += String.fromCharCode(...bytes.subarray(at, at + 4_096))
  return btoa(binary)
}

/** The lines of the quarantine file: the same bytes for the same file and plan, so that a finished one is known again. */
function* quarantined(source: Source, { actions }: RepairPlan): Generator<Uint8Array, void> {
  for (const { action, line, offset, length, kind } of actions) {
    if (action !== "quarantine" && action !== "replace") continue
    const entry = (from: number, to: number, content: { readonly text?: string; readonly base64?: string }) =>
      encoder.encode(`${JSON.stringify({ action, offset: from, length: to - from, line, kind, ...content })}\n`)
    const end = offset + length
    /** From here on, nothing but NULs was seen and nothing told. */
    let told = offset
    for (let at = offset; at < end; ) {
      const bytes = source.bytes(at, Math.min(end, at + QUARANTINE_PIECE_BYTES))
      const zeros = kind === "nul-run" ? endOfZeros(bytes, 0) : 0
      if (zeros < bytes.length) {
        if (told < at + zeros) yield entry(told, at + zeros, {})
        const rest = bytes.subarray(zeros)
        const text = decodeStrictly(rest)
        yield entry(at + zeros, at + bytes.length, text === undefined ? { base64: toBase64(rest) } : { text })
        told = at + bytes.length
      }
      at += bytes.length
    }
    if (told < end) yield entry(told, end, {})
  }
}

const writeTo = (pieces: Iterable<Uint8Array>) => (append: (bytes: Uint8Array) => void) => {
  const output = new Output(append)
  for (const piece of pieces) output.write(piece)
  output.flush()
}

const isSame = (stat: FileStat, identity: Identity): boolean =>
  stat.device === identity.device &&
  stat.inode === identity.inode &&
  stat.size === identity.size &&
  stat.modified === identity.modified

/** Nothing was written through the handle, so a refusal to close it changes nothing. */
const closeQuietly = (disk: Disk, handle: Handle): void => {
  try {
    disk.close(handle)
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/** Whether a file holds exactly these bytes. */
const holds = (disk: Disk, path: string, pieces: Iterable<Uint8Array>): boolean => {
  const handle = disk.open(path, "read")
  try {
    const { size } = disk.stat(handle)
    const source = new Source(disk, handle, size)
    let at = 0
    for (const piece of pieces) {
      if (at + piece.length > size) return false
      const found = source.bytes(at, at + piece.length)
      if (found.some((byte, i) => byte !== piece[i])) return false
      at += piece.length
    }
    return at === size
  } finally {
    closeQuietly(disk, handle)
  }
}

const fromAtomic = (reason: AtomicReason): RepairReason => {
  switch (reason._tag) {
    case "Changed":
      return { _tag: "Changed", code: "repair.changed" }
    case "Taken":
      return { _tag: "Taken", code: "repair.taken", name: basename(reason.path) }
    case "Unwritten":
      return { _tag: "Unwritten", code: "repair.unwritten", fault: reason.fault }
    case "Uncertain":
      return { _tag: "Uncertain", code: "repair.uncertain", fault: reason.fault }
  }
}

/** Writes the quarantine file, or finds the one that an earlier attempt has finished. */
const writeQuarantine = (disk: Disk, source: Source, plan: RepairPlan, names: RepairNames): RepairReason | undefined => {
  const path = join(dirname(plan.path), names.quarantine)
  const made = createFile(disk, path, writeTo(quarantined(source, plan)), { temporaryName: names.temporary })
  if (Result.isSuccess(made)) return undefined
  const reason = fromAtomic(made.failure.reason)
  // Not in place for good: the journal has not been touched yet, and is not going to be.
  if (reason._tag === "Uncertain") return { _tag: "Unwritten", code: "repair.unwritten", fault: reason.fault }
  return reason._tag === "Taken" && reason.name === names.quarantine && holds(disk, path, quarantined(source, plan))
    ? undefined
    : reason
}

const carryOut = (disk: Disk, handle: Handle, plan: RepairPlan, names: RepairNames): RepairReason | RepairReport => {
  const stat = disk.stat(handle)
  if (!isSame(stat, plan.identity)) return { _tag: "Changed", code: "repair.changed" }
  const source = new Source(disk, handle, stat.size)
  const removes = plan.actions.some(({ action }) => action === "quarantine" || action === "replace")
  const problem = removes ? writeQuarantine(disk, source, plan, names) : undefined
  if (problem !== undefined) return problem
  const replaced = replaceFile(disk, plan.path, writeTo(repaired(source, plan)), {
    temporaryName: names.temporary,
    expect: stat,
    backupName: names.backup,
  })
  if (Result.isFailure(replaced)) return fromAtomic(replaced.failure.reason)
  return { applied: true, backup: names.backup, quarantine: removes ? names.quarantine : undefined }
}

/** Carries out a plan. Does nothing, and makes no file, when the plan is empty. */
export const applyRepair = (disk: Disk, plan: RepairPlan, names: RepairNames): Result.Result<RepairReport, RepairError> => {
  const fail = (reason: RepairReason) => Result.fail(new RepairError({ path: plan.path, reason }))
  if (plan.refusal !== undefined) return fail({ _tag: "Refused", code: "repair.refused", why: plan.refusal })
  if (plan.actions.length === 0) return Result.succeed({ applied: false, backup: undefined, quarantine: undefined })
  let handle: Handle | undefined
  try {
    handle = disk.open(plan.path, "read")
    const outcome = carryOut(disk, handle, plan, names)
    return "_tag" in outcome ? fail(outcome) : Result.succeed(outcome)
  } catch (cause) {
    // A refusal behind the rename is told by the atomic replacement; one that is thrown stands before it.
    if (!(cause instanceof DiskFault)) throw cause
    const isGone = handle === undefined && cause.code === "ENOENT"
    return fail(
      isGone ? { _tag: "Changed", code: "repair.changed" } : { _tag: "Unwritten", code: "repair.unwritten", fault: cause },
    )
  } finally {
    if (handle !== undefined) closeQuietly(disk, handle)
  }
}
