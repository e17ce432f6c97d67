/**
 * The right to write to a session: at most one writer, among all processes of the machine and within one (law LSE-1).
 *
 * What it guarantees: while a lease is held nobody else gets one for the same session; it ends with its scope, with `release`, or
 * with the process, however that ends. The exclusion is the kernel's (see KernelLock); beside it lies the evidence of who holds it (see
 * Owner). On a file system without locks the evidence decides: a lease is taken only from an owner that is proven gone (see Decision).
 * The lock file and the last evidence are never removed.
 *
 * How it fails: {@link LeaseError}, at once; only for a lock whose holder has not yet said who it is it waits, at most a twentieth of a
 * second. Reading needs no lease.
 */
import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { DiskFault } from "../disk/Disk.ts"
import { nodeDisk } from "../disk/NodeDisk.ts"
import { type Distrust, distrust } from "../disk/Trust.ts"
import { type FileSiteOptions, fileSites } from "./FileSite.ts"
import { LeaseError } from "./LeaseError.ts"
import type { Locks } from "./Locks.ts"
import { memorySite } from "./MemorySite.ts"
import type { Site } from "./Site.ts"
import { sqliteLocks } from "./SqliteLocks.ts"
import { type AcquireOptions, type Inspection, inspectLease, type LeaseHeld, type Means, takeLease } from "./Taking.ts"
import { effectiveUser } from "./ThisProcess.ts"

export class Lease extends Context.Service<
  Lease,
  {
    /** Takes the lease of a session file, whose directory must exist, until the scope closes. */
    readonly acquire: (path: string, options?: AcquireOptions) => Effect.Effect<LeaseHeld, LeaseError, Scope.Scope>
    /** Says who holds the lease and whether it could be taken, without taking it and without changing a byte. */
    readonly inspect: (path: string) => Effect.Effect<Inspection, LeaseError>
    /** The lease of a session that was taken here and not given back, whoever took it: to offer it, to verify it, to guard a writer. */
    readonly held: (path: string) => LeaseHeld | undefined
  }
>()("annals/lease/Lease") {
  /** Leases among all processes, by files beside the session. Without locks of its own it loads `node:sqlite` with the first lease. */
  static readonly layerFile = (options: FileSiteOptions): Layer.Layer<Lease> =>
    Layer.sync(Lease, () => {
      const siteBy = fileSites(options)
      const own = ownLocks()
      const siteFor = (path: string): Effect.Effect<Site, LeaseError> =>
        Effect.map(options.locks === undefined ? own(path) : Effect.succeed(options.locks), siteBy)
      const found = leases(siteFor, { fresh: randomUUID, clean: options.clean })
      if (options.unsafePlaces === true) return found
      const user = options.user ?? effectiveUser()
      return {
        ...found,
        acquire: (path, wish) => Effect.andThen(trusted(path, user), found.acquire(path, wish)),
        inspect: (path) =>
          Effect.zipWith(found.inspect(path), distrustOf(path, user), (inspection, distrust) => ({ ...inspection, distrust })),
      }
    })

  /** Leases within one process and one layer: for stores in memory. */
  static readonly layerMemory: Layer.Layer<Lease> = Layer.sync(Lease, () => {
    const site = memorySite()
    return leases(() => Effect.succeed(site), { fresh: randomUUID, clean: (text) => text })
  })

  /** Leases at any site. */
  static readonly layerOf = (site: Site, means: Means): Layer.Layer<Lease> =>
    Layer.sync(Lease, () => leases(() => Effect.succeed(site), means))
}

/** Why a file's place is none to write to. */
const distrustOf = (path: string, user: number): Effect.Effect<Distrust | undefined, LeaseError> =>
  Effect.try({
    try: () => distrust(nodeDisk, path, user),
    catch: (cause) => {
      if (!(cause instanceof DiskFault)) throw cause
      return new LeaseError({ reason: { _tag: "Unavailable", code: "lease.unavailable", path, system: cause.code } })
    },
  })

/** Refuses a file whose place others could take. */
const trusted = (path: string, user: number): Effect.Effect<void, LeaseError> =>
  Effect.flatMap(distrustOf(path, user), (found) =>
    found === undefined
      ? Effect.void
      : Effect.fail(new LeaseError({ reason: { _tag: "Unsafe", code: "lease.unsafe", path, distrust: found } })),
  )

/** The locks of SQLite, loaded with the first lease and the same for all: they share connections. */
const ownLocks = (): ((path: string) => Effect.Effect<Locks, LeaseError>) => {
  let found: Locks | undefined
  return (path) =>
    Effect.suspend(() => {
      if (found !== undefined) return Effect.succeed(found)
      return Effect.tryPromise({
        try: () => import("node:sqlite"),
        catch: (cause) =>
          new LeaseError({ reason: { _tag: "Unavailable", code: "lease.unavailable", path, system: String(cause) } }),
      }).pipe(
        Effect.map((sqlite) => {
          // Another one may have been faster while it was loaded.
          found ??= sqliteLocks(sqlite)
          return found
        }),
      )
    })
}

const leases = (
  siteFor: (path: string) => Effect.Effect<Site, LeaseError>,
  means: Means,
): Context.Service.Shape<typeof Lease> => {
  const held = new Map<string, LeaseHeld>()
  return {
    acquire: (path, options = {}) =>
      Effect.acquireRelease(
        Effect.map(
          Effect.flatMap(siteFor(path), (site) => takeLease(site, path, options, means)),
          (taken) => {
            held.set(path, taken)
            return taken
          },
        ),
        (taken) =>
          Effect.andThen(
            taken.release,
            Effect.sync(() => {
              if (held.get(path) === taken) held.delete(path)
            }),
          ),
      ),
    inspect: (path) => Effect.flatMap(siteFor(path), (site) => inspectLease(site, path)),
    held: (path) => held.get(path),
  }
}
