/**
 * Session content as it may be shown: nothing in it can move a cursor, change a colour, reverse the reading order or end a line.
 *
 * Content comes from models, tools and other programs. A control character in it would be carried out by the terminal, so each one
 * is written as what it is: `\x1b`, `\u202e`.
 */

/** C0 and C1 controls without the line feed, and what reorders, breaks or hides text: bidirectional controls, line separators, BOM. */
const ACTIVE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const written = (character: string): string => {
  const code = character.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`
}

const escaped = (text: string): string => text.replace(ACTIVE, written).replace(LONE_SURROGATE, "\ufffd")

/** The text on one line: every run of white space is one space, every active character is written out. Never starts or ends with a space. */
export const oneLine = (text: string): string => escaped(text.replace(/\s+/g, " ").trim())

/** The text's lines, without their line ends, every active character written out. A tab is two spaces. */
export const lines = (text: string): ReadonlyArray<string> =>
  text.split(/\r\n|\n|\r/).map((line) => escaped(line.replaceAll("\t", "  ")))

/** A path, an id or another short value: unchanged except that active characters and line feeds are written out. */
export const visible = (text: string): string => escaped(text).replaceAll("\n", "\\n")

/** The text of a JSON value, still JSON and the same value, with every active character written as JSON writes it. */
export const jsonLine = (text: string): string =>
  text.replace(ACTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
