/**
 * One file of lines taken through redaction in place: what would go from it, and the file without it, whole or not at all.
 *
 * Every byte of the file is looked at: records as records, with one memory over all of them, and everything between them (what is damaged,
 * torn or blank) as text. What holds no finding keeps its bytes, and a file without a finding is not touched. The file is read twice before
 * it is judged, so that what its end teaches goes from its beginning. A file whose seals are in order gets new ones; where they are not,
 * they stay, and go on telling what does not fit. Memory: one record, or 4 MiB.
 */
import { basename, dirname, join } from "node:path"
import * as Result from "effect/Result"
import { type AtomicReason, replaceFile } from "../disk/Atomic.ts"
import { type Disk, DiskFault, type FileStat, type Handle } from "../disk/Disk.ts"
import type { DamageKind } from "../journal/Damage.ts"
import { digests } from "../journal/Digests.ts"
import { decode } from "../journal/Encoding.ts"
import { CHAIN_START, type ChainState, sealOf } from "../journal/Integrity.ts"
import type { JournalRecord } from "../journal/Line.ts"
import { attempt, type Identity, ReadError, type ReadSummary, readJournal } from "../journal/Reader.ts"
import type { JsonObject } from "../model/Json.ts"
import type { LineFinding } from "../redaction/LineCleaner.ts"
import { pointerOf } from "../redaction/Provenance.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { isEntry } from "../tree/Entry.ts"
import { detectFormat, type Format } from "../tree/Format.ts"
import { CURRENT_VERSION } from "../tree/Header.ts"
import { FORMAT_RECORDS } from "./Load.ts"
import { markedLine } from "./MarkedLine.ts"
import { sweep } from "./OnDisk.ts"
import { ScrubError, type ScrubReason } from "./ScrubError.ts"

/** What redaction would take out of a file. Nothing of it is in here but its kinds and places. */
export interface FilePlan {
  readonly path: string
  readonly identity: Identity
  readonly findings: ReadonlyArray<LineFinding>
  readonly format: Format
  /** Whether its records carry seals that are in order, and get new ones. */
  readonly reseals: boolean
  /** Knows what the file teaches. */
  readonly reader: Redactor
}

export interface FileOptions {
  /** Take any file that begins with a record, whatever its name; else only a session, or JSONL by its name. */
  readonly isCopy?: boolean | undefined
}

/** A stretch of the source that is replaced. */
interface Piece {
  readonly offset: number
  readonly length: number
  /** What stands there instead; undefined for a stretch that stays. */
  readonly text: string | undefined
  readonly findings: ReadonlyArray<LineFinding>
}

/** Bytes between records that are looked at together. */
const BETWEEN_BYTES = 4 << 20
/** Nothing shorter can hold a secret. */
const SHORTEST = 8
const NEWLINE = 0x0a

const encoder = new TextEncoder()

/** Damages behind the last record, which no seal is about. */
const BEHIND: ReadonlySet<DamageKind> = new Set(["torn-tail"])

const bytesOf = (disk: Disk, handle: Handle, from: number, to: number): Uint8Array => {
  const bytes = new Uint8Array(to - from)
  for (let at = 0; at < bytes.length; ) {
    const count = disk.read(handle, bytes.subarray(at), from + at)
    // It has become shorter since it was read.
    if (count <= 0) throw new DiskFault("read", handle.path, "ECHANGED")
    at += count
  }
  return bytes
}

const newlinesIn = (bytes: Uint8Array): number => {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** The seal behind a record's own text, with the brace; undefined for a line that has none. */
const sealBehind = (text: string, raw: string): string | undefined => {
  const rest = text.startsWith(raw.slice(0, -1)) ? text.slice(raw.length - 1) : ""
  return /^,"_c":"[^"\\]{1,60}"\}$/.test(rest) ? rest : undefined
}

/** Takes the stretches of one file through redaction, in order. */
class Pass {
  readonly #disk: Disk
  readonly #handle: Handle
  readonly #redactor: Redactor
  /** Follows the file. */
  readonly #follower: Redactor
  readonly #hasMarks: (record: JsonObject) => boolean
  #chain: ChainState | undefined
  #at = 0
  #line = 1

  constructor(disk: Disk, handle: Handle, redactor: Redactor, follower: Redactor, plan?: Pick<FilePlan, "format" | "reseals">) {
    this.#disk = disk
    this.#handle = handle
    this.#redactor = redactor
    this.#follower = follower
    this.#hasMarks = marksOf(plan?.format)
    this.#chain = plan?.reseals === true ? CHAIN_START : undefined
  }

