/**
 * What `append` answers to one command: a line of JSON.
 *
 *     {"n":1,"ids":["…"],"level":"synced"}      {"n":2,"error":{"code","message","remedy"}}
 *     {"n":1,"ids":[],"level":"synced","records":["user"]}
 *
 * `n` counts the lines of the input from 1. `ids` are the entries that the command has written; a change of the header has none, and so
 * has a ledger, where `records` are the types of the records that the command has written.
 */
import { type JsonObject, ownString } from "../model/Json.ts"
import type { ReceiptLevel } from "../session/Receipt.ts"
import { isEntry } from "../tree/Entry.ts"
import { CURRENT_VERSION } from "../tree/Header.ts"
import { reportOf } from "./Report.ts"

/** The ids of the entries among records. */
export const idsOf = (records: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  records.filter((record) => isEntry(record, CURRENT_VERSION)).flatMap((record) => ownString(record, "id") ?? [])

/** What is answered of the records of a tree. */
export const writtenInTree = (records: ReadonlyArray<JsonObject>): JsonObject => ({ ids: idsOf(records) })

/** What is answered of the records of a ledger. */
export const writtenInLedger = (records: ReadonlyArray<JsonObject>): JsonObject => ({
  ids: [],
  records: records.map((record) => ownString(record, "type") ?? ""),
})

/** The answer to a command whose records have reached the level. */
export const reachedLine = (n: number, { ids = [], ...written }: JsonObject, level: ReceiptLevel): string =>
  `${JSON.stringify({ n, ids, level, ...written })}\n`

/** The answer to a command that was not carried out, or of which nobody knows. */
export const errorLine = (n: number, error: unknown): string => {
  const { code, message, remedy } = reportOf(error)
  return `${JSON.stringify({ n, error: { code, message, remedy } })}\n`
}
