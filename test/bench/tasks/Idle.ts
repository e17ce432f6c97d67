/** The memory of many sessions that are open and do nothing. */
import { join } from "node:path"
import process from "node:process"
import { annalsIn } from "../Host.ts"
import type { PiModule } from "../PiModule.ts"
import { runTask } from "../Task.ts"

export interface IdleInput {
  readonly folder: string
  /** `load`: what the sessions hold, and nothing to write them with. */
  readonly way: "open" | "load" | "pi"
  readonly pi?: string
  readonly sessions: number
}

export interface IdleOutput {
  /** Bytes of each session: of the heap and the buffers, and of the process. */
  readonly heap: number
  readonly resident: number
}

const rest = (): { readonly heap: number; readonly resident: number } => {
  for (let n = 0; n < 4; n++) globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, resident: rss }
}

const held: Array<unknown> = []

await runTask<IdleInput, IdleOutput>(async ({ folder, way, pi, sessions }) => {
  const annals = annalsIn(folder)
  const module = way === "pi" ? ((await import(pi ?? "")) as PiModule) : undefined
  const path = (n: number): string => join(folder, `${n}.jsonl`)
  const take = async (n: number): Promise<unknown> =>
    module === undefined
      ? await (way === "open" ? annals.open(path(n)) : annals.load(path(n)))
      : module.SessionManager.open(path(n))
  // One is open already: what all share is there.
  held.push(await take(sessions))
  const before = rest()
  for (let n = 0; n < sessions; n++) held.push(await take(n))
  const after = rest()
  return { heap: (after.heap - before.heap) / sessions, resident: (after.resident - before.resident) / sessions }
})
