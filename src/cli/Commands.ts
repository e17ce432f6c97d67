/**
 * The commands: what each takes and says of itself. What each does stands in a file of its own, which is loaded when it runs.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Files } from "../disk/Files.ts"
import * as Flags from "./Flags.ts"
import type { Host } from "./Host.ts"
import { lazily } from "./Lazily.ts"
import { lock } from "./LeaseCommands.ts"
import type { Output } from "./Output.ts"
import { redact, scan } from "./SecretCommands.ts"
import { branchOut, exportSession, fork, label, list, remove, star, tail, title, unstar } from "./SessionCommands.ts"

const demo = Command.make(
  "demo",
  { json: Flags.json, keep: Flags.toggle("keep", "Keep the demo's folder; by default it is removed when every proof holds") },
  (input) =>
    lazily(
      () => import("./Demo.ts"),
      ({ demo }) => demo(input),
    ),
).pipe(
  Command.withDescription(
    "The main job on a real session, offline, in a temporary folder of its own: resumes it, goes on with it through the writer thread, is killed in the middle, resumes again, and proves what it claims.",
  ),
  Command.withShortDescription("See the main job done and proven on a bundled session"),
  Command.withExamples([
    { command: "annals demo" },
    { command: "annals demo --keep", description: "Look at the files afterwards" },
  ]),
)

const verify = Command.make(
  "verify",
  { files: Flags.files, json: Flags.json, jsonl: Flags.jsonl, format: Flags.format },
  (input) =>
    lazily(
      () => import("./Verify.ts"),
      ({ verify }) => verify(input),
    ),
).pipe(
  Command.withDescription("Reads every byte of each file and reports damage. Changes nothing. Exits 5 when there is any damage."),
  Command.withShortDescription("Read every byte and report damage"),
  Command.withExamples([
    { command: "annals verify session.jsonl" },
    { command: "annals verify ~/.pi/agent/sessions/*/*.jsonl --jsonl", description: "One line for each file" },
  ]),
)

const repair = Command.make("repair", { file: Flags.file, yes: Flags.yes, json: Flags.json, format: Flags.format }, (input) =>
  lazily(
    () => import("./Repair.ts"),
    ({ repair }) => repair(input),
  ),
).pipe(
  Command.withDescription(
    "Shows how the bytes of a damaged file would be repaired. With --yes makes a byte-exact backup, moves the damaged stretches to a quarantine file beside it and rewrites the file atomically. Running it again changes nothing.",
  ),
  Command.withShortDescription("Plan a repair, and carry it out with --yes"),
  Command.withExamples([
    { command: "annals repair session.jsonl", description: "Only the plan" },
    { command: "annals repair session.jsonl --yes", description: "Carry it out" },
  ]),
)

const show = Command.make("show", { file: Flags.file, json: Flags.json, format: Flags.format }, (input) =>
  lazily(
    () => import("./Show.ts"),
    ({ show }) => show(input),
  ),
).pipe(
  Command.withDescription(
    "What a session is: title, model, counts, tree or turns, context, usage, cost, open tool calls, sessions of subagents, damage.",
  ),
  Command.withShortDescription("What a session is, at a glance"),
  Command.withExamples([{ command: "annals show session.jsonl" }, { command: "annals show session.jsonl --json" }]),
)

const tree = Command.make(
  "tree",
  {
    file: Flags.file,
    all: Flags.toggle("all", "Show every entry; by default long quiet stretches are folded into a line"),
    json: Flags.json,
    jsonl: Flags.jsonl,
    format: Flags.format,
  },
  (input) =>
    lazily(
      () => import("./Tree.ts"),
      ({ tree }) => tree(input),
    ),
).pipe(
  Command.withDescription("Draws the entry tree, one entry a line, with labels and the live leaf marked."),
  Command.withShortDescription("Draw the entry tree"),
  Command.withExamples([
    { command: "annals tree session.jsonl" },
    { command: "annals tree session.jsonl --all | less", description: "Every entry" },
  ]),
)

const context = Command.make(
  "context",
  {
    file: Flags.file,
    leaf: Flag.String("leaf").pipe(
      Flag.withMetavar("ID|none"),
      Flag.withDescription("Another entry than the live leaf, by its id or the beginning of it, or none for the empty context"),
      Flag.optional,
    ),
    full: Flags.toggle("full", "Show every line of every message; by default long ones are cut"),
    json: Flags.json,
    jsonl: Flags.jsonl,
    format: Flags.format,
  },
  (input) =>
    lazily(
      () => import("./Context.ts"),
      ({ context }) => context(input),
    ),
).pipe(
  Command.withDescription(
    "What the model would see: of a tree session at the live leaf or at another entry, with its settings; of a ledger session after the repairs of a resume, which are named in notes.",
  ),
  Command.withShortDescription("What the model would see"),
  Command.withExamples([
    { command: "annals context session.jsonl" },
    { command: "annals context session.jsonl --leaf 346ab68c --json", description: "At another entry, for a program" },
  ]),
)

