/** Why a command was not carried out although the journal is well. Nothing has changed. */
import * as Data from "effect/Data"

/** The model refused the command. `rejection` is the model's own value and says why and what to do. */
export class Rejected<Rejection> extends Data.TaggedError("Rejected")<{ readonly rejection: Rejection }> {}
