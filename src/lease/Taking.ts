/**
 * How a lease is taken, given back, passed on and looked at, step by step over a Site (law LSE-1).
 *
 * Taking: the lock where there are locks; then the evidence, the owner that it names and the decision; then a claim of the next number,
 * which is ours only when it is the highest afterwards. Cut off anywhere, it leaves a lock that the kernel frees or a claim whose owner
 * can be seen to be gone.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Distrust } from "../disk/Trust.ts"
import type { Guard } from "../model/Guard.ts"
import { type Decision, decide, MAX_OFFER_MILLIS } from "./Decision.ts"
import { ownerOf } from "./Evidence.ts"
import type { KernelLock } from "./KernelLock.ts"
import { type Holder, LeaseError, type Loss } from "./LeaseError.ts"
import { type Forced, isSameProcess, type Offer, type Owner } from "./Owner.ts"
import type { Numbered, Site } from "./Site.ts"

export interface LeaseHeld {
  readonly path: string
  /** Names this acquisition. */
  readonly attempt: string
  /** Gives the lease back before its scope ends. Again, it does nothing. */
  readonly release: Effect.Effect<void>
  /**
   * Fails with the reason `Lost` when the lease is not ours any more: the lock file was removed or replaced, or the lease was taken by force.
   * Cost: some system calls.
   */
  readonly verify: Effect.Effect<void, LeaseError>
  /** What a writer looks at before each batch; undefined for a lease that lies in no file. */
  readonly guard: Guard | undefined
  /**
   * Promises the lease to one other taker, who acquires it with the offer's attempt once it is released, or once this process has ended;
   * until the moment that the offer names nobody else gets it. A second offer takes the place of the first.
   */
  readonly offer: (options?: OfferOptions) => Effect.Effect<Offer, LeaseError>
}

export interface OfferOptions {
  /** How long it stands, at most ten minutes. One minute by default. */
  readonly millis?: number | undefined
}

export interface AcquireOptions {
  /** The attempt of an offer: takes the lease that its holder has promised. */
  readonly offer?: string | undefined
  /** Takes a lease whose owner nobody here can see, or that is kept for another taker. Never one that is known to be held. */
  readonly force?: Force | undefined
}

export interface Force {
  /** Why, in a person's words. Written into the evidence without secrets. */
  readonly reason: string
  /** Who says so. */
  readonly by?: string | undefined
}

/** Who holds a session, and whether its lease could be taken. */
export interface Inspection {
  readonly path: string
  readonly decision: Decision
  /** The last owner; undefined when the evidence does not say. */
  readonly owner: (Holder & { readonly released?: string | undefined }) | undefined
  /** Until when the lease is kept for a taker to whom it was offered. */
  readonly offeredUntil: string | undefined
  /** Why the place is none to write to, whoever holds the lease: other users could change it. Then the lease is refused (`lease.unsafe`). */
  readonly distrust: Distrust | undefined
}

/** What is chosen anew for each acquisition, and what is to be done to texts of people before they are written. */
export interface Means {
  /** A name that no other acquisition has. */
  readonly fresh: () => string
  readonly clean: (text: string) => string
}

/** How often a lock is asked for again whose holder does not say who it is, and a number that somebody else was faster to claim. */
const PATIENCE = 10

/** UTF-16 units of a reason and of a name of a person. */
const MAX_REASON_UNITS = 500

const DEFAULT_OFFER_MILLIS = 60_000

const unavailable = (path: string, system: string): LeaseError =>
  new LeaseError({ reason: { _tag: "Unavailable", code: "lease.unavailable", path, system } })

const lost = (path: string, how: Loss): LeaseError => new LeaseError({ reason: { _tag: "Lost", code: "lease.lost", path, how } })

const isoOf = (millis: number): string => new Date(millis).toISOString()

const now: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, isoOf)

const holderOf = (owner: Owner, site: Site): Holder => ({
  ...{ pid: owner.pid, since: owner.since, host: owner.host, self: isSameProcess(owner, site.self) },
  ...(owner.forced === undefined ? {} : { forced: owner.forced }),
})

interface Seen extends Numbered {
  readonly owner: Owner | undefined
  readonly decision: Decision
}

