import * as Result from "effect/Result"
import type { LockRefusal, Locks } from "./Locks.ts"

/**
 * SQLite's lock on an empty file, taken with `BEGIN EXCLUSIVE`. The kernel forgets such a lock as soon as the process closes any
 * descriptor of the file, so nothing else in the process may ever open it.
 */

export type Sqlite = typeof import("node:sqlite")

/** SQLite's primary result codes for a lock that another connection holds. */
const busyCodes: ReadonlySet<number> = new Set([5, 6])

/** Its extended codes for a system that answers the wish for a lock with an error: of reading, checking, setting and giving back a lock. */
const unsupportedCodes: ReadonlySet<number> = new Set([2058, 2314, 3594, 3850])

/** Runs SQL on a connection of its own. It stays open when all went well. */
const connect = (
  sqlite: Sqlite,
  path: string,
  sql: string,
  readOnly: boolean,
): Result.Result<{ readonly close: () => void }, LockRefusal> => {
  let database: InstanceType<Sqlite["DatabaseSync"]> | undefined
  try {
    database = new sqlite.DatabaseSync(path, { readOnly })
    database.exec(sql)
  } catch (cause) {
    database?.close()
    if (!(cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number")) throw cause
    if (busyCodes.has(cause.errcode & 0xff)) return Result.fail({ _tag: "Busy" })
    const _tag = unsupportedCodes.has(cause.errcode) ? "Unsupported" : "Unavailable"
    return Result.fail({ _tag, system: cause.message })
  }
  const open = database
  return Result.succeed({ close: () => open.close() })
}

/** Small pages and no cache, because a lock reads none: with the usual ones each lock that is held takes 85 KB more. */
const small = (schema: string): string => `PRAGMA ${schema}.page_size = 512; PRAGMA ${schema}.cache_size = 0`

/** Databases that a connection may have beside its own: SQLite's own bound, unless it was built with another one. */
const MOST = 10

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * A connection that holds the locks of some files, each as a further database that is locked exclusively. A connection takes 60 KB, such a
 * database a tenth of that.
 */
class Shelf {
  readonly #database: InstanceType<Sqlite["DatabaseSync"]>
  /** Names of databases that are not in use. */
  readonly #free = Array.from({ length: MOST }, (_, n) => `lock${n}`)

  constructor(sqlite: Sqlite) {
    this.#database = new sqlite.DatabaseSync(":memory:")
  }

  get isFull(): boolean {
    return this.#free.length === 0
  }

  get isEmpty(): boolean {
    return this.#free.length === MOST
  }

  /**
   * Locks a file, and returns how to give the lock back; undefined when SQLite has refused it, for whatever reason. In its exclusive mode
   * it keeps a lock that it has had, also when the transaction is taken back that it had it for.
   */
  take(path: string): (() => void) | undefined {
    const name = this.#free.pop()
    if (name === undefined) return undefined
    const free = (): void => {
      this.#database.exec(`DETACH ${name}`)
      this.#free.push(name)
    }
    let isAttached = false
    try {
      this.#database.exec(`ATTACH ${quoted(path)} AS ${name}`)
      isAttached = true
      this.#database.exec(`${small(name)}; PRAGMA ${name}.journal_mode = MEMORY; PRAGMA ${name}.locking_mode = EXCLUSIVE`)
      this.#database.exec("BEGIN EXCLUSIVE; ROLLBACK")
      return free
    } catch (cause) {
      if (!(cause instanceof Error && "errcode" in cause)) throw cause
      if (isAttached) free()
      else this.#free.push(name)
      return undefined
    }
  }

  close(): void {
    this.#database.close()
  }
}

/**
 * The locks of SQLite. The journal of a transaction that never writes stays in memory: no second file.
 *
 * Locks share connections. One that is refused beside others is asked for on a connection of its own: what that says counts, so nothing that
 * befalls one file can stand in the way of another.
 */
export const sqliteLocks = (sqlite: Sqlite): Locks => {
  const shelves: Array<Shelf> = []
  const shelved = (path: string): { readonly close: () => void } | undefined => {
    const shelf = shelves.find(({ isFull }) => !isFull) ?? new Shelf(sqlite)
    const free = shelf.take(path)
    if (free !== undefined && !shelves.includes(shelf)) shelves.push(shelf)
    const leave = (): void => {
      if (!shelf.isEmpty) return
      if (shelves.includes(shelf)) shelves.splice(shelves.indexOf(shelf), 1)
      shelf.close()
    }
    if (free === undefined) {
      leave()
      return undefined
    }
    return {
      close: () => {
        free()
        leave()
      },
    }
  }
  return {
    take: (path) => {
      const taken = shelved(path)
      if (taken !== undefined) return Result.succeed(taken)
      return connect(sqlite, path, `${small("main")}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`, false)
    },
    isFree: (path) => {
      const read = connect(sqlite, path, "BEGIN; SELECT count(*) FROM sqlite_schema", true)
      if (Result.isFailure(read)) return read.failure._tag === "Busy" ? Result.succeed(false) : Result.fail(read.failure)
      read.success.close()
      return Result.succeed(true)
    },
  }
}
