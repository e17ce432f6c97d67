/** P1 and P2: records on the disk, each acknowledged. */
import { type Bench, column, type Measured, rounds, type Scenario } from "../Bench.ts"
import { runTaskIn } from "../Child.ts"
import type { AppendInput, AppendOutput } from "../tasks/Append.ts"
import { figure, judgeRatio } from "../Verdict.ts"

export const NAMES: Readonly<Record<AppendInput["way"], string>> = {
  annals: "annals",
  sqlite: "SQLite, one a transaction",
  "sqlite-batched": "SQLite, batched a tick",
  bare: "write and fdatasync",
}

export const append = async (bench: Bench, input: Omit<AppendInput, "folder">): Promise<AppendOutput> => {
  const folder = bench.folder.fresh()
  try {
    return await runTaskIn<AppendOutput>("Append", { ...input, folder })
  } finally {
    bench.folder.remove(folder)
  }
}

const times = ({ isQuick }: Bench) => (isQuick ? { warm: 300, time: 800 } : { warm: 1_000, time: 3_000 })

const many = async (bench: Bench): Promise<Measured> => {
  const ways = ["annals", "sqlite", "sqlite-batched"] as const
  const parties = ways.map((way) => ({
    name: way,
    run: () => append(bench, { way, appenders: 64, bytes: 1_024, ...times(bench) }),
  }))
  const measured = await rounds(bench.isQuick ? 2 : 5, parties, bench.say)
  const of = (way: (typeof ways)[number], key: keyof AppendOutput) => column(measured.of(way), key)
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: ways.flatMap((way) => [
      figure(NAMES[way], "records/s", of(way, "perSecond")),
      figure(`${NAMES[way]}: acknowledged, 99 %`, "ms", of(way, "p99")),
      figure(`${NAMES[way]}: event-loop delay, 99 %`, "ms", of(way, "loop")),
      figure(`${NAMES[way]}: CPU a record`, "µs", of(way, "cpuPerRecord")),
    ]),
    verdicts: [
      judgeRatio(
        { target: "records a second: 15 × SQLite, one a transaction", direction: "at-least", wanted: 15 },
        of("annals", "perSecond"),
        of("sqlite", "perSecond"),
        measured.why,
      ),
      judgeRatio(
        { target: "records a second: 1 × SQLite, batched", direction: "at-least", wanted: 1 },
        of("annals", "perSecond"),
        of("sqlite-batched", "perSecond"),
        measured.why,
      ),
      judgeRatio(
        { target: "event-loop delay, 99 %: 1/4 of SQLite, batched", direction: "at-most", wanted: 0.25 },
        of("annals", "loop"),
        of("sqlite-batched", "loop"),
        measured.why,
      ),
    ],
  }
}

const one = async (bench: Bench): Promise<Measured> => {
  const ways = ["annals", "bare", "sqlite"] as const
  const parties = ways.map((way) => ({
    name: way,
    run: () => append(bench, { way, appenders: 1, bytes: 1_024, ...times(bench) }),
  }))
  const measured = await rounds(bench.isQuick ? 2 : 5, parties, bench.say)
  const p50 = (way: (typeof ways)[number]) => column(measured.of(way), "p50")
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: ways.flatMap((way) => [
      figure(`${NAMES[way]}: acknowledged, 50 %`, "ms", p50(way)),
      figure(`${NAMES[way]}: acknowledged, 99 %`, "ms", column(measured.of(way), "p99")),
    ]),
    verdicts: [
      judgeRatio(
        { target: "acknowledged, 50 %: 1.25 × write and fdatasync", direction: "at-most", wanted: 1.25 },
        p50("annals"),
        p50("bare"),
        measured.why,
      ),
    ],
  }
}

export const appending: ReadonlyArray<Scenario> = [
  {
    id: "P1",
    work: "durable appends of 1 KB records, 64 appenders to one session",
    includes:
      "ours: decision, redaction, JSON, state, thread, write, sync, receipt. SQLite (WAL, synchronous FULL): JSON, insert, commit. All in a closed loop.",
    run: many,
  },
  {
    id: "P2",
    work: "durable appends of 1 KB records, one appender",
    includes: "ours: as in P1. The others: JSON, write and sync on the host's own thread.",
    run: one,
  },
]
