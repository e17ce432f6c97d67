/**
 * A simulated world of leases for law LSE-1: hosts, spaces, processes, a lock table and evidence in memory, around the code that takes
 * leases. Each step of a process waits until it is told to go on, so that others can come between any two, and it can end at any.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { Evidence } from "../src/lease/Evidence.ts"
import { Lease } from "../src/lease/Lease.ts"
import { observe, type ProcessTable } from "../src/lease/Observation.ts"
import type { Identity, Owner } from "../src/lease/Owner.ts"
import type { Site } from "../src/lease/Site.ts"
import type { LeaseProcess, LeaseWorld, ProcessKind } from "./LeaseWorld.ts"

const PATH = "/sessions/s.jsonl"

/** No operation takes more steps. */
const MAX_STEPS = 500

/** Where locks work: everywhere, nowhere, or on the first host alone. */
export type Locks = "all" | "none" | "first"

export interface Body {
  readonly identity: Identity
  readonly kind: ProcessKind
  state: "running" | "stopped" | "zombie" | "gone"
  readonly isolates: Array<Isolate>
}

/** The first space has the number that the kernel gives it. */
const spaceOf = ({ space }: ProcessKind): string => `pid:[${4026531836 + space}]`

const statOf = (body: Body): string => {
  const state = { running: "S", stopped: "T", zombie: "Z", gone: "X" }[body.state]
  return `${body.identity.pid} (a) Z 1 () ${state} ${"0 ".repeat(18)}${body.identity.startTicks ?? body.kind.born} 0 0`
}

export class SimulatedLeases implements LeaseWorld {
  readonly path = PATH
  now = 1_700_000_000_000
  readonly locks: Locks
  #lockFile: string | undefined
  #files = 0
  #names = 0
  readonly #lockedBy = new Map<string, Body>()
  readonly #evidence = new Map<number, Evidence>()
  readonly #bodies: Array<Body> = []

  constructor(locks: Locks) {
    this.locks = locks
  }

  readonly fresh = (): string => `attempt-${++this.#names}`

  start(kind: ProcessKind): LeaseProcess | undefined {
    if (this.occupant(kind) !== undefined) return undefined
    const host = `host-${kind.host}`
    const identity: Identity = {
      pid: kind.pid,
      startTicks: kind.seesItself ? `${kind.born}` : null,
      bootId: `boot-${kind.host}`,
      pidNs: spaceOf(kind),
      timeNs: "time:[1]",
      machine: `machine-${kind.host}`,
      ...{ host, isolate: this.fresh() },
    }
    const body: Body = { identity, kind, state: "running", isolates: [] }
    this.#bodies.push(body)
    return new Isolate(this, body, identity)
  }

