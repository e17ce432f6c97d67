/**
 * The standard input as numbered lines of text, in bounded memory.
 *
 * A line ends with a newline byte; the last one may lack it, and a carriage return before it does no harm. A line that is no UTF-8,
 * too long, or has NUL bytes in it is a line too: it is given with the code of what is wrong with it. Blank lines are counted and
 * not given.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { decodeStrictly } from "../journal/Encoding.ts"
import { type Piece, Splitter } from "../journal/Splitter.ts"

export type InputProblem = "input.not_utf8" | "input.not_json" | "input.too_long"

export interface InputLine {
  /** Counted from 1. */
  readonly n: number
  readonly text: string
  readonly problem: InputProblem | undefined
}

/** The standard input gave an error instead of bytes. */
export class InputError extends Data.TaggedError("InputError")<{ readonly message: string }> {
  readonly code = "input.unreadable"
}

/** Bytes of the longest command. */
export const MAX_COMMAND_BYTES = 64 << 20

const problemWith = (text: string | undefined): InputProblem | undefined => (text === undefined ? "input.not_utf8" : undefined)

/** Gathers the pieces of one line after the other. */
class Lines {
  #problem: InputProblem | undefined
  #whole = true

  /** The line that a piece ends, if it ends one. */
  take(piece: Piece): InputLine | undefined {
    const { line: n, ended } = piece
    let text: string | undefined = ""
    if (piece._tag === "Segment") text = decodeStrictly(piece.bytes)
    this.#problem ??=
      piece._tag === "Oversize" ? "input.too_long" : piece._tag === "NulRun" ? "input.not_json" : problemWith(text)
    const isWhole = this.#whole && piece._tag === "Segment"
    this.#whole = false
    if (ended !== "newline" && ended !== "end") return undefined
    const problem = this.#problem
    this.#problem = undefined
    this.#whole = true
    return { n, text: isWhole && text !== undefined ? text.replace(/^\ufeff/, "") : "", problem }
  }
}

const BLANK = /^[ \t\r]*$/

/** Calls `onLine` for each line in order and waits for it before the next. Ends with the input, or with a failure of `onLine`. */
export const readLines = <E, R>(
  input: AsyncIterable<Uint8Array>,
  onLine: (line: InputLine) => Effect.Effect<void, E, R>,
): Effect.Effect<void, E | InputError, R> =>
  Effect.gen(function* () {
    const splitter = new Splitter({ maxLineBytes: MAX_COMMAND_BYTES })
    const lines = new Lines()
    const chunks = input[Symbol.asyncIterator]()
    const each = Effect.fnUntraced(function* (pieces: Iterable<Piece>) {
      for (const piece of pieces) {
        const line = lines.take(piece)
        if (line !== undefined && (line.problem !== undefined || !BLANK.test(line.text))) yield* onLine(line)
      }
    })
    const next = Effect.tryPromise({
      try: () => chunks.next(),
      catch: (cause) => new InputError({ message: `The standard input cannot be read (${codeOf(cause)})` }),
    })
    for (let chunk = yield* next; chunk.done !== true; chunk = yield* next) yield* each(splitter.push(chunk.value))
    yield* each(splitter.end())
  })

const codeOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" ? code : "unknown"
}
