/**
 * Whether other users could make a writer write somewhere else: what is checked before a file is written to.
 *
 * A name is safe if and only if nobody but its user and the system's administrator can put something else in its place: each directory
 * above it belongs to one of the two and is not open to everybody (or keeps everybody's names apart, as `/tmp` does), each link on the
 * way as well, and the file itself belongs to them and has no further name in another place.
 *
 * Rights of groups are not looked at: groups of one user are common, and whoever is in a real one was let in by name.
 */
import { basename, dirname, resolve, sep } from "node:path"
import type { Disk, FileStat } from "./Disk.ts"

export type Distrust =
  /** A file, directory or link on the way belongs to somebody else, who can replace what is under it. */
  | { readonly _tag: "OtherOwner"; readonly place: string; readonly uid: number }
  /** Everybody may rename and replace what lies in this directory. */
  | { readonly _tag: "OpenToAll"; readonly place: string }
  /** The same file has a name somewhere else: it would change there, too. */
  | { readonly _tag: "OtherName"; readonly place: string; readonly links: number }

/** The user that a system shows for owners it has no number for, as in a container: nothing is known of it. */
const UNMAPPED = 65_534
const ADMINISTRATOR = 0
const WRITABLE_BY_ALL = 0o002
/** In a directory with this bit only the owner of a name may change it. */
const STICKY = 0o1000

/** Where there are no owners the rights say nothing either. */
const isOpen = ({ uid, mode }: FileStat): boolean => uid >= 0 && (mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0

/** From the root down to the directory of the path. */
const directoriesOf = (path: string): ReadonlyArray<string> => {
  const levels: Array<string> = []
  for (let level = dirname(path); ; level = dirname(level)) {
    levels.push(level)
    if (dirname(level) === level) return levels.reverse()
  }
}

/** With a slash behind it a name is followed to its directory. */
const followed = (disk: Pick<Disk, "lstat">, directory: string): FileStat | undefined =>
  disk.lstat(directory.endsWith(sep) ? `${directory}.` : `${directory}${sep}.`)

/**
 * Why a file must not be written to by a user, or undefined when nothing stands against it; the file need not exist. Whoever is the
 * administrator may write to everybody's places. Cost: one or two `lstat` for each directory above the file.
 *
 * @throws DiskFault
 */
export const distrust = (disk: Pick<Disk, "lstat" | "list">, path: string, user: number): Distrust | undefined => {
  const whole = resolve(path)
  const isStranger = ({ uid }: FileStat): boolean =>
    user !== ADMINISTRATOR && uid !== user && uid !== ADMINISTRATOR && uid !== UNMAPPED && uid >= 0
  for (const place of directoriesOf(whole)) {
    const named = disk.lstat(place)
    // What is missing will be made, by this user.
    if (named === undefined) return undefined
    if (isStranger(named)) return { _tag: "OtherOwner", place, uid: named.uid }
    const directory = named.kind === "symlink" ? followed(disk, place) : named
    if (directory === undefined) return undefined
    if (isStranger(directory)) return { _tag: "OtherOwner", place, uid: directory.uid }
    if (isOpen(directory)) return { _tag: "OpenToAll", place }
  }
  const file = disk.lstat(whole)
  if (file?.kind !== "file") return undefined
  if (isStranger(file)) return { _tag: "OtherOwner", place: whole, uid: file.uid }
  return file.links > 1 && file.links > namesBeside(disk, whole, file)
    ? { _tag: "OtherName", place: whole, links: file.links }
    : undefined
}

/** How many names of a file in its directory are made from its own: those that a rewrite gives it, and leaves when it is cut off. */
const namesBeside = (disk: Pick<Disk, "lstat" | "list">, path: string, file: FileStat): number => {
  const name = basename(path)
  const own = (other: string): boolean => other.startsWith(name) || other.startsWith(`.${name}`)
  return disk.list(dirname(path)).filter((other) => {
    if (!own(other)) return false
    const found = disk.lstat(`${dirname(path)}${sep}${other}`)
    return found?.device === file.device && found.inode === file.inode
  }).length
}