  /** The stretches that are looked at, and each record that was read. */
  *run(onItem: (item: JournalRecord | DamageKind) => void = () => {}): Generator<Piece, ReadSummary> {
    const reading = readJournal(this.#disk, this.#handle.path)
    for (;;) {
      const next = reading.next()
      if (next.done) {
        yield* this.#between(next.value.bytes)
        return next.value
      }
      const item = next.value
      if (item._tag === "Progress") continue
      onItem(item._tag === "Record" ? item.record : item.damage.kind)
      if (item._tag !== "Record") continue
      yield* this.#between(item.record.offset)
      yield this.#record(item.record)
    }
  }

  #record(record: JournalRecord): Piece {
    const { raw, offset, length, line } = record
    const bytes = bytesOf(this.#disk, this.#handle, offset, offset + length)
    const text = decode(bytes)
    this.#at = offset + length
    this.#line = line + newlinesIn(bytes)
    const { line: clean, findings: found } = Result.getOrThrow(this.#follower.cleanRaw(raw))
    const findings: Array<LineFinding> = found.map(({ kind, path }) => ({ kind, line, offset, at: pointerOf(path) }))
    // A member that another one of its key hides is no part of the value.
    if (findings.length === 0 && clean.text !== raw)
      for (const { kind } of this.#redactor.redactText(raw).findings) findings.push({ kind, line, offset })
    const isMarked = found.length > 0 && this.#hasMarks(record.value)
    const body = findings.length === 0 ? raw : isMarked ? markedLine(this.#redactor, clean, found).text : clean.text
    const whole = this.#sealed(body, sealBehind(text, raw))
    const stays = findings.length === 0 && (this.#chain === undefined || whole === text)
    return { offset, length, text: stays ? undefined : whole, findings }
  }

  #sealed(body: string, seal: string | undefined): string {
    if (this.#chain === undefined) return seal === undefined ? body : `${body.slice(0, -1)}${seal}`
    const { member, state } = sealOf(digests, this.#chain, body)
    this.#chain = state
    return seal === undefined || member === undefined ? body : `${body.slice(0, -1)}${member}}`
  }

  *#between(to: number): Generator<Piece> {
    while (this.#at < to) {
      const offset = this.#at
      const bytes = bytesOf(this.#disk, this.#handle, offset, Math.min(to, offset + BETWEEN_BYTES))
      const cut = offset + bytes.length < to ? bytes.lastIndexOf(NEWLINE) + 1 : bytes.length
      yield this.#text(bytes.subarray(0, cut === 0 ? bytes.length : cut))
    }
  }

  #text(bytes: Uint8Array): Piece {
    const [offset, line] = [this.#at, this.#line]
    this.#at += bytes.length
    this.#line += newlinesIn(bytes)
    const given = bytes.length < SHORTEST ? "" : decode(bytes)
    const { text, findings } = this.#follower.redactText(given)
    const places = findings.map(({ kind, offset: at }): LineFinding => {
      const before = given.slice(0, at)
      return { kind, line: line + before.split("\n").length - 1, offset: offset + encoder.encode(before).length }
    })
    return { offset, length: bytes.length, text: findings.length === 0 ? undefined : text, findings: places }
  }
}

/** Whether a record of a file may carry marks of what was taken out of it: where its readers know them. */
const marksOf = (format: Format | undefined): ((record: JsonObject) => boolean) => {
  if (format?._tag === "Ledger") return () => true
  const isNewest = format?._tag === "Tree" && format.version === CURRENT_VERSION
  return (record) => isNewest && isEntry(record, CURRENT_VERSION)
}

const isSame = (stat: FileStat, identity: Identity): boolean =>
  stat.device === identity.device &&
  stat.inode === identity.inode &&
  stat.size === identity.size &&
  stat.modified === identity.modified

const failed = (path: string, reason: ScrubReason): ScrubError => new ScrubError({ path, reason })

const refused = (path: string, why: "utf-16" | "not-records"): ScrubError =>
  failed(path, { _tag: "Refused", code: "scrub.refused", why })

/** What its beginning says of a file. */
class Beginning {
  readonly first: Array<JsonObject> = []
  /** Whether it begins with a record. */
  isRecords = false
  /** Whether everything but the end can be read, and every seal fits. */
  isInOrder = true
  #hasBegun = false

  take(item: JournalRecord | DamageKind): void {
    if (typeof item === "string") {
      if (!BEHIND.has(item)) this.isInOrder = false
    } else {
      if (!this.#hasBegun) this.isRecords = true
      if (this.first.length < FORMAT_RECORDS) this.first.push(item.value)
    }
    this.#hasBegun = true
  }
}

/** Reads a file to its end, twice, and says what would go from it. Changes no byte. @throws ReadError, ScrubError */
export const planFile = (disk: Disk, path: string, redactor: Redactor, { isCopy = false }: FileOptions = {}): FilePlan => {
  const handle = attempt(path, () => disk.open(path, "read"))
  try {
    const beginning = new Beginning()
    const reader = redactor.follow()
    const learning = new Pass(disk, handle, redactor, reader).run((item) => beginning.take(item))
    let step = learning.next()
    while (step.done !== true) step = learning.next()
    const { identity, isUtf16, chain } = step.value
    const format = detectFormat(beginning.first)
    const isSession = format._tag !== "Unknown" || (beginning.isRecords && path.endsWith(".jsonl"))
    if (isUtf16) throw refused(path, "utf-16")
    if (!isSession && !isCopy && identity.size > 0) throw refused(path, "not-records")
    const plan = { path, identity, format, reseals: chain !== undefined && beginning.isInOrder, reader }
    const findings = [...new Pass(disk, handle, redactor, reader.follow(), plan).run()].flatMap((piece) => piece.findings)
    if (!isSame(disk.stat(handle), identity)) throw failed(path, { _tag: "Changed", code: "scrub.changed" })
    return { ...plan, findings }
  } catch (cause) {
    throw cause instanceof DiskFault ? (fromFault(path, cause) ?? cause) : cause
  } finally {
    closeQuietly(disk, handle)
  }
}

const fromFault = (path: string, fault: DiskFault): ScrubError | ReadError =>
  fault.code === "ECHANGED"
    ? failed(path, { _tag: "Changed", code: "scrub.changed" })
    : new ReadError({ path, reason: { _tag: "Unreadable", code: "read.unreadable", system: fault.code } })

/** Nothing was written through the handle, so a refusal to close it changes nothing. */
const closeQuietly = (disk: Disk, handle: Handle): void => {
  try {
    disk.close(handle)
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/** The name under which the new file is made: the same for each attempt, so that one that was cut off leaves nothing behind for long. */
export const scrubTemporary = (path: string): string => `.${basename(path)}.scrub.tmp`

const fromAtomic = (reason: AtomicReason): ScrubReason => {
  switch (reason._tag) {
    case "Changed":
      return { _tag: "Changed", code: "scrub.changed" }
    case "Taken":
      return { _tag: "Unwritten", code: "scrub.unwritten", fault: new DiskFault("open", reason.path, "EEXIST") }
    case "Unwritten":
      return { _tag: "Unwritten", code: "scrub.unwritten", fault: reason.fault }
    case "Uncertain":
      return { _tag: "Uncertain", code: "scrub.uncertain", fault: reason.fault }
  }
}

const copyBytes = (disk: Disk, handle: Handle, from: number, to: number, put: (bytes: Uint8Array) => void): void => {
  for (let at = from; at < to; at += BETWEEN_BYTES) put(bytesOf(disk, handle, at, Math.min(to, at + BETWEEN_BYTES)))
}

const write = (disk: Disk, handle: Handle, redactor: Redactor, plan: FilePlan, put: (bytes: Uint8Array) => void): void => {
  let from = 0
  for (const { offset, length, text } of new Pass(disk, handle, redactor, plan.reader.follow(), plan).run()) {
    if (text === undefined) continue
    copyBytes(disk, handle, from, offset, put)
    put(encoder.encode(text))
    from = offset + length
  }
  copyBytes(disk, handle, from, plan.identity.size, put)
}

/**
 * Carries out a plan. Does nothing when nothing was found. The caller holds the lease of the session. After a crash at any step the name
 * holds the old file or the new one, whole.
 */
export const scrubOne = (disk: Disk, plan: FilePlan, redactor: Redactor): Result.Result<void, ScrubError> => {
  const { path, findings, identity } = plan
  if (findings.length === 0) return Result.void
  let handle: Handle | undefined
  try {
    sweep(disk, join(dirname(path), scrubTemporary(path)))
    handle = disk.open(path, "read")
    const source = handle
    const expect = disk.stat(source)
    if (!isSame(expect, identity)) return Result.fail(failed(path, { _tag: "Changed", code: "scrub.changed" }))
    const done = replaceFile(disk, path, (put) => write(disk, source, redactor, plan, put), {
      expect,
      temporaryName: scrubTemporary(path),
    })
    return Result.isSuccess(done) ? Result.void : Result.fail(failed(path, fromAtomic(done.failure.reason)))
  } catch (cause) {
    if (cause instanceof ReadError) return Result.fail(failed(path, { _tag: "Changed", code: "scrub.changed" }))
    if (!(cause instanceof DiskFault)) throw cause
    const isGone = cause.code === "ECHANGED" || (handle === undefined && cause.code === "ENOENT")
    return Result.fail(
      failed(
        path,
        isGone ? { _tag: "Changed", code: "scrub.changed" } : { _tag: "Unwritten", code: "scrub.unwritten", fault: cause },
      ),
    )
  } finally {
    if (handle !== undefined) closeQuietly(disk, handle)
  }
}
