/** The arguments and flags that several commands share, each with one meaning everywhere. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"

/** A flag that is given or not. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const file = Argument.String("FILE").pipe(Argument.withDescription("Path of a session file"))

export const files = Argument.String("FILE").pipe(
  Argument.withDescription("Paths of session files"),
  Argument.variadic({ min: 1 }),
)

export const json = toggle("json", "Print exactly one JSON value and nothing else on standard output")

export const jsonl = toggle("jsonl", "Print one JSON value a line on standard output")

export const yes = toggle("yes", "Carry out the plan; without it nothing is changed")

export const migrate = toggle("migrate", "Agree that an older file is rewritten to version 5 first, with a backup")

export const to = Flag.String("to").pipe(
  Flag.withMetavar("PATH"),
  Flag.withDescription("Where the new session goes, which must not exist; by default into our own store"),
  Flag.optional,
)

export const format = Flag.Literals("format", ["tree", "ledger"]).pipe(
  Flag.withMetavar("tree|ledger"),
  Flag.withDescription("Read as this kind of session; by default the content decides"),
  Flag.optional,
)
