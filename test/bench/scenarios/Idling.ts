/** P11: open sessions that do nothing. */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, column, type Measured, rounds, type Scenario } from "../Bench.ts"
import { runTaskIn } from "../Child.ts"
import { writeTranscript } from "../Transcript.ts"
import type { IdleInput, IdleOutput } from "../tasks/Idle.ts"
import { figure, judge } from "../Verdict.ts"

const idling = async (bench: Bench): Promise<Measured> => {
  const sessions = bench.isQuick ? 200 : 1_000
  const folder = bench.folder.fresh()
  for (const dialect of ["annals", "pi"] as const) {
    const model = join(folder, `${dialect}.jsonl`)
    writeTranscript(model, { seed: "idle", dialect, entries: 20, sizes: "small" })
  }
  /** Each party has its own files: what one leaves beside them must not be what another finds. */
  const run = async (way: IdleInput["way"]): Promise<IdleOutput> => {
    const own = bench.folder.fresh()
    const model = join(folder, way === "pi" ? "pi.jsonl" : "annals.jsonl")
    for (let n = 0; n <= sessions; n++) copyFileSync(model, join(own, `${n}.jsonl`))
    try {
      const input = { folder: own, way, sessions, ...(way === "pi" ? { pi: bench.pi.module } : {}) }
      return await runTaskIn<IdleOutput>("Idle", input, { flags: ["--expose-gc"] })
    } finally {
      bench.folder.remove(own)
    }
  }
  const ways = (["open", "native", "load", "pi"] as const).filter((way) => way !== "pi" || bench.pi.peer.isHere)
  const parties = ways.map((way) => ({ name: way, run: () => run(way) }))
  const measured = await rounds(bench.isQuick ? 2 : 3, parties, bench.say)
  bench.folder.remove(folder)
  const kilobytes = (name: string, key: keyof IdleOutput) => measured.of(name).map((answer) => answer[key] / 1_000)
  const above = (key: keyof IdleOutput, way: "open" | "native" = "open") => {
    const [open, load] = [kilobytes(way, key), column(measured.of("load"), key)]
    return open.slice(0, load.length).map((value, n) => value - (load[n] ?? Number.NaN) / 1_000)
  }
  const names = {
    open: "annals, open",
    native: "annals, open, native locks",
    load: "annals, what they hold alone",
    pi: "pi, open",
  } as const
  return {
    rounds: measured.rounds,
    failures: measured.failures,
    figures: [
      ...ways.flatMap((way) => [
        figure(`${names[way]}: memory of the process`, "KB", kilobytes(way, "resident")),
        figure(`${names[way]}: heap and buffers`, "KB", kilobytes(way, "heap")),
        figure(`${names[way]}: memory of the process as it stands`, "KB", kilobytes(way, "standing")),
      ]),
    ],
    verdicts: [
      judge(
        { target: "memory of the process above their content: 20 KB each", direction: "at-most", wanted: 20 },
        above("resident"),
        measured.why,
      ),
      judge(
        {
          target: "memory of the process as it stands, the engine's empty room with it: 20 KB each",
          direction: "at-most",
          wanted: 20,
        },
        above("standing"),
        measured.why,
      ),
      judge(
        {
          target: "memory of the process above their content, with locks of the native port: 20 KB each",
          direction: "at-most",
          wanted: 20,
        },
        above("resident", "native"),
        measured.why,
      ),
      judge(
        { target: "heap and buffers above their content: 20 KB each", direction: "at-most", wanted: 20 },
        above("heap"),
        measured.why,
      ),
    ],
  }
}

export const idle: ReadonlyArray<Scenario> = [
  {
    id: "P11",
    work: "the memory of open sessions that do nothing, each",
    includes:
      "leases and all, but for the room that the engine holds empty. Content: the state of the same sessions, loaded and not opened. 20 entries each.",
    run: idling,
  },
]
