/** Why a value or a text was not made into a line of a journal. Nothing of it was written. */
import * as Data from "effect/Data"

export type NotJsonReason =
  /** A value that JSON has no form for: undefined, NaN, a function, a symbol, a bigint, an instance of a class, a hole in an array. */
  | "not-json"
  /** An object or array that contains itself. */
  | "cycle"
  /** Nested deeper than a reader accepts. */
  | "too-deep"
  /** A line longer than a reader accepts. */
  | "too-long"
  /** A text that is not one JSON value. */
  | "not-json-text"

/** `path` names the place as in `message.content[0].text`, empty for the value itself; keys that held a secret stand there redacted. */
export class NotJson extends Data.TaggedError("NotJson")<{
  readonly path: string
  readonly reason: NotJsonReason
  readonly found: string
}> {
  readonly code = "redaction.not_json"

  override get message(): string {
    return `${this.path === "" ? "the value" : this.path} is ${this.found}`
  }
}
