/** The entry that a person means: by its id, or by the beginning of its id when no other entry's id begins so. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { iterate } from "../model/Sequence.ts"
import { has, recordOf, type TreeState } from "../tree/State.ts"
import { visible } from "../view/Escape.ts"
import { previewEntry } from "../view/Preview.ts"
import { count, integer } from "../view/Quantity.ts"
import { cut } from "../view/Width.ts"

/** The session has no such entry. */
export class UnknownEntry extends Data.TaggedError("UnknownEntry")<{
  readonly path: string
  readonly code: "tree.unknown_leaf" | "tree.unknown_target"
  readonly message: string
}> {}

/** Several ids begin with what was given. */
export class AmbiguousId extends Data.TaggedError("AmbiguousId")<{
  readonly path: string
  readonly message: string
  /** The ids, at most {@link CANDIDATES}, in file order. */
  readonly candidates: ReadonlyArray<string>
}> {
  readonly code = "tree.ambiguous_id"
}

export interface Asked {
  /** The session's file, as it was named. */
  readonly path: string
  /** What it is called when there is no such entry. */
  readonly unknown: UnknownEntry["code"]
}

/** Candidates that are listed for a program and for a person. */
const CANDIDATES = 100
const SHOWN = 5

/** Columns of what was given and of a candidate, so that all of it fits into a message. */
const GIVEN_COLUMNS = 40
const LINE_COLUMNS = 64

const candidateLine = (state: TreeState, id: string): string => {
  const { kind, text } = previewEntry(recordOf(state, id) ?? {})
  return cut(`${visible(id)}  ${kind}  ${text}`.trimEnd(), LINE_COLUMNS)
}

const ambiguous = (state: TreeState, ids: ReadonlyArray<string>, given: string, path: string): AmbiguousId => {
  const more = ids.length - SHOWN
  const lines = [
    `${count(ids.length, "id")} begin with ${cut(visible(given), GIVEN_COLUMNS)}:`,
    ...ids.slice(0, SHOWN).map((id) => candidateLine(state, id)),
    ...(more > 0 ? [`… and ${integer(more)} more`] : []),
  ]
  return new AmbiguousId({ path, message: lines.join("\n"), candidates: ids.slice(0, CANDIDATES) })
}

/** The whole id. O(1) for a whole id, O(entries) for the beginning of one. */
export const entryIdOf = (
  state: TreeState,
  given: string,
  { path, unknown }: Asked,
): Effect.Effect<string, UnknownEntry | AmbiguousId> =>
  Effect.suspend((): Effect.Effect<string, UnknownEntry | AmbiguousId> => {
    if (has(state, given)) return Effect.succeed(given)
    const found = new Set<string>()
    if (given !== "") for (const { id } of iterate(state.entries)) if (id.startsWith(given)) found.add(id)
    const [id, ...more] = found
    if (id === undefined) {
      const message = `The session has no entry whose id is or begins with ${JSON.stringify(cut(visible(given), GIVEN_COLUMNS))}.`
      return Effect.fail(new UnknownEntry({ path, code: unknown, message }))
    }
    return more.length === 0 ? Effect.succeed(id) : Effect.fail(ambiguous(state, [id, ...more], given, path))
  })
