/** The records of a session that another agent wrote. */
import { readFileSync } from "node:fs"
import type { LedgerRecord } from "../../src/ledger/Record.ts"

const folder = new URL("../fixtures/garuda/", import.meta.url)

/** The records of a file of the corpus. A line that is not whole is left out. */
export const corpus = (name: string): ReadonlyArray<LedgerRecord> =>
  readFileSync(new URL(name, folder), "utf8")
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as LedgerRecord)

export const SESSION = "20260923-201500-a1b2.jsonl"
