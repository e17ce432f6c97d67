/**
 * Whether a value that stands where a secret could stand is code, a word or a stand-in, and so must stay.
 *
 * Redaction that changes source text does harm: the text no longer runs, and a resumed model works on something that is not on the disk.
 * So `options.apiKey`, `z.string().min(8)`, `string | undefined`, `${TOKEN}`, `<your-key>`, plain words, patterns, addresses and file names stay. A
 * single bare word with a digit in it is a secret, and so is a path of names with a long number in it.
 */
import { isName, isPlaceholder, withoutKnown } from "./Words.ts"

/** Longer values are not code, whatever is in them. Keeps the asking cheap. */
const LONGEST = 512

const NUMBER = /^[+-]?(?:0x[0-9a-fA-F_]{1,16}|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?(?:n|ms|s)?)$/

/** Whether the value is a number as JSON or a program writes it. */
export const isNumber = (value: string): boolean => NUMBER.test(value)

/** Parts that are filled in later: shell variables, template holes, angle brackets. */
const REFERENCE =
  /\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$\([^()]*\)|<[^<>]*>|%\([A-Za-z_]\w*\)[sdr]|%[A-Za-z_]\w*%|\$[A-Za-z_]\w*|\{[A-Za-z_][\w.]*\}/g

const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s@?]*$/

const FILE = /^(?:\.{0,2}|~|[A-Za-z]:)[\\/]|^[\w.-]+[\\/][\w./\\-]*\.[a-z]{1,5}$/

/** What only code has between its names. */
const PATH = /^[!&*-]{0,2}[@#$]?[A-Za-z_$][\w$]*(?:\?|!)?(?:\.|::|->|\(|\[|<)/
const BRACKETS = /[(){}[\]<]/

/** A call with something in its brackets, as a sentence about code quotes it. */
const CALL = /^[A-Za-z_$][\w$.]*\([^()]*\)$/

/** How an expression begins, or a text that goes on after the quote that was taken for an opening one. */
const EXPRESSION_START = /^(?:[[({<=>]|\/[*^[(\\])/
const TEXT_GOES_ON = /^\s*(?:[),;\]}>]|\+\s)/

/** What stands in patterns and formats and in no token. */
const PATTERN = /\(\?|\[\^|\\[bdswBDSW]|%[drs]/

const wordParts = (value: string): ReadonlyArray<string> => value.split(/[^A-Za-z0-9]+/)

const areNames = (value: string): boolean => wordParts(value).every(isName)

/** Words joined by capitals, with an acronym at either end. */
const JOINED_WORDS = /^[A-Z]{0,4}[a-z]*(?:[A-Z][a-z]+)*[A-Z]{0,2}$|^[A-Z]+$/

/** Signs that stand in passwords, and in code only between blanks. */
const PASSWORD_SIGN = /.[~^]/

/** Names as they stand in code and in the names of files: a short number may follow, stand inside or stand alone. */
const areNumberedNames = (value: string): boolean =>
  !(PASSWORD_SIGN.test(value) && /\d/.test(value)) &&
  wordParts(value).every((part) => /^\d{1,6}$/.test(part) || isNumberedName(part, part.replace(/\d{1,3}/, "")))

const isNumberedName = (part: string, letters: string): boolean =>
  isName(letters) && (letters.length === part.length || JOINED_WORDS.test(letters))

/** The ends that an operator leaves at a name: a sign before it, and what asserts, asks or goes on behind it. */
const OPERATORS = /^[!&*-]{1,2}|[?!:;.]$/g

/** What joins the names of a path in no language. */
const ODD_JOINT = /[~^]|![^.]|-[._]|_-|-$/

/** A number within a name, before its next word. */
const INNER_NUMBER = /^([A-Za-z][a-z]*)\d{1,2}(?=[A-Z][a-z]{2})/

const isPathName = (part: string): boolean => {
  const rest = withoutKnown(part)
  if (/^\d{0,6}$/.test(rest)) return true
  const letters = rest.replace(/\d{1,3}$/, "").replace(INNER_NUMBER, "$1")
  return JOINED_WORDS.test(letters) && isName(letters) && !/[bcdfghjklmnpqrstvwxz]{5}/.test(letters)
}

/** A run of small letters or of capitals that is a word and no initial. */
const WORD = /[a-z]{3}|^[A-Z]{4,}$/

/**
 * Whether names joined by dots are a path of code, such as `config.db2.password`. Every password with a dot in it looks like one at first,
 * so the numbers must stand where names have them, and one of the names must be a word.
 */
const isDottedPath = (value: string): boolean => {
  const path = value.replace(OPERATORS, "")
  const parts = wordParts(path)
  if (ODD_JOINT.test(path) || (path.includes("_") && path.includes("-"))) return false
  return parts.every(isPathName) && parts.some((part) => WORD.test(part) && /[aeiouy]/i.test(part))
}

/** Two letters beyond those of English, as words of other languages have them. */
const FOREIGN_WORD = /(?=[^\x00-\x7f])\p{L}.*(?=[^\x00-\x7f])\p{L}|(?=[^\x00-\x7f])\p{L}[a-z]{2}|[a-z]{2}(?=[^\x00-\x7f])\p{L}/u

const SEPARATED_WORDS = /^[?@#!*&~^<]?[A-Za-z0-9 _./:\\-]*$/

/**
 * Whether the value stays. `isQuoted` says that it stood in quotes and so is a string, not an expression. Numbers are the caller's to judge.
 * Looks at no more than the first 512 characters' worth of value.
 */
export const looksLikeCode = (given: string, isQuoted: boolean): boolean => {
  if (given.length > LONGEST) return false
  const value = given.includes("%") ? given.replace(/(?<=\w)%[0-9A-F]{2}(?=\w)/g, "-") : given
  if (isPlaceholder(value)) return true
  const rest = value.replace(REFERENCE, "")
  if (rest.length < value.length && rest.replace(/[^A-Za-z0-9]/g, "").length < 8) return true
  if (ADDRESS.test(value)) return true
  if (PATTERN.test(value) || (FILE.test(value) && areNumberedNames(value))) return true
  if (FOREIGN_WORD.test(value) && areNumberedNames(value)) return true
  if (isQuoted)
    return (
      TEXT_GOES_ON.test(value) ||
      (CALL.test(value) && areNumberedNames(value)) ||
      (SEPARATED_WORDS.test(rest) && (areNames(rest) || (PATH.test(rest) && isDottedPath(rest))))
    )
  if (EXPRESSION_START.test(value)) return true
  if (areNames(rest)) return true
  return BRACKETS.test(value) ? areNumberedNames(rest) : PATH.test(value) && isDottedPath(rest)
}

/** Whether a quoted text of several words holds one that a machine drew. Prose, also prose with numbers, does not. */
export const holdsDrawnWord = (value: string): boolean =>
  value.length <= LONGEST &&
  value
    .split(/\s+/)
    .some((word) => word.length >= 8 && /\d/.test(word) && /[A-Za-z]/.test(word) && !looksLikeCode(word, true) && !isNumber(word))
