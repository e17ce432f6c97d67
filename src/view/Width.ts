/** How many columns of a terminal a text takes, and texts cut or filled to a number of columns. Texts are without colour. */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Characters that take no column of their own. */
const ZERO = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u

const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u

/** Blocks of East Asian characters that take two columns. */
const WIDE: ReadonlyArray<readonly [from: number, to: number]> = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
]

const columns = (grapheme: string): number => {
  const code = grapheme.codePointAt(0) ?? 0
  if (code < 0x300) return grapheme.includes("\ufe0f") ? 2 : 1
  if (ZERO.test(grapheme)) return 0
  return EMOJI.test(grapheme) || WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1
}

const ASCII = /^[\u0020-\u007e]*$/

/** The columns of a text without control characters. */
export const width = (text: string): number => {
  if (ASCII.test(text)) return text.length
  let total = 0
  for (const { segment } of graphemes.segment(text)) total += columns(segment)
  return total
}

/** UTF-16 units per column that are looked at when a text is cut: more only a grapheme of many marks needs. */
const UNITS_PER_COLUMN = 8

/** The text in at most `limit` columns: itself, or its beginning and `…`. Cost: the limit, however long the text. */
export const cut = (text: string, limit: number): string => {
  if (limit <= 0) return ""
  const enough = text.slice(0, (limit + 1) * UNITS_PER_COLUMN)
  if (enough.length === text.length && width(text) <= limit) return text
  let taken = ""
  let used = 0
  for (const { segment } of graphemes.segment(enough)) {
    const next = used + columns(segment)
    if (next > limit - 1) break
    taken += segment
    used = next
  }
  return `${taken.trimEnd()}…`
}

/** The text and as many spaces as fill it up to a number of columns. */
export const fill = (text: string, to: number): string => text + " ".repeat(Math.max(0, to - width(text)))

/** As many spaces as are missing to a number of columns, and the text. */
export const fillLeft = (text: string, to: number): string => " ".repeat(Math.max(0, to - width(text))) + text
