/**
 * What the host and the writer thread say to each other. Plain data only: it crosses a thread by structured clone.
 *
 * Each part carries everything that is needed to carry it out (path, identity, offset, bytes), so the thread may die between any
 * two messages: a new one goes on from the part alone.
 */

import type { Guard } from "../model/Guard.ts"

/** Which file a path must name. A file that was deleted or replaced is noticed before a byte is written to it. */
export interface Identity {
  readonly device: bigint
  readonly inode: bigint
}

export type PartMode =
  /** The file must end at `at`; the bytes go behind it. */
  | "append"
  /** The file may end anywhere in the bytes, as an interrupted write leaves it; what is missing is written, nothing twice. */
  | "resume"
  /** A new file from the first `at` bytes of the old one and these bytes takes the old one's place, atomically. */
  | "replace"

/** What is carried out for one file at once: whole lines, each with its newline. Of a file at most one is under way. */
export interface Part {
  /** The host's number for the file. */
  readonly file: number
  readonly path: string
  readonly identity: Identity
  /** What must stand beside the file; looked at before a byte is written. */
  readonly guard?: Guard | undefined
  /** The length in bytes that the file had before these bytes. */
  readonly at: number
  readonly bytes: Uint8Array
  readonly mode: PartMode
  /** Whether to make the file durable after the write. */
  readonly sync: boolean
}

export type Request =
  | { readonly kind: "commit"; readonly parts: ReadonlyArray<Part> }
  /** Gives the descriptors of these files back, once what is under way has ended. */
  | { readonly kind: "release"; readonly files: ReadonlyArray<number> }

/**
 * What is known of the bytes after a failure.
 * - `not-written`: the file is as it was before the part.
 * - `torn`: a beginning of the bytes may stand at the end of the file; no sync has failed.
 * - `uncertain`: a sync failed. What the disk holds past the last successful sync is unknown, and reading back proves nothing.
 */
export type Certainty = "not-written" | "torn" | "uncertain"

export type Outcome =
  | {
      readonly ok: true
      readonly file: number
      /** The file's length in bytes, now. */
      readonly length: number
      readonly synced: boolean
      /** Another one than before only after `replace`. */
      readonly identity: Identity
    }
  | {
      readonly ok: false
      readonly file: number
      readonly certainty: Certainty
      /** The operation that failed, in the disk's words. */
      readonly operation: string
      /** The system's error code, `ECHANGED` when the file was not as expected, or `ELEASE` when its guard did not stand. */
      readonly code: string
    }

export interface Reply {
  /** What has become of parts since the last reply, in the order in which it was known. */
  readonly outcomes: ReadonlyArray<Outcome>
}
