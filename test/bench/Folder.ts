/** A temporary folder outside the project, removed when the process ends, however that comes. */
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

export interface Folder {
  readonly path: string
  /** A new empty folder in it. */
  readonly fresh: () => string
  /** Removes one of those with all that is in it. */
  readonly remove: (path: string) => void
}

export const openFolder = (parent = tmpdir()): Folder => {
  const path = mkdtempSync(join(parent, "annals-bench-"))
  const remove = (each: string): void => rmSync(each, { recursive: true, force: true, maxRetries: 5 })
  process.on("exit", () => remove(path))
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130))
  let count = 0
  return {
    path,
    fresh: () => {
      const fresh = join(path, String(++count))
      mkdirSync(fresh)
      return fresh
    },
    remove,
  }
}

/** True for a file system in memory, on which a sync costs nothing and the figures say nothing. */
export const isInMemory = (path: string): boolean => [0x01021994, 0x858458f6].includes(statfsSync(path).type)
