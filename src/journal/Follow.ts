/**
 * A journal that another process writes, as a stream of what becomes certain: the items of a Follower, looked for again and again.
 *
 * Any number of readers may follow a session, before its file exists and while it is written, migrated, repaired or removed; none of
 * them is noticed by the writer. Looking at the file is the mechanism, so it does not matter whether its file system tells of changes;
 * a host that is told of them passes that on as `hint` and need not wait for the next look.
 *
 * Each item is given once (law FOL-1, see Follower.ts). A reader that takes slowly makes the follower wait; nothing is queued but the
 * items of one chunk. Whoever takes no more closes the file. Fails with a ReadError when the name is no regular file or the disk
 * refuses; a missing file is waited for.
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { FOLLOW_INTERVAL_MS } from "../model/Limits.ts"
import { Follower, type FollowerOptions, type FollowItem, type ReadingDisk, type Step } from "./Follower.ts"
import { ReadError } from "./Reader.ts"

export interface FollowOptions extends FollowerOptions {
  /** Of what is there at first, only so many items are given, the last ones. Default: all. What is left out is not held in memory. */
  readonly last?: number | undefined
  /** The time between two looks at the file. Default: FOLLOW_INTERVAL_MS. */
  readonly every?: Duration.Input | undefined
  /** Completes when it is worth to look before that time is over; run anew after each look. */
  readonly hint?: Effect.Effect<unknown> | undefined
  /**
   * Completes when the writer has closed the file. The follower then reads to the end, takes a last line without a newline for what it
   * is, and the stream ends. Without it the stream does not end.
   */
  readonly until?: Effect.Effect<unknown> | undefined
}

const step = (follower: Follower, isLast: boolean): Effect.Effect<Step, ReadError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(follower.step(isLast))
    } catch (cause) {
      return cause instanceof ReadError ? Effect.fail(cause) : Effect.die(cause)
    }
  })

/** The last items of what is there at first. */
class Last {
  readonly #count: number
  #items: ReadonlyArray<FollowItem> | undefined = []

  constructor(count: number) {
    this.#count = Math.max(0, count)
  }

  /** What is given of the items of a step: nothing until all is read that is there, then the last of them, then all that comes. */
  take(items: ReadonlyArray<FollowItem>, state: Step["state"]): ReadonlyArray<FollowItem> {
    if (this.#items === undefined) return items
    const all = [...this.#items, ...items]
    const kept = this.#count === 0 ? [] : all.slice(-this.#count)
    this.#items = state === "more" ? kept : undefined
    return state === "more" ? [] : kept
  }
}

/** The records, damages and changes of the file under a name. The file is opened when the stream is run. */
export const follow = (disk: ReadingDisk, path: string, options: FollowOptions = {}): Stream.Stream<FollowItem, ReadError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { every = FOLLOW_INTERVAL_MS, hint = Effect.never, until = Effect.never } = options
      const follower = yield* Effect.acquireRelease(
        Effect.sync(() => new Follower(disk, path, options)),
        (open) => Effect.sync(() => open.close()),
      )
      const closed = yield* Deferred.make<void>()
      yield* Effect.forkScoped(Effect.ensuring(until, Deferred.succeed(closed, undefined)))
      const pause = Effect.raceAllFirst([Effect.sleep(every), Deferred.await(closed), hint])
      let rest: Effect.Effect<unknown> = Effect.yieldNow
      const first = options.last === undefined ? undefined : new Last(options.last)
      const page = Effect.gen(function* () {
        yield* rest
        // Asked before the look: what was written before the writer closed is then seen by it.
        const isLast = yield* Deferred.isDone(closed)
        const { items, state } = yield* step(follower, isLast)
        rest = state === "waiting" ? pause : Effect.yieldNow
        const given = first?.take(items, state) ?? items
        return [given, state === "done" ? Option.none() : Option.some(undefined)] as const
      })
      return Stream.paginate(undefined, () => page)
    }),
  )
