/** Why a session file could not be opened, or not for writing. Nothing has been changed unless the reason says so. */
import * as Data from "effect/Data"
import type { Json } from "../model/Json.ts"

export type FormatReason =
  /** The file has content, and none of it is a session of a kind that is known. */
  | {
      readonly _tag: "NotASession"
      readonly code: "format.not_a_session"
      readonly path: string
      readonly line?: number
      readonly offset?: number
    }
  /** The header declares a version that is not one of 1 to 5. Refused before replay. */
  | {
      readonly _tag: "UnsupportedVersion"
      readonly code: "format.unsupported_version"
      readonly path: string
      readonly line?: number
      readonly offset?: number
      readonly version: Json
    }
  /** A ledger session, where a tree is needed. */
  | { readonly _tag: "IsLedger"; readonly code: "format.is_ledger"; readonly path: string }
  /** A tree session, where a ledger is needed. */
  | { readonly _tag: "IsTree"; readonly code: "format.is_tree"; readonly path: string }
  /** The header is missing or cannot be read. The entries can be read; nothing may be appended before a repair. */
  | {
      readonly _tag: "BadHeader"
      readonly code: "format.bad_header"
      readonly path: string
      readonly line: number
      readonly offset: number
    }
  /** The file is empty, and nothing was said about the session that shall begin in it. */
  | { readonly _tag: "Empty"; readonly code: "format.empty"; readonly path: string }

const describeFormat = (reason: FormatReason): string => {
  switch (reason._tag) {
    case "NotASession":
      return `${reason.path}: no session that this program knows`
    case "UnsupportedVersion":
      return `${reason.path}: session version ${JSON.stringify(reason.version)} is not one of 1 to 5`
    case "IsLedger":
      return `${reason.path}: a ledger session; this needs a tree session`
    case "IsTree":
      return `${reason.path}: a tree session; this needs a ledger session`
    case "BadHeader":
      return `${reason.path}: the session header is missing or cannot be read`
    case "Empty":
      return `${reason.path}: the file is empty`
  }
}

/** What the file holds is not what is needed. */
export class FormatError extends Data.TaggedError("FormatError")<{ readonly reason: FormatReason }> {
  override get message(): string {
    return describeFormat(this.reason)
  }
}

export type ConsentReason =
  /** The append would first rewrite the file to another version, which its own agent may not be able to read. */
  | {
      readonly _tag: "MigrationNeeded"
      readonly code: "consent.migration_needed"
      readonly path: string
      readonly dialect: string
      readonly version: number
    }
  /** A rewrite was asked for in another agent's own directory. */
  | {
      readonly _tag: "ForeignDirectory"
      readonly code: "consent.foreign_directory"
      readonly path: string
      readonly holder: string
    }

/** The caller has not agreed to what would have to be done, or it is never done. */
export class ConsentError extends Data.TaggedError("ConsentError")<{ readonly reason: ConsentReason }> {
  override get message(): string {
    const { reason } = this
    return reason._tag === "MigrationNeeded"
      ? `${reason.path}: a ${reason.dialect} session of version ${reason.version}; appending would rewrite it to version 5`
      : `${reason.path}: lies in the directory of ${reason.holder} and is not rewritten there`
  }
}

export type PrepareReason =
  /** Somebody else has changed the file since it was read. */
  | { readonly _tag: "Changed"; readonly code: "open.changed"; readonly path: string }
  /** The name is taken: a new session never replaces a file. */
  | { readonly _tag: "Exists"; readonly code: "open.exists"; readonly path: string }
  /** The right to write was lost since the session was opened: its lock file was removed or replaced, or somebody took the lease. */
  | { readonly _tag: "LeaseLost"; readonly code: "open.lease_lost"; readonly path: string }
  /** The disk refused before anything was changed. */
  | {
      readonly _tag: "Refused"
      readonly code: "open.refused"
      readonly path: string
      readonly system: string
      readonly operation: string
    }
  /**
   * The file was replaced, or its end put in order, and the disk could not confirm it: after a power cut it may be as it was before. The
   * session does not try again, because a second sync proves nothing; opening it anew reads what is there.
   */
  | {
      readonly _tag: "Uncertain"
      readonly code: "open.uncertain"
      readonly path: string
      readonly system: string
      readonly operation: string
    }

const describePrepare = (reason: PrepareReason): string => {
  switch (reason._tag) {
    case "Changed":
      return `${reason.path}: changed by somebody else since it was read`
    case "Exists":
      return `${reason.path}: exists already`
    case "LeaseLost":
      return `${reason.path}: not opened for writing, because the right to write to it is lost`
    case "Refused":
      return `${reason.path}: not opened for writing (${reason.operation}: ${reason.system})`
    case "Uncertain":
      return `${reason.path}: changed, but not confirmed by the disk (${reason.operation}: ${reason.system})`
  }
}

/** The file could not be made ready for the first append. */
export class PrepareError extends Data.TaggedError("PrepareError")<{ readonly reason: PrepareReason }> {
  override get message(): string {
    return describePrepare(this.reason)
  }
}
