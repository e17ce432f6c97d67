/**
 * Why a session may not be written to. One class; nothing was changed, and reading is always possible.
 */
import * as Data from "effect/Data"

/** Who holds a lease, as far as its evidence says. */
export interface Holder {
  readonly pid: number
  /** When it took the lease, in ISO 8601. */
  readonly since: string
  readonly host: string
  /** Whether it is this very process. */
  readonly self: boolean
}

export type LeaseReason =
  /** Somebody else writes to this session. The owner is undefined when its evidence is missing, unreadable or of an earlier owner. */
  | { readonly _tag: "Held"; readonly code: "lease.held"; readonly path: string; readonly owner: Holder | undefined }
  /** No lock can be made here: a read-only directory, a file in the way, a file system without locks. */
  | {
      readonly _tag: "Unavailable"
      readonly code: "lease.unavailable"
      readonly path: string
      /** The system's error code, such as `EACCES`, or what the lock's engine says. */
      readonly system: string
    }

export class LeaseError extends Data.TaggedError("LeaseError")<{ readonly reason: LeaseReason }> {
  override get message(): string {
    const { reason } = this
    if (reason._tag === "Unavailable") return `${reason.path}: cannot be locked (${reason.system})`
    const { owner } = reason
    if (owner === undefined) return `${reason.path}: in use by another writer`
    return `${reason.path}: in use by ${owner.self ? "this process" : `process ${owner.pid} on ${owner.host}`} since ${owner.since}`
  }
}
