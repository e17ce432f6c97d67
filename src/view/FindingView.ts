/** Secrets that were found, for people: their kinds and places, and nothing of themselves. */
import type { LineFinding } from "../redaction/LineCleaner.ts"
import { visible } from "./Escape.ts"
import { count, integer } from "./Quantity.ts"

/** Places that are listed of one file. */
const LISTED = 20

/** `3 secrets: 2 github-token, 1 env`, the most frequent kind first. */
export const findingSentence = (findings: ReadonlyArray<LineFinding>): string => {
  const kinds = new Map<string, number>()
  for (const { kind } of findings) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  const sorted = [...kinds].sort(([a, m], [b, n]) => n - m || a.localeCompare(b, "en"))
  return `${count(findings.length, "secret")}: ${sorted.map(([kind, n]) => `${integer(n)} ${kind}`).join(", ")}`
}

/** A line for each place, the first twenty; then how many more there are. */
export const findingLines = (findings: ReadonlyArray<LineFinding>): ReadonlyArray<string> => {
  const shown = findings.slice(0, LISTED).map(({ kind, line, offset, at }) => {
    const place = at === undefined ? "" : ` at ${visible(at)}`
    return `line ${integer(line)}, byte ${integer(offset)}: ${kind}${place}`
  })
  const more = findings.length - shown.length
  return more === 0 ? shown : [...shown, `and ${integer(more)} more; --json has all`]
}
