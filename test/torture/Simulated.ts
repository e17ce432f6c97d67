/**
 * The machine that writes, on the simulated disk: the laws of its crashes, again and again with other seeds, until there were so many states
 * that the next process has opened, appended to and been judged by. One of them tries every state of small workloads; it is tried once.
 */
import { Wronged } from "../../laws/CrashedWriter.ts"
import { laws } from "../../laws/crashes.ts"
import type { Law } from "../../laws/Law.ts"
import { explain, replayCommand } from "../../laws/Refutation.ts"
import type { Tally } from "./Tally.ts"
import type { Torture } from "./Torture.ts"

/** Cases of one law between two looks at how many trials there were. */
const casesAtOnce: Readonly<Record<string, number>> = { "DUR-7": 4_000, "DUR-9": 40 }

const count = (tally: Tally, trials: number, what: string): void => {
  const { figures } = tally
  if (what === "crash trials") figures.crashTrials += trials
  else if (what.startsWith("sweep points")) figures.sweepPoints += trials
  else if (what === "states") figures.states += trials
  else if (what === "torn ends") figures.tornRepaired += trials
  else if (what === "NUL ends") figures.nulRepaired += trials
  else if (what === "files with holes") figures.holesRepaired += trials
  else if (what === "bytes put aside") figures.bytesPutAside += trials
}

/** What a broken law has found, behind the counter-example that it is told with. */
const wrongedOf = (cause: unknown): Wronged | undefined => {
  for (let each = cause; each instanceof Error; each = each.cause) if (each instanceof Wronged) return each
  return undefined
}

const tryOnce = async ({ tally, say }: Torture, law: Law, runs: number, seed: number): Promise<void> => {
  try {
    await law.check({ runs, seed, judged: (trials, what) => count(tally, trials, what) })
  } catch (error) {
    const message = explain(error)
    const wronged = wrongedOf(error)
    if (wronged?.wrong === "lost") tally.figures.lost += wronged.count
    if (wronged?.wrong === "twice") tally.figures.duplicates += wronged.count
    if (wronged?.wrong === "unparsable") tally.figures.unparsable += wronged.count
    tally.fail(law.id, `${message}\n${replayCommand(law, message)}`)
  }
  say(`${law.id}: ${tally.figures.crashTrials} crash trials so far`)
}

export const simulate = async (torture: Torture, trials: number): Promise<void> => {
  const { tally, isQuick, choose } = torture
  for (const law of laws.filter(({ id }) => casesAtOnce[id] === undefined))
    await tryOnce(torture, law, isQuick ? 84 : law.runs, 1)
  while (tally.figures.crashTrials < trials && tally.failed === 0) {
    for (const law of laws) {
      const cases = casesAtOnce[law.id]
      if (cases !== undefined) await tryOnce(torture, law, isQuick ? cases / 10 : cases, choose(0x7fffffff))
    }
  }
}