  /** The process that has a number in a space, living or not yet collected. */
  occupant({ host, space, pid }: ProcessKind): Body | undefined {
    return this.#bodies.find(
      ({ kind, state }) => kind.host === host && kind.space === space && kind.pid === pid && state !== "gone",
    )
  }

  get locksAlways(): boolean {
    return this.locks === "all"
  }

  /** Everything that lies there, as text. */
  state(): string {
    return JSON.stringify([this.#lockFile, [...this.#lockedBy.keys()], [...this.#evidence]])
  }

  pass(millis: number): void {
    this.now += millis
  }

  /** Where locks work for some and not for others, evidence is all that keeps the two apart: torn there, it protects nobody. */
  tamper(how: "lock-removed" | "evidence-torn"): boolean {
    if (how === "evidence-torn" && this.locks === "first") return false
    if (how === "lock-removed") this.#lockFile = undefined
    else {
      const top = Math.max(0, ...this.#evidence.keys())
      if (top > 0) this.#evidence.set(top, { _tag: "Unreadable", how: "torn" })
    }
    return true
  }

  end(body: Body, as: "zombie" | "gone"): void {
    body.state = as
    for (const [file, holder] of this.#lockedBy) if (holder === body) this.#lockedBy.delete(file)
  }

  doLocksWorkFor({ host }: ProcessKind): boolean {
    return this.locks === "all" || (this.locks === "first" && host === 0)
  }

  /** The processes that one of them may see: those of its own space, unless they are hidden. */
  #tableOf(own: ProcessKind): ProcessTable {
    return {
      probe: (pid) => (this.occupant({ ...own, pid }) === undefined ? "absent" : "exists"),
      stat: (pid) => {
        const found = this.occupant({ ...own, pid })
        return found === undefined || found.kind.isHidden ? undefined : statOf(found)
      },
    }
  }

  siteOf(isolate: Isolate, body: Body, identity: Identity): Site {
    const held = new Set<string>()
    const table = this.#tableOf(body.kind)
    const top = () => Math.max(0, ...this.#evidence.keys())
    return {
      self: identity,
      held,
      step: (run) => isolate.step(run),
      pause: isolate.step(() => undefined),
      doLocksWork: () => Result.succeed(this.doLocksWorkFor(body.kind)),
      lock: () => this.#lock(body),
      isLockFree: () => Result.succeed(this.doLocksWorkFor(body.kind) ? !this.#lockedBy.has(this.#lockFile ?? "") : undefined),
      lockFile: () => this.#lockFile,
      evidence: () => {
        const number = top()
        const missing: Evidence = { _tag: this.#lockFile === undefined ? "None" : "Missing" }
        return { number, evidence: this.#evidence.get(number) ?? missing }
      },
      claim: (_, number, owner) => {
        if (this.#evidence.has(number)) return "EEXIST"
        this.#evidence.set(number, { _tag: "Owner", owner })
        const kept = owner.lock === null ? number - 1 : number
        for (const lower of this.#evidence.keys()) if (lower < kept) this.#evidence.delete(lower)
        return undefined
      },
      replace: (_, number, owner) => this.#replace(number, owner),
      observe: (owner) => observe(owner, identity, table, (attempt) => held.has(attempt)),
    }
  }

  #lock(body: Body): ReturnType<Site["lock"]> {
    this.#lockFile ??= `file-${++this.#files}`
    const file = this.#lockFile
    if (this.#lockedBy.has(file)) return Result.fail({ _tag: "Busy" })
    this.#lockedBy.set(file, body)
    return Result.succeed({ file, release: () => void this.#lockedBy.delete(file) })
  }

  #replace(number: number, owner: Owner): string | undefined {
    const before = this.#evidence.get(number)
    if (before === undefined) return "ENOENT"
    if (before._tag !== "Owner" || before.owner.attempt !== owner.attempt) return "ESTALE"
    this.#evidence.set(number, { _tag: "Owner", owner })
    return undefined
  }
}

/** One copy of the library in one process. */
class Isolate implements LeaseProcess {
  readonly lease: Context.Service.Shape<typeof Lease>
  readonly kind: ProcessKind
  readonly #world: SimulatedLeases
  readonly #body: Body
  #waiting: (() => void) | undefined
  readonly #clock: Clock.Clock

  constructor(world: SimulatedLeases, body: Body, identity: Identity) {
    this.kind = body.kind
    this.#world = world
    this.#body = body
    body.isolates.push(this)
    const nanos = () => BigInt(world.now) * 1_000_000n
    this.#clock = {
      currentTimeMillisUnsafe: () => world.now,
      currentTimeMillis: Effect.sync(() => world.now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: () => Effect.void,
    }
    const layer = Lease.layerOf(world.siteOf(this, body, identity), { fresh: world.fresh, clean: (text) => text })
    this.lease = Effect.runSync(Effect.scoped(Effect.map(Layer.build(layer), (built) => Context.get(built, Lease))))
  }

  step<A>(run: () => A): Effect.Effect<A> {
    return Effect.callback<A>((resume) => {
      this.#waiting = () => resume(Effect.sync(run))
    })
  }

  begin<A, E>(effect: Effect.Effect<A, E, Scope.Scope>, done: (result: Result.Result<A, E>) => void): void {
    const scope = Scope.makeUnsafe()
    const running = effect.pipe(Scope.provide(scope), Effect.result, Effect.provideService(Clock.Clock, this.#clock))
    Effect.runFork(running).addObserver((exit) => {
      if (Exit.isSuccess(exit)) done(exit.value)
      else throw new Error(`A step died: ${String(exit.cause)}`)
    })
  }

  finish(): Promise<void> {
    for (let steps = 0; this.go(); steps++) if (steps > MAX_STEPS) throw new Error("An operation does not come to its end")
    return Promise.resolve()
  }

  go(): boolean {
    if (this.#waiting === undefined || this.#body.state !== "running") return false
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting()
    return true
  }

  isolate(): LeaseProcess {
    return new Isolate(this.#world, this.#body, { ...this.#body.identity, isolate: this.#world.fresh() })
  }

  kill(as: "zombie" | "gone"): void {
    this.#world.end(this.#body, as)
  }

  collect(): void {
    if (this.#body.state === "zombie") this.#body.state = "gone"
  }

  stop(): void {
    if (this.#body.state === "running") this.#body.state = "stopped"
  }

  resume(): void {
    if (this.#body.state === "stopped") this.#body.state = "running"
  }

  get state(): "running" | "stopped" | "ended" {
    return this.#body.state === "running" || this.#body.state === "stopped" ? this.#body.state : "ended"
  }

  /** Whether this process would know of another one's end. */
  sees(other: LeaseProcess): boolean {
    if (!(other instanceof Isolate)) return false
    const [own, its] = [this.kind, other.kind]
    const isHidden = this.#world.occupant(its)?.kind.isHidden ?? false
    return own.seesItself && its.seesItself && !isHidden && own.host === its.host && own.space === its.space
  }
}
