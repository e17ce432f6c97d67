/** Why a store of ledger sessions could not do what it was asked. Nothing has been changed. */
import * as Data from "effect/Data"

export type LedgerStoreReason =
  /** What was given cannot be the id of a session: it could name another file. */
  | { readonly _tag: "BadId"; readonly code: "ledger.bad_id"; readonly id: string }
  /** There is nothing to resume. */
  | { readonly _tag: "NoSession"; readonly code: "ledger.no_session"; readonly path: string }
  /** A session's folder holds something that is no session of a subagent. */
  | { readonly _tag: "Unexpected"; readonly code: "ledger.unexpected"; readonly path: string }
  /** Nobody has said anything in the session yet. */
  | { readonly _tag: "NothingToExport"; readonly code: "ledger.nothing_to_export"; readonly path: string }
  /** No time zone has this name. */
  | { readonly _tag: "UnknownTimeZone"; readonly code: "ledger.unknown_time_zone"; readonly timeZone: string }
  /** An export would be written outside the directory that it must stay in. */
  | { readonly _tag: "OutsideRoot"; readonly code: "ledger.outside_root"; readonly path: string; readonly root: string }

const describe = (reason: LedgerStoreReason): string => {
  switch (reason._tag) {
    case "BadId":
      return `${JSON.stringify(reason.id)} is not a session id`
    case "NoSession":
      return `${reason.path}: no session to resume`
    case "Unexpected":
      return `${reason.path}: is no session of a subagent`
    case "NothingToExport":
      return `${reason.path}: nothing to export`
    case "UnknownTimeZone":
      return `${JSON.stringify(reason.timeZone)} is not the name of a time zone`
    case "OutsideRoot":
      return `${reason.path}: is not in ${reason.root}`
  }
}

export class LedgerStoreError extends Data.TaggedError("LedgerStoreError")<{ readonly reason: LedgerStoreReason }> {
  override get message(): string {
    return describe(this.reason)
  }
}
