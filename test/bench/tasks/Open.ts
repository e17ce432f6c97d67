/** A session file opened for writing and its context had, in a process that has loaded the library and nothing else. */
import { dirname } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { annalsIn } from "../Host.ts"
import type { PiModule } from "../PiModule.ts"
import { runTask } from "../Task.ts"

export interface OpenInput {
  readonly path: string
  /** Absent for ours: the module of pi. */
  readonly pi?: string
}

export interface OpenOutput {
  /** Milliseconds, the context included. */
  readonly time: number
  /** The longest that the event loop was blocked, in milliseconds. */
  readonly blocked: number
  readonly messages: number
}

const ours = async ({ path }: OpenInput) => {
  const annals = annalsIn(dirname(path))
  const since = performance.now()
  const session = await annals.open(path)
  const { messages } = session.context()
  return { time: performance.now() - since, messages: messages.length }
}

const pis = async ({ path, pi = "" }: OpenInput) => {
  const { SessionManager } = (await import(pi)) as PiModule
  const since = performance.now()
  const session = SessionManager.open(path)
  const { messages } = session.buildSessionContext()
  return { time: performance.now() - since, messages: messages.length }
}

await runTask<OpenInput, OpenOutput>(async (input) => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const opened = await (input.pi === undefined ? ours(input) : pis(input))
  // What blocked is seen by the timer that comes after it.
  await new Promise((resolve) => setTimeout(resolve, 5))
  return { ...opened, blocked: delay.max / 1e6 }
})
