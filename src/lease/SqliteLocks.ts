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
const small = "PRAGMA page_size = 512; PRAGMA cache_size = 0"

/** The locks of SQLite. The journal of a transaction that never writes stays in memory: no second file. */
export const sqliteLocks = (sqlite: Sqlite): Locks => ({
  take: (path) => connect(sqlite, path, `${small}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`, false),
  isFree: (path) => {
    const read = connect(sqlite, path, "BEGIN; SELECT count(*) FROM sqlite_schema", true)
    if (Result.isFailure(read)) return read.failure._tag === "Busy" ? Result.succeed(false) : Result.fail(read.failure)
    read.success.close()
    return Result.succeed(true)
  },
})
