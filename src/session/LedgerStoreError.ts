/** Why a store of ledger sessions could not do what it was asked. Nothing has been changed. */
import * as Data from "effect/Data"

export type LedgerStoreReason =
  /** What was given cannot be the id of a session: it could name another file. */
  | { readonly _tag: "BadId"; readonly code: "ledger.bad_id"; readonly id: string }
  /** There is nothing to resume. */
  | { readonly _tag: "NoSession"; readonly code: "ledger.no_session"; readonly path: string }
  /** A session's folder holds something that is no session of a subagent. */
  | { readonly _tag: "Unexpected"; readonly code: "ledger.unexpected"; readonly path: string }

const describe = (reason: LedgerStoreReason): string => {
  switch (reason._tag) {
    case "BadId":
      return `${JSON.stringify(reason.id)} is not a session id`
    case "NoSession":
      return `${reason.path}: no session to resume`
    case "Unexpected":
      return `${reason.path}: is no session of a subagent`
  }
}

export class LedgerStoreError extends Data.TaggedError("LedgerStoreError")<{ readonly reason: LedgerStoreReason }> {
  override get message(): string {
    return describe(this.reason)
  }
}