const replay = Command.make(
  "replay",
  {
    file: Flags.file,
    at: Flag.Int("at").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Only the first N records, the header included; all by default"),
      Flag.optional,
    ),
    runs: Flags.toggle(
      "runs",
      "Run the runs of a ledger session again, without model and tools, and say which differs from what was recorded",
    ),
    json: Flags.json,
    format: Flags.format,
  },
  (input) =>
    lazily(
      () => import("./Replay.ts"),
      ({ replay }) => replay(input),
    ),
).pipe(
  Command.withDescription(
    "The state that the records of a session amount to, as JSON: of a tree its header, leaf, entries with their patches folded in, and labels; of a ledger its conversation, accounting and undo. Without --json an entry or a message stands on a line of its own.",
  ),
  Command.withShortDescription("The state after the first N records, as JSON"),
  Command.withExamples([
    { command: "annals replay session.jsonl --json" },
    { command: "annals replay session.jsonl --at 20", description: "As it was after 20 records" },
    { command: "annals replay ledger.jsonl --runs", description: "Is every run what was recorded? Exits 5 when one is not" },
  ]),
)

const append = Command.make(
  "append",
  {
    file: Flags.file,
    create: Flags.toggle("create", "Begin a new session in FILE, which must not exist, or be empty for a tree; needs --cwd"),
    sealed: Flags.toggle(
      "sealed",
      "Put a seal on each record of a new session, by which verify tells edits and losses; in our own store they have one anyway",
    ),
    cwd: Flag.String("cwd").pipe(
      Flag.withMetavar("DIR"),
      Flag.withDescription("The working directory that a new session is about"),
      Flag.optional,
    ),
    model: Flag.String("model").pipe(
      Flag.withMetavar("MODEL"),
      Flag.withDescription("The model of a new ledger session, or the one that goes on with a resumed one"),
      Flag.optional,
    ),
    resume: Flags.toggle("resume", "Resume a ledger session first: repair its conversation, settle requests, close open calls"),
    migrate: Flags.migrate,
    level: Flag.Literals("level", ["accepted", "written", "synced"]).pipe(
      Flag.withMetavar("LEVEL"),
      Flag.withDescription("How far a record must have come before its command is acknowledged (synced by default)"),
      Flag.withDefault("synced" as const),
    ),
    json: Flags.toggle("json", "Acknowledgements are JSON lines already; accepted so that programs can pass it to every command"),
    jsonl: Flags.toggle("jsonl", "The same as --json"),
    format: Flags.format,
  },
  (input) =>
    lazily(
      () => import("./Append.ts"),
      ({ append }) => append(input),
    ),
).pipe(
  Command.withDescription(
    "The journal as a pipe: reads one JSON command a line from standard input and writes one acknowledgement a line to standard output as soon as the command's records have reached the level. A rejected command is acknowledged with its error and the rest goes on.",
  ),
  Command.withShortDescription("Commands in, acknowledgements out"),
  Command.withExamples([
    {
      command: `echo '{"do":"message","message":{"role":"user","content":"hello"}}' | annals append new.jsonl --create --cwd .`,
      description: "A new session",
    },
    { command: "annals append old.jsonl --migrate < commands.jsonl", description: "Go on with a file of an older version" },
    {
      command:
        "annals append .garuda/sessions/new.jsonl --create --format ledger --cwd . --model claude-sonnet-4-5 < commands.jsonl",
      description: "A new ledger session",
    },
    { command: "annals append ledger.jsonl --resume < commands.jsonl", description: "Go on with what another process left" },
  ]),
)

const migrate = Command.make("migrate", { file: Flags.file, yes: Flags.yes, json: Flags.json, format: Flags.format }, (input) =>
  lazily(
    () => import("./Migrate.ts"),
    ({ migrate }) => migrate(input),
  ),
).pipe(
  Command.withDescription(
    "Says what the migration to version 5 would do. With --yes rewrites the whole file atomically, the history preserved, with a backup of every byte beside it.",
  ),
  Command.withShortDescription("Plan a migration to version 5, and carry it out with --yes"),
  Command.withExamples([
    { command: "annals migrate old.jsonl", description: "Only the plan" },
    { command: "annals migrate old.jsonl --yes", description: "Carry it out" },
  ]),
)

/** The whole command line. Whatever a command fails with is told by `Program.ts`. */
export const annals: Command.Command<"annals", object, object, unknown, Host | Output | Files> = Command.make("annals").pipe(
  Command.withDescription("Keeps the sessions of coding agents: every change is a record in an append-only journal."),
  Command.withSubcommands([
    demo,
    verify,
    repair,
    show,
    tree,
    context,
    tail,
    replay,
    append,
    title,
    star,
    unstar,
    label,
    fork,
    branchOut,
    migrate,
    list,
    exportSession,
    remove,
    lock,
    redact,
    scan,
  ]),
)
