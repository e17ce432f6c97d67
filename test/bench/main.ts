/**
 * Measures the library beside its peers: `npm run bench -- [--quick] [--only P4,P5] [--plots] [--folder DIR]`.
 *
 * Prints a table and writes `bench-report.json`. Every figure is a median over rounds in which all parties took turns, each in a process
 * of its own; a target is judged by quotients within rounds, since the machine is never the same twice. A target that is missed is said,
 * with the factor; it does not make the command fail. `--quick` takes about a minute, with smaller sizes; all of it about ten. `--plots`
 * measures the growths too, and draws them into `docs/performance`; with `--only=` nothing else is measured. `--folder` says on which disk.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism, loadavg, type as systemType, totalmem } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import type { Bench, Scenario } from "./Bench.ts"
import { build, root } from "./Built.ts"
import { isInMemory, openFolder } from "./Folder.ts"
import { fetchPi } from "./Pi.ts"
import { plot } from "./Plot.ts"
import { type Entry, type Growth, type Report, readReport } from "./Report.ts"
import { appending } from "./scenarios/Appending.ts"
import { growing } from "./scenarios/Growing.ts"
import { growths } from "./scenarios/Growths.ts"
import { idle } from "./scenarios/Idling.ts"
import { loading } from "./scenarios/Loading.ts"
import { redaction } from "./scenarios/Redacting.ts"
import { sessions } from "./scenarios/Sessions.ts"
import { start } from "./scenarios/Starting.ts"
import { entryText, footText, headText } from "./Table.ts"

const scenarios: ReadonlyArray<Scenario> = [...appending, ...sessions, ...loading, ...growing, ...redaction, ...start, ...idle]

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    plots: { type: "boolean", default: false },
    folder: { type: "string" },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const note = (text: string): void => void process.stderr.write(`${text}\n`)

const load = (): number => loadavg()[0] ?? 0

const chosen = (): ReadonlyArray<Scenario> => {
  const only = values.only
    ?.split(",")
    .map((id) => id.trim().toLowerCase())
    .filter((id) => id !== "")
  if (only === undefined) return scenarios
  const unknown = only.filter((id) => !scenarios.some((each) => each.id.toLowerCase() === id))
  if (unknown.length > 0) {
    note(`There is no ${unknown.join(", ")}; there are ${scenarios.map(({ id }) => id).join(", ")}.`)
    process.exit(2)
  }
  return scenarios.filter(({ id }) => only.includes(id.toLowerCase()))
}

const measure = async (bench: Bench, { id, work, includes, run }: Scenario): Promise<Entry> => {
  const before = load()
  const measured = await run({ ...bench, say: (line) => bench.say(`${id}: ${line}`) })
  const figures = measured.figures.filter(({ samples }) => samples.length > 0 && samples.every(Number.isFinite))
  return { id, work, includes, load: [before, load()], ...measured, figures }
}

const draw = (growth: Growth): void => {
  const folder = join(root, "docs", "performance")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${growth.name}.svg`), plot(growth))
}

const main = async (): Promise<void> => {
  const began = performance.now()
  const wanted = chosen()
  await build(note)
  const folder = openFolder(values.folder)
  if (isInMemory(folder.path)) note("The folder is in memory: syncs cost nothing there. Choose another one with --folder.")
  const pi = fetchPi(note)
  const bench: Bench = { isQuick: values.quick, folder, pi, say: note }
  const head = {
    isQuick: values.quick,
    machine: { node: process.version, platform: systemType(), cores: availableParallelism(), memory: totalmem() },
    peers: [pi.peer, { name: "SQLite", version: process.versions["sqlite"] ?? "", isHere: true }],
  }
  say(headText(head))
  const entries: Array<Entry> = []
  const growth: Array<Growth> = []
  /** After each scenario, so that a run that is broken off has said what it found. */
  const write = (): Report => {
    const seconds = (performance.now() - began) / 1_000
    const report: Report = { version: 1, time: new Date().toISOString(), ...head, seconds, entries, growth }
    writeFileSync(join(root, "bench-report.json"), `${JSON.stringify(readReport(report), null, 2)}\n`)
    return report
  }
  for (const scenario of wanted) {
    const entry = await measure(bench, scenario)
    entries.push(entry)
    say(entryText(entry))
    write()
  }
  for await (const grown of values.plots ? growths(bench) : []) {
    growth.push(grown)
    draw(grown)
  }
  say(footText(write()))
}

await main()
process.exit(0)
