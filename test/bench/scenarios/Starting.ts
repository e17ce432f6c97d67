/** P10: the start of a host and of the command line. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, column, type Measured, rounds, type Scenario } from "../Bench.ts"
import { command, published, root } from "../Built.ts"
import { ChildFailed, runNode, runTaskIn } from "../Child.ts"
import { writeTranscript } from "../Transcript.ts"
import type { StartOutput } from "../tasks/Start.ts"
import { figure, judge, judgeRatio } from "../Verdict.ts"

/** The modules of Effect that the library stands on, apart from its command line. */
const effectModules = (): ReadonlyArray<string> => {
  const files = globSync("src/**/*.ts", { cwd: root, exclude: ["src/cli/**"] })
  const found = files.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/^import \* as \w+ from "(effect\/[^"]+)"/gm)].map(
      ([, name = ""]) => name,
    ),
  )
  return [...new Set(found)].sort()
}

/** Milliseconds from the start of a process to its end. */
const wall = async (args: ReadonlyArray<string>): Promise<StartOutput> => {
  const ended = await runNode(args)
  if (ended.code !== 0) throw new ChildFailed(`ended with ${ended.code}: ${ended.stderr.slice(0, 200)}`)
  return { modules: 0, ready: ended.wall, recorded: ended.wall }
}

const starting = async (bench: Bench): Promise<Measured> => {
  const folder = bench.folder.fresh()
  const path = join(folder, "small.jsonl")
  writeTranscript(path, { seed: "small", dialect: "annals", bytes: 50_000 })
  const modules = effectModules()
  const parties = [
    { name: "bare", run: () => runTaskIn<StartOutput>("Start", { modules: [] }) },
    { name: "effect", run: () => runTaskIn<StartOutput>("Start", { modules }) },
    { name: "host", run: () => runTaskIn<StartOutput>("Start", { modules, session: { library: published, path } }) },
    { name: "node", run: () => wall(["-e", "0"]) },
    { name: "show", run: () => wall([command, "show", path]) },
  ]
  const measured = await rounds(bench.isQuick ? 3 : 8, parties, bench.say)
  bench.folder.remove(folder)
  const ready = (name: string) => column(measured.of(name), "ready")
  const first = measured.of("host").map(({ recorded, ready: from }) => recorded - from)
  const over = measured.of("host").map(({ ready: at, modules: from }) => at - from)
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: [
      figure("bare Node, ready", "ms", ready("bare")),
      figure("Effect loaded", "ms", ready("effect")),
      figure("from there to a small session, open", "ms", over),
      figure("from there to its first record, on the disk", "ms", first),
      figure("node -e 0", "ms", ready("node")),
      figure("annals show, a small file", "ms", ready("show")),
    ],
    verdicts: [
      judge(
        { target: "host: 60 ms from Effect loaded to a session that is open", direction: "at-most", wanted: 60 },
        over,
        measured.why,
      ),
      judgeRatio(
        { target: "annals show: 3 × bare Node's start", direction: "at-most", wanted: 3 },
        ready("show"),
        ready("node"),
        measured.why,
      ),
    ],
  }
}

export const start: ReadonlyArray<Scenario> = [
  {
    id: "P10",
    work: "the start of a host and of the command line",
    includes:
      "the library as it is published. The host: loading it, runtime, lease, a session of 50 KB and its context; with the first record the writer thread.",
    run: starting,
  },
]
