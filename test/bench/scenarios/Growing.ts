/** P6 and P7: what one more record and the context after it cost in a session of many. */
import { join } from "node:path"
import { type Bench, column, type Measured, type Party, type Rounds, rounds, type Scenario } from "../Bench.ts"
import { runTaskIn } from "../Child.ts"
import { type TranscriptOptions, writeTranscript } from "../Transcript.ts"
import type { GrownOutput } from "../tasks/Grown.ts"
import { figure, judgeRatio } from "../Verdict.ts"

export interface Growing {
  readonly entries: number
  readonly compactions: NonNullable<TranscriptOptions["compactions"]>
  readonly appends: number
  readonly contexts: number
}

/** A session of so many entries, measured in a process of its own, from a file of its own: appending changes it. */
const grown = async (bench: Bench, party: "annals" | "pi", input: Growing): Promise<GrownOutput> => {
  const folder = bench.folder.fresh()
  try {
    const path = join(folder, "grown.jsonl")
    const { entries, compactions, appends, contexts } = input
    writeTranscript(path, { seed: "growing", dialect: party, entries, sizes: "small", compactions })
    const pi = party === "pi" ? { pi: bench.pi.module } : {}
    return await runTaskIn<GrownOutput>("Grown", { path, appends, contexts, ...pi })
  } finally {
    bench.folder.remove(folder)
  }
}

export const growers = (bench: Bench, input: Growing): ReadonlyArray<Party<GrownOutput>> =>
  (["annals", "pi"] as const)
    .filter((party) => party === "annals" || bench.pi.peer.isHere)
    .map((party) => ({ name: `${party} ${input.entries}`, run: () => grown(bench, party, input) }))

/** The number of entries as people write it. */
const counted = (entries: number): string => entries.toLocaleString("en-US")

const PARTIES = ["annals", "pi"] as const

/** Figures of a member of the answers, for both parties and both lengths. */
const figuresOf = (
  measured: Rounds<GrownOutput>,
  sizes: ReadonlyArray<number>,
  unit: string,
  key: keyof GrownOutput,
  suffix = "",
) =>
  PARTIES.flatMap((party) =>
    sizes.flatMap((entries) => {
      const samples = column(measured.of(`${party} ${entries}`), key)
      const isThere = samples.length > 0 && samples.some((sample) => sample > 0)
      return isThere ? [figure(`${party}, ${counted(entries)} entries${suffix}`, unit, samples)] : []
    }),
  )

const appending = async (bench: Bench): Promise<Measured> => {
  const [few, many] = bench.isQuick ? ([100, 20_000] as const) : ([100, 100_000] as const)
  const appends = bench.isQuick ? 4_000 : 10_000
  const parties = [few, many].flatMap((entries) => growers(bench, { entries, compactions: "none", appends, contexts: 0 }))
  const measured = await rounds(bench.isQuick ? 2 : 4, parties, bench.say)
  const cost = (entries: number) => column(measured.of(`annals ${entries}`), "append")
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: figuresOf(measured, [few, many], "µs", "append"),
    verdicts: [
      judgeRatio(
        { target: `1.2 × at ${counted(many)} entries of what it is at ${few}`, direction: "at-most", wanted: 1.2 },
        cost(many),
        cost(few),
        measured.why,
      ),
    ],
  }
}

const contexts = async (bench: Bench): Promise<Measured> => {
  const [few, many] = bench.isQuick ? ([1_000, 20_000] as const) : ([1_000, 100_000] as const)
  const parties = [few, many].flatMap((entries) =>
    growers(bench, { entries, compactions: { end: 500 }, appends: 0, contexts: bench.isQuick ? 20 : 40 }),
  )
  const measured = await rounds(bench.isQuick ? 2 : 3, parties, bench.say)
  const time = (entries: number, key: "context" | "followed") => column(measured.of(`annals ${entries}`), key)
  const wanted = (what: string) =>
    ({
      target: `${what}: 1.5 × at ${counted(many)} entries of what it is at ${counted(few)}`,
      direction: "at-most",
      wanted: 1.5,
    }) as const
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: [
      ...figuresOf(measured, [few, many], "ms", "context", ", built anew"),
      ...figuresOf(measured, [few, many], "ms", "followed", ", followed"),
    ],
    verdicts: [
      judgeRatio(wanted("followed, as context() of a session does"), time(many, "followed"), time(few, "followed"), measured.why),
      judgeRatio(wanted("built anew"), time(many, "context"), time(few, "context"), measured.why),
    ],
  }
}

export const growing: ReadonlyArray<Scenario> = [
  {
    id: "P6",
    work: "the cost of one more record, by the length of the session",
    includes:
      "what the host's thread computes. Ours: decision, redaction, JSON, state, queue; accepted, not yet synced. pi: append to memory and file, never synced. After 2,000 appends to warm up.",
    run: appending,
  },
  {
    id: "P7",
    work: "the context at the leaf after each append, by the length of the session",
    includes: "sessions that were compacted 500 entries before their end, so that every context has the same size.",
    run: contexts,
  },
]
