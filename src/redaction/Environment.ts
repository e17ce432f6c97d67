/**
 * Which environment values are secrets that can be looked for.
 *
 * A variable counts when its name contains KEY, TOKEN, SECRET, PASSWORD, PASSWD or CREDENTIAL and its value has at least 8 characters. But
 * a value that also stands in ordinary text must not be replaced everywhere: that makes transcripts unreadable and gives the value away.
 * Such a value is *weak*: it goes only where it stands beside a secret name. Values that say where something is, or that are plain words,
 * are not protected at all. Both are reported by name.
 */
import { SHORTEST_VALUE } from "./Assignments.ts"
import { KINDS } from "./Kinds.ts"
import { marker } from "./Marker.ts"

/** Why a variable's value is not looked for everywhere. */
export type SkipReason =
  /** The name says that it holds no secret. */
  | "name"
  /** Fewer than 8 characters. */
  | "short"
  /** A path, an address without a user, a host or a version. */
  | "place"
  /** A number of fewer than 12 digits, or a word that stands everywhere. */
  | "ordinary"
  /** Part of a marker. */
  | "marker"
  /** Letters only and short, or few different characters: goes only beside a secret name. */
  | "weak"

export interface Skipped {
  /** The variable, or `secrets[n]` for a value that the host named. Never the value. */
  readonly name: string
  readonly reason: SkipReason
}

export interface KnownValues {
  /** Replaced wherever they stand. */
  readonly environment: ReadonlyArray<string>
  readonly registered: ReadonlyArray<string>
  /** Replaced beside a secret name. */
  readonly weak: ReadonlySet<string>
  readonly skipped: ReadonlyArray<Skipped>
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i

const HARMLESS_NAME =
  /^KEYBOARD|KEYMAP|KEYWORD|KEYRING|_KEY_(?:PATH|FILE|DIR)$|^TOKENIZERS_PARALLELISM$|^PASSWORD_STORE_DIR$|MAX_TOKENS?$|_TOKEN_LIMIT$/i

const ORDINARY: ReadonlySet<string> = new Set(
  (
    "localhost localhost.localdomain production development staging undefined disabled required optional postgres postgresql password " +
    "passwords username administrator anonymous disable disabled enabled default defaults internal external standard database mongodb " +
    "redis-server rabbitmq keychain keyring libsecret plaintext filesystem environment variable assistant developer function message " +
    "session sessions workspace workspaces computer container"
  ).split(" "),
)

const isPath = (value: string): boolean =>
  /^(?:\.{0,2}|~|[A-Za-z]:)[\\/]/.test(value) &&
  value
    .split(/[\\/:]/)
    .every((part) => /^[\w.@ +~-]*$/.test(part) && !(part.length >= 16 && /\d/.test(part) && /[A-Z]/.test(part)))

const isAddress = (value: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^\s@?#]*$/i.test(value) && !value.split("/").some((part) => part.length >= 16 && /\d/.test(part))

const isHost = (value: string): boolean =>
  /^[a-z0-9.-]+\.(?:com|org|net|io|dev|app|ai|co|edu|gov|cloud|local|internal|lan|[a-z]{2}\.[a-z]{2})(?::\d{1,5})?$/i.test(
    value,
  ) || /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/.test(value)

const isVersion = (value: string): boolean => /^v?\d+(?:\.\d+){1,3}(?:[-+][a-z0-9.]{1,16})?$/i.test(value)

/** Shannon's entropy of the value's characters, in bits for each. */
export const bitsPerCharacter = (value: string): number => {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

const isWeak = (value: string): boolean => (/^[A-Za-z]*$/.test(value) && value.length < 16) || bitsPerCharacter(value) < 2.5

const isPartOfMarker = (value: string): boolean =>
  value.includes("REDACTED") || [...KINDS].some((kind) => marker(kind).includes(value))

const PLACES: ReadonlyArray<string> = ["HOME", "USERPROFILE", "PWD", "USER", "LOGNAME", "USERNAME", "HOSTNAME"]

/**
 * The part of a value that is looked for: without white space, quotes and brackets at its ends. They are often no part of the secret, and
 * in a line of JSON the secret's neighbours could supply them.
 */
const coreOf = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isFrame(value[start] ?? "")) start++
  while (end > start && isFrame(value[end - 1] ?? "")) end--
  return end - start < SHORTEST_VALUE ? value.trim() : value.slice(start, end)
}

/** The forms in which a value is looked for: its own, and on one line, as a title or a label that is made from it has it. */
const formsOf = (value: string): ReadonlyArray<string> => {
  const line = value.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ").replace(/\s+/g, " ")
  return line === value ? [value] : [value, line]
}

const isFrame = (character: string): boolean => /[\s"'`,:{}[\]\\]/.test(character)

const skipReason = (name: string, value: string, places: ReadonlySet<string>): SkipReason | undefined => {
  if (HARMLESS_NAME.test(name)) return "name"
  if (value.length < SHORTEST_VALUE) return "short"
  if (isPartOfMarker(value)) return "marker"
  if (places.has(value) || isPath(value) || isAddress(value) || isHost(value) || isVersion(value)) return "place"
  if (/^\d{1,11}$/.test(value) || ORDINARY.has(value.toLowerCase())) return "ordinary"
  return isWeak(value) ? "weak" : undefined
}

/** The forms in which a value that the host named is looked for, or why it is not. */
export const registered = (given: string): { readonly forms: ReadonlyArray<string>; readonly reason: SkipReason | undefined } => {
  const value = coreOf(given)
  const reason = value.length < SHORTEST_VALUE ? "short" : isPartOfMarker(value) ? "marker" : undefined
  return { forms: reason === undefined ? formsOf(value) : [], reason }
}

/**
 * Sorts environment variables and values that the host named. A named value needs 8
 * characters and must not be part of a marker; no other guard applies to it.
 */
export const knownValues = (
  environment: Readonly<Record<string, string | undefined>>,
  secrets: ReadonlyArray<string> = [],
): KnownValues => {
  const places = new Set(PLACES.map((name) => environment[name] ?? "").filter((value) => value !== ""))
  const found = { environment: new Set<string>(), registered: new Set<string>(), weak: new Set<string>() }
  const skipped: Array<Skipped> = []
  for (const [name, given = ""] of Object.entries(environment)) {
    const value = coreOf(given)
    if (!SECRET_NAME.test(name) || value === "") continue
    const reason = skipReason(name, value, places)
    if (reason !== undefined) skipped.push({ name, reason })
    if (reason === "weak") found.weak.add(value)
    else if (reason === undefined) for (const form of formsOf(value)) found.environment.add(form)
  }
  for (const [index, given] of secrets.entries()) {
    const { forms, reason } = registered(given)
    if (reason === undefined) for (const form of forms) found.registered.add(form)
    else skipped.push({ name: `secrets[${index}]`, reason })
  }
  return { environment: [...found.environment], registered: [...found.registered], weak: found.weak, skipped }
}
