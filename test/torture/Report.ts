/** The figures for people, and for programs. Pure. */
import type { Tally } from "./Tally.ts"

export interface Head {
  readonly isQuick: boolean
  readonly seed: number
  readonly machine: { readonly node: string; readonly platform: string; readonly cores: number }
  readonly seconds: number
}

const count = (value: number): string => value.toLocaleString("en-US")

const rows = ({ figures }: Tally): ReadonlyArray<readonly [string, string]> => [
  ["crash trials", count(figures.crashTrials)],
  ["  every state of small workloads", count(figures.states)],
  ["cases of the laws about crashes", count(figures.lawCases)],
  ["sweep points, simulated", count(figures.sweepPoints)],
  ["sweep points, real calls", count(figures.callPoints)],
  ["processes killed with SIGKILL", count(figures.kills)],
  ["power cuts of real file systems", count(figures.powerCuts)],
  ...Object.entries(figures.powerCutsOn).map(([name, cuts]) => [`  ${name}`, count(cuts)] as const),
  ["unsynced records they took (control)", count(figures.unsyncedLost)],
  ["contended lock-append-unlock", count(figures.contended)],
  ["acknowledged records lost", count(figures.lost)],
  ["records there twice", count(figures.duplicates)],
  ["files another reader cannot parse", count(figures.unparsable)],
  ["torn ends repaired", count(figures.tornRepaired)],
  ["ends of NULs repaired", count(figures.nulRepaired)],
  ["files with holes, simulated", count(figures.holesRepaired)],
  ["bytes put into quarantine, simulated", count(figures.bytesPutAside)],
  ["slowest recovery behind a kill", `${figures.slowestRecovery.toFixed(0)} ms`],
  ...(figures.largeRecovery === undefined
    ? []
    : [
        [
          `recovery of ${count(figures.largeRecovery.bytes / 1_000_000)} MB`,
          `${figures.largeRecovery.milliseconds.toFixed(0)} ms`,
        ] as const,
      ]),
]

export const table = (tally: Tally): string =>
  rows(tally)
    .map(([name, value]) => `${name.padEnd(40)}${value.padStart(12)}`)
    .join("\n")

export const json = (head: Head, tally: Tally): string =>
  `${JSON.stringify({ ...head, ...tally.figures, failed: tally.failed, failures: tally.failures, leftOut: tally.leftOut }, undefined, 2)}\n`
