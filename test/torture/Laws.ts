/** The laws about crashes, tears and damage, with the budget of a deep run. */
import { families } from "../../laws/all.ts"
import { deepRunsOf } from "../../laws/Law.ts"
import { explain, replayCommand } from "../../laws/Refutation.ts"
import type { Torture } from "./Torture.ts"

/** The law of real kills is left to the part that kills. */
const isMeant = (id: string): boolean => /^(DUR|DSK|WRT|JRN|RPR|LDS)-/.test(id) && id !== "DUR-2"

/** `share` of a deep run for each law. */
export const runLaws = async ({ tally, seed, say }: Torture, share: number): Promise<void> => {
  for (const law of families.flatMap(({ laws }) => laws).filter(({ id }) => isMeant(id))) {
    const runs = Math.max(1, Math.round(deepRunsOf(law) * share))
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
