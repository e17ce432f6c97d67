/**
 * Tries to make the library lose a record: `npm run torture -- [--quick] [--seed S] [--trials N] [--kills N] [--only PART,…]`.
 *
 * The parts: `simulated`, the machine that writes stopped and refused at each of its operations, with power cuts; `laws`, those about
 * crashes, with the budget of a deep run; `kills`, real processes under SIGKILL; `calls`, real calls of the system refused or killed at,
 * through strace; `contention`, processes that lock, append and unlock; `large`, the recovery of a large file; `power`, file systems on loop
 * devices whose power is cut, on Linux for root. What cannot be tried on a machine is told as left out and counted nowhere.
 *
 * Prints a table and writes `torture-report.json`. Ends with 1 when a record was lost or is there twice, a file cannot be parsed, or
 * anything else failed. The same seed tries the same again, but for what the system's scheduler decides. `--quick` takes a few minutes.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, type as systemType, tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { seededChooser } from "../../src/disk/Chooser.ts"
import { contend } from "../lease/contention.ts"
import { refuseCalls } from "./Calls.ts"
import { kill } from "./Kills.ts"
import { recoverLarge } from "./Large.ts"
import { runLaws } from "./Laws.ts"
import { cutPower } from "./PowerCuts.ts"
import { json, table } from "./Report.ts"
import { simulate } from "./Simulated.ts"
import { Tally } from "./Tally.ts"
import type { Torture } from "./Torture.ts"

const names = ["simulated", "laws", "kills", "calls", "contention", "large", "power"] as const
type Name = (typeof names)[number]

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    seed: { type: "string" },
    trials: { type: "string" },
    kills: { type: "string" },
    only: { type: "string" },
  },
})

class Usage extends Error {}

const whole = (name: string, text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise
  if (!/^\d+$/.test(text)) throw new Usage(`--${name} takes a whole number, not ${text}`)
  return Number(text)
}

const chosen = (): ReadonlyArray<Name> => {
  const only = values.only?.split(",")
  const unknown = only?.find((name) => !names.includes(name as Name))
  if (unknown !== undefined) throw new Usage(`there is no part ${unknown}; there are ${names.join(", ")}`)
  return names.filter((name) => only === undefined || only.includes(name))
}

const contention = async ({ tally, isQuick }: Torture): Promise<void> => {
  const processes = 8
  const rounds = isQuick ? 4 : 1_000
  const numbers = await contend(processes, rounds, ["locks"])
  tally.figures.contended = numbers.length
  const twice = numbers.length - new Set(numbers).size
  tally.figures.duplicates += twice
  tally.figures.lost += Math.max(0, processes * rounds - new Set(numbers).size)
  if (!numbers.every((number, at) => number === at + 1)) tally.fail("contention", "two writers at one time")
}

const parts = (trials: number, kills: number): Record<Name, (torture: Torture) => Promise<void> | void> => ({
  simulated: (torture) => simulate(torture, trials),
  laws: runLaws,
  kills: (torture) => kill(torture, kills),
  calls: (torture) => (torture.isQuick ? refuseCalls(torture, ["append"], 1) : refuseCalls(torture, ["append", "migrate"], 100)),
  contention,
  large: (torture) => recoverLarge(torture, torture.isQuick ? 10_000_000 : 100_000_000),
  power: (torture) => cutPower(torture, torture.isQuick ? 5 : 150),
})

const say = (text: string): void => void process.stderr.write(`${text}\n`)

const main = async (): Promise<number> => {
  const began = performance.now()
  const seed = whole("seed", values.seed, Math.floor(Math.random() * 0x7fffffff))
  const isQuick = values.quick
  const each = parts(
    whole("trials", values.trials, isQuick ? 10_000 : 2_000_000),
    whole("kills", values.kills, isQuick ? 6 : 1_000),
  )
  const tally = new Tally()
  const folder = mkdtempSync(join(tmpdir(), "annals-torture-"))
  say(`seed ${seed}`)
  try {
    for (const name of chosen()) {
      const from = performance.now()
      await each[name]({ isQuick, seed, tally, folder, say, choose: seededChooser(seed + names.indexOf(name)) })
      say(`${name}: ${((performance.now() - from) / 1_000).toFixed(1)} s`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const machine = { node: process.version, platform: systemType(), cores: availableParallelism() }
  const head = { isQuick, seed, machine, seconds: Math.round((performance.now() - began) / 1_000) }
  writeFileSync(fileURLToPath(new URL("../../torture-report.json", import.meta.url)), json(head, tally))
  const told = [table(tally), ...tally.leftOut.map((what) => `left out: ${what}`), ...tally.failures]
  process.stdout.write(`${told.join("\n")}\n`)
  if (tally.failed === 0) return 0
  process.stdout.write(`\n${tally.failed} failures. To try the same again: npm run torture -- ${again(seed)}\n`)
  return 1
}

const again = (seed: number): string => {
  const asked = process.argv.slice(2).filter((arg, at, args) => !/^--seed/.test(arg) && args[at - 1] !== "--seed")
  return [...asked, `--seed=${seed}`].join(" ")
}

try {
  process.exitCode = await main()
} catch (cause) {
  if (!(cause instanceof Usage || (cause instanceof TypeError && "code" in cause))) throw cause
  process.stderr.write(`${cause.message}\n`)
  process.exitCode = 2
}
