/** What the command line knows of the process that it runs in. The only way to it for everything under `src/cli`, but for `main.ts`. */
import * as Context from "effect/Context"

export class Host extends Context.Service<
  Host,
  {
    readonly environment: Readonly<Record<string, string | undefined>>
    /** The id of the process. */
    readonly pid: number
    /** The working directory. */
    readonly directory: string
    readonly home: string
    /** A directory for temporary folders. */
    readonly temporary: string
    /** The standard input in pieces. Asked for only by a command that reads it. */
    readonly input: () => AsyncIterable<Uint8Array>
    /** Whether a person types the standard input. */
    readonly isInputTerminal: boolean
    /** The program and the arguments that start this command line again, to which a command's own are added. */
    readonly program: readonly [file: string, ...args: ReadonlyArray<string>]
  }
>()("annals/cli/Host") {}
