/** A command that has said everything and ends with an exit code other than 0. Not a failure to tell of. */
import * as Data from "effect/Data"

export class Ended extends Data.TaggedError("Ended")<{ readonly exit: number }> {}
