/** The report for people. Pure. */
import type { Entry, Figure, Report, Verdict } from "./Report.ts"

/** Three digits that count. */
export const short = (value: number): string => {
  if (!Number.isFinite(value)) return "–"
  const size = Math.abs(value)
  if (size >= 1_000) return Math.round(Number(value.toPrecision(3))).toLocaleString("en-US")
  return String(Number(value.toPrecision(size < 0.001 ? 1 : 3)))
}

const columns = (rows: ReadonlyArray<ReadonlyArray<string>>, indent: string): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => [...(row[at] ?? "")].length)))
  return rows.map((row) =>
    `${indent}${row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")}`.trimEnd(),
  )
}

const figureRow = ({ name, unit, median, low, high }: Figure): ReadonlyArray<string> => [
  name,
  `${short(median)} ${unit}`,
  `${short(low)} – ${short(high)}`,
]

const verdictLine = ({ target, measured, low, high, wanted, direction, outcome, factor, why }: Verdict): string => {
  const sign = direction === "at-least" ? "≥" : "≤"
  if (outcome === "not-measured") return `  ?  ${target}: not measured, ${why ?? ""}`
  const found = `${short(measured ?? 0)} (${short(low ?? 0)} – ${short(high ?? 0)}), wanted ${sign} ${short(wanted)}`
  if (outcome === "met") return `  ✓  ${target}: ${found}`
  return `  ✗  ${target}: ${found}: MISSED by a factor of ${short(factor ?? 0)}`
}

/** One scenario: its figures with the lowest and the highest of all rounds, then what has become of its targets. */
export const entryText = ({ id, work, includes, rounds, load, figures, verdicts, failures }: Entry): string =>
  [
    `${id}  ${work}`,
    `    ${includes}`,
    `    median of ${rounds} rounds, then the lowest and the highest; load ${load.map((each) => each.toFixed(1)).join(" → ")}`,
    ...columns(figures.map(figureRow), "    "),
    ...verdicts.map(verdictLine),
    ...failures.map((failure) => `  !  ${failure}`),
    "",
  ].join("\n")

export const headText = ({ machine, peers, isQuick }: Pick<Report, "machine" | "peers" | "isQuick">): string =>
  [
    `Node ${machine.node}, ${machine.platform}, ${machine.cores} cores, ${Math.round(machine.memory / 2 ** 30)} GiB${isQuick ? ", quick" : ""}`,
    ...peers.map(({ name, version, isHere, why }) => `${name} ${version}${isHere ? "" : `: NOT HERE, ${why ?? ""}`}`),
    "",
  ].join("\n")

/** The sum of it. */
export const footText = ({ entries, seconds }: Pick<Report, "entries" | "seconds">): string => {
  const verdicts = entries.flatMap((entry) => entry.verdicts)
  const count = (outcome: Verdict["outcome"]): number => verdicts.filter((verdict) => verdict.outcome === outcome).length
  return `${count("met")} targets met, ${count("missed")} missed, ${count("not-measured")} not measured, in ${Math.round(seconds)} s`
}
