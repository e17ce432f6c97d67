/**
 * Why records did not reach a file. One class; the reason says what is known of the bytes and so what may be done.
 *
 * Whatever the reason, nothing is lost: the records stay readable through the journal's `unsaved`.
 */
import * as Data from "effect/Data"
import { LEASE_LOST } from "../disk/Guard.ts"
import type { Outcome } from "./Protocol.ts"

interface Place {
  readonly path: string
  /** The byte offset from which the file's content is not known to be durable. */
  readonly offset: number
  /** The system's error code, such as `ENOSPC`. */
  readonly system: string
  /** The disk operation that failed. */
  readonly operation: string
}

export type WriteReason =
  /** The file is as it was before: nothing of the batch is in it. Recovery appends again. */
  | ({ readonly _tag: "NotWritten"; readonly code: "write.not_written" } & Place)
  /** A beginning of the batch may stand at the end of the file. Recovery writes the rest. */
  | ({ readonly _tag: "Torn"; readonly code: "write.torn" } & Place)
  /** A sync failed: what lies on the disk past the offset is unknown. Recovery makes a new file from what was synced and what is in memory. */
  | ({ readonly _tag: "Uncertain"; readonly code: "write.uncertain" } & Place)
  /** The file was deleted, replaced, cut or written to by somebody else. */
  | ({ readonly _tag: "Changed"; readonly code: "write.changed" } & Place)
  /** The right to write was lost: the lock file was removed or replaced, or somebody took the lease. Nothing was written. */
  | ({ readonly _tag: "LeaseLost"; readonly code: "write.lease_lost" } & Place)
  /** The writer thread died again and again over the same batch. */
  | {
      readonly _tag: "ThreadLost"
      readonly code: "write.thread_lost"
      readonly path: string
      readonly offset: number
      readonly message: string
    }
  /** The journal was closed before. */
  | { readonly _tag: "Closed"; readonly code: "write.closed"; readonly path: string }

export class WriteError extends Data.TaggedError("WriteError")<{ readonly reason: WriteReason }> {
  override get message(): string {
    return describe(this.reason)
  }
}

const describe = (reason: WriteReason): string => {
  switch (reason._tag) {
    case "NotWritten":
      return `${reason.path}: not written (${reason.operation}: ${reason.system}); the file is as it was before byte ${reason.offset}`
    case "Torn":
      return `${reason.path}: cut while writing (${reason.operation}: ${reason.system}); bytes after ${reason.offset} are incomplete`
    case "Uncertain":
      return `${reason.path}: ${reason.operation} failed (${reason.system}); what lies after byte ${reason.offset} is unknown`
    case "Changed":
      return `${reason.path}: changed by somebody else (seen at ${reason.operation}); expected to end at byte ${reason.offset}`
    case "LeaseLost":
      return `${reason.path}: not written, because the right to write to it is lost; bytes after ${reason.offset} are in memory only`
    case "ThreadLost":
      return `${reason.path}: the writer thread was lost: ${reason.message}`
    case "Closed":
      return `${reason.path}: the journal is closed`
  }
}

const tags = {
  "not-written": ["NotWritten", "write.not_written"],
  torn: ["Torn", "write.torn"],
  uncertain: ["Uncertain", "write.uncertain"],
} as const

/** The error for an outcome that is not ok. `offset` is the durable length before it. */
export const fromOutcome = (path: string, offset: number, outcome: Outcome & { readonly ok: false }): WriteError => {
  const place = { path, offset, system: outcome.code, operation: outcome.operation }
  if (outcome.code === LEASE_LOST && outcome.certainty !== "uncertain")
    return new WriteError({ reason: { _tag: "LeaseLost", code: "write.lease_lost", ...place } })
  if (outcome.code === "ECHANGED" && outcome.certainty !== "uncertain")
    return new WriteError({ reason: { _tag: "Changed", code: "write.changed", ...place } })
  const [_tag, code] = tags[outcome.certainty]
  return new WriteError({ reason: { _tag, code, ...place } as WriteReason })
}
