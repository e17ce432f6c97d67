import * as Result from "effect/Result"
import type { Locking } from "../../src/lease/KernelLock.ts"

/** A file system that has no locks. */
export const noLocks: Locking = () => Result.fail({ _tag: "Unsupported", system: "ENOLCK" })
