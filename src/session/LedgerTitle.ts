/** A title for a ledger session that nobody has open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { planTail } from "../journal/Tail.ts"
import type { LedgerRejection } from "../ledger/Rejection.ts"
import type { WriteError } from "../writer/WriteError.ts"
import type { Rejected } from "./DispatchError.ts"
import type { LoadedLedger } from "./LedgerLoad.ts"
import { type LedgerOpenError, openLedger } from "./LedgerOpening.ts"
import type { LedgerOpenOptions } from "./LedgerRoom.ts"
import { onDisk } from "./OnDisk.ts"
import type { Room } from "./Room.ts"

/**
 * Gives the file the time that it had. Not when its end was put in order: then the same length could be other bytes, and whoever has read
 * the file before must see that. A refusal is no harm: the order of a list does not go by this time.
 */
const restoreTime = (room: Room, { path, summary }: LoadedLedger): Effect.Effect<void> =>
  planTail(summary, true)._tag === "Ready"
    ? Effect.ignore(onDisk(path, () => room.disk.setModified(path, summary.identity.modified)))
    : Effect.void

/**
 * Gives the session the title, and the file the time that it had, also when the title could not be written: a title is no work. Returns
 * the title as it is kept.
 */
export const retitle = Effect.fnUntraced(function* (
  room: Room,
  path: string,
  title: string,
  options: LedgerOpenOptions,
): Effect.fn.Return<string, LedgerOpenError | Rejected<LedgerRejection> | WriteError, Scope.Scope> {
  const { session, loaded } = yield* openLedger(room, path, options)
  const given = Effect.gen(function* () {
    // A title that is not JSON cannot be given: it is a string.
    yield* Effect.catchTag(session.dispatch({ do: "title", title }), "NotJson", Effect.die)
    const kept = (yield* session.state).title ?? ""
    yield* session.close
    return kept
  })
  const hasChanged = Effect.map(
    onDisk(path, () => room.disk.lstat(path)),
    (found) => found?.inode === loaded?.summary.identity.inode && found?.modified !== loaded?.summary.identity.modified,
  )
  const restored = Effect.flatMap(
    Effect.orElseSucceed(hasChanged, () => false),
    (isDue) => (isDue && loaded !== undefined ? restoreTime(room, loaded) : Effect.void),
  )
  return yield* Effect.ensuring(given, Effect.andThen(Effect.ignore(session.close), restored))
})
