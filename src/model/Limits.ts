/** Every number that bounds something, in one place, with its unit and its reason. */

/** Bytes read from a file at a time. */
export const READ_CHUNK_BYTES = 1 << 20

/** Bytes of the smallest file that is read with a scanner of its own. For a smaller one making it takes longer than it saves. */
export const SCAN_FROM_BYTES = 4 << 20

/** Bytes of the largest file whose records a session that is open for writing holds. Those of a larger one stay in it. */
export const HELD_FILE_BYTES = 4 << 20

/** Bytes of the records of such a file that are kept because they were read last; up to twice as many. */
export const REMEMBERED_RECORD_BYTES = 1 << 20

/** Bytes of a line's part in one read from which its long text is looked for, which is then left in the file. */
export const LONG_TEXT_BYTES = 64 << 10

/** Bytes of the longest line that is parsed. Above it a line is reported as oversize and skipped as a stream. Below V8's longest string. */
export const MAX_LINE_BYTES = 256 << 20

/** Levels of nesting in one record. Deeper values overflow the stacks of ordinary JSON tools, so they are reported, not parsed. */
export const MAX_DEPTH = 2_000

/** Records glued on one line that are read. A line of more is as good as one that is too long. */
export const MAX_RECORDS_PER_LINE = 65_536

/** Bytes and lines of a record that raw newlines have spread over several lines, which a reader puts together again. */
export const MAX_SPREAD_BYTES = 16 << 20
export const MAX_SPREAD_LINES = 10_000

/** Records that a follower remembers one by one, so that another file does not give them again: about 25 MiB. */
export const MAX_REMEMBERED = 262_144

/** Milliseconds between two looks of a follower, unless it is told otherwise. A look costs a few microseconds. */
export const FOLLOW_INTERVAL_MS = 100

/** Bytes of one file that go to the writer thread at once. */
export const MAX_BATCH_BYTES = 4 << 20

/** Records of one file that go to the writer thread at once. */
export const MAX_BATCH_RECORDS = 1_024

/** Bytes of one file's records that may wait for the writer. A producer above it is suspended. One record may always wait. */
export const MAX_QUEUED_BYTES = 8 << 20

/** Syncs of files that the writer thread has under way at once. Node's pool has four threads, and one is left to the host on a disk that hangs. */
export const MAX_SYNCS_AT_ONCE = 3

/** Syncs that may be stuck before files without a fault wait for them. For each one a thread is started, of some 10 MB, while it is needed. */
export const MAX_STUCK_SYNCS = 5

/** Milliseconds that no sync is taken for stuck before. */
export const SYNC_PATIENCE_MS = 25

/** Milliseconds that a process at its exit waits for what the writer thread has in hand. */
export const EXIT_WAIT_MS = 5_000

/** UTF-16 units of the longest string that is kept in a record whole, but for what is worthless in part. */
export const MAX_STRING_UNITS = 500_000

/** Characters of base64 from which an image goes into a blob. A shorter one is not worth a file. */
export const MIN_BLOB_UNITS = 1_024
