/**
 * The ledger session as a model: the fold over records that is the whole of a ledger session's behaviour.
 *
 * Records are open JSON objects and the codec is the identity, so unknown types and members survive (law RPL-3).
 */
import type { SessionModel } from "../model/Model.ts"
import type { LedgerCommand } from "./Command.ts"
import { decide } from "./Decision.ts"
import { evolve } from "./Evolution.ts"
import type { LedgerRecord } from "./Record.ts"
import type { LedgerRejection } from "./Rejection.ts"
import { initial, type LedgerState } from "./State.ts"

export const ledgerModel: SessionModel<LedgerState, LedgerCommand, LedgerRecord, LedgerRejection> = {
  initial,
  decide,
  evolve,
  codec: { decode: (json) => json, encode: (record) => record },
}
