/** A title for a ledger session that nobody has open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import type { WriteError } from "../writer/WriteError.ts"
import type { Rejected } from "./DispatchError.ts"
import { type LedgerOpenError, openLedger } from "./LedgerOpening.ts"
import { onDisk } from "./OnDisk.ts"
import type { Room } from "./Room.ts"

/** Gives the session the title, and the file the time that it had: a title is no work. Returns the title as it is kept. */
export const retitle = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  title: string,
): Effect.fn.Return<string, LedgerOpenError | Rejected<LedgerRejection> | WriteError, Scope.Scope> {
  const { session, loaded } = yield* openLedger(room, path, {})
  // A title that is not JSON cannot be given: it is a string.
  const { records } = yield* Effect.catchTag(session.dispatch({ do: "title", title }), "NotJson", Effect.die)
  const kept = (yield* session.state).title ?? ""
  yield* session.close
  const modified = loaded?.summary.identity.modified
  if (records.length > 0 && modified !== undefined) yield* onDisk(path, () => room.disk.setModified(path, modified))
  return kept
})
