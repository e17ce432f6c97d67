import type { Evidence } from "./Evidence.ts"
import type { Observation } from "./Observation.ts"
import type { Owner } from "./Owner.ts"

/**
 * May the lease of a session be taken? The table of all cases (law LSE-1).
 *
 * Where the kernel's lock was had, the owner that held this same lock has ended: the kernel gives it back with the last thread that
 * could write. Of an owner that held another lock, or none, the lock proves nothing, and what was seen of its process decides, as it
 * does where there are no locks. Age is never a reason. An offer keeps a lease that nobody holds for one taker, for a while.
 */

/** Why the lease may be taken. */
export type Ground =
  /** Nobody had it yet. */
  | "unclaimed"
  /** The last owner gave it back. */
  | "released"
  /** The last owner gave it back, or ended, and had offered it to this taker. */
  | "offered"
  /** The kernel has freed the owner's lock. */
  | "lock-freed"
  /** The lock is ours, and the evidence cannot be understood. */
  | "lock-alone"
  | "owner-absent"
  | "owner-reused"
  | "owner-zombie"
  | "owner-rebooted"
  | "owner-ended-here"

/** Why it may not. */
export type Obstacle =
  /** The kernel's lock is held. */
  | "locked"
  | "owner-here"
  | "owner-running"
  | "owner-stopped"
  | "owner-other-space"
  | "owner-other-host"
  | "owner-unobservable"
  /** There is no lock, and the evidence is gone or cannot be understood. */
  | "evidence-missing"
  | "evidence-unreadable"
  /** It is kept for another taker. */
  | "offered-elsewhere"
  /** The taker names an offer that nobody made, or that was taken. */
  | "not-offered"

export type Decision =
  | { readonly may: true; readonly ground: Ground }
  | {
      readonly may: false
      readonly obstacle: Obstacle
      /** Whether a person may take it all the same. */
      readonly forcible: boolean
    }

export interface Case {
  /** What became of asking for the kernel's lock: ours, held by another one, or there is none here. */
  readonly lock: "ours" | "busy" | "none"
  /** The inode of the lock file; of meaning only with `ours`. */
  readonly lockFile: string | undefined
  readonly evidence: Evidence
  /** What was seen of the owner. Asked for only when the evidence names one that has not released. */
  readonly observation: Observation | undefined
  /** The offer that the taker names. */
  readonly offer: string | undefined
  /** Milliseconds since the epoch; decides about nothing but offers. */
  readonly now: number
}

/**
 * What a person may set aside: what nobody here can see, and a promise to another taker. Whoever is known to live can be ended first,
 * and against the kernel's lock there is no force.
 */
const forcible: ReadonlySet<Obstacle> = new Set<Obstacle>([
  "owner-other-space",
  "owner-other-host",
  "owner-unobservable",
  "evidence-missing",
  "evidence-unreadable",
  "offered-elsewhere",
])

/** No offer keeps a lease for longer, whatever it says: a clock that was set back must not lock a session for a year. */
export const MAX_OFFER_MILLIS = 600_000

const take = (ground: Ground): Decision => ({ may: true, ground })
const refuse = (obstacle: Obstacle): Decision => ({ may: false, obstacle, forcible: forcible.has(obstacle) })

/** What follows from what was seen of an owner that holds nothing we could ask the kernel about. */
const byObservation: Readonly<Record<Observation, Decision>> = {
  absent: take("owner-absent"),
  reused: take("owner-reused"),
  zombie: take("owner-zombie"),
  rebooted: take("owner-rebooted"),
  "ended-here": take("owner-ended-here"),
  "held-here": refuse("owner-here"),
  running: refuse("owner-running"),
  stopped: refuse("owner-stopped"),
  "other-space": refuse("owner-other-space"),
  "other-host": refuse("owner-other-host"),
  unobservable: refuse("owner-unobservable"),
}

/** Whether an offer keeps others away at a moment. */
export const isStanding = (owner: Owner, now: number): boolean => {
  const left = Date.parse(owner.offer?.until ?? "") - now
  return left > 0 && left <= MAX_OFFER_MILLIS
}

/** Whether the lease may be taken, and why. */
export const decide = (asked: Case): Decision => {
  const { lock, evidence, offer } = asked
  if (lock === "busy") return refuse("locked")
  switch (evidence._tag) {
    case "Owner":
      return decideOwner(asked, evidence.owner)
    case "None":
      return offer === undefined ? take("unclaimed") : refuse("not-offered")
    default:
      if (offer !== undefined) return refuse("not-offered")
      // Whoever asks for a lock makes its file: under the lock it is no sign of anybody else.
      if (evidence._tag === "Missing") return lock === "ours" ? take("unclaimed") : refuse("evidence-missing")
      return lock === "ours" ? take("lock-alone") : refuse("evidence-unreadable")
  }
}

const decideOwner = (asked: Case, owner: Owner): Decision => {
  const free = freeOf(asked, owner)
  if (!free.may) return free
  if (asked.offer !== undefined) return asked.offer === owner.offer?.attempt ? take("offered") : refuse("not-offered")
  return isStanding(owner, asked.now) ? refuse("offered-elsewhere") : free
}

/** Whether the owner's lease has ended. */
const freeOf = ({ lock, lockFile, observation }: Case, owner: Owner): Decision => {
  if (owner.released !== undefined) return take("released")
  if (lock === "ours" && (owner.lock === undefined || owner.lock === lockFile)) return take("lock-freed")
  return byObservation[observation ?? "unobservable"]
}
