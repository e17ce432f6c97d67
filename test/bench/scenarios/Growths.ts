/** How costs grow, ours beside the peers: what the plots show. */
import { type Bench, column, rounds } from "../Bench.ts"
import type { Growth } from "../Report.ts"
import { median } from "../Statistics.ts"
import { append, NAMES } from "./Appending.ts"
import { growers } from "./Growing.ts"
import { openers, written } from "./Loading.ts"

type Series = Growth["series"][number]

/** Lines from points that were measured one after the other; points without a figure are left out. */
const lines = (found: ReadonlyArray<{ readonly name: string; readonly x: number; readonly y: number }>): ReadonlyArray<Series> =>
  [...new Set(found.map(({ name }) => name))]
    .map((name) => ({ name, points: found.filter((each) => each.name === name && Number.isFinite(each.y)) }))
    .map(({ name, points }) => ({ name, points: points.map(({ x, y }) => ({ x, y })) }))
    .filter(({ points }) => points.length > 0)

const latency = async (bench: Bench): Promise<Growth> => {
  const ways = ["annals", "sqlite", "sqlite-batched"] as const
  const times = bench.isQuick ? { warm: 200, time: 400 } : { warm: 500, time: 1_500 }
  const found: Array<{ name: string; x: number; y: number }> = []
  for (const appenders of [1, 4, 16, 64, 256]) {
    const parties = ways.map((way) => ({ name: way, run: () => append(bench, { way, appenders, bytes: 1_024, ...times }) }))
    const measured = await rounds(bench.isQuick ? 1 : 2, parties, bench.say)
    for (const way of ways) found.push({ name: NAMES[way], x: appenders, y: median(column(measured.of(way), "p50")) })
  }
  return {
    name: "append-latency",
    title: "Until a record is on the disk, by appenders at once",
    x: "appenders",
    y: "ms, 50 %",
    series: lines(found),
  }
}

const opening = async (bench: Bench): Promise<ReadonlyArray<Growth>> => {
  const [times, memory]: [Array<{ name: string; x: number; y: number }>, Array<{ name: string; x: number; y: number }>] = [[], []]
  for (const megabytes of bench.isQuick ? [1, 3, 10] : [1, 10, 100]) {
    const files = written(bench, megabytes)
    const parties = openers(bench, files)
    const measured = await rounds(bench.isQuick ? 1 : 2, parties, bench.say)
    bench.folder.remove(files.folder)
    for (const { name } of parties) {
      const answers = measured.of(name)
      times.push({ name, x: megabytes, y: median(column(answers, "time")) })
      memory.push({ name, x: megabytes, y: median(column(answers, "peak")) / 1e6 })
    }
  }
  const x = "MB of session"
  return [
    { name: "open-time", title: "Open a session and have its context", x, y: "ms", series: lines(times) },
    { name: "open-memory", title: "Peak memory of the process that opened it", x, y: "MB", series: lines(memory) },
  ]
}

const appending = async (bench: Bench): Promise<Growth> => {
  const found: Array<{ name: string; x: number; y: number }> = []
  for (const entries of bench.isQuick ? [100, 1_000, 10_000] : [100, 1_000, 10_000, 100_000]) {
    const parties = growers(bench, { entries, compactions: "none", appends: 5_000, contexts: 0 })
    const measured = await rounds(bench.isQuick ? 1 : 2, parties, bench.say)
    for (const { name } of parties) {
      const [party = ""] = name.split(" ")
      const label = party === "pi" ? "pi, never synced" : "annals, accepted"
      found.push({ name: label, x: entries, y: median(column(measured.of(name), "append")) })
    }
  }
  return {
    name: "append-cost",
    title: "The host's cost of one more record",
    x: "entries in the session",
    y: "µs",
    series: lines(found),
  }
}

/** All plots, each as soon as it is measured. */
export async function* growths(bench: Bench): AsyncGenerator<Growth, void> {
  yield await latency(bench)
  yield* await opening(bench)
  yield await appending(bench)
}
