#!/usr/bin/env node
/** The command line in a process of its own: the only place that knows the process. */
import { homedir, tmpdir } from "node:os"
import { isatty } from "node:tty"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Host } from "./Host.ts"
import { run } from "./Program.ts"
import * as Terminal from "./Terminal.ts"

const INTERRUPTED = 130

let isInputUsed = false

const host = Layer.succeed(Host, {
  environment: process.env,
  pid: process.pid,
  directory: process.cwd(),
  home: homedir(),
  temporary: tmpdir(),
  input: () => {
    isInputUsed = true
    return process.stdin
  },
  isInputTerminal: isatty(0),
  program: [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)],
})

const fiber = Effect.runFork(
  run(process.argv.slice(2)).pipe(
    Effect.provide([host, Terminal.layer(process.stdout, process.stderr, process.env), NodeServices.layer]),
  ),
)

/** The first signal ends what is open and then the process; a second one does not wait for that. */
let signals = 0
const onSignal = (): void => {
  if (++signals > 1) process.exit(INTERRUPTED)
  Effect.runFork(Fiber.interrupt(fiber))
}
process.on("SIGINT", onSignal)
process.on("SIGTERM", onSignal)

fiber.addObserver((exit) => {
  process.exitCode = exit._tag === "Success" ? exit.value : INTERRUPTED
  process.off("SIGINT", onSignal)
  process.off("SIGTERM", onSignal)
  // Unread input would keep the process alive; the output is flushed before it ends.
  if (isInputUsed) process.stdin.destroy()
})
