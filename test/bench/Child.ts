/** Starts measured processes, one at a time. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import process from "node:process"
import { built } from "./Built.ts"
import type { Spent } from "./Task.ts"

export interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
  readonly signal: string | null
  /** Milliseconds from the start of the process to its end. */
  readonly wall: number
}

export interface ChildOptions {
  /** Flags of Node. */
  readonly flags?: ReadonlyArray<string> | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
  readonly folder?: string | undefined
}

/** The longest that one process may take, in milliseconds. */
const LIMIT = 180_000

/** Runs Node with arguments to its end. */
export const runNode = (args: ReadonlyArray<string>, options: ChildOptions = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const start = performance.now()
    const child = spawn(process.execPath, [...(options.flags ?? []), ...args], {
      ...(options.folder === undefined ? {} : { cwd: options.folder }),
      env: { ...process.env, ...options.environment },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT,
    })
    // Before the folder it works in is removed.
    const end = (): void => void child.kill("SIGKILL")
    process.prependListener("exit", end)
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.on("error", reject)
    child.on("close", () => process.off("exit", end))
    child.on("close", (code, signal) => resolve({ stdout, stderr, code, signal, wall: performance.now() - start }))
  })

/** What went wrong, in one line. */
const lineOf = ({ stderr, code, signal }: Ended): string => {
  const told = stderr.split("\n").find((line) => /error|FATAL/i.test(line))
  return (told ?? stderr.trim().split("\n").at(-1) ?? "").slice(0, 200) || `ended with ${signal ?? code}`
}

export class ChildFailed extends Error {}

/** Runs a task of this folder in a process of its own and gives its answer. */
export const runTaskIn = async <Output>(name: string, input: object, options: ChildOptions = {}): Promise<Output & Spent> => {
  const ended = await runNode([join(built, "test", "bench", "tasks", `${name}.js`), JSON.stringify(input)], options)
  const answer = ended.stdout.trim().split("\n").at(-1) ?? ""
  if (ended.code !== 0 || !answer.startsWith("{")) throw new ChildFailed(`${name}: ${lineOf(ended)}`)
  return JSON.parse(answer) as Output & Spent
}
