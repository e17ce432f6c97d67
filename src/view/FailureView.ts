/** A failure for people: what happened, where, what is safe, what to do next, and the code to look up. */
import { lines, visible } from "./Escape.ts"
import { integer } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import { fill } from "./Width.ts"

export interface FailureReport {
  readonly code: string
  readonly message: string
  readonly path?: string
  readonly line?: number
  readonly offset?: number
  readonly safe: string
  readonly remedy: string
}

const NAME_COLUMNS = 6

const placeOf = ({ path, line, offset }: FailureReport): string | undefined => {
  if (line === undefined && offset === undefined) return undefined
  const parts = [
    ...(path === undefined ? [] : [visible(path)]),
    ...(line === undefined ? [] : [`line ${integer(line)}`]),
    ...(offset === undefined ? [] : [`byte ${integer(offset)}`]),
  ]
  return parts.join(", ")
}

/** The lines of a failure. */
export const failureLines = (report: FailureReport, style: Style): ReadonlyArray<string> => {
  const place = placeOf(report)
  const rows = [
    ...(place === undefined ? [] : [["at", place] as const]),
    ["safe", report.safe] as const,
    ["next", report.remedy] as const,
    ["code", report.code] as const,
  ]
  const [first = "", ...more] = lines(report.message)
  return [
    `${style.red("✗")} ${style.bold(first)}`,
    ...more.map((line) => `  ${line}`),
    ...rows.map(([name, value]) => `  ${style.dim(fill(name, NAME_COLUMNS))}${visible(value)}`),
  ]
}
