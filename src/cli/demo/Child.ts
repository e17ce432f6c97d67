/** A second process of this command line: fed, listened to, and killed. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import { Host } from "../Host.ts"

export interface ChildOptions {
  readonly arguments: ReadonlyArray<string>
  /** The lines for its standard input, which is closed behind them. */
  readonly input: Iterable<string>
  /** Called for each line of its standard output. True kills it, at once and without a chance to tidy up. */
  readonly onLine: (line: string) => boolean
}

export interface ChildEnd {
  readonly exit: number | null
  /** The signal that ended it. */
  readonly signal: string | null
}

/** Runs `annals` in a process of its own until it ends. An interruption kills it. */
export const runChild = (options: ChildOptions): Effect.Effect<ChildEnd, Error, Host> =>
  Effect.flatMap(Host, ({ program: [file, ...args], environment, directory }) =>
    Effect.callback<ChildEnd, Error>((resume) => {
      const child = spawn(file, [...args, ...options.arguments], {
        env: { ...environment },
        cwd: directory,
        stdio: ["pipe", "pipe", "ignore"],
      })
      let killed = false
      createInterface({ input: child.stdout }).on("line", (line) => {
        // What it had written before it died was acknowledged, so it counts.
        if (!options.onLine(line) || killed) return
        killed = true
        child.kill("SIGKILL")
      })
      // The reader of this pipe may be killed at any moment.
      child.stdin.on("error", () => {})
      for (const line of options.input) child.stdin.write(`${line}\n`)
      child.stdin.end()
      child.once("error", (cause) => resume(Effect.fail(cause)))
      child.once("close", (exit, signal) => resume(Effect.succeed({ exit, signal })))
      return Effect.sync(() => {
        child.kill("SIGKILL")
      })
    }),
  )
