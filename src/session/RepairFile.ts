/**
 * What must change in a tree session's file so that it is clean: the damage of its bytes, and that of its records.
 *
 * Records without an effect (a patch that cannot be used, a second header, the same record again) go to the quarantine. A file without
 * a usable header gets the one that reading makes up, so that it can be appended to again, and its entries keep the ids that reading
 * shows. An entry that is damaged, a second one under one id and an orphan stay as they are: they hold somebody's words, and no rule
 * could say where they belong. `verify` goes on naming them.
 */
import type { Disk } from "../disk/Disk.ts"
import type { DamageKind } from "../journal/Damage.ts"
import { readJournal } from "../journal/Reader.ts"
import { Planner, type RepairPlan } from "../journal/RepairPlan.ts"
import { isHeader } from "../tree/Header.ts"
import { inspect } from "../tree/Reading.ts"
import { initial, type TreeState } from "../tree/State.ts"
import { evolve } from "../tree/TreeModel.ts"

/** Damages of a record that is better out of the file than in it. */
const WITHOUT_EFFECT: ReadonlySet<DamageKind> = new Set(["unusable-patch", "duplicate-record", "extra-header"])

/**
 * Reads the file to its end and makes the plan. Blocks for as long as reading takes; memory holds the session's state.
 *
 * @throws ReadError
 */
export const planTreeRepair = (disk: Disk, path: string): RepairPlan => {
  const planner = new Planner()
  const reading = readJournal(disk, path)
  let state: TreeState = initial
  for (;;) {
    const next = reading.next()
    if (next.done) {
      const header = state.headerMadeUp ? JSON.stringify(state.header) : undefined
      return planner.finish(next.value, header)
    }
    const item = next.value
    if (item._tag !== "Record") {
      planner.take(item)
      continue
    }
    const { value } = item.record
    const kinds = inspect(state, value)
    // A header that cannot be used makes way for the one that is made from it.
    const isBadHeader = isHeader(value) && kinds.includes("bad-header")
    // In version 1 records are known by their place, so none of them may go.
    const useless = state.version === 1 ? undefined : kinds.find((kind) => WITHOUT_EFFECT.has(kind))
    planner.take(item, isBadHeader ? "bad-header" : useless)
    state = evolve(state, value)
  }
}
