/** The command about the right to write: what it takes and says of itself. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "./Flags.ts"
import { lazily } from "./Lazily.ts"

export const lock = Command.make(
  "lock",
  {
    file: Flags.file,
    force: Flags.toggle(
      "force",
      "Set aside a writer that cannot be seen from here, or a promise to one; never one that holds the lock or is seen alive. Needs --reason",
    ),
    reason: Flag.String("reason").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription("Why it is forced; written down, with your name, for whoever asks later"),
      Flag.optional,
    ),
    json: Flags.json,
  },
  (input) =>
    lazily(
      () => import("./Lock.ts"),
      ({ lock }) => lock(input),
    ),
).pipe(
  Command.withDescription(
    "Who holds the right to write to a session, since when, and why it can or cannot be taken. Changes nothing without --force. Exits 0 when it is free and 4 when it cannot be taken.",
  ),
  Command.withShortDescription("Who may write to a session, and why"),
  Command.withExamples([
    { command: "annals lock session.jsonl" },
    {
      command: 'annals lock session.jsonl --force --reason "the other machine is gone"',
      description: "After looking there yourself",
    },
  ]),
)
