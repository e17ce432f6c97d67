/** Why a command may not be carried out. A value, with a stable code, a sentence for people and what to do about it. */
import type { CommandFlaw } from "../model/CommandTable.ts"

interface Said {
  readonly message: string
  readonly remedy: string
}

export type LedgerRejection =
  | (Said & { readonly _tag: "NotStarted"; readonly code: "ledger.not_started" })
  | (Said & { readonly _tag: "AlreadyStarted"; readonly code: "ledger.already_started" })
  | (Said & {
      readonly _tag: "RootMismatch"
      readonly code: "ledger.root_mismatch"
      readonly sessionRoot: string
      readonly root: string
    })
  | (Said & { readonly _tag: "UnknownCall"; readonly code: "ledger.unknown_call"; readonly toolUseId: string })
  | (Said & {
      readonly _tag: "InvalidCommand"
      readonly code: "ledger.invalid_command"
      readonly field: string
      readonly expected: string
    })

export const notStarted: LedgerRejection = {
  _tag: "NotStarted",
  code: "ledger.not_started",
  message: "The session has no start record yet.",
  remedy: "Start it first.",
}

export const alreadyStarted: LedgerRejection = {
  _tag: "AlreadyStarted",
  code: "ledger.already_started",
  message: "The session has its start record already.",
  remedy: "Resume it, or start another session.",
}

export const rootMismatch = (sessionId: string, sessionRoot: string, root: string): LedgerRejection => ({
  _tag: "RootMismatch",
  code: "ledger.root_mismatch",
  sessionRoot,
  root,
  message: `The session ${sessionId} belongs to ${sessionRoot}, not to ${root}.`,
  remedy: `Resume it in ${sessionRoot}, or start another session here.`,
})

export const unknownCall = (toolUseId: string): LedgerRejection => ({
  _tag: "UnknownCall",
  code: "ledger.unknown_call",
  toolUseId,
  message: `No call ${toolUseId} is waiting for a result.`,
  remedy: "Give one result for each call of the last answer, and none for others.",
})

/** A field of a command that is missing, of the wrong kind, or not known. */
export const invalidCommand = ({ field, expected }: CommandFlaw): LedgerRejection => ({
  _tag: "InvalidCommand",
  code: "ledger.invalid_command",
  field,
  expected,
  message: `${field}: ${expected}.`,
  remedy: `Correct the field ${field} and send the command again.`,
})
