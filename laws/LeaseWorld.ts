/** What law LSE-1 needs of a world: processes that start, end and stop, each with the service of leases. */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Lease } from "../src/lease/Lease.ts"

export type LeaseService = Context.Service.Shape<typeof Lease>

/** What a process is, where a world has such things. */
export interface ProcessKind {
  readonly host: number
  /** A space of process numbers on that host. */
  readonly space: number
  readonly pid: number
  /** Tells it from others of the same number. */
  readonly born: number
  /** Whether the system shows it its own entry. */
  readonly seesItself: boolean
  /** Whether the system hides its entry from others. */
  readonly isHidden: boolean
}

/** One copy of the library in a process. At most one operation of it is under way. */
export interface LeaseProcess {
  readonly lease: LeaseService
  /** Starts an operation. `done` is called when it has come to its end, also at once. */
  readonly begin: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>, done: (result: Result.Result<A, E>) => void) => void
  /** Lets the operation under way go one step further; false when there is none, or nothing can stop it between two steps. */
  readonly go: () => boolean
  /** Waits for the end of the operation under way, unless the process was stopped or has ended. */
  readonly finish: () => Promise<void>
  readonly state: "running" | "stopped" | "ended"
  /** Another copy of the library in the same process. */
  readonly isolate?: (() => LeaseProcess) | undefined
  /** Ends the process between two steps; as a zombie it is still listed. */
  readonly kill?: ((as: "zombie" | "gone") => void) | undefined
  readonly collect?: (() => void) | undefined
  readonly stop?: (() => void) | undefined
  readonly resume?: (() => void) | undefined
  /** Whether this process can know of the end of another one. */
  readonly sees?: ((other: LeaseProcess) => boolean) | undefined
}

export interface LeaseWorld {
  /** The session whose lease it is about. */
  readonly path: string
  /** Whether locks work for every process. */
  readonly locksAlways: boolean
  /** Starts a process; undefined when there can be none of that kind. */
  readonly start: (kind: ProcessKind) => LeaseProcess | undefined
  /** The clock of the world in milliseconds. */
  readonly now: number
  readonly pass?: ((millis: number) => void) | undefined
  /** Does what a stranger may do to the files; false when it is not done here. */
  readonly tamper?: ((how: "lock-removed" | "evidence-torn") => boolean) | undefined
  /** All that lies there, as text: looking must not change it. */
  readonly state?: (() => string) | undefined
}
