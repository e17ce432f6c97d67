/**
 * The right to write to a session: at most one writer, among all processes of the machine and within one.
 *
 * What it guarantees: while a lease is held nobody else gets one for the same session; it ends with its scope, with `release`, or
 * with the process, however that ends. The exclusion is the kernel's (see KernelLock); beside it lies the evidence of who holds it,
 * for people (see Owner). Neither file is ever removed.
 *
 * How it fails: {@link LeaseError}, at once and never by waiting. Reading needs no lease.
 */
import { randomUUID } from "node:crypto"
import { basename, dirname, join, resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { replaceFile } from "../disk/Atomic.ts"
import { DiskFault } from "../disk/Disk.ts"
import { nodeDisk } from "../disk/NodeDisk.ts"
import { lockPathOf, takeKernelLock } from "./KernelLock.ts"
import { type Holder, LeaseError } from "./LeaseError.ts"
import { decodeOwner, encodeOwner, type Identity, isSameProcess, type Owner } from "./Owner.ts"
import { thisProcess } from "./ThisProcess.ts"

export interface LeaseHeld {
  readonly path: string
  /** Names this acquisition. */
  readonly attempt: string
  /** Gives the lease back before its scope ends. Again, it does nothing. */
  readonly release: Effect.Effect<void>
}

export interface LeaseOptions {
  /** Takes secrets out of a text. The machine's name passes through it before it is written. */
  readonly clean: (text: string) => string
}

export class Lease extends Context.Service<
  Lease,
  {
    /** Takes the lease of a session file, whose directory must exist, until the scope closes. */
    readonly acquire: (path: string) => Effect.Effect<LeaseHeld, LeaseError, Scope.Scope>
  }
>()("annals/lease/Lease") {
  /** Leases among all processes, by files beside the session. Loads `node:sqlite` with the first lease. */
  static readonly layerFile = (options: LeaseOptions): Layer.Layer<Lease> =>
    Layer.sync(Lease, () => ({ acquire: (path) => scoped(takeFile(path, options)) }))

  /** Leases within one process and one layer: for stores in memory. */
  static readonly layerMemory: Layer.Layer<Lease> = Layer.sync(Lease, () => {
    const held = new Map<string, Owner>()
    return { acquire: (path) => scoped(takeMemory(path, held)) }
  })
}

const scoped = (take: Effect.Effect<LeaseHeld, LeaseError>): Effect.Effect<LeaseHeld, LeaseError, Scope.Scope> =>
  Effect.acquireRelease(take, (held) => held.release)

const now: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

const unavailable = (path: string, system: string): LeaseError =>
  new LeaseError({ reason: { _tag: "Unavailable", code: "lease.unavailable", path, system } })

const heldBy = (path: string, owner: Owner | undefined, self: Identity): LeaseError => {
  const holder: Holder | undefined =
    owner === undefined || owner.released !== undefined
      ? undefined
      : { pid: owner.pid, since: owner.since, host: owner.host, self: isSameProcess(owner, self) }
  return new LeaseError({ reason: { _tag: "Held", code: "lease.held", path, owner: holder } })
}

/** An effect that runs the first time and does nothing afterwards. */
const once = (effect: Effect.Effect<void>): Effect.Effect<void> => {
  let done = false
  return Effect.suspend(() => {
    if (done) return Effect.void
    done = true
    return effect
  })
}

// ── Files ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const evidencePathOf = (path: string): string => join(dirname(path), `.${basename(path)}.owner.json`)

/** Whoever may write evidence holds the lock, so one temporary name is enough, and what lies there is a dead one's. */
const temporaryName = (path: string): string => `.${basename(path)}.owner.tmp`

/** Evidence longer than this is not ours. */
const MAX_EVIDENCE_BYTES = 16_384

const takeFile = Effect.fnUntraced(function* (path: string, options: LeaseOptions): Effect.fn.Return<LeaseHeld, LeaseError> {
  const sqlite = yield* Effect.tryPromise({
    try: () => import("node:sqlite"),
    catch: (cause) => unavailable(path, String(cause)),
  })
  const since = yield* now
  const self = thisProcess(options.clean)
  const attempt = randomUUID()
  const taken = takeKernelLock(sqlite, lockPathOf(path), attempt)
  if (Result.isFailure(taken)) {
    const refusal = taken.failure
    return yield* refusal._tag === "Busy" ? heldBy(path, readEvidence(path), self) : unavailable(path, refusal.system)
  }
  const lock = taken.success
  const owner: Owner = { v: 1, attempt, ...self, since }
  const written = writeEvidence(path, owner)
  if (written !== undefined) {
    lock.release()
    return yield* unavailable(path, written)
  }
  const release = Effect.map(now, (released) => {
    // Evidence of somebody else is left alone. What cannot be written any more is of no use to anybody: the kernel tells the truth.
    if (readEvidence(path)?.attempt === attempt) writeEvidence(path, { ...owner, released })
    lock.release()
  })
  return { path, attempt, release: once(release) }
})

/** The evidence beside a session, or undefined when there is none that can be understood. */
const readEvidence = (path: string): Owner | undefined => {
  try {
    const handle = nodeDisk.open(evidencePathOf(path), "read")
    try {
      const into = new Uint8Array(MAX_EVIDENCE_BYTES + 1)
      const count = nodeDisk.read(handle, into, 0)
      return count > MAX_EVIDENCE_BYTES ? undefined : decodeOwner(new TextDecoder().decode(into.subarray(0, count)))
    } finally {
      nodeDisk.close(handle)
    }
  } catch (cause) {
    if (cause instanceof DiskFault) return undefined
    throw cause
  }
}

/** Writes evidence, whole or not at all. Returns the system's error code when it could not be written. */
const writeEvidence = (path: string, owner: Owner): string | undefined => {
  const temporary = temporaryName(path)
  try {
    nodeDisk.unlink(join(dirname(path), temporary))
  } catch (cause) {
    if (!(cause instanceof DiskFault)) throw cause
  }
  const bytes = new TextEncoder().encode(encodeOwner(owner))
  const done = replaceFile(nodeDisk, evidencePathOf(path), (append) => append(bytes), { temporaryName: temporary })
  if (Result.isSuccess(done)) return undefined
  const { reason } = done.failure
  return "fault" in reason ? reason.fault.code : reason.code
}

// ── Memory ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const takeMemory = Effect.fnUntraced(function* (path: string, held: Map<string, Owner>): Effect.fn.Return<LeaseHeld, LeaseError> {
  const key = resolve(path)
  const since = yield* now
  const self = thisProcess(() => "localhost")
  const owner = held.get(key)
  if (owner !== undefined) return yield* heldBy(path, owner, self)
  const attempt = randomUUID()
  held.set(key, { v: 1, attempt, ...self, since })
  return { path, attempt, release: once(Effect.sync(() => void held.delete(key))) }
})
