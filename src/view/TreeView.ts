/** The entry tree drawn in text, one entry a line, long quiet stretches folded into one line each. */

import * as Result from "effect/Result"
import { ownObject, ownString } from "../model/Json.ts"
import { at } from "../model/Sequence.ts"
import { recordAt, type TreeState } from "../tree/State.ts"
import { forest, labelOf, path } from "../tree/Tree.ts"
import { type Row, rows } from "./Drawing.ts"
import { oneLine, visible } from "./Escape.ts"
import { type Preview, previewEntry } from "./Preview.ts"
import { count, integer } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import { cut, fill, width } from "./Width.ts"

export interface TreeViewOptions {
  readonly style: Style
  /** Columns to fill. */
  readonly columns: number
  /** Shows every entry instead of folding quiet stretches. */
  readonly all: boolean
}

/** Types of entries that a reader looks for: they are never folded away. */
const LANDMARKS: ReadonlySet<string> = new Set(["compaction", "branch_summary", "session_init", "reset_boundary"])

/** Entries of a quiet stretch that are shown rather than folded. */
const SHORT = 3

const KIND_COLUMNS = 10

interface Line extends Row {
  readonly id: string
  readonly preview: Preview
  readonly label: string | undefined
  readonly isLeaf: boolean
  readonly isQuiet: boolean
}

const lineOf = (state: TreeState, row: Row, leaf: number): Line => {
  const id = at(state.entries, row.position)?.id ?? ""
  const record = recordAt(state, row.position) ?? {}
  const label = labelOf(state, id)
  const isLeaf = row.position === leaf
  const isUser = ownString(ownObject(record, "message") ?? {}, "role") === "user"
  const isLandmark = isUser || LANDMARKS.has(ownString(record, "type") ?? "")
  return {
    ...row,
    id,
    preview: previewEntry(record),
    label,
    isLeaf,
    isQuiet: !(row.isJoint || isLeaf || isLandmark || label !== undefined),
  }
}

const kindStyle = (kind: string, style: Style): ((text: string) => string) => {
  switch (kind) {
    case "user":
      return style.bold
    case "assistant":
      return style.cyan
    case "compaction":
    case "summary":
      return style.yellow
    default:
      return style.dim
  }
}

const entryLine = (line: Line, { style, columns }: TreeViewOptions): string => {
  const { preview } = line
  const id = visible(line.id)
  const label = line.label === undefined ? "" : ` [${oneLine(line.label)}]`
  const leaf = line.isLeaf ? " ◀ leaf" : ""
  const kind = fill(preview.kind, KIND_COLUMNS)
  const room = columns - width(line.lead) - width(id) - width(kind) - width(label) - width(leaf) - 4
  const text = cut(preview.text, Math.max(room, 16))
  const shown = preview.failed ? style.red(text) : preview.kind === "user" ? text : style.dim(text)
  const head = `${style.dim(line.lead)}${style.dim(id)}  ${kindStyle(preview.kind, style)(kind)}  ${shown}`
  return `${head}${style.yellow(label)}${style.green(leaf)}`.trimEnd()
}

/** `14 entries: 7 assistant, 7 tool`. */
const stretchLine = (lines: ReadonlyArray<Line>, { style }: TreeViewOptions): string => {
  const kinds = new Map<string, number>()
  for (const { preview } of lines) kinds.set(preview.kind, (kinds.get(preview.kind) ?? 0) + 1)
  const parts = [...kinds].sort(([, a], [, b]) => b - a).map(([kind, n]) => `${integer(n)} ${kind}`)
  return style.dim(`${lines[0]?.through ?? ""}${count(lines.length, "entry", "entries")}: ${parts.join(", ")}`)
}

function* folded(stretch: ReadonlyArray<Line>, options: TreeViewOptions): Generator<string> {
  if (stretch.length <= SHORT) for (const line of stretch) yield entryLine(line, options)
  else yield stretchLine(stretch, options)
}

/** The drawing, line by line. O(entries), and never deeper than the drawing is indented. */
export function* treeLines(state: TreeState, options: TreeViewOptions): Generator<string> {
  const live = Result.getOrElse(path(state), () => ({ positions: [] as ReadonlyArray<number> })).positions
  const onPath = new Set(live)
  const leaf = live.at(-1) ?? -1
  let stretch: Array<Line> = []
  for (const row of rows(forest(state), (position) => onPath.has(position))) {
    const line = lineOf(state, row, leaf)
    if (line.isQuiet && !options.all) {
      stretch.push(line)
      continue
    }
    yield* folded(stretch, options)
    stretch = []
    yield entryLine(line, options)
  }
  yield* folded(stretch, options)
}
