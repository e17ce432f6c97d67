/** A repair for people: what would be changed, or what was changed and where the old bytes are. */
import type { RepairReport } from "../journal/Repair.ts"
import type { RepairAction, RepairPlan } from "../journal/RepairPlan.ts"
import { visible } from "./Escape.ts"
import { cell, grid } from "./Grid.ts"
import { bytes, count, integer } from "./Quantity.ts"
import { shellWord } from "./ShellWord.ts"
import type { Style } from "./Style.ts"

export interface RepairViewOptions {
  readonly path: string
  readonly plan: RepairPlan
  readonly report: RepairReport
}

/** Changes that are listed before the rest is only counted. */
const SHOWN = 40

const WORDS: { readonly [A in RepairAction["action"]]: string } = {
  quarantine: "these bytes go to the quarantine file",
  replace: "the bytes go to the quarantine file, the text that was read takes their place",
  split: "a newline goes between two records",
  "add-newline": "the last line gets its newline",
  "add-header": "the header that was made up goes before the first record",
}

const actionLines = (actions: ReadonlyArray<RepairAction>, style: Style): ReadonlyArray<string> => {
  const rows = actions
    .slice(0, SHOWN)
    .map(({ action, line, offset, length, kind }) => [
      cell(`line ${integer(line)}`),
      cell(`byte ${integer(offset)}`),
      cell(length === 0 ? "" : bytes(length), style.dim),
      cell(kind, style.yellow),
      cell(WORDS[action]),
    ])
  const rest = actions.length - rows.length
  return [...grid(rows, [2]), ...(rest > 0 ? [style.dim(`… and ${count(rest, "more change")}`)] : [])]
}

/** The lines of a plan, or of what became of it. */
export const repairLines = ({ path, plan, report }: RepairViewOptions, style: Style): ReadonlyArray<string> => {
  const name = style.bold(visible(path))
  const { actions } = plan
  if (actions.length === 0) return [`${style.green("✓")} ${name}: nothing to repair`]
  const list = actionLines(actions, style).map((line) => `  ${line}`)
  if (!report.applied) {
    const title = `${name}: ${count(actions.length, "change")} would make it clean; nothing was changed`
    return [title, ...list, `  ${style.dim("next")}  annals repair ${shellWord(path)} --yes`]
  }
  return [
    `${style.green("✓")} ${name}: repaired with ${count(actions.length, "change")}`,
    ...list,
    `  ${style.dim("backup    ")}  ${visible(report.backup ?? "")}`,
    ...(report.quarantine === undefined ? [] : [`  ${style.dim("quarantine")}  ${visible(report.quarantine)}`]),
  ]
}
