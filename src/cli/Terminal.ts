/** The process's own standard streams as the ways in and out of a command. */
import type { ReadStream, WriteStream } from "node:tty"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { coloured, plain, type Style } from "../view/Style.ts"
import { Output, OutputClosed } from "./Output.ts"

/** A stream of the process: a terminal, a pipe or a file. */
export type OutStream = NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY" | "columns">>
export type InStream = NodeJS.ReadableStream & Partial<Pick<ReadStream, "isTTY">>

/** Columns of a line when nobody says how many there are. */
const COLUMNS = 110

/** Columns below which nothing can be laid out. */
const MIN_COLUMNS = 40

const isSet = (value: string | undefined): value is string => value !== undefined && value !== ""

/** Whether a stream gets colour. `TERM=dumb` and `NO_COLOR` forbid it, `FORCE_COLOR` asks for it, else a terminal has it. */
export const hasColour = (environment: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean => {
  const { TERM, NO_COLOR, FORCE_COLOR } = environment
  if (TERM === "dumb" || isSet(NO_COLOR)) return false
  if (isSet(FORCE_COLOR)) return FORCE_COLOR !== "0" && FORCE_COLOR.toLowerCase() !== "false"
  return isTerminal
}

const styleFor = (stream: OutStream, environment: Readonly<Record<string, string | undefined>>): Style =>
  hasColour(environment, stream.isTTY === true) ? coloured : plain

/** Writes and waits until the stream has taken it. Any failure means that the reader has gone. */
const written = (stream: OutStream, text: string): Effect.Effect<void, OutputClosed> =>
  Effect.callback((resume) => {
    stream.write(text, (failure) => resume(failure ? Effect.fail(new OutputClosed()) : Effect.void))
  })

/** The output over two streams. */
export const layer = (
  out: OutStream,
  notes: OutStream,
  environment: Readonly<Record<string, string | undefined>>,
): Layer.Layer<Output> =>
  Layer.sync(Output, () => {
    let isClosed = false
    // The failure also comes to the callback of the write; without a listener it would end the process.
    out.on("error", () => {
      isClosed = true
    })
    notes.on("error", () => {})
    let shown = false
    const progress = (text: string): void => {
      if (notes.isTTY !== true || environment["TERM"] === "dumb") return
      if (text !== "" || shown) notes.write(text === "" ? "\r\u001b[2K" : `\r\u001b[2K${text}`)
      shown = text !== ""
    }
    return {
      write: (text) => Effect.suspend(() => (isClosed ? Effect.fail(new OutputClosed()) : written(out, text))),
      note: (line) =>
        Effect.suspend(() => {
          progress("")
          return Effect.ignore(written(notes, `${line}\n`))
        }),
      progress,
      style: styleFor(out, environment),
      noteStyle: styleFor(notes, environment),
      columns: Math.max(out.columns ?? COLUMNS, MIN_COLUMNS),
    }
  })
