/** The beginning of a text: never with half a code point at its end. */
import { cutLine, shortLine } from "./Title.ts"

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** At most so many UTF-16 units of a text. */
export const beginning = (text: string, units: number): string => {
  if (text.length <= units) return text
  return text.slice(0, isHighSurrogate(text.charCodeAt(units - 1)) ? units - 1 : units)
}

/** The same, without the word at the cut when it has a digit: it could be a key, and nobody would know it by its half. */
export const beginningOfWords = (text: string, units: number): string =>
  text.length <= units ? text : cutLine(text, units).slice(0, -1)

/** The first line that is not blank, trimmed and at most 60 units long; "" when there is none. */
export const lineOf = (text: string): string =>
  shortLine(
    text
      .split(/[\r\n\u2028\u2029]/)
      .map((line) => line.trim())
      .find((line) => line !== "") ?? "",
  )