/** The evidence as it stands, what can be seen of its owner, and what follows. */
const look = Effect.fnUntraced(function* (
  site: Site,
  path: string,
  lock: "ours" | "busy" | "none",
  lockFile: string | undefined,
  offer: string | undefined,
) {
  const found = yield* site.step(() => site.evidence(path))
  const owner = ownerOf(found.evidence)
  const observation =
    owner === undefined || owner.released !== undefined ? undefined : yield* site.step(() => site.observe(owner))
  const at = yield* Clock.currentTimeMillis
  const decision = decide({ lock, lockFile, evidence: found.evidence, observation, offer, now: at })
  return { ...found, owner, observation, decision }
})

/** A refusal as the error that a host gets. */
const refusal = (site: Site, path: string, { owner, decision }: Seen): LeaseError => {
  if (decision.may) return unavailable(path, "EEXIST")
  const { obstacle, forcible } = decision
  if (obstacle === "not-offered") return new LeaseError({ reason: { _tag: "NotOffered", code: "lease.not_offered", path } })
  if (obstacle === "offered-elsewhere") {
    const until = owner?.offer?.until ?? ""
    return new LeaseError({ reason: { _tag: "Offered", code: "lease.offered", path, until } })
  }
  const holder = owner === undefined || owner.released !== undefined ? undefined : holderOf(owner, site)
  return new LeaseError({ reason: { _tag: "Held", code: "lease.held", path, owner: holder, obstacle, forcible } })
}

// ── Taking ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What was seen of an owner that cannot hold the lock that is held: then its holder is about to say who it is, or about to leave. */
const silent: ReadonlySet<string | undefined> = new Set([undefined, "absent", "reused", "zombie", "rebooted", "ended-here"])

/** The lock of the session; undefined where there are no locks. */
const lockOf = Effect.fnUntraced(function* (
  site: Site,
  path: string,
  attempt: string,
): Effect.fn.Return<KernelLock | undefined, LeaseError> {
  const works = yield* site.step(() => site.doLocksWork(path))
  if (Result.isFailure(works)) return yield* unavailable(path, systemOf(works.failure))
  if (!works.success) return undefined
  for (let tries = 1; ; tries++) {
    const taken = yield* site.step(() => site.lock(path, attempt))
    if (Result.isSuccess(taken)) return taken.success
    if (taken.failure._tag !== "Busy") return yield* unavailable(path, systemOf(taken.failure))
    const seen = yield* look(site, path, "busy", undefined, undefined)
    if (tries === PATIENCE || !silent.has(seen.observation)) return yield* refusal(site, path, seen)
    yield* site.pause
  }
})

const systemOf = (refused: { readonly _tag: string; readonly system?: string }): string => refused.system ?? "EBUSY"

/** Takes the lease of a session for a new acquisition. */
export const takeLease = Effect.fnUntraced(function* (
  site: Site,
  path: string,
  options: AcquireOptions,
  means: Means,
): Effect.fn.Return<LeaseHeld, LeaseError> {
  const attempt = options.offer ?? means.fresh()
  const lock = yield* lockOf(site, path, attempt)
  const giveBack = Effect.suspend(() => {
    site.held.delete(attempt)
    return lock === undefined ? Effect.void : site.step(lock.release)
  })
  const claimed = yield* Effect.onError(claim(site, path, attempt, lock, options, means), () => giveBack)
  return heldOf({ site, path, lock, means, giveBack, ...claimed })
})

interface Claimed {
  readonly number: number
  readonly owner: Owner
}

/** Puts evidence of ours behind that of the last owner, if the lease may be taken from it. */
const claim = Effect.fnUntraced(function* (
  site: Site,
  path: string,
  attempt: string,
  lock: KernelLock | undefined,
  options: AcquireOptions,
  means: Means,
): Effect.fn.Return<Claimed, LeaseError> {
  for (let tries = 1; ; tries++) {
    const seen = yield* look(site, path, lock === undefined ? "none" : "ours", lock?.file, options.offer)
    const { decision } = seen
    // A person has judged the owner that there was, and not one who was faster.
    const force = tries === 1 ? options.force : undefined
    if (!decision.may && !(force !== undefined && decision.forcible)) return yield* refusal(site, path, seen)
    const since = yield* now
    const forced = decision.may || force === undefined ? undefined : forcedOf(force, since, seen, decision.obstacle, means)
    const owner: Owner = {
      ...{ v: 1, attempt, ...site.self, since, lock: lock?.file ?? null },
      ...optionalForced(forced ?? seen.owner?.forced),
    }
    const number = seen.number + 1
    // Before the claim can be seen: whoever sees it in this isolate must know that it stands.
    site.held.add(attempt)
    const refused = yield* site.step(() => site.claim(path, number, owner))
    if (refused === undefined) {
      const after = yield* site.step(() => site.evidence(path))
      if (after.number === number && ownerOf(after.evidence)?.attempt === attempt) return { number, owner }
    } else if (refused !== "EEXIST") return yield* unavailable(path, refused)
    site.held.delete(attempt)
    if (tries === PATIENCE) return yield* unavailable(path, "EEXIST")
  }
})

