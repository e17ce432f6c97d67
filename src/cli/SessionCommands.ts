/** The commands that change one thing of a session, make a new one from another, list or remove: what each takes and says of itself. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "./Flags.ts"
import { lazily } from "./Lazily.ts"

const changing = { file: Flags.file, migrate: Flags.migrate, json: Flags.json, format: Flags.format }
const copying = { file: Flags.file, to: Flags.to, json: Flags.json, format: Flags.format }

export const title = Command.make(
  "title",
  { ...changing, text: Argument.String("TEXT").pipe(Argument.withDescription("The title, on one line")) },
  (input) =>
    lazily(
      () => import("./Title.ts"),
      ({ title }) => title(input),
    ),
).pipe(
  Command.withDescription(
    "Gives a session a title. It is yours: no automatic title replaces it. A ledger's file keeps its time: a title is no work.",
  ),
  Command.withShortDescription("Give a session a title"),
  Command.withExamples([{ command: 'annals title session.jsonl "Parser tests"' }]),
)

export const star = Command.make("star", changing, (input) =>
  lazily(
    () => import("./Star.ts"),
    ({ star }) => star(input),
  ),
).pipe(
  Command.withDescription("Marks a session with a star."),
  Command.withShortDescription("Mark a session with a star"),
  Command.withExamples([{ command: "annals star session.jsonl" }]),
)

export const unstar = Command.make("unstar", changing, (input) =>
  lazily(
    () => import("./Star.ts"),
    ({ unstar }) => unstar(input),
  ),
).pipe(
  Command.withDescription("Takes the star of a session away."),
  Command.withShortDescription("Take the star away"),
  Command.withExamples([{ command: "annals unstar session.jsonl" }]),
)

export const label = Command.make(
  "label",
  {
    ...changing,
    id: Argument.String("ID").pipe(Argument.withDescription("The entry, by its id or the beginning of it")),
    text: Argument.String("TEXT").pipe(Argument.withDescription("The label; without it the label is cleared"), Argument.optional),
  },
  (input) =>
    lazily(
      () => import("./Label.ts"),
      ({ label }) => label(input),
    ),
).pipe(
  Command.withDescription("Gives an entry a label, or clears the one that it has."),
  Command.withShortDescription("Label an entry, or clear its label"),
  Command.withExamples([
    { command: "annals label session.jsonl 346ab68c good" },
    { command: "annals label session.jsonl 346a", description: "Clear the label; the beginning of an id is enough" },
  ]),
)

export const fork = Command.make("fork", copying, (input) =>
  lazily(
    () => import("./Copy.ts"),
    ({ fork }) => fork(input),
  ),
).pipe(
  Command.withDescription(
    "Makes a new session with everything that another one holds. Of a tree all its branches, in a file of version 5; of a ledger the sessions of its subagents stay with it. The other one is only read, of whatever version it is.",
  ),
  Command.withShortDescription("A new session with everything of another one"),
  Command.withExamples([
    { command: "annals fork session.jsonl" },
    { command: "annals fork session.jsonl --to copy.jsonl", description: "Into a file of your choice" },
  ]),
)

export const branchOut = Command.make(
  "branch-out",
  {
    ...copying,
    leaf: Flag.String("leaf").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("The entry at which the path ends, by its id or the beginning of it"),
    ),
  },
  (input) =>
    lazily(
      () => import("./Copy.ts"),
      ({ branchOut }) => branchOut(input),
    ),
).pipe(
  Command.withDescription(
    "Makes a new session with one path of another one, from its root to an entry, labels included, in a file of version 5. The other one is only read, of whatever version it is.",
  ),
  Command.withShortDescription("A new session with one path of another one"),
  Command.withExamples([{ command: "annals branch-out session.jsonl --leaf 346ab68c --to path.jsonl" }]),
)

export const tail = Command.make(
  "tail",
  {
    file: Flags.file,
    follow: Flags.toggle("follow", "Go on with what comes, also in a file that does not exist yet, until it is interrupted").pipe(
      Flag.withAlias("f"),
    ),
    lines: Flag.Int("lines").pipe(
      Flag.withAlias("n"),
      Flag.withMetavar("N"),
      Flag.withDescription("So many of the last records and damages (10 by default)"),
      Flag.withDefault(10),
    ),
    json: Flags.json,
    jsonl: Flags.jsonl,
  },
  (input) =>
    lazily(
      () => import("./Tail.ts"),
      ({ tail }) => tail(input),
    ),
).pipe(
  Command.withDescription(
    "The last records of a session, one a line, and with --follow those that another process writes, each once, also when the file is replaced. Changes nothing, and the writer does not notice it.",
  ),
  Command.withShortDescription("The last records, and those that come"),
  Command.withExamples([
    { command: "annals tail session.jsonl" },
    { command: "annals tail -f session.jsonl --jsonl", description: "Every new record, for a program" },
  ]),
)

export const list = Command.make(
  "list",
  {
    dir: Flag.String("dir").pipe(
      Flag.withMetavar("DIR"),
      Flag.withDescription("A directory of session files; by default the .garuda/sessions of the current directory"),
      Flag.optional,
    ),
    cwd: Flag.String("cwd").pipe(
      Flag.withMetavar("DIR"),
      Flag.withDescription("Another project than the current directory; of --dir and --all only the sessions about it"),
      Flag.optional,
    ),
    all: Flags.toggle("all", "Our own store of tree sessions too"),
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("At most so many sessions (20 by default)"),
      Flag.withDefault(20),
    ),
    json: Flags.json,
  },
  (input) =>
    lazily(
      () => import("./List.ts"),
      ({ list }) => list(input),
    ),
).pipe(
  Command.withDescription(
    "The sessions of a project or of a directory, newest work first. Says which files it left out and why, and how many it did not look into.",
  ),
  Command.withShortDescription("Sessions, newest first"),
  Command.withExamples([
    { command: "annals list", description: "The ledger sessions of this project" },
    { command: "annals list --dir ~/.pi/agent/sessions/project --limit 5" },
  ]),
)

export const remove = Command.make("rm", { file: Flags.file, yes: Flags.yes, json: Flags.json, format: Flags.format }, (input) =>
  lazily(
    () => import("./Remove.ts"),
    ({ remove }) => remove(input),
  ),
).pipe(
  Command.withDescription(
    "Says what removing a ledger session would take away: its file and the sessions of its subagents. With --yes takes their leases and removes them, the session's own file last, so that a removal that was stopped can be carried on.",
  ),
  Command.withShortDescription("Plan the removal of a ledger session, and carry it out with --yes"),
  Command.withExamples([
    { command: "annals rm .garuda/sessions/20260923-201500-a1b2.jsonl", description: "Only the plan" },
    { command: "annals rm .garuda/sessions/20260923-201500-a1b2.jsonl --yes", description: "Carry it out" },
  ]),
)

export const exportSession = Command.make(
  "export",
  {
    file: Flags.file,
    to: Flag.String("to").pipe(
      Flag.withMetavar("PATH"),
      Flag.withDescription("Where in the current directory, which must not exist; by default garuda-ID.md"),
      Flag.optional,
    ),
    timeZone: Flag.String("time-zone").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("An IANA name such as Europe/Berlin for the times; by default UTC"),
      Flag.optional,
    ),
    json: Flags.json,
    format: Flags.format,
  },
  (input) =>
    lazily(
      () => import("./Export.ts"),
      ({ exportSession }) => exportSession(input),
    ),
).pipe(
  Command.withDescription(
    "Writes a ledger session out as a Markdown document, from its file, which holds no secrets. Nothing is overwritten, and nothing is written outside the current directory.",
  ),
  Command.withShortDescription("A session as a Markdown document"),
  Command.withExamples([
    { command: "annals export 20260923-201500-a1b2.jsonl" },
    { command: "annals export 20260923-201500-a1b2.jsonl --to docs/flaky-test.md --time-zone Europe/Berlin" },
  ]),
)
