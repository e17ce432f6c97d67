/** Steps of a demonstration: a mark, a number, a name, how long it took, and below what was done and what it proves. */
import { visible } from "./Escape.ts"
import { duration } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import { fill, fillLeft, width } from "./Width.ts"

export interface Step {
  readonly name: string
  readonly ok: boolean
  readonly detail: ReadonlyArray<string>
  /** Milliseconds. */
  readonly took: number
}

/** Columns of the longest line: longer ones are read with difficulty, however wide the terminal. */
const MAX_COLUMNS = 100

const INDENT = "     "

/** The text in lines of at most so many columns, broken between words. */
const wrapped = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** The lines of one step, a blank one behind it. `number` counts from 1. */
export const stepLines = (
  { name, ok, detail, took }: Step,
  number: number,
  style: Style,
  columns: number,
): ReadonlyArray<string> => {
  const all = Math.min(columns, MAX_COLUMNS)
  const time = duration(took)
  const title = fill(`${number}  ${name}`, all - 2 - width(time))
  const mark = ok ? style.green("✓") : style.red("✗")
  const body = detail.flatMap((text) =>
    wrapped(visible(text), all - INDENT.length - 2).map((line, at) => `${INDENT}${style.dim(at === 0 ? "· " : "  ")}${line}`),
  )
  return [`${mark} ${style.bold(title)}${style.dim(fillLeft(time, width(time)))}`, ...body, ""]
}
