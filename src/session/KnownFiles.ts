/**
 * What the agent of an open ledger session knows of the files (see FileTracker): kept beside the session, never written, empty after every
 * resume. It forgets reads by itself whenever their output may have gone out of the conversation.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { type FileStatus, type FileTracker, makeFileTracker, noteRead, record, status, upTo } from "../ledger/FileTracker.ts"
import type { LedgerState } from "../ledger/State.ts"

export interface KnownFiles {
  /** The agent knows this content of a file: it has read, written or been shown it. */
  readonly record: (path: string, content: string) => Effect.Effect<void>
  /** Whether the agent knows the content that a file has now. Only what is `current` may be edited. */
  readonly status: (path: string, content: string) => Effect.Effect<FileStatus>
  /** Notes that a range is read. True when the same range of the same content still stands in the conversation. */
  readonly noteRead: (path: string, content: string, offset?: number, limit?: number) => Effect.Effect<boolean>
}

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex")

/** A knowledge that begins empty and follows the state of a session. */
export const makeKnownFiles = (state: Effect.Effect<LedgerState>): KnownFiles => {
  let tracker: FileTracker | undefined
  const current = Effect.map(state, ({ readsForgotten }) => {
    tracker = upTo(tracker ?? { ...makeFileTracker(sha256), readsForgotten }, readsForgotten)
    return tracker
  })
  return {
    record: (path, content) =>
      Effect.map(current, (known) => {
        tracker = record(known, path, content)
      }),
    status: (path, content) => Effect.map(current, (known) => status(known, path, content)),
    noteRead: (path, content, offset, limit) =>
      Effect.map(current, (known) => {
        const [isKnown, next] = noteRead(known, path, content, offset, limit)
        tracker = next
        return isKnown
      }),
  }
}
