/** A path as a person in a directory would type it. */
import { isAbsolute, relative } from "node:path"

/** Relative to the directory when it lies in it, else as it is. */
export const typedPath = (directory: string, path: string): string => {
  const from = relative(directory, path)
  return from === "" || from.startsWith("..") || isAbsolute(from) ? path : from
}
