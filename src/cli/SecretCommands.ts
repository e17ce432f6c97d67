/** The commands about secrets: what each takes and says of itself. */

import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.ts"
import { lazily } from "./Lazily.ts"
import { UsageError } from "./Usage.ts"

export const redact = Command.make(
  "redact",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("A file of text or JSONL; - is the standard input")),
    write: Flags.toggle(
      "write",
      "Take the secrets out of the file itself: of a session, or of JSONL. Shows a plan without --yes",
    ),
    yes: Flags.yes,
    copies: Flags.toggle("copies", "With --write: also out of backups, quarantines and leftovers beside it"),
    json: Flags.toggle("json", "Print the findings as one JSON value, and not the text"),
  },
  Effect.fnUntraced(function* ({ write, yes, copies, ...input }) {
    const problem =
      !write && (yes || copies)
        ? "--yes and --copies go with --write"
        : write && input.file === "-"
          ? "The standard input cannot be written: name a file"
          : undefined
    if (problem !== undefined) return yield* new UsageError({ message: problem, command: "annals redact" })
    if (!write)
      return yield* lazily(
        () => import("./Redact.ts"),
        ({ redact }) => redact(input),
      )
    return yield* lazily(
      () => import("./Scrub.ts"),
      (scrub) => scrub.write({ ...input, yes, copies }),
    )
  }),
).pipe(
  Command.withDescription(
    "Text or JSONL in, the same without secrets out. Where something was found is told on standard error; of what was found nothing is shown. Values of secret environment variables count too. With --write the file of a session is written itself, by today's rules: whole or not at all, under its lease, without a backup, and searched afterwards.",
  ),
  Command.withShortDescription("Take the secrets out of a text or of JSONL"),
  Command.withExamples([
    { command: "annals redact notes.txt" },
    { command: "git log -p | annals redact -", description: "From a pipe" },
    { command: "annals redact session.jsonl --write --yes", description: "In the file itself" },
  ]),
)

export const scan = Command.make(
  "scan",
  {
    paths: Argument.String("PATH").pipe(
      Argument.withDescription("Files, or directories whose files are read with those below"),
      Argument.variadic({ min: 1 }),
    ),
    json: Flags.json,
  },
  (input) =>
    lazily(
      () => import("./Scan.ts"),
      ({ scan }) => scan(input),
    ),
).pipe(
  Command.withDescription(
    "Reads transcripts that are there already and reports secrets in them by kind, file and line, without showing them. Changes nothing. Ends with 5 when there are any.",
  ),
  Command.withShortDescription("Look for secrets in transcripts that are there"),
  Command.withExamples([{ command: "annals scan ~/.claude/projects" }, { command: "annals scan session.jsonl --json" }]),
)