const optionalForced = (forced: Forced | undefined): { readonly forced?: Forced } => (forced === undefined ? {} : { forced })

const shortened = (text: string, means: Means): string => means.clean(text).slice(0, MAX_REASON_UNITS)

const forcedOf = (force: Force, at: string, { owner }: Seen, why: string, means: Means): Forced => ({
  at,
  by: shortened(force.by ?? "", means),
  reason: shortened(force.reason, means),
  why,
  from: owner === undefined ? null : { attempt: owner.attempt, pid: owner.pid, host: owner.host, since: owner.since },
})

// ── Holding ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Holding extends Claimed {
  readonly site: Site
  readonly path: string
  readonly lock: KernelLock | undefined
  readonly means: Means
  readonly giveBack: Effect.Effect<void>
}

const heldOf = (holding: Holding): LeaseHeld => {
  const { site, path, number, means, giveBack } = holding
  let owner = holding.owner
  let done = false
  const release = Effect.suspend(() => {
    if (done) return Effect.void
    done = true
    return Effect.gen(function* () {
      const released = yield* now
      // What cannot be written any more is of no use to anybody, and evidence of somebody else is left alone.
      yield* site.step(() => site.replace(path, number, { ...owner, released }))
      yield* giveBack
    })
  })
  const verify = Effect.suspend(() => (done ? Effect.fail(lost(path, "released")) : verified(holding)))
  const offer = Effect.fnUntraced(function* ({ millis = DEFAULT_OFFER_MILLIS }: OfferOptions = {}) {
    yield* verify
    const until = isoOf((yield* Clock.currentTimeMillis) + Math.min(millis, MAX_OFFER_MILLIS))
    const offered: Owner = { ...owner, offer: { attempt: means.fresh(), until } }
    const refused = yield* site.step(() => site.replace(path, number, offered))
    if (refused !== undefined) return yield* unavailable(path, refused)
    owner = offered
    return offered.offer as Offer
  })
  return { path, attempt: owner.attempt, release, verify, guard: site.guard?.(path, number, holding.lock?.file), offer }
}

/** Whether the lease is ours still. Under a lock the evidence may be gone, for it is the lock that keeps others away. */
const verified = Effect.fnUntraced(function* ({ site, path, lock, owner }: Holding): Effect.fn.Return<void, LeaseError> {
  if (lock !== undefined && (yield* site.step(() => site.lockFile(path))) !== lock.file) return yield* lost(path, "lock-replaced")
  const { evidence } = yield* site.step(() => site.evidence(path))
  const found = ownerOf(evidence)
  if (found?.attempt === owner.attempt) return
  if (found !== undefined) return yield* lost(path, "taken")
  if (lock === undefined) return yield* lost(path, "evidence-gone")
})

// ── Looking ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Who holds the lease of a session, and whether it could be taken, without taking it. Changes nothing. */
export const inspectLease = Effect.fnUntraced(function* (site: Site, path: string): Effect.fn.Return<Inspection, LeaseError> {
  const asked = yield* site.step(() => site.isLockFree(path))
  if (Result.isFailure(asked)) return yield* unavailable(path, systemOf(asked.failure))
  const lock = asked.success === undefined ? "none" : asked.success ? "ours" : "busy"
  const lockFile = yield* site.step(() => site.lockFile(path))
  const { owner, decision } = yield* look(site, path, lock, lockFile, undefined)
  return {
    path,
    decision,
    owner:
      owner === undefined
        ? undefined
        : { ...holderOf(owner, site), ...(owner.released === undefined ? {} : { released: owner.released }) },
    offeredUntil: !decision.may && decision.obstacle === "offered-elsewhere" ? owner?.offer?.until : undefined,
    distrust: undefined,
  }
})
