/** Opening a ledger session's file for writing: going on with it as it is, or resuming it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { ReadError } from "../journal/Reader.ts"
import type { LeaseError } from "../lease/LeaseError.ts"
import type { LedgerCommand } from "../ledger/Command.ts"
import { ledgerModel } from "../ledger/LedgerModel.ts"
import type { LedgerRecord } from "../ledger/Record.ts"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import { resumeReport } from "../ledger/Resume.ts"
import { Rejected } from "./DispatchError.ts"
import { type LoadedLedger, loadLedger } from "./LedgerLoad.ts"
import { atLineBoundary, keepPrivate, markedLines, type OpenLedger, openAs } from "./LedgerRoom.ts"
import type { PrepareError } from "./OpenError.ts"
import { FormatError } from "./OpenError.ts"
import { isUnchanged, type Room } from "./Room.ts"

export type LedgerOpenError = ReadError | FormatError | LeaseError | PrepareError

/** What changes when a session is resumed; what is left out stays as it was. */
export type ResumeOptions = Omit<LedgerCommand & { readonly do: "resume" }, "do">

export interface LedgerOpenOptions {
  /** Whether the file lies in a store, where nobody but its owner may read it. */
  readonly isStored?: boolean | undefined
}

/** Reads a session that there is something to go on with, and takes its lease. Changes no byte. */
const underLease = Effect.fnUntraced(function* (
  room: Room,
  path: string,
): Effect.fn.Return<LoadedLedger, LedgerOpenError, Scope.Scope> {
  const found = yield* loadLedger(room.disk, path)
  if (found.records === 0) {
    const reason =
      found.bytes === 0
        ? ({ _tag: "Empty", code: "format.empty", path } as const)
        : ({ _tag: "NotASession", code: "format.not_a_session", path } as const)
    return yield* new FormatError({ reason })
  }
  yield* room.lease.acquire(path)
  return (yield* isUnchanged(room, path, found.summary.identity)) ? found : yield* loadLedger(room.disk, path)
})

const preparing = (room: Room, loaded: LoadedLedger, records: ReadonlyArray<LedgerRecord>, { isStored }: LedgerOpenOptions) => {
  const opened = atLineBoundary(room, loaded, markedLines(room, records))
  return isStored === true ? Effect.andThen(keepPrivate(room, loaded.path), opened) : opened
}

/** Opens a session to go on with it as it is. Takes the lease; changes no byte before the first command. */
export const openLedger = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  options: LedgerOpenOptions,
): Effect.fn.Return<OpenLedger, LedgerOpenError, Scope.Scope> {
  const loaded = yield* underLease(room, path)
  return yield* openAs(room, { path, state: loaded.state, loaded, prepare: preparing(room, loaded, [], options) })
})

/**
 * Resumes a session: its conversation is repaired so that a provider takes it, what was under way is settled, and open calls are closed.
 * All of it is in the state at once, and in the file in front of the first record. Fails for another root than the session's.
 */
export const resumeLedger = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  resume: ResumeOptions,
  options: LedgerOpenOptions,
): Effect.fn.Return<OpenLedger, LedgerOpenError | Rejected<LedgerRejection>, Scope.Scope> {
  const loaded = yield* underLease(room, path)
  const decided = ledgerModel.decide(loaded.state, { do: "resume", ...resume }, yield* room.stamp)
  if (Result.isFailure(decided)) return yield* new Rejected({ rejection: decided.failure })
  const records = decided.success
  return yield* openAs(room, {
    path,
    loaded,
    state: records.reduce(ledgerModel.evolve, loaded.state),
    repairs: resumeReport(loaded.state, records),
    prepare: preparing(room, loaded, records, options),
  })
})
