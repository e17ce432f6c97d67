/** P4 and P5: files of many megabytes, read by a process that has just started. */
import { join } from "node:path"
import { type Bench, column, type Measured, type Party, rounds, type Scenario } from "../Bench.ts"
import { built, command } from "../Built.ts"
import { ChildFailed, runNode, runTaskIn } from "../Child.ts"
import type { Entry } from "../Report.ts"
import type { Spent } from "../Task.ts"
import { writeTranscript } from "../Transcript.ts"
import type { OpenOutput } from "../tasks/Open.ts"
import { figure, judgeRatio } from "../Verdict.ts"

export type Opened = OpenOutput & Spent

const MEGABYTE = 1_000_000

/** The same session in both ways of writing it. */
export const written = (bench: Bench, megabytes: number) => {
  const folder = bench.folder.fresh()
  const [ours, pis] = [join(folder, "annals.jsonl"), join(folder, "pi.jsonl")]
  bench.say(`writing ${megabytes} MB twice`)
  writeTranscript(ours, { seed: "loading", dialect: "annals", bytes: megabytes * MEGABYTE })
  writeTranscript(pis, { seed: "loading", dialect: "pi", bytes: megabytes * MEGABYTE })
  return { folder, ours, pis }
}

export const openers = (bench: Bench, files: { readonly ours: string; readonly pis: string }): ReadonlyArray<Party<Opened>> => [
  { name: "annals", run: () => runTaskIn<OpenOutput>("Open", { path: files.ours }) },
  { name: "annals, context alone", run: () => runTaskIn<OpenOutput>("Open", { path: files.ours, onlyContext: true }) },
  ...(bench.pi.peer.isHere
    ? [{ name: "pi", run: () => runTaskIn<OpenOutput>("Open", { path: files.pis, pi: bench.pi.module }) }]
    : []),
]

const WITHOUT_PI = "pi could not be fetched"

const openOne = async (bench: Bench, megabytes: number, count: number, times: number, share: number): Promise<Measured> => {
  const files = written(bench, megabytes)
  const measured = await rounds(count, openers(bench, files), bench.say)
  bench.folder.remove(files.folder)
  const of = (name: string, key: keyof Opened) => column(measured.of(name), key)
  const why = bench.pi.peer.isHere ? measured.why : WITHOUT_PI
  const figures = ["annals", "annals, context alone", "pi"].flatMap((name): Entry["figures"] =>
    measured.of(name).length === 0
      ? []
      : [
          figure(`${name}, ${megabytes} MB`, "ms", of(name, "time")),
          figure(
            `${name}, ${megabytes} MB: peak memory`,
            "MB",
            of(name, "peak").map((bytes) => bytes / 1e6),
          ),
          figure(`${name}, ${megabytes} MB: event loop blocked at most`, "ms", of(name, "blocked")),
        ],
  )
  const verdicts = ["annals", "annals, context alone"].flatMap((name): Entry["verdicts"] => {
    const what = name === "annals" ? `${megabytes} MB` : `${megabytes} MB, context alone`
    return [
      judgeRatio(
        { target: `${what}: ${times} × as fast as pi`, direction: "at-least", wanted: times },
        of("pi", "time"),
        of(name, "time"),
        why,
      ),
      judgeRatio(
        { target: `${what}: 1/${1 / share} of pi's peak memory`, direction: "at-most", wanted: share },
        of(name, "peak"),
        of("pi", "peak"),
        why,
      ),
    ]
  })
  return { rounds: count, failures: measured.failures, figures, verdicts }
}

const joined = (parts: ReadonlyArray<Measured>): Measured => ({
  rounds: parts[0]?.rounds ?? 0,
  figures: parts.flatMap(({ figures }) => figures),
  verdicts: parts.flatMap(({ verdicts }) => verdicts),
  failures: parts.flatMap(({ failures }) => failures),
})

const open = async (bench: Bench): Promise<Measured> =>
  bench.isQuick
    ? await openOne(bench, 25, 2, 25, 1 / 4)
    : joined([await openOne(bench, 100, 4, 25, 1 / 4), await openOne(bench, 600, 2, 30, 1 / 8)])

interface Verified {
  readonly time: number
  readonly peak: number
}

/** The command line as a process of its own. The witness that is loaded before it says at the end what memory it took. */
const verify = async (path: string): Promise<Verified> => {
  const witness = join(built, "test", "bench", "tasks", "Witness.js")
  const args = [command, "verify", path, "--json"]
  const { code, stderr, wall } = await runNode(args, { flags: ["--import", witness] })
  const [, peak] = /^peak (\d+)$/m.exec(stderr) ?? []
  if (code !== 0 || peak === undefined) throw new ChildFailed(`annals verify ended with ${code}: ${stderr.slice(0, 200)}`)
  return { time: wall, peak: Number(peak) }
}

const verifying = async (bench: Bench): Promise<Measured> => {
  const [small, large, count] = bench.isQuick ? [10, 25, 2] : [100, 400, 3]
  const [files, more] = [written(bench, small), written(bench, large)]
  const party = (name: string, path: string): Party<Verified> => ({ name, run: () => verify(path) })
  const pi = openers(bench, files).filter(({ name }) => name === "pi")
  const measured = await rounds<Verified>(count, [party("small", files.ours), party("large", more.ours), ...pi], bench.say)
  for (const { folder } of [files, more]) bench.folder.remove(folder)
  const of = (name: string, key: keyof Verified) => column(measured.of(name), key)
  const inMegabytes = (name: string) => of(name, "peak").map((bytes) => bytes / 1e6)
  const why = bench.pi.peer.isHere ? measured.why : WITHOUT_PI
  return {
    rounds: count,
    failures: measured.failures,
    figures: [
      figure(`annals verify, ${small} MB`, "ms", of("small", "time")),
      figure(`annals verify, ${small} MB: peak memory`, "MB", inMegabytes("small")),
      figure(`annals verify, ${large} MB`, "ms", of("large", "time")),
      figure(`annals verify, ${large} MB: peak memory`, "MB", inMegabytes("large")),
      ...(measured.of("pi").length === 0 ? [] : [figure(`pi, opening ${small} MB`, "ms", of("pi", "time"))]),
    ],
    verdicts: [
      judgeRatio(
        { target: `${small} MB: 3 × as fast as pi opens it`, direction: "at-least", wanted: 3 },
        of("pi", "time"),
        of("small", "time"),
        why,
      ),
      judgeRatio(
        { target: `memory: ${large} MB takes no more than 1.25 × what ${small} MB takes`, direction: "at-most", wanted: 1.25 },
        of("large", "peak"),
        of("small", "peak"),
        measured.why,
      ),
    ],
  }
}

export const loading: ReadonlyArray<Scenario> = [
  {
    id: "P4",
    work: "open a session for writing and have its context",
    includes:
      "both: reading, tree, context at the leaf. Ours also: damage report, lease, start of the writer thread; none but the first of these for the context alone. Neither: start of the process.",
    run: open,
  },
  {
    id: "P5",
    work: "full verify, every record parsed and checked",
    includes: "ours: the command line, start of the process and JSON report too. pi: opening alone, without its start.",
    run: verifying,
  },
]
