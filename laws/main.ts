/**
 * Runs the laws: `npm run laws -- [--runs N | --deep] [--law ID]… [--fixed | --seed S] [--path P]`, or lists them as rows of
 * `docs/laws.md` with `--list`. With `--deep` each law takes the runs of a deep run; `npm run laws:deep` is the same. The cases are others each
 * time; with `--fixed` they are the same, those of CI.
 *
 * Prints one line a law. Ends with 0 when all hold, 1 when one does not (with the command that replays it), 2 when it was called
 * wrongly. `ANNALS_LAW_RUNS` stands in for `--runs` when neither is given.
 */
import process from "node:process"
import { parseArgs } from "node:util"
import { configureGlobal } from "fast-check"
import { families } from "./all.ts"
import { type Budget, deepRunsOf, FIXED_SEED, judge, type Law } from "./Law.ts"
import { explain, replayCommand } from "./Refutation.ts"

interface Wanted {
  readonly ids: ReadonlyArray<string>
  readonly runs: number | undefined
  readonly deep: boolean
  readonly seed: number | undefined
  readonly fixed: boolean
  readonly path: string | undefined
  readonly list: boolean
}

class Usage extends Error {}

const whole = (name: string, text: string | undefined, least: number): number | undefined => {
  if (text === undefined || text === "") return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < least) throw new Usage(`${name} takes a whole number, not ${text}`)
  return value
}

const read = (args: ReadonlyArray<string>): Wanted => {
  const options = {
    runs: { type: "string" },
    deep: { type: "boolean" },
    law: { type: "string", multiple: true },
    seed: { type: "string" },
    fixed: { type: "boolean" },
    path: { type: "string" },
    list: { type: "boolean" },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  const known = families.flatMap(({ laws }) => laws.map(({ id }) => id))
  const unknown = (values.law ?? []).find((id) => !known.includes(id))
  if (unknown !== undefined) throw new Usage(`there is no law ${unknown}; the laws are ${known.join(", ")}`)
  const deep = values.deep === true
  if (deep && values.runs !== undefined) throw new Usage("--deep has runs of its own; take it or --runs")
  const fixed = values.fixed === true
  if (fixed && values.seed !== undefined) throw new Usage("--fixed is a seed of its own; take it or --seed")
  return {
    ids: values.law ?? known,
    runs: whole("--runs", values.runs, 1) ?? (deep ? undefined : whole("ANNALS_LAW_RUNS", process.env["ANNALS_LAW_RUNS"], 1)),
    deep,
    seed: whole("--seed", values.seed, Number.MIN_SAFE_INTEGER),
    fixed,
    path: values.path,
    list: values.list === true,
  }
}

// A reader that has seen enough, such as `head`, closes the pipe. That is no failure of the laws; there is nobody left to tell.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const tell = async (law: Law, budget: Budget): Promise<boolean> => {
  const start = performance.now()
  let judged = ""
  const line = (word: string) =>
    `${law.id.padEnd(6)}  ${word.padEnd(6)}  ${`${budget.runs}`.padStart(7)} runs  ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  ${judged}${law.sentence}`
  try {
    await judge(law, {
      ...budget,
      judged: (count, what) => {
        judged += `[${count} ${what}] `
      },
    })
    say(line("holds"))
    return true
  } catch (cause) {
    const message = explain(cause)
    say(`${line("BROKEN")}\n\n${message}\n\nTo replay: ${replayCommand(law, message)}\n`)
    return false
  }
}

const main = async (): Promise<number> => {
  const wanted = read(process.argv.slice(2))
  // Not the seed of a budget: with that one nothing is left to chance, and a class that did not come would not be tried again.
  if (wanted.fixed) configureGlobal({ seed: FIXED_SEED })
  let broken = 0
  let done = 0
  for (const { file, laws } of families) {
    for (const law of laws) {
      if (!wanted.ids.includes(law.id)) continue
      const runs = wanted.runs ?? (wanted.deep ? deepRunsOf(law) : law.runs)
      if (wanted.list) say(`| ${law.id} | ${law.sentence} | \`${file}\` | ${law.runs} | ${deepRunsOf(law)} |`)
      else if (!(await tell(law, { runs, seed: wanted.seed, path: wanted.path }))) broken++
      done++
    }
  }
  if (!wanted.list) say(`${done - broken} laws hold, ${broken} are broken`)
  return broken > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (cause) {
  if (!(cause instanceof Usage || (cause instanceof TypeError && "code" in cause))) throw cause
  process.stderr.write(`${cause.message}\n`)
  process.exitCode = 2
}
