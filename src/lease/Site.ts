import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Guard } from "../model/Guard.ts"
import type { Evidence } from "./Evidence.ts"
import type { KernelLock } from "./KernelLock.ts"
import type { LockRefusal } from "./Locks.ts"
import type { Observation } from "./Observation.ts"
import type { Identity, Owner } from "./Owner.ts"

/**
 * Where leases lie, as one process sees it: the locks, the evidence and the owners. The port between what is done to get a lease
 * (Taking) and files, memory, or a simulation.
 *
 * Each operation is one step: nobody sees half of it. A session is named by its path.
 */
export interface Site {
  /** This process. */
  readonly self: Identity
  /** The attempts that hold a lease in this isolate. */
  readonly held: Set<string>
  /** Carries out one step. Between two steps others may do anything. */
  readonly step: <A>(run: () => A) => Effect.Effect<A>
  /** Lets others go on for a moment. */
  readonly pause: Effect.Effect<void>
  /** Whether locks exclude each other where the session lies. May make a file and remove it. */
  readonly doLocksWork: (path: string) => Result.Result<boolean, LockRefusal>
  /** Takes the lock, or says at once why not. */
  readonly lock: (path: string, attempt: string) => Result.Result<KernelLock, LockRefusal>
  /** Whether the lock could be taken now; undefined where locks are known not to work. Changes nothing. */
  readonly isLockFree: (path: string) => Result.Result<boolean | undefined, LockRefusal>
  /** The inode of the lock file as it has its name now. */
  readonly lockFile: (path: string) => string | undefined
  /** The evidence that counts: that with the highest number. */
  readonly evidence: (path: string) => Numbered
  /** Gives the number its evidence if nobody else has. Undefined when it is done, else the system's code: `EEXIST` when somebody has. */
  readonly claim: (path: string, number: number, owner: Owner) => string | undefined
  /** Writes the evidence of a number anew if it is still there (`ENOENT`) and of the same attempt (`ESTALE`). Undefined when it is done. */
  readonly replace: (path: string, number: number, owner: Owner) => string | undefined
  /**
   * What stands for as long as a lease with this number is its holder's, for those who write to see before they write: the lock file, or
   * where there are no locks the evidence and the number behind it. Without it the lease is looked at by `verify` alone.
   */
  readonly guard?: (path: string, number: number, lockFile: string | undefined) => Guard
  /** Looks for the owner's process. */
  readonly observe: (owner: Owner) => Observation
}

/**
 * Evidence and its number. Nobody writes over another one's evidence: whoever takes a lease claims the number behind the highest, which
 * only one can, lock or no lock. The highest is never removed, so a taker that was slow finds a higher one than its own and gives way.
 */
export interface Numbered {
  /** 0 when there is none. */
  readonly number: number
  readonly evidence: Evidence
}
