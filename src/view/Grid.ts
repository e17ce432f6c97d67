/** Cells in columns. A cell is laid out by its text and only then styled, so colours never shift a column. */
import { fill, fillLeft, width } from "./Width.ts"

export interface Cell {
  readonly text: string
  readonly style?: ((text: string) => string) | undefined
}

export const cell = (text: string, style?: (text: string) => string): Cell => ({ text, style })

const GAP = "  "

const laid = ({ text, style }: Cell, to: number, right: boolean): string => {
  const styled = style === undefined ? text : style(text)
  const blank = (right ? fillLeft : fill)("", to - width(text))
  return right ? blank + styled : styled + blank
}

/** Rows of cells, one line each, every column as wide as its widest cell. `right` names the columns that are flush right. */
export const grid = (rows: ReadonlyArray<ReadonlyArray<Cell>>, right: ReadonlyArray<number> = []): ReadonlyArray<string> => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [at, { text }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, width(text))
  }
  return rows.map((row) => {
    const last = row.length - 1
    return row
      .map((item, at) => laid(item, at === last && !right.includes(at) ? 0 : (widths[at] ?? 0), right.includes(at)))
      .join(GAP)
      .trimEnd()
  })
}
