/** What stands on a file system behind a power cut, and what the library had said was durable before it. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { noteTail, type Reopening } from "./Reopening.ts"
import type { Tally } from "./Tally.ts"

/** `written` is the control: its records are acknowledged before a sync, so that a cut takes some. */
export type Work = "append" | "create" | "replace" | "written"

export const appendedName = "session.jsonl"
export const replacedName = "replaced"
export const sessionName = (number: number): string => `session-${number}.jsonl`

/** The content of a file that is replaced again and again: its number at both ends. */
export const contentOf = (number: number): string => `${number}\n${"filler ".repeat(700)}\n${number}\n`

/** How many of the numbers are in the file for the control; it is told and not judged. */
export const keptOf = (folder: string): number => {
  const path = join(folder, appendedName)
  if (!existsSync(path)) return 0
  return readFileSync(path, "latin1").split('"name":"0.').length - 1
}

/** More records than a host has in its queue. */
const ahead = 20_000

/** What a folder must hold, and who judges it. */
export interface Expected {
  readonly where: string
  readonly work: Work
  /** How many pieces of work were acknowledged, always the first ones. */
  readonly count: number
  /** How many processes have gone on in the folder since. */
  readonly later: number
}

const nameOf = (later: number): string => `next.${later}`
const namesOf = (later: number): ReadonlyArray<string> => Array.from({ length: later }, (_, at) => nameOf(at))

/** Judges a folder, and lets the next process go on in it. */
export const judgeCut = async (tally: Tally, next: Reopening, folder: string, expected: Expected): Promise<void> => {
  const { where, work, count } = expected
  if (work === "append") return judgeAppended(tally, next, join(folder, appendedName), expected)
  if (work === "create") return judgeCreated(tally, next, folder, expected)
  const path = join(folder, replacedName)
  if (!existsSync(path)) {
    if (count > 0) lose(tally, where, count, "the replaced file is gone")
    return
  }
  const text = readFileSync(path, "utf8")
  const number = Number.parseInt(text, 10)
  if (text !== contentOf(number)) tally.fail(where, `neither the old file nor the new one: ${text.length} characters`)
  else if (number < count) lose(tally, where, count - number, `replaced ${count} times, and it is number ${number}`)
}

const lose = (tally: Tally, where: string, count: number, what: string): void => {
  tally.figures.lost += count
  tally.fail(where, what)
}

const judgeAppended = async (tally: Tally, next: Reopening, path: string, { where, count, later }: Expected): Promise<void> => {
  if (!existsSync(path)) {
    if (count > 0) lose(tally, where, count, "the session is gone")
    return
  }
  noteTail(tally, path)
  await next.append(path, nameOf(later))
  const sent = Array.from({ length: count + ahead }, (_, at) => `0.${at + 1}`)
  const nexts = namesOf(later + 1)
  tally.judge(where, readFileSync(path, "utf8"), [...sent, ...nexts], [...sent.slice(0, count), ...nexts])
}

const judgeCreated = async (tally: Tally, next: Reopening, folder: string, expected: Expected): Promise<void> => {
  const { where, count, later } = expected
  // The last one is where the next processes go on.
  for (let n = 1; n <= count; n++) {
    const path = join(folder, sessionName(n))
    if (!existsSync(path)) {
      lose(tally, where, 1, `session ${n} is gone`)
      continue
    }
    const isLast = n === count
    if (isLast) await next.append(path, nameOf(later))
    const names = [`r${n}`, ...(isLast ? namesOf(later + 1) : [])]
    tally.judge(where, readFileSync(path, "utf8"), names, names)
  }
  // The one that was under way may be there; then it can be gone on with, too.
  const path = join(folder, sessionName(count + 1))
  if (!existsSync(path)) return
  await next.append(path, `under way ${nameOf(later)}`)
  const nexts = namesOf(later + 1).map((name) => `under way ${name}`)
  tally.judge(where, readFileSync(path, "utf8"), [`r${count + 1}`, ...nexts], nexts.slice(-1))
}
