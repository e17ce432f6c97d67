/**
 * From an error to what is told of it: the message, the place, what is safe, what to do, the code, and the exit code.
 *
 * Errors of the library say what happened and carry a code; what follows from the code stands in `model/Failure.ts`.
 */
import { DiskFault } from "../disk/Disk.ts"
import { failureOf } from "../model/Failure.ts"
import { NotJson } from "../redaction/NotJson.ts"
import type { FailureReport } from "../view/FailureView.ts"
import { shellWord } from "../view/ShellWord.ts"

export interface Report extends FailureReport {
  readonly exit: number
  /** Further facts for programs, such as the owner of a lease. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** UTF-16 units of a message: an error may name a value, and a value may be long. */
const MESSAGE_UNITS = 500

interface Coded {
  readonly code: string
  readonly message: string
  readonly members: Readonly<Record<string, unknown>>
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** An error with a code, its own or that of its reason; or a rejection of a model, which is a reason of its own. */
const codedOf = (error: unknown): Coded | undefined => {
  const outer = record(error)
  const reason = record(outer["reason"] ?? outer["rejection"])
  const code = reason["code"] ?? outer["code"]
  const message = outer["message"] === "" || outer["message"] === undefined ? reason["message"] : outer["message"]
  if (typeof code !== "string" || error instanceof DiskFault) return undefined
  // That path leads into a value, not to a file.
  const members = error instanceof NotJson ? {} : { ...outer, ...reason }
  return { code, message: typeof message === "string" ? message : code, members }
}

/** Where in this program an error was thrown, without the path of the machine: `Context.ts:45`. */
const placeIn = (error: unknown): string | undefined =>
  error instanceof Error ? /([\w.-]+\.[jt]s:\d+):\d+/.exec(error.stack ?? "")?.[1] : undefined

/** What is said of an error that nobody foresaw. Its own message is not repeated: it may quote what it was about. */
const unexpected = (error: unknown): string => {
  if (error instanceof DiskFault) return `The disk refused: ${error.message}`
  const name = error instanceof Error ? error.name : typeof error
  const place = placeIn(error)
  return `An unexpected failure: ${name}${place === undefined ? "" : ` at ${place}`}`
}

const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const FACTS = [
  "owner",
  "obstacle",
  "forcible",
  "until",
  "how",
  "version",
  "dialect",
  "holder",
  "system",
  "operation",
  "candidates",
  "left",
]

/** The remedy with what stands for the file and for the command in place. */
const filledIn = (remedy: string, path: string | undefined, command: string | undefined): string => {
  const named = path === undefined ? remedy : remedy.replaceAll("FILE", shellWord(path))
  return command === undefined ? named : named.replaceAll("COMMAND", command)
}

/** The report of any error or defect. Never throws. */
export const reportOf = (error: unknown): Report => {
  const coded = codedOf(error)
  const code = coded?.code ?? "internal.unexpected"
  const members = coded?.members ?? {}
  const { exit, safe, remedy } = failureOf(code)
  const next = stringOf(members["instead"]) ?? remedy
  const path = stringOf(members["path"]) ?? (error instanceof DiskFault ? error.path : undefined)
  const line = numberOf(members["line"])
  const offset = numberOf(members["offset"])
  const facts = FACTS.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]] as const]))
  return {
    code,
    message: (coded?.message ?? unexpected(error)).slice(0, MESSAGE_UNITS),
    ...(path === undefined ? {} : { path }),
    ...(line === undefined ? {} : { line }),
    ...(offset === undefined ? {} : { offset }),
    safe,
    remedy: filledIn(next, path, stringOf(members["command"])),
    exit,
    facts: Object.fromEntries(facts),
  }
}

/** The report as the error object that programs read. */
export const errorJson = ({ exit: _, facts, ...report }: Report): Readonly<Record<string, unknown>> => ({ ...report, ...facts })
