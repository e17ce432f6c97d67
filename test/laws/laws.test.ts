import { test } from "vitest"
import { families } from "../../laws/all.ts"
import { judge } from "../../laws/Law.ts"

/** A part of the cases that `npm run laws` tries: here the laws stand beside everything else. */
const SHARE = 4

/** `ANNALS_LAW_RUNS`: the number of cases for every law instead of its own. */
const asked = process.env["ANNALS_LAW_RUNS"]
if (asked !== undefined && !/^[1-9]\d*$/.test(asked)) throw new Error(`ANNALS_LAW_RUNS must be a whole number, not ${asked}`)
// Only a law that hangs is stopped: how long one takes depends on the machine.
const timeout = asked === undefined ? 600_000 : 3_600_000

for (const { laws } of families) {
  for (const law of laws) {
    const runs = asked === undefined ? Math.ceil(law.runs / SHARE) : Number(asked)
    test(`${law.id} ${law.sentence}`, { timeout }, () => judge(law, { runs }))
  }
}
