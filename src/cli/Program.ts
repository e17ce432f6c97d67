/**
 * The command line as a function: from the arguments and the ways in and out to the exit code.
 *
 * Whatever happens is told once: as text on standard error, or with `--json` as one JSON value on standard output.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Files } from "../disk/Files.ts"
import { failureLines } from "../view/FailureView.ts"
import { plain } from "../view/Style.ts"
import { annals } from "./Commands.ts"
import { Ended } from "./Ended.ts"
import type { Host } from "./Host.ts"
import { Output, OutputClosed } from "./Output.ts"
import { errorJson, reportOf } from "./Report.ts"
import { UsageError } from "./Usage.ts"
import { version } from "./Version.ts"

const INTERRUPTED = 130

type Out = Context.Service.Shape<typeof Output>

/** Help and version go out as data; errors are told by {@link tell}, once and in one form. */
const presenter = (output: Out): CliOutput.Presenter => {
  const formatter = CliOutput.defaultFormatter({ colors: output.style !== plain })
  const write = (text: string): Effect.Effect<void> => Effect.ignore(output.write(`${text}\n`))
  return {
    present: (event) => {
      if (event._tag === "Help") return write(formatter.formatHelpDoc(event.helpDoc))
      return event._tag === "Version" ? write(`${event.name} ${event.version}`) : Effect.void
    },
  }
}

/** `--completions SHELL`, as effect has it, but through the output. */
const completions = (output: Out): typeof GlobalFlag.Completions =>
  GlobalFlag.Action({
    flag: GlobalFlag.Completions.flag,
    run: (shell, { command }) =>
      Option.isNone(shell)
        ? Effect.void
        : Effect.ignore(output.write(`${Completions.generate(command.name, shell.value, Completions.fromCommand(command))}\n`)),
  })

const settings = (output: Out): Layer.Layer<never> =>
  Layer.mergeAll(
    CliOutput.layerPresenter(presenter(output)),
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions(output)] }),
  )

/** Whether a program reads the output. Told from the bare arguments, because it must be known when they cannot be parsed. */
const wantsJson = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  return args.slice(0, end === -1 ? args.length : end).some((arg) => arg === "--json" || arg === "--jsonl")
}

/** The error to tell of, or the exit code when there is nothing to tell. */
const outcomeOf = (cause: Cause.Cause<unknown>): { readonly exit: number } | { readonly error: unknown } => {
  if (Cause.hasInterruptsOnly(cause)) return { exit: INTERRUPTED }
  const error = Cause.squash(cause)
  if (error instanceof Ended) return { exit: error.exit }
  if (error instanceof OutputClosed) return { exit: 0 }
  if (!(error instanceof CliError.ShowHelp)) return { error }
  if (error.errors.length === 0) return { exit: 0 }
  const message = error.errors.map((one) => one.message).join("\n")
  return { error: new UsageError({ message, command: error.commandPath.join(" ") }) }
}

const tell = (error: unknown, isJson: boolean): Effect.Effect<number, never, Output> =>
  Effect.flatMap(Output, (output) => {
    const report = reportOf(error)
    const told = isJson
      ? Effect.ignore(output.write(`${JSON.stringify({ schemaVersion: 1, error: errorJson(report) })}\n`))
      : Effect.forEach(failureLines(report, output.noteStyle), output.note, { discard: true })
    return Effect.as(told, report.exit)
  })

/**
 * Runs one command line to its end and gives the exit code. Never fails. Interrupted, it ends what is open and gives 130; what is then
 * told is told all the same.
 */
export const run = (args: ReadonlyArray<string>): Effect.Effect<number, never, Host | Output | Command.Environment> =>
  Effect.flatMap(Output, (output) =>
    Effect.uninterruptibleMask((restore) =>
      restore(Effect.provide(Command.runWith(annals, { version })(args), [settings(output), Files.layer])).pipe(
        Effect.as(0),
        Effect.catchCause((cause) => {
          output.progress("")
          const outcome = outcomeOf(cause)
          return "exit" in outcome ? Effect.succeed(outcome.exit) : tell(outcome.error, wantsJson(args))
        }),
      ),
    ),
  )
