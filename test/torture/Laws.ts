/** The laws about crashes, tears and damage, with the budget of a deep run. */
import { families } from "../../laws/all.ts"
import { deepRunsOf } from "../../laws/Law.ts"
import { explain, replayCommand } from "../../laws/Refutation.ts"
import type { Torture } from "./Torture.ts"

/** Laws that other parts try: the one that kills, and the simulated one. */
const elsewhere = ["DUR-2", "DUR-7", "DUR-8", "DUR-9"]

const isMeant = (id: string): boolean => /^(DUR|DSK|WRT|JRN|RPR|LDS)-/.test(id) && !elsewhere.includes(id)

/** Few enough that a law does not ask whether its generators have reached everything. */
const quickRuns = 20

export const runLaws = async ({ tally, seed, say, isQuick }: Torture): Promise<void> => {
  for (const law of families.flatMap(({ laws }) => laws).filter(({ id }) => isMeant(id))) {
    const runs = isQuick ? quickRuns : deepRunsOf(law)
    try {
      await law.check({ runs, seed })
      tally.figures.lawCases += runs
      say(`${law.id} holds for ${runs} cases`)
    } catch (error) {
      const message = explain(error)
      tally.fail(law.id, `${message}\n${replayCommand(law, message)}`)
    }
  }
}
