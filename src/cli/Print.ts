/** Values and lines on their way out, in pieces large enough to be written fast and small enough to notice that nobody reads. */
import * as Effect from "effect/Effect"
import { Output, type OutputClosed } from "./Output.ts"

/** UTF-16 units that are gathered before they are written. */
const PIECE_UNITS = 1 << 16

/** Writes texts as they come. */
export const printPieces = (pieces: Iterable<string>): Effect.Effect<void, OutputClosed, Output> =>
  Effect.flatMap(Output, (output) => {
    const iterator = pieces[Symbol.iterator]()
    const step: Effect.Effect<void, OutputClosed> = Effect.suspend(() => {
      let gathered = ""
      for (;;) {
        const next = iterator.next()
        if (next.done === true) return gathered === "" ? Effect.void : output.write(gathered)
        gathered += next.value
        if (gathered.length >= PIECE_UNITS) return Effect.andThen(output.write(gathered), step)
      }
    })
    return step
  })

function* ended(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`
}

/** Writes each text as a line. */
export const printLines = (lines: Iterable<string>): Effect.Effect<void, OutputClosed, Output> => printPieces(ended(lines))

/** Writes the one JSON value of a command, with the version of its shape. */
export const printJson = (value: object): Effect.Effect<void, OutputClosed, Output> =>
  printLines([JSON.stringify({ schemaVersion: 1, ...value })])

/** Values as lines of JSON, each made when it is written. */
export function* jsonLines(values: Iterable<unknown>): Generator<string> {
  for (const value of values) yield JSON.stringify(value)
}
