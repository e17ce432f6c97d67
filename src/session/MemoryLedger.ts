/** A ledger session in memory. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LedgerCommand } from "../ledger/Command.ts"
import { ledgerModel } from "../ledger/LedgerModel.ts"
import type { LedgerRecord } from "../ledger/Record.ts"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import type { LedgerState } from "../ledger/State.ts"
import type { Stamp } from "../model/Stamp.ts"
import { withMarks } from "../redaction/Provenance.ts"
import { Redaction } from "../redaction/Redaction.ts"
import type { Rejected } from "./DispatchError.ts"
import { type KnownFiles, makeKnownFiles } from "./KnownFiles.ts"
import { type MemorySession, startInMemory } from "./MemorySession.ts"

/** The journal begins with the start record. */
export interface MemoryLedger extends MemorySession<LedgerState, LedgerCommand, LedgerRecord, LedgerRejection> {
  readonly files: KnownFiles
}

export interface MemoryLedgerOptions {
  /** What its start record says. */
  readonly start: Omit<LedgerCommand & { readonly do: "start" }, "do">
  readonly stamp: Effect.Effect<Stamp>
}

/** Starts a session that lives as long as its scope. */
export const makeMemoryLedger = Effect.fnUntraced(function* ({
  start,
  stamp,
}: MemoryLedgerOptions): Effect.fn.Return<MemoryLedger, Rejected<LedgerRejection>, Scope.Scope | Redaction> {
  const options = { model: ledgerModel, redactor: yield* Redaction, stamp, mark: withMarks }
  const memory = yield* startInMemory<LedgerState, LedgerCommand, LedgerRecord, LedgerRejection>(options, {
    do: "start",
    ...start,
  })
  return { ...memory, files: makeKnownFiles(memory.session.state) }
})
