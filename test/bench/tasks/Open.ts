/** A session file opened for writing and its context had, in a process that has loaded the library and nothing else. */
import { dirname } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout } from "node:timers/promises"
import { annalsIn } from "../Host.ts"
import type { PiModule } from "../PiModule.ts"
import { runTask } from "../Task.ts"

export interface OpenInput {
  readonly path: string
  /** Absent for ours: the module of pi. */
  readonly pi?: string
  /** Ours alone: the context of the file, without a session that is open for writing. */
  readonly onlyContext?: boolean
}

export interface OpenOutput {
  /** Milliseconds, the context included. */
  readonly time: number
  /** The longest that the event loop was blocked, in milliseconds. */
  readonly blocked: number
  readonly messages: number
}

const delay = monitorEventLoopDelay({ resolution: 1 })

/** A few turns of the event loop: the timer that watches it must have run before and after what may block it. */
const rest = (): Promise<void> => setTimeout(20)

const ours = async ({ path, onlyContext = false }: OpenInput) => {
  const annals = annalsIn(dirname(path))
  delay.enable()
  await rest()
  const since = performance.now()
  const { messages } = onlyContext ? (await annals.context(path)).context : (await annals.open(path)).context()
  return { time: performance.now() - since, messages: messages.length }
}

const pis = async ({ path, pi = "" }: OpenInput) => {
  const { SessionManager } = (await import(pi)) as PiModule
  delay.enable()
  await rest()
  const since = performance.now()
  const session = SessionManager.open(path)
  const { messages } = session.buildSessionContext()
  return { time: performance.now() - since, messages: messages.length }
}

await runTask<OpenInput, OpenOutput>(async (input) => {
  const opened = await (input.pi === undefined ? ours(input) : pis(input))
  await rest()
  return { ...opened, blocked: delay.max / 1e6 }
})
