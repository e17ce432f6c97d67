/**
 * Commands from outside, held to a table of shapes: `{"do":"NAME", …the fields of that name}`.
 *
 * Valid if and only if it is JSON, an object, `do` is a name of the table, every other field is one that the name has, and each is of its
 * kind. Members that are undefined count as absent. The first field that is wrong is named.
 */
import * as Result from "effect/Result"
import { isObject, type JsonObject, ownString } from "./Json.ts"
import { plain } from "./Plain.ts"
import { flaw, type Kind, type Shape, type Shaped } from "./Shape.ts"

export type CommandTable = Readonly<Record<string, Shape>>

/** The commands of a table, as data. */
export type CommandOf<T extends CommandTable> = {
  readonly [N in keyof T & string]: { readonly do: N } & Shaped<T[N]>
}[keyof T & string]

/** What is wrong with a command: a field, and what it must be. */
export interface CommandFlaw {
  readonly field: string
  readonly expected: string
}

const EXPECTED: Partial<Record<Kind, string>> = {
  content: "must be a string or a list of blocks",
  "title source": "must be auto or user",
  attribution: "must be user or agent",
  "role of a turn": "must be user or assistant",
  amount: "must be a number of at least 0",
}

const fail = (field: string, expected: string): Result.Result<never, CommandFlaw> => Result.fail({ field, expected })

/** A command of a table, checked and free of members that are undefined. `further` says what shapes cannot. */
export const readCommand = <T extends CommandTable>(
  table: T,
  given: unknown,
  further: (name: keyof T & string, command: JsonObject) => CommandFlaw | undefined,
): Result.Result<CommandOf<T>, CommandFlaw> => {
  const json = plain(given)
  if (Result.isFailure(json)) {
    const { path, found } = json.failure
    return fail(path === "" ? "command" : path, `must be JSON, not ${found}`)
  }
  const command = json.success
  if (!isObject(command)) return fail("command", "must be an object")
  const name = ownString(command, "do") ?? ""
  const shape = Object.hasOwn(table, name) ? table[name] : undefined
  if (shape === undefined) return fail("do", `must be one of ${Object.keys(table).join(", ")}`)
  const stranger = Object.keys(command).find((key) => key !== "do" && !Object.hasOwn(shape, key))
  if (stranger !== undefined) return fail(stranger, `is not a field of ${name}`)
  const found = flaw(command, shape)
  if (found !== undefined) return fail(found.member, EXPECTED[found.expected] ?? `must be a ${found.expected}`)
  const more = further(name, command)
  return more === undefined ? Result.succeed(command as unknown as CommandOf<T>) : Result.fail(more)
}
