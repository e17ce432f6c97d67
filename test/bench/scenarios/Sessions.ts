/** P3: many sessions of one host at once. */
import { type Bench, column, type Measured, rounds, type Scenario } from "../Bench.ts"
import { runTaskIn } from "../Child.ts"
import type { SessionsInput, SessionsOutput } from "../tasks/Sessions.ts"
import { figure, judgeRatio } from "../Verdict.ts"

/** An input without the folder it works in. */
type Given = SessionsInput extends infer Input ? (Input extends unknown ? Omit<Input, "folder"> : never) : never

/** With as many threads as Node has, or with sixteen. */
const run = async (bench: Bench, input: Given, threads: "usual" | "many"): Promise<SessionsOutput> => {
  const folder = bench.folder.fresh()
  try {
    const environment = threads === "many" ? { UV_THREADPOOL_SIZE: "16" } : undefined
    return await runTaskIn<SessionsOutput>("Sessions", { ...input, folder }, { environment })
  } finally {
    bench.folder.remove(folder)
  }
}

const stalled = async (bench: Bench): Promise<Measured> => {
  const times = bench.isQuick ? { warm: 200, time: 800 } : { warm: 1_000, time: 3_000 }
  const party = (name: string, isStalled: boolean) => ({
    name,
    run: () => run(bench, { work: "loop", sessions: 64, isStalled, ...times }, "usual"),
  })
  const measured = await rounds(bench.isQuick ? 2 : 5, [party("free", false), party("stalled", true)], bench.say)
  const speed = (name: string) => column(measured.of(name), "value")
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: [
      figure("63 sessions, no disk stalled", "records/s", speed("free")),
      figure("63 sessions beside a stalled one", "records/s", speed("stalled")),
      figure("event-loop delay beside a stalled one, 99 %", "ms", column(measured.of("stalled"), "loop")),
    ],
    verdicts: [
      judgeRatio(
        { target: "the other 63 keep 90 % of their speed", direction: "at-least", wanted: 0.9 },
        speed("stalled"),
        speed("free"),
        measured.why,
      ),
    ],
  }
}

const burst = async (bench: Bench): Promise<Measured> => {
  const repeats = bench.isQuick ? 8 : 30
  const ways = ["annals", "annals-wide", "one-after-the-other", "side-by-side"] as const
  const parties = ways.map((way) => ({
    name: way,
    run: () => run(bench, { work: "burst", sessions: 64, way, repeats }, way === "annals" ? "usual" : "many"),
  }))
  const measured = await rounds(bench.isQuick ? 2 : 5, parties, bench.say)
  const time = (way: (typeof ways)[number]) => column(measured.of(way), "value")
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: [
      figure("annals, 64 sessions", "ms", time("annals")),
      figure("annals, 64 sessions, 15 syncs at once in a pool of 16 threads", "ms", time("annals-wide")),
      figure("64 × write and fdatasync, one after the other", "ms", time("one-after-the-other")),
      figure("64 writes, then 64 fdatasync side by side", "ms", time("side-by-side")),
    ],
    verdicts: (["annals", "annals-wide"] as const).map((way) =>
      judgeRatio(
        {
          target: `1/5 of 64 syncs one after the other${way === "annals" ? "" : ", with 15 at once"}`,
          direction: "at-most",
          wanted: 0.2,
        },
        time(way),
        time("one-after-the-other"),
        measured.why,
      ),
    ),
  }
}

export const sessions: ReadonlyArray<Scenario> = [
  {
    id: "P3",
    work: "64 sessions at once, one of them on a disk whose every sync takes 50 ms longer",
    includes: "as P1, one appender to each session; the stall is made in the writer thread.",
    run: stalled,
  },
  {
    id: "P3b",
    work: "one durable record to each of 64 sessions at once",
    includes: "ours: as P1, in a pool of Node's usual four threads. The others: JSON, write, sync; side by side with 16 threads.",
    run: burst,
  },
]
