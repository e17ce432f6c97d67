/** Redaction of a stream of text, for hosts with Effect. */
import * as Stream from "effect/Stream"
import type { Redactor } from "./Redactor.ts"

/**
 * The text of a stream without secrets: the same whatever pieces it comes in (law SEC-13). A piece is given on as soon as nothing that may
 * follow could change it; what is left comes when the stream ends. When it fails, what was held is not given. For bytes, decode them first:
 * `Stream.decodeText`.
 */
export const redacted =
  (redactor: Pick<Redactor, "stream">) =>
  <E, R>(text: Stream.Stream<string, E, R>): Stream.Stream<string, E, R> =>
    Stream.suspend(() => {
      const clean = redactor.stream()
      return text.pipe(
        Stream.map((piece) => clean.push(piece)),
        Stream.concat(Stream.suspend(() => Stream.make(clean.end()))),
        Stream.filter((piece) => piece !== ""),
      )
    })
