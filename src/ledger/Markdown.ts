/**
 * Text in a Markdown document, so that nothing it says can pass for a part of the document.
 *
 * What was said stands in block quotes: a fence, a comment or a list that it leaves open ends with the quote, and a heading in it is one of
 * the quote. What stands within a line is a code span with more backticks around it than in it.
 */
import { lineOf } from "./Excerpt.ts"

/** Also at the ends of lines that Markdown does not know and other readers of the text do. */
const LINE_END = /\r\n|[\r\n\u2028\u2029]/

/** A text in full, as a block quote. */
export const quote = (text: string): string =>
  text
    .split(LINE_END)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")

/** The first line of a text, at most 60 units, as a code span; "" for a text that is blank. */
export const span = (text: string): string => {
  const line = lineOf(text)
  if (line === "") return ""
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((ticks) => ticks.length))
  const ticks = "`".repeat(longest + 1)
  return longest === 0 ? `${ticks}${line}${ticks}` : `${ticks} ${line} ${ticks}`
}

/** An address as a link when it is one of the web, else as a code span. */
export const link = (address: string): string =>
  /^https?:\/\/[^\s<>\u0000-\u001f]+$/.test(address) ? `<${address}>` : span(address)
