/** The ledger session: its model, its commands, what it has spent, and the tools around it. All of it pure. */
export {
  type Accounting,
  budgetNote,
  type Cost,
  costText,
  costUsd,
  isCostIncomplete,
  type Prices,
  pendingChildTokens,
  priceOf,
  reservedTokens,
  totalTokens,
  usedTokens,
} from "./ledger/Accounting.ts"
export { openCalls } from "./ledger/Calls.ts"
export { type Fields, type LedgerCommand, parseCommand } from "./ledger/Command.ts"
export * as CompactionPlan from "./ledger/CompactionPlan.ts"
export { inspect } from "./ledger/Evolution.ts"
export { type ExportOptions, exportMarkdown } from "./ledger/Export.ts"
export * as FileTracker from "./ledger/FileTracker.ts"
export { ledgerModel } from "./ledger/LedgerModel.ts"
export {
  classify,
  type KnownRecord,
  type LedgerRecord,
  type Message,
  type ModelResponse,
  type RecordOf,
  type RecordType,
  type RunLimits,
  type StartInfo,
  type SubagentReport,
  type ToolCallMeta,
  type Usage,
} from "./ledger/Record.ts"
export type { LedgerRejection } from "./ledger/Rejection.ts"
export { type Repair, type Repaired, repaired } from "./ledger/Repair.ts"
export { DEFAULT_LIMITS, type RunLoop, type RunOutcome, type RunWorld, referenceLoop, signature } from "./ledger/RunLoop.ts"
export { type ReplayOptions, type ReplayProblem, type RunReplay, replayRuns } from "./ledger/RunReplay.ts"
export { type LedgerState, messages, type RedoEntry, type Turned, type UndoPoint, type UndoState } from "./ledger/State.ts"
export { type LedgerSummary, type OpenCall, recordCounts, summarise } from "./ledger/Summary.ts"
export { cleanTitle } from "./ledger/Title.ts"
