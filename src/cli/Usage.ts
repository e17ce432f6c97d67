/** A command line that cannot be understood, or asks for what does not go together. */
import * as Data from "effect/Data"

export class UsageError extends Data.TaggedError("UsageError")<{
  readonly message: string
  /** The command whose help tells more, as `annals append`. */
  readonly command: string
}> {
  readonly code = "usage.invalid"
}
