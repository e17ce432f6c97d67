/**
 * What an agent knows of the files: which content it has seen, and which ranges of it still stand in the conversation (law LED-6).
 *
 * An edit is safe only over content that the agent has seen: {@link status}. A range that was read before, of the same content, needs not
 * be read again as long as its output is in the conversation: {@link noteRead}. Both are about contents, which are kept as digests. Nothing
 * of it is ever written: after a resume the agent knows no file.
 *
 * Values are immutable. Cost: the digest of the content, and O(n) in the files known where something changes.
 */

/** Makes a short text of a content, a different one for a different content: a cryptographic hash, say. */
export type Digest = (content: string) => string

interface Read {
  readonly offset: number | undefined
  readonly limit: number | undefined
  readonly digest: string
}

export interface FileTracker {
  readonly digest: Digest
  /** The content that the agent knows, by path. */
  readonly seen: ReadonlyMap<string, string>
  /** The ranges whose output is in the conversation, by path. A range is compared by its numbers: no two ranges share a name. */
  readonly reads: ReadonlyMap<string, ReadonlyArray<Read>>
  /** The state's `readsForgotten` that the reads are of. */
  readonly readsForgotten: number
}

export type FileStatus =
  /** The agent has never seen it. */
  | "unread"
  /** It is not what the agent saw. */
  | "changed"
  /** It is what the agent saw: the only one that may be edited. */
  | "current"

/** A tracker that knows no file. */
export const makeFileTracker = (digest: Digest): FileTracker => ({
  digest,
  seen: new Map(),
  reads: new Map(),
  readsForgotten: 0,
})

/** The agent knows this content of a file: it has read, written or been shown it. */
export const record = (tracker: FileTracker, path: string, content: string): FileTracker => ({
  ...tracker,
  seen: new Map(tracker.seen).set(path, tracker.digest(content)),
})

/** Whether the agent knows the content that a file has now. */
export const status = (tracker: FileTracker, path: string, content: string): FileStatus => {
  const known = tracker.seen.get(path)
  if (known === undefined) return "unread"
  return known === tracker.digest(content) ? "current" : "changed"
}

/**
 * A range of a file is read: whether its output stands in the conversation already, and the tracker that knows the read. A range without
 * an offset or a limit is another one than any with it.
 */
export const noteRead = (
  tracker: FileTracker,
  path: string,
  content: string,
  offset?: number,
  limit?: number,
): readonly [known: boolean, tracker: FileTracker] => {
  const digest = tracker.digest(content)
  const reads = tracker.reads.get(path) ?? []
  const before = reads.find((read) => read.offset === offset && read.limit === limit)
  if (before?.digest === digest) return [true, tracker]
  const others = reads.filter((read) => read !== before)
  return [false, { ...tracker, reads: new Map(tracker.reads).set(path, [...others, { offset, limit, digest }]) }]
}

/** What was read may have gone out of the conversation. What the agent knows of the files stays. The same reference when nothing was read. */
export const forgetReads = (tracker: FileTracker): FileTracker =>
  tracker.reads.size === 0 ? tracker : { ...tracker, reads: new Map() }

/** The tracker for a state: without its reads when the state's `readsForgotten` has moved since. The same reference when it has not. */
export const upTo = (tracker: FileTracker, readsForgotten: number): FileTracker =>
  tracker.readsForgotten === readsForgotten ? tracker : { ...forgetReads(tracker), readsForgotten }
