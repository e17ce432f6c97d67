/**
 * Why a session may not be written to. One class; nothing was changed, and reading is always possible.
 */
import * as Data from "effect/Data"
import type { Distrust } from "../disk/Trust.ts"
import type { Obstacle } from "./Decision.ts"
import type { Forced } from "./Owner.ts"

/** Who holds a lease, as far as its evidence says. */
export interface Holder {
  readonly pid: number
  /** When it took the lease, in ISO 8601. */
  readonly since: string
  readonly host: string
  /** Whether it is this very process. */
  readonly self: boolean
  /** The last time that somebody took the lease against the evidence. */
  readonly forced?: Forced | undefined
}

export type LeaseReason =
  /**
   * The lease cannot be taken. The owner is undefined when its evidence is missing, unreadable or of an earlier owner.
   */
  | {
      readonly _tag: "Held"
      readonly code: "lease.held"
      readonly path: string
      readonly owner: Holder | undefined
      readonly obstacle: Exclude<Obstacle, "offered-elsewhere" | "not-offered">
      /** Whether a person may take it all the same. */
      readonly forcible: boolean
    }
  /** Nobody holds the lease, and it is kept for the one to whom it was offered. */
  | { readonly _tag: "Offered"; readonly code: "lease.offered"; readonly path: string; readonly until: string }
  /** It was never offered to this taker, or it was taken. */
  | { readonly _tag: "NotOffered"; readonly code: "lease.not_offered"; readonly path: string }
  /** The lease was held, and is not any more: its lock was removed or replaced, or somebody took it by force. Write nothing. */
  | { readonly _tag: "Lost"; readonly code: "lease.lost"; readonly path: string; readonly how: Loss }
  /** Somebody else could make the writer write somewhere else, or the file has a name there already. */
  | { readonly _tag: "Unsafe"; readonly code: "lease.unsafe"; readonly path: string; readonly distrust: Distrust }
  /** No lock can be made here: a read-only directory, a file in the way. */
  | {
      readonly _tag: "Unavailable"
      readonly code: "lease.unavailable"
      readonly path: string
      /** The system's error code, such as `EACCES`, or what the lock's engine says. */
      readonly system: string
    }

export type Loss =
  /** The lock file has not its name any more, or another one has it. */
  | "lock-replaced"
  /** The evidence names somebody else. */
  | "taken"
  /** Without a lock the evidence is the lease, and it is gone. */
  | "evidence-gone"
  /** It was given back. */
  | "released"

const losses: Readonly<Record<Loss, string>> = {
  "lock-replaced": "the lock file was removed or replaced",
  taken: "somebody else has taken it",
  "evidence-gone": "its evidence was removed",
  released: "it was given back",
}

/** What is said of an owner that nobody sees at work. */
const obstacles: Partial<Readonly<Record<Obstacle, string>>> = {
  "owner-stopped": ", which is stopped",
  "owner-other-space": ", which cannot be seen from this container",
  "owner-other-host": ", which cannot be seen from this machine",
  "owner-unobservable": ", which cannot be seen",
}

const heldMessage = ({ path, owner, obstacle }: LeaseReason & { readonly _tag: "Held" }): string => {
  if (obstacle === "evidence-missing" || obstacle === "evidence-unreadable")
    return `${path}: there are no locks here, and the evidence of its writer ${obstacle === "evidence-missing" ? "is missing" : "cannot be read"}`
  if (owner === undefined) return `${path}: in use by another writer`
  const who = owner.self ? "this process" : `process ${owner.pid} on ${owner.host}`
  return `${path}: in use by ${who} since ${owner.since}${obstacles[obstacle] ?? ""}`
}

/** Why a place is none to write to, for people. */
export const distrustText = (distrust: Distrust): string => {
  switch (distrust._tag) {
    case "OtherOwner":
      return `${distrust.place} belongs to another user (${distrust.uid})`
    case "OpenToAll":
      return `everybody may replace what lies in ${distrust.place}`
    case "OtherName":
      return `the same file has another name somewhere else (${distrust.links} hard links)`
  }
}

const messageOf = (reason: LeaseReason): string => {
  switch (reason._tag) {
    case "Held":
      return heldMessage(reason)
    case "Offered":
      return `${reason.path}: kept until ${reason.until} for the writer to whom it was offered`
    case "NotOffered":
      return `${reason.path}: was not offered to this writer, or somebody has taken the offer`
    case "Lost":
      return `${reason.path}: the right to write to it is lost, ${losses[reason.how]}`
    case "Unsafe":
      return `${reason.path}: ${distrustText(reason.distrust)}`
    case "Unavailable":
      return `${reason.path}: cannot be locked (${reason.system})`
  }
}

export class LeaseError extends Data.TaggedError("LeaseError")<{ readonly reason: LeaseReason }> {
  override get message(): string {
    return messageOf(this.reason)
  }
}
