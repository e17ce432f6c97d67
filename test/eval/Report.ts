/** The figures of an evaluation as tables for people and as a file for machines. No secret is in either. */
import { CONTEXTS } from "./Contexts.ts"
import { FORMATS } from "./Formats.ts"
import { type Recall, share, type Tally } from "./Recall.ts"
import type { SecretClass } from "./Sample.ts"
import { type Findings, percent, type Verdict } from "./Targets.ts"

const CLASSES: ReadonlyArray<SecretClass> = ["A", "B", "C", "N"]

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((cell, n) => Math.max(cell.length, ...rows.map((row) => row[n]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(" | ")} |`
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n")
}

const cell = (tally: Tally): string => (tally.cases === 0 ? "" : percent(share(tally)))

export const contextTable = ({ recall, comparisons }: Findings): string =>
  table(
    ["context", ...CLASSES, "all", ...comparisons.flatMap(({ name }) => [`${name} flags`, `${name} covers`])],
    CONTEXTS.map((context) => {
      const of = (counted: Recall, kind?: SecretClass): string =>
        cell(counted.over((format, each) => each === context && (kind === undefined || format.class === kind)))
      const others = comparisons.flatMap(({ flagged, covered }) => [of(flagged), of(covered)])
      return [context.name, ...CLASSES.map((kind) => of(recall, kind)), of(recall), ...others]
    }),
  )

export const formatTable = ({ recall, comparisons }: Findings): string =>
  table(
    ["format", "class", "list", "whole", "truncated", "blocks", "records", ...comparisons.map(({ name }) => `${name} covers`)],
    FORMATS.map((format) => {
      const cuts = (["whole", "truncated", "blocks", "records"] as const).map((cut) =>
        cell(recall.over((each, context) => each === format && context.cut === cut)),
      )
      const others = comparisons.map(({ covered }) => cell(covered.over((each, { cut }) => each === format && cut === "whole")))
      return [format.id, format.class, format.source, ...cuts, ...others]
    }),
  )

const MOST_SHOWN = 40

export const verdictText = (verdicts: ReadonlyArray<Verdict>): string =>
  verdicts
    .map(({ target, isMet, short }) => {
      const shown = short.slice(0, MOST_SHOWN).map((each) => `\n      ${each}`)
      const rest = short.length > MOST_SHOWN ? `\n      and ${short.length - MOST_SHOWN} more` : ""
      return `${isMet ? "met   " : "MISSED"} ${target}${shown.join("")}${rest}`
    })
    .join("\n")

/** What a machine compares: every cell, every false span, every verdict. */
export const reportOf = (run: object, findings: Findings, verdicts: ReadonlyArray<Verdict>): string => {
  const cells = (recall: Recall) =>
    [...recall.cells()].map(({ format, context, tally }) => ({
      format: format.id,
      class: format.class,
      context: context.name,
      ...tally,
    }))
  const comparisons = findings.comparisons.map(({ name, flagged, covered, ahead }) => ({
    name,
    flagged: cells(flagged),
    covered: cells(covered),
    ahead: Object.fromEntries(ahead),
  }))
  const { source, generated } = findings
  return `${JSON.stringify({ ...run, verdicts, source, generated, cells: cells(findings.recall), comparisons }, null, 1)}\n`
}
