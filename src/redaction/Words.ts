/**
 * Telling names that people give from characters that a machine drew.
 *
 * A guess by shape, used only to leave code and prose alone: names change case like words joined by capitals, have no long runs of
 * consonants, and digits only in well-known words such as `sha256`.
 */

const KNOWN =
  /sha(?:1|224|256|384|512)|md5|base(?:16|32|36|58|62|64)|utf(?:8|16|32)|oauth[12]|auth0|x509|ed25519|x25519|secp256[kr]1|aes(?:128|192|256)|[hre]s(?:256|384|512)|pkcs(?:1|7|8|12)|http[123]|ipv[46]|u?int(?:8|16|32|64)|float(?:32|64)|web3|i18n|k8s/gi

/** A run without the words that have digits in them. */
export const withoutKnown = (run: string): string => run.replace(KNOWN, "")

const LONGEST_NAME = 48

/** Shorter runs are not judged. */
const SHORT = 8

/**
 * How many stretches of one case are odd for a name: a single small letter, or capitals in a row. Joined words have one capital and then
 * small letters, an acronym now and then; in drawn letters every second stretch is odd.
 */
const oddStretches = (letters: string): number =>
  letters.match(/(?<![a-z])[a-z](?![a-z])|[A-Z]{3,}(?![a-z])|[A-Z]{2,}(?=[a-z])/g)?.length ?? 0

/** Whether a run of letters and digits reads like a word or like words joined by capitals. Short runs of letters do. */
export const isName = (run: string): boolean => {
  const letters = run.length > LONGEST_NAME ? run : withoutKnown(run)
  if (letters.length > LONGEST_NAME || !/^[A-Za-z]*$/.test(letters)) return false
  if (letters.length < SHORT) return true
  return !/[bcdfghjklmnpqrstvwxz]{6}/.test(letters) && oddStretches(letters) <= 1 + letters.length / 16
}

/** Words joined by capitals, and the length from which on drawn letters never look like them. */
const WORDS = /^[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*$/
const LONG = 16

/** How the keys end that a vendor's documentation shows, and how the two begin that are shown everywhere, also cut. */
const EXAMPLE = /EXAMPLE(?:KEY|TOKEN)?$|^(?:wJalrXUtnFEMI|je7MtGbClwBF)(?![^/])|^(?:IOSFODNN7|I44QH8DHB)E?X?A?M?P?L?$/

/** What is filled in with crosses or noughts. */
const STAND_IN = /^(?:[xX0*._-]+|(?:[\w./-]{0,23}[-_./])?[xX]{8,}|T0{6,}.*)$/

/** Longest body that is asked whether it reads like a name. Longer ones do not, which keeps the asking cheap. */
const LONGEST_BODY = 100

/**
 * Whether what follows a prefix reads like the rest of a name or like a placeholder (`npm_config_registry`, `sk-ant-your-key-here`,
 * `ghp_xxxxxxxx`) and not like a secret. After a weak prefix names may have numbers and need no separator.
 */
export const readsLikeName = (body: string, isWeak: boolean, full: number): boolean => {
  if (body.length > LONGEST_BODY) return false
  if (STAND_IN.test(body) || EXAMPLE.test(body)) return true
  const parts = body.split(/[-_./+=]+/).filter((part) => part !== "")
  if (isWeak) return parts.every((part) => isName(part.replace(/\d{1,3}$/, "")))
  if (/[-_./]/.test(body)) return parts.every((part) => /^(?:[a-z]{2,20}|[A-Z]{2,20})\d{0,2}$/.test(part))
  return body.length < full && (/^[A-Z]+$/.test(body) || (body.length < LONG && WORDS.test(body)))
}

/** The end of a placeholder whose beginning looks like that of a secret: a row of one character, or the digits in order. */
const FILLED = /^[A-Za-z_-]{0,20}[-_](?:[xX]{8,}|\*{4,}|\.{3,}|0{8,}|0?123456789\w{0,8})$/

/** A value that stands for a secret and is none: the name of what belongs there, or a row of one character. */
export const isPlaceholder = (value: string): boolean =>
  /^(?:[xX]+|\*+|\.+|…+|-+|_+|#+|•+)$/.test(value) ||
  FILLED.test(value) ||
  EXAMPLE.test(value) ||
  /^(?:-?anonymous@?|MY_?(?:TOKEN|KEY|SECRET|PASSWORD)\d?)$/.test(value) ||
  (value.length <= LONGEST_BODY &&
    /^(?:your|example|placeholder|change[-_]?me|replace[-_]|insert[-_]|xxx|\*{3}|<)/i.test(value) &&
    !/\d{4}/.test(value))

/** What the word for a password begins with, in languages that are written in plain letters. In others no secret is a word. */
const SPEAKS = /passw|passphrase|kennwort|mot de passe|senha|parola|wachtwoord|passord|adgangskode|salasana|heslo/i

/** Words for a password that are nothing else, as a form is labelled with them. */
const LABELS: ReadonlySet<string> = new Set(
  "undefined required optional disabled password passwords passphrase passwort kennwort wachtwoord adgangskode salasana".split(
    " ",
  ),
)

/** Letters beyond those of English. */
const FOREIGN = /[^\x00-\x7f]/

/** Whether a text under the name of a password is what a form says about it: its label, a request, a sentence. */
export const speaksOfPassword = (value: string): boolean =>
  LABELS.has(value.toLowerCase()) ||
  (/\s/.test(value) && SPEAKS.test(value)) ||
  (FOREIGN.test(value) && /\p{L}/u.test(value) && !/\d/.test(value)) ||
  /^(?:\S+\s+){4,}\S+[.!?…]$/.test(value)
