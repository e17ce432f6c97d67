/** Titles and one-line names of sessions. */

/** The longest title, in UTF-16 units. */
const MAX_TITLE_UNITS = 60

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g

/** One line of at most 60 units, its end an ellipsis when it was longer; never half a code point. */
export const shortLine = (line: string): string => {
  if (line.length <= MAX_TITLE_UNITS) return line
  const cut = line.slice(0, MAX_TITLE_UNITS - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

/** A title as it is kept: spaces for control characters and for runs of white space, trimmed, short. */
export const cleanTitle = (title: string): string => shortLine(title.replace(CONTROL, " ").replace(/\s+/g, " ").trim())
