/** Titles and one-line names of sessions. */

/** The longest title, in UTF-16 units. */
const MAX_TITLE_UNITS = 60

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g

/** The last word of a text, with the space before it. */
const LAST_WORD = /(?:^|\s)\S*$/

/**
 * The beginning of a line, `units` long at most, with an ellipsis. Never half a code point, and never a part of a word with a digit in it:
 * the word could be a key, and nobody would know it by its half.
 */
export const cutLine = (line: string, units: number): string => {
  const cut = line.slice(0, units)
  const whole = isHalf(line, units) ? cut.slice(0, -1) : cut
  const rest = /^\S*/.exec(line.slice(whole.length))?.[0] ?? ""
  const word = LAST_WORD.exec(whole)?.[0] ?? ""
  return `${rest !== "" && /\d/.test(word + rest) ? whole.slice(0, whole.length - word.length) : whole}…`
}

/** Whether a cut at this place would part a surrogate pair. */
const isHalf = (line: string, at: number): boolean => /^[\ud800-\udbff][\udc00-\udfff]$/.test(line.slice(at - 1, at + 1))

/** One line of at most 60 units, its end an ellipsis when it was longer. */
export const shortLine = (line: string): string => (line.length <= MAX_TITLE_UNITS ? line : cutLine(line, MAX_TITLE_UNITS - 1))

/** A title as it is kept: spaces for control characters and for runs of white space, trimmed, short. */
export const cleanTitle = (title: string): string => shortLine(title.replace(CONTROL, " ").replace(/\s+/g, " ").trim())
