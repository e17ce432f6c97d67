/** What running the runs of a session again has shown, for people. */
import type { ReplayProblem, RunReplay } from "../ledger/RunReplay.ts"
import { oneLine, visible } from "./Escape.ts"
import { count, integer } from "./Quantity.ts"
import type { SheetOptions } from "./Sheet.ts"
import { cut } from "./Width.ts"

/** Problems that are listed before the rest is only counted. */
const SHOWN = 20

const WORDS: { readonly [W in ReplayProblem["what"]]: string } = {
  unfinished: "did not finish, so it was not replayed",
  "stop-reason": "stops for another reason",
  steps: "takes another number of steps",
  "missing-response": "asks for an answer that is not recorded",
  "unused-response": "leaves recorded answers unused",
  "missing-result": "makes a call without a recorded result",
  "unused-result": "leaves a recorded result unused",
  call: "makes another call",
  message: "comes to another conversation",
}

const sides = ({ expected, actual }: ReplayProblem, { style, columns }: SheetOptions): ReadonlyArray<string> => {
  const side = (name: string, text: string): ReadonlyArray<string> =>
    text === "" ? [] : [`      ${style.dim(name)}  ${cut(oneLine(text), columns - 16)}`]
  return [...side("recorded", expected), ...side("replayed", actual)]
}

/** The lines of a replay. */
export const runLines = (path: string, replay: RunReplay, options: SheetOptions): ReadonlyArray<string> => {
  const { style } = options
  const { matches, runs, steps, toolCalls, problems } = replay
  const done = `${count(runs, "run")} replayed, ${count(steps, "step")}, ${count(toolCalls, "tool call")}`
  const name = style.bold(visible(path))
  if (matches) return [`${style.green("✓")} ${name}: ${done}; all as recorded`]
  const listed = problems
    .slice(0, SHOWN)
    .flatMap((problem) => [`  run ${integer(problem.run)} ${WORDS[problem.what]}`, ...sides(problem, options)])
  const rest = problems.length - SHOWN
  return [
    `${style.red("✗")} ${name}: ${done}; ${count(problems.length, "difference")}`,
    ...listed,
    ...(rest > 0 ? [style.dim(`  … and ${count(rest, "more difference")}`)] : []),
  ]
}
