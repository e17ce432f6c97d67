/** What a resume did, for people: every repair by its name (see Repair), those that are records of their own included. */
import { classify, type LedgerRecord } from "./Record.ts"
import { type Repair, repaired } from "./Repair.ts"
import type { LedgerState } from "./State.ts"

/** The repairs that the records of a resume make in a state, in the order in which they happen. */
export const resumeReport = (before: LedgerState, records: ReadonlyArray<LedgerRecord>): ReadonlyArray<Repair> =>
  records.flatMap((record): ReadonlyArray<Repair> => {
    const classified = classify(record)
    if (classified._tag !== "Known") return []
    const known = classified.record
    switch (known.type) {
      case "resume":
        return repaired(before, before.start !== undefined && before.start.model !== known.model).repairs
      case "unreported":
        return [{ kind: "reservation-charged", count: known.tokens }]
      case "tool_results":
        return [{ kind: "open-call-closed", count: known.message.content.length }]
      default:
        return []
    }
  })
