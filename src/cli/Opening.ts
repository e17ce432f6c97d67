/** What opening a session for writing does to its file, for people: said before the first command, or after it. */
import type { ReadSummary } from "../journal/Reader.ts"
import type { OpenTree } from "../session/TreeStore.ts"
import { visible } from "../view/Escape.ts"
import { count, integer } from "../view/Quantity.ts"

interface Opened extends Partial<Pick<OpenTree, "forkedFrom" | "migration">> {
  readonly path: string
  /** The session as it was read; undefined for a new one. */
  readonly loaded: { readonly summary: Pick<ReadSummary, "tail"> } | undefined
}

const forked = (path: string, forkedFrom: string): string =>
  `${visible(forkedFrom)} belongs to another agent and stays as it is; the session goes on in ${visible(path)}`

/** The stretch that is put aside; undefined when the file ends with a whole record. */
const tornTail = ({ loaded }: Opened): string | undefined => {
  const tail = loaded?.summary.tail
  return tail === undefined ? undefined : `${count(tail.length, "byte")} at byte ${integer(tail.offset)}`
}

/** What a person should know before the first record goes out. */
export const before = (opened: Opened): ReadonlyArray<string> => {
  const { path, forkedFrom, migration } = opened
  if (forkedFrom !== undefined) return [forked(path, forkedFrom)]
  if (migration !== undefined)
    return [
      `The first command rewrites ${visible(path)} to version ${migration.to}; the old file is kept as ${visible(migration.backup)}`,
    ]
  const tail = tornTail(opened)
  return tail === undefined ? [] : [`The first command puts a torn tail aside: ${tail}`]
}

/** What became of the file, apart from the record that was appended. */
export const after = (opened: Opened): ReadonlyArray<string> => {
  const { path, forkedFrom, migration } = opened
  if (forkedFrom !== undefined) return [forked(path, forkedFrom)]
  if (migration !== undefined)
    return [
      `${visible(path)} was rewritten to version ${migration.to} first; the old file is kept as ${visible(migration.backup)}`,
    ]
  const tail = tornTail(opened)
  return tail === undefined ? [] : [`A torn tail was put aside first: ${tail}`]
}
