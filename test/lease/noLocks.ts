import * as Result from "effect/Result"
import type { Locks } from "../../src/lease/Locks.ts"

const unsupported = () => Result.fail({ _tag: "Unsupported", system: "ENOLCK" } as const)

/** A file system that has no locks. */
export const noLocks: Locks = { take: unsupported, isFree: unsupported }
