/**
 * The two ways out of a command: data on standard output, notes on standard error.
 *
 * Data waits while its reader is slow. When the reader has gone, `write` fails with {@link OutputClosed} and nothing more is written.
 * Notes never fail: a command must not end because nobody listens to its remarks.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Style } from "../view/Style.ts"

/** Nobody reads the standard output any more. */
export class OutputClosed extends Data.TaggedError("OutputClosed") {}

export class Output extends Context.Service<
  Output,
  {
    /** Writes a piece of data; its line ends are the caller's. */
    readonly write: (text: string) => Effect.Effect<void, OutputClosed>
    /** Writes one line of a note. */
    readonly note: (line: string) => Effect.Effect<void>
    /** Shows a state that the next one replaces; an empty text takes it away. Does nothing when notes do not go to a terminal. */
    readonly progress: (text: string) => void
    /** The styles for data and for notes: without colour unless they go to a terminal that has it. */
    readonly style: Style
    readonly noteStyle: Style
    /** Columns of a line of data. */
    readonly columns: number
  }
>()("annals/cli/Output") {}
