/** What the evaluation demands, and what it found. */
import { CONTEXTS, type Context } from "./Contexts.ts"
import type { FalseSpan } from "./FalseSpans.ts"
import { FORMATS } from "./Formats.ts"
import { type Recall, share } from "./Recall.ts"
import type { SecretClass, SecretFormat } from "./Sample.ts"

/** How another scanner fared beside the redactor, on the same cases. */
export interface Comparison {
  readonly name: string
  readonly flagged: Recall
  readonly covered: Recall
  /** Ours on the cases that it was given. */
  readonly ours: Recall
  /** What it flags and the redactor does not cover, as format and context. */
  readonly ahead: ReadonlyMap<string, number>
}

export interface Negatives {
  readonly characters: number
  readonly spans: ReadonlyArray<FalseSpan>
}

export interface Findings {
  readonly recall: Recall
  readonly source: Negatives
  readonly generated: Negatives
  readonly comparisons: ReadonlyArray<Comparison>
}

export interface Verdict {
  readonly target: string
  readonly isMet: boolean
  /** What falls short, the worst first. */
  readonly short: ReadonlyArray<string>
}

export const percent = (value: number): string => `${(100 * value).toFixed(1)} %`

const isOf =
  (...classes: ReadonlyArray<SecretClass>) =>
  (format: SecretFormat): boolean =>
    classes.includes(format.class)

const MOST_NAMED = 8

/** The worst formats of those that fall short. */
const worst = (formats: ReadonlyArray<readonly [format: SecretFormat, value: number]>): string => {
  const named = [...formats].sort((a, b) => a[1] - b[1]).map(([{ id }, value]) => `${id} ${percent(value)}`)
  const rest = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : ""
  return named.slice(0, MOST_NAMED).join(", ") + rest
}

/** Every format of a class by itself, in every place that leaves it whole. */
const eachWhole = (recall: Recall, kind: SecretClass, least: number): Verdict => {
  const below = [...recall.cells()].filter(
    ({ format, context, tally }) => format.class === kind && context.cut === "whole" && share(tally) < least,
  )
  const short = [...Map.groupBy(below, ({ context }) => context.name)].map(
    ([name, cells]) => `${name}: ${worst(cells.map(({ format, tally }) => [format, share(tally)]))}`,
  )
  const what = kind === "A" ? "each strong format" : "each structure"
  return { target: `${what} in every unsplit context: at least ${percent(least)}`, isMet: short.length === 0, short }
}

const overall = (recall: Recall, context: Context, classes: ReadonlyArray<SecretClass>, least: number): Verdict => {
  const of = isOf(...classes)
  const found = share(recall.over((format, each) => each === context && of(format)))
  const below = FORMATS.filter(of)
    .map((format) => [format, share(recall.over((f, c) => f === format && c === context))] as const)
    .filter(([, value]) => value < least)
  const target = `${context.name} (${classes.join(", ")}): at least ${percent(least)}, found ${percent(found)}`
  return { target, isMet: found >= least, short: found >= least ? [] : [worst(below)] }
}

/** A format without a strong beginning is told by its whole shape, so one that is cut is not asked for. */
const CUT: Readonly<Record<Exclude<Context["cut"], "whole">, readonly [ReadonlyArray<SecretClass>, number]>> = {
  truncated: [["A", "C", "N"], 0.95],
  blocks: [["A", "B", "C", "N"], 0.99],
  records: [["A", "C", "N"], 0.95],
}

const cuts = (recall: Recall): ReadonlyArray<Verdict> =>
  CONTEXTS.flatMap((context) => {
    if (context.cut === "whole") return []
    const [classes, least] = CUT[context.cut]
    return [overall(recall, context, classes, least)]
  })

const TEN_MEGABYTES = 10_000_000

/** Spans of one kind and start in one file stand together. */
const list = (spans: ReadonlyArray<FalseSpan>): ReadonlyArray<string> => {
  const groups = Map.groupBy(spans, ({ kind, file, start }) => `${kind} (${JSON.stringify(start)}) at ${file}`)
  return [...groups].map(
    ([what, found]) =>
      `${what}:${found
        .map(({ line }) => line)
        .slice(0, 5)
        .join(",")}${found.length > 5 ? ` and ${found.length - 5} more` : ""}`,
  )
}

const precision = ({ source, generated }: Findings): ReadonlyArray<Verdict> => {
  const allowed = (generated.characters + source.characters) / TEN_MEGABYTES
  return [
    { target: "no false span in source code", isMet: source.spans.length === 0, short: list(source.spans) },
    {
      target: "at most one false span in 10 MB",
      isMet: generated.spans.length + source.spans.length <= allowed,
      short: list(generated.spans),
    },
  ]
}

const beside = ({ name, flagged, covered, ours, ahead }: Comparison): ReadonlyArray<Verdict> => {
  const short = CONTEXTS.flatMap((context) => {
    const [own, other, seen] = [ours, covered, flagged].map((each) => share(each.over((_, c) => c === context)))
    if (own === undefined || other === undefined || seen === undefined) return []
    const isBetter = own === 1 || (own > other && own >= seen)
    return isBetter ? [] : [`${context.name}: ${percent(own)}, ${name} covers ${percent(other)} and flags ${percent(seen)}`]
  })
  const missed = [...ahead].sort((a, b) => b[1] - a[1]).map(([where, count]) => `${where}: ${count}`)
  return [
    { target: `better than ${name} in every context`, isMet: short.length === 0, short },
    { target: `everything that ${name} flags is covered`, isMet: missed.length === 0, short: missed },
  ]
}

export const verdicts = (findings: Findings): ReadonlyArray<Verdict> => [
  eachWhole(findings.recall, "A", 0.995),
  eachWhole(findings.recall, "C", 0.99),
  ...cuts(findings.recall),
  ...precision(findings),
  ...findings.comparisons.flatMap(beside),
]
