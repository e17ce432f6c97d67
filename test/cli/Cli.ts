/** The command line under test: in this process, with its ways in and out held by the test, or as a real process. */
import { spawn } from "node:child_process"
import { chmodSync, copyFileSync, cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll } from "vitest"
import { Host } from "../../src/cli/Host.ts"
import { Output } from "../../src/cli/Output.ts"
import { run } from "../../src/cli/Program.ts"
import type { Disk } from "../../src/disk/Disk.ts"
import { Files } from "../../src/disk/Files.ts"
import { plain } from "../../src/view/Style.ts"

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))
const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url))

/** The session that comes with the demo. */
export const gluedSession: string = fileURLToPath(new URL("../../src/cli/demo/session.jsonl", import.meta.url))

const folders: Array<string> = []

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A fresh folder, removed after the tests of the file. */
export const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "annals-cli-"))
  folders.push(made)
  return made
}

/** A copy of a fixture in a folder of its own. */
export const copyOf = (fixture: string): string => {
  const source = existsSync(fixture) ? fixture : join(fixtures, fixture)
  const path = join(folder(), basename(fixture))
  copyFileSync(source, path)
  return path
}

/** A copy of the ledger session with a subagent's session beside it, where a project keeps its sessions. */
export const ledgerProject = (): {
  readonly root: string
  readonly sessions: string
  readonly path: string
  readonly child: string
} => {
  const root = folder()
  const sessions = join(root, ".garuda", "sessions")
  cpSync(join(fixtures, "garuda"), sessions, { recursive: true })
  const child = join(sessions, "20260923-201500-a1b2", "explore-call_2.jsonl")
  for (const path of [dirname(child), child]) chmodSync(path, 0o700)
  return { root, sessions, path: join(sessions, "20260923-201500-a1b2.jsonl"), child }
}

export interface Ended {
  readonly exit: number | null
  readonly out: string
  readonly notes: string
}

export interface Given {
  readonly input?: string | Uint8Array | ReadonlyArray<string | Uint8Array>
  readonly environment?: Readonly<Record<string, string>>
  /** The working directory of a command in this process. */
  readonly directory?: string
  readonly home?: string
}

async function* chunksOf(input: Given["input"]): AsyncGenerator<Uint8Array> {
  const list = input === undefined ? [] : typeof input === "string" || input instanceof Uint8Array ? [input] : input
  for (const chunk of list) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk
}

interface Spoken {
  out: string
  notes: string
}

/** What a command has from its process, what it says being gathered. */
const surroundings = (said: Spoken, given: Given): Layer.Layer<Host | Output> =>
  Layer.merge(
    Layer.succeed(Output, {
      write: (text) =>
        Effect.sync(() => {
          said.out += text
        }),
      note: (line) =>
        Effect.sync(() => {
          said.notes += `${line}\n`
        }),
      progress: () => {},
      style: plain,
      noteStyle: plain,
      columns: 100,
    }),
    Layer.succeed(Host, {
      environment: { ...given.environment },
      pid: process.pid,
      directory: given.directory ?? process.cwd(),
      home: given.home ?? folder(),
      temporary: folder(),
      input: () => chunksOf(given.input),
      isInputTerminal: false,
      program: [process.execPath, main],
    }),
  )

/** Runs a command line in this process. */
export const cli = (args: ReadonlyArray<string>, given: Given = {}): Promise<Ended> => {
  const said = { out: "", notes: "" }
  return Effect.runPromise(
    Effect.map(Effect.provide(run(args), [surroundings(said, given), NodeServices.layer]), (exit) => ({ exit, ...said })),
  )
}

/** Runs one command in this process over a disk of the test's own. */
export const onDisk = async <A, E>(disk: Disk, command: Effect.Effect<A, E, Host | Output | Files>, given: Given = {}) => {
  const said = { out: "", notes: "" }
  const result = await Effect.runPromise(Effect.result(Effect.provide(command, [surroundings(said, given), Files.layerOf(disk)])))
  return { result, ...said }
}

/** A command line in a process of its own. Its standard input is the caller's to end. */
export const start = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) => {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env
  const child = spawn(process.execPath, [main, ...args], { env: { ...inherited, HOME: folder(), ...environment } })
  let out = ""
  let notes = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    notes += text
  })
  child.stdin.on("error", () => {})
  const ended = new Promise<Ended & { readonly signal: string | null }>((resolve) => {
    child.once("close", (exit, signal) => resolve({ exit, signal, out, notes }))
  })
  /** Waits until so many lines have come out. */
  const lines = (count: number): Promise<ReadonlyArray<string>> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const all = out.split("\n").slice(0, -1)
        if (all.length >= count) resolve(all)
      }
      child.stdout.on("data", look)
      child.once("close", () => reject(new Error(`it ended after ${out.split("\n").length - 1} lines: ${notes}`)))
      look()
    })
  return { child, ended, lines }
}

/** Runs a command line in a process of its own to its end. */
export const spawned = (args: ReadonlyArray<string>, given: Given = {}) => {
  const { child, ended } = start(args, given.environment)
  const { input } = given
  if (typeof input === "string" || input instanceof Uint8Array) child.stdin.write(input)
  child.stdin.end()
  return ended
}

/** The one JSON value of an output. Throws when there is anything else. */
export const json = (out: string): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>

/** The JSON values of an output, one a line. */
export const jsonLines = (out: string): ReadonlyArray<Record<string, unknown>> =>
  out
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
