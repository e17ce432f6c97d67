import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Owner } from "./Owner.ts"
import type { Site } from "./Site.ts"
import { thisProcess } from "./ThisProcess.ts"

/** Leases in memory, among those who share this site: for stores in memory. Its locks always work. */
export const memorySite = (): Site => {
  const locked = new Set<string>()
  const held = new Set<string>()
  const evidence = new Map<string, { readonly number: number; readonly owner: Owner }>()
  return {
    self: thisProcess(() => "localhost"),
    held,
    step: Effect.sync,
    pause: Effect.yieldNow,
    doLocksWork: () => Result.succeed(true),
    lock: (path) => {
      const key = resolve(path)
      if (locked.has(key)) return Result.fail({ _tag: "Busy" })
      locked.add(key)
      return Result.succeed({ file: key, release: () => void locked.delete(key) })
    },
    isLockFree: (path) => Result.succeed(!locked.has(resolve(path))),
    lockFile: resolve,
    evidence: (path) => {
      const found = evidence.get(resolve(path))
      if (found === undefined) return { number: 0, evidence: { _tag: "None" } }
      return { number: found.number, evidence: { _tag: "Owner", owner: found.owner } }
    },
    claim: (path, number, owner) => {
      const key = resolve(path)
      if (number <= (evidence.get(key)?.number ?? 0)) return "EEXIST"
      evidence.set(key, { number, owner })
      return undefined
    },
    replace: (path, number, owner) => {
      const key = resolve(path)
      if (evidence.get(key)?.owner.attempt !== owner.attempt) return "ESTALE"
      evidence.set(key, { number, owner })
      return undefined
    },
    observe: (owner) => (held.has(owner.attempt) ? "held-here" : "ended-here"),
  }
}
