/** Opening a ledger session's file for writing: going on with it as it is, or resuming it. */
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { ReadError } from "../journal/Reader.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { LedgerCommand } from "../ledger/Command.ts"
import { ledgerModel } from "../ledger/LedgerModel.ts"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import { resumeReport } from "../ledger/Resume.ts"
import type { LedgerState } from "../ledger/State.ts"
import { type JsonObject, ownString } from "../model/Json.ts"
import type { CleanLine } from "../redaction/CleanLine.ts"
import { Rejected } from "./DispatchError.ts"
import { type LoadedLedger, loadLedger } from "./LedgerLoad.ts"
import {
  atLineBoundary,
  keepPrivate,
  type LedgerOpenOptions,
  nameOf,
  type OpenLedger,
  openAs,
  ownRecords,
  refuseLinks,
} from "./LedgerRoom.ts"
import type { PrepareError } from "./OpenError.ts"
import { FormatError } from "./OpenError.ts"
import { isUnchanged, type Room } from "./Room.ts"

export type { LedgerOpenOptions } from "./LedgerRoom.ts"

export type LedgerOpenError = ReadError | FormatError | LeaseError | PrepareError

/** What changes when a session is resumed; what is left out stays as it was. */
export type ResumeOptions = Omit<LedgerCommand & { readonly do: "resume" }, "do">

/** Reads a session of which there is something to go on with. Changes no byte. */
export const loadBegun = (room: Room, path: string): Effect.Effect<LoadedLedger, ReadError | FormatError> =>
  Effect.flatMap(loadLedger(room.disk, path), (found) => {
    if (found.records > 0) return Effect.succeed(found)
    const reason =
      found.bytes === 0
        ? ({ _tag: "Empty", code: "format.empty", path } as const)
        : ({ _tag: "NotASession", code: "format.not_a_session", path } as const)
    return Effect.fail(new FormatError({ reason }))
  })

/** Reads a session and takes its lease. What somebody has done to the file until then is read too. Changes no byte. */
const underLease = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  options: LedgerOpenOptions,
): Effect.fn.Return<LoadedLedger, LedgerOpenError, Scope.Scope> {
  yield* refuseLinks(room, dirname(path), options)
  const found = yield* loadBegun(room, path)
  yield* room.lease.acquire(path, { offer: options.offer })
  return (yield* isUnchanged(room, path, found.summary.identity)) ? found : yield* loadBegun(room, path)
})

const preparing = (room: Room, loaded: LoadedLedger, lines: ReadonlyArray<CleanLine>, { isStored }: LedgerOpenOptions) => {
  const opened = atLineBoundary(room, loaded, lines)
  return isStored === true ? Effect.andThen(keepPrivate(room, loaded.path), opened) : opened
}

/** Opens a session to go on with it as it is. Takes the lease; changes no byte before the first command. */
export const openLedger = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  options: LedgerOpenOptions,
): Effect.fn.Return<OpenLedger, LedgerOpenError, Scope.Scope> {
  const loaded = yield* underLease(room, path, options)
  return yield* openAs(room, { path, state: loaded.state, loaded, prepare: preparing(room, loaded, [], options) })
})

/** The state with the root as the host says it, when the file has the same without what redaction took out of it. */
const knowingRoot = (room: Room, state: LedgerState, root: string | undefined): LedgerState => {
  const { start } = state
  if (root === undefined || start === undefined || start.root === root) return state
  const { value } = room.redactor.redactValue({ root })
  return ownString(value as JsonObject, "root") === start.root ? { ...state, start: { ...start, root } } : state
}

/**
 * Resumes a session: its conversation is repaired so that a provider takes it, what was under way is settled, and open calls are closed.
 * All of it is in the state at once, and in the file in front of the first record. Fails for another root than the session's. A file
 * without a start record goes by its name.
 */
export const resumeLedger = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  resume: ResumeOptions,
  options: LedgerOpenOptions,
): Effect.fn.Return<OpenLedger, LedgerOpenError | Rejected<LedgerRejection>, Scope.Scope> {
  const loaded = yield* underLease(room, path, options)
  const state = knowingRoot(room, loaded.state, resume.root)
  const named = state.start === undefined ? { sessionId: nameOf(path) } : {}
  const decided = ledgerModel.decide(state, { do: "resume", ...named, ...resume }, yield* room.stamp)
  if (Result.isFailure(decided)) return yield* new Rejected({ rejection: decided.failure })
  const { records, lines } = ownRecords(room, decided.success)
  return yield* openAs(room, {
    path,
    loaded,
    state: records.reduce(ledgerModel.evolve, state),
    repairs: resumeReport(state, records),
    prepare: preparing(room, loaded, lines, options),
  })
})
