/** The memory of many sessions that are open and do nothing. */
import { join } from "node:path"
import process from "node:process"
import { loadNative } from "../../../src/native.ts"
import { annalsIn, message } from "../Host.ts"
import type { PiModule } from "../PiModule.ts"
import { runTask } from "../Task.ts"

export interface IdleInput {
  readonly folder: string
  /** `native`: open, with the locks of the native port. `load`: what the sessions hold, and nothing to write them with. */
  readonly way: "open" | "native" | "load" | "pi"
  readonly pi?: string
  readonly sessions: number
}

/** Bytes. */
export interface IdleOutput {
  /** Of the heap and the buffers. */
  readonly heap: number
  /** Of the process, once the engine has given back what it holds empty. */
  readonly resident: number
  /** Of the process as it stands. */
  readonly standing: number
}

/**
 * What is left when the garbage is collected. The engine then still holds the room in which new objects were made, up to 128 MB: how much that is
 * depends on what was made and in steps of two, and not on what is held. Only its last resort gives that room back.
 */
const rest = (): IdleOutput => {
  for (let n = 0; n < 4; n++) globalThis.gc?.()
  const standing = process.memoryUsage.rss()
  for (let n = 0; n < 2; n++) globalThis.gc?.({ type: "major", flavor: "last-resort", execution: "sync" })
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, resident: rss, standing }
}

const held: Array<unknown> = []

await runTask<IdleInput, IdleOutput>(async ({ folder, way, pi, sessions }) => {
  const annals = annalsIn(folder, way === "native" ? await loadNative() : undefined)
  const module = way === "pi" ? ((await import(pi ?? "")) as PiModule) : undefined
  const path = (n: number): string => join(folder, `${n}.jsonl`)
  const take = async (n: number): Promise<unknown> => {
    if (module !== undefined) return module.SessionManager.open(path(n))
    return way === "load" ? await annals.load(path(n)) : await annals.open(path(n))
  }
  // One is open already and has written: what all share is there, the thread too.
  if (way === "open" || way === "native") {
    const first = await annals.open(path(sessions))
    await first.dispatch(message("a first one"))
    held.push(first)
  } else held.push(await take(sessions))
  const before = rest()
  for (let n = 0; n < sessions; n++) held.push(await take(n))
  const after = rest()
  const each = (key: keyof IdleOutput): number => (after[key] - before[key]) / sessions
  return { heap: each("heap"), resident: each("resident"), standing: each("standing") }
})
