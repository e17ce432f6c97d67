/**
 * The high-water mark of a session with seals: how far it was known to be durable, kept in a file beside it.
 *
 *     {"v":1,"records":7,"bytes":1024,"chain":"9f86d081884c7d65","inode":"131","crc":"3f2a1b0c"}
 *
 * Seals tell what is missing within a file, not that its end is gone: a disk that says it has synced and has not leaves a file that is whole and
 * too short. The mark is written now and then, after the fact, and never synced. So it may be old, torn or gone, and then nothing is
 * said; it is never ahead of what was acknowledged, so what it says is never a false alarm (law INT-3).
 *
 * It is no authority: nothing is read, cut or written by what it says but the number of the next seal, which leaves a gap where records are
 * missing. It belongs to one file, by its inode: a file that was replaced, copied or brought back is not judged by it. It holds no
 * text of the session.
 *
 * Valid if and only if it is that one line, spelled as above, and `crc` is the CRC-32 of the bytes before its comma.
 */
import { basename, dirname, join } from "node:path"
import { type Disk, DiskFault } from "../disk/Disk.ts"
import { writeAll } from "../disk/WriteAll.ts"
import { digests } from "./Digests.ts"
import type { ChainState } from "./Integrity.ts"
import { closeQuietly, type ReadSummary } from "./Reader.ts"

export interface HighWater extends ChainState {
  /** The length of the file that was durable. */
  readonly bytes: number
  /** Of the session's file. */
  readonly inode: bigint
}

/** What a file lacks of what was acknowledged. */
export interface Missing {
  readonly records: number
  readonly bytes: number
}

/** The name of the mark of a session's file. */
export const highWaterPath = (path: string): string => join(dirname(path), `.${basename(path)}.head`)

/** Longer than any mark. */
const MAX_BYTES = 256

const MARK =
  /^(\{"v":1,"records":(\d{1,16}),"bytes":(\d{1,16}),"chain":"([0-9a-f]{16})","inode":"(\d{1,20})"),"crc":"([0-9a-f]{8})"\}\n$/

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, "0")

/** The text of a mark. */
export const encodeHighWater = ({ records, bytes, chain, inode }: HighWater): string => {
  const begun = `{"v":1,"records":${records},"bytes":${bytes},"chain":"${chain}","inode":"${inode}"`
  return `${begun},"crc":"${hex(digests.crc32(begun))}"}\n`
}

/** The mark that a text is; undefined for any other text. */
export const decodeHighWater = (text: string): HighWater | undefined => {
  const found = MARK.exec(text)
  if (found === null) return undefined
  const [, begun = "", records, bytes, chain = "", inode = "", crc] = found
  if (hex(digests.crc32(begun)) !== crc) return undefined
  return { records: Number(records), bytes: Number(bytes), chain, inode: BigInt(inode) }
}

/** The mark beside a session's file; undefined when there is none, or none that can be read. Never fails. */
export const readHighWater = (disk: Pick<Disk, "open" | "read" | "close">, path: string): HighWater | undefined => {
  try {
    const handle = disk.open(highWaterPath(path), "read")
    try {
      const buffer = new Uint8Array(MAX_BYTES)
      return decodeHighWater(new TextDecoder().decode(buffer.subarray(0, disk.read(handle, buffer, 0))))
    } finally {
      closeQuietly(disk, handle)
    }
  } catch (cause) {
    if (cause instanceof DiskFault) return undefined
    throw cause
  }
}

/**
 * Writes the mark of a session's file, unless the file is shorter by now: then somebody else has cut it, and nothing is marked. The caller holds
 * the lease, and everything up to the mark is synced. Cost: six system calls, no sync.
 *
 * @throws DiskFault
 */
export const writeHighWater = (disk: Disk, path: string, mark: Omit<HighWater, "inode">): void => {
  const file = disk.lstat(path)
  if (file?.kind !== "file" || file.size < mark.bytes) return
  const temporary = `${highWaterPath(path)}.tmp`
  if (disk.lstat(temporary) !== undefined) disk.unlink(temporary)
  const handle = disk.open(temporary, "create")
  try {
    writeAll(disk, handle, new TextEncoder().encode(encodeHighWater({ ...mark, inode: file.inode })))
  } finally {
    closeQuietly(disk, handle)
  }
  disk.rename(temporary, highWaterPath(path))
}

/** Removes the mark of a file that had the name before. Never fails. */
export const sweepHighWater = (disk: Disk, path: string): void => {
  try {
    if (disk.lstat(highWaterPath(path))?.kind === "file") disk.unlink(highWaterPath(path))
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
}

/** What a file that was read lacks at its end, by its mark; undefined when it lacks nothing, or when nothing is known. */
export const missingBy = (mark: HighWater | undefined, summary: ReadSummary): Missing | undefined => {
  if (mark === undefined || mark.inode !== summary.identity.inode || summary.bytes >= mark.bytes) return undefined
  const records = mark.records - (summary.chain?.records ?? summary.records)
  return records > 0 ? { records, bytes: mark.bytes - summary.bytes } : undefined
}

/** Where the chain of a file goes on: where it has come to or, when acknowledged records are missing, where it had come to with them. */
export const goingOn = (mark: HighWater | undefined, summary: ReadSummary): ChainState | undefined =>
  mark === undefined || missingBy(mark, summary) === undefined ? summary.chain : { records: mark.records, chain: mark.chain }
