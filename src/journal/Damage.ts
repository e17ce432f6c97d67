/**
 * Damage is a value: what a reader says about a stretch of bytes that it could not use, or could use only with care.
 *
 * A damage never stops the reading of what stands beside it.
 */

export type DamageKind =
  /** Bytes after the last complete record, without their newline: a write that was cut. */
  | "torn-tail"
  /** A run of zero bytes, as a file system leaves behind after a power cut. */
  | "nul-run"
  /** Several records, or a cut record and a whole one, on one line. What was whole has been read. */
  | "glued"
  /** A stretch of a line that is not JSON. */
  | "not-json"
  /** JSON, but not an object. */
  | "not-object"
  /** Bytes that are not UTF-8 inside a line. The record is read with replacement characters. */
  | "not-utf8"
  /** A record spread over several lines by newlines inside its strings that were not escaped. Read as one. */
  | "raw-newline"
  /** The whole file is UTF-16. Nothing is read. */
  | "utf-16"
  /** A line longer than can be parsed, or with more records on it than belong on any. */
  | "oversize"
  /** A record nested deeper than can be handled. */
  | "too-deep"
  /** A record whose seal says that its line is not the one that was written. It is read as it stands. */
  | "edited"
  /** Records are missing before this place: the numbers in the seals leave a gap. Its length is 0. */
  | "lost-records"
  /** A line a second time, seal and all. The journal gives it each time. */
  | "repeated-line"
  /** A record that stands behind one that was written after it. It is read where it stands. */
  | "out-of-order"
  /** Records without seals that are not those over which the next seal was made: one was changed, put in, or stands elsewhere. They are read. */
  | "chain-broken"
  /** The first record is not a session header. The other records are read under a header made up in memory. */
  | "bad-header"
  /** A header in a place where none belongs. */
  | "extra-header"
  /** A patch with an unknown key, a wrong type, no target, or in a version without patches. It has no effect. */
  | "unusable-patch"
  /** An entry that lacks fields of its type, or has them of another kind. It keeps its place; only what it lacks has no effect. */
  | "unusable-entry"
  /** A record of a ledger that lacks members of its type, or has them of another kind. It has no effect. */
  | "unusable-record"
  /** The same record a second time, as a retried write leaves it. Read once. */
  | "duplicate-record"
  /** A second entry under an id that is taken, with other content. Both are kept; the later one answers to the id. */
  | "duplicate-id"
  /** An entry whose parent does not stand before it. It is kept, as a root of its own while the file has no such parent. */
  | "orphan"

export interface Damage {
  /** The line it begins in, counted from 1 by newline bytes. */
  readonly line: number
  /** Its first byte, counted from 0. */
  readonly offset: number
  /** Its length in bytes. */
  readonly length: number
  readonly kind: DamageKind
}
